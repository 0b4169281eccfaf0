"""`hydra-web index`: filling, listing, emptying and repairing the store, with errors a person can use."""

import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import Result

from hydra_web.cli import index as index_commands
from hydra_web.indexing import file_url

RunCommand = Callable[..., Result]


def test_a_folder_is_added_listed_and_removed(run: RunCommand, docs: Path, home: Path) -> None:
    added = run("index", "add", docs)
    assert added.exit_code == 0
    store = home / "data" / "hydra-web" / "store.sqlite3"
    assert added.stdout == f"Indexed 2 pages in {store}\n"
    assert 'hydra-web search "your question"' in added.stderr
    listed = run("index", "list")
    assert listed.exit_code == 0
    lines = [line.split("\t") for line in listed.stdout.splitlines()]
    assert [line[:2] for line in lines] == [
        [file_url(docs / "coffee.html"), "Coffee"],
        [file_url(docs / "tea.md"), "Tea"],
    ]
    assert f"HYDRA_WEB_STORE={store}" in added.stderr
    removed = run("index", "remove", docs / "tea.md", file_url(docs / "coffee.html"))
    assert removed.exit_code == 0
    assert removed.stdout == f"Removed {file_url(docs / 'tea.md')}\nRemoved {file_url(docs / 'coffee.html')}\n"
    emptied = run("index", "list")
    assert (emptied.exit_code, emptied.stdout) == (0, "")
    assert "is empty" in emptied.stderr


def test_what_was_skipped_is_named_and_the_exit_code_is_1(run: RunCommand, docs: Path) -> None:
    (docs / "bad.txt").write_bytes(os.urandom(3000))
    (docs / "logo.png").write_bytes(b"png")
    result = run("index", "add", docs, docs / "missing.md")
    assert result.exit_code == 1
    assert "Indexed 2 pages" in result.stdout
    assert "(1 other file passed over: 1 .png)" in result.stdout
    assert f"skipped {docs / 'bad.txt'}: binary" in result.stderr
    assert f"skipped {docs / 'missing.md'}: no such file or folder" in result.stderr


def test_files_of_other_kinds_are_counted_and_no_failure(run: RunCommand, docs: Path) -> None:
    for number, suffix in enumerate(["png", "png", "jpg", "zip", "exe", "mp3", "mp4"]):
        (docs / f"{number}.{suffix}").write_bytes(b"\x00")
    (docs / "program").write_bytes(b"\x7fELF\x00\x00" * 100)
    result = run("index", "add", docs)
    assert result.exit_code == 0
    assert "(8 other files passed over: 2 .png, 1 " in result.stdout
    assert result.stdout.endswith(", …)\n")
    assert result.stdout.count(" 1 ") == 4


def test_a_file_without_a_suffix_is_counted_as_such(run: RunCommand, docs: Path) -> None:
    (docs / "program").write_bytes(b"\x7fELF\x00\x00" * 100)
    assert "(1 other file passed over: 1 without a suffix)" in run("index", "add", docs).stdout


def test_a_target_that_is_not_there_makes_no_store(run: RunCommand, home: Path) -> None:
    result = run("index", "add", home / "nothere", home / "nor-this")
    assert (result.exit_code, result.stdout) == (1, "")
    assert f"no such file or folder: {home / 'nothere'}, {home / 'nor-this'}" in result.stderr
    assert not (home / "data").exists()


def test_a_folder_is_removed_with_everything_below(run: RunCommand, docs: Path) -> None:
    (docs / "sub").mkdir()
    (docs / "sub" / "deep.md").write_text("# Deep")
    (docs.parent / "docs-other").mkdir()
    (docs.parent / "docs-other" / "kept.md").write_text("# Kept")
    run("index", "add", docs, docs.parent / "docs-other")
    result = run("index", "remove", docs)
    assert result.exit_code == 0
    assert len(result.stdout.splitlines()) == 3
    assert [line.split("\t")[1] for line in run("index", "list").stdout.splitlines()] == ["Kept"]
    assert run("index", "remove", docs).exit_code == 1


def test_nothing_to_index_is_said(run: RunCommand, tmp_path: Path) -> None:
    folder = tmp_path / "pictures"
    folder.mkdir()
    result = run("index", "add", folder)
    assert result.exit_code == 1
    assert "nothing to index was found" in result.stderr


