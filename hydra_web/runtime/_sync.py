"""The runtime for synchronous callers."""

from typing import TYPE_CHECKING

from hydra_web.portal import run_sync
from hydra_web.signals import AbortSignal
from hydra_web.types import WebFetchRequest, WebFetchResult, WebSearchRequest, WebSearchResult

if TYPE_CHECKING:
    from hydra_web.runtime import WebRuntime

__all__ = ["SyncWebRuntime"]


class SyncWebRuntime:
    """What `WebRuntime` does, for callers that cannot await; safe in notebooks and from many threads.

    Each method raises what its asynchronous form raises. Ctrl-C cancels the work.
    """

    def __init__(self, web: "WebRuntime") -> None:
        self._web = web

    def search(self, request: WebSearchRequest, signal: AbortSignal | None = None) -> WebSearchResult:
        """Runs one search; see `WebRuntime.search`."""
        return run_sync(self._web.search(request, signal))

    def fetch(self, request: WebFetchRequest, signal: AbortSignal | None = None) -> WebFetchResult:
        """Fetches one page; see `WebRuntime.fetch`."""
        return run_sync(self._web.fetch(request, signal))

    def test_search_provider(self, provider_id: str, signal: AbortSignal | None = None) -> WebSearchResult:
        """Runs a small real search with one provider; see `WebRuntime.test_search_provider`."""
        return run_sync(self._web.test_search_provider(provider_id, signal))

    def close(self) -> None:
        """Closes the runtime and its providers."""
        self._web.close()
