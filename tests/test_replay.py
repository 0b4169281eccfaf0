import asyncio
import socket
import sys
import threading
from typing import Any

import pytest

from hydra_web.errors import ConfigError, SearchProviderError, WebError
from hydra_web.evidence import EvidenceLedger, format_citation, verify_citations
from hydra_web.net import HttpFetch
from hydra_web.protocols import JsonObject
from hydra_web.replay import Recorder, Replay
from hydra_web.runtime import WebRuntime
from hydra_web.signals import Aborted, AbortSignal
from hydra_web.store import MemoryStore
from hydra_web.testing.fakes import FakeFetchProvider, FakeSearchProvider
from hydra_web.testing.site import LocalSite
from hydra_web.tools import WebTools
from hydra_web.types import (
    HtmlBody,
    PdfBody,
    WebFetchRequest,
    WebFetchResult,
    WebSearchRequest,
    WebSearchResult,
    WebSearchSource,
)


class Web:
    """A web whose answers count up."""

    def __init__(self, error: BaseException | None = None) -> None:
        self.calls = 0
        self.error = error
        self.signals: list[AbortSignal | None] = []

    async def search(self, request: WebSearchRequest, signal: AbortSignal | None = None) -> WebSearchResult:
        self._count(signal)
        source = WebSearchSource(url=f"https://a.test/{self.calls}", title=request.query, score=0.5)
        return WebSearchResult(sources=(source,), truncated=False, provider="p", notices=("none",))

    async def fetch(self, request: WebFetchRequest, signal: AbortSignal | None = None) -> WebFetchResult:
        self._count(signal)
        body = HtmlBody(content=f"<p>{self.calls} \ud800</p>")
        return WebFetchResult(url=request.url, status_code=200, body=body, truncated=False, meta={"charset": "utf-8"})

    def _count(self, signal: AbortSignal | None) -> None:
        self.calls += 1
        self.signals.append(signal)
        if self.error is not None:
            raise self.error


async def test_a_recorded_run_is_answered_again_without_a_socket(monkeypatch: pytest.MonkeyPatch) -> None:
    store, web, signal = MemoryStore(), Web(), AbortSignal()
    recorder = Recorder(web, store)
    search, fetch = WebSearchRequest(query="q", max_results=3), WebFetchRequest(url="https://a.test/x")
    found, page = await recorder.search(search, signal), await recorder.fetch(fetch, signal)
    monkeypatch.setattr(socket, "socket", None)
    replay = Replay(store)

    assert await replay.search(search) == found
    assert await replay.fetch(fetch) == page
    assert web.signals == [signal, signal]
    assert web.calls == 2


async def test_the_same_request_is_answered_in_turn_and_the_last_answer_stays() -> None:
    store = MemoryStore()
    recorder, request = Recorder(Web(), store), WebFetchRequest(url="https://a.test")
    pages = [await recorder.fetch(request), await recorder.fetch(request)]
    replay = Replay(store)

    assert [await replay.fetch(request) for _ in range(3)] == [pages[0], pages[1], pages[1]]


@pytest.mark.parametrize(
    "error",
    [
        SearchProviderError("p", "RATE_LIMITED", 429),
        SearchProviderError("p", "CONFIG_ERROR", message="Web Search is disabled."),
        WebError("blocked", "WEB_BLOCKED_URL", "private"),
    ],
)
async def test_a_recorded_failure_fails_alike(error: WebError) -> None:
    store, request = MemoryStore(), WebSearchRequest(query="q")
    with pytest.raises(WebError):
        await Recorder(Web(error), store).search(request)

    with pytest.raises(type(error)) as caught:
        await Replay(store).search(request)

    assert {**vars(caught.value), "_arguments": None} == {**vars(error), "_arguments": None}
    assert caught.value.__context__ is None


async def test_a_bug_is_recorded_without_its_words() -> None:
    store, request = MemoryStore(), WebFetchRequest(url="https://a.test")
    with pytest.raises(ZeroDivisionError):
        await Recorder(Web(ZeroDivisionError("secret")), store).fetch(request)

    with pytest.raises(WebError, match="the call failed") as caught:
        await Replay(store).fetch(request)
    assert caught.value.code == "UNKNOWN"


