import asyncio

import pytest

from hydra_web.errors import WebError
from hydra_web.signals import AbortSignal


@pytest.fixture
def library(fakes):
    """A cacheable provider: pages from `answer`, keys by URL, `private` URLs not shared, `refused` ones refused."""

    class Library(fakes.Fetcher):
        def __init__(self, answer):
            super().__init__(answer)
            self.revalidated = []

        def cache_key(self, url):
            if "refused" in url:
                raise WebError("refused by policy", "WEB_BLOCKED_URL")
            return None if "private" in url else url

        async def revalidate(self, request, known, signal=None):
            self.revalidated.append(known)
            return known.model_copy(update={"meta": {**known.meta, "fetchedAt": "later"}})

    return Library


class Shelf:
    """A store that keeps values in a dict and counts."""

    def __init__(self):
        self.values, self.ttls = {}, []

    def put(self, key, value, ttl_seconds=None):
        self.values[key] = value
        self.ttls.append(ttl_seconds)

    def get(self, key):
        return self.values.get(key)


async def test_a_fresh_page_is_used_again_and_says_so(fakes, library):
    made = fakes.make(None, library(fakes.page("ok")))
    first = await made.tools.web_fetch("https://a.test")
    second = await made.tools.web_fetch("https://a.test")
    assert len(made.fetcher.requests) == 1
    assert first.text == second.text
    assert "fromCache" not in first.meta["details"]
    assert second.meta["details"]["fromCache"] is True
    assert first.meta["details"]["fetchedAt"] == second.meta["details"]["fetchedAt"]
    assert len(made.ledger.fetches) == 2


@pytest.mark.parametrize("status", [404, 500, 304])
async def test_only_successful_pages_are_kept(fakes, library, status):
    made = fakes.make(None, library(fakes.page("ok", status=status)))
    await made.tools.web_fetch("https://a.test")
    await made.tools.web_fetch("https://a.test")
    assert len(made.fetcher.requests) == 2


async def test_keeping_can_be_switched_off(fakes, library):
    made = fakes.make(None, library(fakes.page("ok")), cache_seconds=0)
    signal = AbortSignal()
    await made.tools.web_fetch("https://a.test", signal)
    await made.tools.web_fetch("https://a.test")
    assert len(made.fetcher.requests) == 2
    assert made.fetcher.signals[0] is signal


async def test_policy_is_asked_before_the_kept_page(fakes, library):
    made = fakes.make(None, library(fakes.page("ok")))
    assert (await made.tools.web_fetch("https://refused.test")).error.code == "WEB_BLOCKED_URL"
    assert made.fetcher.requests == []


@pytest.mark.parametrize("landed", ["https://refused.test/", "https://private.test/"])
async def test_policy_is_asked_about_where_a_kept_page_came_from(fakes, library, landed):
    made = fakes.make(None, library(fakes.page("ok", url=landed)))
    await made.tools.web_fetch("https://a.test")
    made.fetcher.answer = WebError("refused by policy", "WEB_BLOCKED_URL")
    assert (await made.tools.web_fetch("https://a.test")).error.code == "WEB_BLOCKED_URL"
    assert len(made.fetcher.requests) == 2


async def test_pages_that_must_not_be_shared_go_straight_through(fakes, library):
    shelf = Shelf()
    made = fakes.make(None, library(fakes.page("ok")), store=shelf)
    signal = AbortSignal()
    await made.tools.web_fetch("https://private.test", signal)
    await made.tools.web_fetch("https://private.test")
    assert made.fetcher.signals[0] is signal
    assert len(made.fetcher.requests) == 2
    assert shelf.values == {}


async def test_an_expired_page_is_asked_for_again_with_what_is_known(fakes, library, monkeypatch):
    now = [1000.0]
    monkeypatch.setattr("hydra_web.tools.pages.time.time", lambda: now[0])
    shelf = Shelf()
    made = fakes.make(None, library(fakes.page("ok")), store=shelf, cache_seconds=60)
    await made.tools.web_fetch("https://a.test")
    now[0] += 59
    await made.tools.web_fetch("https://a.test")
    assert made.fetcher.revalidated == []
    now[0] += 2
    outcome = await made.tools.web_fetch("https://a.test")
    assert [known.body.content for known in made.fetcher.revalidated] == ["ok"]
    assert (outcome.value["body"]["content"], outcome.meta["details"]["fetchedAt"]) == ("ok", "later")
    now[0] += 59
    assert (await made.tools.web_fetch("https://a.test")).meta["details"]["fromCache"] is True
    assert len(made.fetcher.requests) == 1
    assert all(ttl > 60 for ttl in shelf.ttls)


