"""Every Python example of the README and of the docs runs, as a reader would run it.

Blocks fenced as `python` are executed, those of one document in order and in one namespace, in an
empty folder, with the shipped corpus as the web. `model` (LangChain) and `llm` (LlamaIndex) stand
for any model that can call tools; here they are scripted. An example that cannot run offline is
fenced as `py`.
"""

import ast
import asyncio
import inspect
import os
import re
import subprocess
import sys
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from hydra_web.demo import SCENARIO, corpus_pages, corpus_path, index_corpus
from hydra_web.indexing import index_paths
from hydra_web.portal import run_sync
from hydra_web.store import SqliteStore

ROOT = Path(__file__).parent.parent
DOCUMENTS = [ROOT / "README.md", *sorted(ROOT.glob("integrations/*/README.md")), *sorted(ROOT.glob("docs/**/*.md"))]
_ANY_BLOCK = re.compile(r"^```\w*\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_MOST_TURNS = 40


def _play(texts: Sequence[str], call: Callable[[tuple[str, dict[str, Any]]], Any]) -> Any:
    """What the scripted model does after the tool results so far: search, fetch, answer."""
    match len(texts):
        case 0:
            return call(("web_search", {"queries": list(SCENARIO.queries)}))
        case 1:
            return call(("web_fetch", {"url": SCENARIO.page_url(texts[0])}))
        case _:
            return SCENARIO.answer(texts)


def _models() -> dict[str, Any]:
    from langchain_hydra_web.testing import ScriptedChatModel
    from langchain_hydra_web.testing import call_tools as lc_call
    from llama_index.tools.hydra_web.testing import ScriptedLLM
    from llama_index.tools.hydra_web.testing import call_tools as li_call

    def lc_step(messages: Sequence[Any]) -> Any:
        return _play([str(message.text) for message in messages if message.type == "tool"], lc_call)

    def li_step(messages: Sequence[Any]) -> Any:
        return _play([message.content or "" for message in messages if message.role == "tool"], li_call)

    return {
        "model": ScriptedChatModel(script=[lc_step] * _MOST_TURNS),
        "llm": ScriptedLLM(script=[li_step] * _MOST_TURNS),
    }


async def _finish(work: Any) -> None:
    await work


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return index_corpus(tmp_path_factory.mktemp("corpus") / "store.sqlite")


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store of the corpus as `hydra-web index add` makes it."""
    path = tmp_path_factory.mktemp("files") / "store.sqlite"
    with closing(SqliteStore(path)) as store:
        run_sync(index_paths(store, [corpus_path()]))
    return path


@pytest.fixture
def no_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An empty folder, and an environment that says nothing."""
    for name in [name for name in os.environ if name.endswith("_API_KEY") or name.startswith(("HYDRA_", "SEARXNG_"))]:
        monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)


@pytest.mark.usefixtures("no_settings")
def test_the_readme_runs_with_nothing_but_a_store(
    files: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("HYDRA_WEB_STORE", str(files))
    _run_examples(ROOT / "README.md")
    shown = capsys.readouterr().out
    assert "Error:" not in shown
    assert "1 of 1 citations hold" in shown


@pytest.mark.skipif(os.name == "nt", reason="the commands are written for a POSIX shell")
@pytest.mark.usefixtures("no_settings")
def test_the_commands_of_the_readme_run_as_they_stand(tmp_path: Path) -> None:
    commands = tmp_path / ".venv" / "bin"
    commands.mkdir(parents=True)
    (commands / "activate").write_text(f"PATH='{commands}':$PATH\n")
    shim = commands / "hydra-web"
    shim.write_text(f"""#!/bin/sh\nexec '{sys.executable}' -c 'from hydra_web.cli import main; main()' "$@"\n""")
    shim.chmod(0o755)
    (tmp_path / "hydra_web").symlink_to(ROOT / "hydra_web")
    blocks = _ANY_BLOCK.findall((ROOT / "README.md").read_text("utf-8"))
    (script,) = [block for block in blocks if "\nhydra-web " in block]
    done = subprocess.run(
        ["sh", "-eu", "-c", script],
        env={**os.environ, "PYTHONPATH": str(ROOT), "PWD": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert f"Indexed {len(corpus_pages())} pages" in done.stdout
    assert "35 minutes" in done.stdout


@pytest.mark.usefixtures("no_settings")
@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_the_examples_run(
    document: Path, store: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("HYDRA_WEB_STORE", str(store))
    monkeypatch.setenv("HYDRA_WEB_FETCH_PROVIDER", "local")
    _run_examples(document)
    assert "Error:" not in capsys.readouterr().out


def _run_examples(document: Path) -> None:
    text = document.read_text(encoding="utf-8")
    namespace: dict[str, Any] = {"__name__": "__main__", **_models()}
    for found in _BLOCK.finditer(text):
        line = text.count("\n", 0, found.start(1))
        code = compile(
            "\n" * line + found.group(1), str(document), "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT, dont_inherit=True
        )
        result = eval(code, namespace)
        if inspect.isawaitable(result):
            asyncio.run(_finish(result))
