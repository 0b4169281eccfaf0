"""Saving what a damaged SQLite store still holds into a new one."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from hydra_web.store import _page_table
from hydra_web.store._database import Database
from hydra_web.store._values import store_error
from hydra_web.store.pages import IndexedPage

__all__ = ["RepairReport", "repair_store"]

_BUSY_MS: Final = 5000
_PAGE_COLUMNS: Final = "id, url, title, kind, content, text, fetched_at, published_at, modified_at"
_Row = tuple[Any, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RepairReport:
    """What was saved."""

    pages: int
    """Recorded pages, searchable again."""
    records: int
    """Records of evidence and other streams."""
    charges: int
    """Charges of budgets."""
    damaged: Path
    """Where the damaged file was put."""


def repair_store(path: Path) -> RepairReport:
    """Copies everything readable into a new store in the same place; the old file is kept beside it.

    No other process may be using the store. Raises WebError `WEB_STORE_ERROR` (`corrupt`) when nothing can
    be read, and leaves the file as it is.
    """
    fresh = path.with_name(path.name + ".repaired")
    _remove(fresh)
    database = Database(fresh, _BUSY_MS)
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as old:
            pages, records, charges = database.write(lambda new: _copy(old, new))
    finally:
        database.close()
    if not pages + records + charges:
        _remove(fresh)
        raise store_error("corrupt")
    damaged = path.with_name(path.name + ".damaged")
    _remove(damaged)
    _move(path, damaged)
    fresh.rename(path)
    return RepairReport(pages=pages, records=records, charges=charges, damaged=damaged)


def _copy(old: sqlite3.Connection, new: sqlite3.Connection) -> tuple[int, int, int]:
    pages = 0
    for row in _rows(old, "pages", _PAGE_COLUMNS, "id"):
        names = _PAGE_COLUMNS.split(", ")[1:]
        _page_table.save_pages(new, [IndexedPage(**dict(zip(names, row[1:], strict=True)))])
        pages += 1
    counts = []
    for table, columns, key in (
        ("records", "stream, sequence, body", "stream, sequence"),
        ("charges", "id, account, owner, kind, queries, at", "id"),
        ("entries", "key, body, expires", "key"),
    ):
        rows = list(_rows(old, table, columns, key))
        marks = ", ".join("?" * len(columns.split(", ")))
        new.executemany(f"INSERT OR IGNORE INTO {table} ({columns}) VALUES ({marks})", rows)  # noqa: S608 - fixed names
        counts.append(len(rows))
    return pages, counts[0], counts[1]


def _rows(old: sqlite3.Connection, table: str, columns: str, key: str) -> Iterator[_Row]:
    """The readable rows: from both ends up to the damage, and by number in between where rows have one."""
    seen: set[_Row] = set()
    ends: list[int] = []
    for direction in ("ASC", "DESC"):
        order = ", ".join(f"{name} {direction}" for name in key.split(", "))
        last, whole = 0, True
        try:
            for row in old.execute(f"SELECT {columns} FROM {table} ORDER BY {order}"):  # noqa: S608 - fixed names
                identity = row[: len(key.split(", "))]
                last = row[0]
                if identity not in seen:
                    seen.add(identity)
                    yield row
        except sqlite3.Error:
            whole = False
        if whole:
            return
        ends.append(last)
    if key == "id":
        for number in range(ends[0] + 1, ends[1]):
            yield from _row(old, f"SELECT {columns} FROM {table} WHERE id = ?", number)  # noqa: S608 - fixed names


def _row(old: sqlite3.Connection, statement: str, number: int) -> list[_Row]:
    try:
        return old.execute(statement, (number,)).fetchall()
    except sqlite3.Error:
        return []


def _move(path: Path, target: Path) -> None:
    for suffix in ("-wal", "-shm", ""):
        part = path.with_name(path.name + suffix)
        if part.exists():
            part.rename(target.with_name(target.name + suffix))


def _remove(path: Path) -> None:
    for suffix in ("-wal", "-shm", ""):
        path.with_name(path.name + suffix).unlink(missing_ok=True)
