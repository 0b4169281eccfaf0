"""Name lookups."""

import socket
from collections.abc import Awaitable, Callable, Iterable
from typing import Final, TypeAlias

from hydra_web.net._threads import DaemonThreads

__all__ = ["Resolver", "look_up", "system_resolver"]

Resolver: TypeAlias = Callable[[str], Iterable[str] | Awaitable[Iterable[str]]]
"""Gives the numeric addresses of a host name; may block or be awaited; raises OSError when there are none."""

_THREADS: Final = DaemonThreads(32)


def system_resolver(host: str) -> list[str]:
    """The operating system's addresses for a name, in its order."""
    answers = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM, proto=socket.IPPROTO_TCP)
    return [str(answer[4][0]) for answer in answers]


async def look_up(resolver: Resolver, host: str) -> list[str]:
    """The resolver's answer, without blocking the event loop. Raises what the resolver raises."""
    answers = await _THREADS.run(lambda: resolver(host))
    return list(await answers if isinstance(answers, Awaitable) else answers)
