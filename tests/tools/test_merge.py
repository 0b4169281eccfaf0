from hypothesis import given
from hypothesis import strategies as st

from hydra_web.tools.merge import merge_results
from hydra_web.types import WebSearchResult, WebSearchSource
from hydra_web.urls import normalized_search_url


def result(*urls, content=None, truncated=False, notices=()):
    sources = tuple(WebSearchSource(url=url) for url in urls)
    return WebSearchResult(sources=sources, content=content, truncated=truncated, notices=notices)


def urls(merged):
    return [source.url for source in merged.sources]


A, B, C, SHARED = (f"https://{name}.test/" for name in ("a", "b", "c", "shared"))


def test_sources_are_taken_in_turn_each_page_once():
    merged = merge_results(["1", "2"], [result(A, SHARED), result(B, f"{SHARED}?utm_source=x#y")], 8)
    assert urls(merged) == [A, B, SHARED]
    assert not merged.truncated


def test_a_shorter_list_runs_out_and_the_longer_goes_on():
    assert urls(merge_results(["1", "2"], [result(A), result(B, C)], 8)) == [A, B, C]


def test_the_cap_drops_and_says_so():
    merged = merge_results(["1", "2"], [result(A, B), result(C)], 2)
    assert (urls(merged), merged.truncated) == ([A, C], True)


def test_a_repeat_after_the_cap_is_no_drop():
    merged = merge_results(["1", "2"], [result(A, B), result(B, A)], 2)
    assert (urls(merged), merged.truncated) == ([A, B], False)


def test_truncation_of_one_result_is_kept():
    assert merge_results(["1", "2"], [result(A), result(B, truncated=True)], 8).truncated


def test_answers_stand_under_their_queries_and_empty_ones_are_left_out():
    merged = merge_results(["one", "two", "x\ny"], [result(content="1"), result(content=""), result(content="3")], 8)
    assert merged.content == "### one\n\n1\n\n### x y\n\n3"
    assert merge_results(["1", "2"], [result(), result(content="")], 8).content is None


def test_notices_are_gathered_once():
    assert merge_results(["1", "2"], [result(notices=("n",)), result(notices=("n", "m"))], 8).notices == ("n", "m")


LISTS = st.lists(st.lists(st.sampled_from("abcdefgh"), max_size=6), min_size=1, max_size=4)


@given(LISTS, st.integers(1, 8))
def test_a_merge_holds_each_page_once_within_the_cap(lists, cap):
    results = [result(*(f"https://{name}.test/" for name in names)) for names in lists]
    merged = merge_results([str(index) for index in range(len(lists))], results, cap)
    keys = [normalized_search_url(url) for url in urls(merged)]
    distinct = {name for names in lists for name in names}
    assert len(keys) == len(set(keys)) == min(cap, len(distinct))
    assert merged.truncated == (len(distinct) > cap)
