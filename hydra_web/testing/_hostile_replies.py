"""What the hostile server says, by path: data only."""

import gzip
from dataclasses import dataclass
from typing import Final

__all__ = ["REPLIES", "Scripted"]

_HTML: Final = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"
_PLAIN: Final = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n"
_OK: Final = b"Content-Length: 2\r\n\r\nok"
_CHUNKED: Final = b"Transfer-Encoding: chunked\r\n\r\n"
_FOUND: Final = b"HTTP/1.1 302 Found\r\n"
_NOTHING: Final = b"Content-Length: 0\r\n\r\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class Scripted:
    """One behaviour: bytes to send, then more of the same, then silence, a reset or a close."""

    what: str
    """One line on what is wrong with it."""
    head: bytes = b""
    """Sent first."""
    repeat: bytes = b""
    """Sent again and again until the client leaves."""
    pause: float = 0.0
    """Seconds between repetitions."""
    hold: bool = False
    """Whether the connection then stays open in silence until the client leaves."""
    reset: bool = False
    """Whether the connection then ends with a TCP reset instead of a close."""


def _encoded(encoding: bytes, body: bytes) -> bytes:
    return _HTML + b"Content-Encoding: %b\r\nContent-Length: %d\r\n\r\n" % (encoding, len(body)) + body


_SLOW: Final = {
    "/slow-body": Scripted(
        what="one byte of body now and then", head=_PLAIN + b"Content-Length: 1000000\r\n\r\n", repeat=b"a", pause=0.05
    ),
    "/slow-header": Scripted(what="one byte of header now and then", head=_HTML + b"X-A: ", repeat=b"a", pause=0.05),
    "/silence": Scripted(what="accepts and never answers", hold=True),
    "/silent-body": Scripted(what="a header, then nothing", head=_HTML + b"Content-Length: 10\r\n\r\n", hold=True),
    "/early-hints-forever": Scripted(
        what="103 Early Hints without end", repeat=b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n" * 100
    ),
    "/continue-forever": Scripted(
        what="100 Continue without end", repeat=b"HTTP/1.1 100 Continue\r\n\r\n" * 50, pause=0.01
    ),
}

_HEADERS: Final = {
    "/endless-headers": Scripted(what="header lines without end", head=_HTML, repeat=b"X-A: " + b"a" * 60 + b"\r\n"),
    "/endless-header-line": Scripted(what="one header line without end", head=_HTML + b"X: ", repeat=b"a" * 65536),
    "/long-header": Scripted(what="a header of 99 kB", head=_HTML + b"X: " + b"a" * 99_000 + b"\r\n" + _OK),
    "/many-headers": Scripted(what="19,000 headers", head=_HTML + b"a:b\r\n" * 19_000 + _OK),
    "/many-cookies": Scripted(what="2,000 cookies", head=_HTML + b"Set-Cookie: c=v; Path=/\r\n" * 2000 + _OK),
    "/nul-in-header": Scripted(what="a NUL in a header", head=_HTML + b"X-A: a\x00b\r\n" + _OK),
    "/escape-in-type": Scripted(
        what="a terminal escape in Content-Type",
        head=b"HTTP/1.1 200 OK\r\nContent-Type: text/\x1b[31mhtml\r\n" + _OK,
    ),
    "/escape-in-parameter": Scripted(
        what="a terminal escape in a parameter", head=b"HTTP/1.1 200 OK\r\nContent-Type: text/html; \x1b[31m\r\n" + _OK
    ),
    "/bidi-in-type": Scripted(
        what="a direction override in Content-Type",
        head="HTTP/1.1 200 OK\r\nContent-Type: text/html; x=\u202e\r\n".encode() + _OK,
    ),
    "/folded-header": Scripted(what="an obsolete folded header", head=_HTML + b"X-A: a\r\n b\r\n" + _OK),
    "/bare-line-feeds": Scripted(
        what="line feeds alone", head=b"HTTP/1.1 200 OK\nContent-Type: text/html\nContent-Length: 2\n\nok"
    ),
    "/space-before-colon": Scripted(what="a space before the colon", head=_HTML + b"X-A : a\r\n" + _OK),
    "/refresh-header": Scripted(
        what="a Refresh header, which is no redirect", head=_HTML + b"Refresh: 0; url=http://127.0.0.1:1/\r\n" + _OK
    ),
    "/alt-svc": Scripted(what="an alternative service", head=_HTML + b'Alt-Svc: h3="127.0.0.1:1"; ma=9\r\n' + _OK),
    "/no-content-type": Scripted(what="no Content-Type", head=b"HTTP/1.1 200 OK\r\n" + _OK),
    "/charset-forever": Scripted(
        what="a charset nobody knows, without end",
        head=b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=klingon\r\n\r\n",
        repeat=b"x" * 65536,
    ),
    "/unknown-charset": Scripted(
        what="a charset nobody knows", head=b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=klingon\r\n" + _OK
    ),
}

