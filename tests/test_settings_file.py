import json
import multiprocessing
import os
import threading
from pathlib import Path
from typing import Any

import pytest

from hydra_web.errors import ConfigError, WebError
from hydra_web.protocols import SettingsSource
from hydra_web.runtime import WebRuntime
from hydra_web.settings_file import SettingsStore, default_settings_path


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "conf" / "settings.json"


def _code(call: Any, *arguments: Any, **named: Any) -> str:
    with pytest.raises(WebError) as caught:
        call(*arguments, **named)
    assert caught.value.__context__ is None
    return caught.value.code


def test_what_is_saved_is_read_back_by_every_store_on_the_file(file: Path) -> None:
    store = SettingsStore(file)
    assert isinstance(store, SettingsSource)
    assert (store.revision, store.section("web-search"), store.writable) == (0, {}, True)
    store.update("web-search", {"provider": "exa", "maxResults": 5})
    store.update("web-search-exa", {"numResults": 7})
    other = SettingsStore(file)
    assert other.section("web-search") == {"provider": "exa", "maxResults": 5}
    assert other.section("web-search-exa") == {"numResults": 7}
    assert (other.revision, set(other.sections())) == (2, {"web-search", "web-search-exa"})
    other.update("web-search-exa", {"numResults": None})
    assert (store.section("web-search-exa"), set(store.sections())) == ({}, {"web-search"})


def test_a_section_cannot_be_changed_in_place(file: Path) -> None:
    store = SettingsStore(file)
    store.update("web-search", {"provider": "exa"})
    with pytest.raises(TypeError):
        store.section("web-search")["provider"] = "x"  # type: ignore[index]


def test_a_stale_revision_is_a_conflict(file: Path) -> None:
    mine, theirs = SettingsStore(file), SettingsStore(file)
    seen = mine.revision
    theirs.update("web-search", {"provider": "serper"})
    assert _code(mine.update, "web-search", {"provider": "exa"}, revision=seen) == "WEB_SETTINGS_CONFLICT"
    assert mine.section("web-search") == {"provider": "serper"}
    mine.update("web-search", {"provider": "exa"}, revision=mine.revision)
    assert theirs.section("web-search") == {"provider": "exa"}


def test_the_read_only_form_changes_nothing(file: Path) -> None:
    SettingsStore(file).update("web-search", {"provider": "exa"})
    store = SettingsStore(file, read_only=True)
    assert not store.writable
    assert _code(store.update, "web-search", {"provider": "x"}) == "WEB_SETTINGS_READ_ONLY"
    assert store.section("web-search") == {"provider": "exa"}


@pytest.mark.parametrize("step", ["fsync", "replace"])
def test_a_failure_in_mid_write_loses_nothing(file: Path, step: str, monkeypatch: pytest.MonkeyPatch) -> None:
    store = SettingsStore(file)
    store.update("web-search", {"provider": "exa"})
    before = file.read_bytes()

    def fail(*arguments: object) -> None:
        raise OSError("disk full")

    monkeypatch.setattr(os, step, fail)
    assert _code(store.update, "web-search", {"provider": "x"}) == "WEB_SETTINGS_ERROR"
    monkeypatch.undo()
    assert file.read_bytes() == before
    assert [entry.name for entry in file.parent.iterdir() if entry.suffix == ".tmp"] == []


def test_a_process_that_dies_in_mid_write_loses_nothing(file: Path) -> None:
    store = SettingsStore(file)
    store.update("web-search", {"provider": "exa"})
    process = multiprocessing.get_context("spawn").Process(target=_die_while_saving, args=(str(file),))
    process.start()
    process.join()
    assert process.exitcode == 7
    process.close()
    assert store.section("web-search") == {"provider": "exa"}
    store.update("web-search", {"provider": "serper"})
    assert (store.section("web-search"), store.revision) == ({"provider": "serper"}, 2)


def _die_while_saving(file: str) -> None:
    os.replace = lambda *arguments: os._exit(7)
    SettingsStore(file).update("web-search", {"provider": "x"})


@pytest.mark.parametrize(
    "content",
    [b"", b"{", b"[]", b"\xff", b'{"revision": true, "sections": {}}', b'{"revision": 1}',
     b'{"revision": 1, "sections": {"web-search": 5}}', b"[" * 100_000],
)  # fmt: skip
def test_a_file_that_makes_no_sense_is_an_error_and_is_kept(file: Path, content: bytes) -> None:
    file.parent.mkdir()
    file.write_bytes(content)
    store = SettingsStore(file)
    assert _code(store.section, "web-search") == "WEB_SETTINGS_ERROR"
    assert _code(store.update, "web-search", {"provider": "x"}) == "WEB_SETTINGS_ERROR"
    assert file.read_bytes() == content


def test_a_folder_that_cannot_be_made_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    store = SettingsStore(tmp_path / "file" / "settings.json")
    assert not store.writable
    assert _code(store.update, "web-search", {"provider": "x"}) == "WEB_SETTINGS_ERROR"


def test_values_that_are_no_json_are_refused(file: Path) -> None:
    assert _code(SettingsStore(file).update, "my-provider", {"key": object()}) == "WEB_SETTINGS_ERROR"


@pytest.mark.parametrize(
    ("namespace", "changes"),
    [
        ("web-search", {"maxResults": 101}),
        ("web-search", {"colour": "red"}),
        ("web-search-custom", {"resultsPath": "__proto__.items"}),
        ("web-search-custom", {"resultsPath": "a[0]"}),
        ("web-search-custom", {"staticBody": '{"deep": [{"api_key": "x"}]}'}),
        ("web-search-custom", {"endpoint": "https://user:pw@example.org"}),
        ("web-search-deepseek", {"maxUses": 0}),
        ("web-search-serper", {"maxResults": 0}),
    ],
)
def test_what_a_section_does_not_allow_is_refused_at_saving(
    file: Path, namespace: str, changes: dict[str, Any]
) -> None:
    store = SettingsStore(file)
    with pytest.raises(ConfigError):
        store.update(namespace, changes)
    assert store.revision == 0


