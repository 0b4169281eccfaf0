"""The command line, run in this process."""

from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from hydra_web.cli.app import app

RunCommand = Callable[..., Result]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An environment with no keys and a user data folder of its own."""
    for name in ("HYDRA_WEB_STORE", "HYDRA_WEB_SEARCH_PROVIDER", "HYDRA_WEB_FETCH_PROVIDER", "EXA_API_KEY"):
        monkeypatch.setenv(name, "")  # so that what a command sets is undone, too
        monkeypatch.delenv(name)
    monkeypatch.setenv("HYDRA_WEB_SETTINGS", str(tmp_path / "settings.json"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    return tmp_path


@pytest.fixture
def run(home: Path) -> RunCommand:
    def run_command(*arguments: object) -> Result:
        return CliRunner().invoke(app, [str(argument) for argument in arguments], prog_name="hydra-web")

    return run_command


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "tea.md").write_text("# Tea\n\nGreen tea is brewed at 80 degrees.\n")
    (folder / "coffee.html").write_text("<title>Coffee</title><h1>Coffee</h1><p>Espresso needs 9 bar.</p>")
    return folder
