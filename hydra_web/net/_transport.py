"""One request to one target over a connection of its own, with failures named in fixed words."""

import asyncio
import ssl
import threading
from collections.abc import AsyncIterable, Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Final, TypeVar

import httpcore
import httpx

from hydra_web.errors import WebError
from hydra_web.net._connector import ClosingBackend, GuardedBackend, causes
from hydra_web.net._dialling import check_addresses
from hydra_web.net._failures import transport_failed
from hydra_web.net._lookups import Resolver
from hydra_web.net._options import Options
from hydra_web.net._targets import Target

__all__ = ["Reply", "Transport"]

_T = TypeVar("_T")
_MOST_HEADERS: Final = 256
_CLOSED_EARLY: Final = ("peer closed connection", "Server disconnected")


@dataclass(frozen=True, slots=True)
class Reply:
    """The head of a response, and its body still on the wire."""

    status: int
    """The HTTP status."""
    headers: tuple[tuple[str, str], ...]
    """Names in lower case and values, in order."""
    chunks: AsyncIterable[bytes]
    """The body as it arrives, still encoded."""

    def all(self, name: str) -> list[str]:
        """Every value of a header."""
        return [value for key, value in self.headers if key == name]

    def first(self, name: str) -> str | None:
        """The first value of a header, or None."""
        return next((value for key, value in self.headers if key == name), None)


class Transport:
    """Opens requests. Keeps no connections, cookies or credentials between them."""

    def __init__(self, options: Options, resolver: Resolver, ssl_context: ssl.SSLContext | None) -> None:
        self._options = options
        self._resolver = resolver
        self._ssl_context = ssl_context

    async def exchange(
        self, target: Target, headers: Sequence[tuple[str, str]], use: Callable[[Reply], Awaitable[_T]]
    ) -> _T:
        """Sends a GET, gives the reply to `use` and closes the connection when that is done.

        Raises WebError for everything that goes wrong with the connection, and what `use` raises.
        """
        if self._ssl_context is None and "https" in (target.scheme, self._proxy_scheme()):
            self._ssl_context = await asyncio.to_thread(_default_ssl_context)
        backend = ClosingBackend(self._backend(target))
        try:
            async with (
                self._pool(backend) as pool,
                pool.stream("GET", _core_url(target), headers=_encoded(target, headers)) as response,
            ):
                if len(response.headers) > _MOST_HEADERS:
                    raise transport_failed("headers")
                return await use(Reply(response.status, _decoded(response.headers), response.aiter_stream()))
        except (*_HTTPCORE_ERRORS, OSError, ValueError, RuntimeError) as error:
            failure = _classify(error)
        finally:
            await backend.aclose()
        raise failure

    def _backend(self, target: Target) -> httpcore.AsyncNetworkBackend:
        if self._options.proxy is None:
            return GuardedBackend(target, self._resolver, self._options.extra_blocked)
        if target.is_literal:  # names are the proxy's to resolve and to judge
            check_addresses(target, [target.host], self._options.extra_blocked)
        return httpcore.AnyIOBackend()

    def _pool(self, backend: httpcore.AsyncNetworkBackend) -> httpcore.AsyncConnectionPool:
        settings = self._options.proxy
        proxy = None
        if settings is not None:
            context = self._ssl_context if self._proxy_scheme() == "https" else None
            proxy = httpcore.Proxy(settings.url, auth=settings.auth, ssl_context=context)
        return httpcore.AsyncConnectionPool(ssl_context=self._ssl_context, proxy=proxy, network_backend=backend)

    def _proxy_scheme(self) -> str | None:
        proxy = self._options.proxy
        return None if proxy is None else proxy.url.partition(":")[0]


_HTTPCORE_ERRORS: Final = (
    httpcore.TimeoutException,
    httpcore.NetworkError,
    httpcore.ProtocolError,
    httpcore.ProxyError,
    httpcore.UnsupportedProtocol,
    httpcore.ConnectionNotAvailable,
)


def _core_url(target: Target) -> httpcore.URL:
    port = None if target.has_default_port else target.port
    return httpcore.URL(
        scheme=target.scheme.encode(), host=target.host.encode(), port=port, target=target.path.encode()
    )


def _encoded(target: Target, headers: Sequence[tuple[str, str]]) -> list[tuple[bytes, bytes]]:
    host = str(target.origin).partition("://")[2]
    return [(b"Host", host.encode()), *((name.encode(), value.encode()) for name, value in headers)]


def _decoded(headers: Sequence[tuple[bytes, bytes]]) -> tuple[tuple[str, str], ...]:
    return tuple((name.decode("latin-1").lower(), value.decode("latin-1")) for name, value in headers)


def _classify(error: Exception) -> WebError:
    """The fixed failure for what came out of the connection."""
    chain = causes(error)
    if any(isinstance(cause, ssl.SSLCertVerificationError) for cause in chain):
        return transport_failed("tls_certificate")
    if any(isinstance(cause, ssl.SSLError) for cause in chain):
        return transport_failed("tls")
    match error:
        case httpcore.ProxyError():
            return transport_failed("proxy")
        case httpcore.ConnectError():
            return transport_failed("connect_failed")
        case httpcore.NetworkError():
            return transport_failed("closed_early")
        case httpcore.RemoteProtocolError() if str(error).startswith(_CLOSED_EARLY):
            return transport_failed("closed_early")
        case _:
            return transport_failed("protocol")


_context_lock = threading.Lock()
_contexts: list[ssl.SSLContext] = []


def _default_ssl_context() -> ssl.SSLContext:
    """The process's one TLS context: reading the certificate bundle takes longer than a fetch."""
    with _context_lock:
        if not _contexts:
            _contexts.append(httpx.create_ssl_context(trust_env=False))
        return _contexts[0]