_STATUS: Final = {
    "/upgrade": Scripted(
        what="101 Switching Protocols",
        head=b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\nhello",
    ),
    "/continue-then-ok": Scripted(
        what="100 Continue, then the page", head=b"HTTP/1.1 100 Continue\r\n\r\n" + _HTML + _OK
    ),
    "/http-0.9": Scripted(what="a body without a head", head=b"<html>hello http 0.9</html>"),
    "/http-1.0": Scripted(
        what="HTTP/1.0, ended by closing", head=b"HTTP/1.0 200 OK\r\nContent-Type: text/html\r\n\r\nhello"
    ),
    "/icy": Scripted(what="a radio stream", head=b"ICY 200 OK\r\nContent-Type: audio/mpeg\r\n\r\nx"),
    "/http-2-line": Scripted(
        what="HTTP/2.0 in a text head", head=b"HTTP/2.0 200 OK\r\nContent-Type: text/html\r\n" + _OK
    ),
    "/http-2-preface": Scripted(what="binary HTTP/2 frames", head=b"\x00\x00\x12\x04\x00\x00\x00\x00\x00" + bytes(18)),
    "/tls-alert": Scripted(what="a TLS alert in plain HTTP", head=b"\x15\x03\x01\x00\x02\x02\x46"),
    "/status-999": Scripted(what="status 999", head=b"HTTP/1.1 999 Weird\r\nContent-Type: text/html\r\n" + _OK),
    "/status-000": Scripted(what="status 000", head=b"HTTP/1.1 000 Weird\r\nContent-Type: text/html\r\n" + _OK),
    "/escape-in-reason": Scripted(
        what="a terminal escape in the reason",
        head=b"HTTP/1.1 200 \xff\xfe\x1b[31mred\r\nContent-Type: text/html\r\n" + _OK,
    ),
    "/no-content-with-body": Scripted(
        what="204 with a body", head=b"HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\nhello"
    ),
    "/close": Scripted(what="closes without a word"),
    "/random-bytes": Scripted(what="noise", head=bytes(range(256)) * 4),
}

_BODIES: Final = {
    "/ok": Scripted(what="a good page, for comparison", head=_HTML + _OK),
    "/empty": Scripted(what="an empty page", head=_HTML + _NOTHING),
    "/chunks-forever": Scripted(
        what="chunks without end", head=_HTML + _CHUNKED, repeat=b"10000\r\n" + b"a" * 65536 + b"\r\n"
    ),
    "/chunk-extension": Scripted(
        what="a chunk extension without end", head=_HTML + _CHUNKED + b"1;", repeat=b"x" * 65536
    ),
    "/tiny-chunks": Scripted(
        what="200,000 chunks of one byte", head=_HTML + _CHUNKED + b"1\r\na\r\n" * 200_000 + b"0\r\n\r\n"
    ),
    "/endless-trailers": Scripted(
        what="trailers without end", head=_HTML + _CHUNKED + b"1\r\na\r\n0\r\n", repeat=b"X: y\r\n" * 1000
    ),
    "/huge-chunk-size": Scripted(
        what="a chunk size of 26 digits", head=_HTML + _CHUNKED + b"F" * 26 + b"\r\n" + b"a" * 100
    ),
    "/body-forever": Scripted(what="a body without length or end", head=_HTML + b"\r\n", repeat=b"a" * 65536),
    "/length-too-long": Scripted(what="declares more than it sends", head=_HTML + b"Content-Length: 1000\r\n\r\nabc"),
    "/length-too-short": Scripted(
        what="sends more than it declares", head=_HTML + b"Content-Length: 3\r\n\r\nabcSMUGGLED"
    ),
    "/two-lengths": Scripted(
        what="two different lengths", head=_HTML + b"Content-Length: 3\r\nContent-Length: 5\r\n\r\nabcde"
    ),
    "/same-length-twice": Scripted(
        what="the same length twice", head=_HTML + b"Content-Length: 3\r\nContent-Length: 3\r\n\r\nabc"
    ),
    "/negative-length": Scripted(what="a negative length", head=_HTML + b"Content-Length: -3\r\n\r\nabc"),
    "/signed-length": Scripted(what="a length with a plus sign", head=_HTML + b"Content-Length: +3\r\n\r\nabc"),
    "/absurd-length": Scripted(
        what="a length of 23 digits", head=_HTML + b"Content-Length: " + b"9" * 23 + b"\r\n\r\nabc"
    ),
    "/exabyte-length": Scripted(what="nine exabytes", head=_HTML + b"Content-Length: 9223372036854775807\r\n\r\nabc"),
    "/length-and-chunks": Scripted(
        what="a length and chunks", head=_HTML + b"Content-Length: 3\r\n" + _CHUNKED + b"5\r\nhello\r\n0\r\n\r\n"
    ),
    "/gzip-transfer": Scripted(
        what="transfer encoding gzip", head=_HTML + b"Transfer-Encoding: gzip, chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n"
    ),
    "/reset": Scripted(
        what="resets in the middle of the body", head=_HTML + b"Content-Length: 1000\r\n\r\nabc", reset=True
    ),
    "/multipart-replace": Scripted(
        what="pictures without end",
        head=b"HTTP/1.1 200 OK\r\nContent-Type: multipart/x-mixed-replace; boundary=b\r\n\r\n",
        repeat=b"--b\r\nContent-Type: text/html\r\n\r\n<p>x</p>\r\n",
        pause=0.05,
    ),
    "/event-stream": Scripted(
        what="events without end",
        head=b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n",
        repeat=b"data: x\n\n",
        pause=0.05,
    ),
}

