import pytest
from hypothesis import given
from hypothesis import strategies as st

from hydra_web.tools.outcome import ToolOutcome
from hydra_web.tools.present import fetch_meta, present_call, present_result, search_meta

SOURCE = {"url": "https://a.test", "title": "A"}


def test_the_card_of_a_search_call_names_the_raw_queries():
    assert present_call("web_search", {"queries": ["one", "one", "two"]}) == {
        "card": "generic",
        "title": "one, one, two",
        "kind": "search",
        "rawInput": "one, one, two",
    }
    assert present_call("web_search", {"query": "q"})["title"] == "q"
    assert present_call("web_search", {"queries": "q"})["title"] == "q"


def test_the_card_of_a_fetch_call_names_the_url():
    assert present_call("web_fetch", {"url": "https://a.test"}) == {
        "card": "generic",
        "title": "https://a.test",
        "kind": "fetch",
        "rawInput": "https://a.test",
    }


def test_calls_of_other_tools_and_malformed_calls_do_no_harm():
    assert present_call("read", {}) is None
    assert present_call("web_search", None)["title"] == ""
    assert present_call("web_search", {"queries": [1, "a"]})["title"] == "a"
    assert present_call("web_fetch", {"url": 3})["title"] == ""


def test_search_meta_has_an_answer_only_where_there_is_one():
    value = {"sources": [SOURCE], "truncated": True}
    assert search_meta({**value, "content": "A."}) == {"sources": [SOURCE], "truncated": True, "answer": "A."}
    assert search_meta(value) == value


def test_search_meta_becomes_a_card():
    meta = search_meta({"sources": [SOURCE], "truncated": True, "content": "A."})
    assert present_result("web_search", {"queries": ["a", "b"]}, meta) == {
        "card": "web",
        "kind": "search",
        "title": "a, b",
        "sources": [SOURCE],
        "truncated": True,
        "answer": "A.",
    }


def test_a_card_without_answer_has_no_such_key():
    card = present_result("web_search", {"queries": ["a"]}, {"sources": [], "truncated": False})
    assert set(card) == {"card", "kind", "title", "sources", "truncated"}


def test_fetch_meta_becomes_a_card_titled_by_the_argument():
    meta = fetch_meta({"url": "https://b.test", "statusCode": 200}, True)
    assert meta == {"url": "https://b.test", "statusCode": 200, "truncated": True}
    assert present_result("web_fetch", {"url": "https://a.test"}, meta) == {
        "card": "web",
        "kind": "fetch",
        "title": "https://a.test",
        **meta,
    }


def test_errors_have_no_card():
    meta = {"sources": [], "truncated": False}
    assert present_result("web_search", {}, meta, is_error=True) is None
    assert present_result("web_search", {}, ToolOutcome(text="Error: x", meta=meta, is_error=True)) is None
    assert present_result("web_search", {}, ToolOutcome(text="x", meta=meta)) is not None
    assert present_result("read", {}, meta) is None


@pytest.mark.parametrize(
    "meta",
    [
        None,
        "text",
        [],
        {},
        {"sources": "x", "truncated": False},
        {"sources": [], "truncated": "no"},
        {"sources": [], "truncated": 0},
        {"sources": [], "truncated": False, "answer": 3},
        {"sources": [], "truncated": False, "answer": None},
        {"sources": [None], "truncated": False},
        {"sources": [[]], "truncated": False},
        {"sources": [{}], "truncated": False},
        {"sources": [{"url": 1}], "truncated": False},
        {"sources": [{**SOURCE, "title": 1}], "truncated": False},
        {"sources": [{**SOURCE, "snippet": 1}], "truncated": False},
        {"sources": [{**SOURCE, "publishedAt": 1}], "truncated": False},
    ],
)
def test_malformed_search_meta_has_no_card(meta):
    assert present_result("web_search", {"queries": ["a"]}, meta) is None


def test_what_is_not_checked_is_kept():
    source = {**SOURCE, "provider": 1, "position": "x", "score": None}
    card = present_result("web_search", {"queries": ["a"]}, {"sources": [source], "truncated": False})
    assert card["sources"] == [source]


@pytest.mark.parametrize(
    "meta",
    [
        None,
        "text",
        [],
        {},
        {"url": 1, "statusCode": 200, "truncated": False},
        {"url": "u", "statusCode": "200", "truncated": False},
        {"url": "u", "statusCode": True, "truncated": False},
        {"url": "u", "statusCode": 200, "truncated": None},
        {"url": "u", "statusCode": 200},
    ],
)
def test_malformed_fetch_meta_has_no_card(meta):
    assert present_result("web_fetch", {"url": "u"}, meta) is None


ANY = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["sources", "truncated", "url", "statusCode", "queries", "answer"]), inner)
    ),
    max_leaves=10,
)


@given(st.sampled_from(["web_search", "web_fetch", "x"]), ANY, ANY)
def test_cards_never_raise(name, arguments, meta):
    present_call(name, arguments)
    present_result(name, arguments, meta)
