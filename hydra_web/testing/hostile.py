"""A hostile web server on the loopback interface: one misbehaviour per path.

`BEHAVIOURS` lists the fixed paths with one line each. Besides those:
`/gzip-bomb/<megabytes>` streams that many compressed megabytes, about a thousand times as many decoded;
`/redirect-bomb` is a redirect whose body is such a bomb; `/hop/<n>` redirects to `/hop/<n+1>` for ever;
`/location/<percent-encoded>` redirects to whatever the path says; `/echo` shows the request it received.
"""

import asyncio
import contextlib
import socket
import struct
import threading
import time
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cache
from types import MappingProxyType, TracebackType
from typing import Final, Self
from urllib.parse import unquote_to_bytes

from hydra_web.testing._hostile_replies import REPLIES, Scripted

__all__ = ["BEHAVIOURS", "HostileServer"]

BEHAVIOURS: Final[Mapping[str, str]] = MappingProxyType({path: reply.what for path, reply in REPLIES.items()})
"""The fixed paths, with one line on what each does."""

_GZIP_HEAD: Final = b"\x1f\x8b\x08\0\0\0\0\0\x02\xff"
_GZIP_TAIL: Final = b"\x03\0" + bytes(8)


class HostileServer:
    """Serves its misbehaviours while its `with` block runs; no connection outlives the block.

    `requests` counts the requests received per path, `departures` the connections that the client ended
    while the server still had something to say.
    """

    def __init__(self) -> None:
        self.requests: Counter[str] = Counter()
        self.departures: Counter[str] = Counter()
        self._loop = asyncio.new_event_loop()
        self._stop: asyncio.Event | None = None
        self._ready = threading.Event()
        self._thread: threading.Thread | None = None
        self._port = 0

    @property
    def origin(self) -> str:
        """The server's origin, such as `http://127.0.0.1:49152`."""
        return f"http://127.0.0.1:{self._port}"

    def wait_for_request(self, path: str, seconds: float) -> bool:
        """Whether a request for the path arrives within the time."""
        return _wait(self.requests, path, seconds)

    def wait_for_departure(self, path: str, seconds: float) -> bool:
        """Whether a client leaves the path's connection within the time."""
        return _wait(self.departures, path, seconds)

    def forget(self) -> None:
        """Starts both counts anew."""
        self.requests.clear()
        self.departures.clear()

    def __enter__(self) -> Self:
        self._thread = threading.Thread(target=self._run, name="hydra-web-hostile", daemon=True)
        self._thread.start()
        self._ready.wait()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._thread is not None
        assert self._stop is not None
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join()

    def _run(self) -> None:
        with contextlib.closing(self._loop):
            self._loop.run_until_complete(self._serve())

    async def _serve(self) -> None:
        self._stop = asyncio.Event()
        talks: set[asyncio.Task[None]] = set()

        def welcome(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            talk = asyncio.ensure_future(self._talk(reader, writer))
            talks.add(talk)
            talk.add_done_callback(talks.discard)

        server = await asyncio.start_server(welcome, "127.0.0.1", 0, limit=1 << 20)
        self._port = server.sockets[0].getsockname()[1]
        self._ready.set()
        await self._stop.wait()
        server.close()
        left = list(talks)
        for talk in left:
            talk.cancel()
        await asyncio.gather(*left, return_exceptions=True)

    async def _talk(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        path = "?"
        try:
            request = await reader.readuntil(b"\r\n\r\n")
            path = request.split(b" ")[1].decode("ascii", "replace")
            self.requests[path] += 1
            await self._answer(path, request, reader, writer)
        except (ConnectionError, asyncio.IncompleteReadError):
            self.departures[path] += 1
        finally:
            writer.close()
            with contextlib.suppress(ConnectionError):
                await writer.wait_closed()

    async def _answer(
        self, path: str, request: bytes, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        reply = REPLIES.get(path)
        if reply is not None:
            await _play(reply, reader, writer)
            return
        for piece in _pieces(path, request):
            writer.write(piece)
            await writer.drain()


def _wait(counts: Counter[str], path: str, seconds: float) -> bool:
    end = time.monotonic() + seconds
    while counts[path] == 0 and time.monotonic() < end:
        time.sleep(0.01)
    return counts[path] > 0


async def _play(reply: Scripted, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    writer.write(reply.head)
    await writer.drain()
    while reply.repeat:
        writer.write(reply.repeat)
        await writer.drain()
        await asyncio.sleep(reply.pause)
    if reply.hold and not await reader.read(1):
        raise ConnectionResetError
    if reply.reset:
        raw = writer.get_extra_info("socket")
        raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        writer.transport.abort()


def _pieces(path: str, request: bytes) -> Iterator[bytes]:
    """The parts of a reply whose path carries a parameter; 404 for anything unknown."""
    _, name, parameter = (*path.split("/", 2), "")[:3]
    match name:
        case "gzip-bomb":
            yield b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Encoding: gzip\r\n\r\n"
            yield from _bomb(float(parameter))
        case "redirect-bomb":
            yield b"HTTP/1.1 302 Found\r\nLocation: /ok\r\nContent-Encoding: gzip\r\n\r\n"
            yield from _bomb(1)
        case "hop":
            yield b"HTTP/1.1 302 Found\r\nLocation: /hop/%d\r\nContent-Length: 0\r\n\r\n" % (int(parameter) + 1)
        case "location":
            yield b"HTTP/1.1 302 Found\r\nLocation: " + unquote_to_bytes(parameter) + b"\r\nContent-Length: 0\r\n\r\n"
        case "echo":
            yield b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: %d\r\n\r\n" % len(request) + request
        case _:
            yield b"HTTP/1.1 404 Not Found\r\nContent-Type: text/plain\r\nContent-Length: 0\r\n\r\n"


def _bomb(megabytes: float) -> Iterator[bytes]:
    block = _zeros()
    yield _GZIP_HEAD
    for _ in range(max(1, int(megabytes * 1e6) // len(block))):
        yield block
    yield _GZIP_TAIL


@cache
def _zeros() -> bytes:
    """64 MiB of zeros, compressed so that the block can be repeated within one stream."""
    compressor = zlib.compressobj(9, zlib.DEFLATED, -15)
    return compressor.compress(bytes(64 << 20)) + compressor.flush(zlib.Z_FULL_FLUSH)
