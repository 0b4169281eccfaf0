"""Text folded to its words, so that a quote is found whatever its spacing, marks and Markdown.

A text becomes a sequence of tokens: words and numbers in Unicode form NFKC, every ideograph by
itself, and the signs that change a meaning (currency, per cent, degree, comparison, minus, a leading
decimal point, crosses). White space, punctuation, invisible characters and Markdown syntax fall away.
Words that touch without a space, as neighbouring elements of a page do, come apart where letters meet
digits, digits meet raised digits or a capital follows small letters. Two texts fold alike only when
they have the same tokens in the same order; case counts. Every token knows where it stands in the
original text, so a match has exact offsets.
"""

import html
import re
import unicodedata
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate
from typing import Final

__all__ = ["MIN_CUT_WIDTH", "FoldedText", "fold"]

# What may stand inside a word without dividing it: emphasis, escapes, invisible characters, inline tags.
_TAG: Final = r"</?(?:b|em|i|ins|kbd|mark|small|strong|sub|sup|u)>"
_HIDDEN: Final = r"\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufe00-\ufe0f"
_MARK: Final = rf"(?:[*_`~\\{_HIDDEN}]|{_TAG})"
# Ideographs, kana and the scripts of mainland South-East Asia are written without spaces.
_UNSPACED: Final = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u2fdf\u3005-\u3007\u3031-\u3035\u3040-\u30ff"
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff"
)
_LETTER: Final = (
    rf"(?:[^\W_{_UNSPACED}]|[\u0300-\u036f\u0483-\u0487\u0591-\u05c7\u064b-\u065f\u0900-\u0dff\u20d0-\u20ff])"
)
# What divides a number without ending it, in ASCII, full-width and Arabic digits.
_POINT: Final = (
    r"(?<=[0-9])[.,:/](?=[0-9])|(?<=[０-９])[．，：／](?=[０-９])"
    r"|(?<=[\u0660-\u0669\u06f0-\u06f9])[.,/\u066b\u066c](?=[\u0660-\u0669\u06f0-\u06f9])"
)
_WORD: Final = (
    rf"{_LETTER}+(?:(?:{_POINT}|(?<![0-9])['’ʼ´‘‛′＇](?=[^\W\d_])|(?<![0-9]){_MARK}{{1,16}}|{_MARK}{{1,16}}(?![0-9]))"
    rf"{_LETTER}+)*"
)
_CURRENCY: Final = "$¢-¥₠-⃀＄￠￡￥￦"
# Operators but those that look like a minus, a slash, a dot, an asterisk, a tilde or a colon.
_OPERATORS: Final = "\u2200-\u2211\u2213\u2214\u221a-\u2235\u2237-\u223b\u223d-\u22c4\u22c7-\u22ed"
_TOKEN: Final = re.compile(
    r"(?P<skip>(?!\A[ \t]*>[ \t]*[0-9])^[ \t]*(?:>[ \t]?)+"  # the mark of a quoted block; "> 5" alone is more than 5
    r"|\\?\[image: [^\]\n]{0,500}\]"  # what stands for a picture
    r"|\]\((?:<[^<>\n]*>|[^()\s<]*(?:\([^()\s]*\)[^()\s]*)*)(?:\s+\"[^\"\n]*\")?\)"  # the rest of a link
    rf"|<br ?/?>|{_TAG})"
    r"|(?P<entity>&(?:[A-Za-z][A-Za-z0-9]{1,31}|#[0-9]{1,7}|#[xX][0-9A-Fa-f]{1,6});)"
    rf"|(?P<word>{_WORD})"
    rf"|(?P<unspaced>[{_UNSPACED}][\u3099\u309a\uff9e\uff9f\ufe00-\ufe0f\U000e0100-\U000e01ef]*)"
    rf"|(?P<minus>(?<![\w)\]])[-\u2010-\u2013\u2212](?=[{_CURRENCY}]?\.?[0-9]))"
    r"|(?P<unit>[\u2100-\u2116\u2118-\u211f\u2121\u2123-\u214f\u3200-\u33ff])"  # one character for several
    rf"|(?P<sign>[%٪‰°+<>=±×÷¬％＋＜＝＞￢⁺-⁼₊-₌✕-✘❌☒🚫{_CURRENCY}{_OPERATORS}]"
    r"|!=|(?<=\b[A-Z])\#(?!\w)|(?<![\w.)\]])\.(?=[0-9]))",
    re.MULTILINE,
)
MIN_CUT_WIDTH: Final = 40
"""A quote at least this long may break off within its last word."""
_MARKS: Final = re.compile(_MARK)
_APOSTROPHES: Final = re.compile("[’ʼ´‘‛′＇]")


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
        return self._find(quote.joined, len(quote), after)

    def find_cut(self, quote: "FoldedText", after: int = 0) -> tuple[int, int] | None:
        """As `find`, for a long quote that breaks off within its last word."""
        cut = quote.joined.rstrip()
        if quote.width < MIN_CUT_WIDTH or not cut[-1].isalpha():
            return None
        found = self._find(cut, len(quote), after)
        # "can" must not stand for "can't".
        return found if found and "'" not in self._token(found[1] - 1)[len(cut) - cut.rindex(" ") - 1 :] else None

    def _token(self, index: int) -> str:
        start = self.offsets[index]
        return self.joined[start : self.joined.index(" ", start)]

    def _find(self, joined: str, count: int, after: int) -> tuple[int, int] | None:
        if not count or after >= len(self):
            return None
        found = self.joined.find(joined, self.offsets[after] - 1)
        if found < 0:
            return None
        first = bisect_left(self.offsets, found + 1)
        return first, first + count

    @property
    def width(self) -> int:
        """How many characters the text has once folded; an ideograph counts as two."""
        return max(0, len(self.joined) - 2)


