"""What may happen to a store: many processes, forks, kills, full disks, damage, locks, other programs' files."""

import gc
import multiprocessing
import os
import re
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from hydra_web.errors import WebError
from hydra_web.protocols import Charge, ChargeLimits
from hydra_web.store import IndexedPage, RedisStore, SqliteStore, repair_store
from hydra_web.store import _database as database

MakePage = Callable[..., IndexedPage]
WORKER = Path(__file__).with_name("_worker.py")
ROOT = Path(__file__).parents[2]


def start(*arguments: object) -> "subprocess.Popen[str]":
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    command = [sys.executable, str(WORKER), *map(str, arguments)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)


def finish(process: "subprocess.Popen[str]") -> str:
    output, errors = process.communicate()
    assert process.returncode == 0, errors
    return output


def fails(use: Callable[[], object]) -> str | None:
    """The reason of the store error that the use raises."""
    with pytest.raises(WebError) as caught:
        use()
    assert caught.value.code == "WEB_STORE_ERROR"
    assert caught.value.__context__ is None
    return caught.value.reason


@pytest.mark.parametrize("backend", ["sqlite", "redis"])
def test_processes_and_threads_never_pass_a_cap(backend: str, request: pytest.FixtureRequest, tmp_path: Path) -> None:
    where = tmp_path / "race.sqlite3" if backend == "sqlite" else request.getfixturevalue("redis_url")
    workers = [start("race", where, f"{tmp_path.name}:", 8, 20, 100) for _ in range(8)]
    assert sum(int(finish(worker)) for worker in workers) == 100


def test_processes_write_side_by_side_into_a_file_they_create(tmp_path: Path) -> None:
    where = tmp_path / "store.sqlite3"
    workers = [start("index_many", where, worker, 15) for worker in range(4)]
    for worker in workers:
        finish(worker)
    store = SqliteStore(where)
    assert len(store.pages()) == 60
    assert len(store.search_pages("worker page", 100)) == 60
    assert [number for number, _ in store.read("log")] == list(range(1, 61))
    store.close()


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGKILL on Windows")
def test_a_killed_writer_loses_nothing_it_was_told_was_kept(tmp_path: Path) -> None:
    where = tmp_path / "store.sqlite3"
    for after in (3, 8):
        process = start("write_forever", where)
        assert process.stdout is not None
        kept = 0
        while kept < after:
            kept = int(process.stdout.readline())
        process.send_signal(signal.SIGKILL)
        kept = max([kept, *map(int, re.findall(r"(\d+)\n", process.communicate()[0]))])
        store = SqliteStore(where)
        assert [store.page(f"http://t.example/{number}") for number in range(1, kept + 1)].count(None) == 0
        assert len(store.search_pages("kept number", 1000)) >= kept
        charge = Charge(owner="x", kind="fetch", queries=0, at=0.0)
        assert store.charge("run", charge, ChargeLimits(max_calls=1)).calls >= kept
        assert store._database.read(lambda c: c.execute("PRAGMA integrity_check").fetchone()) == ("ok",)
        store.close()


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGKILL on Windows")
@pytest.mark.parametrize("backend", ["sqlite", "redis"])
def test_a_killed_worker_loses_no_charge(backend: str, request: pytest.FixtureRequest, tmp_path: Path) -> None:
    where = str(tmp_path / "store.sqlite3") if backend == "sqlite" else request.getfixturevalue("redis_url")
    prefix = f"{tmp_path.name}:"
    process = start("charge_forever", where, prefix)
    assert process.stdout is not None
    for _ in range(20):
        process.stdout.readline()
    process.send_signal(signal.SIGKILL)
    kept = max(map(int, re.findall(r"(\d+)\n", process.communicate()[0])), default=20)

    store = RedisStore(where, prefix=prefix) if backend == "redis" else SqliteStore(where)
    charge = Charge(owner="x", kind="fetch", queries=0, at=1.0)
    # One more may have been kept whose answer was never read.
    assert store.charge("run", charge, ChargeLimits()).calls - 1 in (kept, kept + 1)
    store.close()


@pytest.mark.skipif(sys.platform == "win32", reason="no limits on files on Windows")
def test_a_full_disk_keeps_what_was_written(tmp_path: Path) -> None:
    where = tmp_path / "store.sqlite3"
    kept, reason = finish(start("fill_disk", where, 600_000)).split()
    assert reason == "full"
    assert int(kept) > 0
    store = SqliteStore(where)
    assert len(store.pages()) == int(kept)
    assert len(store.search_pages("page", 1000)) == int(kept)
    store.close()


