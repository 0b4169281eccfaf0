"""The usual set of providers: which ones the environment asks for, and where they come from."""

import logging
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from hydra_web.errors import ConfigError
from hydra_web.protocols import WebSearchProvider
from hydra_web.runtime._provider_calls import is_usable
from hydra_web.runtime._reserved_names import ReservedNamesFetch
from hydra_web.runtime.needs import LOCAL_ID, STORE_VARIABLE, describe_need, known_ids

if TYPE_CHECKING:
    from hydra_web.runtime import WebRuntime
    from hydra_web.store import SqliteStore

__all__ = ["register_usual"]

_LOGGER: Final = logging.getLogger("hydra_web")
_FETCH_TIMEOUT_MS: Final = 45_000  # longer than a tool call's 30 s, so that the tool's own limit is the one that fires
_SEARCH_VARIABLE: Final = "HYDRA_WEB_SEARCH_PROVIDER"
_HOW_TO_FILL: Final = "Fill a store with: hydra-web index add PATH"


def register_usual(web: "WebRuntime", environ: Mapping[str, str]) -> list[object]:
    """Registers the usual providers, and gives what has to be closed after them.

    Pages come over HTTP. With a store, those of indexed files come from it, and all pages when `local` is the
    chosen fetch provider. Searches run on the services whose key is present; when there is none, on the store;
    without one, on Wikipedia. Where a choice has been made, or will be by the operator's settings, all of them
    are registered, because then nothing is ambiguous.

    Raises ConfigError for a store that is not there, or that holds no page and would be searched.
    """
    from hydra_web.providers import WikipediaSearch, usual_providers

    searches: list[WebSearchProvider] = list(usual_providers(environ, web.settings))
    chosen = web.search_provider_id is not None or web.search_preferences() is not None
    if not chosen:
        _warn_if_ambiguous(searches)
    needs_pages = LOCAL_ID in (web.search_provider_id, web.fetch_provider_id) or not (chosen or searches)
    store = _open_store(environ, needs_pages)
    _register_fetch(web, store)
    if store is not None and (chosen or not searches):
        from hydra_web.store import LocalSearch

        searches.append(LocalSearch(store))
    if chosen or not searches:
        searches.append(WikipediaSearch(settings=web.settings))
    for provider in searches:
        web.register_search_provider(provider)
    _warn_if_missing(web.search_provider_id, environ, searches)
    return [] if store is None else [store]


def _register_fetch(web: "WebRuntime", store: "SqliteStore | None") -> None:
    from hydra_web.net import HttpFetch

    http = HttpFetch(timeout_ms=_FETCH_TIMEOUT_MS)
    if store is None:
        web.register_fetch_provider(http)
        return
    from hydra_web.store import LocalFetch

    local = LocalFetch(store)
    web.register_fetch_provider(ReservedNamesFetch(http, local))
    if web.fetch_provider_id == LOCAL_ID:
        web.register_fetch_provider(local)


def _open_store(environ: Mapping[str, str], needs_pages: bool) -> "SqliteStore | None":
    name = environ.get(STORE_VARIABLE, "").strip()
    if not name:
        return None
    path = Path(os.path.expanduser(name))  # noqa: PTH111 - Path.expanduser fails for a user there is not
    if not path.is_file():
        what = "a folder, not a store's file" if path.is_dir() else "no file"
        raise ConfigError(f"{STORE_VARIABLE} names {what}: {name!a}. {_HOW_TO_FILL}")
    from hydra_web.store import SqliteStore

    store = SqliteStore(path)
    if needs_pages and not store.pages():
        store.close()
        raise ConfigError(f"the store that {STORE_VARIABLE} names holds no page: {name!a}. {_HOW_TO_FILL}")
    return store


def _warn_if_missing(chosen: str | None, environ: Mapping[str, str], providers: Sequence[WebSearchProvider]) -> None:
    """Says why the chosen provider is not there; an unknown one that only code names may yet be registered."""
    if chosen is None or chosen in {provider.id for provider in providers}:
        return
    need = describe_need(chosen)
    if need is not None:
        _LOGGER.warning("the search provider %s is chosen and not ready: it needs %s", chosen, need)
    elif environ.get(_SEARCH_VARIABLE, "").strip() == chosen:
        _LOGGER.warning(
            "%s names %s, which does not come with hydra-web; there are: %s",
            _SEARCH_VARIABLE,
            ascii(chosen),
            ", ".join(known_ids()),
        )


def _warn_if_ambiguous(providers: Sequence[WebSearchProvider]) -> None:
    ready = [provider.id for provider in providers if is_usable(provider)]
    if len(ready) > 1:
        _LOGGER.warning(
            "several search providers are ready (%s) and none is chosen, so web search will refuse to run;"
            " choose one in the environment: %s=%s",
            ", ".join(ready),
            _SEARCH_VARIABLE,
            ready[0],
        )
