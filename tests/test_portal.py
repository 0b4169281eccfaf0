"""The portal: asynchronous work for synchronous callers."""

import asyncio
import concurrent.futures
import contextvars
import multiprocessing
import multiprocessing.connection
import os
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from hydra_web.errors import ConfigError
from hydra_web.portal import Portal, run_sync

ROOT = Path(__file__).parents[1]


@pytest.fixture
def portal() -> Iterator[Portal]:
    portal = Portal()
    yield portal
    portal.close()


async def double(number: int) -> int:
    await asyncio.sleep(0)
    return number * 2


class Work:
    """A coroutine that waits for ever and says what became of it."""

    def __init__(self) -> None:
        self.started = threading.Event()
        self.cancelled = threading.Event()

    async def run(self) -> None:
        self.started.set()
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            self.cancelled.set()
            raise


def run_python(code: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-X", "dev", "-W", "error", "-c", textwrap.dedent(code), *arguments],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_gives_the_result(portal: Portal) -> None:
    assert portal.run(double(21)) == 42


def test_raises_what_the_work_raises(portal: Portal) -> None:
    async def fail() -> None:
        raise LookupError("mine")

    with pytest.raises(LookupError, match="mine"):
        portal.run(fail())


def test_a_time_out_raised_by_the_work_is_the_works_own(portal: Portal) -> None:
    async def fail() -> None:
        raise TimeoutError("mine")

    with pytest.raises(TimeoutError, match="mine"):
        portal.run(fail(), timeout=30)


def test_all_calls_share_one_loop_and_one_daemon_thread(portal: Portal) -> None:
    async def where() -> tuple[int, str, bool]:
        thread = threading.current_thread()
        return id(asyncio.get_running_loop()), thread.name, thread.daemon

    assert portal.run(where()) == portal.run(where())
    assert portal.run(where())[1:] == ("hydra-web-portal", True)


def test_the_callers_context_is_seen_by_the_work(portal: Portal) -> None:
    variable: contextvars.ContextVar[str] = contextvars.ContextVar("variable", default="none")

    async def read() -> str:
        return variable.get()

    variable.set("mine")
    assert portal.run(read()) == "mine"


def test_time_out_cancels_the_work(portal: Portal) -> None:
    work = Work()
    with pytest.raises(TimeoutError, match=r"not done within 0.01 seconds"):
        portal.run(work.run(), timeout=0.01)
    assert work.cancelled.is_set() or not work.started.is_set()


def test_keyboard_interrupt_cancels_the_work(portal: Portal, monkeypatch: pytest.MonkeyPatch) -> None:
    work = Work()
    real_wait = concurrent.futures.wait
    interrupts = iter([KeyboardInterrupt])

    def wait(*arguments: object) -> object:
        work.started.wait(10)
        for interrupt in interrupts:
            raise interrupt
        return real_wait(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(concurrent.futures, "wait", wait)
    with pytest.raises(KeyboardInterrupt):
        portal.run(work.run())
    assert work.cancelled.is_set()


@pytest.mark.skipif(os.name == "nt", reason="a process cannot send itself Ctrl-C there without its console")
def test_ctrl_c_stops_a_script_and_cancels_its_work() -> None:
    result = run_python(
        """
        import asyncio, os, signal
        from hydra_web.portal import run_sync

        async def work():
            os.kill(os.getpid(), signal.SIGINT)
            try:
                await asyncio.Event().wait()
            finally:
                print("cancelled")

        try:
            run_sync(work())
        except KeyboardInterrupt:
            print("interrupted")
        """
    )
    assert (result.stdout.split(), result.stderr) == (["cancelled", "interrupted"], "")


def test_refuses_to_wait_for_itself(portal: Portal) -> None:
    async def reenter() -> None:
        portal.run(double(1))

    with pytest.raises(ConfigError, match="await the asynchronous method instead") as caught:
        portal.run(reenter())
    assert caught.value.reason == "reentry"
    assert portal.run(double(2)) == 4


def test_refuses_to_be_closed_by_its_own_work(portal: Portal) -> None:
    async def close() -> None:
        portal.close()

    with pytest.raises(ConfigError, match="await the asynchronous"):
        portal.run(close())


def test_system_exit_of_the_work_reaches_the_caller_and_the_portal_lives_on(portal: Portal) -> None:
    async def leave() -> None:
        sys.exit(3)

    with pytest.raises(SystemExit):
        portal.run(leave())
    assert portal.run(double(2)) == 4


def test_closing_cancels_what_runs_and_a_later_call_starts_anew() -> None:
    portal = Portal()
    work = Work()
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(portal.run, work.run())
        assert work.started.wait(10)
        portal.close()
        with pytest.raises(concurrent.futures.CancelledError):
            waiting.result(10)
    assert work.cancelled.is_set()
    assert portal.run(double(3)) == 6
    portal.close()
    portal.close()


def test_work_that_comes_while_closing_is_refused() -> None:
    portal = Portal()
    refused: list[type[BaseException]] = []

    async def linger() -> None:
        server = portal._server
        assert server is not None
        try:
            await asyncio.Event().wait()
        finally:
            late = asyncio.get_running_loop().run_in_executor(None, attempt, server)
            await late

    def attempt(server: object) -> None:
        try:
            server.run(double(1), None)  # type: ignore[attr-defined]
        except concurrent.futures.CancelledError as error:
            refused.append(type(error))

    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(portal.run, linger())
        while portal._server is None:
            time.sleep(0.001)
        portal.run(double(1))
        server = portal._server
        portal.close()
        with pytest.raises(concurrent.futures.CancelledError):
            waiting.result(10)
    assert server is not None
    attempt(server)
    assert refused == [concurrent.futures.CancelledError] * 2


def test_sixteen_threads_share_the_portal(portal: Portal) -> None:
    with concurrent.futures.ThreadPoolExecutor(16) as pool:
        results = list(pool.map(lambda number: portal.run(double(number)), range(160)))
    assert results == [number * 2 for number in range(160)]


async def test_works_inside_a_running_loop() -> None:
    assert run_sync(double(4)) == 8


def answer(pipe: "multiprocessing.connection.Connection") -> None:
    pipe.send(run_sync(double(5)))
    pipe.close()


@pytest.mark.filterwarnings("ignore:.*use of fork.*:DeprecationWarning")
@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_a_worker_process_has_a_portal_of_its_own(method: str) -> None:
    if method not in multiprocessing.get_all_start_methods():
        pytest.skip("this system cannot fork")
    run_sync(double(1))
    context: Any = multiprocessing.get_context(method)
    ours, theirs = context.Pipe(duplex=False)
    worker = context.Process(target=answer, args=(theirs,))
    worker.start()
    theirs.close()
    with ours:
        assert ours.poll(60)
        assert ours.recv() == 10
    worker.join(60)
    assert worker.exitcode == 0
    worker.close()
    assert run_sync(double(6)) == 12


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork")
def test_a_fork_leaves_no_warning_in_parent_or_child() -> None:
    result = run_python(
        """
        import asyncio, os, sys, warnings
        from hydra_web.portal import Portal, run_sync

        warnings.filterwarnings("ignore", ".*use of fork.*", DeprecationWarning)

        async def double(number):
            return number * 2

        own = Portal()
        own.run(double(1)), run_sync(double(1))
        child = os.fork()
        print(own.run(double(2)), run_sync(double(3)), flush=True)
        own.close()
        if child:
            sys.exit(os.waitpid(child, 0)[1])
        """
    )
    assert (result.returncode, result.stdout.split(), result.stderr) == (0, ["4", "6"] * 2, "")


def test_no_warning_over_loops_threads_and_exit() -> None:
    result = run_python(
        """
        import asyncio, threading
        from hydra_web.portal import run_sync

        async def double(number):
            await asyncio.sleep(0)
            return number * 2

        async def main():
            return run_sync(double(1)) + await double(1)

        print(*[asyncio.run(main()) for _ in range(3)])
        threads = [threading.Thread(target=lambda: run_sync(double(2))) for _ in range(16)]
        [thread.start() for thread in threads]
        [thread.join() for thread in threads]

        async def forever():
            started.set()
            try:
                await asyncio.Event().wait()
            finally:
                print("drained", flush=True)

        started = threading.Event()
        threading.Thread(target=lambda: run_sync(forever()), daemon=True).start()
        started.wait(10)
        """
    )
    assert (result.returncode, result.stdout.split()) == (0, ["4", "4", "4", "drained"])
    assert "Warning" not in result.stderr
    assert "Event loop is closed" not in result.stderr


def test_a_thread_that_cannot_start_leaves_nothing_open(monkeypatch: pytest.MonkeyPatch) -> None:
    def start(thread: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", start)
    with pytest.raises(RuntimeError, match="can't start"):
        Portal().run(double(1))