@pytest.mark.parametrize("error", [asyncio.CancelledError(), Aborted("enough")])
async def test_a_cancelled_call_is_recorded_as_aborted(error: BaseException) -> None:
    store, request = MemoryStore(), WebFetchRequest(url="https://a.test")
    with pytest.raises(type(error)):
        await Recorder(Web(error), store).fetch(request)

    with pytest.raises(WebError) as caught:
        await Replay(store).fetch(request)
    assert caught.value.code == "WEB_ABORTED"


async def test_a_failure_is_raised_even_when_the_store_fails_too() -> None:
    store = MemoryStore()
    store.close()

    with pytest.raises(WebError, match="blocked"):
        await Recorder(Web(WebError("blocked", "WEB_BLOCKED_URL")), store).fetch(WebFetchRequest(url="https://a.test"))
    with pytest.raises(WebError) as caught:
        await Recorder(Web(), store).fetch(WebFetchRequest(url="https://a.test"))
    assert caught.value.code == "WEB_STORE_ERROR"


async def test_a_failure_is_written_off_the_event_loop() -> None:
    threads: list[int] = []

    class Watched(MemoryStore):
        def append(self, stream: str, record: JsonObject) -> int:
            threads.append(threading.get_ident())
            return super().append(stream, record)

    with pytest.raises(WebError, match="blocked"):
        await Recorder(Web(WebError("blocked", "WEB_BLOCKED_URL")), Watched()).fetch(
            WebFetchRequest(url="https://a.test")
        )

    assert threads != [threading.get_ident()]
    assert len(threads) == 1


async def test_a_page_recorded_for_one_section_answers_for_the_others() -> None:
    store = MemoryStore()
    recorder = Recorder(Web(), store)
    whole = await recorder.fetch(WebFetchRequest(url="https://a.test/x#one"))
    other = await recorder.fetch(WebFetchRequest(url="https://a.test/x#two"))
    replay = Replay(store)

    assert await replay.fetch(WebFetchRequest(url="https://a.test/x")) == whole
    assert await replay.fetch(WebFetchRequest(url="https://a.test/x#three")) == whole
    assert await replay.fetch(WebFetchRequest(url="https://a.test/x#two")) == other
    with pytest.raises(WebError, match="was not recorded"):
        await replay.fetch(WebFetchRequest(url="https://a.test/x?y#one"))


async def test_a_recorded_page_of_a_pdf_answers_for_itself_only() -> None:
    store, provider = MemoryStore(), FakeFetchProvider({"https://a.test/x.pdf#page=2": PdfBody(pages=("two",))})
    await Recorder(_fetching(provider), store).fetch(WebFetchRequest(url="https://a.test/x.pdf#page=2"))

    assert (await Replay(store).fetch(WebFetchRequest(url="https://a.test/x.pdf#page=2"))).body.kind == "pdf"
    with pytest.raises(WebError, match="was not recorded"):
        await Replay(store).fetch(WebFetchRequest(url="https://a.test/x.pdf#page=3"))


def _fetching(provider: FakeFetchProvider) -> WebRuntime:
    web = WebRuntime(fetch_provider=provider.id)
    web.register_fetch_provider(provider)
    return web


async def test_a_miss_names_the_nearest_recording() -> None:
    store = MemoryStore()
    recorder = Recorder(Web(), store)
    await recorder.search(WebSearchRequest(query="python asyncio", max_results=8, country="de"))
    await recorder.search(WebSearchRequest(query="weather"))
    await recorder.fetch(WebFetchRequest(url="https://a.test/page/1"))
    await recorder.fetch(WebFetchRequest(url="https://other.test/"))
    replay = Replay(store)

    with pytest.raises(WebError) as search:
        await replay.search(WebSearchRequest(query="python asyncio", max_results=5, country="de"))
    with pytest.raises(WebError) as fetch:
        await replay.fetch(WebFetchRequest(url="https://a.test/page/2"))

    assert search.value.code == fetch.value.code == "WEB_REPLAY_MISS"
    assert search.value.message == (
        'this search was not recorded; the nearest recording is "python asyncio" with country de, maxResults 8'
    )
    assert fetch.value.message == 'this page was not recorded; the nearest recording is "https://a.test/page/1"'


