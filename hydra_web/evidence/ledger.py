"""The ledger: every page an agent fetched and every search it ran, in order."""

import contextlib
import threading
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Final

from hydra_web.errors import ConfigError, WebError
from hydra_web.evidence._markdown import parse_markdown
from hydra_web.evidence.records import FetchRecord, SearchRecord, ToolCall, source_id
from hydra_web.protocols import JsonObject, Store
from hydra_web.types import WebSearchSource
from hydra_web.urls import is_http_url, normalized_search_url

__all__ = ["EvidenceLedger"]

_FETCH_TOOL: Final = "web_fetch"
_SEARCH_TOOL: Final = "web_search"


class EvidenceLedger:
    """What one run has read, in the order it was read; safe from several threads.

    Without a store the ledger lives in memory. With one, every ledger of the same `run` on
    the same store, in any process, sees the same records. Nothing is ever changed or removed.
    Every method raises WebError `WEB_STORE_ERROR` when the store cannot be used or holds what is no record.
    """

    def __init__(self, store: Store | None = None, run: str = "default") -> None:
        if store is not None and not isinstance(store, Store):
            raise ConfigError(f"store must be a Store such as SqliteStore, not {type(store).__name__}")
        self.run = run
        self._store = store if store is not None else _memory_store()
        self._stream = f"evidence/{run}"
        self._lock = threading.RLock()
        self._seen = 0
        self._last = 0
        self._fetches: list[FetchRecord] = []
        self._searches: list[SearchRecord] = []

    def record_fetch(
        self,
        *,
        url: str,
        status_code: int,
        text: str,
        page_text: str | None = None,
        fetched_at: str | None = None,
    ) -> str:
        """Records a page that was read and returns its source id.

        `text` is what the model was shown and what the id covers; `page_text` the plain text of the
        whole page when that is more. `fetched_at` is ISO 8601 and defaults to now.
        """
        identifier = source_id(url, text)
        record = FetchRecord(
            source_id=identifier,
            url=url,
            status_code=status_code,
            text=text,
            page_text=page_text,
            fetched_at=fetched_at or datetime.now(UTC).isoformat(timespec="seconds"),
            sequence=0,
        )
        self._append(record.to_json())
        return identifier

    def record_search(self, query: str | None, provider: str | None, sources: Iterable[WebSearchSource]) -> None:
        """Records what a search found, so that a link to it can be told from an invented one."""
        record = SearchRecord(query=query, provider=provider, sources=tuple(sources), sequence=0)
        self._append(record.to_json())

    def record_tool_text(self, name: str, text: str, sequence: int | None = None, is_error: bool = False) -> None:
        """Records what a tool's result text says was read; other tools and failed calls are passed over.

        `sequence` is the call's place in the transcript, in the same count as `before` in
        `verify_citations`; without it the call comes after everything recorded so far.
        """
        if is_error:
            return
        if name == _FETCH_TOOL:
            page = FetchRecord.from_tool_text(text, 0)
            if page is not None:
                self._append(page.to_json(), sequence)
        elif name == _SEARCH_TOOL:
            sources = tuple(WebSearchSource(url=url) for url in _linked_urls(text))
            search = SearchRecord(query=None, provider=None, sources=sources, sequence=0)
            self._append(search.to_json(), sequence)

    def record_transcript(self, calls: Iterable[ToolCall]) -> None:
        """Records every call of a transcript and the calls inside it, whatever became of the outer one."""
        waiting = list(calls)[::-1]
        while waiting:
            call = waiting.pop()
            self.record_tool_text(call.name, call.text, call.sequence, call.is_error)
            waiting.extend(reversed(call.calls))

    @property
    def next_sequence(self) -> int:
        """A number above every recorded one: `before` for a statement made now."""
        with self._lock:
            self._refresh()
            return self._last + 1

    def fetches(self, before: int | None = None) -> dict[str, FetchRecord]:
        """The pages read before a point in the order of events, by source id.

        A later record of the same id replaces an earlier one, unless it would take away what the page supports.
        """
        with self._lock:
            self._refresh()
            pages = list(self._fetches)
        known: dict[str, FetchRecord] = {}
        for page in pages:
            if before is None or page.sequence < before:
                known[page.source_id] = max(page, known.get(page.source_id, page), key=_support)
        return known

    def searches(self, before: int | None = None) -> tuple[SearchRecord, ...]:
        """The searches run before a point in the order of events."""
        with self._lock:
            self._refresh()
            searches = list(self._searches)
        return tuple(search for search in searches if before is None or search.sequence < before)

    def seen_urls(self, before: int | None = None) -> frozenset[str]:
        """Every page that was fetched or found, by `normalized_search_url`."""
        urls = [page.url for page in self.fetches(before).values()]
        urls += [source.url for search in self.searches(before) for source in search.sources]
        return frozenset(normalized_search_url(url) for url in urls)

    def _append(self, record: JsonObject, sequence: int | None = None) -> None:
        if sequence is not None:
            record["sequence"] = sequence
        with self._lock:
            self._store.append(self._stream, record)

    def _refresh(self) -> None:
        for number, data in self._store.read(self._stream, self._seen):
            record = _loaded(data, max(number, self._last + 1))
            if isinstance(record, FetchRecord):
                self._fetches.append(record)
            else:
                self._searches.append(record)
            self._seen, self._last = number, max(self._last, record.sequence)


def _support(page: FetchRecord) -> tuple[bool, bool]:
    return page.citable, page.page_text is not None


def _loaded(data: JsonObject, next_sequence: int) -> FetchRecord | SearchRecord:
    with contextlib.suppress(KeyError, TypeError, ValueError):
        sequence = int(data.get("sequence", next_sequence))
        kind = FetchRecord if data["kind"] == "fetch" else SearchRecord
        return kind.from_json(data, sequence)
    raise WebError("a record of the evidence is damaged", "WEB_STORE_ERROR", "corrupt")


def _memory_store() -> Store:
    from hydra_web.store import MemoryStore

    return MemoryStore()


def _linked_urls(text: str) -> list[str]:
    parsed = parse_markdown(text)
    urls = [link.destination for link in parsed.links] + list(parsed.bare_urls)
    return [url for url in urls if is_http_url(url)]
