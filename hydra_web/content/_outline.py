"""The headings of a Markdown text, and where their sections start and end."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from hydra_web.content._rendered import Heading

__all__ = ["heading_words", "outline"]

_LINE: Final = re.compile(r"^(?:(`{3,}|~{3,})|(#{1,6})[ ]+(.+))", re.MULTILINE)
_LINK: Final = re.compile(
    r"!?\[((?:[^\[\]\\]|\\.){0,2000})\]\([^()\s]{0,9000}(?:\([^()\s]{0,9000}\)[^()\s]{0,9000})?\)"
)
_MARKUP: Final = re.compile(r"\\([!-/:-@\[-`{-~])|</?(?:sub|sup)>|[*`~]+")
_NO_IDS: Final[Iterator[str]] = iter(())
_NOT_ANCHOR: Final = re.compile(r"[^\w\s-]")


def outline(text: str, anchors: Mapping[str, Iterable[str]] | None = None) -> tuple[Heading, ...]:
    """The ATX headings outside code, each with its section's extent.

    `anchors` maps the words of headings to the page's ids for them, in order; empty where the page has none.
    """
    found: list[tuple[int, str, int]] = []
    fence = ""
    for match in _LINE.finditer(text):
        if match.group(1):
            if not fence:
                fence = match.group(1)
            elif match.group(1).startswith(fence):
                fence = ""
        elif not fence:
            found.append((len(match.group(2)), heading_words(match.group(3)), match.start()))
    ends = _section_ends(found, len(text))
    known = {words: iter(ids) for words, ids in (anchors or {}).items()}
    used: Counter[str] = Counter()
    taken: set[str] = set()
    headings = []
    for (level, words, start), end in zip(found, ends, strict=True):
        anchor = next(known.get(words, _NO_IDS), "") or slug(words)
        unique = anchor
        while unique in taken:
            used[anchor] += 1
            unique = f"{anchor}-{used[anchor]}"
        taken.add(unique)
        headings.append(Heading(level=level, text=words, anchor=unique, start=start, size=end - start))
    return tuple(headings)


def heading_words(markdown: str) -> str:
    """The words of a heading line without links and emphasis."""
    return " ".join(_MARKUP.sub(r"\1", _LINK.sub(r"\1", markdown)).split())


def slug(words: str) -> str:
    """The anchor GitHub would make of the words."""
    return _NOT_ANCHOR.sub("", words.lower()).strip().replace(" ", "-") or "section"


def _section_ends(found: list[tuple[int, str, int]], length: int) -> list[int]:
    ends = [length] * len(found)
    open_sections: list[int] = []
    for index, (level, _, start) in enumerate(found):
        while open_sections and found[open_sections[-1]][0] >= level:
            ends[open_sections.pop()] = start
        open_sections.append(index)
    return ends
