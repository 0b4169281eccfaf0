"""The runtime in product mode: the operator's saved preferences decide."""

import asyncio
import logging
import re
from collections.abc import Mapping
from typing import Any

import pytest

from hydra_web.errors import ConfigError, SearchErrorCode, SearchProviderError, WebError
from hydra_web.runtime import WebRuntime
from hydra_web.settings import SEARCH_NAMESPACE, MemorySettings
from hydra_web.signals import AbortSignal, DeadlineReason
from hydra_web.types import (
    WEB_SEARCH_CAPABILITIES,
    WebSearchCapabilities,
    WebSearchProviderDescriptor,
    WebSearchRequest,
    WebSearchResult,
    WebSearchSettings,
    WebSearchSource,
)

REQUEST = WebSearchRequest(query="private words")
LINE = re.compile(r"provider=(\S+) queries=1 duration=\d+ results=(\d+) status=(\S+) retries=0 error=(\S+)")


class Search:
    def __init__(self, id: str = "a", answer: Any = None, usable: bool = True) -> None:  # noqa: A002
        self.id = id
        self.answer = answer
        self.usable = usable
        self.calls: list[tuple[WebSearchRequest, AbortSignal | None]] = []

    def available(self) -> bool:
        return self.usable

    async def search(self, request: WebSearchRequest, signal: AbortSignal | None = None) -> WebSearchResult:
        self.calls.append((request, signal))
        answer = await self.answer() if callable(self.answer) else self.answer
        if isinstance(answer, BaseException):
            raise answer
        return answer if answer is not None else found("https://a.example/")


class Described(Search):
    def __init__(self, id: str = "a", **kinds: bool) -> None:  # noqa: A002
        super().__init__(id)
        self.descriptor = WebSearchProviderDescriptor(
            id=id, display_name=id.title(), capabilities=WebSearchCapabilities(**kinds)
        )


class ReadOnly(MemorySettings):
    @property
    def writable(self) -> bool:
        return False


def found(*urls: str, **fields: Any) -> WebSearchResult:
    return WebSearchResult(sources=tuple(WebSearchSource(url=url) for url in urls), truncated=False, **fields)


def product(*providers: Search, settings: Any = None, **section: Any) -> WebRuntime:
    web = WebRuntime(
        require_search_selection=True,
        settings=settings if settings is not None else MemorySettings({SEARCH_NAMESPACE: section}),
    )
    for provider in providers:
        web.register_search_provider(provider)
    return web


async def failure(web: WebRuntime, request: WebSearchRequest = REQUEST, signal: AbortSignal | None = None) -> WebError:
    with pytest.raises(WebError) as caught:
        await web.search(request, signal)
    assert caught.value.__context__ is None
    return caught.value


@pytest.fixture(autouse=True)
def _no_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HYDRA_WEB_SEARCH_PROVIDER", raising=False)


@pytest.fixture
def lines(caplog: pytest.LogCaptureFixture) -> Any:
    caplog.set_level(logging.INFO, "web-search")

    def read() -> list[tuple[str, ...]]:
        assert "private" not in caplog.text
        records = [record.getMessage() for record in caplog.records if record.name == "web-search"]
        return [match.groups() for record in records if (match := LINE.fullmatch(record))]

    return read


async def test_the_saved_provider_runs_though_others_could() -> None:
    other, saved = Search("b"), Search("a")
    await product(other, saved, provider="a").search(REQUEST)
    assert (len(saved.calls), len(other.calls)) == (1, 0)


async def test_disabled() -> None:
    error = await failure(product(Search(), provider="a", enabled=False))
    assert isinstance(error, SearchProviderError)
    assert (error.provider, error.code) == ("a", "CONFIG_ERROR")
    assert str(error) == "Web Search is disabled in Settings > Web Search."


async def test_nothing_selected() -> None:
    error = await failure(product(Search()))
    assert isinstance(error, SearchProviderError)
    assert (error.provider, error.code) == ("", "CONFIG_ERROR")
    assert str(error) == (
        "Web Search is enabled but no search provider has been configured."
        " Open Settings > Web Search and select a provider."
    )


@pytest.mark.parametrize("providers", [[], [Search("a", usable=False)]])
async def test_selected_but_missing_or_unavailable(providers: list[Search]) -> None:
    error = await failure(product(*providers, provider="a"))
    assert error.code == "CONFIG_ERROR"
    assert str(error) == "Configure the provider and its credential in Settings > Web Search."