def test_the_store_can_be_named_by_option_and_environment(
    run: RunCommand, docs: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    added = run("index", "add", docs, "--store", home / "new" / "one.db")
    assert added.exit_code == 0
    assert f'hydra-web search --store {home / "new" / "one.db"} "your question"' in added.stderr
    assert (home / "new" / "one.db").is_file()
    monkeypatch.setenv("HYDRA_WEB_STORE", str(home / "two.db"))
    assert run("index", "add", docs / "tea.md").exit_code == 0
    assert len(run("index", "list").stdout.splitlines()) == 1
    assert len(run("index", "list", "--store", home / "new" / "one.db").stdout.splitlines()) == 2


def test_a_base_url_is_used_and_checked(run: RunCommand, docs: Path) -> None:
    assert run("index", "add", docs, "--base-url", "https://docs.example/").exit_code == 0
    assert run("index", "list").stdout.startswith("https://docs.example/coffee.html\t")
    wrong = run("index", "add", docs, "--base-url", "nowhere")
    assert (wrong.exit_code, wrong.stdout) == (2, "")
    assert "base_url must be an http or https URL" in wrong.stderr


def test_a_missing_page_to_remove_is_said(run: RunCommand, docs: Path) -> None:
    run("index", "add", docs)
    result = run("index", "remove", docs / "tea.md", "http://t.example/none")
    assert result.exit_code == 1
    assert "not in the store: http://t.example/none" in result.stderr
    assert len(run("index", "list").stdout.splitlines()) == 1


@pytest.mark.parametrize("command", [("list",), ("remove", "x"), ("repair",)])
def test_without_a_store_the_next_step_is_said(run: RunCommand, command: tuple[str, ...]) -> None:
    result = run("index", *command)
    assert result.exit_code == 1
    assert "there is no store at" in result.stderr


def test_a_file_that_is_no_store_is_said(run: RunCommand, docs: Path) -> None:
    for command in (("add", docs), ("list",), ("repair",)):
        result = run("index", *command, "--store", docs / "tea.md")
        assert result.exit_code == 1
        assert "the store is damaged, or no store at all" in result.stderr
        assert "Traceback" not in result.output
    assert (docs / "tea.md").read_text().startswith("# Tea")


def test_a_folder_that_cannot_be_made_is_said(run: RunCommand, docs: Path) -> None:
    result = run("index", "add", docs, "--store", docs / "tea.md" / "x" / "store")
    assert result.exit_code == 1
    assert "cannot make the folder" in result.stderr


def test_repair_saves_what_is_there(run: RunCommand, docs: Path, home: Path) -> None:
    run("index", "add", docs)
    result = run("index", "repair")
    assert result.exit_code == 0
    assert result.stdout.startswith("Saved 2 pages, 0 records and 0 charges in ")
    assert "the damaged file is now" in result.stderr
    assert len(run("index", "list").stdout.splitlines()) == 2


def test_titles_cannot_play_with_the_terminal(run: RunCommand, docs: Path) -> None:
    (docs / "evil.md").write_text("# Nice \x1b[2J\ttitle\n\nwords\n")
    run("index", "add", docs / "evil.md")
    assert run("index", "list").stdout.split("\t")[1] == "Nice title"


def test_an_address_goes_through_the_guarded_door(run: RunCommand) -> None:
    result = run("index", "add", "http://127.0.0.1:9/")
    assert result.exit_code == 1
    assert "Indexed 0 pages" in result.stdout
    assert "skipped http://127.0.0.1:9/: " in result.stderr
    assert "not a public IP address" in result.stderr


def test_a_failing_system_call_is_one_line(run: RunCommand, docs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(path: Path) -> None:
        raise PermissionError(13, "Permission denied", str(path))

    run("index", "add", docs)
    monkeypatch.setattr(index_commands, "repair_store", refuse)
    result = run("index", "repair")
    assert result.exit_code == 1
    assert result.stderr.endswith("store.sqlite3: Permission denied\n")


def test_the_version_is_an_option(run: RunCommand) -> None:
    assert run("--version").stdout.startswith("hydra-web ")


def test_wrong_usage_is_exit_code_2(run: RunCommand) -> None:
    for arguments in (("index", "add"), ("index", "bogus"), ("bogus",), ("index", "add", "x", "--bogus")):
        assert run(*arguments).exit_code == 2


def test_a_bar_shows_on_a_terminal_only(
    run: RunCommand, docs: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with index_commands._bar() as progress:
        assert progress is None
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    with index_commands._bar() as progress:
        assert progress is not None
        progress(1, 2, "x")
    assert "Indexing" in capsys.readouterr().err
