"""robots.txt, when the operator wants it respected."""

import importlib.util
from typing import Any

import pytest

from hydra_web.errors import ConfigError, WebError
from hydra_web.net import HttpFetch, _robots
from hydra_web.testing.site import LocalSite

RULES = b"User-agent: *\nDisallow: /private\n\nUser-agent: nice-bot\nDisallow: /only-nice\n"


async def _reason(fetching: Any) -> str | None:
    try:
        await fetching
    except WebError as error:
        return error.reason
    return None


PAGE = ("text/plain", b"page")


async def test_rules_are_respected_and_asked_for_once(internet: Any, get: Any) -> None:
    pages = {"/robots.txt": ("text/plain", RULES), "/a": PAGE, "/private": PAGE, "/only-nice": PAGE}
    with LocalSite(pages) as site:
        internet.routes["93.184.216.34"] = int(site.origin.rsplit(":")[-1])
        fetcher = internet.fetcher(robots="respect")
        assert await _reason(get(fetcher, "http://93.184.216.34/a")) is None
        assert await _reason(get(fetcher, "http://93.184.216.34/private/x")) == "robots"
        assert await _reason(get(fetcher, "http://93.184.216.34/only-nice")) is None
        assert site.requests.count("/robots.txt") == 1
        nice = internet.fetcher(robots="respect", user_agent="nice-bot/1.0 (+https://example.com)")
        assert await _reason(get(nice, "http://93.184.216.34/only-nice")) == "robots"
        ignoring = internet.fetcher()
        assert await _reason(get(ignoring, "http://93.184.216.34/private")) is None
        with pytest.raises(WebError) as caught:
            await get(fetcher, "http://93.184.216.34/private")
    assert caught.value.code == "WEB_BLOCKED_URL"
    assert caught.value.message == "the site's robots.txt does not allow fetching this page; this is policy"


async def test_a_missing_file_allows_everything(internet: Any, get: Any) -> None:
    with LocalSite({"/a": PAGE}) as site:
        internet.routes["93.184.216.34"] = int(site.origin.rsplit(":")[-1])
        assert await _reason(get(internet.fetcher(robots="respect"), "http://93.184.216.34/a")) is None


@pytest.mark.parametrize("reply", ["HTTP/1.1 503 Down\r\nContent-Length: 0\r\n\r\n", "nonsense", ""])
async def test_an_unreachable_file_disallows_everything(internet: Any, get: Any, reply: str) -> None:
    import asyncio

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(reply.encode())
        writer.close()
        await writer.wait_closed()

    async with await asyncio.start_server(serve, "127.0.0.1", 0) as server:
        internet.routes["93.184.216.34"] = server.sockets[0].getsockname()[1]
        assert await _reason(get(internet.fetcher(robots="respect"), "http://93.184.216.34/a")) == "robots"


async def test_a_redirected_file_is_read_through_the_same_door(internet: Any, get: Any, hostile: Any) -> None:
    internet.add("rules.example.com", ["1.1.1.1"])
    internet.add("inside.example.com", ["10.0.0.1"])

    async def verdict(target: str) -> str | None:
        import asyncio

        async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            path = (await reader.readuntil(b"\r\n\r\n")).split(b" ")[1]
            found = b"HTTP/1.1 301 Moved\r\nLocation: " + target.encode() + b"\r\nContent-Length: 0\r\n\r\n"
            page = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n\r\nok"
            writer.write(found if path == b"/robots.txt" else page)
            writer.close()
            await writer.wait_closed()

        async with await asyncio.start_server(serve, "127.0.0.1", 0) as server:
            internet.routes["93.184.216.34"] = server.sockets[0].getsockname()[1]
            return await _reason(get(internet.fetcher(robots="respect"), "http://93.184.216.34/private"))

    with LocalSite({"/moved.txt": ("text/plain", RULES)}) as other:
        internet.routes["1.1.1.1"] = int(other.origin.rsplit(":")[-1])
        assert await verdict("http://rules.example.com/moved.txt") == "robots"
        assert await verdict("http://rules.example.com/missing.txt") is None
    assert await verdict("http://inside.example.com/robots.txt") == "robots"
    assert await verdict("http://10.0.0.1/robots.txt") == "robots"
    assert await verdict("/robots.txt") is None  # more than five redirects: the file counts as missing
    assert "10.0.0.1" not in internet.dialled


async def test_every_hop_asks(internet: Any, get: Any, hostile: Any) -> None:
    port = int(hostile.origin.rsplit(":")[-1])
    internet.add("a.example.com", ["93.184.216.34"])
    internet.add("b.example.com", ["1.1.1.1"])
    with LocalSite({"/robots.txt": ("text/plain", RULES), "/private": PAGE}) as site:
        internet.routes |= {"93.184.216.34": port, "1.1.1.1": int(site.origin.rsplit(":")[-1])}
        fetcher = internet.fetcher(robots="respect", redirects="guarded")
        url = "http://a.example.com/location/http%3A%2F%2Fb.example.com%2Fprivate"
        assert await _reason(get(fetcher, url)) == "robots"
        assert "/private" not in site.requests


async def test_only_so_many_hosts_are_remembered(internet: Any, get: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_robots, "_MOST_ORIGINS", 1)
    with LocalSite({"/a": PAGE}) as site:
        internet.routes |= dict.fromkeys(("1.1.1.1", "8.8.8.8"), int(site.origin.rsplit(":")[-1]))
        fetcher = internet.fetcher(robots="respect")
        for address in ("1.1.1.1", "8.8.8.8", "1.1.1.1"):
            await get(fetcher, f"http://{address}/a")
        assert site.requests.count("/robots.txt") == 3


def test_without_the_extra_the_setting_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(ConfigError, match="hydra-web\\[robots\\]"):
        HttpFetch(robots="respect")