def fold(text: str) -> FoldedText:
    """Folds a text, in time in proportion to its length."""
    tokens: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    for match in _TOKEN.finditer(text):
        word = match.group("word")
        if word is not None and word.isalpha() and word.isascii() and (word.islower() or word[1:].islower()):
            tokens.append(word)
            starts.append(match.start())
            ends.append(match.end())
        else:
            for token, start, end in _unusual_tokens(match):
                tokens.append(token)
                starts.append(start)
                ends.append(end)
    if not tokens:
        return FoldedText("", (), (), ())
    offsets = accumulate((len(token) + 1 for token in tokens), initial=1)
    return FoldedText(f" {' '.join(tokens)} ", tuple(starts), tuple(ends), tuple(offsets)[:-1])


def _unusual_tokens(match: re.Match[str]) -> Iterator[tuple[str, int, int]]:
    raw, start = match.group(), match.start()
    match match.lastgroup:
        case "word":
            for first, end in _word_parts(raw):
                yield _normal_word(raw[first:end]), start + first, start + end
        case "entity":
            decoded = html.unescape(raw)
            for token in fold(decoded).joined.split() if decoded != raw else ():
                yield token, start, match.end()
        case "minus":
            yield "-", start, match.end()
        case "unit":
            for token in fold(_normal(raw)).joined.split():
                yield token, start, match.end()
        case "skip":
            return
        case _:
            yield _normal(raw).replace("\u2212", "-"), start, match.end()


def _word_parts(word: str) -> Iterator[tuple[int, int]]:
    """Where a word changes between letters, digits and raised digits, or starts anew with a capital."""
    if "<" in word:
        word = _MARKS.sub(lambda mark: "*" * len(mark.group()), word)
    first = last = end = -1
    for index, character in enumerate(word):
        if not character.isalnum():
            # A combining character belongs to the letter before it; a mark to neither side.
            end = index + 1 if unicodedata.category(character).startswith("M") else end
            continue
        if last < 0:
            first = index
        elif _changes(word[last], character, word[index + 1 : index + 2]):
            yield first, end
            first = index
        last, end = index, index + 1
    yield first, len(word)


def _changes(before: str, here: str, after: str) -> bool:
    if before.isalpha() != here.isalpha() or before.isdecimal() != here.isdecimal():
        return True
    return here.isupper() and (before.islower() or (before.isupper() and after.islower()))


def _normal_word(raw: str) -> str:
    return raw if raw.isascii() and raw.isalnum() else _normal(_MARKS.sub("", _APOSTROPHES.sub("'", raw)))


def _normal(raw: str) -> str:
    return unicodedata.normalize("NFKC", raw).replace(" ", "") or raw
