import asyncio
import logging

import pytest

from hydra_web.errors import SearchProviderError, WebError
from hydra_web.runtime import WebRuntime
from hydra_web.signals import AbortSignal
from hydra_web.types import WebSearchResult, WebSearchSettings, WebSearchSource


async def test_one_query_gives_the_providers_result(fakes):
    made = fakes.make(fakes.found("https://a.test/x", content="Answer.", query="q", status_code=200))
    outcome = await made.tools.call("web_search", {"queries": ["q"]})
    assert outcome.value == {
        "content": "Answer.",
        "sources": [{"url": "https://a.test/x", "title": "x"}],
        "truncated": False,
    }
    assert "- [x](https://a.test/x)" in outcome.text
    assert not outcome.is_error
    assert outcome.error is None


async def test_meta_and_card_reach_the_outcome(fakes):
    made = fakes.make(fakes.found("https://a.test/x", content="A.", provider="p", notices=("no dates",)))
    outcome = await made.tools.call("web_search", {"queries": ["q"]})
    meta = dict(outcome.meta)
    assert meta.pop("details") == {"provider": "p", "notices": ["no dates"]}
    assert meta == {"sources": outcome.value["sources"], "truncated": False, "answer": "A."}
    card = made.tools.present_result("web_search", {"queries": ["q"]}, outcome)
    assert (card["card"], card["kind"], card["title"], card["answer"]) == ("web", "search", "q", "A.")


@pytest.mark.parametrize("queries", [["one"], ["one", "two"]])
async def test_locale_hints_reach_every_query(fakes, queries):
    made = fakes.make(fakes.found("https://a.test/"))
    await made.tools.call("web_search", {"queries": queries, "country": " VN ", "language": "VI"})
    assert [request.to_json_dict() for request in made.searcher.requests] == [
        {"query": query, "country": "vn", "language": "vi", "maxResults": 8} for query in queries
    ]


async def test_omitted_hints_are_absent(fakes):
    made = fakes.make(fakes.found())
    await made.tools.call("web_search", {"queries": ["q"], "country": None})
    assert made.searcher.requests[0].model_fields_set == {"query", "max_results"}


@pytest.mark.parametrize(
    "hints",
    [{"country": ""}, {"country": "Vietnam"}, {"language": ""}, {"language": "English please"}, {"country": 84}],
)
async def test_malformed_hints_dispatch_nothing(fakes, hints):
    made = fakes.make(fakes.found())
    outcome = await made.tools.call("web_search", {"queries": ["q"], **hints})
    assert (outcome.is_error, outcome.error.code, made.searcher.requests) == (True, "INVALID_ARGS", [])


@pytest.mark.parametrize("arguments", [{}, {"queries": [123]}, None, "x"])
async def test_arguments_of_the_wrong_shape_are_invalid(fakes, arguments):
    made = fakes.make(fakes.found())
    outcome = await made.tools.call("web_search", arguments)
    assert outcome.error.code == "INVALID_ARGS"
    assert outcome.text.startswith("Error: invalid arguments: ")


async def test_too_many_queries_dispatch_nothing(fakes):
    made = fakes.make(fakes.found(), search_max_queries=2)
    outcome = await made.tools.call("web_search", {"queries": ["a", "b", "c"]})
    assert outcome.text == "Error: queries must contain at most 2 queries"
    assert made.searcher.requests == []


async def test_an_unknown_or_disabled_tool_is_an_error_result(fakes):
    made = fakes.make(fakes.found(), search=False)
    for name in ("web_search", "read", "web_fetch\n"):
        outcome = await made.tools.call(name, {"queries": ["q"]})
        assert outcome.text == "Error: invalid arguments: tool name: must be web_fetch"
    assert made.searcher.requests == []


async def test_without_a_provider_the_tool_stays_and_says_so(fakes):
    made = fakes.make()
    assert [tool.name for tool in made.tools.definitions()] == ["web_search", "web_fetch"]
    outcome = await made.tools.call("web_search", {"queries": ["q"]})
    assert (outcome.is_error, outcome.error.code) == (True, "WEB_PROVIDER_UNAVAILABLE")


