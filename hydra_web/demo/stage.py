"""Where the demonstration is shown: a terminal, or any text stream."""

import shutil
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final, TextIO

from hydra_web.text import strip_invisible

__all__ = ["DemoFailureError", "Stage", "wrap_columns"]

_SHOWN_LINES: Final = 16
_USUAL_SIZE: Final = (100, 24)
_NARROWEST: Final = 40
_WIDEST: Final = 120
_BAR: Final = "  | "


class DemoFailureError(Exception):
    """A step did not show what it should."""


class Stage:
    """Prints steps, and counts those that failed. `width` is in columns; without it the terminal's is taken."""

    def __init__(self, out: TextIO, width: int | None = None) -> None:
        self.failures: int = 0
        self._out = out
        self._steps = 0
        columns = shutil.get_terminal_size(_USUAL_SIZE).columns if width is None else width
        self._width = max(_NARROWEST, min(_WIDEST, columns))

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
        """One line as it is; what the terminal's encoding cannot write becomes a question mark."""
        encoding = getattr(self._out, "encoding", None) or "utf-8"
        print(strip_invisible(line).encode(encoding, "replace").decode(encoding), file=self._out)

    def tell(self, text: str) -> None:
        """Words of our own, wrapped."""
        for line in wrap_columns(strip_invisible(text), self._width):
            self.say(line)

    def show(self, text: str) -> None:
        """The beginning of a tool's text, wrapped and set off by a bar."""
        lines = [
            part
            for line in strip_invisible(text).splitlines()
            for part in wrap_columns(line, self._width - len(_BAR)) or ("",)
        ]
        for line in lines[:_SHOWN_LINES]:
            self.say(f"{_BAR}{line}".rstrip())
        if len(lines) > _SHOWN_LINES:
            self.say(f"{_BAR}... ({len(lines) - _SHOWN_LINES} more lines)")

    def expect(self, holds: bool, what: str) -> None:
        """Raises DemoFailureError unless what the step is about was there to be seen."""
        if not holds:
            raise DemoFailureError(f"expected {what}")


def wrap_columns(text: str, width: int) -> list[str]:
    """The text in lines of at most `width` columns, broken at spaces where there are any, else between characters.

    East Asian wide characters take two columns, combining marks none (Unicode Standard Annex 11). A word of
    narrow characters that is too long, such as an address, stays whole. Text that fits stays as it is.
    """
    if sum(map(_columns, text)) <= width:
        return [text] if text.strip() else []
    lines, line, used = [], "", 0
    for word in text.split():
        for number, piece in enumerate(_pieces(word)):
            columns = sum(map(_columns, piece))
            space = " " if line and number == 0 else ""
            if line and used + len(space) + columns > width:
                lines.append(line)
                line, used, space = "", 0, ""
            line += space + piece
            used += len(space) + columns
    return [*lines, line] if line else lines


def _pieces(word: str) -> list[str]:
    """The word where a line may break: before and after each wide character."""
    pieces: list[str] = []
    after_narrow = False
    for character in word:
        columns = _columns(character)
        if pieces and (columns == 0 or (columns == 1 and after_narrow)):
            pieces[-1] += character
        else:
            pieces.append(character)
        after_narrow = after_narrow if columns == 0 else columns == 1
    return pieces


def _columns(character: str) -> int:
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in ("W", "F") else 1
