"""Links in Markdown, found by a CommonMark parser and traced back to where they stand in the source.

Offsets count Python code points of the source as it was given, whatever its line endings.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

from markdown_it import MarkdownIt
from markdown_it.rules_inline import StateInline
from markdown_it.rules_inline.link import link as _link_rule
from markdown_it.token import Token

__all__ = ["Link", "ParsedMarkdown", "parse_markdown", "parser"]

_LINE: Final = re.compile(r"([^\r\n]*)(?:\r\n|\r|\n|\Z)")
_CODE_TAG: Final = re.compile(r"<(/?)(?:code|pre|kbd|samp|tt)\b", re.IGNORECASE)
_BLOCK_MARKERS: Final = re.compile(r"(?:[ \t>]|[-*+][ \t]|[0-9]{1,9}[.)][ \t])*")
_BARE_URL: Final = re.compile(r"https?://[^\s<>()\[\]\"]+")
_MARKERS_CHARS: Final = 256
_SPAN: Final = "hydra_span"
_INLINE: Final = "hydra_inline"


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """One link of a Markdown text, outside code."""

    destination: str
    """Where it points, escapes and entities decoded, otherwise as written."""
    title: str
    """Its title, decoded; empty when there is none."""
    label: str
    """Its label as plain text."""
    inline: bool
    """Whether destination and title stand in the link itself, not in a reference."""
    start: int
    """Where it begins in the source."""
    label_end: int
    """Where its label ends, before the closing bracket."""
    end: int
    """Where it ends."""
    line_start: bool
    """Whether it is the first thing on its line."""
    last_block: bool
    """Whether it stands in the last block of the text, which more text could still change."""
    token: Token
    """The parser's token that opens it."""


@dataclass(frozen=True, slots=True)
class ParsedMarkdown:
    """What a text links to."""

    links: tuple[Link, ...]
    """The links with a label, in order; images and anything in code or raw HTML are none."""
    bare_urls: tuple[str, ...]
    """The web addresses that stand in the text by themselves, in order."""
    tokens: tuple[Token, ...]
    """The parser's block tokens."""


@cache
def parser() -> MarkdownIt:
    """A CommonMark parser with tables and strikethrough that notes where each link stands."""
    markdown = MarkdownIt("commonmark").enable(["table", "strikethrough"])
    markdown.inline.ruler.at("link", _noted_link)
    markdown.normalizeLink = str  # type: ignore[method-assign, assignment]  # destinations stay as written
    markdown.validateLink = _any_url  # type: ignore[method-assign]  # judged where a link is used
    return markdown


def _any_url(url: str) -> bool:
    return isinstance(url, str)


def _noted_link(state: StateInline, silent: bool) -> bool:
    start, count = state.pos, len(state.tokens)
    if silent or state.src[start] != "[":
        return _link_rule(state, silent)
    if not _link_rule(state, silent):
        return False
    label_end = state.md.helpers.parseLinkLabel(state, start, True)
    opening = next(token for token in state.tokens[count:] if token.type == "link_open")
    opening.meta[_SPAN] = (start, label_end, state.pos)
    opening.meta[_INLINE] = state.src[state.pos - 1] == ")"
    return True


def parse_markdown(markdown: str) -> ParsedMarkdown:
    """The links of a text. Never raises, and takes time in proportion to the text."""
    source = markdown.replace("\0", "\ufffd")
    lines = [(match.start(), match.group(1)) for match in _LINE.finditer(source)]
    tokens = parser().parse(markdown)
    last = max((index for index, token in enumerate(tokens) if token.level == 0 and token.nesting >= 0), default=0)
    cell_ends: dict[int, int] = {}
    links: list[Link] = []
    bare: list[str] = []
    for index, token in enumerate(tokens):
        if token.type != "inline" or token.map is None or not token.children:
            continue
        bare += _bare_urls(token.children)
        if "[" not in token.content:
            continue
        first, after_last = token.map
        in_cell = tokens[index - 1].type in ("td_open", "th_open")
        places = _trace(token.content, lines[first:after_last], cell_ends.get(first, 0) if in_cell else None)
        if in_cell:
            cell_ends[first] = places[len(token.content) - 1] + 1
        links += _links_in(token.children, places, source, index >= last)
    return ParsedMarkdown(tuple(links), tuple(bare), tuple(tokens))


