"""The `local` providers: search and fetch over the pages recorded in a SQLite store, with no network."""

import asyncio
from collections.abc import Coroutine
from datetime import UTC, datetime, timedelta
from typing import Any, Final, TypeVar

from hydra_web.errors import ConfigError, SearchProviderError, WebError
from hydra_web.signals import Aborted, AbortSignal, DeadlineReason, run_abortable
from hydra_web.store.pages import IndexedPage, PageHit
from hydra_web.store.sqlite import SqliteStore
from hydra_web.types import (
    HtmlBody,
    TextBody,
    WebFetchRequest,
    WebFetchResult,
    WebSearchProviderDescriptor,
    WebSearchRequest,
    WebSearchResult,
    WebSearchSource,
)

__all__ = ["LocalFetch", "LocalSearch"]

_ID: Final = "local"
_DEFAULT_RESULTS: Final = 10
_DAYS: Final = {"day": 1, "week": 7, "month": 31, "year": 366}
_T = TypeVar("_T")


class LocalSearch:
    """Searches the recorded pages of a store. Country and language are reported as not supported."""

    def __init__(self, store: SqliteStore) -> None:
        self._store = _checked(store)
        self.descriptor: WebSearchProviderDescriptor = WebSearchProviderDescriptor(
            id=_ID,
            display_name="Local pages",
            description="Searches the pages recorded on this machine, with no network.",
        )

    @property
    def id(self) -> str:
        """`local`."""
        return _ID

    def available(self) -> bool:
        """Always: the store was opened on construction."""
        return True

    async def search(self, request: WebSearchRequest, signal: AbortSignal | None = None) -> WebSearchResult:
        """The pages that match best.

        Raises SearchProviderError when the store cannot be used or time is over, and WebError `WEB_ABORTED`.
        """
        limit = request.max_results or _DEFAULT_RESULTS
        since, until = _days(request.date)
        failure: WebError
        try:
            work = asyncio.to_thread(self._store.search_pages, request.query, limit, since=since, until=until)
            hits = await run_abortable(work, signal)
            return WebSearchResult(
                sources=tuple(_source(hit, position) for position, hit in enumerate(hits, 1)),
                truncated=False,
                provider=_ID,
                query=request.query,
                notices=_notices(request),
            )
        except Aborted as aborted:
            timed_out = isinstance(aborted.reason, DeadlineReason)
            failure = (
                SearchProviderError(_ID, "TIMEOUT") if timed_out else WebError("web search aborted", "WEB_ABORTED")
            )
        except WebError as error:
            failure = SearchProviderError(_ID, "UNKNOWN", message=error.message)
        raise failure


class LocalFetch:
    """Serves the recorded pages of a store by their URL; it never goes to the network."""

    def __init__(self, store: SqliteStore) -> None:
        self._store = _checked(store)

    @property
    def id(self) -> str:
        """`local`."""
        return _ID

    def available(self) -> bool:
        """Always: the store was opened on construction."""
        return True

    async def fetch(self, request: WebFetchRequest, signal: AbortSignal | None = None) -> WebFetchResult:
        """The page recorded under the URL, whatever the fragment.

        Raises WebError: `WEB_NOT_IN_STORE` when there is none, `WEB_STORE_ERROR` when the store cannot be used.
        """
        page = await _or_aborted(asyncio.to_thread(self._store.page, request.url), signal)
        if page is None:
            raise WebError("the page is not in the local store", "WEB_NOT_IN_STORE")
        return WebFetchResult(
            url=page.url,
            status_code=200,
            body=HtmlBody(content=page.content) if page.kind == "html" else TextBody(content=page.content),
            truncated=False,
            meta=_meta(page),
        )


def _checked(store: object) -> SqliteStore:
    if isinstance(store, SqliteStore):
        return store
    raise ConfigError(f"store must be a SqliteStore, not {type(store).__name__}")


async def _or_aborted(work: Coroutine[Any, Any, _T], signal: AbortSignal | None) -> _T:
    try:
        return await run_abortable(work, signal)
    except Aborted as aborted:
        timed_out = isinstance(aborted.reason, DeadlineReason)
    if timed_out:
        raise WebError("web fetch timed out", "WEB_FETCH_TIMEOUT")
    raise WebError("web fetch aborted", "WEB_ABORTED")


def _days(date: str | None) -> tuple[str | None, str | None]:
    if date is None:
        return None, None
    if date in _DAYS:
        return (datetime.now(UTC) - timedelta(days=_DAYS[date])).date().isoformat(), None
    since, until = date.split("/")
    return None if since == ".." else since, None if until == ".." else until


def _notices(request: WebSearchRequest) -> tuple[str, ...]:
    notices = [
        f'{name} "{value}" is not supported by {_ID}'
        for name, value in (("country", request.country), ("language", request.language))
        if value is not None
    ]
    if request.date is not None:
        notices.append(f"pages without a date were left out by {_ID}")
    return tuple(notices)


def _source(hit: PageHit, position: int) -> WebSearchSource:
    return WebSearchSource(
        url=hit.url,
        title=hit.title,
        snippet=hit.snippet or None,
        published_at=hit.published_at,
        provider=_ID,
        position=position,
        score=hit.score,
    )


def _meta(page: IndexedPage) -> dict[str, Any]:
    known = {"publishedAt": page.published_at, "modifiedAt": page.modified_at}
    return {"fetchedAt": page.fetched_at, "fromStore": True} | {key: day for key, day in known.items() if day}
