"""`WebRuntime`: which provider runs at each call, and what its caller gets.

One runtime holds the search and fetch providers of a composition, decides which one runs at each
call, and sees to cancellation, time-outs and errors, so that no provider has to be trusted with them.
"""

import inspect
import os
import threading
from collections.abc import Iterable
from contextlib import suppress
from types import TracebackType
from typing import Any, Final, Self, TypedDict, TypeVar, Unpack

from hydra_web.disposer import Disposer
from hydra_web.errors import ConfigError, SearchProviderError, WebError
from hydra_web.portal import run_sync
from hydra_web.protocols import SettingsSource, Store, WebFetchProvider, WebSearchProvider
from hydra_web.replay import Recorder, Replay
from hydra_web.runtime._product_search import search_selected
from hydra_web.runtime._provider_calls import (
    close_resource,
    fetch_with,
    is_usable,
    read_descriptor,
    read_section,
    search_with,
)
from hydra_web.runtime._selection import cap_sources, check_fallbacks, may_fall_back, resolve_chain, select_provider
from hydra_web.runtime._sync import SyncWebRuntime
from hydra_web.settings import SEARCH_NAMESPACE, MemorySettings, search_settings
from hydra_web.signals import Aborted, AbortSignal
from hydra_web.types import (
    WebFetchRequest,
    WebFetchResult,
    WebSearchProviderDescriptor,
    WebSearchRequest,
    WebSearchResult,
    WebSearchSettings,
)

__all__ = ["RuntimeOptions", "WebRuntime"]

_TEST_REQUEST: Final = WebSearchRequest(query="Hydra search provider connectivity test", max_results=5)
_DISABLED: Final = "Web Search is disabled in Settings > Web Search."
_NO_PROVIDER_CHOSEN: Final = (
    "Web Search is enabled but no search provider has been configured."
    " Open Settings > Web Search and select a provider."
)
_REGISTRATION: Final = threading.Lock()
_P = TypeVar("_P", WebSearchProvider, WebFetchProvider)


class RuntimeOptions(TypedDict, total=False):
    """The keyword arguments of `WebRuntime`."""

    search_provider: str | None
    fetch_provider: str | None
    search_fallback_providers: Iterable[str]
    require_search_selection: bool
    settings: SettingsSource | WebSearchSettings | None