@pytest.mark.parametrize(
    ("provider", "kind", "runs"),
    [
        (Search(), "web", True),
        (Search(), None, True),
        (Search(), "news", False),
        (Described(), "news", False),
        (Described(news=True), "news", True),
        (Described(web=False), None, False),
    ],
)
async def test_only_supported_kinds_of_search_run(provider: Search, kind: Any, runs: bool) -> None:
    provider.calls.clear()
    request = WebSearchRequest(query="cats", type=kind)
    web = product(provider, provider="a")
    if runs:
        await web.search(request)
    else:
        error = await failure(web, request)
        assert error.code == "CONFIG_ERROR"
        assert str(error) == f'Provider "a" does not support {kind or "web"} search.'
    assert len(provider.calls) == runs


async def test_the_result_is_deduplicated_labelled_and_capped(lines: Any) -> None:
    answer = found(
        "https://A.example/?utm_source=x",
        "https://a.example/#part",
        "https://b.example",
        "https://c.example",
        status_code=200,
    )
    web = product(Search("a", answer), provider="a")
    result = await web.search(WebSearchRequest(query="private words", max_results=2))
    assert [source.url for source in result.sources] == ["https://A.example/?utm_source=x", "https://b.example"]
    assert {source.provider for source in result.sources} == {"a"}
    assert (result.provider, result.query, result.truncated) == ("a", "private words", True)
    assert lines() == [("a", "2", "200", "-")]


async def test_without_a_limit_the_result_is_not_capped() -> None:
    result = await product(Search("a", found("https://a.example", "https://b.example")), provider="a").search(REQUEST)
    assert (len(result.sources), result.truncated) == (2, False)


@pytest.mark.parametrize(
    ("raised", "code", "status"),
    [
        (SearchProviderError("a", "RATE_LIMITED", 429), "RATE_LIMITED", "429"),
        (WebError("private", "WEB_PROVIDER_ERROR"), "UNKNOWN", "-"),
        (ValueError("private"), "UNKNOWN", "-"),
    ],
)
async def test_failures_of_the_provider(raised: Exception, code: SearchErrorCode, status: str, lines: Any) -> None:
    error = await failure(product(Search("a", raised), provider="a"))
    assert isinstance(error, SearchProviderError)
    assert (error.provider, error.code) == ("a", code)
    assert lines() == [("a", "0", status, code)]


async def hang() -> None:
    await asyncio.Event().wait()


async def test_the_saved_time_limit_ends_a_search(lines: Any) -> None:
    provider = Search("a", hang)
    error = await failure(product(provider, provider="a", timeoutMs=1), signal=AbortSignal())
    assert isinstance(error, SearchProviderError)
    assert (error.code, str(error)) == ("TIMEOUT", "Search connection timed out.")
    assert lines() == [("a", "0", "-", "TIMEOUT")]


async def test_the_provider_sees_caller_and_timer_in_one_signal() -> None:
    provider, signal = Search("a"), AbortSignal()
    web = product(provider, provider="a")
    await web.search(REQUEST, signal)
    await web.search(REQUEST)
    (_, fused), (_, timer) = provider.calls
    assert fused is not None
    assert timer is not None
    assert fused is not signal
    signal.abort("mine")
    assert (fused.reason, timer.aborted) == ("mine", False)


@pytest.mark.parametrize("reason", ["mine", None, DeadlineReason("TOOL_TIMEOUT", 5)])
async def test_the_callers_signal_ends_a_search(reason: object, lines: Any) -> None:
    signal = AbortSignal()

    async def abort() -> None:
        signal.abort(reason)
        await hang()

    error = await failure(product(Search("a", abort), provider="a"), signal=signal)
    assert (type(error), error.code, str(error)) == (WebError, "WEB_ABORTED", "Web search aborted")
    assert lines() == [("a", "0", "-", "WEB_ABORTED")]


async def test_cancelling_the_task_stays_a_cancellation_and_is_logged(lines: Any) -> None:
    started = asyncio.Event()

    async def wait() -> None:
        started.set()
        await hang()

    task = asyncio.create_task(product(Search("a", wait), provider="a").search(REQUEST))
    await started.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert lines() == [("a", "0", "-", "WEB_ABORTED")]


async def test_changes_take_effect_on_the_next_call() -> None:
    settings = MemorySettings()
    web = product(Search("a"), Search("b"), settings=settings)
    for chosen in ("a", "b"):
        settings.update(SEARCH_NAMESPACE, {"provider": chosen})
        assert (await web.search(REQUEST)).provider == chosen
    settings.update(SEARCH_NAMESPACE, {"enabled": False})
    assert (await failure(web)).code == "CONFIG_ERROR"


