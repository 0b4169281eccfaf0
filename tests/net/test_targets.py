"""Reading and judging URLs."""

import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hydra_web.errors import ConfigError, WebError
from hydra_web.net import Target, _targets, check_url
from hydra_web.net._targets import Origin, join, read_origins, read_target


def _refusal(url: object, **arguments: object) -> WebError:
    with pytest.raises(WebError) as caught:
        check_url(url, **arguments)  # type: ignore[arg-type]
    return caught.value


def test_a_good_url_comes_back_in_canonical_parts() -> None:
    assert check_url("HTTPS://Example.COM:443/a/../b c%20?q=ü#part".replace(" c", "c")) == Target(
        scheme="https", host="example.com", port=443, url="https://example.com/bc%20?q=%C3%BC", granted=False
    )


def test_white_space_around_a_url_is_dropped_and_nothing_else_is_repaired() -> None:
    assert check_url(" \t\r\n https://example.com/x \n").url == "https://example.com/x"
    assert _refusal("https://exa mple.com/").code == "WEB_INVALID_URL"
    assert _refusal("https://example.com/a\nb").code == "WEB_INVALID_URL"


def test_the_root_dot_is_dropped_and_default_ports_are_filled_in() -> None:
    assert check_url("http://example.com.").url == "http://example.com/"
    assert (check_url("http://example.com:/").port, check_url("https://example.com").port) == (80, 443)
    assert check_url("http://example.com:8080/").url == "http://example.com:8080/"


def test_ipv6_hosts_are_written_in_brackets_and_compressed() -> None:
    target = check_url("http://[2606:4700:4700:0:0:0:0:1111]:8080/dns")
    assert (target.host, target.url) == ("2606:4700:4700::1111", "http://[2606:4700:4700::1111]:8080/dns")
    assert target.is_literal
    assert target.path == "/dns"


@pytest.mark.parametrize(
    ("url", "code", "reason", "text"),
    [
        (
            "ftp://example.com/",
            "WEB_INVALID_URL",
            "scheme",
            'unsupported URL scheme "ftp:" (only http and https are allowed)',
        ),
        ("example.com", "WEB_INVALID_URL", "syntax", "invalid URL: example.com"),
        ("not a url", "WEB_INVALID_URL", "syntax", "invalid URL: not a url"),
        ("http://exa\x1b[31mmple.com/", "WEB_INVALID_URL", "syntax", "invalid URL: http://example.com/"),
        ("http://a:b@example.com/", "WEB_BLOCKED_URL", "credentials", "credentials in URLs are not allowed"),
        ("http://example.com:70000/", "WEB_INVALID_URL", "port", "invalid URL: http://example.com:70000/"),
        ("http://exa%6dple.com/", "WEB_INVALID_URL", "host", "invalid URL: http://exa%6dple.com/"),
        (
            "http://example.com:25/",
            "WEB_BLOCKED_URL",
            "port",
            "web fetch does not connect to this port; this is policy",
        ),
        (12, "WEB_INVALID_URL", "not_text", "invalid URL: not a text"),
    ],
)
def test_refusals_carry_a_code_a_reason_and_a_fixed_text(url: object, code: str, reason: str, text: str) -> None:
    error = _refusal(url)
    assert (error.code, error.reason, error.message) == (code, reason, text)
    assert error.__context__ is None


@pytest.mark.parametrize(
    "url", ["http://localhost/", "http://wiki/", "http://db.corp/", "http://127.0.0.1/", "http://[::1]/"]
)
def test_a_destination_that_is_not_public_says_so_and_that_it_is_policy(url: str) -> None:
    error = _refusal(url)
    assert error.code == "WEB_BLOCKED_URL"
    assert error.message.startswith("web fetch destination is not a public IP address")
    assert "policy" in error.message


def test_a_url_may_have_the_maximum_length_and_no_more() -> None:
    url = "https://example.com/"
    assert check_url(url.ljust(2048, "a")).port == 443
    assert _refusal(url.ljust(2049, "a")).message == "URL exceeds the maximum length of 2048"
    with pytest.raises(WebError, match="URL exceeds the maximum length of 30"):
        read_target("https://example.com/aaaaaaaaaaaa", frozenset(), None, 30)


