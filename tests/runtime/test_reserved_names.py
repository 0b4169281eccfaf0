"""Recorded files are read under their reserved addresses, and nothing else is taken from the store."""

from pathlib import Path

import pytest

from hydra_web.errors import WebError
from hydra_web.indexing import file_url, index_paths
from hydra_web.protocols import CacheableFetchProvider
from hydra_web.runtime import WebRuntime
from hydra_web.store import SqliteStore
from hydra_web.testing import LocalSite
from hydra_web.tools import WebTools
from hydra_web.types import WebFetchRequest


@pytest.fixture
async def page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An indexed file, in the store that the environment names; nothing else is set."""
    for name in ("HYDRA_WEB_SEARCH_PROVIDER", "HYDRA_WEB_FETCH_PROVIDER", "EXA_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    page = tmp_path / "tea.md"
    page.write_text("# Tea\n\nGreen tea is brewed at 80 degrees.\n")
    store = SqliteStore(tmp_path / "store.sqlite")
    await index_paths(store, [page])
    store.close()
    monkeypatch.setenv("HYDRA_WEB_STORE", str(tmp_path / "store.sqlite"))
    return page


async def test_what_a_search_finds_can_be_fetched(page: Path) -> None:
    async with WebTools() as tools:
        found = await tools.call("web_search", {"queries": ["how is tea brewed"]})
        assert found.value is not None
        assert found.value["sources"][0]["url"] == file_url(page)
        for _ in range(2):
            read = await tools.call("web_fetch", {"url": file_url(page)})
            assert "brewed at 80 degrees" in read.text
            assert "fromCache" not in read.meta["details"]


async def test_the_web_keeps_its_cache_and_its_checks(page: Path) -> None:
    async with WebRuntime.from_env() as web:
        provider = web.select_fetch_provider()
        assert isinstance(provider, CacheableFetchProvider)
        assert provider.available()
        assert provider.cache_key("HTTPS://Example.com#x") == "https://example.com/"
        assert provider.cache_key(file_url(page)) is None
        with pytest.raises(WebError) as caught:
            provider.cache_key("http://127.0.0.1/")
        assert caught.value.code == "WEB_BLOCKED_URL"
        with pytest.raises(WebError) as missing:
            await provider.fetch(WebFetchRequest(url="http://local.hydra-web.invalid/none"))
        assert missing.value.code == "WEB_NOT_IN_STORE"


async def test_a_known_page_is_asked_for_again_over_http(page: Path) -> None:
    from hydra_web.net import HttpFetch
    from hydra_web.runtime._reserved_names import ReservedNamesFetch
    from hydra_web.store import LocalFetch

    store = SqliteStore(page.with_name("store.sqlite"))
    with LocalSite({"/a": ("text/plain", b"words")}) as site:
        provider = ReservedNamesFetch(HttpFetch(allowed_origins=[site.origin]), LocalFetch(store))
        request = WebFetchRequest(url=f"{site.origin}/a")
        known = await provider.fetch(request)
        assert (await provider.revalidate(request, known)).body == known.body
    store.close()
