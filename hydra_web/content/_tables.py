"""Tables as GFM tables, and the ones that only lay out a page told apart."""

import re
from dataclasses import dataclass
from typing import Final

from hydra_web.content._code import is_gutter
from hydra_web.content._tree import Node

__all__ = ["Table", "read_table", "table_lines"]

MAX_COLUMNS: Final = 100
MAX_SPAN: Final = 1000
MAX_GROWTH: Final = 20

_ALIGN: Final = re.compile(r"text-align\s{0,9}:\s{0,9}(left|center|right)", re.IGNORECASE)
_RULES: Final = {"left": ":---", "center": ":---:", "right": "---:"}
_PARTS: Final = frozenset(("caption", "col", "colgroup", "thead", "tbody", "tfoot", "tr"))
_LAYOUT_ROLES: Final = frozenset(("presentation", "none"))


@dataclass(frozen=True, slots=True)
class Table:
    """The rows and cells of one table, without those of tables inside it."""

    rows: list[tuple[Node, list[Node]]]
    """Each row with its cells, in the order they are shown: head, bodies, foot."""
    captions: list[Node]
    """The captions."""
    layout: bool
    """Whether the cells are parts of the page rather than data, or the table is too broken to be one."""

    @property
    def cells(self) -> list[Node]:
        """Every cell in reading order."""
        return [cell for _, cells in self.rows for cell in cells]

    @property
    def has_header(self) -> bool:
        """Whether the first row names the columns."""
        row, cells = self.rows[0]
        return row.getparent().tag == "thead" or all(cell.tag == "th" for cell in cells)


def read_table(table: Node) -> Table:
    """The table as rows of cells."""
    captions: list[Node] = []
    sections: dict[str, list[Node]] = {"thead": [], "tbody": [], "tfoot": []}
    strays = _has_text(table)
    for child in table:
        strays = strays or child.tag not in _PARTS
        if child.tag in sections:
            strays = strays or _has_text(child) or any(row.tag not in _PARTS for row in child)
            sections[child.tag] += child.iterchildren("tr")
        elif child.tag == "tr":
            sections["tbody"].append(child)
        elif child.tag == "caption":
            captions.append(child)
    rows = [(row, list(row.iterchildren("td", "th"))) for section in sections.values() for row in section]
    rows = [(row, cells) for row, cells in rows if cells]
    strays = strays or any(_has_text(row) or len(cells) < len(row) for row, cells in rows)
    return Table(rows, captions, strays or _is_layout(table, rows))


def _has_text(element: Node) -> bool:
    """Whether text stands between the children, where none belongs."""
    if element.text and not element.text.isspace():
        return True
    return any(child.tail and not child.tail.isspace() for child in element)


def _is_layout(table: Node, rows: list[tuple[Node, list[Node]]]) -> bool:
    if table.get("role") in _LAYOUT_ROLES or next(table.iterdescendants("table"), None) is not None:
        return True
    cells = [cell for _, cells in rows for cell in cells]
    if len(cells) != sum(1 for _ in table.iterdescendants("td", "th")) or any(map(is_gutter, cells)):
        return True
    widest = max((len(row) for _, row in rows), default=0)
    return widest > MAX_COLUMNS or (widest <= 1 and not any(cell.tag == "th" for cell in cells))


def table_lines(read: Table, texts: list[str]) -> list[str]:
    """The table's lines, from the inline Markdown of its cells; none when every cell is empty."""
    if not any(texts):
        return []
    grid = _grid(read, texts)
    width = max(map(len, grid))
    rules = [_RULES.get(_alignment(cell), "---") for cell in _spread(read.rows[0][1], width)]
    rules += ["---"] * (width - len(rules))
    if not read.has_header:
        grid.insert(0, [])
    lines = [_line(row + [""] * (width - len(row))) for row in grid]
    lines.insert(1, _line(rules))
    return lines


def _grid(read: Table, texts: list[str]) -> list[list[str]]:
    """The cells in rows and columns; spans are honoured while they do not blow the table up."""
    most = MAX_GROWTH * (len(texts) + MAX_COLUMNS)
    return _lay_out(read, texts, most, spans=True) or _lay_out(read, texts, most, spans=False)


def _lay_out(read: Table, texts: list[str], most: int, *, spans: bool) -> list[list[str]]:
    grid: list[list[str]] = []
    covered: dict[int, int] = {}  # column -> rows below that a cell above still covers
    remaining = iter(texts)
    size = 0
    width = max(len(cells) for _, cells in read.rows)
    for _, cells in read.rows:
        row: list[str] = []
        fresh: dict[int, int] = {}
        for after, cell in zip(range(len(cells) - 1, -1, -1), cells, strict=True):
            while len(row) in covered:
                row.append("")
            columns, rows = (_span(cell, "colspan"), _span(cell, "rowspan")) if spans else (1, 1)
            columns = max(1, min(columns, width - len(row) - after))
            if rows > 1:
                fresh |= dict.fromkeys(range(len(row), len(row) + columns), rows - 1)
            row += [next(remaining), *[""] * (columns - 1)]
        while len(row) in covered:
            row.append("")
        covered = {column: left - 1 for column, left in covered.items() if left > 1} | fresh
        grid.append(row)
        size = max(size, len(row))
        if spans and size * len(grid) > most:
            return []
    return grid


def _spread(cells: list[Node], width: int) -> list[Node]:
    """Each cell once per column it covers, as far as the table is wide."""
    spread: list[Node] = []
    for cell in cells:
        spread += [cell] * min(_span(cell, "colspan"), width - len(spread))
    return spread


def _span(cell: Node, name: str) -> int:
    value = cell.get(name)
    if not value or not value.strip().isdecimal():
        return 1
    return max(1, min(MAX_SPAN, int(value.strip()[:9])))


def _alignment(cell: Node) -> str:
    styled = _ALIGN.search(cell.get("style") or "")
    return (styled.group(1) if styled else cell.get("align") or "").lower()


def _line(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"
