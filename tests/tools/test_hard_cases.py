import asyncio
import gc
import json
import threading

import pytest

from hydra_web.errors import WebError
from hydra_web.protocols import WebFetchProvider
from hydra_web.runtime import WebRuntime
from hydra_web.signals import AbortSignal
from hydra_web.tools import WebTools
from hydra_web.types import TextBody, WebSearchResult, WebSearchSource


async def test_sources_that_may_not_be_shown_take_no_places(fakes):
    unsafe = [f"javascript:alert({number})" for number in range(8)]
    kit = fakes.make(fakes.found(*unsafe, "https://good.test/page"))
    outcome = await kit.tools.call("web_search", {"queries": ["q"]})
    assert [source["url"] for source in outcome.value["sources"]] == ["https://good.test/page"]
    assert outcome.value["truncated"] is False


async def test_lone_surrogates_never_reach_a_value(fakes):
    source = WebSearchSource(url="https://a.test/", title="bad \ud800 title", snippet="\udfff")
    kit = fakes.make(WebSearchResult(sources=(source,), truncated=False, content="\ud801"))
    outcome = await kit.tools.call("web_search", {"queries": ["q"]})
    json.dumps(outcome.value, ensure_ascii=False).encode()
    assert TextBody(content="\ud800a").content == "?a"


async def test_endless_titles_snippets_and_answers_are_cut(fakes):
    source = WebSearchSource(url="https://a.test/", title="t" * 1_000_000, snippet="*" * 1_000_000)
    kit = fakes.make(WebSearchResult(sources=(source,), truncated=False, content="c" * 1_000_000))
    outcome = await kit.tools.call("web_search", {"queries": ["q"]})
    assert len(outcome.text) < 110_000
    assert f"[{'t' * 499}…]" in outcome.text


async def test_an_aborted_batch_leaves_no_search_unawaited(fakes, recwarn):
    kit = fakes.make(fakes.found("https://a.test/"))
    signal = AbortSignal()
    signal.abort()
    outcome = await kit.tools.web_search(["a", "b"], signal=signal)
    gc.collect()
    assert outcome.error.code == "WEB_ABORTED"
    assert not recwarn.list


async def test_a_failed_batch_leaves_no_signals_behind(fakes):
    async def fail(signal):
        raise WebError("no", "WEB_PROVIDER_ERROR")

    kit = fakes.make({"a": fail, "b": fakes.found("https://a.test/")})
    caller = AbortSignal()
    for _ in range(5):
        await kit.tools.call("web_search", {"queries": ["a", "b"]}, caller)
    kit.searcher.signals.clear()
    gc.collect()
    left = [found for found in gc.get_objects() if isinstance(found, AbortSignal) and caller in found._sources]
    assert len(left) <= 1  # the last failure may still be somebody's current exception


async def test_a_cancelled_call_is_cancelled_whatever_its_provider_makes_of_that(fakes):
    async def convert(signal):
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            raise RuntimeError("turned into something else") from None

    kit = fakes.make(convert)
    call = asyncio.create_task(kit.tools.call("web_search", {"queries": ["q"]}))
    await fakes.until(lambda: kit.searcher.requests)
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call


def test_threads_that_come_first_share_one_ledger_and_one_runtime(monkeypatch):
    monkeypatch.delenv("HYDRA_WEB_STORE", raising=False)
    tools, barrier, seen = WebTools(), threading.Barrier(8), set()

    def first_use():
        barrier.wait(10)
        seen.add((id(tools.evidence), id(tools.web)))

    threads = [threading.Thread(target=first_use) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    tools.close()
    assert len(seen) == 1


class _BrokenSettings:
    writable = False

    def section(self, namespace):
        raise OSError("the disk is on fire")

    def update(self, namespace, changes):
        raise OSError("the disk is on fire")


async def test_settings_that_fail_fail_the_call_and_nothing_else(fakes):
    class Flaky(_BrokenSettings):
        broken = False

        def section(self, namespace):
            return super().section(namespace) if self.broken else {}

    settings = Flaky()
    web = WebRuntime(require_search_selection=True, settings=settings)
    kit = fakes.make(None, fakes.page("text"), web=web)
    settings.broken = True
    assert len(kit.tools.definitions()) == 2
    search = await kit.tools.call("web_search", {"queries": ["q"]})
    assert (search.error.code, search.text) == ("WEB_SETTINGS_ERROR", "Error: the saved settings cannot be read")
    assert not (await kit.tools.call("web_fetch", {"url": "https://a.test"})).is_error


async def test_a_page_store_that_fails_costs_a_download_and_no_more(fakes):
    class Closed:
        def get(self, key):
            raise WebError("the store is closed", "WEB_STORE_ERROR", "closed")

        def put(self, key, value, ttl_seconds=None):
            raise WebError("the store is closed", "WEB_STORE_ERROR", "closed")

    class Keyed(fakes.Fetcher):
        def cache_key(self, url):
            return url

        async def revalidate(self, request, known, signal=None):
            return known

    fetcher = Keyed(fakes.page("text"))
    assert isinstance(fetcher, WebFetchProvider)
    kit = fakes.make(None, fetcher, store=Closed())
    for _ in range(2):
        assert not (await kit.tools.call("web_fetch", {"url": "https://a.test"})).is_error
    assert len(kit.fetcher.requests) == 2
