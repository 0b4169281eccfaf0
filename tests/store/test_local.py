"""The local providers: recorded pages, no network, every shortfall said."""

import os
import threading
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest

from hydra_web.errors import ConfigError, SearchProviderError, WebError
from hydra_web.protocols import WebFetchProvider, WebSearchProvider
from hydra_web.signals import AbortSignal
from hydra_web.store import IndexedPage, LocalFetch, LocalSearch, SqliteStore
from hydra_web.types import HtmlBody, TextBody, WebFetchRequest, WebSearchRequest

MakePage = Callable[..., IndexedPage]


@pytest.fixture
def filled(sqlite: SqliteStore, make_page: MakePage) -> SqliteStore:
    now = datetime.now(UTC)
    sqlite.add_page(make_page("http://t.example/a", "all about tea", "Tea", published_at=now.isoformat()))
    old = (now - timedelta(days=20)).isoformat()
    sqlite.add_page(
        make_page("http://t.example/b", "more tea", kind="html", content="<p>more tea</p>", modified_at=old)
    )
    sqlite.add_page(make_page("http://t.example/c", "undated tea"))
    return sqlite


@pytest.mark.parametrize("provider", [LocalSearch, LocalFetch])
def test_a_path_is_no_store(provider: Callable[..., object]) -> None:
    with pytest.raises(ConfigError, match="store must be a SqliteStore, not str"):
        provider("pages.sqlite3")


def test_they_are_providers(filled: SqliteStore) -> None:
    search, fetch = LocalSearch(filled), LocalFetch(filled)
    assert isinstance(search, WebSearchProvider)
    assert isinstance(fetch, WebFetchProvider)
    assert search.id == fetch.id == search.descriptor.id == "local"
    assert search.available()
    assert fetch.available()
    assert search.descriptor.capabilities.supports("web")
    assert not search.descriptor.capabilities.supports("news")


async def test_a_search_gives_sources_best_first(filled: SqliteStore) -> None:
    result = await LocalSearch(filled).search(WebSearchRequest(query="tea"))
    assert result.sources[0].title == "Tea"
    assert [source.position for source in result.sources] == [1, 2, 3]
    assert {source.provider for source in result.sources} == {"local"}
    assert result.sources[0].published_at is not None
    assert all(source.published_at is None for source in result.sources[1:])
    assert (result.provider, result.query, result.truncated, result.notices) == ("local", "tea", False, ())


async def test_the_number_of_results_is_kept(filled: SqliteStore) -> None:
    assert len((await LocalSearch(filled).search(WebSearchRequest(query="tea", max_results=2))).sources) == 2


async def test_what_is_not_supported_is_said(filled: SqliteStore) -> None:
    result = await LocalSearch(filled).search(WebSearchRequest(query="tea", country="vn", language="vi"))
    assert result.notices == ('country "vn" is not supported by local', 'language "vi" is not supported by local')


@pytest.mark.parametrize(
    ("date", "count"),
    [("day", 1), ("week", 1), ("month", 2), ("year", 2), ("2000-01-01/..", 2), ("../2001-01-01", 0)],
)
async def test_dates_are_honoured_and_undated_pages_reported(filled: SqliteStore, date: str, count: int) -> None:
    result = await LocalSearch(filled).search(WebSearchRequest(query="tea", date=date))
    assert len(result.sources) == count
    assert result.notices == ("pages without a date were left out by local",)


async def test_a_page_is_served_by_its_url_whatever_the_fragment(filled: SqliteStore) -> None:
    fetch = LocalFetch(filled)
    result = await fetch.fetch(WebFetchRequest(url="HTTP://T.example:80/b#part"))
    assert result.url == "http://t.example/b"
    assert result.status_code == 200
    assert result.body == HtmlBody(content="<p>more tea</p>")
    assert result.meta["fetchedAt"] == "2026-01-02T03:04:05+00:00"
    assert result.meta["fromStore"] is True
    assert "modifiedAt" in result.meta
    assert (await fetch.fetch(WebFetchRequest(url="http://t.example/c"))).body == TextBody(content="undated tea")


@pytest.mark.parametrize("url", ["http://t.example/none", "http://t.example/a?x", "not a url", ""])
async def test_a_page_that_was_not_recorded_is_a_clear_error(filled: SqliteStore, url: str) -> None:
    with pytest.raises(WebError, match="the page is not in the local store") as caught:
        await LocalFetch(filled).fetch(WebFetchRequest(url=url))
    assert caught.value.code == "WEB_NOT_IN_STORE"


async def test_a_store_that_fails_is_a_provider_error(filled: SqliteStore) -> None:
    filled.close()
    with pytest.raises(SearchProviderError, match="the store was closed") as caught:
        await LocalSearch(filled).search(WebSearchRequest(query="tea"))
    assert caught.value.__context__ is None
    with pytest.raises(WebError) as fetched:
        await LocalFetch(filled).fetch(WebFetchRequest(url="http://t.example/a"))
    assert fetched.value.code == "WEB_STORE_ERROR"


async def test_a_thrown_signal_ends_the_call(filled: SqliteStore) -> None:
    thrown = AbortSignal()
    thrown.abort()
    with pytest.raises(WebError, match="web search aborted") as caught:
        await LocalSearch(filled).search(WebSearchRequest(query="tea"), thrown)
    assert caught.value.code == "WEB_ABORTED"
    with pytest.raises(WebError) as caught:
        await LocalFetch(filled).fetch(WebFetchRequest(url="http://t.example/a"), thrown)
    assert caught.value.code == "WEB_ABORTED"


class _Stuck(SqliteStore):
    """A store whose reads wait until they are let go."""

    def __init__(self, path: str) -> None:
        super().__init__(path)
        self.free = threading.Event()

    def search_pages(self, *arguments: object, **options: object) -> list[object]:  # type: ignore[override]
        self.free.wait()
        return []

    def page(self, url: str) -> None:
        self.free.wait()


async def test_a_time_out_is_told_from_an_abort(tmp_path: os.PathLike[str]) -> None:
    store = _Stuck(f"{os.fspath(tmp_path)}/s")
    try:
        with pytest.raises(SearchProviderError) as searched:
            await LocalSearch(store).search(WebSearchRequest(query="tea"), AbortSignal.timeout(20))
        with pytest.raises(WebError) as fetched:
            await LocalFetch(store).fetch(WebFetchRequest(url="http://t.example/a"), AbortSignal.timeout(20))
    finally:
        store.free.set()
        store.close()
    assert (searched.value.code, fetched.value.code) == ("TIMEOUT", "WEB_FETCH_TIMEOUT")
