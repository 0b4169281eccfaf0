"""Search providers behind the runtime's product mode: selection, settings, and what reaches the wire."""

import logging
from pathlib import Path
from typing import Any

import pytest

from hydra_web.errors import ConfigError, SearchProviderError, WebError
from hydra_web.providers import (
    CustomSearch,
    DeepSeekSearch,
    EnvironmentCredentials,
    ExaSearch,
    SearxngSearch,
    SerperSearch,
    WikipediaSearch,
    usual_providers,
)
from hydra_web.runtime import WebRuntime
from hydra_web.settings import MemorySettings
from hydra_web.settings_file import SettingsStore
from hydra_web.signals import AbortSignal
from hydra_web.testing.providers import ProviderReply, ProviderServer
from hydra_web.types import WebSearchRequest

REQUEST = WebSearchRequest(query="Docs")


def _product(settings: Any, *providers: Any) -> WebRuntime:
    web = WebRuntime(require_search_selection=True, settings=settings)
    for provider in providers:
        web.register_search_provider(provider)
    return web


async def _error(web: WebRuntime, request: WebSearchRequest = REQUEST, signal: AbortSignal | None = None) -> WebError:
    with pytest.raises(WebError) as caught:
        await web.search(request, signal)
    return caught.value


async def test_a_fresh_install_has_nothing_selected_whatever_keys_there_are() -> None:
    environ = EnvironmentCredentials({"DEEPSEEK_API_KEY": "k"})
    settings = MemorySettings()
    deepseek = DeepSeekSearch(credentials=environ, settings=settings)
    web = _product(settings, deepseek, SerperSearch(settings=settings), CustomSearch(settings=settings))
    web.migrate_search_selection(deepseek.id, deepseek.has_own_settings)
    preferences = web.search_preferences()
    assert preferences is not None
    assert preferences.provider == ""
    assert (await _error(web)).code == "CONFIG_ERROR"
    assert [shown.display_name for shown in web.list_search_providers()] == ["DeepSeek", "Serper.dev", "Other"]


async def test_an_old_deepseek_section_is_taken_over_once(tmp_path: Path) -> None:
    settings = SettingsStore(tmp_path / "settings.json")
    settings.update("web-search-deepseek", {"model": "deepseek-chat"})
    deepseek = DeepSeekSearch(api_key="k", settings=settings)
    web = _product(settings, deepseek)
    web.migrate_search_selection(deepseek.id, deepseek.has_own_settings)
    assert settings.section("web-search") == {"provider": "deepseek-official"}
    settings.update("web-search", {"provider": ""})
    web.migrate_search_selection(deepseek.id, deepseek.has_own_settings)
    assert settings.section("web-search") == {"provider": ""}


async def test_the_next_search_runs_on_the_provider_selected_by_then() -> None:
    settings = MemorySettings({"web-search": {"provider": "serper"}, "web-search-serper": {"maxResults": 5}})
    with ProviderServer("serper") as serper, ProviderServer("deepseek-official") as deepseek:
        web = _product(
            settings,
            SerperSearch(api_key="serper-key", base_url=serper.base_url, settings=settings),
            DeepSeekSearch(api_key="deepseek-key", base_url=deepseek.base_url, settings=settings),
        )
        result = await web.search(REQUEST)
        first = result.sources[0]
        assert (result.provider, result.query, first.provider, first.title, first.position) == (
            "serper", "Docs", "serper", "First", 1,
        )  # fmt: skip
        assert serper.calls[0].headers["x-api-key"] == "serper-key"
        assert serper.calls[0].body == {"q": "Docs", "num": 5}
        settings.update("web-search", {"provider": "deepseek-official"})
        assert (await web.search(REQUEST)).provider == "deepseek-official"
        assert settings.section("web-search-serper") == {"maxResults": 5}
        settings.update("web-search", {"enabled": False})
        assert (await _error(web)).code == "CONFIG_ERROR"
        assert (len(serper.calls), len(deepseek.calls)) == (1, 1)


async def test_images_are_refused_without_a_call() -> None:
    settings = MemorySettings({"web-search": {"provider": "serper"}})
    with ProviderServer("serper") as server:
        web = _product(settings, SerperSearch(api_key="k", base_url=server.base_url))
        error = await _error(web, WebSearchRequest(query="q", type="images"))
        assert str(error) == 'Provider "serper" does not support images search.'
        with pytest.raises(SearchProviderError, match="does not support images search"):
            await SerperSearch(api_key="k", base_url=server.base_url).search(WebSearchRequest(query="q", type="images"))
        assert not server.calls


async def test_providers_that_are_taken_out_are_gone() -> None:
    web = WebRuntime()
    providers = (DeepSeekSearch(api_key="k"), SerperSearch(api_key="k"), CustomSearch())
    undo = [web.register_search_provider(provider) for provider in providers]
    assert [shown.id for shown in web.list_search_providers()] == ["deepseek-official", "serper", "custom"]
    for one in undo:
        one()
    assert web.list_search_providers() == []


