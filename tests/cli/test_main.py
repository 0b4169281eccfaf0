"""The `hydra-web` command itself, in a process of its own."""

import subprocess
import sys
from pathlib import Path

import pytest

from hydra_web import __version__

ROOT = Path(__file__).parents[2]
WITHOUT = "import sys; sys.modules[{name!r}] = None\n"
MAIN = "import sys; sys.argv[0] = 'hydra-web'; from hydra_web.cli import main; main()"


def run(*arguments: str, without: str = "") -> "subprocess.CompletedProcess[str]":
    code = (WITHOUT.format(name=without) if without else "") + MAIN
    command = [sys.executable, "-W", "error", "-c", code, *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)


@pytest.mark.parametrize("without", ["", "typer", "rich"])
def test_the_version_needs_no_extra(without: str) -> None:
    result = run("--version", without=without)
    assert (result.returncode, result.stdout) == (0, f"hydra-web {__version__}\n")


def test_without_the_extra_the_install_line_is_printed() -> None:
    result = run("index", "list", without="typer")
    assert (result.returncode, result.stdout) == (1, "")
    assert result.stderr.strip().endswith('pip install "hydra-web[cli]"')


def test_help_names_the_commands() -> None:
    result = run("--help")
    assert result.returncode == 0
    for command in ("index", "search", "fetch"):
        assert command in result.stdout


def test_wrong_usage_is_exit_code_2() -> None:
    result = run("bogus")
    assert result.returncode == 2
    assert "Traceback" not in result.stderr
    assert run("index", "--version").returncode == 2


def test_the_version_option_works_anywhere_in_front() -> None:
    result = run("--version", "index")
    assert (result.returncode, result.stdout) == (0, f"hydra-web {__version__}\n")