def test_a_file_at_its_largest_keeps_what_was_written(sqlite: SqliteStore, make_page: MakePage) -> None:
    sqlite._database.read(lambda connection: connection.execute("PRAGMA max_page_count = 40").fetchall())
    sqlite.add_page(make_page("http://t.example/small", "small page"))
    assert fails(lambda: sqlite.add_page(make_page("http://t.example/big", "big " * 100_000))) == "full"
    assert [page.url for page in sqlite.pages()] == ["http://t.example/small"]
    assert sqlite.search_pages("big") == []
    sqlite._database.read(lambda connection: connection.execute("PRAGMA max_page_count = 100000").fetchall())
    sqlite.add_page(make_page("http://t.example/big", "big " * 1000))
    assert len(sqlite.search_pages("big")) == 1


def _fill(path: Path, make_page: MakePage, count: int = 60) -> None:
    store = SqliteStore(path)
    text = "some words that repeat " * 300
    store.add_pages(make_page(f"http://t.example/{number}", f"page {number} {text}") for number in range(count))
    store.append("log", {"x": 1})
    store.put("key", {"x": 2})
    store.charge("run", Charge(owner="x", kind="fetch", queries=0, at=1.0), ChargeLimits())
    store.close()


def _damage(path: Path, table: str, pages: int = 2) -> None:
    """Overwrites some of the file's pages that hold a table's rows."""
    with sqlite3.connect(path) as connection:
        size = connection.execute("PRAGMA page_size").fetchone()[0]
        numbers = connection.execute(
            "SELECT pageno FROM dbstat WHERE name = ? AND pagetype = 'leaf' ORDER BY pageno", (table,)
        ).fetchall()
    connection.close()
    middle = len(numbers) // 2
    with path.open("r+b") as file:
        for (number,) in numbers[middle : middle + pages]:
            file.seek((number - 1) * size)
            file.write(b"\xff" * size)


def _has_dbstat() -> bool:
    connection = sqlite3.connect(":memory:")
    try:
        connection.execute("SELECT * FROM dbstat")
    except sqlite3.OperationalError:
        return False
    finally:
        connection.close()
    return True


needs_dbstat = pytest.mark.skipif(not _has_dbstat(), reason="this SQLite cannot say which page holds what (dbstat)")


@needs_dbstat
def test_a_damaged_page_is_a_clear_error_and_the_rest_is_saved(tmp_path: Path, make_page: MakePage) -> None:
    path = tmp_path / "store.sqlite3"
    _fill(path, make_page)
    _damage(path, "pages")
    store = SqliteStore(path)
    assert fails(store.pages) == "corrupt"
    assert store.page("http://t.example/0") is not None
    store.close()
    report = repair_store(path)
    assert 40 <= report.pages < 60
    assert (report.records, report.charges) == (1, 1)
    assert report.damaged.exists()
    store = SqliteStore(path)
    assert len(store.pages()) == report.pages
    assert len(store.search_pages("words that repeat", 100)) == report.pages
    assert store.get("key") == {"x": 2}
    store.close()


@needs_dbstat
def test_a_damaged_index_costs_no_page(tmp_path: Path, make_page: MakePage) -> None:
    path = tmp_path / "store.sqlite3"
    _fill(path, make_page)
    _damage(path, "page_index_data")
    store = SqliteStore(path)
    assert fails(lambda: store.search_pages("words that repeat", 100)) == "corrupt"
    assert len(store.pages()) == 60
    store.close()
    assert repair_store(path).pages == 60
    store = SqliteStore(path)
    assert len(store.search_pages("words that repeat", 100)) == 60
    store.close()


