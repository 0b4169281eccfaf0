"""What the runtime makes of failing providers, thrown signals and fallback chains."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from hydra_web.errors import ConfigError, SearchErrorCode, SearchProviderError, WebError
from hydra_web.runtime import WebRuntime
from hydra_web.signals import Aborted, AbortSignal
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
    """A search provider that gives a result, raises, or does what it is told."""

    def __init__(self, id: str, answer: object = None, usable: bool = True) -> None:  # noqa: A002
        self.id = id
        self.answer = result_of(f"https://{id}.example/") if answer is None else answer
        self.usable = usable
        self.calls: list[tuple[WebSearchRequest, AbortSignal | None]] = []

    def available(self) -> bool:
        return self.usable

    async def search(self, request: WebSearchRequest, signal: AbortSignal | None = None) -> WebSearchResult:
        self.calls.append((request, signal))
        answer = await self.answer() if callable(self.answer) else self.answer
        if isinstance(answer, BaseException):
            raise answer
        return answer  # type: ignore[return-value]


class Fetch:
    def __init__(self, id: str, answer: object = None, usable: bool = True) -> None:  # noqa: A002
        self.id = id
        self.answer = answer
        self.usable = usable
        self.signals: list[AbortSignal | None] = []

    def available(self) -> bool:
        return self.usable

    async def fetch(self, request: WebFetchRequest, signal: AbortSignal | None = None) -> WebFetchResult:
        self.signals.append(signal)
        if isinstance(self.answer, BaseException):
            raise self.answer
        if self.answer is not None:
            return self.answer  # type: ignore[return-value]
        return WebFetchResult(url=request.url, status_code=200, body=TextBody(content=self.id), truncated=False)


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


# Signals and errors


async def test_the_callers_signal_is_passed_by_identity() -> None:
    signal, search, fetch = AbortSignal(), Search("a"), Fetch("b")
    web = runtime(search, fetch)
    await web.search(REQUEST, signal)
    await web.fetch(PAGE, signal)
    assert search.calls == [(REQUEST, signal)]
    assert search.calls[0][1] is signal
    assert fetch.signals[0] is signal


async def test_a_thrown_signal_stops_a_provider_that_ignores_it() -> None:
    signal, cancelled = AbortSignal(), asyncio.Event()

    async def hang() -> None:
        asyncio.get_running_loop().call_soon(signal.abort)
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            cancelled.set()
            raise

    error = await search_error(runtime(Search("a", hang)), signal=signal)
    assert (error.code, str(error)) == ("WEB_ABORTED", "web search aborted")
    assert cancelled.is_set()


async def test_a_signal_thrown_before_fetching() -> None:
    signal, fetch = AbortSignal(), Fetch("a")
    signal.abort()
    with pytest.raises(WebError, match=r"^web fetch aborted$") as caught:
        await runtime(fetch).fetch(PAGE, signal)
    assert caught.value.code == "WEB_ABORTED"
    assert caught.value.__context__ is None
    assert fetch.signals == []


@pytest.mark.parametrize("with_signal", [False, True])
async def test_cancelling_the_task_stays_a_cancellation(with_signal: bool) -> None:
    async def hang() -> None:
        started.set()
        await asyncio.Event().wait()

    started = asyncio.Event()
    web = runtime(Search("a", hang))
    task = asyncio.create_task(web.search(REQUEST, AbortSignal() if with_signal else None))
    await started.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


async def test_a_web_error_of_the_provider_passes_through() -> None:
    error = WebError("no such place", "WEB_INVALID_URL")
    assert await search_error(runtime(Search("a", error))) is error
    with pytest.raises(WebError) as caught:
        await runtime(Fetch("a", error)).fetch(PAGE)
    assert caught.value is error


def chained_failure() -> Exception:
    try:
        raise KeyError("first secret")
    except KeyError as cause:
        failure = ValueError("second secret")
        failure.__cause__ = cause
        return failure


@pytest.mark.parametrize("make", [chained_failure, lambda: Aborted("secret")])
async def test_any_other_exception_becomes_unknown_and_is_logged_without_its_message(
    make: Callable[[], Exception], caplog: pytest.LogCaptureFixture
) -> None:
    error = await search_error(runtime(Search("a", make())), signal=AbortSignal())
    assert isinstance(error, SearchProviderError)
    assert (error.provider, error.code, str(error)) == ("a", "UNKNOWN", "Search provider failed.")
    with pytest.raises(WebError, match=r"^web fetch failed$") as caught:
        await runtime(Fetch("a", make())).fetch(PAGE)
    assert caught.value.code == "UNKNOWN"
    assert caught.value.__context__ is None
    assert "secret" not in caplog.text
    assert "(message left out)" in caplog.text
    assert "test_failures.py" in caplog.text


async def test_a_causes_circle_is_logged_once_round(caplog: pytest.LogCaptureFixture) -> None:
    first, second = ValueError(), KeyError()
    first.__cause__, second.__cause__ = second, first
    await search_error(runtime(Search("a", first)))
    assert caplog.text.count("(message left out)") == 8


async def test_a_result_of_the_wrong_kind_is_the_providers_bug() -> None:
    assert (await search_error(runtime(Search("a", {"sources": []})))).code == "UNKNOWN"
    with pytest.raises(WebError, match=r"^web fetch failed$"):
        await runtime(Fetch("a", "text")).fetch(PAGE)


@pytest.mark.parametrize(("result", "name"), [([{"title": "a secret"}], "list"), (object(), "object"), ("text", "str")])
async def test_what_a_provider_should_have_given_is_logged(
    result: object, name: str, caplog: pytest.LogCaptureFixture
) -> None:
    with pytest.raises(SearchProviderError) as caught:
        await runtime(Search("a", result)).search(REQUEST)
    assert caught.value.code == "UNKNOWN"
    with pytest.raises(WebError, match="web fetch failed"):
        await runtime(Fetch("a", result)).fetch(PAGE)
    assert [record.getMessage() for record in caplog.records] == [
        f"web provider a is wrong: search() must return WebSearchResult, not {name}",
        f"web provider a is wrong: fetch() must return WebFetchResult, not {name}",
    ]


async def test_a_request_of_the_wrong_kind_is_the_callers_mistake() -> None:
    web = runtime(Search("a"), Fetch("b"))
    with pytest.raises(ConfigError, match="the request must be a WebSearchRequest, not str"):
        await web.search("cats")  # type: ignore[arg-type]
    with pytest.raises(ConfigError, match="the request must be a WebFetchRequest, not str"):
        await web.fetch("https://example.com/")  # type: ignore[arg-type]


# Fallbacks


def chain(primary: Search, *backups: Search) -> WebRuntime:
    return runtime(
        *backups, primary, search_provider=primary.id, search_fallback_providers=[backup.id for backup in backups]
    )


async def test_a_failing_primary_is_followed_by_the_backup_once_and_capped() -> None:
    order: list[str] = []

    async def fail() -> WebError:
        order.append("primary")
        return WebError("down", "WEB_PROVIDER_ERROR")

    async def answer() -> WebSearchResult:
        order.append("backup")
        return result_of("https://1.example/", "https://2.example/")

    primary, backup = Search("primary", fail), Search("backup", answer)
    signal = AbortSignal()
    request = WebSearchRequest(query="cats", max_results=1)
    result = await chain(primary, backup).search(request, signal)
    assert (len(result.sources), result.truncated) == (1, True)
    assert order == ["primary", "backup"]
    assert primary.calls == backup.calls == [(request, signal)]
    assert backup.calls[0][1] is signal


@pytest.mark.parametrize("code", ["NETWORK_ERROR", "RATE_LIMITED", "TIMEOUT"])
async def test_a_retryable_failure_is_followed_by_the_backup(code: SearchErrorCode) -> None:
    backup = Search("backup")
    await chain(Search("primary", SearchProviderError("primary", code)), backup).search(REQUEST)
    assert len(backup.calls) == 1


@pytest.mark.parametrize(
    "error",
    [
        SearchProviderError("primary", "CONFIG_ERROR"),
        SearchProviderError("primary", "AUTH_ERROR"),
        SearchProviderError("primary", "INVALID_RESPONSE"),
        SearchProviderError("primary", "UNKNOWN"),
        WebError("stopped", "WEB_ABORTED"),
        WebError("blocked", "WEB_BLOCKED_URL"),
        ValueError("a bug"),
    ],
    ids=lambda error: getattr(error, "code", "bug"),
)
async def test_any_other_failure_is_final(error: Exception) -> None:
    backup = Search("backup")
    raised = await search_error(chain(Search("primary", error), backup))
    assert raised is error or raised.code == "UNKNOWN"
    assert backup.calls == []


@pytest.mark.parametrize("missing", ["primary", "backup"])
async def test_a_chain_with_a_missing_member_runs_nobody(missing: str) -> None:
    present = Search("backup" if missing == "primary" else "primary")
    web = runtime(present, search_provider="primary", search_fallback_providers=("backup",))
    error = await search_error(web)
    assert (error.code, str(error)) == (
        "WEB_PROVIDER_CONFIGURED_MISSING",
        f'configured web provider "{missing}" is not registered',
    )
    assert present.calls == []


async def test_an_unavailable_primary_is_passed_over() -> None:
    backup = Search("backup")
    await chain(Search("primary", usable=False), backup).search(REQUEST)
    assert len(backup.calls) == 1


async def test_the_last_failure_is_raised_when_all_fail() -> None:
    web = chain(Search("primary", WebError("down", "WEB_PROVIDER_ERROR")), Search("backup", usable=False))
    error = await search_error(web)
    assert error.code == "WEB_PROVIDER_CONFIGURED_UNAVAILABLE"
    assert str(error) == 'configured web provider "backup" is unavailable'


async def test_an_empty_result_is_a_success() -> None:
    backup = Search("backup")
    assert (await chain(Search("primary", result_of()), backup).search(REQUEST)).sources == ()
    assert backup.calls == []


async def test_a_signal_thrown_before_the_chain_runs_nobody() -> None:
    signal, primary, backup = AbortSignal(), Search("primary"), Search("backup")
    signal.abort()
    error = await search_error(chain(primary, backup), signal=signal)
    assert (error.code, str(error)) == ("WEB_ABORTED", "web search aborted")
    assert primary.calls == backup.calls == []


async def test_a_signal_thrown_in_the_chain_ends_it() -> None:
    signal, backup = AbortSignal(), Search("backup")

    async def fail() -> WebError:
        signal.abort()
        return WebError("down", "WEB_PROVIDER_ERROR")

    assert (await search_error(chain(Search("primary", fail), backup), signal=signal)).code == "WEB_ABORTED"
    assert backup.calls == []


async def test_a_descriptor_that_fails_is_no_descriptor() -> None:
    class Odd(Search):
        @property
        def descriptor(self) -> object:
            raise RuntimeError("secret")

    class Wrong(Search):
        descriptor: object = {"id": "wrong"}

    web = WebRuntime()
    web.register_search_provider(Odd("odd"))
    web.register_search_provider(Wrong("wrong"))
    assert web.list_search_providers() == []
    assert (await web.test_search_provider("odd")).provider == "odd"
    assert (await web.test_search_provider("wrong")).provider == "wrong"
