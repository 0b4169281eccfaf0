"""The runtime: registries, configuration, selection, results and closing."""

import functools
import logging
from typing import Any
from unittest.mock import AsyncMock

import pytest

from hydra_web.errors import ConfigError, SearchProviderError, WebError
from hydra_web.protocols import WebFetchProvider, WebSearchProvider
from hydra_web.runtime import WebRuntime
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
PAGE = WebFetchRequest(url="https://example.com/")


def result_of(*urls: str, **fields: Any) -> WebSearchResult:
    return WebSearchResult(sources=tuple(WebSearchSource(url=url) for url in urls), truncated=False, **fields)


class Search:
    """A search provider that gives a result."""

    def __init__(self, id: str, answer: WebSearchResult | None = None, usable: bool = True) -> None:  # noqa: A002
        self.id = id
        self.answer = result_of(f"https://{id}.example/") if answer is None else answer
        self.usable = usable
        self.calls: list[tuple[WebSearchRequest, AbortSignal | None]] = []
        self.closed = 0

    def available(self) -> bool:
        return self.usable

    async def search(self, request: WebSearchRequest, signal: AbortSignal | None = None) -> WebSearchResult:
        self.calls.append((request, signal))
        return self.answer

    def close(self) -> None:
        self.closed += 1


class Fetch:
    def __init__(self, id: str) -> None:  # noqa: A002
        self.id = id
        self.closed = 0

    def available(self) -> bool:
        return True

    async def fetch(self, request: WebFetchRequest, signal: AbortSignal | None = None) -> WebFetchResult:
        return WebFetchResult(url=request.url, status_code=200, body=TextBody(content=self.id), truncated=False)

    async def aclose(self) -> None:
        self.closed += 1


def runtime(*providers: Search | Fetch, **options: Any) -> WebRuntime:
    web = WebRuntime(**options)
    for provider in providers:
        if isinstance(provider, Search):
            web.register_search_provider(provider)
        else:
            web.register_fetch_provider(provider)
    return web


async def search_error(web: WebRuntime, request: WebSearchRequest = REQUEST, **options: Any) -> WebError:
    with pytest.raises(WebError) as caught:
        await web.search(request, **options)
    assert caught.value.__context__ is None
    assert caught.value.__cause__ is None
    return caught.value


# Registries


async def test_disposing_takes_a_search_provider_out_again() -> None:
    web = WebRuntime()
    dispose = web.register_search_provider(Search("a"))
    assert (await web.search(REQUEST)).sources[0].url == "https://a.example/"
    dispose()
    dispose()
    assert (await search_error(web)).code == "WEB_PROVIDER_UNAVAILABLE"


async def test_leaving_the_block_of_a_registration_undoes_it() -> None:
    web = WebRuntime()
    with web.register_search_provider(Search("a")), web.register_fetch_provider(Fetch("a")):
        await web.search(REQUEST)
        await web.fetch(PAGE)
    assert (await search_error(web)).code == "WEB_PROVIDER_UNAVAILABLE"


async def test_a_stale_disposer_leaves_a_newer_provider_alone() -> None:
    web = WebRuntime()
    stale = web.register_search_provider(Search("a"))
    await web.aclose()
    web.register_search_provider(Search("a"))
    stale()
    assert (await web.search(REQUEST)).sources[0].url == "https://a.example/"


def test_an_id_can_be_taken_once_among_search_providers() -> None:
    web = runtime(Search("a"))
    with pytest.raises(WebError, match=r'^a web provider with id "a" is already registered$') as caught:
        web.register_search_provider(Search("a"))
    assert (caught.value.code, caught.value.name) == ("WEB_DUPLICATE_PROVIDER", "WebError")


def test_an_id_can_be_taken_once_among_fetch_providers() -> None:
    web = runtime(Fetch("a"))
    with pytest.raises(WebError, match=r'^a web provider with id "a" is already registered$'):
        web.register_fetch_provider(Fetch("a"))


async def test_search_and_fetch_ids_are_apart() -> None:
    web = runtime(Search("a"), Fetch("a"))
    assert (await web.search(REQUEST)).sources[0].url == "https://a.example/"
    assert (await web.fetch(PAGE)).body == TextBody(content="a")


@pytest.mark.parametrize("provider_id", ["", " ", 7, None])
def test_a_provider_needs_an_id(provider_id: Any) -> None:
    with pytest.raises(ConfigError, match="the id of a search provider must be non-empty text"):
        WebRuntime().register_search_provider(Search(provider_id))


def test_a_provider_is_an_instance() -> None:
    with pytest.raises(ConfigError, match=r"must be an instance, not the class Search; give Search\(...\)"):
        WebRuntime().register_search_provider(Search)  # type: ignore[arg-type]
    with pytest.raises(ConfigError, match="a fetch provider must be an instance"):
        WebRuntime().register_fetch_provider(Fetch)  # type: ignore[arg-type]


class Shaped:
    """A provider whose `search` and `fetch` are what they are made to be."""

    id = "shaped"

    def __init__(self, method: Any) -> None:
        self.search = self.fetch = method

    def available(self) -> bool:
        return True


