import pytest

from hydra_web.errors import SearchProviderError, WebError
from hydra_web.protocols import WebFetchProvider, WebSearchProvider
from hydra_web.runtime import WebRuntime
from hydra_web.signals import AbortSignal
from hydra_web.testing.fakes import FakeFetchProvider, FakeSearchProvider
from hydra_web.testing.providers import ProviderReply, ProviderServer
from hydra_web.types import (
    HtmlBody,
    WebFetchRequest,
    WebFetchResult,
    WebSearchRequest,
    WebSearchResult,
    WebSearchSource,
)

SOURCE = WebSearchSource(url="https://example.org/")


async def test_a_fake_search_finds_what_it_is_told_to() -> None:
    fake = FakeSearchProvider([SOURCE])
    assert isinstance(fake, WebSearchProvider)
    web = WebRuntime()
    web.register_search_provider(fake)
    signal = AbortSignal()
    result = await web.search(WebSearchRequest(query="one"), signal)
    assert (result.sources, fake.requests[0].query, fake.signals) == ((SOURCE,), "one", [signal])
    fake.usable = False
    with pytest.raises(WebError):
        await web.search(WebSearchRequest(query="two"))


async def test_a_fake_search_answers_by_the_request() -> None:
    whole = WebSearchResult(sources=(), truncated=True)
    fake = FakeSearchProvider(
        lambda request: whole if request.query == "whole" else SearchProviderError("fake", "TIMEOUT")
    )
    assert await fake.search(WebSearchRequest(query="whole")) is whole
    with pytest.raises(SearchProviderError):
        await fake.search(WebSearchRequest(query="else"))


async def test_a_fake_fetch_serves_its_pages() -> None:
    whole = WebFetchResult(url="https://e.org/w", status_code=203, body=HtmlBody(content="w"), truncated=False)
    fake = FakeFetchProvider(
        {
            "https://e.org/text": "plain",
            "https://e.org/html": HtmlBody(content="<p>x"),
            "https://e.org/w": whole,
            "https://e.org/bad": WebError("no", "WEB_FETCH_TIMEOUT"),
        }
    )
    assert isinstance(fake, WebFetchProvider)
    assert fake.available()

    async def fetch(path: str) -> WebFetchResult:
        return await fake.fetch(WebFetchRequest(url=f"https://e.org/{path}"))

    text = (await fetch("text")).body
    assert (text.kind, (await fetch("html")).body.kind, await fetch("w")) == ("text", "html", whole)
    assert (await fetch("missing")).status_code == 404
    with pytest.raises(WebError):
        await fetch("bad")
    assert len(fake.requests) == 5


async def test_a_provider_server_runs_inside_its_block_only() -> None:
    server = ProviderServer("exa")
    with pytest.raises(RuntimeError, match="inside its with block"):
        _ = server.base_url
    async with server:
        assert server.base_url.startswith("http://127.0.0.1:")
    assert ProviderReply(body={"a": 1}).payload() == b'{"a": 1}'
