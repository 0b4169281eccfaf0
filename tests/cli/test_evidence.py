"""`hydra-web cite` and `hydra-web report`."""

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from hydra_web.cli.app import app
from hydra_web.evidence import EvidenceLedger, format_citation
from hydra_web.replay import Recorder
from hydra_web.runtime import WebRuntime
from hydra_web.store import SqliteStore
from hydra_web.types import WebFetchRequest, WebFetchResult, WebSearchRequest, WebSearchResult

RunCommand = Callable[..., Result]


@pytest.fixture
def run_evidence(home: Path) -> RunCommand:
    def run_command(*arguments: object, input: bytes | None = None) -> Result:  # noqa: A002
        return CliRunner().invoke(app, [str(argument) for argument in arguments], input=input)

    return run_command


@pytest.fixture
def recorded(home: Path) -> tuple[Path, str]:
    path = home / "run.db"
    store = SqliteStore(path)
    name = EvidenceLedger(store).record_fetch(url="https://a.test/tea", status_code=200, text="Tea is a drink.")
    store.close()
    return path, name


def test_an_answer_that_holds_gives_a_table_and_success(
    run_evidence: RunCommand, recorded: tuple[Path, str], tmp_path: Path
) -> None:
    path, name = recorded
    answer = tmp_path / "answer.md"
    answer.write_text(format_citation("so", name, "a drink") + " and [it](https://a.test/tea)")

    result = run_evidence("cite", "check", answer, "--store", path)

    assert result.exit_code == 0
    assert "holds   found exactly  so" in result.stdout
    assert "link    seen           it" in result.stdout
    assert "1 of 1 citations hold" in result.stderr


def test_an_answer_that_does_not_hold_fails(
    run_evidence: RunCommand, recorded: tuple[Path, str], tmp_path: Path
) -> None:
    path, name = recorded
    answer = format_citation("so", name, "a soup").encode()

    table = run_evidence("cite", "check", "-", "--store", path, input=answer)
    repair = run_evidence("cite", "check", "-", "--store", path, "--repair", input=answer)

    assert (table.exit_code, repair.exit_code) == (1, 1)
    assert "fails" in table.stdout
    assert "1 of 1 citations do not hold." in repair.stdout


def test_strict_and_run_are_passed_on(run_evidence: RunCommand, recorded: tuple[Path, str]) -> None:
    path, name = recorded
    answer = format_citation("so", name, "Tea  is a **drink**").encode()

    assert run_evidence("cite", "check", "-", "--store", path, input=answer).exit_code == 0
    assert run_evidence("cite", "check", "-", "--store", path, "--strict", input=answer).exit_code == 1
    assert run_evidence("cite", "check", "-", "--store", path, "--run", "x", input=answer).exit_code == 1


@pytest.mark.parametrize("content", [None, b"\xff\xfe\x00"])
def test_an_unreadable_answer_is_said(
    run_evidence: RunCommand, recorded: tuple[Path, str], tmp_path: Path, content: bytes | None
) -> None:
    answer = tmp_path / "answer.md"
    if content is not None:
        answer.write_bytes(content)

    result = run_evidence("cite", "check", answer, "--store", recorded[0])

    assert result.exit_code == 1
    assert str(answer) in result.stderr


def test_an_answer_without_citations_says_so(run_evidence: RunCommand, recorded: tuple[Path, str]) -> None:
    result = run_evidence("cite", "check", "-", "--store", recorded[0], input=b"Nothing.")

    assert (result.exit_code, result.stdout) == (0, "")
    assert "0 of 0 citations hold" in result.stderr


class _Web:
    async def search(self, request: WebSearchRequest, signal: object = None) -> WebSearchResult:
        return WebSearchResult(sources=(), truncated=False, content="An answer.")

    async def fetch(self, request: WebFetchRequest, signal: object = None) -> WebFetchResult:
        return await WebRuntime().fetch(request)


async def _record(store: SqliteStore) -> None:
    recorder = Recorder(_Web(), store)
    await recorder.search(WebSearchRequest(query="q"))
    with pytest.raises(Exception, match="provider"):
        await recorder.fetch(WebFetchRequest(url="https://a.test"))
    recorder.record_usage(1200, 30, 7)


def test_runs_are_laid_side_by_side(run_evidence: RunCommand, tmp_path: Path) -> None:
    path = tmp_path / "one.db"
    store = SqliteStore(path)
    asyncio.run(_record(store))
    store.close()

    result = run_evidence("report", path, path)

    assert result.exit_code == 0
    lines = [line.split() for line in result.stdout.splitlines()]
    assert lines[0] == ["run", "tool", "calls", "errors", "ms", "characters"]
    assert [line[1:4] for line in lines[1:5]] == [["web_search", "1", "0"], ["web_fetch", "1", "1"]] * 2
    assert lines[1][-1] == "10"
    assert lines[-1][1:] == ["1", "1,200", "7", "30"]


def test_a_file_without_a_recorded_run_is_said(run_evidence: RunCommand, recorded: tuple[Path, str]) -> None:
    result = run_evidence("report", recorded[0])

    assert result.exit_code == 1
    assert "holds no recorded run named default" in result.stderr


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (("report", "{store}"), "the recording is damaged"),
        (("cite", "check", "-", "--store", "{store}"), "a record of the evidence is damaged"),
        (("--replay", "{store}", "fetch", "https://a.test"), "the recording is damaged"),
    ],
)
def test_a_record_that_is_none_is_said_without_a_traceback(
    run_evidence: RunCommand, home: Path, command: tuple[str, ...], said: str
) -> None:
    path = home / "odd.db"
    store = SqliteStore(path)
    store.append("recording/default", {"kind": "fetch"})
    store.append("evidence/default", {"kind": "fetch"})
    store.close()

    result = run_evidence(*(part.format(store=path) for part in command), input=b"x")

    assert result.exit_code == 1
    assert said in result.stderr