_ENCODINGS: Final = {
    "/not-gzip": Scripted(what="claims gzip and is not", head=_encoded(b"gzip", b"hello")),
    "/cut-gzip": Scripted(
        what="a gzip stream that breaks off", head=_encoded(b"gzip", gzip.compress(b"hello world" * 1000)[:-12])
    ),
    "/gzip-with-junk": Scripted(
        what="junk after a gzip stream", head=_encoded(b"gzip", gzip.compress(b"hello") + b"JUNK")
    ),
    "/gzip-members": Scripted(
        what="two gzip members", head=_encoded(b"gzip", gzip.compress(b"hello") + gzip.compress(b"world"))
    ),
    "/many-gzip-members": Scripted(
        what="20,000 empty gzip members", head=_encoded(b"gzip", gzip.compress(b"") * 20_000)
    ),
    "/unknown-encoding": Scripted(what="an encoding nobody knows", head=_encoded(b"rot13", b"hello")),
    "/brotli": Scripted(what="brotli, which was not offered", head=_encoded(b"br", b"\x0b\x02\x80hello\x03")),
    "/brotli-forever": Scripted(
        what="brotli without end", head=_HTML + b"Content-Encoding: br\r\n\r\n", repeat=b"x" * 65536
    ),
    "/zstd": Scripted(what="zstd, which was not offered", head=_encoded(b"zstd", b"\x28\xb5\x2f\xfd\x04\x00")),
    "/deflate": Scripted(what="deflate, which was not offered", head=_encoded(b"deflate", b"\x78\x9c\x03\x00")),
    "/gzip-twice": Scripted(
        what="gzip within gzip", head=_encoded(b"gzip, gzip", gzip.compress(gzip.compress(b"hello")))
    ),
    "/gzip-5000-times": Scripted(what="5,000 encodings", head=_encoded(b", ".join([b"gzip"] * 5000), b"")),
}

_REDIRECTS: Final = {
    "/redirect-without-location": Scripted(what="302 without Location", head=_FOUND + _NOTHING),
    "/redirect-empty": Scripted(what="302 with an empty Location", head=_FOUND + b"Location: \r\n" + _NOTHING),
    "/two-locations": Scripted(
        what="two Locations", head=_FOUND + b"Location: /ok\r\nLocation: http://127.0.0.2:1/\r\n" + _NOTHING
    ),
    "/redirect-loop": Scripted(what="a redirect to itself", head=_FOUND + b"Location: /redirect-loop\r\n" + _NOTHING),
    "/redirect-to-metadata": Scripted(
        what="a redirect to a metadata service",
        head=_FOUND + b"Location: http://169.254.169.254/latest/\r\n" + _NOTHING,
    ),
    "/redirect-to-file": Scripted(
        what="a redirect to a file", head=_FOUND + b"Location: file:///etc/passwd\r\n" + _NOTHING
    ),
    "/redirect-backslash": Scripted(
        what="a redirect by backslash", head=_FOUND + b"Location: /\\127.0.0.2/\r\n" + _NOTHING
    ),
    "/redirect-bad-port": Scripted(
        what="a port above 65535", head=_FOUND + b"Location: http://127.0.0.1:65536/\r\n" + _NOTHING
    ),
    "/redirect-bad-name": Scripted(what="an empty A-label", head=_FOUND + b"Location: http://xn--/\r\n" + _NOTHING),
    "/redirect-bytes": Scripted(what="bytes that are no text", head=_FOUND + b"Location: /\xff\xfe\r\n" + _NOTHING),
    "/elsewhere-forever": Scripted(
        what="a redirect to another origin with a body without end",
        head=_FOUND + b"Location: https://example.com/\r\n\r\n",
        repeat=b"x" * 65536,
    ),
    "/nowhere-forever": Scripted(
        what="a redirect without Location with a body without end", head=_FOUND + b"\r\n", repeat=b"x" * 65536
    ),
    "/redirect-with-body": Scripted(
        what="a redirect with a body without end", head=_FOUND + b"Location: /ok\r\n\r\n", repeat=b"x" * 65536
    ),
}

REPLIES: Final[dict[str, Scripted]] = _SLOW | _HEADERS | _STATUS | _BODIES | _ENCODINGS | _REDIRECTS
"""Every scripted behaviour by path."""
