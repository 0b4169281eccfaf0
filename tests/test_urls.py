"""URLs as the WHATWG standard reads them, and the key by which two results are one page."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hydra_web.urls import is_http_url, normalized_search_url, parse_url, url_host

NAMES = st.sampled_from(["a", "q", "utm_", "utmx", "xutm_a", "gclidx", "b c", "é", "page"])
TRACKING = st.sampled_from(["utm_source", "UTM_Medium", "utm_é", "fbclid", "GCLID", "dclid", "msclkid"])
VALUES = st.sampled_from(["", "1", "x y", "ü", "a&b", "=", "100%"])
PIECES = st.lists(
    st.sampled_from(["https", "http", "ftp", "javascript", ":", "/", "//", "example.com", "[::1]", "?", "#", "&", "="])
    | st.sampled_from(["utm_a=1", "%", "%zz", "é", "例え", "@", "\\", "xn--", "0x7f.1", "..", "+", ":443", ":99999"])
    | st.sampled_from(["\ud800", "\x00", " ", "\n"]),
    max_size=12,
).map("".join)


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("https://EXAMPLE.com?utm_source=a#b", "https://example.com/"),
        ("https://example.com:443/a", "https://example.com/a"),
        ("https://example.com/docs", "https://example.com/docs"),
        ("https://example.com/docs/", "https://example.com/docs/"),
        ("https://example.com/a/../b", "https://example.com/b"),
        ("https://bücher.example/", "https://xn--bcher-kva.example/"),
        ("https://e.com/?utm_=1", "https://e.com/?utm_=1"),
        ("https://e.com/?", "https://e.com/?"),
        ("https://user:pass@e.com/", "https://user:pass@e.com/"),
        ("FTP://E.com/x#y", "ftp://e.com/x"),
        ("https://e.com/?a=b%20c", "https://e.com/?a=b%20c"),
        ("https://e.com/?a=b%20c&fbclid=1", "https://e.com/?a=b+c"),
        ("https://e.com/?a&utm_x=1", "https://e.com/?a="),
        ("https://e.com/?UTM_Source=1&GCLID=2&dclid=3&MsClkId=4&q=5", "https://e.com/?q=5"),
        ("https://e.com/?utm_a=1&utm_a=2", "https://e.com/"),
        ("https://e.com/?gclidx=1&xgclid=2", "https://e.com/?gclidx=1&xgclid=2"),
        ("https://e.com/?utm_a%0Ab=1", "https://e.com/"),
        ("not a url", "not a url"),
        ("", ""),
        ("https://e.com/\ud800", "https://e.com/\ud800"),
    ],
)
def test_keys(text: str, key: str) -> None:
    assert normalized_search_url(text) == key


@given(st.text(max_size=40) | PIECES | PIECES.map("https://e.com/?".__add__))
def test_never_raises_and_is_idempotent(text: str) -> None:
    key = normalized_search_url(text)
    assert normalized_search_url(key) == key
    assert is_http_url(text) in (True, False)
    url_host(text)


@given(st.lists(st.tuples(NAMES, VALUES), max_size=5), st.lists(st.tuples(TRACKING, VALUES), max_size=3), st.randoms())
def test_unknown_parameters_are_kept_in_order(
    kept: list[tuple[str, str]], dropped: list[tuple[str, str]], random: object
) -> None:
    from urllib.parse import parse_qsl, urlencode

    pairs = list(kept)
    for pair in dropped:
        pairs.insert(random.randint(0, len(pairs)), pair)  # type: ignore[attr-defined]
    url = parse_url(normalized_search_url("https://e.com/?" + urlencode(pairs)))
    assert url is not None
    assert parse_qsl(url.search.removeprefix("?"), keep_blank_values=True) == kept


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("https://example.com", True),
        ("HTTP://EXAMPLE.com/a", True),
        (" https://example.com ", True),
        ("ftp://example.com", False),
        ("javascript:alert(1)", False),
        ("//example.com", False),
        ("https://", False),
        ("", False),
        ("https://\ud800", False),
    ],
)
def test_http_urls(text: str, answer: bool) -> None:
    assert is_http_url(text) is answer


@pytest.mark.parametrize(
    ("text", "host"),
    [
        ("https://EXAMPLE.com:8080/", "example.com"),
        ("http://127.1/", "127.0.0.1"),
        ("https://例え.jp/", "xn--r8jz45g.jp"),
        ("mailto:a@example.com", None),
        ("nothing", None),
    ],
)
def test_hosts(text: str, host: str | None) -> None:
    assert url_host(text) == host
