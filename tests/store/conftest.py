"""Stores to test, and a Redis server of the tests' own."""

import os
import shutil
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from hydra_web.protocols import Store
from hydra_web.store import IndexedPage, MemoryStore, RedisStore, SqliteStore


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _listens(port: int) -> bool:
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=0.2):
            return True
    except OSError:
        return False


StartRedis = Callable[..., int]


@pytest.fixture(scope="session")
def start_redis(tmp_path_factory: pytest.TempPathFactory) -> Iterator[StartRedis]:
    """Starts Redis servers on free loopback ports, with options of `redis.conf`; all end with the tests."""
    binary = shutil.which("redis-server")
    if binary is None:
        if os.environ.get("HYDRA_REQUIRE_SERVICES") == "1":
            pytest.fail("redis-server is not installed and HYDRA_REQUIRE_SERVICES=1")
        pytest.skip("redis-server is not installed")
    servers: list[subprocess.Popen[bytes]] = []

    def start(**options: object) -> int:
        port = _free_port()
        listen = {"port": port} if "tls_cert_file" not in options else {"port": 0, "tls_port": port}
        fixed = {"bind": "127.0.0.1", "save": "", "appendonly": "no", "dir": tmp_path_factory.mktemp("redis")}
        given = {**listen, **fixed, **options}.items()
        arguments = [text for name, value in given for text in (f"--{name.replace('_', '-')}", str(value))]
        server = subprocess.Popen([binary, *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        servers.append(server)
        while not _listens(port):
            assert server.poll() is None, "redis-server ended"
            time.sleep(0.02)
        return port

    yield start
    for server in servers:
        server.terminate()
        server.wait()


@pytest.fixture(scope="session")
def redis_url(start_redis: StartRedis) -> str:
    return f"redis://:s3cret@127.0.0.1:{start_redis(requirepass='s3cret')}/0"


OpenStore = Callable[[], Store]


@pytest.fixture(params=["memory", "sqlite", "redis"])
def open_store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[OpenStore]:
    """Opens the same store again and again, as several workers would; memory has only one."""
    opened: list[Store] = []
    only = MemoryStore()

    def open_one() -> Store:
        match request.param:
            case "memory":
                store: Store = only
            case "sqlite":
                store = SqliteStore(tmp_path / "store.sqlite3")
            case _:
                store = RedisStore(request.getfixturevalue("redis_url"), prefix=f"{tmp_path.name}:")
        opened.append(store)
        return store

    yield open_one
    for store in opened:
        store.close()


@pytest.fixture
def store(open_store: OpenStore) -> Store:
    return open_store()


@pytest.fixture
def sqlite(tmp_path: Path) -> Iterator[SqliteStore]:
    store = SqliteStore(tmp_path / "store.sqlite3")
    yield store
    store.close()


@pytest.fixture
def make_page() -> Callable[..., IndexedPage]:
    def make(url: str, text: str, title: str | None = None, **more: str) -> IndexedPage:
        return IndexedPage(
            **{
                "url": url,
                "title": title,
                "kind": "text",
                "content": text,
                "text": text,
                "fetched_at": "2026-01-02T03:04:05+00:00",
                **more,  # type: ignore[arg-type]
            }
        )

    return make
