import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hydra_web.errors import WebError
from hydra_web.tools.arguments import SearchCall, parse_fetch, parse_search

COUNTRY = "country must be a two-letter country code, or omitted"
LANGUAGE = "language must be a language code such as vi, en, or zh-cn, or omitted"
BLANK = "each query must be a non-empty string"


def search(arguments, cap=4):
    return parse_search(arguments, single=False, max_queries=cap)


def refusal(parse, *arguments, **options):
    with pytest.raises(WebError) as caught:
        parse(*arguments, **options)
    assert caught.value.code == "INVALID_ARGS"
    return str(caught.value)


def test_queries_pass_through_and_repeats_are_dropped():
    assert search({"queries": ["one", "one", " two "]}) == SearchCall(("one", " two "))


@pytest.mark.parametrize(
    ("queries", "cap", "text"),
    [
        ([], 4, "queries must contain at least one query"),
        (["a", "b"], 1, "queries must contain at most 1 query"),
        (["a", "b", "c"], 2, "queries must contain at most 2 queries"),
        (["a", "a", "a"], 2, "queries must contain at most 2 queries"),
        (["a", " \t\n"], 2, BLANK),
        ([""], 2, BLANK),
        (["\ufeff\u00a0\u2028"], 2, BLANK),
    ],
)
def test_limits_are_checked_on_the_list_as_given(queries, cap, text):
    assert refusal(search, {"queries": queries}, cap) == text


def test_the_first_broken_rule_is_named():
    assert refusal(search, {"queries": ["a", "b", ""], "country": "x"}, 2) == "queries must contain at most 2 queries"
    assert refusal(search, {"queries": [""], "country": "x", "language": ""}) == BLANK
    assert refusal(search, {"queries": ["a"], "country": "x", "language": ""}) == COUNTRY


@pytest.mark.parametrize("query", ["\x1c", "\x85", "\u200b"])
def test_only_what_scripts_trim_counts_as_blank(query):
    assert search({"queries": [query]}).queries == (query,)


def test_locale_hints_are_trimmed_and_lower_case():
    assert search({"queries": ["q"], "country": " VN ", "language": "VI"}) == SearchCall(("q",), "vn", "vi")
    assert search({"queries": ["q"], "language": "\ufeffzh-CN\n"}).language == "zh-cn"


@pytest.mark.parametrize("hints", [{}, {"country": None, "language": None}])
def test_absent_and_null_hints_are_omitted(hints):
    assert search({"queries": ["q"], **hints}) == SearchCall(("q",))


@pytest.mark.parametrize("country", ["", " ", "Vietnam", "v", "v1", "vn\nx", "ví"])
def test_malformed_countries_are_refused(country):
    assert refusal(search, {"queries": ["q"], "country": country}) == COUNTRY


@pytest.mark.parametrize(
    "language", ["", "English please", "e", "en_us", "en-", "en-x", "a-bc", "en" + "-abcdefgh" * 4]
)
def test_malformed_languages_are_refused(language):
    assert refusal(search, {"queries": ["q"], "language": language}) == LANGUAGE


@pytest.mark.parametrize(
    ("value", "queries"),
    [
        ("one query", ("one query",)),
        ('["a", "b"]', ("a", "b")),
        ('[ "a" ', ('[ "a" ',)),
        ('{"a": 1}', ('{"a": 1}',)),
        ("42", ("42",)),
        ("[" * 100_000, ("[" * 100_000,)),
        (("a", "b"), ("a", "b")),
    ],
)
def test_a_string_becomes_a_list(value, queries):
    assert search({"queries": value}).queries == queries


@pytest.mark.parametrize("value", [None, 1, {}, [123], ["a", None], "[1]", '["a", null]', [["a"]], True, b"a"])
def test_anything_else_is_no_list_of_strings(value):
    assert refusal(search, {"queries": value}) == "invalid arguments: queries: must be a list of strings"


@pytest.mark.parametrize("arguments", [None, "x", [], 3])
def test_arguments_must_be_an_object(arguments):
    assert refusal(search, arguments) == "invalid arguments: arguments: must be a JSON object"


def test_shapes_are_checked_field_by_field():
    assert refusal(search, {}) == "invalid arguments: queries: is required"
    assert refusal(search, {"queries": ["q"], "country": 84}) == "invalid arguments: country: must be a string"
    assert refusal(search, {"queries": ["q"], "language": []}) == "invalid arguments: language: must be a string"
    assert refusal(parse_fetch, {}) == "invalid arguments: url: is required"
    assert refusal(parse_fetch, {"url": 1}) == "invalid arguments: url: must be a string"
    assert refusal(parse_search, {}, single=True, max_queries=4) == "invalid arguments: query: is required"


def test_unknown_arguments_are_passed_over():
    assert search({"queries": ["q"], "max_results": 99}) == SearchCall(("q",))


def test_the_first_generation_takes_one_query():
    assert parse_search({"query": " q "}, single=True, max_queries=4) == SearchCall((" q ",))
    assert refusal(parse_search, {"query": " "}, single=True, max_queries=4) == "query must be a non-empty string"


def test_a_url_is_only_checked_for_blankness_and_not_trimmed():
    assert parse_fetch({"url": " https://a.test "}).url == " https://a.test "
    assert refusal(parse_fetch, {"url": " \ufeff"}) == "url must be a non-empty string"


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=9), inner, max_size=4),
    max_leaves=12,
)
ARGUMENTS = st.dictionaries(st.sampled_from(["queries", "country", "language", "query", "url", "x"]), JSON)


@given(ARGUMENTS | JSON, st.integers(1, 5), st.booleans())
def test_arguments_give_a_call_or_a_fixed_error(arguments, cap, single):
    try:
        call = parse_search(arguments, single=single, max_queries=cap)
    except WebError as error:
        caught = error
    else:
        assert 1 <= len(call.queries) <= cap
        return
    assert (caught.code, caught.__context__) == ("INVALID_ARGS", None)


def test_errors_never_repeat_the_input():
    secret = "sk-very-secret"
    for arguments in ({"queries": {secret: secret}}, {"queries": [secret], "country": secret}, json.dumps(secret)):
        assert secret not in refusal(search, arguments)
