"""One SQLite file: how it is opened, upgraded, shared between threads and processes, and how it fails."""

import os
import sqlite3
import threading
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Final, TypeVar

from hydra_web.store._values import store_error

__all__ = ["SCHEMA_VERSION", "Database"]

APPLICATION_ID: Final = 0x48594457
SCHEMA_VERSION: Final = 1
_RETRY_SECONDS: Final = 0.02
_SLOWEST_READ_SECONDS: Final = 10.0
_STEPS_BETWEEN_LOOKS: Final = 100_000
_MIGRATIONS: Final[dict[int, str]] = {
    # From the version before the key; the last one leads to SCHEMA_VERSION.
    0: """
    CREATE TABLE records (
        stream TEXT, sequence INTEGER, body TEXT NOT NULL, PRIMARY KEY (stream, sequence)
    ) WITHOUT ROWID;
    CREATE TABLE entries (key TEXT PRIMARY KEY, body TEXT NOT NULL, expires REAL) WITHOUT ROWID;
    CREATE INDEX entries_by_expiry ON entries (expires) WHERE expires IS NOT NULL;
    CREATE TABLE charges (
        id INTEGER PRIMARY KEY, account TEXT NOT NULL, owner TEXT NOT NULL, kind TEXT NOT NULL,
        queries INTEGER NOT NULL, at REAL NOT NULL
    );
    CREATE INDEX charges_by_account ON charges (account);
    CREATE TABLE pages (
        id INTEGER PRIMARY KEY, url TEXT NOT NULL UNIQUE, title TEXT, kind TEXT NOT NULL, content TEXT NOT NULL,
        text TEXT NOT NULL, fetched_at TEXT NOT NULL, published_at TEXT, modified_at TEXT
    );
    CREATE VIRTUAL TABLE page_index USING fts5 (title, body, content='', tokenize='unicode61 remove_diacritics 2');
    """,
}
_REASONS: Final = {
    sqlite3.SQLITE_BUSY: "locked",
    sqlite3.SQLITE_LOCKED: "locked",
    sqlite3.SQLITE_PROTOCOL: "locked",
    sqlite3.SQLITE_CORRUPT: "corrupt",
    sqlite3.SQLITE_NOTADB: "corrupt",
    sqlite3.SQLITE_FULL: "full",
    sqlite3.SQLITE_READONLY: "read_only",
    sqlite3.SQLITE_PERM: "read_only",
    sqlite3.SQLITE_CANTOPEN: "unavailable",
    sqlite3.SQLITE_INTERRUPT: "too_slow",
}
_FULL_WRITES: Final = frozenset({sqlite3.SQLITE_IOERR_WRITE, sqlite3.SQLITE_IOERR_FSYNC, sqlite3.SQLITE_IOERR_TRUNCATE})
_T = TypeVar("_T")
# A connection must not be used, nor closed, in a process that inherited it by fork; it is kept from being collected.
_inherited: Final[list[sqlite3.Connection]] = []


