"""What the network tests share: a hostile server, and a public internet that ends on loopback."""

from collections.abc import Iterator
from typing import Any

import httpcore
import pytest

from hydra_web.net import HttpFetch, _connector
from hydra_web.testing.hostile import HostileServer
from hydra_web.types import WebFetchRequest, WebFetchResult


@pytest.fixture(scope="session")
def hostile() -> Iterator[HostileServer]:
    with HostileServer() as server:
        yield server


class Stream(httpcore.AsyncNetworkStream):
    """A loopback connection that says it leads to a public address."""

    def __init__(self, inner: httpcore.AsyncNetworkStream, peer: str, local: str) -> None:
        self.inner = inner
        self.peer = peer
        self.local = local

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        return await self.inner.read(max_bytes, timeout)

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:
        await self.inner.write(buffer, timeout)

    async def aclose(self) -> None:
        await self.inner.aclose()

    async def start_tls(self, *arguments: Any, **named: Any) -> httpcore.AsyncNetworkStream:
        return await self.inner.start_tls(*arguments, **named)

    def get_extra_info(self, info: str) -> Any:
        match info:
            case "server_addr":
                return (self.peer, 443)
            case "client_addr":
                return (self.local, 50000)
            case _:
                return self.inner.get_extra_info(info)


class Internet:
    """Names and public addresses, with what happened to them."""

    def __init__(self) -> None:
        self.names: dict[str, list[list[str]]] = {}
        self.routes: dict[str, int] = {}
        self.peers: dict[str, str] = {}
        self.local = "192.168.7.7"
        self.lookups: list[str] = []
        self.dialled: list[str] = []
        self._loopback = httpcore.AnyIOBackend()

    def add(self, name: str, *answers: list[str]) -> None:
        """Gives a name its answers, one list for each lookup; the last one stays."""
        self.names[name] = list(answers)

    def resolve(self, host: str) -> list[str]:
        self.lookups.append(host)
        if host not in self.names:
            raise OSError("no such name")
        answers = self.names[host]
        return answers.pop(0) if len(answers) > 1 else answers[0]

    async def connect_tcp(self, host: str, port: int) -> httpcore.AsyncNetworkStream:
        self.dialled.append(host)
        inner = await self._loopback.connect_tcp("127.0.0.1", self.routes.get(host, 9))
        return Stream(inner, self.peers.get(host, host), self.local)

    def fetcher(self, **settings: Any) -> HttpFetch:
        """A fetcher that asks this internet for addresses."""
        return HttpFetch(resolver=self.resolve, **settings)


@pytest.fixture
def internet(monkeypatch: pytest.MonkeyPatch) -> Internet:
    made = Internet()
    monkeypatch.setattr(_connector, "_DIALLER", made)
    return made


async def get(fetcher: HttpFetch, url: str, **arguments: Any) -> WebFetchResult:
    return await fetcher.fetch(WebFetchRequest(url=url), **arguments)


@pytest.fixture(name="get")
def _get() -> Any:
    return get
