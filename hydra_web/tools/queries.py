"""Running the queries of one search call."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from hydra_web.errors import WebError
from hydra_web.protocols import JsonObject
from hydra_web.signals import Aborted, AbortSignal, run_abortable
from hydra_web.tools.arguments import SearchCall
from hydra_web.tools.merge import merge_results
from hydra_web.types import WebSearchRequest, WebSearchResult

__all__ = ["SearchRun", "run_search"]

Search: TypeAlias = Callable[[WebSearchRequest, AbortSignal | None], Awaitable[WebSearchResult]]


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchRun:
    """What the queries of one call came to together."""

    result: WebSearchResult
    """The combined result."""
    failures: tuple[tuple[str, Exception], ...] = ()
    """The queries that failed, where the operator wants them reported."""


async def run_search(
    search: Search, call: SearchCall, max_results: int, signal: AbortSignal | None, *, report_failures: bool = False
) -> SearchRun:
    """Runs each query once and combines the results.

    A single query gets the caller's own signal. Several run side by side under one signal of
    theirs, and all of them have settled when this returns or raises. Raises the first failure,
    or with `report_failures` only when every query failed.
    """
    requests = [_request(query, call, max_results) for query in call.queries]
    if len(requests) == 1:
        return SearchRun(result=await search(requests[0], signal))
    batch = _Batch(search, signal, report_failures)
    answers = await batch.run(requests)
    if batch.failures and not (report_failures and len(batch.failures) < len(requests)):
        raise batch.failures[0]
    found = [
        (query, answer)
        for query, answer in zip(call.queries, answers, strict=True)
        if isinstance(answer, WebSearchResult)
    ]
    failed = tuple(
        (query, answer) for query, answer in zip(call.queries, answers, strict=True) if isinstance(answer, Exception)
    )
    merged = merge_results([query for query, _ in found], [result for _, result in found], max_results)
    return SearchRun(result=merged, failures=failed)


def _request(query: str, call: SearchCall, max_results: int) -> WebSearchRequest:
    fields: JsonObject = {"query": query, "max_results": max_results}
    if call.country is not None:
        fields["country"] = call.country
    if call.language is not None:
        fields["language"] = call.language
    return WebSearchRequest(**fields)


class _Batch:
    def __init__(self, search: Search, caller: AbortSignal | None, keep_going: bool) -> None:
        self.failures: list[Exception] = []
        self._search = search
        self._caller = caller
        self._keep_going = keep_going
        self._own = AbortSignal()
        self._shared = AbortSignal.any([self._own] if caller is None else [caller, self._own])

    async def run(self, requests: Sequence[WebSearchRequest]) -> list[WebSearchResult | Exception]:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(self._run_one(request)) for request in requests]
        if self._caller is not None and self._caller.aborted and not self._own.aborted:
            raise WebError("web search aborted", "WEB_ABORTED")
        return [task.result() for task in tasks]

    async def _run_one(self, request: WebSearchRequest) -> WebSearchResult | Exception:
        async def work() -> WebSearchResult:
            return await self._search(request, self._shared)

        failure: Exception
        try:
            return await run_abortable(work(), self._shared)
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if task is not None and task.cancelling():
                raise
            failure = RuntimeError("a search was cancelled from within")
        except Aborted:
            failure = WebError("web search aborted", "WEB_ABORTED")
        except Exception as error:  # noqa: BLE001 - every failure of a sibling is the batch's to judge
            failure = error
        self.failures.append(failure)
        if not self._keep_going:
            self._own.abort(failure)
        return failure
