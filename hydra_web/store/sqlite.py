"""The store in one SQLite file, with the page index that local search reads."""

import sqlite3
import time
from collections.abc import Iterable
from pathlib import Path

from hydra_web.errors import ConfigError
from hydra_web.protocols import Charge, ChargeDecision, ChargeLimits, JsonObject
from hydra_web.store import _page_table
from hydra_web.store._database import Database
from hydra_web.store._values import check_lifetime, decide, from_json, to_json
from hydra_web.store.pages import IndexedPage, PageHit, PageSummary
from hydra_web.urls import without_fragment

__all__ = ["SqliteStore"]


class SqliteStore:
    """Keeps everything in one file, which is created when it is not there.

    Safe from several threads and processes, and after a fork. A write that was answered survives the
    process; one that was cut short leaves no trace. `busy_timeout_ms` is how long to wait for another
    process's write, in milliseconds.

    Raises WebError `WEB_STORE_ERROR`, on construction and from every method, when the file cannot be used;
    `reason` is `corrupt`, `locked`, `newer_schema`, `not_a_store`, `full`, `read_only`, `unavailable`,
    `closed`, `too_slow` or `failed`.
    """

    def __init__(self, path: str | Path, *, busy_timeout_ms: int = 5000) -> None:
        if isinstance(busy_timeout_ms, bool) or not isinstance(busy_timeout_ms, int) or busy_timeout_ms < 0:
            raise ConfigError(f"busy_timeout_ms must be an integer of at least 0, not {busy_timeout_ms!r}")
        self.path: Path = Path(path)
        self._database = Database(self.path, busy_timeout_ms)

    def append(self, stream: str, record: JsonObject) -> int:
        """Adds a record to a stream and returns its sequence number, counted from 1."""
        text = to_json(record)
        return self._database.write(
            lambda connection: int(
                connection.execute(
                    "INSERT INTO records SELECT ?, coalesce(max(sequence), 0) + 1, ? FROM records"
                    " WHERE stream = ? RETURNING sequence",
                    (stream, text, stream),
                ).fetchone()[0]
            )
        )

    def read(self, stream: str, after: int = 0) -> list[tuple[int, JsonObject]]:
        """The records of a stream whose sequence number is above `after`, in order."""
        rows = self._database.read(
            lambda connection: connection.execute(
                "SELECT sequence, body FROM records WHERE stream = ? AND sequence > ? ORDER BY sequence",
                (stream, after),
            ).fetchall()
        )
        return [(number, from_json(text)) for number, text in rows]

    def put(self, key: str, value: JsonObject, ttl_seconds: float | None = None) -> None:
        """Keeps a value under a key, for a time or for good."""
        check_lifetime(ttl_seconds)
        text, now = to_json(value), time.time()
        expires = None if ttl_seconds is None else now + ttl_seconds

        def replace(connection: sqlite3.Connection) -> None:
            connection.execute("DELETE FROM entries WHERE expires <= ?", (now,))
            connection.execute("INSERT OR REPLACE INTO entries VALUES (?, ?, ?)", (key, text, expires))

        self._database.write(replace)

    def get(self, key: str) -> JsonObject | None:
        """The value under a key, or None when there is none or its time is over."""
        row = self._database.read(
            lambda connection: connection.execute(
                "SELECT body FROM entries WHERE key = ? AND (expires IS NULL OR expires > ?)", (key, time.time())
            ).fetchone()
        )
        return None if row is None else from_json(row[0])

    def charge(self, account: str, charge: Charge, limits: ChargeLimits) -> ChargeDecision:
        """Checks an account against the limits and records the charge when it fits, as one atomic step."""

        def check_and_add(connection: sqlite3.Connection) -> ChargeDecision:
            calls, queries, started_at = connection.execute(
                "SELECT count(*) FILTER (WHERE kind = ?), coalesce(sum(queries), 0),"
                " (SELECT at FROM charges WHERE account = ? ORDER BY id LIMIT 1) FROM charges WHERE account = ?",
                (charge.kind, account, account),
            ).fetchone()
            decision = decide(charge, limits, calls=calls, queries=queries, started_at=started_at)
            if decision.admitted:
                connection.execute(
                    "INSERT INTO charges (account, owner, kind, queries, at) VALUES (?, ?, ?, ?, ?)",
                    (account, charge.owner, charge.kind, charge.queries, charge.at),
                )
            return decision

        return self._database.write(check_and_add)

    def add_page(self, page: IndexedPage) -> None:
        """Records a page in the place of an earlier one of the same URL, and makes it searchable."""
        self.add_pages((page,))

    def add_pages(self, pages: Iterable[IndexedPage]) -> None:
        """Records several pages: all of them, or none."""
        batch = tuple(pages)
        self._database.write(lambda connection: _page_table.save_pages(connection, batch))

    def remove_page(self, url: str) -> bool:
        """Removes a page, whatever the fragment; False when it was not there."""
        return self._database.write(lambda connection: _page_table.delete_page(connection, without_fragment(url)))

    def page(self, url: str) -> IndexedPage | None:
        """The page recorded under a URL, whatever the fragment."""
        return self._database.read(lambda connection: _page_table.load_page(connection, without_fragment(url)))

    def pages(self) -> list[PageSummary]:
        """Every recorded page, by URL."""
        return self._database.read(_page_table.list_pages)

    def search_pages(
        self, query: str, limit: int = 8, *, since: str | None = None, until: str | None = None
    ) -> list[PageHit]:
        """The best pages for a query, best first; none when it holds no word.

        A query has no syntax. `since` and `until` are days such as `2024-05-01`, both included; pages
        without a date are then left out.
        """
        return self._database.read(lambda connection: _page_table.search_pages(connection, query, limit, since, until))

    def close(self) -> None:
        """Closes the file; calling it twice is harmless."""
        self._database.close()
