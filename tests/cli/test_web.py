"""`hydra-web search` and `hydra-web fetch`, over recorded pages."""

from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import Result

from hydra_web.indexing import file_url

RunCommand = Callable[..., Result]


@pytest.fixture
def store(run: RunCommand, docs: Path, home: Path) -> Path:
    path = home / "store.db"
    assert run("index", "add", docs, "--store", path).exit_code == 0
    return path


def test_a_search_shows_what_a_model_would_see(run: RunCommand, store: Path, docs: Path) -> None:
    result = run("search", "green", "tea", "--store", store)
    assert result.exit_code == 0
    assert f"[Tea]({file_url(docs / 'tea.md')})" in result.stdout
    assert "Green tea is brewed at 80 degrees." in result.stdout


def test_a_search_without_results_is_no_failure(run: RunCommand, store: Path) -> None:
    assert run("search", "zebra", "--store", store).exit_code == 0


def test_a_recorded_page_is_shown_as_markdown(run: RunCommand, store: Path, docs: Path) -> None:
    result = run("fetch", file_url(docs / "coffee.html"), "--store", store)
    assert result.exit_code == 0
    assert "# Coffee\n\nEspresso needs 9 bar." in result.stdout


def test_a_page_that_is_not_there_is_said(run: RunCommand, store: Path) -> None:
    result = run("fetch", "http://t.example/none", "--store", store)
    assert (result.exit_code, result.stdout) == (1, "")
    assert "the page is not in the local store" in result.stderr


def test_a_store_that_is_not_there_is_said(run: RunCommand, home: Path) -> None:
    result = run("search", "tea", "--store", home / "none.db")
    assert result.exit_code == 1
    assert "hydra-web index add PATH" in result.stderr


def test_the_default_store_is_found_without_being_named(run: RunCommand, docs: Path) -> None:
    run("index", "add", docs)
    assert f"[Tea]({file_url(docs / 'tea.md')})" in run("search", "green tea").stdout
    assert "Green tea is brewed" in run("fetch", file_url(docs / "tea.md")).stdout


def test_a_page_goes_through_the_guarded_door(run: RunCommand) -> None:
    result = run("fetch", "http://127.0.0.1:9/")
    assert (result.exit_code, result.stdout) == (1, "")
    assert "not a public IP address" in result.stderr


def test_a_wrong_choice_in_the_environment_is_said(run: RunCommand, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HYDRA_WEB_SEARCH_PROVIDER", "bogus")
    result = run("search", "tea")
    assert (result.exit_code, result.stdout) == (1, "")
    assert '"bogus" is not registered' in result.stderr
