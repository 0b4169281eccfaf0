"""`WebRuntime.from_env`: the usual providers, as the environment asks for them."""

import logging
import sys
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from hydra_web.errors import ConfigError, WebError
from hydra_web.providers import PROVIDER_CLASSES
from hydra_web.runtime import WebRuntime
from hydra_web.settings import SEARCH_NAMESPACE, MemorySettings
from hydra_web.signals import AbortSignal
from hydra_web.types import (
    TextBody,
    WebFetchRequest,
    WebFetchResult,
    WebSearchRequest,
    WebSearchResult,
    WebSearchSource,
)

REQUEST = WebSearchRequest(query="cats")


class Search:
    def __init__(self, id: str, usable: bool = True) -> None:  # noqa: A002
        self.id, self.usable = id, usable

    def available(self) -> bool:
        return self.usable

    async def search(self, request: WebSearchRequest, signal: AbortSignal | None = None) -> WebSearchResult:
        return WebSearchResult(sources=(WebSearchSource(url=f"https://{self.id}.example/"),), truncated=False)


class Fetch:
    def __init__(self, id: str, **options: Any) -> None:  # noqa: A002
        self.id, self.options = id, options

    def available(self) -> bool:
        return True

    async def fetch(self, request: WebFetchRequest, signal: AbortSignal | None = None) -> WebFetchResult:
        return WebFetchResult(url=request.url, status_code=200, body=TextBody(content=self.id), truncated=False)


def module(name: str, **members: Any) -> ModuleType:
    made = ModuleType(name)
    vars(made).update(members)
    return made


class Store:
    def __init__(self, path: Path) -> None:
        self.path, self.closed = path, 0

    def pages(self) -> list[str]:
        return self.path.read_text().split()

    def close(self) -> None:
        self.closed += 1


@pytest.fixture
def stores(monkeypatch: pytest.MonkeyPatch) -> list[Store]:
    """Stand-ins for everything that reaches out; gives the stores that were opened."""
    opened: list[Store] = []

    def keyed(environ: Mapping[str, str], settings: object) -> list[Search]:
        names = ("exa", "serper", "off")
        return [Search(name, usable=name != "off") for name in names if f"{name.upper()}_KEY" in environ]

    def open_store(path: Path) -> Store:
        opened.append(Store(path))
        return opened[-1]

    for made in (
        module("hydra_web.net", HttpFetch=lambda **options: Fetch("http", **options)),
        module(
            "hydra_web.providers",
            WikipediaSearch=lambda settings: Search("wikipedia"),
            usual_providers=keyed,
            PROVIDER_CLASSES=PROVIDER_CLASSES,
        ),
        module(
            "hydra_web.store",
            SqliteStore=open_store,
            LocalSearch=lambda store: Search("local"),
            LocalFetch=lambda store: Fetch("local"),
        ),
    ):
        monkeypatch.setitem(sys.modules, made.__name__, made)
    for name in ("HYDRA_WEB_SEARCH_PROVIDER", "HYDRA_WEB_FETCH_PROVIDER", "HYDRA_WEB_STORE"):
        monkeypatch.delenv(name, raising=False)
    return opened


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "pages.sqlite"
    path.write_text("page")
    monkeypatch.setenv("HYDRA_WEB_STORE", str(path))
    return path


async def searched(web: WebRuntime) -> str:
    try:
        return (await web.search(REQUEST)).sources[0].url.removeprefix("https://").removesuffix(".example/")
    except WebError as error:
        return error.code


async def fetched(web: WebRuntime) -> object:
    return (await web.fetch(WebFetchRequest(url="https://example.com"))).body


async def test_pages_come_over_http_with_more_time_than_a_tool_call_has(stores: list[Store]) -> None:
    web = WebRuntime.from_env()
    assert await fetched(web) == TextBody(content="http")
    assert vars(web.select_fetch_provider())["options"] == {"timeout_ms": 45_000}


async def test_wikipedia_when_there_is_no_key_and_no_store(stores: list[Store]) -> None:
    assert await searched(WebRuntime.from_env()) == "wikipedia"