async def test_fallbacks_never_run_in_product_mode() -> None:
    backup = Search("b")
    web = WebRuntime("a", search_fallback_providers=["b"], require_search_selection=True)
    web.register_search_provider(Search("a", SearchProviderError("a", "NETWORK_ERROR")))
    web.register_search_provider(backup)
    assert (await failure(web)).code == "NETWORK_ERROR"
    assert backup.calls == []


# Preferences


def test_preferences_exist_in_product_mode_only() -> None:
    assert WebRuntime(settings=WebSearchSettings(max_results=3)).search_preferences() is None
    assert product(settings=WebSearchSettings(max_results=3)).search_preferences() == WebSearchSettings(max_results=3)


def test_the_composition_seeds_the_selection() -> None:
    web = WebRuntime("a", require_search_selection=True)
    assert web.search_preferences() == WebSearchSettings(provider="a")
    web = WebRuntime("a", require_search_selection=True, settings=WebSearchSettings(provider="b"))
    assert web.search_preferences() == WebSearchSettings(provider="b")


def test_wrong_saved_preferences_are_refused_at_construction() -> None:
    class Foreign:
        writable = False

        def section(self, namespace: str) -> Mapping[str, Any]:
            return {"maxQueries": 0}

        def update(self, namespace: str, changes: Mapping[str, Any]) -> None:
            raise AssertionError

    with pytest.raises(ConfigError, match=r"^web-search\.maxQueries must be an integer from 1 to 100, not 0$"):
        WebRuntime(settings=Foreign())


# The list and the test of providers


def test_descriptors_are_listed_in_the_order_of_registration() -> None:
    providers = [Described("z"), Search("plain"), Described("a")]
    descriptors = product(*providers).list_search_providers()
    assert [descriptor.id for descriptor in descriptors] == ["z", "a"]
    assert descriptors[0].capabilities == WEB_SEARCH_CAPABILITIES


@pytest.mark.parametrize("required", [False, True])
async def test_a_provider_can_be_tested_whatever_is_selected(required: bool, lines: Any) -> None:
    tested = Search("b", found(*(f"https://{number}.example" for number in range(9))))
    web = WebRuntime("a", require_search_selection=required, settings=WebSearchSettings(enabled=False))
    web.register_search_provider(tested)
    signal = AbortSignal()
    result = await web.test_search_provider("b", signal)
    assert (len(result.sources), result.provider, result.truncated) == (5, "b", True)
    assert tested.calls[0][0] == WebSearchRequest(query="Hydra search provider connectivity test", max_results=5)
    assert lines() == [("b", "5", "-", "-")]
    assert web.search_provider_id == "a"
    with pytest.raises(SearchProviderError) as caught:
        await web.test_search_provider("a")
    assert caught.value.code == "CONFIG_ERROR"


# Migration


@pytest.mark.parametrize(
    ("search_provider", "configured", "saved"),
    [(None, True, "deepseek-official"), (None, False, ""), ("exa", True, "exa"), ("exa", False, "exa")],
)
def test_the_first_selection_is_saved(search_provider: str | None, configured: bool, saved: str) -> None:
    settings = MemorySettings({SEARCH_NAMESPACE: {"maxResults": 3}})
    web = WebRuntime(search_provider, require_search_selection=True, settings=settings)
    web.migrate_search_selection("deepseek-official", configured)
    assert settings.section(SEARCH_NAMESPACE) == {"maxResults": 3, "provider": saved}
    web.migrate_search_selection("another", True)
    assert settings.section(SEARCH_NAMESPACE)["provider"] == saved


@pytest.mark.parametrize(
    ("settings", "required"),
    [(MemorySettings(), False), (ReadOnly(), True), (MemorySettings({SEARCH_NAMESPACE: {"provider": ""}}), True)],
)
def test_there_is_nothing_to_save(settings: MemorySettings, required: bool) -> None:
    before = dict(settings.section(SEARCH_NAMESPACE))
    WebRuntime(require_search_selection=required, settings=settings).migrate_search_selection("a", True)
    assert settings.section(SEARCH_NAMESPACE) == before


def test_without_a_source_there_is_nowhere_to_save() -> None:
    web = WebRuntime(require_search_selection=True)
    web.migrate_search_selection("a", True)
    assert web.search_preferences() == WebSearchSettings()
