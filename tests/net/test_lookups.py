"""Name lookups on bounded daemon threads."""

import asyncio
import subprocess
import sys
import threading
import time

import pytest

from hydra_web.net._lookups import look_up, system_resolver
from hydra_web.net._threads import DaemonThreads, _reset_all


async def test_an_answer_comes_back_and_so_does_an_error() -> None:
    assert await look_up(lambda host: (f"{host}-1", f"{host}-2"), "a") == ["a-1", "a-2"]

    async def awaited(host: str) -> list[str]:
        return [host]

    assert await look_up(awaited, "a") == ["a"]

    def fail(host: str) -> list[str]:
        raise OSError(host)

    with pytest.raises(OSError, match=r"^b$"):
        await look_up(fail, "b")


async def test_more_calls_than_threads_wait_their_turn() -> None:
    threads = DaemonThreads(3)
    running: list[int] = []
    most: list[int] = []

    def slow() -> None:
        running.append(1)
        most.append(len(running))
        time.sleep(0.002)
        running.pop()

    await asyncio.gather(*(threads.run(slow) for _ in range(30)))
    assert len(most) == 30
    assert max(most) <= 3


async def test_a_stuck_call_leaves_others_and_the_default_executor_free() -> None:
    threads = DaemonThreads(4)
    release = threading.Event()
    waiting = [asyncio.create_task(threads.run(lambda: release.wait(20))) for _ in range(3)]
    await asyncio.sleep(0)
    assert await threads.run(lambda: "quick") == "quick"
    assert await asyncio.to_thread(lambda: 7) == 7
    for task in waiting:
        task.cancel()
    results = await asyncio.gather(*waiting, return_exceptions=True)
    assert all(isinstance(result, asyncio.CancelledError) for result in results)
    release.set()
    assert await threads.run(lambda: "again") == "again"


async def test_a_call_cancelled_while_waiting_is_never_made() -> None:
    threads = DaemonThreads(1)
    release = threading.Event()
    made: list[str] = []

    def call(name: str) -> None:
        made.append(name)
        release.wait(20)

    first = asyncio.create_task(threads.run(lambda: call("first")))
    second = asyncio.create_task(threads.run(lambda: call("second")))
    await asyncio.sleep(0.01)
    second.cancel()
    await asyncio.gather(second, return_exceptions=True)
    release.set()
    await first
    await threads.run(lambda: call("third"))
    assert made == ["first", "third"]


def test_a_forked_child_starts_afresh() -> None:
    threads = DaemonThreads(1)
    threads._running = 1
    _reset_all()
    assert asyncio.run(threads.run(lambda: "x")) == "x"


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
