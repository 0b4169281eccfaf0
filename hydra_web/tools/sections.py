"""Parts of a page: the one a link points to, and the list of all of them. Pure."""

import re
import unicodedata
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final
from urllib.parse import unquote

from hydra_web.protocols import JsonObject
from hydra_web.text import one_line
from hydra_web.urls import parse_url

if TYPE_CHECKING:
    from hydra_web.content import Heading

__all__ = ["find_section", "outline_facts", "outline_text", "url_fragment"]

_MOST_FACTS: Final = 200
_WORD: Final = re.compile(r"[^\W_]+")


def url_fragment(url: str) -> str:
    """The fragment of a URL as it is written there, without `#` and without text directives; empty when none."""
    parsed = parse_url(url)
    return str(parsed.hash).removeprefix("#").partition(":~:")[0] if parsed is not None else ""


def find_section(outline: "Sequence[Heading]", fragment: str) -> "Heading | None":
    """The heading a fragment points to, or None: by its anchor, else by its words as an anchor would spell them."""
    anchor = unquote(fragment)
    if not anchor:
        return None
    for heading in outline:
        if heading.anchor in (anchor, fragment):
            return heading
    words = _spelled(anchor)
    return next((heading for heading in outline if words and _spelled(heading.text) == words), None)


def _spelled(text: str) -> str:
    return "-".join(_WORD.findall(unicodedata.normalize("NFC", text).lower()))


def outline_text(outline: "Sequence[Heading]", room: int) -> str:
    """The headings as a list of at most about `room` code points, or nothing when there are none."""
    lines = ["Outline:"]
    for heading in outline:
        place = f"#{one_line(heading.anchor)}, {heading.size} characters"
        line = f"{'  ' * (heading.level - 1)}- {one_line(heading.text)} ({place})"
        room -= len(line) + 1
        if room < 0:
            break
        lines.append(line)
    return "\n".join(lines) + "\n\n" if len(lines) > 1 else ""


def outline_facts(outline: "Sequence[Heading]") -> list[JsonObject]:
    """The headings for programs; the first 200."""
    return [
        {"heading": heading.text, "level": heading.level, "anchor": heading.anchor, "size": heading.size}
        for heading in outline[:_MOST_FACTS]
    ]
