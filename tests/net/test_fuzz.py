"""Whatever a model or a server sends, only WebError comes out."""

import asyncio
import random
from typing import Any

import pytest

from hydra_web.errors import WebError
from hydra_web.net import Target, check_addresses, check_url
from hydra_web.net._redirects import next_target
from hydra_web.text import one_line
from hydra_web.types import WebFetchResult

_WORDS = (
    r"http https ftp : / // /// ? # @ [ ] % %2e %00 \ . .. - _ ~ ! $ & ' ( ) * + , ; = | ^ ` { } < > 80 443 65536 "
    "127.0.0.1 0x7f 0177.1 2130706433 ::1 ::ffff:127.0.0.1 fe80::1%25lo 64:ff9b:: example.com localhost xn-- xn--a "
    "99999999999 :: user:pw 169.254.169.254 münchen faß ① 。 ／ 💩 ß"
)
_PARTS = [*_WORDS.split(), "\t", "\n", "\r", "\0", " ", '"', "\u200b", "\u202e", "\ud800", "\U000e0061"]


def _url(random_: random.Random) -> str:
    scheme = random_.choice(["http://", "https://", "http:", "", "HTTP://"])
    url = scheme + "".join(random_.choice(_PARTS) for _ in range(random_.randint(0, 9)))
    if random_.random() < 0.3 and url:
        position = random_.randrange(len(url))
        url = url[:position] + chr(random_.randrange(0x11000)) + url[position + random_.randint(0, 1) :]
    return url


def _outcome(url: str) -> Target | WebError:
    try:
        target = check_url(url)
        check_addresses(target, [target.host if target.is_literal else "93.184.216.34"])
    except WebError as error:
        return error
    return target


def test_sixty_thousand_urls() -> None:
    random_ = random.Random(20261130)
    seen = set()
    for _ in range(60_000):
        outcome = _outcome(_url(random_))
        if isinstance(outcome, WebError):
            assert one_line(outcome.message) == outcome.message.rstrip()
            seen.add(outcome.code)
        else:
            assert check_url(outcome.url) == outcome
            seen.add("allowed")
    assert seen == {"allowed", "WEB_INVALID_URL", "WEB_BLOCKED_URL"}


def test_five_thousand_redirects() -> None:
    random_ = random.Random(7)
    here = check_url("https://example.com/a/b")
    codes = set()
    for _ in range(5_000):
        try:
            next_target(here, [_url(random_)])
        except WebError as error:
            codes.add(error.code)
    assert codes <= {"WEB_REDIRECT_BLOCKED", "WEB_PROVIDER_ERROR", "WEB_BLOCKED_URL"}


_LINES = [
    b"HTTP/1.1 200 OK\r\n",
    b"HTTP/1.0 302 Found\r\n",
    b"HTTP/1.1 304 Not Modified\r\n",
    b"HTTP/1.1 103 Hints\r\n\r\n",
    b"Content-Type: text/html\r\n",
    b"Content-Type: application/json; charset=utf-16\r\n",
    b"Content-Type: text/plain; charset=\xff\r\n",
    b"Content-Length: 5\r\n",
    b"Content-Encoding: gzip\r\n",
    b"Transfer-Encoding: chunked\r\n",
    b"Location: /x\r\n",
    b"Location: http://[::1%25lo]/\r\n",
    b"Link: <x>; rel=alternate; type=text/markdown\r\n",
    b"Retry-After: Mon, 99 Foo\r\n",
    b"\r\n",
    b"5\r\nhello\r\n0\r\n\r\n",
    b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03",
    b"<html><meta charset=x>",
    b"\x00",
]


def _response(random_: random.Random) -> bytes:
    data = bytearray(b"".join(random_.choice(_LINES) for _ in range(random_.randint(0, 8))))
    if random_.random() < 0.5:
        data = bytearray(_LINES[0] + _LINES[4]) + data
    for _ in range(random_.randint(0, 3)):
        if data:
            data[random_.randrange(len(data))] = random_.randrange(256)
    return bytes(data) + random_.randbytes(random_.choice([0, 0, 20]))


async def _served(replies: list[bytes], get: Any, fetcher: Any, at_once: int) -> list[WebFetchResult | WebError]:
    async def one(number: int) -> WebFetchResult | WebError:
        try:
            result: WebFetchResult = await get(fetcher, f"http://93.184.216.34/{number}")
        except WebError as error:
            return error
        return result

    places = asyncio.Semaphore(at_once)

    async def in_turn(number: int) -> WebFetchResult | WebError:
        async with places:
            return await one(number)

    return await asyncio.gather(*(in_turn(number) for number in range(len(replies))))


@pytest.mark.timeout(170)
async def test_five_thousand_random_responses(internet: Any, get: Any) -> None:
    random_ = random.Random(1)
    replies = [_response(random_) for _ in range(5_000)]

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            path = (await reader.readuntil(b"\r\n\r\n")).split(b" ")[1]
            writer.write(replies[int(path[1:])] if path[1:].isdigit() else b"")
            await writer.drain()
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    async with await asyncio.start_server(serve, "127.0.0.1", 0) as server:
        internet.routes["93.184.216.34"] = server.sockets[0].getsockname()[1]
        fetcher = internet.fetcher(per_host_concurrency=32)
        outcomes = await _served(replies, get, fetcher, 32)
    for outcome in outcomes:
        if isinstance(outcome, WebError):
            assert outcome.message.isprintable()
            assert outcome.code != "WEB_FETCH_TIMEOUT"
    assert any(isinstance(outcome, WebFetchResult) for outcome in outcomes)
