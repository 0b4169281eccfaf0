"""Kept pages end to end: the tools' cache over the real fetch provider, on an internet that ends on loopback."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest

from hydra_web.runtime import WebRuntime
from hydra_web.store.sqlite import SqliteStore
from hydra_web.tools import WebTools, WebToolsConfig

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n"


class Origin:
    """A server that counts; `/moved` leads to `/page`, and a known ETag or date is answered with 304."""

    def __init__(self) -> None:
        self.seen: list[str] = []
        self.text = b"first"
        self.asked = asyncio.Event()
        self.go = asyncio.Event()
        self.go.set()

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        request = (await reader.readuntil(b"\r\n\r\n")).decode()
        path = request.split(" ")[1]
        self.seen.append(f"{path} conditional" if "If-None-Match: " in request else path)
        self.asked.set()
        await self.go.wait()
        tag = b'ETag: "' + self.text + b'"\r\n'
        if path == "/moved":
            writer.write(b"HTTP/1.1 301 Moved\r\nLocation: /page\r\nContent-Length: 0\r\n\r\n")
        elif f'If-None-Match: "{self.text.decode()}"' in request:
            writer.write(b"HTTP/1.1 304 Not Modified\r\n" + tag + b"\r\n")
        else:
            writer.write(HEAD + tag + b"Content-Length: %d\r\n\r\n" % len(self.text) + self.text)
        writer.close()
        await writer.wait_closed()


@pytest.fixture
async def origin(internet: Any) -> AsyncIterator[Origin]:
    made = Origin()
    async with await asyncio.start_server(made.serve, "127.0.0.1", 0) as server:
        internet.add("example.com", ["93.184.216.34"])
        internet.add("wiki.corp", ["10.1.2.3"])
        internet.routes |= dict.fromkeys(("93.184.216.34", "10.1.2.3"), server.sockets[0].getsockname()[1])
        yield made


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqliteStore]:
    made = SqliteStore(tmp_path / "pages.db")
    yield made
    made.close()


def tools_over(internet: Any, *, store: Any = None, **settings: Any) -> WebTools:
    web = WebRuntime()
    web.register_fetch_provider(internet.fetcher(**settings))
    return WebTools(web, WebToolsConfig(cache_seconds=60), store=store)


async def text_of(made: WebTools, url: str) -> str:
    outcome = await made.web_fetch(url)
    assert outcome.value is not None, outcome.text
    return str(outcome.value["body"]["content"])


async def test_a_page_in_a_file_is_used_again_then_asked_about_then_replaced(
    internet: Any, origin: Origin, store: SqliteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [1_000.0]
    monkeypatch.setattr("hydra_web.tools.pages.time.time", lambda: now[0])
    url = "http://example.com/page"
    assert await text_of(tools_over(internet, store=store), url) == "first"
    assert await text_of(tools_over(internet, store=store), url + "#part") == "first"
    assert origin.seen == ["/page"]
    now[0] += 61
    assert await text_of(tools_over(internet, store=store), url) == "first"
    assert origin.seen == ["/page", "/page conditional"]
    assert await text_of(tools_over(internet, store=store), url) == "first"
    now[0] += 61
    origin.text = b"second"
    assert await text_of(tools_over(internet, store=store), url) == "second"
    assert origin.seen == ["/page", "/page conditional", "/page conditional"]


async def test_a_redirected_page_is_kept_under_the_address_asked_for(
    internet: Any, origin: Origin, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [1_000.0]
    monkeypatch.setattr("hydra_web.tools.pages.time.time", lambda: now[0])
    made = tools_over(internet)
    for _ in range(2):
        assert await text_of(made, "http://example.com/moved") == "first"
    assert origin.seen == ["/moved", "/page"]
    now[0] += 61
    assert await text_of(made, "http://example.com/moved") == "first"
    assert origin.seen == ["/moved", "/page", "/moved", "/page conditional"]


async def test_many_callers_make_one_request_and_one_may_leave(internet: Any, origin: Origin) -> None:
    made = tools_over(internet)
    origin.go.clear()
    calls = [asyncio.ensure_future(text_of(made, "http://EXAMPLE.com:80/page")) for _ in range(20)]
    await origin.asked.wait()
    calls[0].cancel()
    await asyncio.sleep(0)
    origin.go.set()
    results = await asyncio.gather(*calls, return_exceptions=True)
    assert isinstance(results[0], asyncio.CancelledError)
    assert results[1:] == ["first"] * 19
    assert origin.seen == ["/page"]


@pytest.mark.parametrize(
    ("url", "settings"),
    [
        ("http://wiki.corp/page", {"allowed_origins": ["http://wiki.corp"]}),
        ("http://example.com/page", {"headers_for_origin": {"http://example.com": {"X-Key": "k"}}}),
    ],
)
async def test_pages_of_a_grant_or_with_operator_headers_are_never_kept(
    internet: Any, origin: Origin, store: SqliteStore, url: str, settings: dict[str, Any]
) -> None:
    made = tools_over(internet, store=store, **settings)
    for _ in range(2):
        assert await text_of(made, url) == "first"
    assert origin.seen == ["/page", "/page"]


async def test_a_kept_page_is_refused_once_its_domain_is_blocked(
    internet: Any, origin: Origin, store: SqliteStore
) -> None:
    assert await text_of(tools_over(internet, store=store), "http://example.com/page") == "first"
    blocked = tools_over(internet, store=store, blocked_domains=["example.com"])
    outcome = await blocked.web_fetch("http://example.com/page")
    assert outcome.error is not None
    assert outcome.error.code == "WEB_BLOCKED_URL"
