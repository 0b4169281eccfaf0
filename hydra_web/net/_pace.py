"""Politeness towards one host: how many fetches at a time, and how far apart they start."""

import asyncio
import weakref
from collections import OrderedDict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

__all__ = ["Pace"]

_MOST_IDLE_HOSTS: Final = 512
_STARTS_AT_ONCE: Final = 4


class _Gate:
    def __init__(self, places: int) -> None:
        self.places = asyncio.Semaphore(places)
        self.users = 0
        self.next_start = 0.0


class _Turns:
    """What one event loop keeps."""

    def __init__(self) -> None:
        self.gates: OrderedDict[str, _Gate] = OrderedDict()
        self.starts = asyncio.Semaphore(_STARTS_AT_ONCE)


class Pace:
    """Lets fetches of a host through in turn; each event loop keeps its own count."""

    def __init__(self, concurrency: int, delay_ms: int) -> None:
        self._concurrency = concurrency
        self._delay = delay_ms / 1000
        self._loops: weakref.WeakKeyDictionary[asyncio.AbstractEventLoop, _Turns] = weakref.WeakKeyDictionary()

    async def start(self) -> None:
        """Lets a few fetches begin in each step of the loop: many at once would hold it up, and go on in step."""
        async with self._here().starts:
            await asyncio.sleep(0)

    @asynccontextmanager
    async def turn(self, host: str) -> AsyncIterator[None]:
        """Waits for a place and for the host's delay to pass, and holds the place for the block."""
        loop = asyncio.get_running_loop()
        gates = self._here().gates
        gate = gates.setdefault(host, _Gate(self._concurrency))
        gates.move_to_end(host)
        gate.users += 1
        try:
            async with gate.places:
                wait = gate.next_start - loop.time()
                gate.next_start = max(gate.next_start, loop.time()) + self._delay
                if wait > 0:
                    await asyncio.sleep(wait)
                yield
        finally:
            gate.users -= 1
            _forget_idle(gates, loop.time())

    def _here(self) -> _Turns:
        return self._loops.setdefault(asyncio.get_running_loop(), _Turns())


def _forget_idle(gates: OrderedDict[str, _Gate], now: float) -> None:
    for host in list(gates)[: max(0, len(gates) - _MOST_IDLE_HOSTS)]:
        if gates[host].users == 0 and gates[host].next_start <= now:
            del gates[host]
