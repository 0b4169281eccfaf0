"""`hydra-web --record FILE` and `--replay FILE`: one file for a run, its repetition, its report and its citations."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import Result

from hydra_web.evidence import format_citation
from hydra_web.indexing import file_url

RunCommand = Callable[..., Result]


@pytest.fixture
def store(run: RunCommand, docs: Path, home: Path) -> Path:
    path = home / "store.db"
    assert run("index", "add", docs, "--store", path).exit_code == 0
    return path


@pytest.fixture
def recording(run: RunCommand, docs: Path, store: Path, home: Path) -> Path:
    """A search, a page and a page that is not there; the store they came from is gone."""
    path = home / "new folder" / "run.db"
    assert run("--record", path, "search", "green tea", "--store", store).exit_code == 0
    assert run("--record", path, "fetch", file_url(docs / "tea.md"), "--store", store).exit_code == 0
    assert run("--record", path, "fetch", "http://t.example/none", "--store", store).exit_code == 1
    store.unlink()
    return path


def test_a_recorded_run_is_shown_again_from_its_file(run: RunCommand, recording: Path, docs: Path) -> None:
    before = recording.read_bytes()
    found = run("--replay", recording, "search", "green tea")
    page = run("--replay", recording, "fetch", file_url(docs / "tea.md"))
    missing = run("--replay", recording, "fetch", "http://t.example/none")

    assert (found.exit_code, page.exit_code) == (0, 0)
    assert f"[Tea]({file_url(docs / 'tea.md')})" in found.stdout
    assert "Green tea is brewed at 80 degrees." in page.stdout
    assert (missing.exit_code, missing.stdout) == (1, "")
    assert "the page is not in the local store" in missing.stderr
    assert recording.read_bytes() == before


def test_what_was_not_recorded_is_said_with_the_nearest_recording(run: RunCommand, recording: Path) -> None:
    result = run("--replay", recording, "search", "green teas")
    assert (result.exit_code, result.stdout) == (1, "")
    assert 'this search was not recorded; the nearest recording is "green tea"' in result.stderr


def test_the_same_file_serves_the_report_and_the_check_of_citations(
    run: RunCommand, recording: Path, docs: Path, tmp_path: Path
) -> None:
    report = run("report", recording)
    assert report.exit_code == 0
    counts = {line.split()[-5]: line.split()[-4:-2] for line in report.stdout.splitlines()[1:]}
    assert counts == {"web_search": ["1", "0"], "web_fetch": ["2", "1"]}

    shown = run("--replay", recording, "fetch", file_url(docs / "tea.md")).stdout
    source = re.search(r"^Source: ([0-9a-f]{64})$", shown, re.MULTILINE)
    assert source is not None
    answer = tmp_path / "answer.md"
    for quote, code in (("brewed at 80 degrees", 0), ("brewed at 90 degrees", 1)):
        answer.write_text(format_citation("so", source[1], quote))
        assert run("cite", "check", answer, "--store", recording).exit_code == code


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--record", "a.db", "--replay", "b.db", "search", "tea"), "exclude each other"),
        (("--record", "a.db", "demo"), "go with search and fetch"),
        (("--replay", "a.db", "providers", "list"), "go with search and fetch"),
        (("--replay", "a.db", "search", "tea", "--store", "b.db"), "leave --store out"),
        (("--replay", "a.db", "fetch", "http://t.example/", "--store", "b.db"), "leave --store out"),
    ],
)
def test_options_that_make_no_sense_together_are_wrong_usage(
    run: RunCommand, home: Path, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...], words: str
) -> None:
    monkeypatch.chdir(home)
    result = run(*arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert words in result.stderr
    assert not list(home.glob("*.db"))


@pytest.mark.parametrize("command", [("--replay", "FILE", "search", "tea"), ("report", "FILE"), ("cite", "check", "-")])
def test_a_file_that_is_not_there_is_said_and_not_made(run: RunCommand, home: Path, command: tuple[str, ...]) -> None:
    path = home / "none.db"
    arguments = [str(path) if part == "FILE" else part for part in command]
    result = run(*arguments, *(("--store", path) if command[0] == "cite" else ()))
    assert (result.exit_code, result.stdout) == (1, "")
    assert f"there is no store at {path}. Make one with: hydra-web --record FILE" in result.stderr.replace("\n", " ")
    assert not path.exists()


@pytest.mark.parametrize("option", ["--record", "--replay"])
def test_a_file_that_is_no_store_is_said(run: RunCommand, docs: Path, option: str) -> None:
    result = run(option, docs / "tea.md", "search", "tea")
    assert (result.exit_code, result.stdout) == (1, "")
    assert str(docs / "tea.md") in result.stderr
    assert "Traceback" not in result.stderr


def test_a_wrong_environment_leaves_no_half_made_run(
    run: RunCommand, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HYDRA_WEB_SEARCH_PROVIDER", "bogus")
    result = run("--record", home / "run.db", "search", "tea")
    assert (result.exit_code, result.stdout) == (1, "")
    assert '"bogus" is not registered' in result.stderr
    assert '"bogus" is not registered' in run("--replay", home / "run.db", "search", "tea").stderr
