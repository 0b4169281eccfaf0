"""What the tools need from the rest: the web and a ledger, as protocols."""

from collections.abc import Iterable
from typing import Protocol

from hydra_web.protocols import WebFetchProvider
from hydra_web.signals import AbortSignal
from hydra_web.types import (
    WebFetchRequest,
    WebFetchResult,
    WebSearchRequest,
    WebSearchResult,
    WebSearchSettings,
    WebSearchSource,
)

__all__ = ["Evidence", "Web"]


class Web(Protocol):
    """The seam to providers, as `hydra_web.WebRuntime` offers it."""

    async def search(self, request: WebSearchRequest, signal: AbortSignal | None = None) -> WebSearchResult:
        """Runs one search with the selected provider."""
        ...

    async def fetch(self, request: WebFetchRequest, signal: AbortSignal | None = None) -> WebFetchResult:
        """Fetches one page with the selected provider."""
        ...

    def select_fetch_provider(self) -> WebFetchProvider:
        """The provider the next fetch would use. Raises WebError when there is none."""
        ...

    def search_preferences(self) -> WebSearchSettings | None:
        """The operator's saved settings, where these rule."""
        ...


class Evidence(Protocol):
    """Where fetches and searches are recorded, as `hydra_web.EvidenceLedger` does."""

    def record_fetch(
        self, *, url: str, status_code: int, text: str, page_text: str | None = None, fetched_at: str | None = None
    ) -> str:
        """Records a page and gives its source id."""
        ...

    def record_search(self, query: str | None, provider: str | None, sources: Iterable[WebSearchSource]) -> None:
        """Records what a search found."""
        ...