def _outside_code(children: Sequence[Token]) -> Iterator[tuple[int, Token]]:
    depth = 0
    for index, child in enumerate(children):
        tag = _CODE_TAG.match(child.content) if child.type == "html_inline" else None
        if tag:
            depth = max(0, depth - 1 if tag.group(1) else depth + 1)
        elif not depth:
            yield index, child


def _links_in(children: Sequence[Token], places: list[int], source: str, last_block: bool) -> Iterator[Link]:
    for index, child in _outside_code(children):
        if _SPAN not in child.meta:
            continue
        start, label_end, end = child.meta[_SPAN]
        begin = places[start]
        yield Link(
            destination=str(child.attrs["href"]),
            title=str(child.attrs.get("title", "")),
            label=_plain_label(children, index),
            inline=child.meta[_INLINE],
            start=begin,
            label_end=places[label_end],
            end=places[end - 1] + 1,
            line_start=_opens_line(source, begin),
            last_block=last_block,
            token=child,
        )


def _opens_line(source: str, place: int) -> bool:
    before = source[max(0, place - _MARKERS_CHARS) : place]
    line = before[max(before.rfind("\n"), before.rfind("\r")) + 1 :]
    return _BLOCK_MARKERS.fullmatch(line) is not None


def _bare_urls(children: Sequence[Token]) -> Iterator[str]:
    in_link = False
    for _, child in _outside_code(children):
        if child.type in ("link_open", "link_close"):
            in_link = child.type == "link_open"
            if in_link and child.markup == "autolink":
                yield str(child.attrs["href"])
        elif child.type == "text" and not in_link and "://" in child.content:
            for match in _BARE_URL.finditer(child.content):
                yield match.group().rstrip(".,:;!?*_~'\"")


def _plain_label(children: Sequence[Token], opening: int) -> str:
    parts: list[str] = []
    for index in range(opening + 1, len(children)):
        child = children[index]
        if child.type == "link_close":
            break
        if child.type != "html_inline":
            parts.append(" " if child.type in ("softbreak", "hardbreak") else child.content)
    return "".join(parts)


def _trace(content: str, lines: Sequence[tuple[int, str]], cell_start: int | None) -> list[int]:
    """The source offset of every character of a block's content.

    The content of a block is its source lines without block markers before and white space
    around; a table cell is a part of one line, its pipes unescaped.
    """
    places: list[int] = []
    pieces = content.split("\n")
    # The parser drops first lines of nothing but white space that is none to CommonMark, such as U+3000.
    dropped = next((index for index in range(len(lines)) if pieces[0].strip() in _as_parsed(lines[index][1])), 0)
    for piece, (offset, line) in zip(pieces, lines[dropped:], strict=False):
        cursor = _find_piece(piece, _as_parsed(line), None if cell_start is None else max(0, cell_start - offset))
        for character in piece:
            if character == "|" and line[cursor : cursor + 2] == "\\|":
                cursor += 1
            places.append(offset + cursor)
            cursor += 1
        places.append(offset + len(line))
    return places


def _as_parsed(line: str) -> str:
    return line.replace("\0", "\ufffd")


def _find_piece(piece: str, line: str, cell_start: int | None) -> int:
    bare = piece.strip()
    found = len(line.rstrip()) - len(bare) if cell_start is None else -1
    if found < 0 or not line.startswith(bare, found):
        pattern = re.escape(bare).replace(r"\|", r"\\?\|")
        match = re.compile(pattern).search(line, cell_start or 0)
        found = match.start() if match else len(line)
    return found - (len(piece) - len(piece.lstrip()))
