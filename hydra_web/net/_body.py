"""Reading a body that may lie about its length, its encoding and its size."""

import re
import zlib
from collections.abc import AsyncIterable, Iterable
from dataclasses import dataclass
from typing import Any, Final

from hydra_web.errors import WebError
from hydra_web.net._failures import transport_failed, unsupported

__all__ = ["BodyDecoder", "RawBody", "check_declared_length", "content_encoding", "read_body"]

_GZIP: Final = 31  # zlib's word for "gzip wrapper, largest window"
_MAGIC: Final = b"\x1f\x8b"
_MOST_MEMBERS: Final = 1000
_TOKEN: Final = re.compile(r"[a-z0-9._\-]{1,32}", re.ASCII)


@dataclass(frozen=True, slots=True)
class RawBody:
    """A body as bytes."""

    data: bytes
    """The decoded bytes, within the cap."""
    truncated: bool
    """Whether there was more, or the compressed stream broke off."""


def check_declared_length(values: Iterable[str], cap: int) -> None:
    """Raises WebError `WEB_FETCH_TOO_LARGE` when a declared length is above the cap; nothing needs to be read then."""
    for value in values:
        if value.isascii() and value.isdigit() and int(value) > cap:
            raise WebError(f"response exceeds the maximum of {cap} bytes", "WEB_FETCH_TOO_LARGE", "declared_length")


def content_encoding(values: Iterable[str]) -> bool:
    """Whether the body is gzip; False for a plain body. Raises WebError for any other or stacked encoding."""
    encodings = [part.strip().lower() for value in values for part in value.split(",")]
    encodings = [encoding for encoding in encodings if encoding not in ("", "identity")]
    if not encodings:
        return False
    if encodings in (["gzip"], ["x-gzip"]):
        return True
    name = "stacked" if len(encodings) > 1 else encodings[0] if _TOKEN.fullmatch(encodings[0]) else "unknown"
    raise unsupported(f'unsupported content encoding "{name}"', "encoding")


class BodyDecoder:
    """Takes a body piece by piece and never holds more than the cap, whatever it expands to."""

    def __init__(self, cap: int, *, gzipped: bool) -> None:
        self._room = cap + 1  # one byte of look-ahead tells "exactly at the cap" from "more"
        self._cap = cap
        self._out = bytearray()
        self._raw = 0
        self._gzipped = gzipped
        self._member: Any = None
        self._members = 0

    def feed(self, data: bytes) -> bool:
        """Adds a piece; False when the body is over the cap and reading can stop. Raises WebError."""
        self._raw += len(data)
        if not self._gzipped:
            self._out += data[: self._room - len(self._out)]
        else:
            self._inflate(data)
        return len(self._out) <= self._cap and self._raw <= self._cap + 65_536

    def result(self) -> RawBody:
        """What was read."""
        over = len(self._out) > self._cap or self._raw > self._cap + 65_536
        broken = self._member is not None and not self._member.eof
        return RawBody(bytes(self._out[: self._cap]), over or broken)

    def _inflate(self, data: bytes) -> None:
        while data and len(self._out) < self._room:
            if self._member is None:
                self._start_member()
            elif self._member.eof:
                data = data.lstrip(b"\0")
                if not data or not data.startswith(_MAGIC[: len(data)]):
                    return  # padding or junk after a whole member, which browsers ignore too
                self._start_member()
            data = self._step(data)

    def _start_member(self) -> None:
        self._members += 1
        if self._members > _MOST_MEMBERS:
            raise transport_failed("encoding")
        self._member = zlib.decompressobj(_GZIP)

    def _step(self, data: bytes) -> bytes:
        try:
            self._out += self._member.decompress(data, self._room - len(self._out))
        except zlib.error:
            pass
        else:
            return bytes(self._member.unconsumed_tail or self._member.unused_data)
        raise transport_failed("encoding")


async def read_body(chunks: AsyncIterable[bytes], decoder: BodyDecoder) -> RawBody:
    """Reads until the end or the cap, whichever comes first."""
    async for chunk in chunks:
        if not decoder.feed(chunk):
            break
    return decoder.result()
