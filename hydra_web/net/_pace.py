"""Politeness towards one host: how many fetches at a time, and how far apart they start."""

import asyncio
import weakref
from collections import OrderedDict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

__all__ = ["Pace"]

_MOST_IDLE_HOSTS: Final = 512


class _Gate:
    def __init__(self, places: int) -> None:
        self.places = asyncio.Semaphore(places)
        self.users = 0
        self.next_start = 0.0


class Pace:
    """Lets fetches of a host through in turn; each event loop keeps its own count."""

    def __init__(self, concurrency: int, delay_ms: int) -> None:
        self._concurrency = concurrency
        self._delay = delay_ms / 1000
        self._loops: weakref.WeakKeyDictionary[asyncio.AbstractEventLoop, OrderedDict[str, _Gate]] = (
            weakref.WeakKeyDictionary()
        )

    @asynccontextmanager
    async def turn(self, host: str) -> AsyncIterator[None]:
        """Waits for a place and for the host's delay to pass, and holds the place for the block."""
        loop = asyncio.get_running_loop()
        gates = self._loops.setdefault(loop, OrderedDict())
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
            self._forget_idle(gates, loop.time())

    def _forget_idle(self, gates: OrderedDict[str, _Gate], now: float) -> None:
        for host in list(gates)[: len(gates) - _MOST_IDLE_HOSTS]:
            if gates[host].users == 0 and gates[host].next_start <= now:
                del gates[host]
