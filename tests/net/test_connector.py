"""Connections go only to addresses that were just checked."""

import asyncio
from typing import Any

import httpcore
import pytest

from hydra_web.errors import WebError
from hydra_web.net import HttpFetch, _connector, check_url
from hydra_web.net._connector import GuardedBackend, causes
from hydra_web.testing.site import LocalSite

PAGE = {"/": ("text/plain", b"reached")}


async def _refusal(fetching: Any) -> WebError:
    with pytest.raises(WebError) as caught:
        await fetching
    assert caught.value.__context__ is None
    return caught.value


async def test_a_public_name_is_looked_up_once_and_its_checked_address_dialled(internet: Any, get: Any) -> None:
    internet.add("example.com", ["93.184.216.34"])
    with LocalSite(PAGE) as site:
        internet.routes["93.184.216.34"] = int(site.origin.rsplit(":")[-1])
        result = await get(internet.fetcher(), "http://example.com/")
    assert result.body.content == "reached"
    assert (internet.lookups, internet.dialled) == (["example.com"], ["93.184.216.34"])


@pytest.mark.parametrize(
    "answers", [["127.0.0.1"], ["8.8.8.8", "127.0.0.1"], ["::ffff:127.0.0.1"], ["fe80::1%2"], ["nonsense"]]
)
async def test_a_bad_answer_means_one_lookup_and_no_connection(internet: Any, get: Any, answers: list[str]) -> None:
    internet.add("example.com", answers)
    error = await _refusal(get(internet.fetcher(), "http://example.com/"))
    assert (error.code, error.reason) == ("WEB_BLOCKED_URL", "address")
    assert (internet.lookups, internet.dialled) == (["example.com"], [])


@pytest.mark.parametrize(
    "host", ["127.1", "2130706433", "0x7f000001", "[::1]", "[::ffff:127.0.0.1]", "0177.0.0.1", "127。0。0。1"]
)
async def test_literal_addresses_are_judged_without_a_lookup(internet: Any, get: Any, host: str) -> None:
    error = await _refusal(get(internet.fetcher(), f"http://{host}/"))
    assert error.code == "WEB_BLOCKED_URL"
    assert internet.lookups == internet.dialled == []


async def test_rebinding_the_second_answer_is_never_asked_for_and_never_dialled(internet: Any, get: Any) -> None:
    internet.add("rebind.example.org", ["93.184.216.34"], ["127.0.0.1"])
    with LocalSite(PAGE) as site:
        internet.routes["93.184.216.34"] = int(site.origin.rsplit(":")[-1])
        await get(internet.fetcher(), "http://rebind.example.org/")
        assert internet.lookups == ["rebind.example.org"]
        error = await _refusal(get(internet.fetcher(), "http://rebind.example.org/"))
    assert error.code == "WEB_BLOCKED_URL"
    assert internet.dialled == ["93.184.216.34"]


async def test_a_private_answer_is_not_asked_again_until_it_passes(internet: Any, get: Any) -> None:
    internet.add("rebind.example.org", ["127.0.0.1"], ["93.184.216.34"])
    assert (await _refusal(get(internet.fetcher(), "http://rebind.example.org/"))).code == "WEB_BLOCKED_URL"
    assert internet.lookups == ["rebind.example.org"]


async def test_the_next_address_is_tried_when_the_first_refuses(internet: Any, get: Any) -> None:
    internet.add("example.com", ["2606:4700::1", "93.184.216.34"])
    with LocalSite(PAGE) as site:
        internet.routes["93.184.216.34"] = int(site.origin.rsplit(":")[-1])
        assert (await get(internet.fetcher(), "http://example.com/")).status_code == 200
    assert internet.dialled == ["2606:4700::1", "93.184.216.34"]


