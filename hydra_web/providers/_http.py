"""The one door to search APIs: JSON over HTTPS with a byte cap and one deadline, and no way around either.

Keys travel in headers only. Redirects are never followed, the environment's proxies never used.
Calls go straight to the transport, past httpx's client, because its log lines show the whole URL.
"""

import asyncio
import functools
import json
import os
import ssl
import time
import zlib
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal, TypeVar

import httpx

from hydra_web._version import __version__
from hydra_web.errors import SearchProviderError, WebError
from hydra_web.protocols import JsonObject
from hydra_web.providers._retry import retry_delay
from hydra_web.providers._secret import Secret
from hydra_web.retries import note_retry
from hydra_web.signals import Aborted, AbortSignal, DeadlineReason, run_abortable

__all__ = [
    "LIBRARY",
    "USER_AGENT",
    "ApiCall",
    "Operation",
    "Reply",
    "Transmission",
    "exchange",
    "operate",
    "parse_json",
    "transport_accepts",
]

USER_AGENT: Final = f"hydra-web/{__version__}"
LIBRARY: Final = f"httpx/{httpx.__version__}"
_REDIRECTS: Final = frozenset({301, 302, 303, 307, 308})
_MAX_ERROR_BYTES: Final = 65_536
_T = TypeVar("_T")


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiCall:
    """One request to a search API, before its credentials are added."""

    method: Literal["GET", "POST"]
    """The HTTP method."""
    url: str
    """The endpoint; a query of its own is kept."""
    params: tuple[tuple[str, str], ...] = ()
    """Query parameters; each replaces one of the same name in the endpoint."""
    body: JsonObject | None = None
    """The JSON body."""
    headers: Mapping[str, str | Secret] = field(default_factory=dict)
    """Headers beside `Accept`, `Accept-Encoding` and `User-Agent`."""
    notices: tuple[str, ...] = ()
    """What of the search could not be put into this call."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Transmission:
    """The operator's bounds for calls."""

    max_bytes: int
    """The most bytes of a decoded body."""
    proxy: Secret | None = None
    """The proxy's URL, when the operator chose one."""
    tries: int = 1
    """The most tries of one call."""
    readable_errors: frozenset[int] = frozenset()
    """HTTP error statuses whose body is read to tell kinds of failure apart."""


@dataclass(frozen=True, slots=True)
class Reply:
    """An API's answer."""

    status_code: int
    """The HTTP status."""
    body: bytes | None = field(repr=False)
    """The decoded body, a stranger's words; None where it was not read, could not be decoded or passed the cap."""
    retry_after: str | None = None
    """The `Retry-After` header."""


class Operation:
    """One search under way: its signal, its deadline, and the last status seen."""

    def __init__(self, signal: AbortSignal, timeout_ms: int) -> None:
        self._signal = signal
        self._ends_at = time.monotonic() + timeout_ms / 1000
        self.status_code: int | None = None

    @property
    def seconds_left(self) -> float:
        """How much of the provider's own time is left."""
        return self._ends_at - time.monotonic()

    def checkpoint(self) -> None:
        """Stops here when the signal has been thrown."""
        if self._signal.aborted:
            raise Aborted(self._signal.reason)


async def operate(
    provider: str,
    work: Callable[[Operation], Coroutine[Any, Any, _T]],
    *,
    signal: AbortSignal | None,
    timeout_ms: int,
    aborted: str,
) -> _T:
    """Runs one search under the caller's signal and the provider's own deadline.

    A failure is named after the signal that fired first: a timer makes it TIMEOUT, the caller WEB_ABORTED.
    """
    deadline = AbortSignal.timeout(timeout_ms)
    fused = AbortSignal.any([deadline] if signal is None else [signal, deadline])
    operation = Operation(fused, timeout_ms)
    failure: WebError
    try:
        return await run_abortable(work(operation), fused)
    except Aborted as stop:
        if isinstance(stop.reason, DeadlineReason | TimeoutError):
            failure = SearchProviderError(provider, "TIMEOUT", operation.status_code)
        else:
            failure = WebError(aborted, "WEB_ABORTED")
    raise failure