async def test_the_store_when_there_is_no_key(stores: list[Store], store: Path) -> None:
    web = WebRuntime.from_env()
    assert (await searched(web), await fetched(web)) == ("local", TextBody(content="http"))
    assert [opened.path for opened in stores] == [store]
    await web.aclose()
    await web.aclose()
    assert stores[0].closed == 1


async def test_a_key_comes_before_the_store(
    stores: list[Store], store: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("EXA_KEY", "k")
    assert await searched(WebRuntime.from_env()) == "exa"
    assert caplog.text == ""


@pytest.mark.parametrize(
    ("url", "place"),
    [
        ("http://local.hydra-web.invalid/home/me/a.md", "local"),
        ("https://LOCAL.Hydra-Web.INVALID:8443/x?y#z", "local"),
        ("http://invalid/", "local"),
        ("https://example.com/local.hydra-web.invalid/", "http"),
        ("https://invalid.example/", "http"),
        ("https://notinvalid/", "http"),
        ("http://x.invalid@example.com/", "http"),
        ("http://x.invalid./", "http"),
        ("ftp://x.invalid/", "http"),
        ("not a url", "http"),
    ],
)
async def test_only_names_that_can_never_be_on_the_web_come_from_the_store(
    url: str, place: str, stores: list[Store], store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for key in ("", "k"):
        if key:
            monkeypatch.setenv("EXA_KEY", key)
        web = WebRuntime.from_env()
        assert web.select_fetch_provider().id == "http"
        assert (await web.fetch(WebFetchRequest(url=url))).body == TextBody(content=place)


@pytest.mark.parametrize("chosen", ["exa", "serper", "local", "wikipedia"])
async def test_whatever_there_is_can_be_chosen(
    chosen: str, stores: list[Store], store: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("EXA_KEY", "k")
    monkeypatch.setenv("SERPER_KEY", "k")
    assert await searched(WebRuntime.from_env(search_provider=chosen)) == chosen
    monkeypatch.setenv("HYDRA_WEB_SEARCH_PROVIDER", chosen)
    assert await searched(WebRuntime.from_env()) == chosen
    settings = MemorySettings({SEARCH_NAMESPACE: {"provider": chosen}})
    assert await searched(WebRuntime.from_env(require_search_selection=True, settings=settings)) == chosen
    assert caplog.text == ""


async def test_two_keys_and_no_choice_warn_with_the_line_to_set(
    stores: list[Store], monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    for key in ("EXA_KEY", "SERPER_KEY", "OFF_KEY"):
        monkeypatch.setenv(key, "k")
    assert await searched(WebRuntime.from_env()) == "WEB_PROVIDER_AMBIGUOUS"
    (record,) = caplog.records
    assert record.levelno == logging.WARNING
    assert "(exa, serper)" in record.getMessage()
    assert record.getMessage().endswith("HYDRA_WEB_SEARCH_PROVIDER=exa")


@pytest.mark.parametrize("key", ["", "k"])
async def test_local_pages_only_when_chosen(
    key: str, stores: list[Store], store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if key:
        monkeypatch.setenv("EXA_KEY", key)
    web = WebRuntime.from_env(fetch_provider="local")
    assert (await searched(web), await fetched(web)) == ("exa" if key else "local", TextBody(content="local"))


async def test_local_pages_without_a_store(stores: list[Store]) -> None:
    with pytest.raises(WebError, match='configured web provider "local" is not registered'):
        await fetched(WebRuntime.from_env(fetch_provider="local"))


@pytest.mark.parametrize("key", ["", "k"])
@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("missing.sqlite", "names no file: '.*missing.sqlite'"),
        ("", "names a folder, not a store's file: '.*'"),
        ("~nobody-by-this-name/pages", "names no file: '.*~nobody-by-this-name/pages'"),
    ],
)
def test_a_store_that_is_not_there_is_refused_with_what_to_run(
    name: str, words: str, key: str, stores: list[Store], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    if key:
        monkeypatch.setenv("EXA_KEY", key)
    monkeypatch.setenv("HYDRA_WEB_STORE", name if name.startswith("~") else str(tmp_path / name))
    with pytest.raises(ConfigError, match=f"HYDRA_WEB_STORE {words}. Fill a store with: hydra-web index add PATH"):
        WebRuntime.from_env()
    assert stores == []


async def test_a_store_in_the_home_folder_is_found(
    stores: list[Store], store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(store.parent))
    monkeypatch.setenv("USERPROFILE", str(store.parent))
    monkeypatch.setenv("HYDRA_WEB_STORE", f"~/{store.name}")
    assert await searched(WebRuntime.from_env()) == "local"


@pytest.mark.parametrize("options", [{}, {"search_provider": "local"}, {"fetch_provider": "local"}])
def test_a_store_without_pages_is_refused_where_it_would_be_used(
    options: Any, stores: list[Store], store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Store, "pages", lambda store: [])
    with pytest.raises(ConfigError, match=r"holds no page: '.*pages.sqlite'. Fill a store with"):
        WebRuntime.from_env(**options)
    assert stores[0].closed == 1


async def test_a_store_without_pages_is_no_matter_where_another_searches(
    stores: list[Store], store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Store, "pages", lambda store: [])
    assert await searched(WebRuntime.from_env(search_provider="wikipedia")) == "wikipedia"


async def test_the_tools_give_a_wrong_store_as_an_error(
    stores: list[Store], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    from hydra_web.tools import WebTools

    monkeypatch.setenv("HYDRA_WEB_STORE", str(tmp_path / "missing.sqlite"))
    tools = WebTools()
    outcomes = [
        await tools.call("web_search", {"queries": ["tea"]}),
        await tools.call("web_fetch", {"url": "https://example.com"}),
        await tools.web_search("tea"),
        await tools.web_fetch("https://example.com"),
    ]
    assert all("Error: HYDRA_WEB_STORE names no file" in outcome.text for outcome in outcomes)
    assert {outcome.error and outcome.error.code for outcome in outcomes} == {"WEB_INVALID_CONFIG"}


@pytest.mark.parametrize(
    ("chosen", "words"),
    [
        ("exa", "the search provider exa is chosen and not ready: it needs EXA_API_KEY"),
        ("searxng", "it needs SEARXNG_BASE_URL"),
        ("brave", "it needs BRAVE_API_KEY or BRAVE_SEARCH_API_KEY"),
        ("custom", "it needs the setting web-search-custom.endpoint"),
        ("local", "it needs HYDRA_WEB_STORE"),
        (
            "altavista",
            "HYDRA_WEB_SEARCH_PROVIDER names 'altavista', which does not come with hydra-web; there are: ",
        ),
    ],
)
def test_a_chosen_provider_that_is_not_there_is_said_once(
    chosen: str,
    words: str,
    stores: list[Store],
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setenv("HYDRA_WEB_SEARCH_PROVIDER", chosen)
    WebRuntime.from_env()
    (record,) = caplog.records
    assert record.levelno == logging.WARNING
    assert words in record.getMessage()


def test_a_provider_that_code_chooses_may_be_registered_later(
    stores: list[Store], caplog: pytest.LogCaptureFixture
) -> None:
    WebRuntime.from_env(search_provider="mine")
    assert caplog.text == ""


def test_wrong_overrides_are_refused(stores: list[Store]) -> None:
    with pytest.raises(ConfigError, match="search_provider must be a provider id"):
        WebRuntime.from_env(search_provider=1)  # type: ignore[arg-type]


def test_a_subclass_makes_itself(stores: list[Store]) -> None:
    class Mine(WebRuntime):
        pass

    assert isinstance(Mine.from_env(), Mine)


def test_providers_get_the_saved_settings(stores: list[Store], monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[object] = []

    def keyed(environ: Mapping[str, str], settings: object) -> list[Search]:
        given.append(settings)
        return []

    monkeypatch.setattr(sys.modules["hydra_web.providers"], "usual_providers", keyed)
    settings = MemorySettings()
    assert WebRuntime.from_env(settings=settings).settings is settings
    WebRuntime.from_env()
    assert given == [settings, None]