async def test_a_miss_in_an_empty_recording_says_so() -> None:
    store = MemoryStore()
    Recorder(Web(), store).record_usage(10, 2)
    with pytest.raises(WebError, match="the recording holds no fetch at all"):
        await Replay(store).fetch(WebFetchRequest(url="https://a.test"))


@pytest.mark.parametrize(
    "record",
    [
        {"request": {"url": "https://a.test"}, "result": {"x": 1}},
        {"request": {"url": "https://a.test"}, "result": {"body": 5}},
        {"request": {"url": "https://a.test"}, "result": 5},
        {"request": {"url": "https://a.test"}, "error": {}},
        {"request": {"url": "https://a.test"}, "error": "x"},
        {"request": 5},
        {},
    ],
)
async def test_a_damaged_record_is_an_error_of_its_own(record: dict[str, Any]) -> None:
    store = MemoryStore()
    store.append("recording/default", {"kind": "fetch", **record})

    with pytest.raises(WebError, match="the recording is damaged"):
        await Replay(store).fetch(WebFetchRequest(url="https://a.test"))


async def test_runs_in_one_store_are_kept_apart() -> None:
    store = MemoryStore()
    await Recorder(Web(), store, "one").fetch(WebFetchRequest(url="https://a.test"))

    assert (await Replay(store, "one").fetch(WebFetchRequest(url="https://a.test"))).status_code == 200
    with pytest.raises(WebError):
        await Replay(store, "two").fetch(WebFetchRequest(url="https://a.test"))


def test_a_recorder_and_a_replay_are_providers() -> None:
    from hydra_web.protocols import WebFetchProvider, WebSearchProvider

    providers: list[Any] = [Recorder(Web(), MemoryStore()), Replay(MemoryStore())]

    assert all(isinstance(provider, WebSearchProvider) for provider in providers)
    assert all(isinstance(provider, WebFetchProvider) for provider in providers)
    assert all(provider.available() for provider in providers)


def test_token_usage_is_kept_and_not_replayed() -> None:
    store = MemoryStore()
    Recorder(Web(), store).record_usage(10, 2)

    ((_, record),) = store.read("recording/default")
    assert record["usage"] == {"inputTokens": 10, "outputTokens": 2, "cacheReadTokens": 0}


async def test_an_aborted_replay_stops() -> None:
    signal = AbortSignal()
    signal.abort("enough")

    with pytest.raises(Aborted):
        await Replay(MemoryStore()).fetch(WebFetchRequest(url="https://a.test"), signal)


class Closable(Web):
    """A web that counts how often it was closed, and both providers of a runtime."""

    id = "closable"
    closed: int = 0

    def available(self) -> bool:
        return True

    def close(self) -> None:
        self.closed += 1


def _runtime_over(web: Closable) -> WebRuntime:
    runtime = WebRuntime(search_provider=web.id, fetch_provider=web.id)
    runtime.register_search_provider(web)
    runtime.register_fetch_provider(web)
    return runtime


async def test_a_recording_runtime_answers_as_the_one_inside_and_closes_it() -> None:
    store, web, signal = MemoryStore(), Closable(), AbortSignal()
    async with WebRuntime.recording(store, "one", _runtime_over(web)) as recording:
        found = await recording.search(WebSearchRequest(query="q"), signal)
        page = await recording.fetch(WebFetchRequest(url="https://a.test/x"), signal)
        assert web.closed == 0
    assert web.closed == 1
    assert web.signals == [signal, signal]

    async with WebRuntime.replaying(store, "one") as replaying:
        assert await replaying.search(WebSearchRequest(query="q")) == found
        assert await replaying.fetch(WebFetchRequest(url="https://a.test/x")) == page
        with pytest.raises(WebError) as missed:
            await replaying.fetch(WebFetchRequest(url="https://a.test/y"))
    assert missed.value.code == "WEB_REPLAY_MISS"
    assert web.calls == 2
    assert store.read("recording/one")  # the store is the caller's, and still open


