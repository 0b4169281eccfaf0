"""Every provider and mode, made for a loopback address and keyed with the canary."""

from collections.abc import Callable
from typing import Any

import pytest

from hydra_web.providers import (
    BraveSearch,
    CustomSearch,
    DeepSeekSearch,
    ExaSearch,
    JinaSearch,
    PerplexitySearch,
    SearchApi,
    SearxngSearch,
    SerperSearch,
    TavilySearch,
    WikipediaSearch,
)

KINDS: dict[str, tuple[type[SearchApi], dict[str, Any]]] = {
    "brave": (BraveSearch, {}),
    "custom": (CustomSearch, {}),
    "deepseek-official": (DeepSeekSearch, {}),
    "deepseek-search": (DeepSeekSearch, {"mode": "search"}),
    "exa": (ExaSearch, {}),
    "jina": (JinaSearch, {}),
    "perplexity": (PerplexitySearch, {}),
    "perplexity-search": (PerplexitySearch, {"mode": "search"}),
    "searxng": (SearxngSearch, {}),
    "serper": (SerperSearch, {}),
    "tavily": (TavilySearch, {}),
    "wikipedia": (WikipediaSearch, {}),
}


@pytest.fixture(params=sorted(KINDS))
def api(request: pytest.FixtureRequest) -> str:
    """The name of each provider and mode."""
    return str(request.param)


@pytest.fixture
def make(api: str) -> Callable[..., SearchApi]:
    """Makes the provider for a base URL."""
    kind, options = KINDS[api]

    def factory(base_url: str, **more: Any) -> SearchApi:
        from hydra_web.testing.contract import CANARY

        arguments: dict[str, Any] = {"base_url": base_url, "api_key": CANARY, **options, **more}
        return kind(**arguments)

    return factory
