"""Where a redirect may lead."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hydra_web.errors import WebError
from hydra_web.net import Target, check_url
from hydra_web.net._redirects import next_target
from hydra_web.net._targets import read_origins

HERE = check_url("https://example.com/a/b?q=1")


def _refusal(*locations: str, **arguments: Any) -> WebError:
    with pytest.raises(WebError) as caught:
        next_target(HERE, locations, **arguments)
    assert caught.value.__context__ is None
    return caught.value


@pytest.mark.parametrize(
    ("location", "url"),
    [
        ("/x", "https://example.com/x"),
        (" \t/x ", "https://example.com/x"),
        ("x y", "https://example.com/a/x%20y"),
        ("?z", "https://example.com/a/b?z"),
        ("#f", "https://example.com/a/b?q=1"),
        ("//example.com/x", "https://example.com/x"),
        ("https://EXAMPLE.com.:443/x", "https://example.com/x"),
    ],
)
def test_the_same_origin_is_followed(location: str, url: str) -> None:
    assert next_target(HERE, [location]).url == url


@pytest.mark.parametrize(
    ("location", "origin"),
    [
        ("http://example.com/x", "http://example.com"),
        ("https://www.example.com/", "https://www.example.com"),
        ("https://example.com:8443/", "https://example.com:8443"),
        ("https://MÜNCHEN.example/".replace("Ü", "u"), None),
    ],
)
def test_another_origin_is_named_and_not_followed(location: str, origin: str | None) -> None:
    error = _refusal(location)
    assert error.code == "WEB_REDIRECT_BLOCKED"
    if origin is not None:
        assert error.reason == "cross_origin"
        assert error.message == (
            f"cross-origin redirect to {origin} is not followed automatically; retry against that URL directly"
        )


def test_a_missing_location_is_a_provider_error() -> None:
    for error in (_refusal(status=301), _refusal("", status=301)):
        assert error.code == "WEB_PROVIDER_ERROR"
        assert error.message == "redirect response (HTTP 301) without a Location header"


@pytest.mark.parametrize("locations", [("/x", "/y"), ("/\\x",), ("/a\tb",), ("/é",), ("/\x00",)])
def test_an_ambiguous_target_is_refused(locations: tuple[str, ...]) -> None:
    assert (_refusal(*locations).code, _refusal(*locations).reason) == ("WEB_REDIRECT_BLOCKED", "ambiguous")


@pytest.mark.parametrize("location", ["data:text/html,x", "https:x", "http://[", "http://xn--/", "//", "https://a..b/"])
def test_a_target_that_is_no_url_is_refused_without_quoting_it(location: str) -> None:
    error = _refusal(location)
    assert error.code == "WEB_REDIRECT_BLOCKED"
    assert location not in error.message


def test_a_blocked_target_says_why() -> None:
    error = _refusal("http://169.254.169.254/", policy="guarded")
    assert (error.code, error.reason) == ("WEB_REDIRECT_BLOCKED", "target_blocked")
    assert "not a public IP address" in error.message


def test_credentials_on_the_same_origin_are_blocked_and_elsewhere_the_redirect_is() -> None:
    assert _refusal("https://user:pw@example.com/x").code == "WEB_BLOCKED_URL"
    assert _refusal("https://example.com@evil.net/x").code == "WEB_REDIRECT_BLOCKED"
    assert _refusal("https://user:pw@[/x").code == "WEB_REDIRECT_BLOCKED"


def test_guarded_redirects_may_leave_the_origin_but_not_enter_a_grant() -> None:
    grants = read_origins(["http://wiki.corp"])
    assert next_target(HERE, ["http://example.org/"], policy="guarded").host == "example.org"
    assert _refusal("http://wiki.corp/", policy="guarded", grants=grants).reason == "into_grant"
    granted = check_url("http://wiki.corp/", ["http://wiki.corp"])
    assert next_target(granted, ["/x"], policy="guarded", grants=grants).granted


@given(st.text(max_size=40))
def test_only_web_errors_come_out(location: str) -> None:
    outcome = _outcome(location)
    if isinstance(outcome, WebError):
        assert outcome.code in ("WEB_REDIRECT_BLOCKED", "WEB_PROVIDER_ERROR", "WEB_BLOCKED_URL")
    else:
        assert outcome.origin == HERE.origin


def _outcome(location: str) -> Target | WebError:
    try:
        return next_target(HERE, [location])
    except WebError as error:
        return error