async def test_an_unknown_provider_is_named_and_the_tool_stays(fakes):
    made = fakes.make(fakes.found(), web=WebRuntime(search_provider="nobody"))
    assert [tool.name for tool in made.tools.definitions()] == ["web_search", "web_fetch"]
    outcome = await made.tools.call("web_search", {"queries": ["q"]})
    assert (outcome.is_error, outcome.error.code) == (True, "WEB_PROVIDER_CONFIGURED_MISSING")
    assert outcome.text == 'Error: configured web provider "nobody" is not registered'
    assert made.searcher.requests == []


async def test_two_providers_without_a_choice_are_ambiguous(fakes):
    web = WebRuntime()
    made = fakes.make(fakes.found(), web=web)
    other = fakes.Searcher(fakes.found())
    other.id = "other"
    web.register_search_provider(other)
    outcome = await made.tools.call("web_search", {"queries": ["q"]})
    assert outcome.error.code == "WEB_PROVIDER_AMBIGUOUS"


async def test_the_configured_provider_runs(fakes):
    web = WebRuntime(search_provider="other")
    made = fakes.make(fakes.found("https://wrong.test/"), web=web)
    other = fakes.Searcher(fakes.found("https://right.test/"))
    other.id = "other"
    web.register_search_provider(other)
    outcome = await made.tools.call("web_search", {"queries": ["q"]})
    assert outcome.value["sources"][0]["url"] == "https://right.test/"


async def test_queries_run_once_each_and_side_by_side(fakes):
    both = asyncio.Barrier(2)

    def answer(result):
        async def run(signal):
            await both.wait()
            return result

        return run

    shared = "https://shared.test/"
    made = fakes.make(
        {
            "one": answer(fakes.found("https://a.test/", shared, content="first")),
            "two": answer(fakes.found("https://b.test/", f"{shared}#top", content="second")),
        }
    )
    outcome = await made.tools.call("web_search", {"queries": ["one", "one", "two"]})
    assert [request.query for request in made.searcher.requests] == ["one", "two"]
    assert [source["url"] for source in outcome.value["sources"]] == ["https://a.test/", "https://b.test/", shared]
    assert outcome.value["content"] == "### one\n\nfirst\n\n### two\n\nsecond"


async def test_the_combined_cap_is_said(fakes):
    made = fakes.make(
        {"one": fakes.found("https://a.test/", "https://b.test/"), "two": fakes.found("https://c.test/")},
        search_max_results=2,
    )
    outcome = await made.tools.call("web_search", {"queries": ["one", "two"]})
    assert [source["url"] for source in outcome.value["sources"]] == ["https://a.test/", "https://c.test/"]
    assert outcome.value["truncated"] is True
    assert "Showing the first 2 sources." in outcome.text


async def test_the_cap_on_results_is_forwarded_and_held_by_the_runtime(fakes):
    made = fakes.make(fakes.found("https://a.test/", "https://b.test/", "https://c.test/"), search_max_results=2)
    outcome = await made.tools.call("web_search", {"queries": ["q"]})
    assert made.searcher.requests[0].max_results == 2
    assert (len(outcome.value["sources"]), outcome.value["truncated"]) == (2, True)


async def test_a_failure_aborts_its_siblings_and_waits_for_them(fakes):
    started, release, settled = asyncio.Event(), asyncio.Event(), []

    async def fails(signal):
        await started.wait()
        raise WebError("first search failed", "WEB_PROVIDER_ERROR")

    async def lingers(signal):
        started.set()
        try:
            await asyncio.Event().wait()
        finally:
            settled.append(signal.aborted)
            await release.wait()
            settled.append("done")

    made = fakes.make({"one": fails, "two": lingers})
    call = asyncio.ensure_future(made.tools.call("web_search", {"queries": ["one", "two"]}))
    await fakes.until(lambda: settled)
    assert not call.done()
    release.set()
    outcome = await call
    assert settled == [True, "done"]
    assert outcome.text == "Error: first search failed"
    assert outcome.value is None


