"""Asynchronous work for synchronous callers: one background thread with one event loop per process.

`run_sync(coroutine)` works in a script, in a thread, and where an event loop already runs (a notebook).
Connections stay usable from one call to the next because all calls share the same loop.
"""

import asyncio
import atexit
import concurrent.futures
import contextlib
import os
import threading
import time
from collections.abc import Callable, Coroutine
from functools import partial
from typing import Any, Final, TypeVar

from hydra_web.errors import ConfigError

__all__ = ["Portal", "run_sync"]

_T = TypeVar("_T")
_SLICE_SECONDS: Final = 0.1  # Ctrl-C cannot interrupt a wait on Windows, so each wait is short
_GRACE_SECONDS: Final = 5.0  # how long cancelled work may take to settle before it is left behind


class Portal:
    """One daemon thread with one event loop, started on first use.

    After `close()`, and in a forked child, the next call starts a new thread.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._server: _Server | None = None

    def run(self, work: Coroutine[Any, Any, _T], timeout: float | None = None) -> _T:
        """Runs the coroutine on the portal's loop and gives its result, or raises what it raised.

        `timeout` is in seconds; when it is over the work is cancelled and TimeoutError raised.
        KeyboardInterrupt cancels the work too. Raises `concurrent.futures.CancelledError` when the
        portal is closed meanwhile, and ConfigError when called from the portal's own thread,
        where it would wait for itself.
        """
        try:
            server = self._running_server()
        except BaseException:
            work.close()
            raise
        return server.run(work, timeout)

    def close(self) -> None:
        """Cancels what is running, waits until it has settled, and ends the thread."""
        with self._lock:
            server = self._server
            if server is not None:
                server.refuse_reentry()
            self._server = None
        if server is not None:
            server.close()

    def _running_server(self) -> "_Server":
        with self._lock:
            if self._server is None or not self._server.alive:
                self._server = _Server()
            self._server.refuse_reentry()
            return self._server

    def _reset(self) -> None:
        # In a forked child the thread is gone, and another thread may have held the lock.
        self._lock = threading.Lock()
        self._server = None


def run_sync(work: Coroutine[Any, Any, _T], timeout: float | None = None) -> _T:
    """Runs the coroutine on this process's portal; see `Portal.run`."""
    return _PORTAL.run(work, timeout)


class _Server:
    """A loop, and the thread that runs and in the end closes it."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._closing = False
        self._drained = False
        self._drainage: asyncio.Task[None] | None = None
        self._thread = threading.Thread(target=self._serve, name="hydra-web-portal", daemon=True)
        try:
            self._thread.start()
        except BaseException:
            self._loop.close()
            raise

    @property
    def alive(self) -> bool:
        return self._thread.is_alive()

    def refuse_reentry(self) -> None:
        if self._thread is threading.current_thread():
            raise ConfigError(
                "a synchronous call was made from inside asynchronous work of hydra-web, where it would"
                " wait for itself; await the asynchronous method instead",
                reason="reentry",
            )

    def run(self, work: Coroutine[Any, Any, _T], timeout: float | None) -> _T:
        outcome: concurrent.futures.Future[_T] = concurrent.futures.Future()
        tasks: list[asyncio.Task[_T]] = []
        try:
            if not self._post(partial(self._start, work, outcome, tasks)):
                _refuse(work, outcome)
            if not self._wait(outcome, timeout):
                raise TimeoutError(f"not done within {timeout} seconds")
            return outcome.result()
        except BaseException:
            if not outcome.done():
                self._post(lambda: [task.cancel() for task in tasks])
                self._wait(outcome, _GRACE_SECONDS)
            if not tasks:
                work.close()
            raise
        finally:
            del outcome  # an exception in it refers to this frame

    def _start(
        self,
        work: Coroutine[Any, Any, _T],
        outcome: "concurrent.futures.Future[_T]",
        tasks: "list[asyncio.Task[_T]]",
    ) -> None:
        if self._closing:
            _refuse(work, outcome)
            return
        task = self._loop.create_task(work)
        task.add_done_callback(partial(_hand_over, outcome))
        tasks.append(task)

    def close(self) -> None:
        def drain() -> None:
            self._drainage = self._drainage or self._loop.create_task(self._drain())

        if self.alive and self._post(drain):
            self._thread.join(2 * _GRACE_SECONDS)

    def _post(self, callback: Callable[[], object]) -> bool:
        """Whether the loop is still there to be given the callback."""
        try:
            self._loop.call_soon_threadsafe(callback)
        except RuntimeError:  # it is closed
            return False
        return True

    def _wait(self, outcome: "concurrent.futures.Future[Any]", timeout: float | None) -> bool:
        """Whether the outcome is there in time; a thread that ended counts as a cancelled outcome."""
        end = None if timeout is None else time.monotonic() + timeout
        while not outcome.done():
            left = _SLICE_SECONDS if end is None else min(_SLICE_SECONDS, end - time.monotonic())
            if left <= 0:
                return False
            concurrent.futures.wait([outcome], left)
            if not self.alive and not outcome.done():
                outcome.set_exception(concurrent.futures.CancelledError())
        return True

    def _serve(self) -> None:
        try:
            while not self._drained:
                # Raised in a task these leave run_forever too; the task hands them to whoever waits for it.
                with contextlib.suppress(SystemExit, KeyboardInterrupt):
                    self._loop.run_forever()
        finally:
            self._loop.close()

    async def _drain(self) -> None:
        self._closing = True
        tasks = asyncio.all_tasks() - {self._drainage}
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks, timeout=_GRACE_SECONDS)
        await self._loop.shutdown_asyncgens()
        self._drained = True
        self._loop.stop()


def _hand_over(outcome: "concurrent.futures.Future[_T]", task: "asyncio.Task[_T]") -> None:
    if task.cancelled():
        outcome.set_exception(concurrent.futures.CancelledError())
    elif (error := task.exception()) is not None:
        outcome.set_exception(error)
    else:
        outcome.set_result(task.result())


def _refuse(work: Coroutine[Any, Any, Any], outcome: "concurrent.futures.Future[Any]") -> None:
    work.close()
    outcome.set_exception(concurrent.futures.CancelledError())


_PORTAL: Final = Portal()
atexit.register(_PORTAL.close)
if hasattr(os, "register_at_fork"):  # not on Windows
    os.register_at_fork(after_in_child=_PORTAL._reset)