def test_allowed_ports_are_the_only_ports() -> None:
    assert check_url("http://example.com:25/", allowed_ports={25}).port == 25
    assert _refusal("http://example.com/", allowed_ports={443}).reason == "port"


def test_a_grant_opens_exactly_one_origin() -> None:
    grants = ["http://wiki.corp:8080", "http://127.0.0.1:43117/", "http://[::1]:25"]
    assert check_url("http://WIKI.corp:8080/x", grants).granted
    assert check_url("http://127.1:43117/x", grants).granted
    assert check_url("http://[::1]:25/", grants).granted
    for near in ("https://wiki.corp:8080/", "http://wiki.corp/", "http://a.wiki.corp:8080/", "http://127.0.0.1:43118/"):
        assert _refusal(near, allowed_origins=grants).code == "WEB_BLOCKED_URL"


def test_metadata_services_stay_closed_even_when_granted() -> None:
    for url in ("http://169.254.169.254", "http://[::ffff:169.254.169.254]", "http://[fd00:ec2::254]"):
        assert _refusal(url + "/", allowed_origins=[url]).code == "WEB_BLOCKED_URL"


@pytest.mark.parametrize(
    "origin",
    [
        "file:///etc",
        "http://*.example.com",
        "http://user@example.com",
        "http://example.com/path",
        "http://example.com/?q=1",
        "http://example.com/?",
        "http://example.com/#f",
        "example.com",
        7,
    ],
)
def test_a_grant_that_is_no_exact_origin_is_a_configuration_error(origin: str) -> None:
    with pytest.raises(ConfigError) as caught:
        read_origins([origin])
    assert caught.value.message == (
        "web-fetch-http: allowedOrigins must contain exact HTTP(S) origins without credentials, paths, or wildcards"
    )


def test_origins_are_canonical() -> None:
    assert read_origins("http://LOCALHOST:43117/") == {Origin("http", "localhost", 43117)}
    assert str(Origin("http", "localhost", 43117)) == "http://localhost:43117"
    assert str(Origin("https", "::1", 443)) == "https://[::1]"


def test_punycode_labels_must_survive_a_round_trip() -> None:
    assert check_url("http://xn--mnchen-3ya.example.com/").host == "xn--mnchen-3ya.example.com"
    assert check_url("http://münchen.example.com/").host == "xn--mnchen-3ya.example.com"
    for bad in ("xn--a-.com", "xn--.example.com", "xn--abc.example.com", "xn--99999999.example.com"):
        assert _refusal(f"http://{bad}/").code == "WEB_INVALID_URL"


def test_joining_gives_none_where_there_is_no_url() -> None:
    assert join("https://example.com/a/b", "../c") == "https://example.com/c"
    assert join("https://example.com/", "http://[") is None


def test_what_httpx_reads_differently_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    spoilt = Target(scheme="https", host="example.org", port=443, url="https://example.com/", granted=False)
    assert not _targets._httpx_agrees(spoilt)
    for url in ("https://exa mple.com/", "https://example.com:99999999999999/", "https://user@example.com/"):
        assert not _targets._httpx_agrees(dataclasses.replace(spoilt, url=url))
    monkeypatch.setattr(_targets, "_httpx_agrees", lambda target: False)
    assert _refusal("https://example.com/").reason == "ambiguous"


_pieces = st.sampled_from(
    [
        "http",
        "https",
        ":",
        "//",
        "/",
        "@",
        "#",
        "?",
        "[",
        "]",
        "%",
        "\\",
        ".",
        "127.0.0.1",
        "example.com",
        "::1",
        "0x7f",
    ]
)


@given(st.lists(_pieces | st.text(max_size=3), max_size=12).map("".join))
def test_only_web_errors_come_out_and_accepted_urls_are_stable(url: str) -> None:
    outcome = _outcome(url)
    if isinstance(outcome, WebError):
        assert outcome.code in ("WEB_INVALID_URL", "WEB_BLOCKED_URL")
        assert "\n" not in outcome.message
    else:
        assert check_url(outcome.url) == outcome
        assert outcome.url.isascii()


def _outcome(url: str) -> Target | WebError:
    try:
        return check_url(url)
    except WebError as error:
        return error
