"""How a provider is run: whatever it does, the caller gets a result or a WebError of fixed text.

A provider that ignores its signal is cancelled all the same. asyncio's own cancellation passes through.
"""

import inspect
import logging
from collections.abc import Awaitable, Mapping
from typing import Any, Final, TypeVar

from hydra_web.errors import SearchProviderError, WebError
from hydra_web.protocols import SettingsSource, WebFetchProvider, WebSearchProvider
from hydra_web.redaction import redacted_traceback
from hydra_web.runtime._selection import drop_unsafe
from hydra_web.signals import Aborted, AbortSignal, run_abortable
from hydra_web.types import (
    WebFetchRequest,
    WebFetchResult,
    WebSearchProviderDescriptor,
    WebSearchRequest,
    WebSearchResult,
)

__all__ = ["close_resource", "fetch_with", "is_usable", "read_descriptor", "read_section", "search_with"]

_LOGGER: Final = logging.getLogger("hydra_web")
_R = TypeVar("_R", WebSearchResult, WebFetchResult)


def is_usable(provider: WebSearchProvider | WebFetchProvider) -> bool:
    """Whether the provider says it can run; one that fails at saying so cannot."""
    try:
        return bool(provider.available())
    except Exception as error:  # noqa: BLE001 - a stranger's code may raise anything
        _log_bug(provider.id, error)
        return False


def read_descriptor(provider: WebSearchProvider) -> WebSearchProviderDescriptor | None:
    """How the provider presents itself, where it does so properly."""
    try:
        descriptor = getattr(provider, "descriptor", None)
    except Exception as error:  # noqa: BLE001 - a stranger's code may raise anything
        _log_bug(provider.id, error)
        return None
    return descriptor if isinstance(descriptor, WebSearchProviderDescriptor) else None


def read_section(settings: SettingsSource, namespace: str) -> Mapping[str, Any]:
    """The saved keys of a section. Raises WebError when the source cannot be read."""
    try:
        return settings.section(namespace)
    except WebError:
        raise
    except Exception as error:  # noqa: BLE001 - a stranger's code may raise anything
        _log_bug("settings", error)
    raise WebError("the saved settings cannot be read", "WEB_SETTINGS_ERROR")


async def search_with(
    provider: WebSearchProvider, request: WebSearchRequest, signal: AbortSignal | None
) -> WebSearchResult:
    """Runs one search; a source whose address is not http or https is left out before anything is counted.

    Raises Aborted when the signal was thrown first, WebError for every other failure.
    """

    async def work() -> WebSearchResult | None:
        return _checked(provider.id, "search", await provider.search(request, signal), WebSearchResult)

    result = await _settle(provider.id, run_abortable(work(), signal), signal)
    if result is None:
        raise SearchProviderError(provider.id, "UNKNOWN")
    return drop_unsafe(result)


async def fetch_with(
    provider: WebFetchProvider, request: WebFetchRequest, signal: AbortSignal | None
) -> WebFetchResult:
    """Fetches one page. Raises Aborted when the signal was thrown first, WebError for every other failure."""

    async def work() -> WebFetchResult | None:
        return _checked(provider.id, "fetch", await provider.fetch(request, signal), WebFetchResult)

    result = await _settle(provider.id, run_abortable(work(), signal), signal)
    if result is None:
        raise WebError("web fetch failed", "UNKNOWN")
    return result


async def close_resource(resource: object) -> None:
    """Closes it by its `aclose` or `close`, where it has one; a failure is logged."""
    close = getattr(resource, "aclose", None) or getattr(resource, "close", None)
    if close is None:
        return
    try:
        closing = close()
        if inspect.isawaitable(closing):
            await closing
    except Exception as error:  # noqa: BLE001 - a stranger's code may raise anything
        _LOGGER.error("closing %s failed\n%s", type(resource).__name__, redacted_traceback(error))


async def _settle(provider_id: str, run: Awaitable[_R | None], signal: AbortSignal | None) -> _R | None:
    """The result, or None after a wrong one or an exception that is neither a WebError nor the signal's doing."""
    try:
        return await run
    except WebError:
        raise
    except Aborted as error:
        if signal is not None and signal.aborted:
            raise
        _log_bug(provider_id, error)
    except Exception as error:  # noqa: BLE001 - a stranger's code may raise anything
        _log_bug(provider_id, error)
    return None


def _checked(provider_id: str, method: str, result: object, kind: type[_R]) -> _R | None:
    if isinstance(result, kind):
        return result
    names = (kind.__name__, type(result).__name__)
    _LOGGER.error("web provider %s is wrong: %s() must return %s, not %s", provider_id, method, *names)
    return None


def _log_bug(provider_id: str, error: Exception) -> None:
    _LOGGER.error(
        "web provider %s failed with an exception that is not a WebError\n%s", provider_id, redacted_traceback(error)
    )