class WebRuntime:
    """Searches and fetches through whichever provider is chosen.

    `search_provider` and `fetch_provider` are provider ids; without them the environment variables
    HYDRA_WEB_SEARCH_PROVIDER and HYDRA_WEB_FETCH_PROVIDER are read, once; without those the only
    usable provider runs. `search_fallback_providers` are tried in turn when the first one is
    unavailable or fails in a way that another may not. With `require_search_selection` the
    operator's saved preferences (`settings`, section `web-search`) decide at every call instead.

    Usable as a context manager, synchronous or not; leaving it closes the providers.
    Raises ConfigError for a wrong argument.
    """

    def __init__(
        self,
        search_provider: str | None = None,
        fetch_provider: str | None = None,
        search_fallback_providers: Iterable[str] = (),
        require_search_selection: bool = False,
        settings: SettingsSource | WebSearchSettings | None = None,
    ) -> None:
        self._search_id = _provider_id("search_provider", search_provider, "HYDRA_WEB_SEARCH_PROVIDER")
        self._fetch_id = _provider_id("fetch_provider", fetch_provider, "HYDRA_WEB_FETCH_PROVIDER")
        self._fallback_ids = _provider_ids(search_fallback_providers)
        check_fallbacks(self._search_id, self._fallback_ids)
        if not isinstance(require_search_selection, bool):
            raise ConfigError(f"require_search_selection must be True or False, not {require_search_selection!r}")
        self._selection_required = require_search_selection
        if isinstance(settings, WebSearchSettings):
            settings = MemorySettings.of_search(settings)
        if settings is not None and not isinstance(settings, SettingsSource):
            raise ConfigError(f"settings must be WebSearchSettings or a SettingsSource, not {type(settings).__name__}")
        self._settings: SettingsSource | None = settings
        self._search_providers: dict[str, WebSearchProvider] = {}
        self._fetch_providers: dict[str, WebFetchProvider] = {}
        self._owned: list[object] = []
        self._live_settings()

    @classmethod
    def from_env(cls, **overrides: Unpack[RuntimeOptions]) -> Self:
        """A runtime with the usual providers, as the environment has keys and addresses for them.

        Takes the keyword arguments of the constructor. Raises ConfigError for a wrong one and for a
        HYDRA_WEB_STORE that is not there or holds no page, and WebError for one that cannot be used.
        """
        from hydra_web.runtime._composition import register_usual

        web = cls(**overrides)
        web._owned += register_usual(web, os.environ)
        return web

    @classmethod
    def recording(cls, store: Store, run: str = "default", web: "WebRuntime | None" = None) -> Self:
        """A runtime that keeps every answer of `web`, by default the usual runtime, for `replaying`.

        Closing it closes `web`; the store stays open. Saved search preferences do not apply to it.
        Raises ConfigError when `store` is no Store, and what `from_env` raises.
        """
        _check_store(store)
        inner = cls.from_env() if web is None else web
        recorder = Recorder(inner, store, run)
        outer = cls(search_provider=recorder.id, fetch_provider=recorder.id)
        outer.register_search_provider(recorder)
        outer.register_fetch_provider(recorder)
        outer._owned.append(inner)
        return outer

    @classmethod
    def replaying(cls, store: Store, run: str = "default") -> Self:
        """A runtime that answers from a recorded run, opens no socket, and ignores the environment.

        Anything else asked of it raises WebError `WEB_REPLAY_MISS`. Raises ConfigError when `store` is no Store.
        """
        _check_store(store)
        replay = Replay(store, run)
        web = cls(search_provider=replay.id, fetch_provider=replay.id)
        web.register_search_provider(replay)
        web.register_fetch_provider(replay)
        return web

    @property
    def search_provider_id(self) -> str | None:
        """The chosen search provider, by argument or environment."""
        return self._search_id

    @property
    def fetch_provider_id(self) -> str | None:
        """The chosen fetch provider, by argument or environment."""
        return self._fetch_id

    @property
    def settings(self) -> SettingsSource | None:
        """Where the operator's saved settings are, if anywhere."""
        return self._settings

    @property
    def sync(self) -> SyncWebRuntime:
        """The same runtime for synchronous callers."""
        return SyncWebRuntime(self)

    def register_search_provider(self, provider: WebSearchProvider) -> Disposer:
        """Adds a search provider; the disposer takes it out again. Raises WebError when its id is taken."""
        _check_provider("search", provider, isinstance(provider, WebSearchProvider))
        return _register(self._search_providers, provider)

    def register_fetch_provider(self, provider: WebFetchProvider) -> Disposer:
        """Adds a fetch provider; the disposer takes it out again. Raises WebError when its id is taken."""
        _check_provider("fetch", provider, isinstance(provider, WebFetchProvider))
        return _register(self._fetch_providers, provider)

    async def search(self, request: WebSearchRequest, signal: AbortSignal | None = None) -> WebSearchResult:
        """Runs one search; the result holds at most `request.max_results` sources.

        Raises WebError when no provider can be selected, when the signal was thrown (WEB_ABORTED)
        or when the provider fails (mostly SearchProviderError).
        """
        _check_request(request, WebSearchRequest)
        if self._selection_required:
            settings = self._live_settings()
            if not settings.enabled:
                raise SearchProviderError(settings.provider, "CONFIG_ERROR", message=_DISABLED)
            if not settings.provider:
                raise SearchProviderError("", "CONFIG_ERROR", message=_NO_PROVIDER_CHOSEN)
            return await self._search_by(settings.provider, request, signal)
        if self._fallback_ids:
            return await self._search_in_turn(request, signal)
        provider = self.select_search_provider()
        with suppress(Aborted):
            return cap_sources(await search_with(provider, request, signal), request.max_results)
        raise _search_aborted()

    async def fetch(self, request: WebFetchRequest, signal: AbortSignal | None = None) -> WebFetchResult:
        """Fetches one page. An answer such as 404 is a result.

        Raises WebError when no provider can be selected, when the signal was thrown (WEB_ABORTED)
        or when the page could not be fetched.
        """
        _check_request(request, WebFetchRequest)
        provider = self.select_fetch_provider()
        with suppress(Aborted):
            return await fetch_with(provider, request, signal)
        raise WebError("web fetch aborted", "WEB_ABORTED")

    def select_search_provider(self) -> WebSearchProvider:
        """The provider the next search would use, where no saved preferences or fallbacks rule. Raises WebError."""
        return select_provider(self._search_providers.copy(), self._search_id, is_usable)

    def select_fetch_provider(self) -> WebFetchProvider:
        """The provider the next fetch would use. Raises WebError when none can be selected."""
        return select_provider(self._fetch_providers.copy(), self._fetch_id, is_usable)

    def search_preferences(self) -> WebSearchSettings | None:
        """The operator's preferences as they are now; None unless `require_search_selection` is set."""
        return self._live_settings() if self._selection_required else None

    def list_search_providers(self) -> list[WebSearchProviderDescriptor]:
        """How the search providers present themselves, in the order of registration, where they do."""
        found = (read_descriptor(provider) for provider in self._search_providers.copy().values())
        return [descriptor for descriptor in found if descriptor is not None]

    async def test_search_provider(self, provider_id: str, signal: AbortSignal | None = None) -> WebSearchResult:
        """Runs a small real search with one provider, whichever is selected or enabled.

        Raises what a search with saved preferences raises.
        """
        return await self._search_by(provider_id, _TEST_REQUEST, signal)

    def migrate_search_selection(self, provider: str, configured: bool) -> None:
        """Saves a first selection: the chosen id, else `provider` when it was configured, else none.

        Does nothing unless preferences are in use, can be written, and hold no selection yet.
        """
        source = self._settings
        if not self._selection_required or source is None or not source.writable:
            return
        if "provider" not in source.section(SEARCH_NAMESPACE):
            source.update(SEARCH_NAMESPACE, {"provider": self._search_id or (provider if configured else "")})

    async def aclose(self) -> None:
        """Takes out all providers and closes what can be closed; doing so twice is harmless."""
        resources: list[object] = [*self._search_providers.values(), *self._fetch_providers.values(), *self._owned]
        for held in (self._search_providers, self._fetch_providers, self._owned):
            held.clear()
        for resource in {id(resource): resource for resource in resources}.values():
            await close_resource(resource)

    def close(self) -> None:
        """What `aclose` does, for synchronous callers."""
        run_sync(self.aclose())

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

    def _live_settings(self) -> WebSearchSettings:
        section = {} if self._settings is None else read_section(self._settings, SEARCH_NAMESPACE)
        return search_settings(section, self._search_id or "")

    async def _search_by(
        self, provider_id: str, request: WebSearchRequest, signal: AbortSignal | None
    ) -> WebSearchResult:
        provider = self._search_providers.get(provider_id)
        if provider is None:
            raise SearchProviderError(provider_id, "CONFIG_ERROR")
        return await search_selected(provider, request, signal, self._live_settings().timeout_ms)

    async def _search_in_turn(self, request: WebSearchRequest, signal: AbortSignal | None) -> WebSearchResult:
        failure = _search_aborted()
        for provider in resolve_chain(self._search_providers, [self._search_id or "", *self._fallback_ids]):
            outcome = await _attempt(provider, request, signal)
            if isinstance(outcome, WebSearchResult):
                return outcome
            failure = outcome
            if not may_fall_back(failure) or (signal is not None and signal.aborted):
                break
        raise failure


