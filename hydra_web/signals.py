"""Abort signals: how a caller, a timer or a failed sibling stops work, and how to tell who did.

A failure is classified by the signal that fired first, never by the exception that
came out. asyncio's own cancellation stays what it is and is never swallowed.
"""

import asyncio
import threading
import time
import weakref
from collections.abc import Callable, Coroutine, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final, TypeVar

from hydra_web.disposer import Disposer
from hydra_web.errors import ConfigError

__all__ = ["AbortSignal", "Aborted", "DeadlineReason", "run_abortable"]

MAX_TIMEOUT_MS: Final = 2_147_483_647
_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class DeadlineReason:
    """The abort reason of a timer."""

    code: str
    """Whose timer it was, such as `TOOL_TIMEOUT`."""
    timeout_ms: int
    """How long it ran, in milliseconds."""

    def __str__(self) -> str:
        return f"{self.code} after {self.timeout_ms}ms"


class Aborted(Exception):  # noqa: N818 - a fact about the signal, turned into an error by the caller
    """The signal fired before the work was done; `reason` is the signal's."""

    def __init__(self, reason: object) -> None:
        super().__init__("aborted")
        self.reason = reason


class AbortSignal:
    """A one-way switch that any thread may throw; the first reason stays.

    `AbortSignal.timeout(ms)` throws itself after a time, `AbortSignal.any(signals)`
    as soon as one of several has been thrown, with that one's reason.
    """

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._thrown: tuple[float, object] | None = None
        self._callbacks: dict[int, Callable[[], None]] = {}
        self._next_callback = 0
        self._followers: list[weakref.ref[AbortSignal]] = []
        self._deadline: tuple[float, DeadlineReason] | None = None
        self._sources: tuple[AbortSignal, ...] = ()

    @classmethod
    def timeout(cls, ms: int, code: str = "TIMEOUT") -> "AbortSignal":
        """A signal that aborts itself after `ms` milliseconds, with a `DeadlineReason`.

        Raises ConfigError unless `ms` is an integer from 1 to 2147483647.
        """
        if isinstance(ms, bool) or not isinstance(ms, int) or not 1 <= ms <= MAX_TIMEOUT_MS:
            raise ConfigError(f"timeout must be an integer from 1 to {MAX_TIMEOUT_MS} milliseconds, not {ms!r}")
        signal = cls()
        signal._deadline = (time.monotonic() + ms / 1000, DeadlineReason(code, ms))
        return signal

    @classmethod
    def any(cls, signals: Iterable["AbortSignal"]) -> "AbortSignal":
        """A signal that aborts with the first of several, and takes over its reason."""
        fused = cls()
        fused._sources = tuple(signals)
        thrown = [source._thrown for source in fused._sources if source.aborted and source._thrown is not None]
        if thrown:
            fused._throw(*min(thrown, key=lambda moment: moment[0]))
            return fused
        deadlines = [source._deadline for source in fused._sources if source._deadline is not None]
        fused._deadline = min(deadlines, key=lambda deadline: deadline[0], default=None)
        for source in fused._sources:
            source._add_follower(fused)
        return fused

    @property
    def aborted(self) -> bool:
        """Whether the signal has been thrown."""
        if self._thrown is None and self._deadline is not None and time.monotonic() >= self._deadline[0]:
            self._throw(*self._deadline)
        return self._thrown is not None

    @property
    def reason(self) -> object:
        """Why, or None while the signal has not been thrown."""
        return self._thrown[1] if self.aborted and self._thrown is not None else None

    def abort(self, reason: object = "aborted") -> None:
        """Throws the signal; later calls change nothing. Callbacks run on the calling thread."""
        self._throw(time.monotonic(), reason)

    def on_abort(self, callback: Callable[[], None]) -> Disposer:
        """Calls back once when the signal is thrown, at once when it already is.

        The callback runs on whichever thread throws the signal and must not raise. A deadline
        throws on a thread of its own, which the disposer ends.
        """
        withdraw = self._add_callback(callback)
        remaining = self._remaining_seconds()
        if remaining is None or self._thrown is not None:
            return Disposer(withdraw)
        timer = threading.Timer(remaining, self._expire)
        timer.daemon = True
        timer.start()

        def undo() -> None:
            timer.cancel()
            withdraw()

        return Disposer(undo)

    def _add_callback(self, callback: Callable[[], None]) -> Callable[[], None]:
        late = self.aborted
        with self._lock:
            if not late and self._thrown is None:
                key = self._next_callback = self._next_callback + 1
                self._callbacks[key] = callback
                return lambda: self._forget(key)
        callback()
        return lambda: None

    def _forget(self, key: int) -> None:
        with self._lock:
            self._callbacks.pop(key, None)

    def _add_follower(self, follower: "AbortSignal") -> None:
        with self._lock:
            thrown = self._thrown
            if thrown is None:
                # Followers may die at any time; looking only when the list is as long as a power of two is cheap.
                if len(self._followers) & (len(self._followers) - 1) == 0:
                    self._followers = [known for known in self._followers if known() is not None]
                self._followers.append(weakref.ref(follower))
        if thrown is not None:
            follower._throw(*thrown)

    def _throw(self, moment: float, reason: object) -> None:
        with self._lock:
            if self._thrown is not None:
                return
            if self._deadline is not None and self._deadline[0] <= moment:
                moment, reason = self._deadline
            self._thrown = (moment, reason)
            followers, self._followers = self._followers, []
            callbacks, self._callbacks = list(self._callbacks.values()), {}
        for reference in followers:
            follower = reference()
            if follower is not None:
                follower._throw(moment, reason)
        for callback in callbacks:
            callback()

    def _expire(self) -> None:
        assert self._deadline is not None
        self._throw(*self._deadline)

    def _remaining_seconds(self) -> float | None:
        return None if self._deadline is None else max(0.0, self._deadline[0] - time.monotonic())


async def run_abortable(work: Coroutine[Any, Any, _T], signal: AbortSignal | None) -> _T:
    """Awaits the work, cancelling it when the signal is thrown, and always waits until it has settled.

    Raises Aborted when the signal was thrown before the work was done, whatever the work made of it,
    and CancelledError when the caller was cancelled meanwhile, even if the work swallowed that.
    """
    signal = signal or AbortSignal()
    if signal.aborted:
        work.close()
        raise Aborted(signal.reason)
    cancels = _count_cancels()
    task = asyncio.get_running_loop().create_task(work)
    with _cancelling(task, signal):
        try:
            result = await task
        except asyncio.CancelledError:
            if not signal.aborted:
                raise
        except Exception:
            if not signal.aborted and _count_cancels() == cancels:
                raise
        else:
            if not signal.aborted and _count_cancels() == cancels:
                return result
    if _count_cancels() > cancels:
        raise asyncio.CancelledError
    raise Aborted(signal.reason)


def _count_cancels() -> int:
    """How often the running task has been asked to stop."""
    task = asyncio.current_task()
    return 0 if task is None else task.cancelling()


@contextmanager
def _cancelling(task: "asyncio.Task[Any]", signal: AbortSignal) -> Iterator[None]:
    """Cancels the task when the signal is thrown; the deadline is watched by the task's own loop."""
    loop = task.get_loop()

    def cancel() -> None:
        try:
            loop.call_soon_threadsafe(task.cancel)
        except RuntimeError:  # the loop is closed, and the task with it
            return

    withdraw = signal._add_callback(cancel)
    remaining = signal._remaining_seconds()
    timer = None if remaining is None else loop.call_later(remaining, signal._expire)
    try:
        yield
    finally:
        withdraw()
        if timer is not None:
            timer.cancel()