class Database:
    """A connection that every thread may use, one at a time, and that is opened anew after a fork."""

    def __init__(self, path: Path, busy_timeout_ms: int) -> None:
        self.path = path
        self._busy_timeout_ms = busy_timeout_ms
        self._closed = False
        self._connection: sqlite3.Connection | None = None
        self._lock = threading.Lock()
        self._process = os.getpid()
        self.read(lambda _: None)

    def read(self, work: Callable[[sqlite3.Connection], _T]) -> _T:
        """Runs the work on one unchanging view of the file, and stops it when it takes far too long.

        Raises WebError `WEB_STORE_ERROR` when the file cannot be used.
        """
        return self._run(lambda connection: _in_transaction(connection, partial(_read_in_time, work), "DEFERRED"))

    def write(self, work: Callable[[sqlite3.Connection], _T]) -> _T:
        """Runs the work as one transaction that no other writer can come between: all of it is kept, or none.

        Raises WebError `WEB_STORE_ERROR` when the file cannot be used.
        """
        return self._run(lambda connection: _in_transaction(connection, work, "IMMEDIATE"))

    def close(self) -> None:
        """Closes the file; calling it twice is harmless."""
        self._notice_fork()
        with self._lock:
            self._closed = True
            connection, self._connection = self._connection, None
            if connection is not None:
                connection.close()

    def __del__(self) -> None:
        # A store that was only ever handed to a provider has no one to close it.
        connection = getattr(self, "_connection", None)
        if connection is not None and self._process == os.getpid():
            connection.close()

    def _notice_fork(self) -> None:
        if self._process == os.getpid():
            return
        if self._connection is not None:
            _inherited.append(self._connection)
        self._connection = None
        self._lock = threading.Lock()
        self._process = os.getpid()

    def _run(self, work: Callable[[sqlite3.Connection], _T]) -> _T:
        self._notice_fork()
        with self._lock:
            if self._closed:
                raise store_error("closed")
            try:
                if self._connection is None:
                    self._connection = _open(self.path, self._busy_timeout_ms)
                return work(self._connection)
            except sqlite3.Error as error:
                reason = _reason(error)
            except (UnicodeError, OverflowError):  # a key or number that SQLite cannot hold
                reason = "failed"
        raise store_error(reason)


def _open(path: Path, busy_timeout_ms: int) -> sqlite3.Connection:
    deadline = time.monotonic() + busy_timeout_ms / 1000
    while True:
        connection = sqlite3.connect(
            path, timeout=busy_timeout_ms / 1000, isolation_level=None, check_same_thread=False
        )
        try:
            _prepare(connection)
            return connection
        except BaseException as error:
            connection.close()
            # Two processes that create a file at once can collide where SQLite does not wait by itself.
            busy = isinstance(error, sqlite3.Error) and _reason(error) == "locked"
            if not busy or time.monotonic() >= deadline:
                raise
        time.sleep(_RETRY_SECONDS)


def _prepare(connection: sqlite3.Connection) -> None:
    if _is_new(connection) or _version(connection) < SCHEMA_VERSION:
        _in_transaction(connection, _upgrade, "IMMEDIATE")
    _check_ours(connection)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")


def _is_new(connection: sqlite3.Connection) -> bool:
    return not connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]


def _version(connection: sqlite3.Connection) -> int:
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def _check_ours(connection: sqlite3.Connection) -> None:
    if connection.execute("PRAGMA application_id").fetchone()[0] != APPLICATION_ID:
        raise store_error("not_a_store")
    if _version(connection) > SCHEMA_VERSION:
        raise store_error("newer_schema")


def _upgrade(connection: sqlite3.Connection) -> None:
    """Brings the file to the current schema; another process may have done so meanwhile."""
    if _is_new(connection):
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    _check_ours(connection)
    for version in range(_version(connection), SCHEMA_VERSION):
        for statement in _MIGRATIONS[version].split(";"):
            connection.execute(statement)
    connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")


def _in_transaction(connection: sqlite3.Connection, work: Callable[[sqlite3.Connection], _T], lock: str) -> _T:
    connection.execute(f"BEGIN {lock}")
    try:
        result = work(connection)
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise
    return result


def _read_in_time(work: Callable[[sqlite3.Connection], _T], connection: sqlite3.Connection) -> _T:
    """Runs the work; SQLite interrupts a statement of it once the time is over."""
    deadline = time.monotonic() + _SLOWEST_READ_SECONDS
    connection.set_progress_handler(lambda: int(time.monotonic() > deadline), _STEPS_BETWEEN_LOOKS)
    try:
        return work(connection)
    finally:
        connection.set_progress_handler(None, 0)


def _reason(error: sqlite3.Error) -> str:
    code: int = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR)
    if code in _FULL_WRITES:
        return "full"
    return _REASONS.get(code & 0xFF, "failed")
