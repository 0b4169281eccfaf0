"""The demonstration shows what it should, and says so when it does not."""

import io
import os
import posixpath
import re
import shlex
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import hydra_web.demo
from hydra_web.cli.app import app
from hydra_web.demo import SCENARIO, AgentRun, Scenario, corpus_pages, corpus_runtime, run, run_demo
from hydra_web.demo.stage import DemoFailureError, Stage, wrap_columns
from hydra_web.tools import WebTools

GROUP = "hydra_web.demo"
ADAPTERS = [
    EntryPoint("langchain", "langchain_hydra_web._demo:run_agent", GROUP),
    EntryPoint("llama_index", "llama_index.tools.hydra_web._demo:run_agent", GROUP),
]


def _show(monkeypatch: pytest.MonkeyPatch, *points: EntryPoint) -> tuple[int, str]:
    monkeypatch.setattr(run, "entry_points", lambda group: [point for point in points if point.group == group])
    out = io.StringIO()
    return run_demo(out, width=120), out.getvalue()


def test_every_step_shows_what_it_should(monkeypatch: pytest.MonkeyPatch) -> None:
    code, shown = _show(monkeypatch, *ADAPTERS)
    assert code == 0, shown
    assert "FAILED" not in shown
    assert [line[:2] for line in shown.splitlines() if re.match(r"\d\. ", line)] == ["1.", "2.", "3.", "4.", "5."]
    assert "is not a public IP address" in shown
    assert shown.count('verified: "crosses from Lindmoor to Osprey Island in 35 minutes"') == 2
    assert shown.count('rejected: "a night ferry leaves every hour"') == 2
    assert shown.startswith("You are about to see an agent's two tools")
    assert len(shown.split("\n\n")[0].splitlines()) == 2
    steps = shown.split("\n\n2. ")[1].split("\n\n3. ")
    assert "the operator granted it, and nothing else" in " ".join(steps[0].split())
    assert shown.count("The words of a rejected quote's claim stay in the answer; its link is removed.") == 2
    assert len(shown.split("Try next:")[1].strip().splitlines()) == 6


def test_the_next_commands_can_be_typed_here(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    folder = tmp_path / "my project" / ".venv" / "bin"
    folder.mkdir(parents=True)
    monkeypatch.setattr(run.sys, "executable", str(folder / "python"))
    monkeypatch.setenv("PATH", str(tmp_path))
    assert run._command() == "hydra-web"
    command = folder / ("hydra-web.exe" if os.name == "nt" else "hydra-web")
    command.touch(0o755)
    assert run._command() == shlex.quote(str(command))
    monkeypatch.chdir(tmp_path / "my project")
    assert run._command() == str(command.relative_to(tmp_path / "my project"))
    monkeypatch.setenv("PATH", str(folder))
    assert run._command() == "hydra-web"


def test_without_adapters_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run, "find_spec", lambda name: None)
    code, shown = _show(monkeypatch, ADAPTERS[0])
    assert code == 0
    assert 'not installed: pip install "langchain-hydra-web[agents]"' in shown
    assert "not installed: pip install llama-index-tools-hydra-web" in shown


async def _cites_nothing(web_tools: WebTools, scenario: Scenario) -> AgentRun:
    return AgentRun(calls=(), answer="I do not know.")


async def _fetches_nothing(web_tools: WebTools, scenario: Scenario) -> AgentRun:
    return AgentRun(calls=(), answer=scenario.answer([]))


async def _finds_nothing(web_tools: WebTools, scenario: Scenario) -> AgentRun:
    return AgentRun(calls=(), answer=scenario.page_url("No results found."))


def test_an_adapter_that_cannot_be_loaded_is_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    broken = EntryPoint("langchain", "langchain_hydra_web._no_such_module:run_agent", GROUP)
    code, shown = _show(monkeypatch, broken)
    assert code == 1
    assert "FAILED: No module named 'langchain_hydra_web._no_such_module'" in shown


@pytest.mark.parametrize(
    ("step", "words"),
    [
        (_cites_nothing, "expected one true and one false quote"),
        (_fetches_nothing, "the agent did not fetch /ferry-timetable.html"),
        (_finds_nothing, "the search did not find /ferry-timetable.html"),
    ],
)
def test_a_step_that_goes_wrong_is_told_and_counted(monkeypatch: pytest.MonkeyPatch, step: object, words: str) -> None:
    class Point:
        name, group = "langchain", GROUP

        def load(self) -> object:
            return step

    point: Any = Point()
    code, shown = _show(monkeypatch, point, ADAPTERS[1])
    assert code == 1
    assert f"FAILED: {words}" in shown
    assert "5. The whole loop in a LlamaIndex agent" in shown


