import json
from collections.abc import Callable
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from hydra_web.cli import providers, settings
from hydra_web.providers import PROVIDER_CLASSES
from hydra_web.settings_file import SettingsStore
from hydra_web.store import IndexedPage, SqliteStore
from hydra_web.testing.providers import ProviderReply, ProviderServer

NAMES = [
    *("SEARXNG_BASE_URL", "DEEPSEEK_SEARCH_BASE_URL"),
    *(name for provider in PROVIDER_CLASSES for name in provider.credential_names),
]
Run = Callable[..., tuple[int, str]]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    app = typer.Typer()
    providers.register(app)
    settings.register(app)
    monkeypatch.setenv("HYDRA_WEB_SETTINGS", str(tmp_path / "conf" / "settings.json"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    for name in (*NAMES, "HYDRA_WEB_STORE", "HYDRA_WEB_SEARCH_PROVIDER"):
        monkeypatch.setenv(name, "")
        monkeypatch.delenv(name)

    def invoke(*arguments: str) -> tuple[int, str]:
        result = CliRunner().invoke(app, list(arguments))
        assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
        return result.exit_code, result.output

    return invoke


def test_every_provider_is_listed(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EXA_API_KEY", "sk-secret")
    code, output = run("providers", "list")
    assert code == 0
    lines = output.splitlines()
    assert len(lines) == 14
    assert [line.split()[0] for line in lines[1:4]] == ["deepseek-official", "serper", "custom"]
    assert next(line for line in lines if line.startswith("exa")).split() == ["exa", "Exa", "yes", "EXA_API_KEY"]
    assert "sk-secret" not in output
    needs = {line.split()[0]: line.split()[-1] for line in lines[1:12]}
    assert (needs["searxng"], needs["brave"]) == ("SEARXNG_BASE_URL", "BRAVE_SEARCH_API_KEY")
    assert (needs["custom"], needs["wikipedia"]) == ("web-search-custom.endpoint", "nothing")
    assert lines[11] == "local              Local pages   no     hydra-web index add PATH"
    assert lines[13] == "A search now goes to exa: it is the only service that is set up."


def test_a_named_credential_is_what_is_needed(run: Run) -> None:
    assert run("settings", "set", "web-search-exa.apiKeyEnv", "MY_EXA")[0] == 0
    assert next(line for line in run("providers", "list")[1].splitlines() if line.startswith("exa")).endswith("MY_EXA")


def _fill_default_store(tmp_path: Path) -> None:
    path = tmp_path / "data" / "hydra-web" / "store.sqlite3"
    path.parent.mkdir(parents=True)
    store = SqliteStore(path)
    page = IndexedPage(url="http://t.example/", title="T", kind="text", content="tea", text="tea", fetched_at="2026")
    store.add_page(page)
    store.close()


@pytest.mark.parametrize(
    ("environment", "saved", "pages", "words"),
    [
        ({}, "", False, "to wikipedia: no service is set up, and no pages are indexed."),
        ({}, "", True, "to local: no service is set up, and there are indexed pages."),
        ({"EXA_API_KEY": "k"}, "", True, "to exa: it is the only service that is set up."),
        ({"EXA_API_KEY": "k"}, "local", True, "to local: web-search.provider in the saved settings says so."),
        (
            {"EXA_API_KEY": "k", "HYDRA_WEB_SEARCH_PROVIDER": "exa"},
            "local",
            True,
            "to exa: HYDRA_WEB_SEARCH_PROVIDER says so.",
        ),
        ({}, "exa", False, 'would fail now: configured web provider "exa" is not registered\nexa needs EXA_API_KEY'),
        ({}, "local", False, '"local" is not registered\nlocal needs indexed pages: hydra-web index add PATH'),
        ({"HYDRA_WEB_SEARCH_PROVIDER": "nope"}, "", False, "there is no provider 'nope'; there are: deepseek-official"),
        (
            {"EXA_API_KEY": "k", "TAVILY_API_KEY": "k"},
            "",
            False,
            "configure one explicitly\nchoose one: HYDRA_WEB_SEARCH_PROVIDER=ID, or save it: hydra-web settings set",
        ),
        ({"HYDRA_WEB_STORE": "/nowhere"}, "", False, "would fail now: HYDRA_WEB_STORE names no file: '/nowhere'."),
    ],
)
def test_which_one_answers_is_said_with_the_reason(
    run: Run,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    environment: dict[str, str],
    saved: str,
    pages: bool,
    words: str,
) -> None:
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    SettingsStore().update("web-search", {"provider": saved})
    if pages:
        _fill_default_store(tmp_path)
    code, output = run("providers", "list")
    assert (code, words in output) == (0, True), output


def test_the_local_one_is_explained(run: Run) -> None:
    code, output = run("providers", "describe", "local")
    assert (code, "local searches indexed pages; see: hydra-web index list" in output) == (2, True)


def test_one_is_described_with_its_saved_settings(run: Run) -> None:
    assert run("settings", "set", "web-search-exa.numResults", "7")[0] == 0
    code, output = run("providers", "describe", "exa")
    assert code == 0
    assert "web-search-exa.numResults = 7  (Results per Search)" in output
    assert "EXA_API_KEY (not set)" in output
    assert "needs       EXA_API_KEY\n" in output


def test_an_unknown_one_is_refused_with_those_there_are(run: Run) -> None:
    code, output = run("providers", "describe", "altavista")
    assert code == 2
    assert "there is no provider 'altavista'; there are: deepseek-official, serper" in output


def test_one_is_tested(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    with ProviderServer("searxng") as server:
        monkeypatch.setenv("SEARXNG_BASE_URL", server.base_url)
        code, output = run("providers", "test", "searxng")
        assert (code, output.split(" in ")[0]) == (0, "searxng: 2 results")
        assert server.calls[0].params["q"] == "Hydra search provider connectivity test"
        server.replies.append(ProviderReply(status=503))
        code, output = run("providers", "test", "searxng")
        assert code == 1
        assert "Could not connect to the search provider." in output
    code, output = run("providers", "test", "exa")
    assert code == 1
    assert "Settings > Web Search" in output
    assert output.endswith("\nexa needs EXA_API_KEY\n")


def test_settings_are_saved_and_shown(run: Run, tmp_path: Path) -> None:
    assert run("settings", "path") == (0, f"{tmp_path / 'conf' / 'settings.json'}\n")
    assert run("settings", "get") == (0, "{}\n")
    code, output = run("settings", "set", "web-search.provider", "exa")
    assert (code, "runtimes made with settings=SettingsStore()" in output) == (0, True)
    assert "settings=SettingsStore()" in run("settings", "--help")[1]
    assert run("settings", "set", "web-search.maxResults", "5")[0] == 0
    assert run("settings", "set", "web-search-custom.staticBody", '{"lang": "vi"}')[0] == 0
    assert run("settings", "get", "web-search") == (0, '{\n  "provider": "exa",\n  "maxResults": 5\n}\n')
    assert run("settings", "get", "web-search.maxResults") == (0, "5\n")
    assert run("settings", "set", "web-search.maxResults", "--unset")[0] == 0
    assert run("settings", "get", "web-search.maxResults")[0] == 1


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("web-search-exa.apiKey", "sk-secret", "Put the key into the environment as EXA_API_KEY"),
        ("web-search-deepseek.token", "sk-secret", "DEEPSEEK_API_KEY"),
        ("web-search.provider", "nope", "there is no provider 'nope'; there are: deepseek-official, serper"),
        ("web-search-exa.colour", "red", "web-search-exa has no setting 'colour'; it has: searchType"),
        ("web-search-exa.numResults", "many", "num_results must be an integer from 1 to 100, not 'many'"),
        ("web-search-exa.apiKeyEnv", "sk-secret", "must be the name of a credential"),
        ("web-search.maxResults", "1000", "an integer from 1 to 100"),
        ("web-search.colour", "red", "web-search has no setting"),
        ("web-search-altavista.x", "1", "there is no section 'web-search-altavista'"),
        ("provider", "exa", "name a setting as SECTION.KEY"),
        ("web-search-custom.resultsPath", "a[0]", "simple dot-separated field names"),
        ("web-search-custom.resultsPath", "__proto__.items", "simple dot-separated field names"),
        ("web-search-custom.staticBody", '{"api_key": "sk-secret"}', "Store search credentials through"),
        ("web-search-custom.endpoint", "https://user:sk-secret@example.org", "without embedded credentials"),
    ],
)
def test_what_is_wrong_is_refused_at_saving(run: Run, name: str, value: str, words: str) -> None:
    code, output = run("settings", "set", name, value)
    assert code == 2
    assert words in output
    assert "sk-secret" not in output
    assert run("settings", "get") == (0, "{}\n")


def test_a_secret_saved_by_an_old_version_is_masked(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "conf" / "settings.json"
    file.parent.mkdir()
    file.write_text('{"revision": 1, "sections": {"web-search-deepseek": {"apiKey": "sk-secret", "maxTokens": 9}}}')
    code, output = run("settings", "get")
    assert code == 0
    assert '"apiKey": "**********"' in output
    assert '"maxTokens": 9' in output
    file.write_text("{")
    code, output = run("settings", "get")
    said = f"{file}: the settings file is not valid JSON of the expected shape"
    assert (code, said in output, "move it away to start anew" in output) == (1, True, True)
    for command in (("providers", "list"), ("providers", "describe", "exa"), ("settings", "set", "web-search.x", "1")):
        code, output = run(*command)
        assert (code, "not valid JSON" in output) == (1, True)


def test_secrets_inside_other_peoples_sections_are_masked(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "conf" / "settings.json"
    file.parent.mkdir()
    file.write_text(
        '{"revision": 1, "sections": {"mine": {"headers": {"Authorization": "sk-secret"}, "all": [{"k": 1}]}}}'
    )
    code, output = run("settings", "get", "mine")
    assert code == 0
    assert '"Authorization": "**********"' in output
    assert '"k": 1' in output


def test_a_wrong_address_in_the_environment_is_said_by_name(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SEARXNG_BASE_URL", "localhost:8080")
    code, output = run("providers", "list")
    assert (code, "SEARXNG_BASE_URL must be an http(s) URL" in output) == (2, True)
    assert run("settings", "set", "web-search-exa.numResults", "5")[0] == 0


def test_what_a_hand_wrote_into_the_file_shows_no_password_and_what_is_wrong(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "conf" / "settings.json"
    file.parent.mkdir()
    section = {"baseURL": "https://user:sk-secret@example.org/"}
    file.write_text(json.dumps({"revision": 1, "sections": {"web-search-exa": section}}))
    for arguments in (("settings", "get"), ("providers", "describe", "exa")):
        code, output = run(*arguments)
        assert (code, "https://**********@example.org/" in output, "sk-secret" in output) == (0, True, False)
    assert "problem     base_url must not hold a user name" in output
    assert run("settings", "set", "web-search-exa.baseURL", "--unset")[0] == 0


@pytest.mark.parametrize(
    ("name", "value", "saved"),
    [
        ("web-search-deepseek.timeoutMs", "500", "500"),
        ("web-search-deepseek.mode", "search", '"search"'),
        ("web-search-custom.positionField", "rank", '"rank"'),
    ],
)
def test_settings_without_a_control_can_be_saved_too(run: Run, name: str, value: str, saved: str) -> None:
    assert run("settings", "set", name, value)[0] == 0
    assert run("settings", "get", name) == (0, f"{saved}\n")