@pytest.mark.parametrize("method", ["POST", "GET"])
async def test_a_custom_provider_is_mapped_and_its_repeats_fall_together(method: str) -> None:
    def answer(_: object) -> Any:
        items = [
            {"address": "https://EXAMPLE.org/a?utm_source=x#top", "rank": 0.9, "internal": "raw"},
            {"address": "https://example.org/a", "rank": 0.1},
            {"address": "https://example.org/a?page=2"},
            {"address": "https://example.org/a/"},
        ]
        return {"data": {"items": items}}

    settings = MemorySettings(
        {
            "web-search": {"provider": "custom"},
            "web-search-custom": {
                "method": method, "auth": "none", "queryField": "text", "limitField": "", "resultsPath": "data.items",
                "urlField": "address", "scoreField": "rank",
            },
        }
    )  # fmt: skip
    with ProviderServer(answer) as server:
        settings.update("web-search-custom", {"endpoint": f"{server.base_url}/find"})
        result = await _product(settings, CustomSearch(settings=settings)).search(REQUEST)
        (call,) = server.calls
    assert [(found.url, found.score) for found in result.sources] == [
        ("https://EXAMPLE.org/a?utm_source=x#top", 0.9),
        ("https://example.org/a?page=2", None),
        ("https://example.org/a/", None),
    ]
    assert "raw" not in str(result.to_json_dict())
    assert (call.body or call.params) == {"text": "Docs"}
    assert not {"authorization", "x-api-key"} & call.headers.keys()


async def test_the_products_time_limit_is_a_retryable_time_out_without_fallback() -> None:
    settings = MemorySettings({"web-search": {"provider": "serper", "timeoutMs": 10}})
    with ProviderServer("serper") as slow, ProviderServer("exa") as other:
        slow.replies.append(ProviderReply(hold_header=True))
        web = _product(
            settings,
            SerperSearch(api_key="k", base_url=slow.base_url),
            ExaSearch(api_key="k", base_url=other.base_url),
        )
        error = await _error(web)
        assert isinstance(error, SearchProviderError)
        assert (error.code, error.retryable, other.calls) == ("TIMEOUT", True, [])


async def test_a_missing_key_is_a_configuration_error() -> None:
    settings = MemorySettings({"web-search": {"provider": "serper"}})
    web = _product(settings, SerperSearch(credentials=EnvironmentCredentials({"SERPER_API_KEY": ""})))
    assert (await _error(web)).code == "CONFIG_ERROR"


def test_bad_mappings_are_refused_at_saving(tmp_path: Path) -> None:
    store = SettingsStore(tmp_path / "settings.json")
    for changes in (
        {"resultsPath": "__proto__.items"},
        {"resultsPath": "a[0]"},
        {"staticBody": '{"api_key": "x"}'},
        {"endpoint": "https://user:pw@example.org/"},
    ):
        with pytest.raises(ConfigError):
            store.update("web-search-custom", changes)
    assert store.revision == 0


async def test_the_log_line_tells_no_words_and_no_keys(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    settings = MemorySettings({"web-search": {"provider": "serper"}})
    with ProviderServer("serper") as server:
        await _product(settings, SerperSearch(api_key="serper-key", base_url=server.base_url)).search(REQUEST)
    assert "provider=serper queries=1" in caplog.text
    assert not {"Docs", "serper-key"} & set(caplog.text.split())


async def test_a_client_that_follows_redirects_would_hand_the_key_over() -> None:
    import httpx

    with ProviderServer("deepseek-official") as target, ProviderServer("deepseek-official") as server:
        elsewhere = ProviderReply(status=307, headers={"Location": f"{target.base_url}/messages"})
        server.replies.extend([elsewhere, elsewhere])
        async with httpx.AsyncClient(follow_redirects=True, trust_env=False) as client:
            await client.post(f"{server.base_url}/messages", headers={"x-api-key": "ds-key"}, json={"q": "private"})
        assert (target.calls[0].headers["x-api-key"], target.calls[0].body) == ("ds-key", {"q": "private"})
        with pytest.raises(SearchProviderError) as caught:
            await DeepSeekSearch(api_key="ds-key", base_url=server.base_url).search(REQUEST)
        assert (caught.value.code, caught.value.status_code) == ("NETWORK_ERROR", None)
        assert len(target.calls) == 1


# --- The usual set -----------------------------------------------------------------------------------------------


def test_the_usual_providers_are_those_whose_key_is_there() -> None:
    assert usual_providers({}) == []
    environ = {
        "EXA_API_KEY": "k",
        "PPLX_API_KEY": "k",
        "BRAVE_SEARCH_API_KEY": "k",
        "SERPER_API_KEY": "  ",
        "SEARXNG_BASE_URL": "http://localhost:8080",
    }
    assert [provider.id for provider in usual_providers(environ)] == ["exa", "perplexity", "brave", "searxng"]


async def test_the_usual_providers_take_their_addresses_and_keys_from_that_environment() -> None:
    with ProviderServer("deepseek-official") as server:
        environ = {"DEEPSEEK_API_KEY": "k", "DEEPSEEK_SEARCH_BASE_URL": server.base_url}
        (deepseek,) = usual_providers(environ)
        assert len((await deepseek.search(REQUEST)).sources) == 2


def test_a_saved_endpoint_makes_the_custom_provider_usual() -> None:
    settings = MemorySettings({"web-search-custom": {"endpoint": "https://search.example.org", "auth": "none"}})
    assert [provider.id for provider in usual_providers({}, settings)] == ["custom"]


def test_wikipedia_and_an_unset_searxng_are_left_to_choice(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SEARXNG_BASE_URL", raising=False)
    assert WikipediaSearch().available()
    assert not SearxngSearch().available()


async def test_the_log_lines_tell_how_often_was_tried_again(caplog: pytest.LogCaptureFixture) -> None:
    from hydra_web.tools import WebTools

    caplog.set_level(logging.INFO, "web-search")
    settings = MemorySettings({"web-search": {"provider": "serper"}})
    with ProviderServer("serper") as server:
        server.replies.append(ProviderReply(status=503, headers={"Retry-After": "0"}))
        web = _product(settings, SerperSearch(api_key="serper-key", base_url=server.base_url, retry=3))
        outcome = await WebTools(web).call("web_search", {"queries": ["Docs"]})
    assert not outcome.is_error
    assert [" retries=1" in record.getMessage() for record in caplog.records] == [True, True]
