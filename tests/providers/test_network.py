"""Real searches with real keys. Deselected by default; each skips itself without its key."""

import os
from typing import Any

import pytest

from hydra_web.providers import BraveSearch, ExaSearch, PerplexitySearch, SearchApi, SerperSearch, TavilySearch
from hydra_web.types import WebSearchRequest
from hydra_web.urls import is_http_url

pytestmark = pytest.mark.network


@pytest.mark.parametrize("kind", [ExaSearch, PerplexitySearch, SerperSearch, TavilySearch, BraveSearch])
async def test_a_live_search_finds_pages(kind: type[SearchApi]) -> None:
    key = next((os.environ[name] for name in kind.credential_names if os.environ.get(name)), None)
    if key is None:
        pytest.skip(f"needs {kind.credential_names[0]}")
    address = os.environ.get(f"{kind.id.upper()}_BASE_URL") or kind.usual_base_url
    model = os.environ.get("PERPLEXITY_MODEL") if kind is PerplexitySearch else None
    options: dict[str, Any] = {"model": model} if model else {}
    result = await kind(api_key=key, base_url=address, **options).search(
        WebSearchRequest(query="Python asyncio", max_results=5)
    )
    assert result.sources
    assert all(is_http_url(source.url) for source in result.sources)
    assert kind is not PerplexitySearch or result.content