@pytest.mark.parametrize(
    "content", [b"this is no database at all, only words" * 50, b"SQLite format 3\x00" + b"\xff" * 5000]
)
def test_a_file_that_is_no_database_is_a_clear_error(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "store.sqlite3"
    path.write_bytes(content)
    assert fails(lambda: SqliteStore(path)) == "corrupt"
    assert fails(lambda: repair_store(path)) == "corrupt"
    assert path.read_bytes() == content
    assert [child.name for child in tmp_path.iterdir()] == ["store.sqlite3"]


def test_a_cut_file_is_a_clear_error(tmp_path: Path, make_page: MakePage) -> None:
    path = tmp_path / "store.sqlite3"
    _fill(path, make_page)
    with path.open("r+b") as file:
        file.truncate(path.stat().st_size // 3)
    assert fails(lambda: SqliteStore(path).search_pages("words")) == "corrupt"


def test_another_programs_database_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "other.sqlite3"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE theirs (x)")
    connection.close()
    before = path.read_bytes()
    assert fails(lambda: SqliteStore(path)) == "not_a_store"
    assert path.read_bytes() == before


def test_a_newer_schema_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "store.sqlite3"
    SqliteStore(path).close()
    with sqlite3.connect(path) as connection:
        connection.execute(f"PRAGMA user_version = {database.SCHEMA_VERSION + 1}")
    connection.close()
    assert fails(lambda: SqliteStore(path)) == "newer_schema"


def test_an_older_schema_is_upgraded_and_keeps_its_pages(
    tmp_path: Path, make_page: MakePage, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "store.sqlite3"
    _fill(path, make_page, 3)
    version = database.SCHEMA_VERSION
    monkeypatch.setattr(database, "SCHEMA_VERSION", version + 1)
    monkeypatch.setitem(database._MIGRATIONS, version, "ALTER TABLE pages ADD COLUMN added TEXT")
    store = SqliteStore(path)
    assert len(store.pages()) == 3
    assert store._database.read(lambda c: c.execute("SELECT added FROM pages").fetchall()) == [(None,)] * 3
    store.close()


def test_a_failed_upgrade_changes_nothing(tmp_path: Path, make_page: MakePage, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "store.sqlite3"
    _fill(path, make_page, 3)
    version = database.SCHEMA_VERSION
    with monkeypatch.context() as patch:
        patch.setattr(database, "SCHEMA_VERSION", version + 1)
        patch.setitem(database._MIGRATIONS, version, "DELETE FROM pages; SELECT nonsense FROM nowhere")
        assert fails(lambda: SqliteStore(path)) == "failed"
    store = SqliteStore(path)
    assert len(store.pages()) == 3
    store.close()


def test_a_locked_file_is_a_clear_error(tmp_path: Path, make_page: MakePage) -> None:
    path = tmp_path / "store.sqlite3"
    _fill(path, make_page, 2)
    store = SqliteStore(path, busy_timeout_ms=30)
    holder = sqlite3.connect(path, isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    assert fails(lambda: store.append("log", {})) == "locked"
    assert store.search_pages("page")
    holder.execute("ROLLBACK")
    store.close()
    holder.execute("PRAGMA journal_mode = DELETE")
    holder.execute("BEGIN EXCLUSIVE")
    assert fails(lambda: SqliteStore(path, busy_timeout_ms=30)) == "locked"
    holder.close()
    store = SqliteStore(path)
    assert store.append("log", {}) == 2
    store.close()


@pytest.mark.parametrize("place", ["missing/store.sqlite3", "."])
def test_a_place_that_cannot_hold_a_file_is_a_clear_error(tmp_path: Path, place: str) -> None:
    assert fails(lambda: SqliteStore(tmp_path / place)) == "unavailable"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_store_works_on_in_a_forked_child_and_its_parent(sqlite: SqliteStore, make_page: MakePage) -> None:
    sqlite.add_page(make_page("http://t.example/parent", "tea from the parent"))

    def child() -> None:
        assert sqlite.search_pages("tea")
        sqlite.add_page(make_page("http://t.example/child", "tea from the child"))
        sqlite.close()

    process = multiprocessing.get_context("fork").Process(target=child)
    process.start()
    process.join()
    assert process.exitcode == 0
    assert len(sqlite.search_pages("tea")) == 2
    assert sqlite.append("log", {}) == 1


def test_a_read_sees_no_other_process_change_things_midway(
    sqlite: SqliteStore, make_page: MakePage, tmp_path: Path
) -> None:
    sqlite.add_page(make_page("http://t.example/1", "one"))
    other = SqliteStore(tmp_path / "store.sqlite3")

    def count_twice(connection: sqlite3.Connection) -> list[int]:
        def count() -> int:
            return int(connection.execute("SELECT count(*) FROM pages").fetchone()[0])

        before = count()
        other.remove_page("http://t.example/1")
        return [before, count()]

    assert sqlite._database.read(count_twice) == [1, 1]
    assert sqlite.pages() == []
    other.close()


def test_a_store_no_one_closes_is_closed_when_it_is_dropped(tmp_path: Path) -> None:
    SqliteStore(tmp_path / "store.sqlite3").append("log", {})
    gc.collect()
    assert [child.name for child in tmp_path.iterdir()] == ["store.sqlite3"]


def test_a_failed_batch_leaves_no_page(sqlite: SqliteStore, make_page: MakePage) -> None:
    broken = make_page("http://t.example/2", "two", fetched_at=None)
    assert fails(lambda: sqlite.add_pages([make_page("http://t.example/1", "one"), broken])) == "failed"
    assert sqlite.pages() == []


def test_text_that_was_tampered_with_is_a_clear_error(sqlite: SqliteStore) -> None:
    sqlite.put("key", {})
    sqlite._database.write(lambda connection: connection.execute("UPDATE entries SET body = 'no json'"))
    assert fails(lambda: sqlite.get("key")) == "corrupt"
