"""`WebRuntime.from_env`: the usual providers, as the environment asks for them."""

import logging
import sys
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from hydra_web.errors import ConfigError, WebError
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
        module("hydra_web.providers", WikipediaSearch=lambda settings: Search("wikipedia"), usual_providers=keyed),
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
    assert stores == []
    assert caplog.text == ""


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


async def test_a_store_that_is_not_there_is_named(
    stores: list[Store], monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, tmp_path: Path
) -> None:
    monkeypatch.setenv("HYDRA_WEB_STORE", str(tmp_path / "missing.sqlite"))
    assert await searched(WebRuntime.from_env()) == "wikipedia"
    assert "HYDRA_WEB_STORE names no file" in caplog.text
    assert "missing.sqlite" in caplog.text
    assert stores == []


async def test_a_store_without_pages_is_named(
    stores: list[Store], store: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(Store, "pages", lambda store: [])
    web = WebRuntime.from_env()
    assert await searched(web) == "wikipedia"
    assert "pages.sqlite' holds no page yet" in caplog.text
    await web.aclose()
    assert stores[0].closed == 1


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