async def _attempt(
    provider: WebSearchProvider, request: WebSearchRequest, signal: AbortSignal | None
) -> WebSearchResult | WebError:
    if signal is not None and signal.aborted:
        return _search_aborted()
    if not is_usable(provider):
        return WebError(
            f'configured web provider "{provider.id}" is unavailable', "WEB_PROVIDER_CONFIGURED_UNAVAILABLE"
        )
    try:
        return cap_sources(await search_with(provider, request, signal), request.max_results)
    except Aborted:
        return _search_aborted()
    except WebError as error:
        return error


def _search_aborted() -> WebError:
    return WebError("web search aborted", "WEB_ABORTED")


def _register(providers: dict[str, _P], provider: _P) -> Disposer:
    provider_id = provider.id

    def undo() -> None:
        with _REGISTRATION:
            if providers.get(provider_id) is provider:
                del providers[provider_id]

    with _REGISTRATION:
        if provider_id in providers:
            raise WebError(f'a web provider with id "{provider_id}" is already registered', "WEB_DUPLICATE_PROVIDER")
        providers[provider_id] = provider
    return Disposer(undo)


def _check_provider(kind: str, provider: object, fits: bool) -> None:
    if isinstance(provider, type):
        name = provider.__name__
        raise ConfigError(f"a {kind} provider must be an instance, not the class {name}; give {name}(...)")
    if not fits:
        raise ConfigError(f"a {kind} provider needs id, available and {kind}; {type(provider).__name__} has not all")
    provider_id = getattr(provider, "id", None)
    if not isinstance(provider_id, str) or not provider_id.strip():
        raise ConfigError(f"the id of a {kind} provider must be non-empty text, not {provider_id!r}")
    _check_method(f"{type(provider).__name__}.{kind}", getattr(provider, kind))


def _check_method(name: str, method: Any) -> None:
    """Raises ConfigError where it can be told that the method is not `async def method(request, signal)`."""
    original = inspect.unwrap(method)
    if inspect.isroutine(original) and not inspect.isbuiltin(original) and not inspect.iscoroutinefunction(original):
        raise ConfigError(f"{name} must be a coroutine function: async def")
    try:
        parameters = inspect.signature(method)
    except (TypeError, ValueError):
        return
    with suppress(TypeError):
        parameters.bind(None, None)
        return
    raise ConfigError(f"{name} must accept two arguments: request and signal")


def _check_store(store: object) -> None:
    if not isinstance(store, Store):
        raise ConfigError(f"store must be a Store such as SqliteStore, not {type(store).__name__}")


def _check_request(request: object, kind: type) -> None:
    if not isinstance(request, kind):
        raise ConfigError(f"the request must be a {kind.__name__}, not {type(request).__name__}")


def _provider_id(key: str, value: str | None, variable: str) -> str | None:
    if value is None:
        return os.environ.get(variable, "").strip() or None
    if not isinstance(value, str):
        raise ConfigError(f"{key} must be a provider id, not {value!r}")
    return value or None


def _provider_ids(value: Iterable[str]) -> tuple[str, ...]:
    ids = () if isinstance(value, str) else tuple(value)
    if isinstance(value, str) or not all(isinstance(provider, str) for provider in ids):
        raise ConfigError(f"search_fallback_providers must be a list of provider ids, not {value!r}")
    return ids
