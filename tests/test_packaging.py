"""The package as a whole: what an import loads, how long its files are, what each distribution carries."""

import ast
import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
DISTRIBUTIONS = {
    "hydra-web": (ROOT, "hydra_web"),
    "langchain-hydra-web": (ROOT / "integrations" / "langchain", "langchain_hydra_web"),
    "llama-index-tools-hydra-web": (ROOT / "integrations" / "llama_index", "llama_index/tools/hydra_web"),
}
SOURCES = [
    path
    for folder in ("hydra_web", "integrations", "tests", "benchmarks")
    for path in sorted((ROOT / folder).rglob("*.py"))
]


def test_importing_the_package_loads_no_framework_no_parser_and_no_database() -> None:
    code = "import sys, hydra_web; print(*sorted({name.partition('.')[0] for name in sys.modules}))"
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=True,
    )
    loaded = set(done.stdout.split())
    assert "hydra_web" in loaded
    assert not {name for name in loaded if name.startswith(("lang", "llama_index", "lxml", "sqlite3", "_sqlite3"))}


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_files_and_functions_stay_short_enough_to_read(path: Path) -> None:
    text = path.read_text("utf-8")
    assert text.count("\n") <= 500
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            assert (node.end_lineno or 0) - node.lineno < 60, node.name


@pytest.mark.parametrize("name", DISTRIBUTIONS)
def test_a_distribution_is_typed_licensed_and_of_the_one_version(name: str) -> None:
    root, package = DISTRIBUTIONS[name]
    project = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))
    assert project["project"]["name"] == name
    assert project["project"]["requires-python"] == ">=3.11"
    assert project["project"]["license"] == "MIT"
    assert "version" not in project["project"]
    assert (root / project["tool"]["hatch"]["version"]["path"]).resolve() == ROOT / "hydra_web" / "_version.py"
    assert (root / "LICENSE").read_bytes() == (ROOT / "LICENSE").read_bytes()
    assert (root / package / "py.typed").is_file()


def test_every_dependency_is_pinned_for_the_commands_of_the_makefile() -> None:
    pinned = {line.partition("==")[0] for line in (ROOT / "constraints.txt").read_text("utf-8").splitlines()}
    pinned = {name.lower().replace("_", "-") for name in pinned}
    for root, _ in DISTRIBUTIONS.values():
        project = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))["project"]
        groups = [project["dependencies"], *project.get("optional-dependencies", {}).values()]
        for requirement in (text for group in groups for text in group):
            name = requirement.split("[")[0].split(">")[0].strip()
            assert name in pinned | {"hydra-web"}, requirement


def test_no_row_of_the_acceptance_table_is_passed_over() -> None:
    """The check after a run reads rows by their form; a row of another form would go unchecked."""
    rows = [line for line in (ROOT / "tests" / "ACCEPTANCE.md").read_text("utf-8").splitlines() if line[:1] == "|"][2:]
    assert len(rows) > 200
    for row in rows:
        line, test = row.removeprefix("| ").removesuffix("` |").rsplit(" | `", 1)
        assert line
        assert (ROOT / test.partition("::")[0]).is_file(), row
