"""The two tools, whole: from a model's arguments to the text it reads."""

import threading
from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from types import TracebackType
from typing import TYPE_CHECKING, Final, Self

from hydra_web.errors import ConfigError, WebError
from hydra_web.protocols import JsonObject, Store
from hydra_web.research import ResearchBudget, run_within_budget
from hydra_web.signals import AbortSignal
from hydra_web.tools import present
from hydra_web.tools._access import Evidence, Web
from hydra_web.tools._guard import run_guarded
from hydra_web.tools._sync import SyncWebTools
from hydra_web.tools.arguments import FetchCall, SearchCall, invalid, parse_fetch, parse_search
from hydra_web.tools.config import WebToolsConfig
from hydra_web.tools.fetch_tool import FetchTool
from hydra_web.tools.outcome import ToolOutcome
from hydra_web.tools.page_text import Render
from hydra_web.tools.pages import PageCache
from hydra_web.tools.schemas import ToolDefinition, define_tools
from hydra_web.tools.scope import Scope
from hydra_web.tools.search_tool import SearchTool
from hydra_web.types import WebSearchSettings

if TYPE_CHECKING:
    from hydra_web.runtime import WebRuntime

__all__ = ["WebTools"]


class WebTools:
    """The model-facing tools `web_search` and `web_fetch` over one runtime.

    Without `web` the usual runtime is made from the environment on first use, and closed with
    the tools; a runtime that is given stays the caller's. Without `evidence` a fresh in-memory
    ledger records what is read. `budget` is charged before every call. `store` keeps fetched
    pages; `render` replaces the HTML converter. Raises ConfigError for an argument of the wrong kind.
    """

    def __init__(
        self,
        web: Web | None = None,
        config: WebToolsConfig | None = None,
        evidence: Evidence | None = None,
        budget: ResearchBudget | None = None,
        *,
        store: Store | None = None,
        render: Render | None = None,
    ) -> None:
        _check("web", web, "a WebRuntime", _has(web, "search", "fetch"))
        _check("config", config, "a WebToolsConfig", isinstance(config, WebToolsConfig))
        _check("evidence", evidence, "an EvidenceLedger", _has(evidence, "record_fetch", "record_search"))
        _check("budget", budget, "a ResearchBudget", isinstance(budget, ResearchBudget))
        _check("store", store, "a Store", _has(store, "get", "put"))
        _check("render", render, "a function", callable(render))
        self.config: Final = config if config is not None else WebToolsConfig()
        self.sync: Final = SyncWebTools(self)
        self._web = web
        self._owned: WebRuntime | None = None
        self._evidence = evidence
        self._budget = budget
        self._render = render
        self._scope = Scope(self.config)
        self._pages = PageCache(self.config.cache_seconds, store)
        self._first_use = threading.Lock()
        self._given = partial(type(self), web, self.config, evidence, budget, store=store, render=render)

    def __reduce__(self) -> tuple[object, ...]:
        # A copy in another process starts anew from what was given here.
        return (self._given, ())

    @property
    def web(self) -> Web:
        """The runtime; made from the environment when none was given."""
        with self._first_use:
            if self._web is None:
                from hydra_web.runtime import WebRuntime

                self._web = self._owned = WebRuntime.from_env()
            return self._web

    @property
    def evidence(self) -> Evidence:
        """The ledger that records what is read."""
        with self._first_use:
            if self._evidence is None:
                from hydra_web.evidence import EvidenceLedger

                self._evidence = EvidenceLedger()
            return self._evidence

    def definitions(self) -> tuple[ToolDefinition, ...]:
        """The enabled tools, whatever providers there are."""
        return define_tools(self.config, self._search_timeout_ms())

    def guidance(self) -> str:
        """The system-prompt text of the enabled tools."""
        return "\n\n".join(tool.guidance for tool in define_tools(self.config, self.config.search_timeout_ms))

    async def call(self, name: str, arguments: object, signal: AbortSignal | None = None) -> ToolOutcome:
        """Runs one tool call with its time-out. Raises nothing but asyncio's cancellation."""
        timeout_ms = next((tool.timeout_ms for tool in self.definitions() if tool.name == name), None)
        return await run_guarded(name, lambda own: self._dispatch(name, arguments, own), signal, timeout_ms)

    async def web_search(
        self,
        queries: str | Sequence[str],
        country: str | None = None,
        language: str | None = None,
        signal: AbortSignal | None = None,
    ) -> ToolOutcome:
        """Searches without a time-out of its own; a single query gets exactly the signal given."""
        arguments: JsonObject = {"queries": queries, "country": country, "language": language}

        async def work(own: AbortSignal | None) -> ToolOutcome:
            preferences = self.web.search_preferences()
            call = parse_search(arguments, single=False, max_queries=self._max_queries(preferences))
            return await self._search(call, preferences, own)

        return await run_guarded("web_search", work, signal)

    async def web_fetch(self, url: str, signal: AbortSignal | None = None) -> ToolOutcome:
        """Fetches a page without a time-out of its own; the provider gets exactly the signal given."""
        return await run_guarded("web_fetch", lambda own: self._fetch(parse_fetch({"url": url}), own), signal)

    def add_seen_text(self, text: str) -> None:
        """Counts every URL in a text, such as the user's message, as seen; for `fetch_scope="seen"`."""
        self._scope.add_text(text)

    def present_call(self, name: str, arguments: object) -> JsonObject | None:
        """The card for a call about to run."""
        return present.present_call(name, arguments)

    def present_result(
        self, name: str, arguments: object, outcome_or_meta: object, is_error: bool = False
    ) -> JsonObject | None:
        """The card for a result, from the outcome or its saved meta."""
        return present.present_result(name, arguments, outcome_or_meta, is_error)

    async def aclose(self) -> None:
        """Closes the runtime if the tools made it."""
        owned, self._owned = self._owned, None
        if owned is not None:
            self._web = None
            await owned.aclose()

    def close(self) -> None:
        """Closes the runtime if the tools made it, for synchronous callers."""
        owned, self._owned = self._owned, None
        if owned is not None:
            self._web = None
            owned.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    async def _dispatch(self, name: str, arguments: object, signal: AbortSignal | None) -> ToolOutcome:
        if name == "web_search" and self.config.search:
            preferences = self.web.search_preferences()
            single = self.config.search_arguments == "query"
            call = parse_search(arguments, single=single, max_queries=self._max_queries(preferences))
            return await self._search(call, preferences, signal)
        if name == "web_fetch" and self.config.fetch:
            return await self._fetch(parse_fetch(arguments), signal)
        names = " or ".join(tool.name for tool in define_tools(self.config, 1))
        raise invalid("tool name", f"must be {names}" if names else "no tool is enabled")

    async def _search(
        self, call: SearchCall, preferences: WebSearchSettings | None, signal: AbortSignal | None
    ) -> ToolOutcome:
        tool = SearchTool(web=self.web, config=self.config, scope=self._scope, evidence=self.evidence)

        async def work(own: AbortSignal | None) -> ToolOutcome:
            return await tool.run(call, preferences, own)

        return await run_within_budget(self._budget, "search", len(call.queries), work, signal)

    async def _fetch(self, call: FetchCall, signal: AbortSignal | None) -> ToolOutcome:
        self._scope.check(call.url)
        tool = FetchTool(
            web=self.web,
            pages=self._pages,
            config=self.config,
            scope=self._scope,
            evidence=self.evidence,
            render=self._render,
        )
        return await run_within_budget(self._budget, "fetch", 0, lambda own: tool.run(call, own), signal)

    def _search_timeout_ms(self) -> int:
        with suppress(WebError):  # settings that cannot be read must not take the tools away
            preferences = self._web.search_preferences() if self._web is not None else None
            if preferences is not None:
                return preferences.timeout_ms
        return self.config.search_timeout_ms

    def _max_queries(self, preferences: WebSearchSettings | None) -> int:
        return preferences.max_queries if preferences else self.config.search_max_queries


def _has(value: object, *methods: str) -> bool:
    return not isinstance(value, type) and all(callable(getattr(value, method, None)) for method in methods)


def _check(argument: str, value: object, wanted: str, fits: bool) -> None:
    if value is not None and not fits:
        name = f"the class {value.__name__}" if isinstance(value, type) else type(value).__name__
        raise ConfigError(f"{argument} must be {wanted}, not {name}")
