"""Where a quote stands in a text, and where the words nearest to it stand."""

import re
from collections import Counter, defaultdict
from dataclasses import dataclass
from functools import cached_property
from typing import Final, Literal, TypeAlias

from hydra_web.evidence._folding import FoldedText, fold

__all__ = ["MIN_FOLDED_WIDTH", "Match", "Passage", "Quote", "SearchableText"]

Match: TypeAlias = Literal["exact", "normalized"]
"""How a quote was found: character by character, or by its words."""

MIN_FOLDED_WIDTH: Final = 12
"""A quote, or a piece of one between ellipses, shorter than this must match exactly."""

_ELLIPSIS: Final = re.compile(r"[\[(]?(?:…|\.{3,}|\. \. \.)[\])]?")
_COMMON: Final = 64
_LIKENESS: Final = 0.5
_SUGGESTION_CHARS: Final = 400


@dataclass(frozen=True, slots=True)
class Passage:
    """A place in a text."""

    match: Match
    """How it was found."""
    start: int
    """Where it begins, in code points."""
    end: int
    """Where it ends."""
    too_short: bool = False
    """Whether a piece of the quote says too little to count as found by its words."""


class Quote:
    """A quote made ready to be looked up in many texts."""

    def __init__(self, text: str) -> None:
        self.text = text

    @cached_property
    def whole(self) -> FoldedText:
        """The quote folded to its words."""
        return fold(self.text)

    @cached_property
    def pieces(self) -> list[FoldedText]:
        """What stands between its ellipses, folded."""
        return [piece for piece in map(fold, _ELLIPSIS.split(self.text)) if len(piece)]


class SearchableText:
    """A text in which quotes are looked up; it is folded once, when that is first needed."""

    def __init__(self, text: str) -> None:
        self.text = text

    @cached_property
    def folded(self) -> FoldedText:
        """The text folded to its words."""
        return fold(self.text)

    def find_exact(self, quote: Quote) -> Passage | None:
        """The first place where the quote stands character by character."""
        start = self.text.find(quote.text)
        return Passage("exact", start, start + len(quote.text)) if start >= 0 else None

    def find(self, quote: Quote) -> Passage | None:
        """The first place of a quote: exact, by its words, or as ordered pieces between ellipses."""
        exact = self.find_exact(quote)
        if exact is not None:
            return exact
        whole = self._find_pieces([quote.whole])
        return whole or (self._find_pieces(quote.pieces) if len(quote.pieces) > 1 else None)

    def _find_pieces(self, pieces: list[FoldedText]) -> Passage | None:
        spans: list[tuple[int, int]] = []
        after = 0
        for piece in pieces:
            span = self.folded.find(piece, after) or (
                self.folded.find_cut(piece, after) if piece is pieces[-1] else None
            )
            if span is None:
                return None
            spans.append(span)
            after = span[1]
        if not spans:
            return None
        short = any(piece.width < MIN_FOLDED_WIDTH for piece in pieces)
        start, end = self.folded.starts[spans[0][0]], self.folded.ends[spans[-1][1] - 1]
        return Passage("normalized", start, end, short)

    def nearest(self, quote: Quote) -> str | None:
        """The passage most like the quote, for a hint; None when nothing shares half of its words in place."""
        wanted = quote.whole.joined.split()
        votes: Counter[int] = Counter()
        for index, token in enumerate(wanted):
            places = self._positions.get(token, ())
            if len(places) <= _COMMON:
                votes.update((place - index) // 4 for place in places)
        best, likeness = 0, 0.0
        for slot, _ in votes.most_common(3):
            first = max(0, slot * 4)
            shared = Counter(self._window(first, len(wanted))) & Counter(wanted)
            if sum(shared.values()) / len(wanted) > likeness:
                best, likeness = first, sum(shared.values()) / len(wanted)
        return self._sentence(best, len(wanted)) if likeness >= _LIKENESS else None

    @cached_property
    def _positions(self) -> dict[str, list[int]]:
        positions: dict[str, list[int]] = defaultdict(list)
        for index, token in enumerate(self.folded.joined.split()):
            positions[token].append(index)
        return dict(positions)

    def _window(self, first: int, count: int) -> list[str]:
        offsets = self.folded.offsets
        last = min(len(offsets) - 1, first + count + 4)
        return self.folded.joined[offsets[first] : offsets[last]].split()

    def _sentence(self, first: int, count: int) -> str:
        last = min(len(self.folded) - 1, first + count + 4)
        start, end = self.folded.starts[first], self.folded.ends[last]
        return self.text[start:end][:_SUGGESTION_CHARS]