async def test_one_query_gets_exactly_the_callers_signal(fakes):
    made = fakes.make(fakes.found())
    signal = AbortSignal()
    await made.tools.web_search(["q"], signal=signal)
    await made.tools.web_search("q")
    assert made.searcher.signals[0] is signal
    assert made.searcher.signals[1] is None


async def test_several_queries_share_one_derived_signal_that_follows_the_caller(fakes):
    caller, waiting = AbortSignal(), asyncio.Barrier(3)

    async def wait(signal):
        await waiting.wait()
        await asyncio.Event().wait()

    made = fakes.make({"one": wait, "two": wait})
    call = asyncio.ensure_future(made.tools.web_search(["one", "two"], signal=caller))
    await waiting.wait()
    first, second = made.searcher.signals
    assert first is second is not caller
    assert not first.aborted
    caller.abort("enough")
    assert first.aborted
    outcome = await call
    assert (outcome.text, outcome.error.code) == ("Error: web search aborted", "WEB_ABORTED")


async def test_reported_failures_leave_what_the_others_found(fakes):
    limited = SearchProviderError("fake-search", "RATE_LIMITED", 429)
    made = fakes.make({"one": fakes.found("https://a.test/x"), "two": limited}, on_partial_failure="report")
    outcome = await made.tools.call("web_search", {"queries": ["one", "two"]})
    assert not outcome.is_error
    assert "(1 of 2 searches failed: RATE_LIMITED)\n\nCite" in outcome.text
    assert outcome.meta["details"]["failures"] == [{"query": "two", "code": "RATE_LIMITED"}]
    assert outcome.value["sources"] == [{"url": "https://a.test/x", "title": "x"}]


async def test_reporting_fails_when_every_query_did(fakes):
    made = fakes.make(
        {"one": SearchProviderError("p", "AUTH_ERROR", 401), "two": ValueError("secret")}, on_partial_failure="report"
    )
    outcome = await made.tools.call("web_search", {"queries": ["one", "two"]})
    assert outcome.error.code == "AUTH_ERROR"
    assert outcome.meta["details"] == {"provider": "p", "retryable": False, "statusCode": 401}


async def test_reporting_does_not_hide_the_callers_abort(fakes):
    signal = AbortSignal()

    async def stop(_):
        signal.abort()
        await asyncio.sleep(0)
        return fakes.found()

    made = fakes.make({"one": fakes.found(), "two": stop}, on_partial_failure="report")
    outcome = await made.tools.web_search(["one", "two"], signal=signal)
    assert outcome.error.code == "WEB_ABORTED"


@pytest.mark.parametrize("queries", [["one"], ["one", "two"]])
async def test_a_providers_bug_becomes_a_fixed_text_and_a_redacted_log(fakes, queries, caplog):
    made = fakes.make(ValueError("sk-secret"))
    outcome = await made.tools.call("web_search", {"queries": queries})
    assert (outcome.text, outcome.error.code) == ("Error: Search provider failed.", "UNKNOWN")
    assert "ValueError" in caplog.text
    assert "sk-secret" not in caplog.text


async def test_a_provider_that_cancels_itself_is_a_failure_like_any_other(fakes):
    for queries in (["one"], ["one", "two"]):
        made = fakes.make(asyncio.CancelledError())
        outcome = await made.tools.call("web_search", {"queries": queries})
        assert (outcome.text, outcome.error.code) == ("Error: Search provider failed.", "UNKNOWN")


@pytest.mark.parametrize("queries", [["one"], ["one", "two"]])
async def test_cancellation_of_the_caller_passes_through_and_stops_the_searches(fakes, queries):
    stopped = []

    async def wait(signal):
        try:
            await asyncio.Event().wait()
        finally:
            stopped.append(True)

    made = fakes.make(wait)
    call = asyncio.ensure_future(made.tools.call("web_search", {"queries": queries}))
    await fakes.until(lambda: len(made.searcher.requests) == len(queries))
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call
    assert len(stopped) == len(queries)


