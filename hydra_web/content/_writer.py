"""Lines of Markdown with the prefixes of the quotes and lists they stand in."""

import time
from typing import Final, TypeAlias

__all__ = ["Full", "Writer"]

MAX_NESTING: Final = 10
_CHECK_EVERY: Final = 256

_State: TypeAlias = tuple[str, str | None, bool, int]


class Full(Exception):  # noqa: N818 - a signal to stop writing, not an error
    """The output has reached its size, or the time is up."""


class Writer:
    """Collects blocks; blank lines between them are added as needed."""

    def __init__(self, max_chars: int, deadline: float) -> None:
        self.lines: list[str] = []
        self.nesting = 0
        self._prefix = ""
        self._first: str | None = None
        self._gap = False
        self._room = max_chars
        self._deadline = deadline
        self._writes = 0

    @property
    def at_marker(self) -> bool:
        """Whether the next line stands right after a list marker or a quote's sign."""
        return self._first is not None

    def write(self, lines: list[str], *, tight: bool = False) -> None:
        """Adds a block, after a blank line unless `tight`; raises Full when there is no more room or time."""
        self._writes += 1
        if self._room < 0 or (not self._writes % _CHECK_EVERY and time.monotonic() > self._deadline):
            raise Full
        if self._gap and not tight and self._first is None:
            self._add("", self._prefix)
        for line in lines:
            prefix = self._prefix if self._first is None else self._first
            self._first = None
            self._add(line, prefix)
        self._gap = True

    def _add(self, line: str, prefix: str) -> None:
        self.lines.append(prefix + line if line else prefix.rstrip())
        self._room -= len(prefix) + len(line) + 1

    def tighten(self) -> None:
        """The next block follows without a blank line."""
        self._gap = False

    def loosen(self) -> None:
        """The next block follows after a blank line."""
        self._gap = bool(self.lines)

    def indent(self, indent: str) -> str:
        """Widens the prefix of the lines to come; hand what comes back to `dedent`."""
        prefix, self._prefix = self._prefix, self._prefix + indent
        self._gap = False
        return prefix

    def dedent(self, prefix: str) -> None:
        """Takes an indent back."""
        self._prefix = prefix
        self._gap = False

    def enter(self, marker: str, indent: str) -> _State:
        """Opens a container; hand what comes back to `leave`."""
        state = (self._prefix, self._first, self._gap, len(self.lines))
        if self._gap and self._first is None:
            self.lines.append(self._prefix.rstrip())
        self._gap = False
        self._first = (self._prefix if self._first is None else self._first) + marker
        self._prefix += indent
        self.nesting += 1
        return state

    def leave(self, state: _State) -> None:
        """Closes the container; one in which nothing was written leaves no trace."""
        self.nesting -= 1
        if self._first is not None:
            self._prefix, self._first, self._gap, count = state
            del self.lines[count:]
            return
        self._prefix = state[0]
        self._gap = True

    def text(self) -> str:
        """Everything written."""
        return "\n".join(self.lines).strip("\n")
