"""Searches side by side over a loopback API: concurrency, connection set-up and reading, as ratios.

    python benchmarks/search.py

Prints how long four concurrent queries take against one, at 50 ms of server latency; what the door costs against a
bare httpx client; and how long large answers take to read against the same JSON merely parsed.
"""

import asyncio
import json
import statistics
import time
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from functools import partial

import httpx

from hydra_web.providers import PROVIDER_CLASSES, ExaSearch, SearchApi
from hydra_web.testing._shapes import SAMPLE_SOURCES, SHAPES
from hydra_web.testing.providers import ProviderReply, ProviderServer, RecordedCall
from hydra_web.types import WebSearchRequest

LATENCY_SECONDS = 0.05
ROUNDS = 15
REQUEST = WebSearchRequest(query="deep sea", max_results=5)


async def median_seconds(work: Callable[[], Awaitable[object]], rounds: int = ROUNDS) -> float:
    await work()
    times = []
    for _ in range(rounds):
        started = time.perf_counter()
        await work()
        times.append(time.perf_counter() - started)
    return statistics.median(times)


def make(kind: type[SearchApi], base_url: str) -> SearchApi:
    return kind(base_url=base_url, api_key="benchmark-key", max_concurrency=8)


async def search_times(provider: SearchApi, times: int) -> None:
    await asyncio.gather(*(provider.search(REQUEST) for _ in range(times)))


async def compare_concurrency() -> None:
    print(f"\nFour concurrent queries against one, {LATENCY_SECONDS * 1000:.0f} ms server latency (bound: 1.5)")
    print("(every provider with room for 8 at once; Wikipedia's own default is 1, as Wikimedia asks)")
    for kind in PROVIDER_CLASSES:
        with ProviderServer(kind.id) as server:
            answer = ProviderReply(body=server.shape(SAMPLE_SOURCES))

            def respond(_: RecordedCall, answer: ProviderReply = answer) -> ProviderReply:
                time.sleep(LATENCY_SECONDS)
                return answer

            server.respond = respond
            provider = make(kind, server.base_url)
            one = await median_seconds(partial(search_times, provider, 1))
            four = await median_seconds(partial(search_times, provider, 4))
        print(f"  {kind.id:<18} one {one * 1000:6.1f} ms   four {four * 1000:6.1f} ms   ratio {four / one:4.2f}")


async def compare_with_bare_client() -> None:
    print("\nOne search against a bare httpx call, no latency")
    with ProviderServer("exa") as server:
        provider = make(ExaSearch, server.base_url)
        ours = await median_seconds(lambda: provider.search(REQUEST), 100)

        async def bare() -> None:
            async with httpx.AsyncClient(trust_env=False, verify=False) as client:
                (await client.post(f"{server.base_url}/search", json={"query": "deep sea"})).json()

        theirs = await median_seconds(bare, 100)
    print(f"  ours {ours * 1000:.2f} ms   bare httpx {theirs * 1000:.2f} ms   ratio {ours / theirs:.2f}")


def compare_reading() -> None:
    print("\nReading an answer of 1000 results against parsing its JSON")
    sources = [
        {"url": f"https://example.org/{n}", "title": f"Result {n}", "snippet": "The deep sea &amp; more. " * 8}
        for n in range(1000)
    ]
    now = datetime.now(UTC)
    for kind in PROVIDER_CLASSES:
        provider = make(kind, "https://api.example.org")
        body = json.dumps(SHAPES[kind.id](sources))
        parsed = json.loads(body)
        started = time.perf_counter()
        for _ in range(5):
            json.loads(body)
        middle = time.perf_counter()
        for _ in range(5):
            provider.read_answer(parsed, now)
        parse, read = middle - started, time.perf_counter() - middle
        print(f"  {kind.id:<18} parse {parse * 200:6.2f} ms   read {read * 200:6.2f} ms   ratio {read / parse:5.2f}")


if __name__ == "__main__":
    asyncio.run(compare_concurrency())
    asyncio.run(compare_with_bare_client())
    compare_reading()
