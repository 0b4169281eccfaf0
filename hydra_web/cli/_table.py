"""Tables for a terminal: aligned columns of one-line cells, numbers to the right."""

from collections.abc import Sequence
from typing import Final

import typer

from hydra_web.text import one_line

__all__ = ["print_table"]

_CELL: Final = 60


def print_table(head: Sequence[str], rows: Sequence[Sequence[str | int]]) -> None:
    """Prints the rows under their head; a cell longer than 60 characters is cut."""
    cells = [list(head), *([_cell(cell) for cell in row] for row in rows)]
    widths = [max(len(row[column]) for row in cells) for column in range(len(head))]
    right = [bool(rows) and all(isinstance(row[column], int) for row in rows) for column in range(len(head))]
    for row in cells:
        columns = zip(row, widths, right, strict=True)
        line = "  ".join(cell.rjust(width) if number else cell.ljust(width) for cell, width, number in columns)
        typer.echo(line.rstrip())


def _cell(value: str | int) -> str:
    if isinstance(value, int):
        return f"{value:,}"
    text = one_line(value)
    return text if len(text) <= _CELL else text[: _CELL - 1] + "…"
