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


_counter: ContextVar[RetryCounter | None] = ContextVar("hydra_web_retries", default=None)


@contextmanager
def count_retries() -> Iterator[RetryCounter]:
    """Counts the retries of the searches made inside the block, in tasks started there too."""
    token = _counter.set(RetryCounter())
    try:
        counter = _counter.get()
        assert counter is not None
        yield counter
    finally:
        _counter.reset(token)


def note_retry() -> None:
    """Tells the innermost `count_retries` block of one more try."""
    counter = _counter.get()
    if counter is not None:
        counter.retries += 1
