"""The headings of a Markdown text, and where their sections start and end."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from hydra_web.content._rendered import Heading

__all__ = ["heading_words", "outline"]

_HEADING: Final = re.compile(r"(#{1,6})[ ]+(.+)")
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
    found = _found(text)
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


def _found(text: str) -> list[tuple[int, str, int]]:
    """Level, words and offset of each heading line outside code."""
    found: list[tuple[int, str, int]] = []
    fence, start = "", 0
    for line in text.split("\n"):
        if line.startswith(("```", "~~~")):
            if not fence:
                fence = line[: len(line) - len(line.lstrip(line[0]))]
            elif line.startswith(fence):
                fence = ""
        elif line.startswith("#") and not fence:
            heading = _HEADING.match(line)
            if heading:
                found.append((len(heading.group(1)), heading_words(heading.group(2)), start))
        start += len(line) + 1
    return found


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
