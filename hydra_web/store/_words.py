"""How text is folded for the index, how a query becomes an FTS5 expression, and how snippets are cut.

Everything is folded here, on both sides, so that the tokenizer (unicode61) only has to split at what is
neither letter nor digit. Scripts written without spaces are indexed character by character; a run of them
in a query is asked for as a phrase, so that words of any length are found without a dictionary.
"""

import re
import unicodedata
from collections.abc import Iterator
from typing import Final

__all__ = [
    "any_expression",
    "cut_snippet",
    "every_expression",
    "fold",
    "loose_words",
    "phrase_expression",
    "query_words",
    "telling_words",
]

SNIPPET_CHARS: Final = 240
_MAX_QUERY: Final = 1_000
_MAX_WORDS: Final = 32
_MAX_RUN: Final = 32
_SHORT_WORD: Final = 2
_MAX_PLACES: Final = 50
_NEAR: Final = 16_384
# Thai and Lao, Myanmar, Hangul, Khmer, kana, and the ideographs.
_UNSPACED: Final = (
    "\u0e00-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u3130-\u318f\u31f0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uf900-\ufaff\U00020000-\U0003134f"
)
_UNSPACED_CHARACTER: Final = re.compile(f"[{_UNSPACED}]")
_LETTER: Final = f"[^\\W_{_UNSPACED}]"
_WORD: Final = re.compile(f"[{_UNSPACED}]+|{_LETTER}+")
# Of English and Vietnamese, as they are folded; other languages' are found by how many pages hold them.
_SMALL_WORDS: Final = (
    "a about an and any are as at be by can could did do does for from had has have how i in into is it its long many"
    " me much my of on or our should so some take takes tell than that the their them then there these they this those"
    " to was we were what when where which who whom whose why will with would you your"
    " bao cac cua duoc gi la nao nhieu nhung thi va"
)
_LATIN: Final = {"đ": "d", "ð": "d", "ø": "o", "ł": "l", "ı": "i", "ß": "s"}


class _Folding(dict[int, str]):
    """Character by character: lower case, without the accents of the European alphabets."""

    def __missing__(self, code: int) -> str:
        character = chr(code)
        lower = character.lower()
        parts = unicodedata.normalize("NFD", lower)
        if all("\u0300" <= mark <= "\u036f" for mark in parts[1:]):
            folded = _LATIN.get(parts[0], parts[0])
        else:
            folded = lower if len(lower) == 1 else character
        self[code] = folded
        return folded


_FOLDING: Final = _Folding()


def fold(text: str) -> str:
    """The text as the index keeps it."""
    if text.isascii():
        return text.lower()
    return _UNSPACED_CHARACTER.sub(r" \g<0> ", unicodedata.normalize("NFKC", text).translate(_FOLDING))


def query_words(query: str) -> list[str]:
    """The words of a query, folded, each once; a run of an unspaced script counts as one word."""
    return list(dict.fromkeys(_words(query)))


def _words(query: str) -> list[str]:
    # A phrase costs the index time in proportion to its characters, so a query has only so many.
    folded = unicodedata.normalize("NFKC", query[:_MAX_QUERY]).translate(_FOLDING)
    return [word[:_MAX_RUN] for word in _WORD.findall(folded)][:_MAX_WORDS]


def telling_words(words: list[str]) -> list[str]:
    """The words without the small ones of a question, unless there are no others."""
    small = frozenset(_SMALL_WORDS.split())
    return [word for word in words if word not in small] or words


def loose_words(word: str) -> list[str]:
    """The word with and without an English plural's ending; of an unspaced script's run, its pairs of characters."""
    if _UNSPACED_CHARACTER.match(word):
        return list(dict.fromkeys(word[place : place + 2] for place in range(max(1, len(word) - 1))))[:_MAX_WORDS]
    if len(word) > _SHORT_WORD and word.isascii() and word.isalpha():
        return [word, word[:-1] if word.endswith("s") else f"{word}s"]
    return [word]


def _quoted(word: str) -> str:
    # Words hold letters and digits only, so nothing of FTS5's syntax can get in.
    return '"' + _UNSPACED_CHARACTER.sub(r" \g<0> ", word).strip() + '"'


def phrase_expression(query: str) -> str:
    """Matches pages that hold the query's words side by side."""
    return '"' + " ".join(_quoted(word)[1:-1] for word in _words(query)) + '"'


def every_expression(words: list[str]) -> str:
    """Matches pages that hold every word."""
    return " AND ".join(map(_quoted, words))


def any_expression(words: list[str]) -> str:
    """Matches pages that hold one of the words."""
    return " OR ".join(map(_quoted, words))


def cut_snippet(text: str, words: list[str], length: int = SNIPPET_CHARS) -> str:
    """The passage of about `length` characters that holds most of the words, on one line.

    Cut from the raw text, so that it reads as the page does; the start of the text where no word is found.
    """
    places: list[tuple[int, int]] = []
    for reach in (_NEAR, len(text)):
        folded = _fold_in_place(text[:reach])
        places = sorted((place, number) for number, word in enumerate(words) for place in _places(folded, word))
        if len({number for _, number in places}) == len(words) or reach >= len(text):
            break
    start = _best_start(places, length)
    begin = max(0, start - length // 4)
    if begin:
        space = text.find(" ", begin, start)
        begin = space + 1 if space >= 0 else begin
    end = min(len(text), begin + length)
    if end < len(text):
        space = text.rfind(" ", begin + length // 2, end)
        end = space if space >= 0 else end
    passage = " ".join(text[begin:end].split())
    return ("…" if begin else "") + passage + ("…" if end < len(text) else "")


def _fold_in_place(text: str) -> str:
    """The text folded so that every character keeps its place."""
    return text.lower() if text.isascii() else text.translate(_FOLDING)


def _places(folded: str, word: str) -> Iterator[int]:
    """Where the word stands, the first few times."""
    spaced = not _UNSPACED_CHARACTER.match(word)
    place = folded.find(word)
    seen = 0
    while place >= 0 and seen < _MAX_PLACES:
        after = place + len(word)
        if not (spaced and (_is_letter(folded[place - 1 : place]) or _is_letter(folded[after : after + 1]))):
            yield place
            seen += 1
        place = folded.find(word, after)


def _is_letter(character: str) -> bool:
    return character.isalnum() and not _UNSPACED_CHARACTER.match(character)


def _best_start(places: list[tuple[int, int]], length: int) -> int:
    """Where the window of that length begins that holds the most different words, and then the most words."""
    best, best_start = (0, 0), 0
    for index, (start, _) in enumerate(places):
        inside = [number for place, number in places[index : index + 40] if place < start + length * 3 // 4]
        if (value := (len(set(inside)), len(inside))) > best:
            best, best_start = value, start
    return best_start
