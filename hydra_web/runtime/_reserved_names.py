"""Pages over HTTP, but those under the reserved domain `.invalid` from the local store."""

from typing import Final

from hydra_web.protocols import CacheableFetchProvider, WebFetchProvider
from hydra_web.signals import AbortSignal
from hydra_web.types import WebFetchRequest, WebFetchResult
from hydra_web.urls import is_http_url, url_host

__all__ = ["ReservedNamesFetch"]

_RESERVED: Final = "invalid"


class ReservedNamesFetch:
    """Fetches over HTTP, and gives recorded pages where HTTP never could.

    Indexed files stand under a host name that ends in `.invalid`. RFC 2606 and RFC 6761 promise that no such
    name is ever on the network, so serving just these from the store can neither hide a live page nor reach
    around the guarded door. Every other address goes through the door, whatever the store holds.
    """

    def __init__(self, http: CacheableFetchProvider, local: WebFetchProvider) -> None:
        self._http = http
        self._local = local

    @property
    def id(self) -> str:
        """The id of the provider that goes to the web."""
        return self._http.id

    def available(self) -> bool:
        """Whether the web can be reached, as far as the provider for it knows."""
        return self._http.available()

    async def fetch(self, request: WebFetchRequest, signal: AbortSignal | None = None) -> WebFetchResult:
        """Fetches one page. Raises WebError."""
        provider = self._local if _is_reserved(request.url) else self._http
        return await provider.fetch(request, signal)

    def cache_key(self, url: str) -> str | None:
        """What the web's provider says; None for a recorded page, which needs no cache. Raises WebError."""
        return None if _is_reserved(url) else self._http.cache_key(url)

    async def revalidate(
        self, request: WebFetchRequest, known: WebFetchResult, signal: AbortSignal | None = None
    ) -> WebFetchResult:
        """Asks the web whether a known page has changed. Raises WebError."""
        return await self._http.revalidate(request, known, signal)


def _is_reserved(url: str) -> bool:
    host = url_host(url) if is_http_url(url) else None
    return host is not None and host.rpartition(".")[2] == _RESERVED
