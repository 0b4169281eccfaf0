"""Text folded to its words, so that a quote is found whatever its spacing, marks and Markdown.

A text becomes a sequence of tokens: words and numbers in Unicode form NFKC, every ideograph by
itself, and the signs that change a meaning (currency, per cent, comparison, minus). White space,
punctuation, invisible characters and Markdown syntax fall away. Two texts fold alike only when
they have the same tokens in the same order; case counts. Every token knows where it stands in
the original text, so a match has exact offsets.
"""

import html
import re
import unicodedata
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

__all__ = ["FoldedText", "fold"]

# What may stand inside a word without dividing it: emphasis, escapes, invisible characters, inline tags.
_TAG: Final = r"</?(?:b|em|i|ins|kbd|mark|small|strong|sub|sup|u)>"
_MARK: Final = rf"(?:[*_`~\\\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufe00-\ufe0f]|{_TAG})"
# Ideographs, kana and the scripts of mainland South-East Asia are written without spaces.
_UNSPACED: Final = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u2fdf\u3005-\u3007\u3031-\u3035\u3040-\u30ff"
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff"
)
_LETTER: Final = (
    rf"(?:[^\W_{_UNSPACED}]|[\u0300-\u036f\u0483-\u0487\u0591-\u05c7\u064b-\u065f\u0900-\u0dff\u20d0-\u20ff])"
)
_WORD: Final = (
    rf"{_LETTER}+(?:(?:(?<=[0-9])[.,:/](?=[0-9])|(?<![0-9])['’ʼ´‘](?=[^\W\d_])|(?<![0-9]){_MARK}{{1,16}}|{_MARK}{{1,16}}(?![0-9]))"
    rf"{_LETTER}+)*"
)
_TOKEN: Final = re.compile(
    r"(?P<skip>^[ \t]*(?:>[ \t]?)+"  # the mark of a quoted block
    r"|\]\((?:<[^<>\n]*>|[^()\s<]*(?:\([^()\s]*\)[^()\s]*)*)(?:\s+\"[^\"\n]*\")?\)"  # the rest of a link
    rf"|<br ?/?>|{_TAG})"
    r"|(?P<entity>&(?:[A-Za-z][A-Za-z0-9]{1,31}|#[0-9]{1,7}|#[xX][0-9A-Fa-f]{1,6});)"
    rf"|(?P<word>{_WORD})"
    rf"|(?P<unspaced>[{_UNSPACED}][\u3099\u309a\uff9e\uff9f\ufe00-\ufe0f\U000e0100-\U000e01ef]*)"
    r"|(?P<minus>(?<![\w)\]])[-\u2010-\u2013\u2212](?=[0-9]))"
    r"|(?P<sign>[%‰°$¢-¥₠-⃀+<>=±×÷≤≥≠≈∞√∑∂∫¬％＄＋＜＝＞￠-￦])",
    re.MULTILINE,
)
_MARKS: Final = re.compile(_MARK)
_APOSTROPHES: Final = re.compile("[’ʼ´‘]")


@dataclass(frozen=True, slots=True)
class FoldedText:
    """The tokens of a text and where they stand in it."""

    joined: str
    """All tokens, each between spaces."""
    starts: tuple[int, ...]
    """Where each token begins in the original."""
    ends: tuple[int, ...]
    """Where each token ends in the original."""
    offsets: tuple[int, ...]
    """Where each token begins in `joined`."""

    def __len__(self) -> int:
        return len(self.starts)

    def find(self, quote: "FoldedText", after: int = 0) -> tuple[int, int] | None:
        """The first run of tokens equal to the quote's, from token `after` on, as first and end token."""
        if not quote.starts or after >= len(self.starts):
            return None
        found = self.joined.find(quote.joined, self.offsets[after] - 1)
        if found < 0:
            return None
        first = bisect_left(self.offsets, found + 1)
        return first, first + len(quote.starts)

    @property
    def width(self) -> int:
        """How many characters the text has once folded; an ideograph counts as two."""
        return max(0, len(self.joined) - 2)


def fold(text: str) -> FoldedText:
    """Folds a text, in time in proportion to its length."""
    tokens: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    offsets: list[int] = []
    length = 1
    for token, start, end in _tokens(text):
        tokens.append(token)
        starts.append(start)
        ends.append(end)
        offsets.append(length)
        length += len(token) + 1
    joined = f" {' '.join(tokens)} " if tokens else ""
    return FoldedText(joined, tuple(starts), tuple(ends), tuple(offsets))


def _tokens(text: str) -> Iterator[tuple[str, int, int]]:
    for match in _TOKEN.finditer(text):
        raw = match.group()
        kind = match.lastgroup
        if kind == "word" and raw.isascii() and raw.isalnum():
            yield raw, match.start(), match.end()
        elif kind == "entity":
            decoded = html.unescape(raw)
            inner = _tokens(decoded) if decoded != raw else ()
            for token, _, _ in inner:
                yield token, match.start(), match.end()
        elif kind != "skip":
            yield _normal_token(raw, kind), match.start(), match.end()


def _normal_token(raw: str, kind: str | None) -> str:
    if kind == "minus":
        return "-"
    if kind == "word":
        raw = _MARKS.sub("", _APOSTROPHES.sub("'", raw))
    return unicodedata.normalize("NFKC", raw).replace(" ", "") or raw