def _plain(request: object, signal: object = None) -> None: ...


async def _no_signal(request: object) -> None: ...


async def _no_arguments() -> None: ...


async def _fits(request: object, signal: object = None, *, extra: int = 0) -> None: ...


@functools.wraps(_fits)
def _wrapped(*arguments: Any) -> Any:
    return _fits(*arguments)


class _Callable:
    async def __call__(self, request: object, signal: object) -> None: ...


@pytest.mark.parametrize(
    ("method", "words"),
    [
        (_plain, "must be a coroutine function: async def"),
        (lambda request, signal: None, "must be a coroutine function: async def"),
        (_no_signal, "must accept two arguments: request and signal"),
        (_no_arguments, "must accept two arguments: request and signal"),
    ],
)
def test_a_method_that_cannot_work_is_refused_at_once(method: Any, words: str) -> None:
    web = WebRuntime()
    with pytest.raises(ConfigError, match=f"Shaped.search {words}"):
        web.register_search_provider(Shaped(method))
    with pytest.raises(ConfigError, match=f"Shaped.fetch {words}"):
        web.register_fetch_provider(Shaped(method))


@pytest.mark.parametrize("method", [_fits, _wrapped, functools.partial(_fits, extra=1), _Callable(), type, AsyncMock()])
def test_a_method_that_may_work_is_accepted(method: Any) -> None:
    WebRuntime().register_search_provider(Shaped(method))
    WebRuntime().register_fetch_provider(Shaped(method))


def test_a_provider_needs_all_its_members() -> None:
    with pytest.raises(ConfigError, match=r"a search provider needs id, available and search; Fetch has not all"):
        WebRuntime().register_search_provider(Fetch("a"))  # type: ignore[arg-type]
    with pytest.raises(ConfigError, match=r"a fetch provider needs id, available and fetch; Search has not all"):
        WebRuntime().register_fetch_provider(Search("a"))  # type: ignore[arg-type]


# Configuration


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"search_provider": 3}, "search_provider must be a provider id, not 3"),
        ({"fetch_provider": b"a"}, "fetch_provider must be a provider id, not b'a'"),
        ({"search_provider": "a", "search_fallback_providers": "bc"}, "must be a list of provider ids, not 'bc'"),
        ({"search_provider": "a", "search_fallback_providers": [1]}, r"must be a list of provider ids, not \[1\]"),
        ({"require_search_selection": 1}, "require_search_selection must be True or False, not 1"),
        ({"settings": {}}, "settings must be WebSearchSettings or a SettingsSource, not dict"),
    ],
)
def test_wrong_configuration_is_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        WebRuntime(**options)


def test_fallbacks_need_a_primary() -> None:
    with pytest.raises(WebError, match=r"^searchFallbackProviders requires an explicit searchProvider$") as caught:
        WebRuntime(search_fallback_providers=["b"])
    assert caught.value.code == "WEB_PROVIDER_CONFIGURED_MISSING"


@pytest.mark.parametrize("fallbacks", [["a"], ["b", "b"], [""], [" "]], ids=["primary", "twice", "empty", "blank"])
def test_fallbacks_are_distinct_from_the_primary_and_each_other(fallbacks: list[str]) -> None:
    with pytest.raises(WebError, match="must contain distinct non-empty provider ids excluding the primary") as caught:
        WebRuntime("a", search_fallback_providers=fallbacks)
    assert caught.value.code == "WEB_DUPLICATE_PROVIDER"


async def test_the_environment_chooses_where_the_arguments_do_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HYDRA_WEB_SEARCH_PROVIDER", "b")
    monkeypatch.setenv("HYDRA_WEB_FETCH_PROVIDER", "d")
    web = runtime(Search("a"), Search("b"), Fetch("c"), Fetch("d"))
    other = runtime(Search("a"), Search("b"), search_provider="a")
    monkeypatch.delenv("HYDRA_WEB_SEARCH_PROVIDER")
    assert (web.search_provider_id, web.fetch_provider_id, other.search_provider_id) == ("b", "d", "a")
    assert (await web.search(REQUEST)).sources[0].url == "https://b.example/"
    assert (await web.fetch(PAGE)).body == TextBody(content="d")
    assert (await other.search(REQUEST)).sources[0].url == "https://a.example/"


def test_an_empty_variable_chooses_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HYDRA_WEB_SEARCH_PROVIDER", " ")
    assert WebRuntime().search_provider_id is None


# Selection


async def test_nothing_registered() -> None:
    error = await search_error(WebRuntime())
    assert (error.code, str(error)) == ("WEB_PROVIDER_UNAVAILABLE", "no usable web provider is registered")


async def test_none_usable() -> None:
    assert (await search_error(runtime(Search("a", usable=False)))).code == "WEB_PROVIDER_UNAVAILABLE"


async def test_chosen_but_not_registered() -> None:
    error = await search_error(runtime(Search("a"), search_provider="b"))
    assert error.code == "WEB_PROVIDER_CONFIGURED_MISSING"
    assert str(error) == 'configured web provider "b" is not registered'


