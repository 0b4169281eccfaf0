"""One call of `web_search`, from checked arguments to an outcome."""

import asyncio
import logging
import time
from dataclasses import dataclass
from typing import Final

from hydra_web.errors import SearchProviderError, WebError
from hydra_web.protocols import JsonObject
from hydra_web.retries import count_retries
from hydra_web.signals import AbortSignal
from hydra_web.tools._access import Evidence, Web
from hydra_web.tools.arguments import SearchCall
from hydra_web.tools.config import WebToolsConfig
from hydra_web.tools.outcome import ToolOutcome
from hydra_web.tools.present import search_meta
from hydra_web.tools.queries import SearchRun, run_search
from hydra_web.tools.render import render_search
from hydra_web.tools.scope import Scope
from hydra_web.types import WebSearchRequest, WebSearchResult, WebSearchSettings

__all__ = ["SearchTool"]

_log: Final = logging.getLogger("web-search")


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchTool:
    """Everything one search needs."""

    web: Web
    """Runs the searches."""
    config: WebToolsConfig
    """The operator's settings."""
    scope: Scope
    """The operator's domain lists, and what has been seen."""
    evidence: Evidence
    """Records what was found."""

    async def run(
        self, call: SearchCall, preferences: WebSearchSettings | None, signal: AbortSignal | None
    ) -> ToolOutcome:
        """Searches, records and renders. Raises what the providers raise."""
        max_results = preferences.max_results if preferences else self.config.search_max_results
        run = await self._search_logged(call, preferences, max_results, signal)
        self.scope.add_urls(source.url for source in run.result.sources)
        query = "\n".join(call.queries)
        await asyncio.to_thread(self.evidence.record_search, query, run.result.provider, run.result.sources)
        codes = [_code(error) for _, error in run.failures]
        value = _value(run.result)
        return ToolOutcome(
            text=render_search(run.result, codes, len(call.queries)),
            value=value,
            meta={**search_meta(value), "details": _details(run, codes)},
        )

    async def _search_logged(
        self, call: SearchCall, preferences: WebSearchSettings | None, max_results: int, signal: AbortSignal | None
    ) -> SearchRun:
        head = ((preferences.provider or "-") if preferences else "standalone", len(call.queries))
        started = time.monotonic()
        report = self.config.on_partial_failure == "report"
        with count_retries() as counter:
            try:
                run = await run_search(self._sifted, call, max_results, signal, report_failures=report)
            except (Exception, asyncio.CancelledError) as error:
                known = error if isinstance(error, SearchProviderError) else None
                status = known.status_code if known is not None and known.status_code is not None else "-"
                tail = (_elapsed(started), status, counter.retries, known.code if known is not None else "UNKNOWN")
                _log.info("provider=%s queries=%d duration=%d results=0 status=%s retries=%d error=%s", *head, *tail)
                raise
        facts = (_elapsed(started), len(run.result.sources), counter.retries)
        _log.info("provider=%s queries=%d duration=%d results=%d retries=%d", *head, *facts)
        return run

    async def _sifted(self, request: WebSearchRequest, signal: AbortSignal | None) -> WebSearchResult:
        return self.scope.filter_sources(await self.web.search(request, signal))


def _elapsed(started: float) -> int:
    return round((time.monotonic() - started) * 1000)


def _code(error: Exception) -> str:
    return error.code if isinstance(error, WebError) else "UNKNOWN"


def _value(result: WebSearchResult) -> JsonObject:
    data = result.to_json_dict()
    value = {"content": data["content"]} if result.content else {}
    return {**value, "sources": data["sources"], "truncated": result.truncated}


def _details(run: SearchRun, codes: list[str]) -> JsonObject:
    details: JsonObject = {}
    if run.result.provider is not None:
        details["provider"] = run.result.provider
    if run.result.notices:
        details["notices"] = list(run.result.notices)
    if run.failures:
        queries = [query for query, _ in run.failures]
        details["failures"] = [{"query": query, "code": code} for query, code in zip(queries, codes, strict=True)]
    return details
