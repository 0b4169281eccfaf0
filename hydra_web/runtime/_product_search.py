"""One search by the provider an operator selected: with a time limit, labelled, and logged without its words."""

import logging
import time
from typing import Final

from hydra_web.errors import SearchProviderError, WebError
from hydra_web.protocols import WebSearchProvider
from hydra_web.retries import count_retries
from hydra_web.runtime._provider_calls import is_usable, read_descriptor, search_with
from hydra_web.runtime._selection import cap_sources, label_result, supports_search
from hydra_web.signals import Aborted, AbortSignal
from hydra_web.types import WebSearchRequest, WebSearchResult

__all__ = ["search_selected"]

_LOGGER: Final = logging.getLogger("web-search")


async def search_selected(
    provider: WebSearchProvider, request: WebSearchRequest, signal: AbortSignal | None, timeout_ms: int
) -> WebSearchResult:
    """Runs the search and writes its log line. Raises SearchProviderError, or WebError with WEB_ABORTED."""
    _check_ready(provider, request)
    started = time.monotonic()
    outcome: WebSearchResult | WebError = WebError("Web search aborted", "WEB_ABORTED")
    with count_retries() as counter:
        try:
            outcome = await _run(provider, request, signal, timeout_ms)
        finally:  # asyncio's own cancellation is logged as an abort
            _log(provider.id, round((time.monotonic() - started) * 1000), outcome, counter.retries)
    if isinstance(outcome, WebSearchResult):
        return outcome
    raise outcome


def _check_ready(provider: WebSearchProvider, request: WebSearchRequest) -> None:
    if not is_usable(provider):
        raise SearchProviderError(provider.id, "CONFIG_ERROR")
    kind = request.type or "web"
    if not supports_search(read_descriptor(provider), kind):
        raise SearchProviderError(
            provider.id, "CONFIG_ERROR", message=f'Provider "{provider.id}" does not support {kind} search.'
        )


async def _run(
    provider: WebSearchProvider, request: WebSearchRequest, signal: AbortSignal | None, timeout_ms: int
) -> WebSearchResult | WebError:
    timer = AbortSignal.timeout(timeout_ms)
    fused = timer if signal is None else AbortSignal.any([signal, timer])
    try:
        result = await search_with(provider, request, fused)
    except Aborted as aborted:
        if timer.aborted and aborted.reason is timer.reason:
            return SearchProviderError(provider.id, "TIMEOUT")
        return WebError("Web search aborted", "WEB_ABORTED")
    except SearchProviderError as error:
        return error
    except WebError:
        return SearchProviderError(provider.id, "UNKNOWN")
    return cap_sources(label_result(result, provider.id, request.query), request.max_results)


def _log(provider_id: str, duration_ms: int, outcome: WebSearchResult | WebError, retries: int) -> None:
    found, error = (0, outcome.code) if isinstance(outcome, WebError) else (len(outcome.sources), "-")
    status = getattr(outcome, "status_code", None)
    _LOGGER.info(
        "provider=%s queries=1 duration=%d results=%d status=%s retries=%d error=%s",
        provider_id,
        duration_ms,
        found,
        "-" if status is None else status,
        retries,
        error,
    )
