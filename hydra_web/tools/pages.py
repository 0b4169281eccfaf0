"""Fetched pages kept for a while, and one download where several callers want the same page at once."""

import asyncio
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Coroutine
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final, TypeAlias

from pydantic import ValidationError

from hydra_web.errors import WebError
from hydra_web.protocols import CacheableFetchProvider, JsonObject, Store
from hydra_web.signals import Aborted, AbortSignal, run_abortable
from hydra_web.tools._access import Web
from hydra_web.types import WebFetchRequest, WebFetchResult

__all__ = ["PageCache"]

_Work: TypeAlias = Callable[[AbortSignal], Coroutine[Any, Any, WebFetchResult]]

_KEY_PREFIX: Final = "page:"
_KEPT_AFTER_EXPIRY: Final = 86_400
_MOST_PAGES: Final = 64
_MOST_CHARS: Final = 16_000_000
_SUCCESS: Final = range(200, 300)


@dataclass(slots=True)
class _Flight:
    place: tuple[int, str]
    task: "asyncio.Task[WebFetchResult]"
    signal: AbortSignal
    waiters: int = 0


class PageCache:
    """Keeps successful pages for `seconds`, in a store or in this process; 0 keeps none.

    Only providers that name a cache key take part; the key is asked for first, so that their
    policy judges every call. Everything else goes straight through, with the caller's signal.
    """

    def __init__(self, seconds: int, store: Store | None = None) -> None:
        self._seconds = seconds
        self._store = store if store is not None else _MemoryPages()
        self._flights: dict[tuple[int, str], _Flight] = {}

    async def fetch(self, web: Web, request: WebFetchRequest, signal: AbortSignal | None) -> WebFetchResult:
        """Gives the kept page while it is fresh, else fetches it. Raises what the provider raises."""
        provider = web.select_fetch_provider()
        if not self._seconds or not isinstance(provider, CacheableFetchProvider):
            return await web.fetch(request, signal)
        named = provider.cache_key(request.url)
        if named is None:
            return await web.fetch(request, signal)
        key = f"{_KEY_PREFIX}{provider.id}:{named}"
        return await self._join(key, lambda own: self._look_up(key, web, provider, request, own), signal)

    async def _look_up(
        self, key: str, web: Web, provider: CacheableFetchProvider, request: WebFetchRequest, signal: AbortSignal
    ) -> WebFetchResult:
        kept = await self._get(key)
        if kept is None or not _may_share(provider, kept[0].url):
            result = await web.fetch(request, signal)
        elif time.time() - kept[1] < self._seconds:
            return _with_meta(kept[0], fromCache=True)
        else:
            result = await provider.revalidate(request, kept[0], signal)
        result = _with_meta(result, fetchedAt=result.meta.get("fetchedAt") or datetime.now(UTC).isoformat())
        if result.status_code in _SUCCESS:
            await self._put(key, result)
        return result

    async def _join(self, key: str, work: _Work, signal: AbortSignal | None) -> WebFetchResult:
        flight = self._flight(key, work)
        flight.waiters += 1
        try:
            return await run_abortable(_wait(flight.task), signal)
        except Aborted:
            pass
        finally:
            flight.waiters -= 1
            if not flight.waiters and not flight.task.done():
                flight.signal.abort()
                flight.task.cancel()
                self._flights.pop(flight.place, None)
        raise WebError("web fetch aborted", "WEB_ABORTED")

    def _flight(self, key: str, work: _Work) -> _Flight:
        loop = asyncio.get_running_loop()
        place = (id(loop), key)
        flight = self._flights.get(place)
        if flight is None:
            own = AbortSignal()
            task = loop.create_task(work(own))
            flight = self._flights[place] = _Flight(place, task, own)
            task.add_done_callback(lambda done: self._land(place, done))
        return flight

    def _land(self, place: tuple[int, str], task: "asyncio.Task[WebFetchResult]") -> None:
        if not task.cancelled():
            task.exception()  # seen here, lest asyncio complain when the last waiter has left
        flight = self._flights.get(place)
        if flight is not None and flight.task is task:
            del self._flights[place]

    async def _get(self, key: str) -> tuple[WebFetchResult, float] | None:
        try:
            record = await asyncio.to_thread(self._store.get, key)
            if record is None:
                return None
            return WebFetchResult.model_validate(record["page"]), float(record["at"])
        except (WebError, ValidationError, KeyError, TypeError, ValueError):
            return None  # whatever is wrong with the kept page, the live one will do

    async def _put(self, key: str, result: WebFetchResult) -> None:
        record: JsonObject = {"page": result.to_json_dict(), "at": time.time()}
        with suppress(WebError):  # a page that cannot be kept was fetched all the same
            await asyncio.to_thread(self._store.put, key, record, self._seconds + _KEPT_AFTER_EXPIRY)


class _MemoryPages:
    """The latest pages, bounded by their number and size; safe from several threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._pages: OrderedDict[str, tuple[JsonObject, int]] = OrderedDict()
        self._chars = 0

    def get(self, key: str) -> JsonObject | None:
        with self._lock:
            entry = self._pages.get(key)
        return entry[0] if entry is not None else None

    def put(self, key: str, value: JsonObject, _ttl_seconds: float | None = None) -> None:
        body = value["page"]["body"]
        size = len(body.get("content", "")) + sum(map(len, body.get("pages", ())))
        with self._lock:
            _, replaced = self._pages.pop(key, (None, 0))
            self._pages[key] = (value, size)
            self._chars += size - replaced
            while len(self._pages) > _MOST_PAGES or self._chars > _MOST_CHARS:
                _, (_, freed) = self._pages.popitem(last=False)
                self._chars -= freed


def _may_share(provider: CacheableFetchProvider, url: str) -> bool:
    """Whether policy, which may have changed since, lets a page come from where a kept one was redirected to."""
    try:
        return provider.cache_key(url) is not None
    except WebError:
        return False


async def _wait(task: "asyncio.Task[WebFetchResult]") -> WebFetchResult:
    return await asyncio.shield(task)


def _with_meta(result: WebFetchResult, **facts: object) -> WebFetchResult:
    return result.model_copy(update={"meta": {**result.meta, **facts}})