async def test_the_next_address_is_tried_when_the_first_is_dead(
    internet: Any, get: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    dial = internet.connect_tcp
    ended: list[str] = []

    async def dead_or_alive(host: str, port: int) -> httpcore.AsyncNetworkStream:
        if host == "93.184.216.1":
            try:
                await asyncio.sleep(60)
            finally:
                ended.append(host)
        stream: httpcore.AsyncNetworkStream = await dial(host, port)
        return stream

    monkeypatch.setattr(internet, "connect_tcp", dead_or_alive)
    internet.add("example.com", ["93.184.216.1", "93.184.216.34"])
    with LocalSite(PAGE) as site:
        internet.routes["93.184.216.34"] = int(site.origin.rsplit(":")[-1])
        assert (await get(internet.fetcher(), "http://example.com/")).status_code == 200
    assert ended == ["93.184.216.1"]


async def test_a_late_second_connection_is_closed(internet: Any, get: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_connector, "_STAGGER_SECONDS", 0)
    dial = internet.connect_tcp
    opened: list[Any] = []

    async def remember(host: str, port: int) -> httpcore.AsyncNetworkStream:
        stream = await dial(host, port)
        opened.append(stream)
        return stream  # type: ignore[no-any-return]

    monkeypatch.setattr(internet, "connect_tcp", remember)
    internet.add("example.com", ["93.184.216.1", "93.184.216.2", "93.184.216.3"])
    with LocalSite(PAGE) as site:
        for number in (1, 2, 3):
            internet.routes[f"93.184.216.{number}"] = int(site.origin.rsplit(":")[-1])
        assert (await get(internet.fetcher(), "http://example.com/")).status_code == 200
    assert opened


async def test_all_addresses_refused_is_a_refused_connection(internet: Any, get: Any) -> None:
    internet.add("example.com", ["93.184.216.1", "93.184.216.2"])
    error = await _refusal(get(internet.fetcher(), "http://example.com/"))
    assert (error.code, error.reason) == ("WEB_PROVIDER_ERROR", "connection_refused")


async def test_an_unreachable_server_is_its_own_failure(
    internet: Any, get: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def unreachable(host: str, port: int) -> httpcore.AsyncNetworkStream:
        raise httpcore.ConnectError from OSError("no route")

    monkeypatch.setattr(internet, "connect_tcp", unreachable)
    error = await _refusal(get(internet.fetcher(), "http://93.184.216.34/"))
    assert (error.code, error.reason) == ("WEB_PROVIDER_ERROR", "connect_failed")


async def test_lookup_failures_and_empty_answers(internet: Any, get: Any) -> None:
    error = await _refusal(get(internet.fetcher(), "http://nowhere.example.com/"))
    assert (error.code, error.reason) == ("WEB_PROVIDER_ERROR", "dns_failed")
    internet.add("empty.example.com", [])
    error = await _refusal(get(internet.fetcher(), "http://empty.example.com/"))
    assert (error.code, error.message) == ("WEB_PROVIDER_ERROR", "web fetch DNS returned no addresses")


@pytest.mark.parametrize("error", [KeyError("secret"), TypeError("secret"), TimeoutError(), UnicodeError("secret")])
async def test_whatever_a_resolver_raises_is_a_failed_lookup(get: Any, error: Exception) -> None:
    def fail(host: str) -> list[str]:
        raise error

    failure = await _refusal(get(HttpFetch(resolver=fail), "http://example.com/"))
    assert (failure.code, failure.reason) == ("WEB_PROVIDER_ERROR", "dns_failed")


@pytest.mark.parametrize(
    ("answer", "code"),
    [
        (None, "WEB_PROVIDER_ERROR"),
        (7, "WEB_PROVIDER_ERROR"),
        ([None], "WEB_BLOCKED_URL"),
        ("8.8.8.8", "WEB_BLOCKED_URL"),
    ],
)
async def test_whatever_a_resolver_gives_is_judged(get: Any, answer: Any, code: str) -> None:
    def give(host: str) -> Any:
        return answer

    assert (await _refusal(get(HttpFetch(resolver=give), "http://example.com/"))).code == code


async def test_a_peer_that_is_not_the_checked_address_is_refused_before_a_byte_is_sent(internet: Any, get: Any) -> None:
    internet.add("example.com", ["93.184.216.34"])
    with LocalSite(PAGE) as site:
        internet.routes["93.184.216.34"] = int(site.origin.rsplit(":")[-1])
        internet.peers["93.184.216.34"] = "10.0.0.1"
        error = await _refusal(get(internet.fetcher(), "http://example.com/"))
        assert site.requests == []
    assert (error.code, error.reason) == ("WEB_BLOCKED_URL", "address")


async def test_this_machine_s_own_public_address_is_refused(internet: Any, get: Any) -> None:
    internet.add("example.com", ["93.184.216.34"])
    with LocalSite(PAGE) as site:
        internet.routes["93.184.216.34"] = int(site.origin.rsplit(":")[-1])
        internet.local = "93.184.216.34"
        error = await _refusal(get(internet.fetcher(), "http://example.com/"))
        assert site.requests == []
    assert (error.code, error.reason) == ("WEB_BLOCKED_URL", "own_address")


async def test_an_extra_blocked_network_is_refused(internet: Any, get: Any) -> None:
    internet.add("example.com", ["161.26.0.5"])
    fetcher = internet.fetcher(extra_blocked_networks=["161.26.0.0/16"])
    assert (await _refusal(get(fetcher, "http://example.com/"))).code == "WEB_BLOCKED_URL"
    assert internet.dialled == []


async def test_the_connector_refuses_other_hosts_and_ports() -> None:
    backend = GuardedBackend(check_url("http://example.com/"), lambda host: ["93.184.216.34"], ())
    for attempt in (backend.connect_tcp("example.org", 80), backend.connect_tcp("example.com", 81)):
        assert (await _refusal(attempt)).code == "WEB_BLOCKED_URL"


async def test_a_fetch_cancelled_while_connecting_leaves_nothing_behind(
    internet: Any, get: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    started = asyncio.Event()
    ended: list[str] = []

    async def hang(host: str, port: int) -> httpcore.AsyncNetworkStream:
        started.set()
        try:
            await asyncio.sleep(60)
        finally:
            ended.append(host)
        raise AssertionError

    monkeypatch.setattr(internet, "connect_tcp", hang)
    task = asyncio.create_task(get(internet.fetcher(), "http://93.184.216.34/"))
    await started.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert ended == ["93.184.216.34"]


async def test_environment_proxies_are_ignored(internet: Any, get: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY", "https_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    with LocalSite(PAGE) as site:
        internet.routes["93.184.216.34"] = int(site.origin.rsplit(":")[-1])
        assert (await get(internet.fetcher(), "http://93.184.216.34/")).status_code == 200


def test_causes_are_found_through_chains_groups_and_loops() -> None:
    inner = ValueError("inner")
    group = ExceptionGroup("several", [inner, KeyError("k")])
    outer = RuntimeError("outer")
    outer.__cause__ = group
    inner.__context__ = outer
    assert {type(cause) for cause in causes(outer)} == {RuntimeError, ExceptionGroup, ValueError, KeyError}
    assert causes(None) == []
