"""Small local providers over a real runtime."""

import asyncio
import hashlib
import json
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

from hydra_web.runtime import WebRuntime
from hydra_web.signals import AbortSignal
from hydra_web.tools import WebTools, WebToolsConfig
from hydra_web.types import (
    HtmlBody,
    PdfBody,
    TextBody,
    WebFetchRequest,
    WebFetchResult,
    WebSearchRequest,
    WebSearchResult,
    WebSearchSource,
)


class Searcher:
    """Answers each query from a table of results, errors or coroutine functions, and keeps what it was asked."""

    id = "fake-search"

    def __init__(self, answers: dict[str, Any] | Any) -> None:
        self.answers = answers
        self.requests: list[WebSearchRequest] = []
        self.signals: list[AbortSignal | None] = []

    def available(self) -> bool:
        return True

    async def search(self, request: WebSearchRequest, signal: AbortSignal | None = None) -> WebSearchResult:
        self.requests.append(request)
        self.signals.append(signal)
        answer = self.answers[request.query] if isinstance(self.answers, dict) else self.answers
        if isinstance(answer, BaseException):
            raise answer
        return answer if isinstance(answer, WebSearchResult) else await answer(signal)


class Fetcher:
    """Gives one result, error or coroutine function's answer for every URL."""

    id = "fake-fetch"

    def __init__(self, answer: Any) -> None:
        self.answer = answer
        self.requests: list[WebFetchRequest] = []
        self.signals: list[AbortSignal | None] = []

    def available(self) -> bool:
        return True

    async def fetch(self, request: WebFetchRequest, signal: AbortSignal | None = None) -> WebFetchResult:
        self.requests.append(request)
        self.signals.append(signal)
        if isinstance(self.answer, BaseException):
            raise self.answer
        return self.answer if isinstance(self.answer, WebFetchResult) else await self.answer(signal)


class Ledger:
    """Keeps records in lists."""

    def __init__(self) -> None:
        self.fetches: list[dict[str, Any]] = []
        self.searches: list[tuple[str | None, str | None, tuple[WebSearchSource, ...]]] = []

    def record_fetch(self, **record: Any) -> str:
        self.fetches.append(record)
        pair = json.dumps([record["url"], record["text"]], ensure_ascii=False, separators=(",", ":"))
        return hashlib.sha256(pair.encode()).hexdigest()

    def record_search(self, query: str | None, provider: str | None, sources: Any) -> None:
        self.searches.append((query, provider, tuple(sources)))


def found(*urls: str, content: str | None = None, truncated: bool = False, **fields: Any) -> WebSearchResult:
    sources = tuple(WebSearchSource(url=url, title=url.rsplit("/", 1)[-1]) for url in urls)
    return WebSearchResult(sources=sources, truncated=truncated, content=content, **fields)


def page(
    content: str | None = None,
    *,
    html: str | None = None,
    pdf: tuple[str, ...] | None = None,
    url: str = "https://a.test",
    status: int = 200,
    truncated: bool = False,
    meta: dict[str, Any] | None = None,
) -> WebFetchResult:
    body: HtmlBody | TextBody | PdfBody
    if html is not None:
        body = HtmlBody(content=html)
    elif pdf is not None:
        body = PdfBody(pages=pdf)
    else:
        body = TextBody(content=content or "")
    return WebFetchResult(url=url, status_code=status, body=body, truncated=truncated, meta=meta or {})


def make(
    search_with: Any = None, fetch_with: Any = None, /, *, web: WebRuntime | None = None, **options: Any
) -> SimpleNamespace:
    """Tools over fakes; keyword arguments go to the configuration unless `WebTools` takes them."""
    web = web if web is not None else WebRuntime()
    searcher = Searcher(search_with)
    fetcher = fetch_with if hasattr(fetch_with, "fetch") else Fetcher(fetch_with)
    if search_with is not None:
        web.register_search_provider(searcher)
    if fetch_with is not None:
        web.register_fetch_provider(fetcher)
    own = {key: options.pop(key) for key in ("budget", "store", "render") if key in options}
    ledger = Ledger()
    tools = WebTools(web, WebToolsConfig(**options), ledger, own.pop("budget", None), **own)
    return SimpleNamespace(tools=tools, searcher=searcher, fetcher=fetcher, ledger=ledger, web=web)


async def until(condition: Callable[[], Any]) -> None:
    """Lets the loop run until the condition holds."""
    while not condition():  # noqa: ASYNC110 - what is waited for has no event
        await asyncio.sleep(0.0005)


@pytest.fixture
def fakes() -> SimpleNamespace:
    return SimpleNamespace(
        make=make, found=found, page=page, until=until, Searcher=Searcher, Fetcher=Fetcher, Ledger=Ledger
    )