async def test_chosen_but_unusable() -> None:
    error = await search_error(runtime(Search("a", usable=False), Search("b"), search_provider="a"))
    assert error.code == "WEB_PROVIDER_CONFIGURED_UNAVAILABLE"
    assert str(error) == 'configured web provider "a" is registered but unavailable'


async def test_two_usable_and_none_chosen() -> None:
    error = await search_error(runtime(Search("b"), Search("a")))
    assert error.code == "WEB_PROVIDER_AMBIGUOUS"
    assert str(error) == "multiple usable web providers are registered (b, a); configure one explicitly"


async def test_the_chosen_one_runs_though_another_could() -> None:
    chosen, other = Search("a"), Search("b")
    await runtime(other, chosen, search_provider="a").search(REQUEST)
    assert (len(chosen.calls), len(other.calls)) == (1, 0)


@pytest.mark.parametrize("reverse", [False, True])
async def test_unusable_ones_are_ignored_in_either_order(reverse: bool) -> None:
    providers = [Search("off", usable=False), Search("on")]
    web = runtime(*(providers[::-1] if reverse else providers))
    assert (await web.search(REQUEST)).sources[0].url == "https://on.example/"


async def test_one_whose_availability_fails_is_unusable(caplog: pytest.LogCaptureFixture) -> None:
    broken = Search("broken")
    broken.available = lambda: 1 / 0  # type: ignore[method-assign,assignment,return-value]
    assert (await search_error(runtime(broken))).code == "WEB_PROVIDER_UNAVAILABLE"
    assert "ZeroDivisionError: (message left out)" in caplog.text


async def test_fetch_is_selected_apart_from_search() -> None:
    web = runtime(Search("a"), Search("b"), Fetch("c"))
    assert (await web.fetch(PAGE)).body == TextBody(content="c")
    assert web.select_fetch_provider().id == "c"


async def test_fetch_without_a_provider() -> None:
    with pytest.raises(WebError, match="no usable web provider is registered") as caught:
        await runtime(Search("a")).fetch(PAGE)
    assert caught.value.code == "WEB_PROVIDER_UNAVAILABLE"


# Results


async def test_the_providers_result_is_returned_as_it_is() -> None:
    answer = result_of("https://a.example/", "https://a.example/#x", content="Cats purr.", status_code=200)
    assert await runtime(Search("a", answer)).search(REQUEST) is answer


@pytest.mark.parametrize(("limit", "kept", "truncated"), [(2, 2, True), (3, 3, False), (8, 3, False), (None, 3, False)])
async def test_sources_are_capped(limit: int | None, kept: int, truncated: bool) -> None:
    web = runtime(Search("a", result_of("https://1.example/", "https://2.example/", "https://3.example/")))
    result = await web.search(WebSearchRequest(query="cats", max_results=limit))
    assert (len(result.sources), result.truncated) == (kept, truncated)


# Closing


async def test_leaving_the_runtime_closes_each_provider_once(caplog: pytest.LogCaptureFixture) -> None:
    class Both(Search, Fetch):
        def __init__(self) -> None:
            super().__init__("both")

    class Broken(Search):
        def close(self) -> None:
            raise OSError("secret")

    both, search, fetch = Both(), Search("search"), Fetch("fetch")
    async with runtime(Broken("broken"), search, fetch) as web:
        web.register_search_provider(both)
        web.register_fetch_provider(both)
    await web.aclose()
    assert (both.closed, search.closed, fetch.closed) == (1, 1, 1)
    assert "OSError: (message left out)" in caplog.text
    assert "secret" not in caplog.text
    assert (await search_error(web)).code == "WEB_PROVIDER_UNAVAILABLE"


def test_a_runtime_is_a_plain_context_manager_too() -> None:
    class Plain:
        id = "plain"

        def available(self) -> bool:
            return True

        async def fetch(self, request: WebFetchRequest, signal: AbortSignal | None = None) -> WebFetchResult:
            raise AssertionError

    search = Search("a")
    with runtime(search) as web:
        web.register_fetch_provider(Plain())
    assert search.closed == 1


# The synchronous form


def test_the_synchronous_form_does_the_same() -> None:
    search, fetch = Search("a"), Fetch("b")
    web = runtime(search, fetch)
    assert web.sync.search(REQUEST).sources[0].url == "https://a.example/"
    assert web.sync.fetch(PAGE, AbortSignal()).body == TextBody(content="b")
    assert web.sync.test_search_provider("a").provider == "a"
    with pytest.raises(SearchProviderError):
        web.sync.test_search_provider("c")
    web.sync.close()
    assert (search.closed, fetch.closed) == (1, 1)


async def test_the_synchronous_form_works_inside_a_running_loop() -> None:
    assert runtime(Search("a")).sync.search(REQUEST).sources[0].url == "https://a.example/"


def test_providers_satisfy_the_protocols() -> None:
    assert isinstance(Search("a"), WebSearchProvider)
    assert isinstance(Fetch("a"), WebFetchProvider)


def test_a_search_without_handlers_stays_silent(capsys: pytest.CaptureFixture[str]) -> None:
    logging.getLogger("web-search").info("nothing")
    runtime(Search("a")).sync.test_search_provider("a")
    assert capsys.readouterr() == ("", "")