async def exchange(provider: str, call: ApiCall, transmission: Transmission, operation: Operation) -> Reply:
    """Sends the call, again where the operator allowed retries and the failure may pass.

    Raises SearchProviderError for a redirect and when no answer came.
    """
    attempt = 1
    while True:
        operation.checkpoint()
        operation.status_code = None
        reply = await _try(call, transmission, operation)
        delay = retry_delay(reply, attempt) if attempt < transmission.tries else None
        if delay is None or delay >= operation.seconds_left:
            break
        note_retry()
        attempt += 1
        await asyncio.sleep(delay)
    if reply is None:
        raise SearchProviderError(provider, "NETWORK_ERROR")
    if reply.status_code in _REDIRECTS:
        operation.status_code = None
        raise SearchProviderError(provider, "NETWORK_ERROR")
    return reply


async def _try(call: ApiCall, transmission: Transmission, operation: Operation) -> Reply | None:
    """One try; None when the connection failed."""
    try:
        return await _send(_build_request(call), transmission, operation)
    except (httpx.HTTPError, httpx.StreamError, httpx.InvalidURL, OSError):
        return None


def _build_request(call: ApiCall) -> httpx.Request:
    headers = {"accept": "application/json", "accept-encoding": "gzip", "user-agent": USER_AGENT}
    for name, value in call.headers.items():
        headers[name.lower()] = value.reveal() if isinstance(value, Secret) else value
    url = httpx.URL(call.url)
    for name, value in call.params:
        url = url.copy_set_param(name, value.encode("utf-8", "replace").decode())
    if call.body is None:
        return httpx.Request(call.method, url, headers=headers)
    content = json.dumps(call.body, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")
    return httpx.Request(call.method, url, headers={"content-type": "application/json", **headers}, content=content)


async def _send(request: httpx.Request, transmission: Transmission, operation: Operation) -> Reply:
    proxy = transmission.proxy.reveal() if transmission.proxy else None
    async with httpx.AsyncHTTPTransport(verify=_trust(), trust_env=False, proxy=proxy) as transport:
        response = await transport.handle_async_request(request)
        try:
            status = operation.status_code = response.status_code
            limit = _body_limit(status, transmission)
            body = await _read_body(response, limit) if limit else None
            return Reply(status, body, response.headers.get("retry-after"))
        finally:
            await response.aclose()


def _body_limit(status: int, transmission: Transmission) -> int:
    """How much of the body to read: all of a success, a little of an error that needs telling apart, else nothing."""
    if 200 <= status < 300:
        return transmission.max_bytes
    if status in transmission.readable_errors or (status == 429 and transmission.tries > 1):
        return min(_MAX_ERROR_BYTES, transmission.max_bytes)
    return 0


async def _read_body(response: httpx.Response, limit: int) -> bytes | None:
    """The decoded body; None past the limit and for an encoding that was not offered or does not decode."""
    encoding = response.headers.get("content-encoding", "identity").strip().lower()
    if encoding not in ("identity", "gzip", "x-gzip", ""):
        return None
    inflater = zlib.decompressobj(31) if "gzip" in encoding else None
    body = bytearray()
    received = 0
    async for chunk in response.aiter_raw():
        received += len(chunk)
        if received > limit:
            return None
        try:
            body += inflater.decompress(chunk, limit - len(body) + 1) if inflater else chunk
        except zlib.error:
            return None
        if len(body) > limit:
            return None
    if inflater is not None and not inflater.eof:
        return None
    return bytes(body)


def parse_json(body: bytes | None) -> Any:
    """The body as JSON; NaN and the infinities, which JSON lacks, as null. Raises ValueError when it is none."""
    if body is None:
        raise ValueError("no body")
    try:
        return json.loads(body.decode("utf-8-sig"), parse_constant=lambda _: None)
    except RecursionError:
        raise ValueError("nested too deeply") from None


def _trust() -> ssl.SSLContext:
    return _ssl_context(os.environ.get("SSL_CERT_FILE"), os.environ.get("SSL_CERT_DIR"))


@functools.cache
def _ssl_context(file: str | None, folder: str | None) -> ssl.SSLContext:
    """The certificates to trust: the operator's, by OpenSSL's usual variables, else the bundled ones."""
    if file or folder:
        return ssl.create_default_context(cafile=file or None, capath=folder or None)
    return httpx.create_ssl_context(trust_env=False)


def transport_accepts(value: str) -> bool:
    """Whether the transport, too, reads a host in the URL."""
    try:
        return bool(httpx.URL(value).host)
    except (httpx.InvalidURL, ValueError):
        return False
