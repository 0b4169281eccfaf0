"""One walk over the tree, writing each block as GitHub-flavoured Markdown."""

import re
from collections.abc import Callable
from collections.abc import Set as AbstractSet
from typing import Final

from hydra_web.content import _names as names
from hydra_web.content._code import code_language, code_lines, code_text, is_gutter
from hydra_web.content._emphasis import resolve_emphasis
from hydra_web.content._escape import BREAK, LABEL_END, escape_cell, escape_line, escape_text, finish_inline
from hydra_web.content._headings import heading_id
from hydra_web.content._inline import Inline
from hydra_web.content._outline import heading_words
from hydra_web.content._tables import read_table, table_lines
from hydra_web.content._tree import Node
from hydra_web.content._writer import MAX_NESTING, Writer

__all__ = ["Blocks"]

MIN_REPEATED: Final = 60

_TRAILING_HASHES: Final = re.compile(r"(?<!\\)(#+)$")
_BREAKS: Final = re.compile(r"(?:<br>)+")
_NUMBER: Final = re.compile(r"\s*(\d{1,9})\s*")
_LISTS: Final = frozenset(("ul", "ol", "menu", "dir"))


class Blocks:
    """The block side of the walk; `inline` writes what stands inside lines.

    With `once`, a paragraph of some length that is written already is not written again.
    """

    def __init__(
        self, inline: Inline, writer: Writer, skip: AbstractSet[Node] = frozenset(), *, once: bool = False
    ) -> None:
        self._inline = inline
        self._skip = skip
        self._once = once
        self._written: set[str] = set()
        self._writer = writer
        self._pending: list[str] = []
        self._mixed: set[Node] = set()
        self._link = ""
        self._last_list: tuple[str, str, int] = ("", "", -1)  # kind, marker, lines written when it ended
        self.headings: dict[str, list[str]] = {}

    def write(self, root: Node) -> None:
        """Writes everything inside the element."""
        self._block(root)

    def _block(self, element: Node) -> None:
        self._children(element)
        self._flush()

    def _children(self, element: Node) -> None:
        text = element.text
        if text:
            self._add_text(text)
        for child in element:
            if child not in self._skip:
                self._child(child)
            text = child.tail
            if text:
                self._add_text(text)

    def _add_text(self, text: str) -> None:
        if self._pending or not text.isspace():
            self._pending.append(escape_text(text))

    def _child(self, child: Node) -> None:
        tag = child.tag
        handler = _HANDLERS.get(tag)
        if handler is not None:
            if self._pending:
                self._flush()
            handler(self, child)
        elif tag in names.SILENT:
            return
        elif not self._is_mixed(child):
            self._pending.append(self._inline.element(child))
        elif tag == "a":
            self._linked_blocks(child)
        else:
            self._children(child)

    def _is_mixed(self, element: Node) -> bool:
        """Whether the inline element has blocks inside; noted for all around the first one, lest each looks again."""
        if element not in self._mixed:
            block = next((inner for inner in element.iterdescendants() if inner.tag in names.BLOCKS), element)
            while block is not element:
                block = block.getparent()
                self._mixed.add(block)
        return element in self._mixed

    def _linked_blocks(self, anchor: Node) -> None:
        """A link around blocks: the address goes to the first line of text inside."""
        self._flush()
        outer, self._link = self._link, self._link or self._inline.address(anchor)
        self._block(anchor)
        self._link = outer

    def _flush(self) -> None:
        """Writes the pending inline text as a paragraph."""
        if not self._pending:
            return
        text = self._finish("".join(self._pending))
        self._pending.clear()
        if not text:
            return
        for paragraph in text.split(BREAK + BREAK):
            lines = [escape_line(line) for line in paragraph.split(BREAK) if line]
            if lines and not self._is_repeated(paragraph):
                self._writer.write([f"{line}\\" for line in lines[:-1]] + lines[-1:])

    def _is_repeated(self, paragraph: str) -> bool:
        if not self._once or len(paragraph) < MIN_REPEATED:
            return False
        if paragraph in self._written:
            return True
        self._written.add(paragraph)
        return False

    def _finish(self, raw: str) -> str:
        if raw.isspace():
            return ""
        if self._link and LABEL_END not in raw:
            head, mark, rest = raw.strip(BREAK + " \n").partition(BREAK)
            linked = self._inline.link(head, self._link)
            if linked != head:
                self._link, raw = "", linked + mark + rest
        return finish_inline(resolve_emphasis(raw))

    def _line(self, element: Node) -> str:
        return self._finish(self._inline.content(element)).replace(BREAK, " ").strip()

    def _heading(self, element: Node) -> None:
        line = " ".join(self._line(element).split())
        if not line:
            return
        self.headings.setdefault(heading_words(line), []).append(heading_id(element))
        self._writer.write([names.HEADINGS[element.tag] + _TRAILING_HASHES.sub(r"\\\1", line)])

    def _bold_line(self, element: Node) -> None:
        line = self._line(element)
        if line:
            self._writer.write([line if "**" in line else f"**{line}**"])

    def _rule(self, _: Node) -> None:
        self._writer.write(["***" if self._writer.at_marker else "---"])

    def _code(self, pre: Node) -> None:
        text = code_text(pre)
        if text:
            self._writer.write(code_lines(text, code_language(pre)))

    def _contained(self, element: Node, marker: str, indent: str) -> None:
        if self._writer.nesting >= MAX_NESTING:
            self._block(element)
            return
        state = self._writer.enter(marker, indent)
        self._block(element)
        self._writer.leave(state)

    def _quote(self, element: Node) -> None:
        self._contained(element, "> ", "> ")

    def _item(self, element: Node, marker: str) -> None:
        self._contained(element, marker, " " * len(marker))

    def _definitions(self, element: Node) -> None:
        self._stray_text(element.text)
        for child in element:
            if child in self._skip:
                continue
            if child.tag == "dd":
                self._contained(child, ": ", "")
            elif child.tag == "div":
                self._definitions(child)
            else:
                self._child(child)
                self._flush()
            self._stray_text(child.tail)

    def _stray_text(self, text: str | None) -> None:
        """Text that stands between the items of a list."""
        if text and not text.isspace():
            self._pending.append(escape_text(text))
            self._flush()

    def _list(self, element: Node) -> None:
        kind = "ol" if element.tag == "ol" else "ul"
        number = _integer(element.get("start"), 1)
        loose = any(next(item.iterchildren("p"), None) is not None for item in element.iterchildren("li"))
        marker = self._list_marker(kind)
        self._stray_text(element.text)
        if self._writer.nesting and not loose and (kind == "ul" or number == 1):
            self._writer.tighten()
        for child in element:
            if child.tag in _LISTS:
                self._stray_list(child)
            elif child.tag not in names.SILENT and child not in self._skip:
                number = _integer(child.get("value"), number)
                self._item(child, f"{number}{marker} " if kind == "ol" else f"{marker} ")
                number += 1
            self._stray_text(child.tail)
            if not loose:
                self._writer.tighten()
        self._writer.loosen()
        self._last_list = (kind, marker, len(self._writer.lines))

    def _stray_list(self, element: Node) -> None:
        """A list that stands in a list without an item of its own belongs to the item before it."""
        state = self._writer.indent("  ")
        self._list(element)
        self._writer.dedent(state)

    def _list_marker(self, kind: str) -> str:
        """The usual marker, or the other one where two lists of a kind follow each other and would become one."""
        usual, other = ("-", "*") if kind == "ul" else (".", ")")
        last_kind, last_marker, at = self._last_list
        return other if (last_kind, last_marker, at) == (kind, usual, len(self._writer.lines)) else usual

    def _table(self, element: Node) -> None:
        table = read_table(element)
        if table.layout:
            self._block(element)
            return
        for caption in table.captions:
            self._block(caption)
        lines = table_lines(table, [self._cell(cell) for cell in table.cells])
        if lines:
            self._writer.write(lines)

    def _cell(self, cell: Node) -> str:
        text = escape_cell(self._finish(self._inline.content(cell)))
        return _BREAKS.sub("<br>", text)

    def _layout_cell(self, cell: Node) -> None:
        if not is_gutter(cell):
            self._block(cell)


def _integer(value: str | None, otherwise: int) -> int:
    number = _NUMBER.fullmatch(value or "")
    return int(number.group(1)) if number else otherwise


# Not in the instance: its own methods in a table of its own would keep the whole tree until a garbage collection.
_HANDLERS: Final[dict[str, Callable[[Blocks, Node], None]]] = {
    **dict.fromkeys(names.BLOCKS - names.SILENT, Blocks._block),
    **dict.fromkeys(_LISTS, Blocks._list),
    **dict.fromkeys(names.HEADINGS, Blocks._heading),
    "blockquote": Blocks._quote,
    "dl": Blocks._definitions,
    "dt": Blocks._bold_line,
    "hr": Blocks._rule,
    "li": lambda blocks, li: blocks._item(li, "- "),
    "listing": Blocks._code,
    "pre": Blocks._code,
    "summary": Blocks._bold_line,
    "table": Blocks._table,
    "td": Blocks._layout_cell,
    "th": Blocks._layout_cell,
    "xmp": Blocks._code,
}