async def test_sources_that_are_not_web_pages_are_neither_counted_nor_shown(fakes):
    sources = tuple(WebSearchSource(url=url, title="T") for url in ("javascript:alert(1)", "no url", "https://a.test/"))
    made = fakes.make(WebSearchResult(sources=sources, truncated=False))
    outcome = await made.tools.call("web_search", {"queries": ["q"]})
    assert [source["url"] for source in outcome.value["sources"]] == ["https://a.test/"]
    assert "javascript" not in outcome.text


async def test_searches_are_recorded(fakes):
    made = fakes.make(fakes.found("https://a.test/x", provider="p"))
    await made.tools.call("web_search", {"queries": ["one"]})
    await made.tools.call("web_search", {"queries": ["one", "two"]})
    (first, provider, sources), (both, _, _) = made.ledger.searches
    assert (first, provider, [source.url for source in sources]) == ("one", "p", ["https://a.test/x"])
    assert both == "one\ntwo"


async def test_saved_preferences_rule_in_product_mode(fakes):
    settings = WebSearchSettings(provider="fake-search", max_queries=1, max_results=3, timeout_ms=5000)
    web = WebRuntime(require_search_selection=True, settings=settings)
    made = fakes.make(fakes.found("https://a.test/x"), web=web)
    outcome = await made.tools.call("web_search", {"queries": ["a", "b"]})
    assert outcome.text == "Error: queries must contain at most 1 query"
    await made.tools.call("web_search", {"queries": ["a"]})
    assert made.searcher.requests[0].max_results == 3


async def test_each_call_is_logged_without_its_words(fakes, caplog):
    caplog.set_level(logging.INFO, "web-search")
    made = fakes.make({"secret": fakes.found("https://a.test/"), "two": fakes.found("https://b.test/")})
    await made.tools.call("web_search", {"queries": ["secret", "two"]})
    (line,) = [record.getMessage() for record in caplog.records]
    head, _, tail = line.partition(" duration=")
    assert head == "provider=standalone queries=2"
    assert tail.partition(" ")[2] == "results=2 retries=0"
    caplog.clear()
    for error, end in (
        (SearchProviderError("p", "RATE_LIMITED", 429), "status=429 retries=0 error=RATE_LIMITED"),
        (WebError("x", "WEB_PROVIDER_ERROR"), "status=- retries=0 error=UNKNOWN"),
    ):
        await fakes.make(error).tools.call("web_search", {"queries": ["secret"]})
        assert caplog.records[-1].getMessage().endswith(f"results=0 {end}")
    assert "secret" not in caplog.text


async def test_a_call_that_is_stopped_is_logged_too(fakes, caplog):
    async def wait(signal):
        await asyncio.Event().wait()

    caplog.set_level(logging.INFO, "web-search")
    await fakes.make(wait, search_timeout_ms=20).tools.call("web_search", {"queries": ["q"]})
    assert caplog.records[-1].getMessage().endswith("results=0 status=- retries=0 error=UNKNOWN")


async def test_the_first_generation_searches_with_one_query(fakes):
    made = fakes.make(fakes.found("https://a.test/x"), search_arguments="query")
    outcome = await made.tools.call("web_search", {"query": "q"})
    assert outcome.value["sources"] == [{"url": "https://a.test/x", "title": "x"}]
    assert (await made.tools.call("web_search", {"query": " "})).text == "Error: query must be a non-empty string"
    assert (await made.tools.call("web_search", {"queries": ["q"]})).error.code == "INVALID_ARGS"


def test_synchronous_callers_get_the_same(fakes):
    made = fakes.make(fakes.found("https://a.test/x"), fakes.page("ok"))
    with made.tools as tools:
        assert tools.sync.call("web_search", {"queries": ["q"]}).value["truncated"] is False
        assert tools.sync.web_search("q", country="vn").is_error is False
        assert tools.sync.web_fetch("https://a.test").value["statusCode"] == 200