def test_what_is_wrong_can_be_taken_away_piece_by_piece(file: Path) -> None:
    file.parent.mkdir()
    file.write_text('{"revision": 1, "sections": {"web-search-exa": {"numResults": 0, "searchType": "psychic"}}}')
    store = SettingsStore(file)
    with pytest.raises(ConfigError):
        store.update("web-search-exa", {"numResults": 5})
    store.update("web-search-exa", {"numResults": None})
    store.update("web-search-exa", {"searchType": "fast"})
    assert store.section("web-search-exa") == {"searchType": "fast"}


def test_sections_of_others_are_theirs_to_check(file: Path) -> None:
    store = SettingsStore(file)
    store.update("my-provider", {"anything": [1, "x"]})
    assert store.section("my-provider") == {"anything": [1, "x"]}


def test_many_writers_lose_no_change(file: Path) -> None:
    def write(number: int) -> None:
        for turn in range(5):
            SettingsStore(file).update("shared", {f"key{number}-{turn}": turn})

    threads = [threading.Thread(target=write, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    store = SettingsStore(file)
    assert (store.revision, len(store.section("shared"))) == (20, 20)


def test_several_processes_lose_no_change(file: Path) -> None:
    context = multiprocessing.get_context("spawn")
    processes = [context.Process(target=_save_five, args=(str(file), number)) for number in range(2)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
        assert process.exitcode == 0
        process.close()
    store = SettingsStore(file)
    assert (store.revision, len(store.section("shared"))) == (10, 10)


def _save_five(file: str, number: int) -> None:
    for turn in range(5):
        SettingsStore(file).update("shared", {f"key{number}-{turn}": turn})


def test_an_interrupt_in_mid_write_leaves_nothing_behind(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*arguments: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", interrupt)
    with pytest.raises(KeyboardInterrupt):
        SettingsStore(file).update("web-search", {"provider": "exa"})
    assert [entry.name for entry in file.parent.iterdir()] == [".settings.json.lock"]


def test_a_folder_that_cannot_be_written_is_an_error(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    SettingsStore(file).update("web-search", {"provider": "exa"})

    def refuse(*arguments: object, **named: object) -> None:
        raise PermissionError("read-only")

    monkeypatch.setattr("tempfile.mkstemp", refuse)
    monkeypatch.setattr(os, "access", lambda *arguments: False)
    assert not SettingsStore(file).writable
    web = WebRuntime(require_search_selection=True, settings=SettingsStore(file.with_name("none.json")))
    web.migrate_search_selection("deepseek-official", True)  # changes nothing, and that is no error
    assert _code(SettingsStore(file).update, "web-search", {"provider": "x"}) == "WEB_SETTINGS_ERROR"
    assert SettingsStore(file).section("web-search") == {"provider": "exa"}


def test_a_file_system_without_locks_is_an_error(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(descriptor: int) -> None:
        raise OSError("no locks available")

    monkeypatch.setattr("hydra_web.settings_file._lock_descriptor", refuse)
    assert _code(SettingsStore(file).update, "web-search", {"provider": "x"}) == "WEB_SETTINGS_ERROR"
    assert not file.exists()


@pytest.mark.skipif(os.name == "nt", reason="links need a privilege on Windows")
def test_a_linked_file_stays_linked(file: Path, tmp_path: Path) -> None:
    file.parent.mkdir()
    file.symlink_to(tmp_path / "kept" / "mine.json")
    store = SettingsStore(file)
    store.update("web-search", {"provider": "exa"})
    store.update("web-search", {"maxResults": 3})
    assert file.is_symlink()
    assert SettingsStore(tmp_path / "kept" / "mine.json").section("web-search") == {"provider": "exa", "maxResults": 3}


def test_a_mark_that_editors_put_first_is_passed_over(file: Path) -> None:
    file.parent.mkdir()
    file.write_bytes(b'\xef\xbb\xbf{"revision": 1, "sections": {"web-search": {"provider": "exa"}}}')
    assert SettingsStore(file).section("web-search") == {"provider": "exa"}


def test_a_wrong_address_in_the_environment_stops_no_saving(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DEEPSEEK_SEARCH_BASE_URL", "nonsense")
    SettingsStore(file).update("web-search-exa", {"numResults": 5})
    SettingsStore(file).update("web-search-deepseek", {"maxUses": 2})


def test_the_file_is_readable_text(file: Path) -> None:
    SettingsStore(file).update("my-provider", {"name": "Tìm kiếm"})
    assert "Tìm kiếm" in file.read_text(encoding="utf-8")
    assert json.loads(file.read_text(encoding="utf-8"))["revision"] == 1


def test_the_usual_place(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HYDRA_WEB_SETTINGS", str(tmp_path / "mine.json"))
    assert SettingsStore().path == tmp_path / "mine.json"
    monkeypatch.delenv("HYDRA_WEB_SETTINGS")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    assert default_settings_path().name == "settings.json"


def test_a_runtime_reads_it_anew_at_every_call(file: Path) -> None:
    store = SettingsStore(file)
    web = WebRuntime(require_search_selection=True, settings=store)
    store.update("web-search", {"provider": "serper", "maxResults": 3})
    preferences = web.search_preferences()
    assert preferences is not None
    assert (preferences.provider, preferences.max_results) == ("serper", 3)
