"""The first look at a page: bounds on size, tags and nesting, so that every later step is linear."""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from hydra_web.text import strip_invisible

__all__ = ["MAX_DEPTH", "Guarded", "flatten_tags", "guard", "keep_breaks"]

MAX_TAG_CHARS: Final = 16_384
MAX_ATTRIBUTES: Final = 256
MAX_DEPTH: Final = 100
MAX_SPACE_CHARS: Final = 1024

_TAG: Final = re.compile(r"<(/?)([a-zA-Z][^\s/>]*)([^>]*)>?")
_QUOTED_TAG: Final = re.compile(r"""<(/?)([a-zA-Z][^\s/>]*+)((?:[^"'>]++|"[^"]*+"|'[^']*+')*+)>?""")
_ATTRIBUTE: Final = re.compile(r"""[^\s=/"'>]+(?:\s{0,9}=\s{0,9}(?:"[^"]*"|'[^']*'|[^\s"'>]+))?""")
_LONG_SPACE: Final = re.compile(rf"(?<!\s)\s{{{MAX_SPACE_CHARS},}}")
_VOID: Final = frozenset(
    ("area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track", "wbr")
)
_CLOSES_ITSELF: Final = frozenset(("p", "li", "td", "th", "tr", "dd", "dt", "option", "optgroup"))
_RAW: Final = re.compile(r"<(script|style)\b", re.IGNORECASE)
_RAW_END: Final = {name: re.compile(rf"</{name}\b[^>]*>", re.IGNORECASE) for name in ("script", "style")}


@dataclass(frozen=True, slots=True)
class Guarded:
    """HTML that every later step can take."""

    html: str
    """The bounded source."""
    truncated: bool
    """Whether it was cut to the size limit."""


def guard(html: str, max_chars: int) -> Guarded:
    """Bounds the size, the tags' length and runs of white space; unfinished comments lose their opening only."""
    truncated = len(html) > max_chars
    html = html[:max_chars]
    if "\x1b" in html:
        html = strip_invisible(html)  # whole terminal sequences, before their first character goes
    if html.rfind("<!--") > html.rfind("-->"):
        html = _open_comment(html)
    if _has_long_tag(html):
        html = "".join(piece if is_raw else _bounded_tags(piece) for piece, is_raw in _raw_regions(html))
    if _has_long_space(html):
        html = _LONG_SPACE.sub(lambda run: "\n\n" if "\n" in run.group() else " ", html)
    return Guarded(html, truncated)


def _has_long_space(html: str) -> bool:
    """Whether there may be a run to bound: one holds a whole block of half its size, and few blocks are looked into."""
    half = MAX_SPACE_CHARS // 2
    starts = range(0, len(html) - half + 1, half)
    return any(html[at].isspace() and html[at : at + half].isspace() for at in starts)


def _open_comment(html: str) -> str:
    """The page with the comments that never end turned into text."""
    end = html.rfind("-->") + 3 if "-->" in html else 0
    return html[:end] + html[end:].replace("<!--", "")


def _has_long_tag(html: str) -> bool:
    """Whether some tag may be too long: only then is anything looked at more closely."""
    after = 0
    while len(html) - after > MAX_TAG_CHARS:
        after = html.rfind(">", after, after + MAX_TAG_CHARS + 1) + 1
        if not after:
            return True
    return False


def _bounded_tags(html: str) -> str:
    return _QUOTED_TAG.sub(_bounded_tag, html) if _has_long_tag(html) else html


def _raw_regions(html: str) -> Iterator[tuple[str, bool]]:
    """The source in pieces, and whether each is a script or style, in which a `<` starts no tag."""
    at = 0
    for match in _RAW.finditer(html):
        if match.start() >= at:
            yield html[at : match.start()], False
            end = _RAW_END[match.group(1).lower()].search(html, match.end())
            at = end.end() if end else len(html)
            yield html[match.start() : at], True
    yield html[at:], False


def _bounded_tag(match: re.Match[str]) -> str:
    whole = match.group()
    if len(whole) <= MAX_TAG_CHARS:
        return whole
    kept: list[str] = []
    room = MAX_TAG_CHARS
    for attribute in _ATTRIBUTE.finditer(match.group(3)):
        text = attribute.group()
        if len(kept) == MAX_ATTRIBUTES:
            break
        if len(text) <= room:
            kept.append(text)
            room -= len(text)
    return f"<{match.group(1)}{match.group(2)} {' '.join(kept)}>"


def flatten_tags(html: str, max_depth: int = MAX_DEPTH) -> str:
    """The same page without the tags nested deeper than `max_depth`; their text stays."""
    open_tags: list[str] = []
    shallow: Counter[str] = Counter()
    deep: Counter[str] = Counter()

    def visit(match: re.Match[str]) -> str:
        tag, name = match.group(), match.group(2).lower()
        if name in _VOID or tag.endswith("/>"):
            return tag
        if not match.group(1):
            if open_tags and open_tags[-1] == name and name in _CLOSES_ITSELF:
                return tag
            if len(open_tags) >= max_depth:
                deep[name] += 1
                return " "
            open_tags.append(name)
            shallow[name] += 1
            return tag
        if deep[name]:
            deep[name] -= 1
            return " "
        while shallow[name]:
            popped = open_tags.pop()
            shallow[popped] -= 1
            if popped == name:
                break
        return tag

    return _TAG.sub(visit, _without_raw_text(html))


def keep_breaks(html: str) -> str:
    """The page as paragraphs only, for tags so tangled that counting them tells no depth."""
    return _TAG.sub("<p>", _without_raw_text(html))


def _without_raw_text(html: str) -> str:
    return "".join(piece for piece, is_raw in _raw_regions(html) if not is_raw)
