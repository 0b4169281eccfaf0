"""Run by the tests in processes of their own: uses a store as a worker would."""

import os
import sys
import threading
import time
from pathlib import Path

from hydra_web.protocols import Charge, ChargeLimits, Store
from hydra_web.store import IndexedPage, RedisStore, SqliteStore


def open_store(where: str, prefix: str = "") -> Store:
    return (
        RedisStore(where, prefix=prefix) if where.startswith("redis:") else SqliteStore(where, busy_timeout_ms=60_000)
    )


def race(where: str, prefix: str, threads: str, calls: str, cap: str) -> None:
    """Charges from several threads at once; prints how many were admitted."""
    store = open_store(where, prefix)
    admitted: list[bool] = []

    def work() -> None:
        for _ in range(int(calls)):
            charge = Charge(owner=str(os.getpid()), kind="fetch", queries=0, at=time.time())
            admitted.append(store.charge("run", charge, ChargeLimits(max_calls=int(cap))).admitted)

    workers = [threading.Thread(target=work) for _ in range(int(threads))]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    store.close()
    assert len(admitted) == int(threads) * int(calls)
    sys.stdout.write(f"{sum(admitted)}\n")


def charge_forever(where: str, prefix: str) -> None:
    """Charges without end, saying after each that it was kept; to be killed."""
    store = open_store(where, prefix)
    while True:
        calls = store.charge("run", Charge(owner="x", kind="fetch", queries=0, at=1.0), ChargeLimits()).calls
        os.write(1, f"{calls}\n".encode())


def write_forever(where: str) -> None:
    """Records and charges without end, saying after each that it was kept; to be killed."""
    store = SqliteStore(where)
    number = 0
    while True:
        number += 1
        text = f"kept number {number} " + "padding " * 2000
        store.add_page(
            IndexedPage(
                url=f"http://t.example/{number}",
                title=None,
                kind="text",
                content=text,
                text=text,
                fetched_at="2026-01-01",
            )
        )
        charge = Charge(owner="x", kind="fetch", queries=0, at=float(number))
        store.charge("run", charge, ChargeLimits())
        os.write(1, f"{number}\n".encode())


def index_many(where: str, worker: str, count: str) -> None:
    """Adds pages one by one, beside other workers; creates the file when it is first."""
    store = SqliteStore(where)
    for number in range(int(count)):
        text = f"worker {worker} page {number}"
        store.add_page(
            IndexedPage(
                url=f"http://t.example/{worker}/{number}",
                title=None,
                kind="text",
                content=text,
                text=text,
                fetched_at="2026-01-01",
            )
        )
        store.append("log", {"worker": worker, "number": number})
    store.close()


def fill_disk(where: str, limit: str) -> None:
    """Writes under a limit on the size of files; prints how many pages were kept and the error."""
    import resource

    from hydra_web.errors import WebError

    store = SqliteStore(where)
    resource.setrlimit(resource.RLIMIT_FSIZE, (int(limit), int(limit)))
    kept = 0
    try:
        while True:
            text = f"page {kept} " + os.urandom(20_000).hex()
            store.add_page(
                IndexedPage(
                    url=f"http://t.example/{kept}",
                    title=None,
                    kind="text",
                    content=text,
                    text=text,
                    fetched_at="2026-01-01",
                )
            )
            kept += 1
    except WebError as error:
        sys.stdout.write(f"{kept} {error.reason}\n")
    assert store.page("http://t.example/0") is not None
    assert Path(where).exists()
    store.close()


if __name__ == "__main__":
    globals()[sys.argv[1]](*sys.argv[2:])
