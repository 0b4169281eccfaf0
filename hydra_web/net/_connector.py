"""The place below httpcore where a connection is made: only ever to an address that was just checked.

The URL, the Host header, the TLS name and the certificate check all keep the host name; only the
address that is dialled comes from here. After the connection stands and before a byte is sent, the
peer is compared with what was dialled.
"""

import asyncio
import contextlib
from collections.abc import Iterable, Sequence
from typing import Any, Final

import httpcore

from hydra_web.errors import WebError
from hydra_web.net._addresses import Network, read_address
from hydra_web.net._dialling import check_addresses
from hydra_web.net._failures import blocked, transport_failed
from hydra_web.net._lookups import Resolver, look_up
from hydra_web.net._targets import Target

__all__ = ["ClosingBackend", "GuardedBackend", "causes"]

_STAGGER_SECONDS: Final = 0.25
_DIALLER: Final = httpcore.AnyIOBackend()


class ClosingBackend(httpcore.AsyncNetworkBackend):
    """Closes every connection it opened: httpcore leaves one open when it is cancelled within the TLS handshake."""

    def __init__(self, inner: httpcore.AsyncNetworkBackend) -> None:
        self._inner = inner
        self._opened: list[httpcore.AsyncNetworkStream] = []

    async def connect_tcp(self, *arguments: Any, **named: Any) -> httpcore.AsyncNetworkStream:
        """Opens a connection and remembers it."""
        stream = await self._inner.connect_tcp(*arguments, **named)
        self._opened.append(stream)
        return stream

    async def aclose(self) -> None:
        """Closes what is still open."""
        for stream in self._opened:
            await stream.aclose()


class GuardedBackend(httpcore.AsyncNetworkBackend):
    """Connects one target. Raises WebError, which httpcore passes on untouched."""

    def __init__(self, target: Target, resolver: Resolver, extra_blocked: Sequence[Network]) -> None:
        self._target = target
        self._resolver = resolver
        self._extra_blocked = extra_blocked

    async def connect_tcp(self, host: str, port: int, *_: Any, **__: Any) -> httpcore.AsyncNetworkStream:
        """Looks the target up once, checks every answer and dials the checked ones."""
        if (host, port) != (self._target.host, self._target.port):
            raise blocked("address")
        answers = [host] if self._target.is_literal else await self._look_up(host)
        addresses = check_addresses(self._target, answers, self._extra_blocked)
        address, stream = await _race(addresses, port)
        if not self._is_checked_peer(stream, address):
            await stream.aclose()
            raise blocked("own_address" if _is_own(stream, address) else "address")
        return stream

    async def _look_up(self, host: str) -> list[str]:
        with contextlib.suppress(Exception):  # an operator's resolver may raise anything, and its words are not ours
            return await look_up(self._resolver, host)
        raise transport_failed("dns_failed")

    def _is_checked_peer(self, stream: httpcore.AsyncNetworkStream, address: str) -> bool:
        peer = stream.get_extra_info("server_addr")
        if not peer or read_address(_without_scope(peer)) != read_address(address):
            return False
        return self._target.granted or not _is_own(stream, address)


def _is_own(stream: httpcore.AsyncNetworkStream, address: str) -> bool:
    """Whether the connection ends where it began: this machine's own public address."""
    local = stream.get_extra_info("client_addr")
    return bool(local) and read_address(_without_scope(local)) == read_address(address)


def _without_scope(endpoint: Sequence[object]) -> str:
    return str(endpoint[0]).partition("%")[0]


async def _race(addresses: Sequence[str], port: int) -> tuple[str, httpcore.AsyncNetworkStream]:
    """The first connection that stands; the next address starts after a failure or a short wait (RFC 8305)."""
    attempts: dict[asyncio.Task[httpcore.AsyncNetworkStream], str] = {}
    waiting: set[asyncio.Task[httpcore.AsyncNetworkStream]] = set()
    winner: asyncio.Task[httpcore.AsyncNetworkStream] | None = None
    try:
        queue = list(addresses)
        while winner is None and (queue or waiting):
            if queue:
                address = queue.pop(0)
                attempt = asyncio.create_task(_DIALLER.connect_tcp(address, port))
                attempts[attempt] = address
                waiting.add(attempt)
            done, waiting = await asyncio.wait(
                waiting, timeout=_STAGGER_SECONDS if queue else None, return_when=asyncio.FIRST_COMPLETED
            )
            winner = next((attempt for attempt in done if _error(attempt) is None), None)
    finally:
        await _drop(set(attempts) - {winner})
    if winner is None:
        raise _connect_failure(attempts)
    return attempts[winner], winner.result()


def _error(attempt: "asyncio.Task[httpcore.AsyncNetworkStream]") -> BaseException | None:
    """How a finished attempt failed; one that cancelled itself counts as failed too."""
    return asyncio.CancelledError() if attempt.cancelled() else attempt.exception()


async def _drop(attempts: Iterable["asyncio.Task[httpcore.AsyncNetworkStream] | None"]) -> None:
    for attempt in attempts:
        if attempt is None:
            continue
        attempt.cancel()
        for result in await asyncio.gather(attempt, return_exceptions=True):
            if isinstance(result, httpcore.AsyncNetworkStream):
                await result.aclose()


def _connect_failure(attempts: Iterable["asyncio.Task[httpcore.AsyncNetworkStream]"]) -> WebError:
    refused = all(any(isinstance(error, ConnectionRefusedError) for error in causes(_error(a))) for a in attempts)
    return transport_failed("connection_refused" if refused else "connect_failed")


def causes(error: BaseException | None) -> list[BaseException]:
    """An exception and everything that led to it, groups opened."""
    found: list[BaseException] = []
    queue = [error]
    while queue:
        current = queue.pop()
        if current is None or current in found:
            continue
        found.append(current)
        queue += [current.__cause__, current.__context__]
        if isinstance(current, BaseExceptionGroup):
            queue += current.exceptions
    return found
