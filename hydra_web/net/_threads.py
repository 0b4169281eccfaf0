"""Blocking work on a bounded number of daemon threads.

Not the loop's default executor, which a few stuck calls would block for everyone, and not a thread
pool that is joined when the process ends: a stuck call must delay neither other work nor the exit.
"""

import asyncio
import os
import threading
import weakref
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, Final, TypeAlias, TypeVar

__all__ = ["DaemonThreads"]

_T = TypeVar("_T")
_Job: TypeAlias = tuple[Callable[[], Any], "Future[Any]"]


class DaemonThreads:
    """Runs blocking calls, at most `slots` at a time; more wait for their turn."""

    def __init__(self, slots: int) -> None:
        self._slots: Final = slots
        self.reset()
        _all.add(self)

    def reset(self) -> None:
        """Forgets all calls, as a forked child must: their threads did not come along."""
        self._lock = threading.Lock()
        self._running = 0
        self._waiting: deque[_Job] = deque()

    async def run(self, work: Callable[[], _T]) -> _T:
        """What the call returns or raises; a cancelled caller leaves the thread behind."""
        future: Future[_T] = Future()
        self._submit((work, future))
        return await asyncio.wrap_future(future)

    def _submit(self, job: _Job) -> None:
        with self._lock:
            if self._running >= self._slots:
                self._waiting.append(job)
                return
            self._running += 1
        threading.Thread(target=self._work, args=job, daemon=True, name="hydra-web-net").start()

    def _work(self, work: Callable[[], Any], future: "Future[Any]") -> None:
        while True:
            if future.set_running_or_notify_cancel():
                try:
                    result = work()
                except BaseException as error:  # noqa: BLE001 - handed to whoever waits
                    future.set_exception(error)
                else:
                    future.set_result(result)
            with self._lock:
                if not self._waiting:
                    self._running -= 1
                    return
                work, future = self._waiting.popleft()


_all: "weakref.WeakSet[DaemonThreads]" = weakref.WeakSet()


def _reset_all() -> None:
    for threads in list(_all):
        threads.reset()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_reset_all)