def test_recording_and_replaying_work_without_a_loop() -> None:
    store, web = MemoryStore(), Closable()
    with WebRuntime.recording(store, web=_runtime_over(web)) as recording:
        found = recording.sync.search(WebSearchRequest(query="q"))
    with WebRuntime.replaying(store) as replaying:
        assert replaying.sync.search(WebSearchRequest(query="q")) == found
    assert web.closed == 1


async def test_failures_of_the_runtime_itself_are_recorded_and_repeated() -> None:
    store = MemoryStore()
    errors = []
    for runtime in (WebRuntime.recording(store, web=WebRuntime()), WebRuntime.replaying(store)):
        async with runtime:
            with pytest.raises(WebError) as caught:
                await runtime.search(WebSearchRequest(query="q"))
        errors.append((caught.value.code, caught.value.message))
    assert errors == [("WEB_PROVIDER_UNAVAILABLE", "no usable web provider is registered")] * 2


async def test_without_a_web_the_usual_one_is_recorded(monkeypatch: pytest.MonkeyPatch) -> None:
    web = Closable()
    monkeypatch.setattr(WebRuntime, "from_env", lambda: _runtime_over(web))
    async with WebRuntime.recording(MemoryStore()) as recording:
        await recording.search(WebSearchRequest(query="q"))
    assert web.calls == 1
    assert web.closed == 1


async def test_a_replay_ignores_the_choices_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HYDRA_WEB_SEARCH_PROVIDER", "exa")
    monkeypatch.setenv("HYDRA_WEB_FETCH_PROVIDER", "local")
    store = MemoryStore()
    await Recorder(Web(), store).search(WebSearchRequest(query="q"))
    assert len((await WebRuntime.replaying(store).search(WebSearchRequest(query="q"))).sources) == 1


@pytest.mark.parametrize("make", [WebRuntime.recording, WebRuntime.replaying])
def test_a_file_name_is_no_store(make: Any) -> None:
    with pytest.raises(ConfigError, match="store must be a Store such as SqliteStore, not str"):
        make("run.db")


async def _research(web: WebRuntime) -> tuple[list[str], EvidenceLedger]:
    """What an agent with two tools would do: search, read what was found and one more page, fail once."""
    ledger = EvidenceLedger()
    tools = WebTools(web, evidence=ledger)
    found = await tools.call("web_search", {"queries": ["green tea", "water"]})
    assert found.value is not None
    outcomes = [found]
    outcomes += [await tools.call("web_fetch", {"url": source["url"]}) for source in found.value["sources"]]
    outcomes.append(await tools.call("web_fetch", {"url": "http://10.0.0.1/"}))
    return [outcome.text for outcome in outcomes], ledger


def _refuse_sockets(event: str, arguments: tuple[object, ...]) -> None:
    if _SOCKETS_FORBIDDEN and event.startswith("socket.") and event != "socket.__new__":
        raise AssertionError(f"{event} during a replay")


_SOCKETS_FORBIDDEN: list[bool] = []
sys.addaudithook(_refuse_sockets)


async def test_a_whole_run_of_the_tools_replays_with_sockets_forbidden() -> None:
    store = MemoryStore()
    pages = {"/tea.html": ("text/html", b"<h1>Tea</h1><p>Green tea is brewed at 80 degrees.</p>")}
    async with LocalSite(pages) as site:
        found = [WebSearchSource(url=f"{site.origin}/tea.html", title="Tea"), WebSearchSource(url=f"{site.origin}/no")]
        live = WebRuntime()
        live.register_search_provider(FakeSearchProvider(found))
        live.register_fetch_provider(HttpFetch(allowed_origins=[site.origin]))
        async with WebRuntime.recording(store, web=live) as recording:
            recorded, read = await _research(recording)
    assert len(site.requests) == 2

    _SOCKETS_FORBIDDEN.append(True)
    try:
        replayed, reread = await _research(WebRuntime.replaying(store))
    finally:
        _SOCKETS_FORBIDDEN.clear()

    assert replayed == recorded
    assert len(recorded) == 4
    assert recorded[-1].startswith("Error: ")
    assert reread.fetches().keys() == read.fetches().keys()
    answer = format_citation("80", next(iter(read.fetches())), "brewed at 80 degrees")
    assert verify_citations(answer, reread).ok
