"""The guarded fetch beside a bare httpx GET, on loopback.

    python benchmarks/fetch.py

Prints the ratio of their times for one page over a fresh connection, the share of URL policy and of
the lookup, and how long the event loop is held up while 200 pages of 100 kB are fetched at once.
"""

import asyncio
import statistics
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable

import httpx

from hydra_web.net import HttpFetch, check_addresses, check_url
from hydra_web.net._lookups import look_up
from hydra_web.types import WebFetchRequest

ROUNDS = 15
PER_ROUND = 40
CROWDS = 5
PAGE = b"<p>" + b"word " * 20_000


async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        request = await reader.readuntil(b"\r\n\r\n")
        body = PAGE if b" /large" in request else b"<p>small page</p>"
        head = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: %d\r\n\r\n" % len(body)
        writer.write(head + body)
        await writer.drain()
    except (ConnectionError, asyncio.IncompleteReadError):
        pass
    finally:
        writer.close()


async def timed(call: Callable[[], Awaitable[object]]) -> float:
    start = time.perf_counter()
    for _ in range(PER_ROUND):
        await call()
    return (time.perf_counter() - start) / PER_ROUND


async def compare(origin: str) -> None:
    context = httpx.create_ssl_context(trust_env=False)
    fetcher = HttpFetch(allowed_origins=[origin])
    request = WebFetchRequest(url=origin + "/small")

    async def guarded() -> object:
        return await fetcher.fetch(request)

    async def bare() -> object:
        async with httpx.AsyncClient(verify=context, trust_env=False) as client:
            return await client.get(origin + "/small")

    await timed(guarded)
    await timed(bare)
    pairs = [(await timed(guarded), await timed(bare)) for _ in range(ROUNDS)]
    ratio = statistics.median(ours / theirs for ours, theirs in pairs)
    ours, theirs = (statistics.median(column) * 1000 for column in zip(*pairs, strict=True))
    print(f"one small page, fresh connection: guarded {ours:.2f} ms, bare httpx {theirs:.2f} ms, ratio {ratio:.2f}")


async def overheads() -> None:
    start = time.perf_counter()
    for _ in range(2000):
        target = check_url("https://www.example.com/some/path?query=1")
        check_addresses(target, ["93.184.216.34", "2606:2800:220:1:248:1893:25c8:1946"])
    policy = (time.perf_counter() - start) / 2000
    start = time.perf_counter()
    for _ in range(500):
        await look_up(lambda _: ["93.184.216.34"], "www.example.com")
    lookup = (time.perf_counter() - start) / 500
    print(f"URL and address policy {policy * 1e6:.0f} µs; a lookup's thread {lookup * 1e6:.0f} µs")


async def watch(stop: asyncio.Event, lags: list[float], work: list[float]) -> None:
    """How late each wake-up is, and how much processor time this process used meanwhile."""
    while not stop.is_set():
        start, used = time.perf_counter(), time.process_time()
        await asyncio.sleep(0.001)
        lags.append((time.perf_counter() - start - 0.001) * 1000)
        work.append((time.process_time() - used) * 1000)


async def crowd(origin: str) -> None:
    fetcher = HttpFetch(allowed_origins=[origin], per_host_concurrency=200)
    request = WebFetchRequest(url=origin + "/large")
    stop = asyncio.Event()
    lags: list[float] = []
    work: list[float] = []
    watcher = asyncio.create_task(watch(stop, lags, work))
    start = time.perf_counter()
    for _ in range(CROWDS):
        await asyncio.gather(*(fetcher.fetch(request) for _ in range(200)))
    elapsed = (time.perf_counter() - start) / CROWDS
    stop.set()
    await watcher
    print(f"200 pages of 100 kB at once: {elapsed:.2f} s; event-loop lag p99 {p99(lags):.0f} ms by the clock,", end=" ")
    print(f"{p99(work):.0f} ms of this process's own work (the rest is other load on this machine)")


def p99(values: list[float]) -> float:
    return sorted(values)[int(len(values) * 0.99)]


async def serve_for_ever() -> None:
    server = await asyncio.start_server(serve, "127.0.0.1", 0, backlog=500)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


def main() -> None:
    # a process of its own: the server's work must not count as ours
    server = subprocess.Popen([sys.executable, __file__, "serve"], stdout=subprocess.PIPE, text=True)
    assert server.stdout is not None
    try:
        origin = f"http://127.0.0.1:{int(server.stdout.readline())}"
        asyncio.run(compare(origin))
        asyncio.run(overheads())
        asyncio.run(crowd(origin))
    finally:
        server.kill()
        server.wait()


if __name__ == "__main__":
    asyncio.run(serve_for_ever()) if sys.argv[1:] == ["serve"] else main()
