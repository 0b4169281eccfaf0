"""A search API on the loopback interface, for tests of agents and of providers."""

import json
import socket
import struct
import threading
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Final, Self
from urllib.parse import parse_qsl, urlsplit

from hydra_web.testing._shapes import SAMPLE_SOURCES, SHAPES, RawSource, Shape

__all__ = ["ProviderReply", "ProviderServer", "RecordedCall"]

_IDLE_SECONDS: Final = 5.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ProviderReply:
    """One answer of a `ProviderServer`, well or badly behaved."""

    status: int = 200
    """The HTTP status."""
    body: Any = b""
    """The body: bytes as they are, anything else as JSON."""
    headers: Mapping[str, str] = field(default_factory=dict)
    """Headers beside `Content-Type` and `Content-Length`."""
    hold_header: bool = False
    """Whether to send nothing until the server closes."""
    hold_body: bool = False
    """Whether to send half of the body and nothing more until the server closes."""
    reset: bool = False
    """Whether to cut the connection after half of the body."""

    def payload(self) -> bytes:
        """The body as bytes."""
        return self.body if isinstance(self.body, bytes) else json.dumps(self.body).encode()


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedCall:
    """One request that a `ProviderServer` received."""

    method: str
    """The HTTP method."""
    path: str
    """The path, without the query."""
    params: Mapping[str, str]
    """The query parameters."""
    headers: Mapping[str, str]
    """The headers, by lower-case name."""
    body: Any
    """The JSON body; None where there was none."""


class ProviderServer:
    """Speaks a search API's shape while its `with` block runs, sync or async.

    `api` is a provider's id, such as `exa`, or a function that builds an answer from sources. It finds `sources`
    whatever is asked. Replies put into `replies` are given first, one per request. `calls` lists what was received.

        with ProviderServer("exa") as server:
            provider = ExaSearch(api_key="test", base_url=server.base_url)
    """

    def __init__(self, api: str | Shape, sources: Sequence[RawSource] = SAMPLE_SOURCES) -> None:
        self.shape: Shape = SHAPES[api] if isinstance(api, str) else api
        self.sources: tuple[RawSource, ...] = tuple(sources)
        self.replies: deque[ProviderReply] = deque()
        self.calls: list[RecordedCall] = []
        self.respond: Callable[[RecordedCall], ProviderReply] = self._usual
        self._closing = threading.Event()
        self._server: ThreadingHTTPServer | None = None
        self._thread: threading.Thread | None = None

    @property
    def base_url(self) -> str:
        """Where it is, such as `http://127.0.0.1:49152`; only inside its `with` block."""
        if self._server is None:
            raise RuntimeError("the provider server runs only inside its with block")
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def _usual(self, call: RecordedCall) -> ProviderReply:
        del call
        return self.replies.popleft() if self.replies else ProviderReply(body=self.shape(self.sources))

    def __enter__(self) -> Self:
        handler = type("Handler", (_ApiHandler,), {"owner": self, "closing": self._closing})
        self._closing.clear()
        self._server = _Server(("127.0.0.1", 0), handler)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.005,), daemon=True)
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        server, thread = self._server, self._thread
        self._server = self._thread = None
        self._closing.set()
        if server is not None and thread is not None:
            server.shutdown()
            server.server_close()
            thread.join()

    async def __aenter__(self) -> Self:
        return self.__enter__()

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.__exit__(kind, error, trace)


class _Server(ThreadingHTTPServer):
    daemon_threads = False  # closing the server waits for the requests under way
    request_queue_size = 64

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that hangs up, or speaks TLS, is no news."""


class _ApiHandler(BaseHTTPRequestHandler):
    owner: ProviderServer
    closing: threading.Event
    server_version = "hydra-web-provider-server"
    sys_version = ""
    timeout = _IDLE_SECONDS

    def do_GET(self) -> None:
        self._answer()

    def do_POST(self) -> None:
        self._answer()

    def _answer(self) -> None:
        target = urlsplit(self.path)
        content = self.rfile.read(int(self.headers.get("content-length") or 0))
        call = RecordedCall(
            method=self.command,
            path=target.path,
            params=dict(parse_qsl(target.query, keep_blank_values=True)),
            headers={name.lower(): value for name, value in self.headers.items()},
            body=json.loads(content) if content else None,
        )
        self.owner.calls.append(call)
        self._send(self.owner.respond(call))

    def _send(self, reply: ProviderReply) -> None:
        if reply.hold_header:
            self._hold()
            return
        payload = reply.payload()
        headers = {"Content-Type": "application/json", "Content-Length": str(len(payload)), **reply.headers}
        self.send_response(reply.status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        halfway = len(payload) // 2 if reply.hold_body or reply.reset else len(payload)
        self.wfile.write(payload[:halfway])
        self.wfile.flush()
        if reply.hold_body:
            self._hold()
        elif reply.reset:
            linger = struct.pack("ii", 1, 0)  # closing then resets the connection
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
        self.close_connection = True

    def _hold(self) -> None:
        """Waits for the server to close or the client to hang up."""
        self.connection.settimeout(0.02)
        while not self.closing.is_set():
            try:
                if not self.connection.recv(1):
                    return
            except TimeoutError:
                continue
            except OSError:
                return

    def log_message(self, *arguments: object) -> None:
        """Says nothing on the terminal."""
