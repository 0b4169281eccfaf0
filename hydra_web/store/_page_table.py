"""The recorded pages of a SQLite store and their full-text index, as statements on a connection."""

import math
import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

from hydra_web.store._words import (
    any_expression,
    cut_snippet,
    every_expression,
    fold,
    loose_words,
    phrase_expression,
    query_words,
    telling_words,
)
from hydra_web.store.pages import IndexedPage, PageHit, PageSummary
from hydra_web.urls import without_fragment

__all__ = ["delete_page", "list_pages", "load_page", "save_pages", "search_pages"]

_TITLE_WEIGHT: Final = 3.0
_COLUMNS: Final = "url, title, kind, content, text, fetched_at, published_at, modified_at"
_FEW_WORDS: Final = 2
_MOST_HITS: Final = 1_000
_TOO_FEW_HITS: Final = 5
_MOST_PER_WORD: Final = 200
_MANY_PAGES: Final = 50
_COMMON_SHARE: Final = 0.2


def save_pages(connection: sqlite3.Connection, pages: Iterable[IndexedPage]) -> None:
    """Adds pages, each in the place of an earlier one of the same URL."""
    for page in pages:
        url, title, text = without_fragment(page.url), _shown(page.title or ""), _shown(page.text)
        delete_page(connection, url)
        row = connection.execute(
            f"INSERT INTO pages ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",  # noqa: S608 - fixed names
            (
                _clean(url),
                title or None,
                page.kind,
                _clean(page.content),
                text,
                page.fetched_at,
                page.published_at,
                page.modified_at,
            ),
        ).lastrowid
        connection.execute(
            "INSERT INTO page_index (rowid, title, body) VALUES (?, ?, ?)", (row, fold(title), fold(text))
        )


def delete_page(connection: sqlite3.Connection, url: str) -> bool:
    """Removes a page; False when there was none."""
    found = connection.execute("SELECT id, title, text FROM pages WHERE url = ?", (_clean(url),)).fetchone()
    if found is None:
        return False
    row, title, text = found
    # A contentless index forgets a row only when it is told again what the row held.
    connection.execute(
        "INSERT INTO page_index (page_index, rowid, title, body) VALUES ('delete', ?, ?, ?)",
        (row, fold(title or ""), fold(text)),
    )
    connection.execute("DELETE FROM pages WHERE id = ?", (row,))
    return True


def load_page(connection: sqlite3.Connection, url: str) -> IndexedPage | None:
    """The page recorded under a URL."""
    found = connection.execute(
        f"SELECT {_COLUMNS} FROM pages WHERE url = ?",  # noqa: S608 - fixed names
        (_clean(url),),
    ).fetchone()
    return None if found is None else IndexedPage(**dict(zip(_COLUMNS.split(", "), found, strict=True)))


def list_pages(connection: sqlite3.Connection) -> list[PageSummary]:
    """Every recorded page, by URL."""
    rows = connection.execute("SELECT url, title, kind, length(text), fetched_at FROM pages ORDER BY url")
    return [
        PageSummary(url=url, title=title, kind=kind, characters=characters, fetched_at=fetched_at)
        for url, title, kind, characters, fetched_at in rows
    ]


def search_pages(
    connection: sqlite3.Connection, query: str, limit: int, since: str | None, until: str | None
) -> list[PageHit]:
    """Pages that hold the words side by side first, then those that hold them all.

    A question's small words, and words that a good part of all pages hold, need not be there. When there are
    too few such pages, those that hold most of the words follow. When there are none, or few for a question, some
    that hold any of its words are given. Dates are whole days, both included, and compared with the day a page was
    published or, where that is unknown, changed.
    """
    asked = query_words(query)
    if not asked or limit < 1:
        return []
    limit = min(limit, _MOST_HITS)
    bounds = (since, until)
    words = _telling(connection, telling_words(asked))
    every = _match(connection, every_expression(words), limit, bounds)
    phrase = _match(connection, phrase_expression(query), limit, bounds) if len(asked) > 1 else []
    bonus = max((score for _, score in every), default=0.0) + 1
    scores = dict(every) | {row: score + bonus for row, score in phrase}
    if len(scores) < limit and len(words) > _FEW_WORDS:
        _add_below(scores, _most(connection, words, 4 * limit, bounds))
    is_question = len(words) < len(asked)
    if len(scores) < (_TOO_FEW_HITS if is_question else 1):
        some = [hit for hit in _some(connection, words, bounds) if hit[0] not in scores]
        _add_below(scores, some[: _TOO_FEW_HITS - len(scores)])
    ranked = sorted(scores.items(), key=lambda item: -item[1])[:limit]
    return list(_hits(connection, ranked, words))


