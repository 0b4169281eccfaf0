from contextlib import suppress
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hydra_web.providers._http import parse_json
from hydra_web.providers._reading import answer_text, as_number, as_text, objects, plain_text, source, web_address

NOW = datetime(2026, 11, 30, 14, 0, tzinfo=UTC)
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("plain", "plain"),
        ("  kept as it is ", "  kept as it is "),
        ("<strong>deep</strong> <em class='x'>sea</em>", "deep sea"),
        ("one<br>two<p>three", "one two three"),
        ("a &amp; b &quot;c&quot; &#39;d&#39;", "a & b \"c\" 'd'"),
        ("&lt;script&gt;", "<script>"),
        ("std::vector<int> and Map<String, T>", "std::vector<int> and Map<String, T>"),
        ("3 < 4 > 2", "3 < 4 > 2"),
        ("a\ud800b", "a\ufffdb"),
    ],
)
def test_html_goes_and_text_stays(text: str, plain: str) -> None:
    assert plain_text(text) == plain


@pytest.mark.parametrize(
    ("value", "address"),
    [
        ("https://example.org/a b", "https://example.org/a%20b"),
        (" https://example.org/\n", "https://example.org/"),
        ("HTTPS://Example.org/Ä", "HTTPS://Example.org/Ä"),
        ("javascript:alert(1)", None),
        ("//example.org", None),
        ("https://\ud800", None),
        ("", None),
        (None, None),
        (5, None),
    ],
)
def test_web_addresses(value: Any, address: str | None) -> None:
    assert web_address(value) == address


def test_numbers_and_texts_of_the_wrong_kind_are_left_out() -> None:
    assert [as_number(value) for value in (True, "1", None, float("nan"), float("inf"), 1, 0.5, 10**400)] == [
        None, None, None, None, None, 1, 0.5, 10**400,
    ]  # fmt: skip
    assert [as_text(value) for value in ("", " ", 5, None, "x")] == [None, None, None, None, "x"]
    assert answer_text(" kept \ud800") == " kept \ufffd"
    assert list(objects([{"a": 1}, "x", None])) == [{"a": 1}]


@given(json_values, json_values, json_values, json_values, json_values)
def test_any_parts_make_a_source_or_none(title: Any, snippet: Any, published: Any, position: Any, score: Any) -> None:
    found = source(
        "https://example.org/",
        title=title,
        snippet=snippet,
        published=published,
        position=position,
        score=score,
        now=NOW,
    )
    assert found is not None
    found.to_json_dict()


@given(json_values)
def test_any_url_makes_a_source_or_none(url: Any) -> None:
    found = source(url, now=NOW)
    assert found is None or found.url.startswith("http")


@given(st.binary(max_size=60))
def test_any_bytes_are_json_or_refused(body: bytes) -> None:
    with suppress(ValueError):
        parse_json(body)


def test_a_mark_at_the_beginning_is_no_obstacle() -> None:
    assert parse_json(b"\xef\xbb\xbf[NaN, -Infinity]") == [None, None]
