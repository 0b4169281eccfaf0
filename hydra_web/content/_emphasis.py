"""Emphasis from marks to delimiters.

While a paragraph is put together, emphasis is written as pairs of control characters. Only when it stands complete can
the neighbours of each mark be seen, and they decide whether a delimiter would work (CommonMark 0.31, section 6.2).
"""

import re
import unicodedata
from dataclasses import dataclass
from typing import Final

__all__ = ["DELETED", "EMPHASIS", "STRONG", "resolve_emphasis"]

STRONG: Final = ("\x02", "\x03")
EMPHASIS: Final = ("\x04", "\x05")
DELETED: Final = ("\x06", "\x07")

MAX_NESTED: Final = 3
MAX_MARKS: Final = 2500

_MARK: Final = re.compile("([\x02-\x07])")
_OPENING: Final = {"\x02": ("**", "strong"), "\x04": ("*", "em"), "\x06": ("~~", "del")}
_CLOSING: Final = {"\x03": "\x02", "\x05": "\x04", "\x07": "\x06"}
_SPACE: Final = " \t\n\r\f\x01\u00a0"
_TEXT, _OPEN, _CLOSE = "text", "open", "close"


@dataclass(slots=True)
class _Piece:
    """Text, or the place of one delimiter: an opening one follows its text, a closing one goes before it."""

    kind: str
    text: str
    delimiter: str = ""


@dataclass(slots=True)
class _Stretch:
    """One emphasised stretch between two pieces."""

    mark: str
    start: int
    solid: int
    end: int = 0
    element: bool = False
    nested: int = 0


def resolve_emphasis(text: str) -> str:
    """The paragraph with its marks as delimiters, or as HTML elements where delimiters would not work.

    One with thousands of marks is no prose, and loses them.
    """
    marks = sum(map(text.count, _OPENING))
    if not marks or marks > MAX_MARKS:
        return _MARK.sub("", text) if marks else text
    pieces, stretches = _Reader().read(text)
    for stretch in stretches:  # inner ones first
        _choose_delimiters(pieces, stretch)
    return "".join(
        piece.text + piece.delimiter if piece.kind is _OPEN else piece.delimiter + piece.text for piece in pieces
    )


class _Reader:
    """Pairs the marks, drops empty and doubled ones, joins neighbours, and moves white space outside."""

    def __init__(self) -> None:
        self._pieces: list[_Piece] = []
        self._stretches: list[_Stretch] = []
        self._open: list[_Stretch] = []
        self._skipped: list[str] = []
        self._solid = 0

    def read(self, text: str) -> tuple[list[_Piece], list[_Stretch]]:
        for part in _MARK.split(text):
            if part in _OPENING:
                self._start(part)
            elif part in _CLOSING:
                self._end(_CLOSING[part])
            elif part:
                self._take_text(part)
        return self._pieces, [stretch for stretch in self._stretches if stretch.end]

    def _take_text(self, part: str) -> None:
        body = part.lstrip(_SPACE)
        self._solid += bool(body)
        at = len(self._pieces)
        while at and self._pieces[at - 1].kind is _OPEN:
            at -= 1
        if at < len(self._pieces) and len(body) < len(part):
            self._pieces[at].text += part[: len(part) - len(body)]
            part = body
        if part:
            self._pieces.append(_Piece(_TEXT, part))

    def _start(self, mark: str) -> None:
        nested = sum(stretch.mark == mark for stretch in self._open)
        if nested >= MAX_NESTED:
            self._skipped.append(mark)
            return
        last = self._stretches[-1] if self._stretches else None
        touching = last is not None and last.end == len(self._pieces) - 1 and not self._pieces[-1].text
        if touching and last is not None and last.mark == mark:
            self._pieces.pop()
            self._stretches.pop()
            self._open.append(last)
            return
        self._open.append(_Stretch(mark, len(self._pieces), self._solid, element=touching, nested=nested))
        self._pieces.append(_Piece(_OPEN, ""))

    def _end(self, mark: str) -> None:
        if mark in self._skipped:
            self._skipped.remove(mark)
            return
        stretch = self._open.pop()
        if stretch.solid == self._solid:
            self._pieces[stretch.start].kind = _TEXT
            return
        trailing = self._take_trailing_space()
        stretch.end = len(self._pieces)
        self._pieces.append(_Piece(_CLOSE, trailing))
        self._stretches.append(stretch)

    def _take_trailing_space(self) -> str:
        trailing = ""
        for piece in reversed(self._pieces):
            body = piece.text.rstrip(_SPACE)
            trailing = piece.text[len(body) :] + trailing
            piece.text = body
            if body or piece.kind is not _TEXT:
                break
        return trailing


def _choose_delimiters(pieces: list[_Piece], stretch: _Stretch) -> None:
    delimiter, name = _OPENING[stretch.mark]
    before, after = _char_before(pieces, stretch.start), _char_after(pieces, stretch.end)
    first, last = _char_after(pieces, stretch.start), _char_before(pieces, stretch.end)
    works = not stretch.element and _flanks(first, before) and _flanks(last, after)
    if stretch.nested:
        if not works or before.isalnum() or after.isalnum() or delimiter == "~~":
            return  # emphasis inside emphasis of its kind says nothing more
        delimiter = delimiter.replace("*", "*_"[stretch.nested % 2])
    pieces[stretch.start].delimiter = delimiter if works else f"<{name}>"
    pieces[stretch.end].delimiter = delimiter if works else f"</{name}>"


def _flanks(inside: str, outside: str) -> bool:
    """Whether a delimiter with these neighbours opens or closes."""
    return not inside.isspace() and (not _is_punctuation(inside) or outside.isspace() or _is_punctuation(outside))


def _char_after(pieces: list[_Piece], at: int) -> str:
    if pieces[at].kind is _CLOSE and pieces[at].text:
        return _visible(pieces[at].text[0])
    for index in range(at + 1, len(pieces)):
        piece = pieces[index]
        if piece.kind is _OPEN and piece.text:
            return _visible(piece.text[0])
        if piece.delimiter.startswith("<"):
            return "<"
        if piece.text:
            return _visible(piece.text[0])
    return " "


def _char_before(pieces: list[_Piece], at: int) -> str:
    if pieces[at].kind is _OPEN and pieces[at].text:
        return _visible(pieces[at].text[-1])
    for index in range(at - 1, -1, -1):
        piece = pieces[index]
        if piece.kind is _CLOSE and piece.text:
            return _visible(piece.text[-1])
        if piece.delimiter.endswith(">"):
            return ">"
        if piece.text:
            return _visible(piece.text[-1])
    return " "


def _visible(char: str) -> str:
    return " " if char in _SPACE else char


def _is_punctuation(char: str) -> bool:
    return unicodedata.category(char)[0] in "PSC"
