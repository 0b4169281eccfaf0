"""robots.txt, when the operator wants it respected."""

import asyncio
import importlib.util
from typing import Any

import pytest
from protego import Protego

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


async def test_fetches_at_one_moment_ask_once(internet: Any, get: Any) -> None:
    with LocalSite({"/robots.txt": ("text/plain", RULES), "/a": PAGE}) as site:
        internet.routes["93.184.216.34"] = int(site.origin.rsplit(":")[-1])
        fetcher = internet.fetcher(robots="respect")
        await asyncio.gather(*(get(fetcher, "http://93.184.216.34/a") for _ in range(6)))
        assert site.requests.count("/robots.txt") == 1
        assert not fetcher._robots._asking


async def test_a_missing_file_allows_everything(internet: Any, get: Any) -> None:
    with LocalSite({"/a": PAGE}) as site:
        internet.routes["93.184.216.34"] = int(site.origin.rsplit(":")[-1])
        assert await _reason(get(internet.fetcher(robots="respect"), "http://93.184.216.34/a")) is None


@pytest.mark.parametrize("reply", ["HTTP/1.1 503 Down\r\nContent-Length: 0\r\n\r\n", "nonsense", ""])
async def test_an_unreachable_file_disallows_everything(internet: Any, get: Any, reply: str) -> None:
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


async def test_a_redirected_file_obeys_the_domain_lists(internet: Any, get: Any, hostile: Any) -> None:
    internet.add("a.example.com", ["93.184.216.34"])
    internet.add("b.example.com", ["1.1.1.1"])
    moved = "HTTP/1.1 301 Moved\r\nLocation: http://b.example.com/robots.txt\r\nContent-Length: 0\r\n\r\n"

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(moved.encode())
        writer.close()
        await writer.wait_closed()

    async with await asyncio.start_server(serve, "127.0.0.1", 0) as server:
        internet.routes["93.184.216.34"] = server.sockets[0].getsockname()[1]
        fetcher = internet.fetcher(robots="respect", blocked_domains=["b.example.com"])
        assert await _reason(get(fetcher, "http://a.example.com/x")) == "robots"
    assert internet.lookups == ["a.example.com"]


@pytest.mark.parametrize(
    ("text", "allowed"),
    [
        ("User-agent: hydra-web\nDisallow: /x", False),
        ("User-Agent: HYDRA-web/2.1 # us\nDisallow: /x", False),
        ("user agent hydra-web\nDisallow: /x", False),
        ("User-agent: hydra-web*\nDisallow: /x", False),
        ("User-agent: other\nDisallow: /x", True),
        ("User-agent: hydra\nDisallow: /x", True),
        ("User-agent: hydra-web\nAllow: /\n\nUser-agent: *\nDisallow: /x", True),
        ("User-agent: *\nDisallow: /x\n\nUser-agent: hydra-web", True),
        ("User-agent: hydra-web\nUser-agent: other\nDisallow: /x", False),
        ("User-agent: hydra-web\nSitemap: /s\n\n# and\nUser-agent: other\nDisallow: /x", False),
        ("User-agent: hydra-web\nDisallow: /y\nUser-agent: other\nDisallow: /x", True),
        ("User-agent: hydra-web\nDisallow: /y\nUser-agent: *\nUser-agent: hydra-web\nDisallow: /x", False),
        ("Disallow: /x", True),
    ],
)
def test_the_group_that_names_the_robot_counts(text: str, allowed: bool) -> None:
    rules = Protego.parse(_robots._group_for(text, "hydra-web"))
    assert rules.can_fetch("https://example.com/x", "hydra-web") is allowed


@pytest.mark.timeout(20)
def test_many_robots_with_many_rules_are_read_in_linear_time() -> None:
    named = "".join(f"User-agent: robot{number}\n" for number in range(15_000))
    rules = "".join(f"Disallow: /{number}\n" for number in range(15_000))
    group = _robots._group_for(f"{named}User-agent: *\n{rules}", "hydra-web")
    assert group.count("\n") == 15_000
    assert not Protego.parse(group).can_fetch("https://example.com/77", "hydra-web")


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