@pytest.mark.parametrize("record", [{}, {"page": {}, "at": 1}, {"page": None, "at": 1}, {"at": "x"}])
async def test_a_damaged_record_counts_as_none(fakes, library, record):
    shelf = Shelf()
    shelf.get = lambda key: record
    made = fakes.make(None, library(fakes.page("ok")), store=shelf)
    assert not (await made.tools.web_fetch("https://a.test")).is_error
    assert len(made.fetcher.requests) == 1


async def test_callers_of_one_page_share_one_download(fakes, library):
    go = asyncio.Event()

    async def slow(signal):
        await go.wait()
        return fakes.page("ok")

    made = fakes.make(None, library(slow))
    calls = [asyncio.ensure_future(made.tools.web_fetch("https://a.test")) for _ in range(3)]
    other = asyncio.ensure_future(made.tools.web_fetch("https://b.test"))
    await fakes.until(lambda: len(made.fetcher.requests) == 2)
    go.set()
    outcomes = await asyncio.gather(*calls, other)
    assert [outcome.is_error for outcome in outcomes] == [False] * 4
    assert sorted(request.url for request in made.fetcher.requests) == ["https://a.test", "https://b.test"]


async def test_a_caller_who_leaves_does_not_stop_the_others(fakes, library):
    go, stopped = asyncio.Event(), []

    async def slow(signal):
        try:
            await go.wait()
        except asyncio.CancelledError:
            stopped.append(signal.aborted)
            raise
        return fakes.page("ok")

    made = fakes.make(None, library(slow))
    signal = AbortSignal()
    leaves = asyncio.ensure_future(made.tools.web_fetch("https://a.test", signal))
    cancelled = asyncio.ensure_future(made.tools.web_fetch("https://a.test"))
    stays = asyncio.ensure_future(made.tools.web_fetch("https://a.test"))
    await fakes.until(lambda: made.fetcher.requests)
    signal.abort()
    cancelled.cancel()
    assert (await leaves).error.code == "WEB_ABORTED"
    with pytest.raises(asyncio.CancelledError):
        await cancelled
    assert stopped == []
    go.set()
    assert not (await stays).is_error


async def test_the_download_stops_when_the_last_caller_leaves(fakes, library):
    stopped = asyncio.Event()

    async def slow(signal):
        try:
            await asyncio.Event().wait()
        finally:
            stopped.set()

    made = fakes.make(None, library(slow))
    call = asyncio.ensure_future(made.tools.web_fetch("https://a.test"))
    await fakes.until(lambda: made.fetcher.requests)
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call
    await asyncio.wait_for(stopped.wait(), 5)
    made.fetcher.answer = fakes.page("new")
    assert (await made.tools.web_fetch("https://a.test")).value["body"]["content"] == "new"


async def test_a_failed_download_fails_every_caller_and_is_forgotten(fakes, library):
    async def fail(signal):
        await both.wait()
        raise WebError("no", "WEB_PROVIDER_ERROR")

    both = asyncio.Event()
    made = fakes.make(None, library(fail))
    calls = [asyncio.ensure_future(made.tools.web_fetch("https://a.test")) for _ in range(2)]
    await fakes.until(lambda: made.fetcher.requests)
    both.set()
    outcomes = await asyncio.gather(*calls)
    assert [outcome.text for outcome in outcomes] == ["Error: no"] * 2
    assert len(made.fetcher.requests) == 1
    await made.tools.web_fetch("https://a.test")
    assert len(made.fetcher.requests) == 2


async def test_the_time_out_of_a_call_stops_its_download(fakes, library):
    async def slow(signal):
        await asyncio.Event().wait()

    made = fakes.make(None, library(slow), fetch_timeout_ms=20)
    assert (await made.tools.call("web_fetch", {"url": "https://a.test"})).error.code == "TOOL_TIMEOUT"


async def test_kept_pages_are_bounded_by_number_and_size(fakes, library, monkeypatch):
    monkeypatch.setattr("hydra_web.tools.pages._MOST_PAGES", 2)
    monkeypatch.setattr("hydra_web.tools.pages._MOST_CHARS", 10)
    made = fakes.make(None, library(fakes.page("1234")))
    for url in ("https://1.test", "https://2.test", "https://3.test"):
        await made.tools.web_fetch(url)
    await made.tools.web_fetch("https://3.test")
    assert len(made.fetcher.requests) == 3
    await made.tools.web_fetch("https://1.test")
    assert len(made.fetcher.requests) == 4
    made.fetcher.answer = fakes.page(pdf=("123456", "78901"))
    for _ in range(2):
        await made.tools.web_fetch("https://4.test")
    assert len(made.fetcher.requests) == 6


def test_kept_pages_serve_several_event_loops(fakes, library):
    made = fakes.make(None, library(fakes.page("ok")))
    for _ in range(2):
        assert not asyncio.run(made.tools.web_fetch("https://a.test")).is_error
    assert len(made.fetcher.requests) == 1
