"""Name lookups on a bounded number of daemon threads.

Not the loop's default executor, which a few stuck lookups would block for everyone, and not a thread
pool that is joined when the process ends: a stuck lookup must delay neither other work nor the exit.
"""

import asyncio
import os
import socket
import threading
from collections import deque
from collections.abc import Callable, Iterable
from concurrent.futures import Future
from typing import Final, TypeAlias

__all__ = ["LOOKUPS", "LookupThreads", "Resolver", "system_resolver"]

Resolver: TypeAlias = Callable[[str], Iterable[str]]
"""Gives the numeric addresses of a host name; may block; raises OSError when there are none."""

_Job: TypeAlias = tuple[Resolver, str, "Future[list[str]]"]


def system_resolver(host: str) -> list[str]:
    """The operating system's addresses for a name, in its order."""
    answers = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM, proto=socket.IPPROTO_TCP)
    return [str(answer[4][0]) for answer in answers]


class LookupThreads:
    """Runs blocking lookups, at most `slots` at a time; more wait for their turn."""

    def __init__(self, slots: int = 32) -> None:
        self._slots: Final = slots
        self.reset()

    def reset(self) -> None:
        """Forgets all lookups, as a forked child must: their threads did not come along."""
        self._lock = threading.Lock()
        self._running = 0
        self._waiting: deque[_Job] = deque()

    async def resolve(self, resolver: Resolver, host: str) -> list[str]:
        """The resolver's answer. Raises what the resolver raises; a cancelled caller leaves the thread behind."""
        future: Future[list[str]] = Future()
        self._submit((resolver, host, future))
        return await asyncio.wrap_future(future)

    def _submit(self, job: _Job) -> None:
        with self._lock:
            if self._running >= self._slots:
                self._waiting.append(job)
                return
            self._running += 1
        threading.Thread(target=self._work, args=job, daemon=True, name="hydra-web-dns").start()

    def _work(self, resolver: Resolver, host: str, future: "Future[list[str]]") -> None:
        while True:
            if future.set_running_or_notify_cancel():
                try:
                    answers = list(resolver(host))
                except BaseException as error:  # noqa: BLE001 - handed to whoever waits
                    future.set_exception(error)
                else:
                    future.set_result(answers)
            with self._lock:
                if not self._waiting:
                    self._running -= 1
                    return
                resolver, host, future = self._waiting.popleft()


LOOKUPS: Final = LookupThreads()
"""The threads every fetch of this process shares."""

if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=LOOKUPS.reset)
