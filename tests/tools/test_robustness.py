import asyncio
import threading

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hydra_web.errors import SearchProviderError, WebError
from hydra_web.tools.scope import urls_in_text
from hydra_web.types import HtmlBody, PdfBody, TextBody, WebFetchResult, WebSearchResult, WebSearchSource

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=9), inner, max_size=3),
    max_leaves=8,
)
ARGUMENTS = st.fixed_dictionaries(
    {},
    optional={
        "queries": JSON | st.lists(st.text(max_size=9), max_size=5),
        "country": JSON | st.just("vn"),
        "language": JSON | st.just("vi"),
        "url": JSON | st.just("https://a.test"),
    },
)
ERRORS = st.sampled_from(
    [
        WebError("no", "WEB_PROVIDER_ERROR", "x"),
        WebError("two\nlines\x1b[31m", "ODD"),
        SearchProviderError("p", "TIMEOUT", 504),
        ValueError("v"),
        RecursionError(),
        MemoryError(),
        asyncio.CancelledError(),
        TimeoutError(),
        StopIteration(),
    ]
)
TEXT = st.text(max_size=40)
URLS = TEXT | st.just("https://a.test/x")
SOURCES = st.tuples(URLS, TEXT, TEXT, TEXT).map(
    lambda parts: WebSearchSource(url=parts[0], title=parts[1], snippet=parts[2], published_at=parts[3])
)
SEARCHES = st.tuples(st.lists(SOURCES, max_size=4), st.booleans(), TEXT).map(
    lambda parts: WebSearchResult(sources=tuple(parts[0]), truncated=parts[1], content=parts[2])
)
BODIES = st.tuples(st.sampled_from([HtmlBody, TextBody]), TEXT).map(lambda parts: parts[0](content=parts[1]))
FETCHES = st.tuples(URLS, st.integers(100, 599), BODIES | st.just(PdfBody(pages=("p",))), st.booleans()).map(
    lambda parts: WebFetchResult(url=parts[0], status_code=parts[1], body=parts[2], truncated=parts[3])
)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    name=st.sampled_from(["web_search", "web_fetch", "x"]),
    arguments=ARGUMENTS | JSON,
    search=SEARCHES | ERRORS,
    fetch=FETCHES | ERRORS,
    partial=st.sampled_from(["abort", "report"]),
)
def test_a_call_always_comes_to_an_outcome(fakes, name, arguments, search, fetch, partial):
    made = fakes.make(search, fetch, on_partial_failure=partial, fetch_max_output_chars=300)
    outcome = asyncio.run(made.tools.call(name, arguments))
    assert outcome.is_error == (outcome.error is not None) == (outcome.value is None)
    assert outcome.is_error == outcome.text.startswith("Error: ")
    assert "\x1b" not in outcome.text
    made.tools.present_call(name, arguments)
    made.tools.present_result(name, arguments, outcome)
    outcome._repr_html_()


async def test_what_a_provider_hands_back_wrongly_is_its_fault_alone(fakes):
    async def nothing(signal):
        return None

    made = fakes.make(nothing, nothing)
    assert (await made.tools.call("web_search", {"queries": ["a", "b"]})).error.code == "UNKNOWN"
    assert (await made.tools.call("web_fetch", {"url": "u"})).error.code == "UNKNOWN"


def test_one_suite_serves_many_threads(fakes):
    made = fakes.make(fakes.found("https://a.test/x"), fakes.page("ok"))
    failed = []

    def work():
        for _ in range(10):
            failed.append(made.tools.sync.call("web_search", {"queries": ["a", "b"]}).is_error)
            failed.append(asyncio.run(made.tools.call("web_fetch", {"url": "https://a.test"})).is_error)

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == [False] * 160


def test_many_broken_links_are_read_quickly():
    assert len(urls_in_text("https://a)" * 20_000)) == 20_000
    assert len(urls_in_text("https://" * 20_000)) < 20_000
