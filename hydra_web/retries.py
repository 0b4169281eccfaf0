"""How often a provider tried again, for whoever keeps the log.

with count_retries() as counter:
    await provider.search(request)
counter.retries
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

__all__ = ["RetryCounter", "count_retries", "note_retry"]


@dataclass(slots=True)
class RetryCounter:
    """Counts the retries made inside one `count_retries` block."""

    retries: int = 0
    """How many tries followed a first one."""


_counters: ContextVar[tuple[RetryCounter, ...]] = ContextVar("hydra_web_retries", default=())


@contextmanager
def count_retries() -> Iterator[RetryCounter]:
    """Counts the retries of the searches made inside the block, in tasks and blocks inside it too."""
    counter = RetryCounter()
    token = _counters.set((*_counters.get(), counter))
    try:
        yield counter
    finally:
        _counters.reset(token)


def note_retry() -> None:
    """Tells every `count_retries` block around of one more try."""
    for counter in _counters.get():
        counter.retries += 1