def test_the_command_passes_the_exit_code_on(monkeypatch: pytest.MonkeyPatch) -> None:
    for code in (0, 1):
        monkeypatch.setattr(hydra_web.demo, "run_demo", lambda out, code=code: code)
        assert CliRunner().invoke(app, ["demo"]).exit_code == code


def test_what_strangers_write_cannot_steer_the_terminal() -> None:
    out = io.StringIO()
    stage = Stage(out)
    stage.show("\x1b[2Jred\u202e\n" + "line\n" * 40)
    stage.say("\x07done")
    lines = out.getvalue().splitlines()
    assert lines[0] == "  | red"
    assert lines[-2] == "  | ... (25 more lines)"
    assert lines[-1] == "done"
    with pytest.raises(DemoFailureError):
        stage.expect(False, "anything")


@pytest.mark.parametrize(
    ("text", "width", "lines"),
    [
        ("", 10, []),
        ("  ", 10, []),
        ("  kept  as is", 20, ["  kept  as is"]),
        ("one two three", 7, ["one two", "three"]),
        ("a https://a-long-address.example b", 10, ["a", "https://a-long-address.example", "b"]),
        ("渡船时刻表", 4, ["渡船", "时刻", "表"]),
        ("渡 船 abc时刻", 5, ["渡 船", "abc时", "刻"]),
        ("e\u0301e\u0301 e\u0301", 3, ["e\u0301e\u0301", "e\u0301"]),
        ("\u0301a 渡\u0301渡", 3, ["\u0301a", "渡\u0301", "渡"]),
    ],
)
def test_lines_fit_the_columns_of_a_terminal(text: str, width: int, lines: list[str]) -> None:
    assert wrap_columns(text, width) == lines


@pytest.mark.parametrize(("columns", "used"), [("10", 40), ("60", 60), ("500", 120)])
def test_the_width_follows_the_terminal_within_bounds(monkeypatch: pytest.MonkeyPatch, columns: str, used: int) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    out = io.StringIO()
    Stage(out).tell("word " * 200)
    assert used - 5 <= max(map(len, out.getvalue().splitlines())) <= used


def test_a_terminal_that_cannot_write_every_language_is_no_obstacle() -> None:
    raw = io.BytesIO()
    out = io.TextIOWrapper(raw, encoding="ascii")
    Stage(out).say("phà, 渡船")
    out.flush()
    assert raw.getvalue().split() == [b"ph?,", b"??"]


def test_the_corpus_is_small_connected_and_in_three_languages() -> None:
    pages = {path: body.decode() for path, (_, body) in corpus_pages().items()}
    assert 15 <= len(pages) <= 25
    assert {kind for kind, _ in corpus_pages().values()} == {
        "text/html; charset=utf-8",
        "text/markdown; charset=utf-8",
    }
    assert sum(path.startswith("/vi/") for path in pages) == sum(path.startswith("/zh/") for path in pages) == 4
    everything = "\n".join(pages.values())
    for feature in ("<table>", "<pre><code", "<ol>", "<blockquote>", "```python", "| --- |", "\n- ", "\n1. "):
        assert feature in everything
    for path, text in pages.items():
        for link in re.findall(r'href="([^"]+)"|\]\(([^)\s]+)\)', text):
            target = posixpath.normpath(posixpath.join(posixpath.dirname(path), link[0] or link[1]))
            assert target in pages, f"{path} links to {target}"


async def test_the_corpus_answers_in_every_language(tmp_path: Any) -> None:
    async with corpus_runtime(tmp_path / "store.sqlite") as runtime:
        web_tools = WebTools(runtime)
        for query, page in (
            ("lighthouse lens", "lighthouse.html"),
            ("thủy triều", "vi/thuy-trieu.md"),
            ("thuy trieu", "vi/thuy-trieu.md"),
            ("cà phê phin", "vi/ca-phe-phin.html"),
            ("灯塔", "zh/dengta.md"),
            ("咖啡", "zh/kafei.html"),
        ):
            outcome = await web_tools.call("web_search", {"queries": [query]})
            assert f"https://lindmoor.example/{page}" in outcome.text, query
        page = await web_tools.call("web_fetch", {"url": "https://lindmoor.example/library-catalogue-api.md"})
        assert "```python" in page.text
    assert SCENARIO.quote
