"""Name lookups on bounded daemon threads."""

import asyncio
import subprocess
import sys
import threading
import time

import pytest

from hydra_web.net._lookups import LookupThreads, system_resolver


async def test_an_answer_comes_back_and_so_does_an_error() -> None:
    threads = LookupThreads(2)
    assert await threads.resolve(lambda host: (f"{host}-1", f"{host}-2"), "a") == ["a-1", "a-2"]

    def fail(host: str) -> list[str]:
        raise OSError(host)

    with pytest.raises(OSError, match=r"^b$"):
        await threads.resolve(fail, "b")


async def test_more_lookups_than_threads_wait_their_turn() -> None:
    threads = LookupThreads(3)
    running: list[int] = []
    most: list[int] = []

    def slow(host: str) -> list[str]:
        running.append(1)
        most.append(len(running))
        time.sleep(0.002)
        running.pop()
        return [host]

    answers = await asyncio.gather(*(threads.resolve(slow, str(n)) for n in range(30)))
    assert answers == [[str(n)] for n in range(30)]
    assert max(most) <= 3


async def test_a_stuck_lookup_leaves_others_and_the_default_executor_free() -> None:
    threads = LookupThreads(4)
    release = threading.Event()

    def stuck(host: str) -> list[str]:
        release.wait(20)
        return [host]

    waiting = [asyncio.create_task(threads.resolve(stuck, "tar")) for _ in range(3)]
    await asyncio.sleep(0)
    assert await threads.resolve(lambda host: [host], "quick") == ["quick"]
    assert await asyncio.to_thread(lambda: 7) == 7
    for task in waiting:
        task.cancel()
    results = await asyncio.gather(*waiting, return_exceptions=True)
    assert all(isinstance(result, asyncio.CancelledError) for result in results)
    release.set()
    assert await threads.resolve(lambda host: [host], "again") == ["again"]


async def test_a_lookup_cancelled_while_waiting_is_never_run() -> None:
    threads = LookupThreads(1)
    release = threading.Event()
    asked: list[str] = []

    def ask(host: str) -> list[str]:
        asked.append(host)
        release.wait(20)
        return [host]

    first = asyncio.create_task(threads.resolve(ask, "first"))
    second = asyncio.create_task(threads.resolve(ask, "second"))
    await asyncio.sleep(0.01)
    second.cancel()
    await asyncio.gather(second, return_exceptions=True)
    release.set()
    assert await first == ["first"]
    assert await threads.resolve(ask, "third") == ["third"]
    assert asked == ["first", "third"]


def test_a_forked_child_starts_afresh() -> None:
    threads = LookupThreads(1)
    threads._running = 1
    threads.reset()
    assert asyncio.run(threads.resolve(lambda host: [host], "x")) == ["x"]


def test_the_system_resolver_gives_numeric_addresses() -> None:
    assert set(system_resolver("localhost")) <= {"127.0.0.1", "::1"}


def test_a_stuck_lookup_does_not_delay_the_end_of_the_process() -> None:
    program = (
        "import asyncio, time\n"
        "from hydra_web.net import HttpFetch\n"
        "from hydra_web.types import WebFetchRequest\n"
        "from hydra_web.errors import WebError\n"
        "async def main():\n"
        "    fetcher = HttpFetch(resolver=lambda host: time.sleep(60), timeout_ms=200)\n"
        "    try:\n"
        "        await fetcher.fetch(WebFetchRequest(url='https://stuck.example.org/'))\n"
        "    except WebError as error:\n"
        "        print(error.code)\n"
        "asyncio.run(main())\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=45, check=True)
    assert (done.stdout, done.stderr) == ("WEB_FETCH_TIMEOUT\n", "")
