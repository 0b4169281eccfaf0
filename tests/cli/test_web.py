"""`hydra-web search` and `hydra-web fetch`, over recorded pages."""

from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import Result

from hydra_web.indexing import file_url
from hydra_web.testing.providers import ProviderReply, ProviderServer

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
    first, second = result.stderr.splitlines()
    assert '"bogus" is not registered' in first
    assert second.strip().startswith("there is no provider 'bogus'; there are: deepseek-official, ")


def test_a_missing_key_is_said(run: RunCommand, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HYDRA_WEB_SEARCH_PROVIDER", "exa")
    result = run("search", "tea")
    assert result.exit_code == 1
    assert result.stderr.splitlines()[1:] == ["exa needs EXA_API_KEY"]


@pytest.mark.parametrize(
    ("status", "words"),
    [
        (401, "searxng refused access; see its credential: hydra-web providers describe searxng"),
        (503, "the provider was searxng. Try again, choose another one (hydra-web providers list), or search pages"),
    ],
)
def test_the_provider_that_failed_is_named(
    run: RunCommand, monkeypatch: pytest.MonkeyPatch, status: int, words: str
) -> None:
    with ProviderServer("searxng") as server:
        monkeypatch.setenv("SEARXNG_BASE_URL", server.base_url)
        server.replies.append(ProviderReply(status=status))
        result = run("search", "tea")
    assert (result.exit_code, words in result.stderr) == (1, True)


def test_a_saved_choice_is_honoured_and_the_environment_goes_first(
    run: RunCommand, docs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run("index", "add", docs)
    monkeypatch.setenv("EXA_API_KEY", "k")
    assert run("settings", "set", "web-search.provider", "local").exit_code == 0
    assert "[Tea]" in run("search", "green tea").stdout
    monkeypatch.setenv("HYDRA_WEB_SEARCH_PROVIDER", "bogus")
    assert run("search", "green tea").exit_code == 1


def test_a_broken_settings_file_is_named(run: RunCommand, home: Path) -> None:
    (home / "settings.json").write_text("{")
    result = run("search", "tea")
    assert result.exit_code == 1
    assert f"{home / 'settings.json'}: the settings file is not valid JSON" in result.stderr


def test_an_emptied_default_store_is_passed_over(run: RunCommand, docs: Path) -> None:
    run("index", "add", docs)
    run("index", "remove", docs)
    assert "not a public IP address" in run("fetch", "http://127.0.0.1:9/").stderr


def test_a_store_of_the_environment_that_is_not_there_is_said(
    run: RunCommand, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HYDRA_WEB_STORE", str(home / "none.db"))
    result = run("search", "tea")
    assert (result.exit_code, "Fill a store with: hydra-web index add PATH" in result.stderr) == (2, True)


@pytest.mark.parametrize(
    ("url", "hint"),
    [
        ("example.com", "did you mean https://example.com/?"),
        ("example.com/a/b?c", "did you mean https://example.com/a/b?c?"),
        ("./file.md", "for a file, use: hydra-web index add ./file.md"),
        ("/tmp/some file.md", "for a file, use: hydra-web index add '/tmp/some file.md'"),
        ("what is this", ""),
        ("ftp://example.com/", ""),
    ],
)
def test_what_may_have_been_meant_by_an_address_is_said(run: RunCommand, url: str, hint: str) -> None:
    result = run("fetch", url)
    assert result.exit_code == 1
    assert [line.strip() for line in result.stderr.splitlines()[1:]] == ([hint] if hint else [])


def test_words_for_models_are_left_out(run: RunCommand, store: Path) -> None:
    result = run("search", "green tea", "--store", store)
    assert "Cite the relevant URLs" not in result.stdout
    assert not result.stdout.endswith("\n\n")
