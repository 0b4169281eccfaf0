"""Stand-ins for providers, for tests without any network."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from hydra_web.signals import AbortSignal
from hydra_web.types import (
    TextBody,
    WebFetchBody,
    WebFetchRequest,
    WebFetchResult,
    WebSearchProviderDescriptor,
    WebSearchRequest,
    WebSearchResult,
    WebSearchSource,
)

__all__ = ["FakeFetchProvider", "FakeSearchProvider"]


Found: TypeAlias = Sequence[WebSearchSource] | WebSearchResult | Exception
"""What a fake search finds: sources, a whole result, or an error to raise."""

Page: TypeAlias = str | WebFetchBody | WebFetchResult | Exception
"""What a fake fetch gives: text, a body, a whole result, or an error to raise."""


class FakeSearchProvider:
    """Finds what it is told to, and remembers what it was asked.

    `found` is what every search finds, or a function of the request that tells. `delay_seconds` is how long it takes.
    """

    def __init__(
        self,
        found: Found | Callable[[WebSearchRequest], Found] = (),
        *,
        id: str = "fake",  # noqa: A002 - the protocol's own word
        available: bool = True,
        delay_seconds: float = 0.0,
        descriptor: WebSearchProviderDescriptor | None = None,
    ) -> None:
        self.id = id
        self.found = found
        self.usable = available
        self.delay_seconds = delay_seconds
        self.descriptor: WebSearchProviderDescriptor = descriptor or WebSearchProviderDescriptor(id=id, display_name=id)
        self.requests: list[WebSearchRequest] = []
        self.signals: list[AbortSignal | None] = []

    def available(self) -> bool:
        """What it was told to be; `usable` changes it."""
        return self.usable

    async def search(self, request: WebSearchRequest, signal: AbortSignal | None = None) -> WebSearchResult:
        """Notes the request and finds, or raises, what it was told to."""
        self.requests.append(request)
        self.signals.append(signal)
        await asyncio.sleep(self.delay_seconds)
        found = self.found(request) if callable(self.found) else self.found
        if isinstance(found, Exception):
            raise found
        if isinstance(found, WebSearchResult):
            return found
        return WebSearchResult(sources=tuple(found), truncated=False)


class FakeFetchProvider:
    """Fetches from a mapping of URLs, and remembers what it was asked.

    A page is text, a body, a whole result, or an error to raise. A URL that is not there answers 404.
    """

    def __init__(
        self,
        pages: Mapping[str, Page] | None = None,
        *,
        id: str = "fake",  # noqa: A002 - the protocol's own word
        available: bool = True,
        delay_seconds: float = 0.0,
    ) -> None:
        self.id = id
        self.pages: dict[str, Page] = dict(pages or {})
        self.usable = available
        self.delay_seconds = delay_seconds
        self.requests: list[WebFetchRequest] = []
        self.signals: list[AbortSignal | None] = []

    def available(self) -> bool:
        """What it was told to be; `usable` changes it."""
        return self.usable

    async def fetch(self, request: WebFetchRequest, signal: AbortSignal | None = None) -> WebFetchResult:
        """Notes the request and gives, or raises, the page it has for the URL."""
        self.requests.append(request)
        self.signals.append(signal)
        await asyncio.sleep(self.delay_seconds)
        page = self.pages.get(request.url)
        if isinstance(page, Exception):
            raise page
        if isinstance(page, WebFetchResult):
            return page
        status = 404 if page is None else 200
        body = page if page is not None and not isinstance(page, str) else TextBody(content=page or "not found")
        return WebFetchResult(url=request.url, status_code=status, body=body, truncated=False)