def _add_below(scores: dict[int, float], found: list[tuple[int, float]]) -> None:
    """Adds pages in their own order, all of them scored lower than those that are there."""
    floor = min(scores.values(), default=1.0)
    for row, score in found:
        scores.setdefault(row, floor * score / (1 + score))


def _telling(connection: sqlite3.Connection, words: list[str]) -> list[str]:
    """The words without those that very many pages hold, while there are enough pages and words to tell."""
    if len(words) <= _FEW_WORDS:
        return words
    total = _count(connection, "SELECT count(*) FROM pages")
    if total < _MANY_PAGES:
        return words
    rare = []
    for word in words:
        count = _count(connection, "SELECT count(*) FROM page_index WHERE page_index MATCH ?", every_expression([word]))
        if count <= _COMMON_SHARE * total:
            rare.append(word)
    return rare if len(rare) >= _FEW_WORDS else words


def _count(connection: sqlite3.Connection, statement: str, *arguments: str) -> int:
    return int(connection.execute(statement, arguments).fetchone()[0])


def _match(
    connection: sqlite3.Connection, expression: str, limit: int, bounds: tuple[str | None, str | None]
) -> list[tuple[int, float]]:
    since, until = bounds
    dated, arguments = "", []
    if since is not None or until is not None:
        day = "substr(coalesce(published_at, modified_at), 1, 10)"
        dated = f"AND rowid IN (SELECT id FROM pages WHERE {day} BETWEEN ? AND ?)"  # noqa: S608 - fixed names
        arguments = [since or "0000", until or "9999"]
    rows = connection.execute(
        f"SELECT rowid, bm25(page_index, {_TITLE_WEIGHT}, 1.0) AS rank FROM page_index"  # noqa: S608 - fixed names
        f" WHERE page_index MATCH ? {dated} ORDER BY rank, rowid LIMIT ?",
        [expression, *arguments, limit],
    )
    return [(row, -rank) for row, rank in rows]


def _most(
    connection: sqlite3.Connection, words: list[str], limit: int, bounds: tuple[str | None, str | None]
) -> list[tuple[int, float]]:
    """Pages that hold more than half of the words; the more of them, the higher the score."""
    some = dict(_match(connection, any_expression(words), limit, bounds))
    held: Counter[int] = Counter()
    for word in words:
        rows = connection.execute("SELECT rowid FROM page_index WHERE page_index MATCH ?", (every_expression([word]),))
        held.update(row for (row,) in rows if row in some)
    bonus = max(some.values(), default=0.0) + 1
    return [(row, score + held[row] * bonus) for row, score in some.items() if held[row] * 2 > len(words)]


def _some(
    connection: sqlite3.Connection, words: list[str], bounds: tuple[str | None, str | None]
) -> list[tuple[int, float]]:
    """Pages that hold any of the words, best first; a rare word counts more, yet a common one still counts.

    BM25 alone gives next to nothing for a word on more than half of the pages, as the very subject of a small
    store is: so each word's scores are taken relative to its best page.
    """
    total = _count(connection, "SELECT count(*) FROM pages")
    scores: dict[int, float] = {}
    for word in words:
        found = _match(connection, any_expression(loose_words(word)), _MOST_PER_WORD, bounds)
        weight = math.log1p(total / max(1, len(found)))
        for row, score in found:
            scores[row] = scores.get(row, 0.0) + weight * score / found[0][1]
    return sorted(scores.items(), key=lambda hit: (-hit[1], hit[0]))


def _hits(connection: sqlite3.Connection, ranked: Sequence[tuple[int, float]], words: list[str]) -> Iterator[PageHit]:
    for row, score in ranked:
        url, title, text, published, modified = connection.execute(
            "SELECT url, title, text, published_at, modified_at FROM pages WHERE id = ?", (row,)
        ).fetchone()
        yield PageHit(
            url=url,
            title=title,
            snippet=cut_snippet(text, words),
            score=float(f"{score:.6g}"),
            published_at=published,
            modified_at=modified,
        )


def _shown(text: str) -> Any:
    # SQLite's own functions take a null character for the end of a text.
    return _clean(text.replace("\0", " "))


def _clean(text: str) -> Any:
    # SQLite keeps UTF-8, in which a lone surrogate cannot be written.
    return text if text.isascii() else text.encode("utf-8", "replace").decode()
