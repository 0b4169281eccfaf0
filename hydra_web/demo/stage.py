"""Where the demonstration is shown: a terminal, or any text stream."""

import textwrap
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final, TextIO

from hydra_web.text import strip_invisible

__all__ = ["DemoFailureError", "Stage"]

_SHOWN_LINES: Final = 16
_WIDTH: Final = 100


class DemoFailureError(Exception):
    """A step did not show what it should."""


class Stage:
    """Prints steps, and counts those that failed."""

    def __init__(self, out: TextIO) -> None:
        self.failures: int = 0
        self._out = out
        self._steps = 0

    @contextmanager
    def step(self, title: str) -> Iterator[None]:
        """One numbered step; a DemoFailureError inside it is told and counted."""
        self._steps += 1
        self.say("")
        self.say(f"{self._steps}. {title}")
        self.say("-" * (len(title) + 3))
        try:
            yield
        except DemoFailureError as failure:
            self.failures += 1
            self.say(f"FAILED: {failure}")

    def say(self, line: str) -> None:
        """One line of our own; what the terminal's encoding cannot write becomes a question mark."""
        encoding = getattr(self._out, "encoding", None) or "utf-8"
        print(strip_invisible(line).encode(encoding, "replace").decode(encoding), file=self._out)

    def show(self, text: str) -> None:
        """The beginning of a tool's text, set off by a bar."""
        lines = [
            part
            for line in strip_invisible(text).splitlines()
            for part in textwrap.wrap(line, _WIDTH, break_long_words=False, break_on_hyphens=False) or [""]
        ]
        for line in lines[:_SHOWN_LINES]:
            self.say(f"  | {line}".rstrip())
        if len(lines) > _SHOWN_LINES:
            self.say(f"  | ... ({len(lines) - _SHOWN_LINES} more lines)")

    def expect(self, holds: bool, what: str) -> None:
        """Raises DemoFailureError unless what the step is about was there to be seen."""
        if not holds:
            raise DemoFailureError(f"expected {what}")
