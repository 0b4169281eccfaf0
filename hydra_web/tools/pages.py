"""Fetched pages kept for a while, and one download where several callers want the same page at once."""

import asyncio
import time
from collections import OrderedDict
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Final, Protocol

from pydantic import ValidationError

from hydra_web.errors import WebError
from hydra_web.protocols import CacheableFetchProvider, JsonObject, Store
from hydra_web.signals import Aborted, AbortSignal, run_abortable
from hydra_web.types import WebFetchRequest, WebFetchResult

__all__ = ["PageCache", "PageSource"]

_KEY_PREFIX: Final = "page:"
_KEPT_AFTER_EXPIRY: Final = 86_400
_MOST_PAGES: Final = 64
_SUCCESS: Final = range(200, 300)


class PageSource(Protocol):
    """Whatever fetches pages: the runtime, or a provider."""

    async def fetch(self, request: WebFetchRequest, signal: AbortSignal | None = None) -> WebFetchResult:
        """Fetches one page."""
        ...


@dataclass(slots=True)
class _Flight:
    task: "asyncio.Task[WebFetchResult]"
    signal: AbortSignal = field(default_factory=AbortSignal)
    waiters: int = 0


class PageCache:
    """Keeps successful pages for `seconds`, in a store or in this process; 0 keeps none.

    Only providers that name a cache key take part; the key is asked for first, so that their
    policy judges every call. Everything else goes straight through, with the caller's signal.
    """

    def __init__(self, seconds: int, store: Store | None = None) -> None:
        self._seconds = seconds
        self._store = store
        self._pages: OrderedDict[str, JsonObject] = OrderedDict()
        self._flights: dict[tuple[int, str], _Flight] = {}

    async def fetch(self, source: PageSource, request: WebFetchRequest, signal: AbortSignal | None) -> WebFetchResult:
        """Gives the kept page while it is fresh, else fetches it. Raises what the source raises."""
        key = source.cache_key(request.url) if isinstance(source, CacheableFetchProvider) else None
        if not self._seconds or key is None or not isinstance(source, CacheableFetchProvider):
            return await source.fetch(request, signal)
        kept = await self._get(key)
        if kept is not None and time.time() - kept[1] < self._seconds:
            return _with_meta(kept[0], fromCache=True)
        return await self._join(source, request, key, kept[0] if kept else None, signal)

    async def _join(
        self,
        source: CacheableFetchProvider,
        request: WebFetchRequest,
        key: str,
        known: WebFetchResult | None,
        signal: AbortSignal | None,
    ) -> WebFetchResult:
        place = (id(asyncio.get_running_loop()), key)
        flight = self._flights.get(place)
        if flight is None:
            own = AbortSignal()
            task = asyncio.get_running_loop().create_task(self._download(source, request, key, known, own))
            flight = self._flights[place] = _Flight(task, own)
            task.add_done_callback(lambda done: self._land(place, done))
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
                self._flights.pop(place, None)
        raise WebError("web fetch aborted", "WEB_ABORTED")

    def _land(self, place: tuple[int, str], task: "asyncio.Task[WebFetchResult]") -> None:
        if not task.cancelled():
            task.exception()
        flight = self._flights.get(place)
        if flight is not None and flight.task is task:
            del self._flights[place]

    async def _download(
        self,
        source: CacheableFetchProvider,
        request: WebFetchRequest,
        key: str,
        known: WebFetchResult | None,
        signal: AbortSignal,
    ) -> WebFetchResult:
        if known is None:
            result = await source.fetch(request, signal)
        else:
            result = await source.revalidate(request, known, signal)
        result = _with_meta(result, fetchedAt=result.meta.get("fetchedAt") or datetime.now(UTC).isoformat())
        if result.status_code in _SUCCESS:
            await self._put(key, result)
        return result

    async def _get(self, key: str) -> tuple[WebFetchResult, float] | None:
        if self._store is None:
            record = self._pages.get(key)
        else:
            record = await asyncio.to_thread(self._store.get, _KEY_PREFIX + key)
        if record is None:
            return None
        try:
            return WebFetchResult.model_validate(record["page"]), float(record["at"])
        except (ValidationError, KeyError, TypeError, ValueError):
            return None

    async def _put(self, key: str, result: WebFetchResult) -> None:
        record: JsonObject = {"page": result.to_json_dict(), "at": time.time()}
        if self._store is not None:
            await asyncio.to_thread(self._store.put, _KEY_PREFIX + key, record, self._seconds + _KEPT_AFTER_EXPIRY)
            return
        self._pages[key] = record
        self._pages.move_to_end(key)
        while len(self._pages) > _MOST_PAGES:
            self._pages.popitem(last=False)


async def _wait(task: "asyncio.Task[WebFetchResult]") -> WebFetchResult:
    return await asyncio.shield(task)


def _with_meta(result: WebFetchResult, **facts: object) -> WebFetchResult:
    return result.model_copy(update={"meta": {**result.meta, **facts}})
