"""Half characters, wrong variables, event loops that ended."""

import asyncio
from collections.abc import Callable

import pytest

from hydra_web.errors import ConfigError
from hydra_web.providers import DeepSeekSearch, ExaSearch, SearchApi, SearxngSearch, usual_providers
from hydra_web.testing.providers import ProviderServer
from hydra_web.types import WebSearchRequest

REQUEST = WebSearchRequest(query="deep sea")
Factory = Callable[..., SearchApi]


async def test_a_query_with_half_a_character_is_searched_without_it(api: str, make: Factory) -> None:
    with ProviderServer(api) as server:
        assert (await make(server.base_url).search(WebSearchRequest(query="deep\ud800sea"))).sources
        (call,) = server.calls
        assert "deep?sea" in f"{call.params} {call.body}"


@pytest.mark.parametrize("name", ["SEARXNG_BASE_URL", "DEEPSEEK_SEARCH_BASE_URL"])
def test_a_wrong_address_in_the_environment_is_named(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ConfigError, match=f"{name} must be an http"):
        usual_providers({name: "localhost:8080"})
    monkeypatch.setenv(name, "localhost:8080")
    kind = SearxngSearch if name.startswith("SEARXNG") else DeepSeekSearch
    with pytest.raises(ConfigError, match=f"{name} must be an http"):
        kind()
    assert kind(base_url="https://example.org").base_url == "https://example.org"


def test_ended_event_loops_are_let_go() -> None:
    with ProviderServer("exa") as server:
        provider = ExaSearch(api_key="k", base_url=server.base_url, max_concurrency=1)

        async def two() -> None:
            await asyncio.gather(provider.search(REQUEST), provider.search(REQUEST))

        for _ in range(3):
            asyncio.run(two())
        assert len(provider._slots) == 1
