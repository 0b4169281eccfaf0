"""Abort signals: how a caller, a timer or a failed sibling stops work, and how to tell who did.

A failure is classified by the signal that fired first, never by the exception that
came out. asyncio's own cancellation stays what it is and is never swallowed.
"""

import asyncio
import threading
import time
import weakref
from collections.abc import Callable, Coroutine, Iterable
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
        self._lock = threading.Lock()
        self._aborted = False
        self._reason: object = None
        self._callbacks: dict[int, Callable[[], None]] = {}
        self._next_callback = 0
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
        _start_timer(ms / 1000, signal)
        return signal

    @classmethod
    def any(cls, signals: Iterable["AbortSignal"]) -> "AbortSignal":
        """A signal that aborts with the first of several, and takes over its reason."""
        fused = cls()
        fused._sources = tuple(signals)
        fused._deadline = min(
            (source._deadline for source in fused._sources if source._deadline is not None),
            key=lambda deadline: deadline[0],
            default=None,
        )
        follower = weakref.ref(fused)
        for source in fused._sources:
            weakref.finalize(fused, source.on_abort(lambda source=source: _follow(follower, source)))  # type: ignore[misc]
        return fused

    @property
    def aborted(self) -> bool:
        """Whether the signal has been thrown."""
        if not self._aborted and self._overdue() is not None:
            self.abort()
        return self._aborted

    @property
    def reason(self) -> object:
        """Why, or None while the signal has not been thrown."""
        return self._reason if self.aborted else None

    def abort(self, reason: object = "aborted") -> None:
        """Throws the signal; later calls change nothing. Callbacks run on the calling thread."""
        with self._lock:
            if self._aborted:
                return
            self._reason = self._overdue() or reason
            self._aborted = True
            callbacks, self._callbacks = list(self._callbacks.values()), {}
        for callback in callbacks:
            callback()

    def on_abort(self, callback: Callable[[], None]) -> Disposer:
        """Calls back once when the signal is thrown, at once when it already is.

        The callback runs on whichever thread throws the signal and must not raise.
        """
        with self._lock:
            if not self._aborted:
                key = self._next_callback = self._next_callback + 1
                self._callbacks[key] = callback
                return Disposer(lambda: self._forget(key))
        callback()
        return Disposer(lambda: None)

    def _forget(self, key: int) -> None:
        with self._lock:
            self._callbacks.pop(key, None)

    def _overdue(self) -> DeadlineReason | None:
        if self._deadline is not None and time.monotonic() >= self._deadline[0]:
            return self._deadline[1]
        return None


def _follow(follower: "weakref.ref[AbortSignal]", source: AbortSignal) -> None:
    signal = follower()
    if signal is not None:
        signal.abort(source.reason)


def _start_timer(seconds: float, signal: AbortSignal) -> None:
    follower = weakref.ref(signal)

    def fire() -> None:
        late = follower()
        if late is not None and late._deadline is not None:
            late.abort(late._deadline[1])

    try:
        loop = asyncio.get_running_loop()
    except RuntimeError:
        timer = threading.Timer(seconds, fire)
        timer.daemon = True
        timer.start()
        weakref.finalize(signal, timer.cancel)
    else:
        weakref.finalize(signal, _cancel_handle, loop, loop.call_later(seconds, fire))


def _cancel_handle(loop: asyncio.AbstractEventLoop, handle: asyncio.TimerHandle) -> None:
    try:
        loop.call_soon_threadsafe(handle.cancel)
    except RuntimeError:  # the loop is closed, and its timers with it
        return


async def run_abortable(work: Coroutine[Any, Any, _T], signal: AbortSignal | None) -> _T:
    """Awaits the work, cancelling it when the signal is thrown, and always waits until it has settled.

    Raises Aborted when the signal was thrown before the work was done, whatever the work made of it.
    """
    if signal is None:
        return await work
    if signal.aborted:
        work.close()
        raise Aborted(signal.reason)
    loop = asyncio.get_running_loop()
    caller = asyncio.current_task()
    earlier_cancels = caller.cancelling() if caller else 0
    task = loop.create_task(work)
    with signal.on_abort(lambda: _cancel_task(loop, task)):
        try:
            result = await task
        except asyncio.CancelledError:
            if caller is not None and caller.cancelling() > earlier_cancels:
                raise
            if not signal.aborted:
                raise
        except Exception:
            if not signal.aborted:
                raise
        else:
            if not signal.aborted:
                return result
    raise Aborted(signal.reason)


def _cancel_task(loop: asyncio.AbstractEventLoop, task: "asyncio.Task[Any]") -> None:
    try:
        loop.call_soon_threadsafe(task.cancel)
    except RuntimeError:  # the loop is closed, and the task with it
        return
