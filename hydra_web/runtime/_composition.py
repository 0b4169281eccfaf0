"""The usual set of providers: which ones the environment asks for, and where they come from."""

import logging
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from hydra_web.protocols import WebSearchProvider
from hydra_web.runtime._provider_calls import is_usable

if TYPE_CHECKING:
    from hydra_web.runtime import WebRuntime

__all__ = ["register_usual"]

_LOGGER: Final = logging.getLogger("hydra_web")
_FETCH_TIMEOUT_MS: Final = 45_000  # longer than a tool call's 30 s, so that the tool's own limit is the one that fires
_STORE_VARIABLE: Final = "HYDRA_WEB_STORE"
_HOW_TO_FILL: Final = "Fill a store with: hydra-web index add PATH"


def register_usual(web: "WebRuntime", environ: Mapping[str, str]) -> list[object]:
    """Registers the usual providers, and gives what has to be closed after them.

    Pages come over HTTP, and from the local store only when `local` is the chosen fetch provider.
    Searches run on the services whose key is present; when there is none, on the local store; when that
    holds no page, on Wikipedia. Where a choice has been made, or will be by the operator's settings, all
    of them are registered, because then nothing is ambiguous.
    """
    from hydra_web.net import HttpFetch
    from hydra_web.providers import WikipediaSearch, usual_providers

    web.register_fetch_provider(HttpFetch(timeout_ms=_FETCH_TIMEOUT_MS))
    searches: list[WebSearchProvider] = list(usual_providers(environ, web.settings))
    chosen = web.search_provider_id is not None or web.search_preferences() is not None
    if not chosen:
        _warn_if_ambiguous(searches)
    owned: list[object] = []
    path = _store_path(environ) if chosen or not searches or web.fetch_provider_id == "local" else None
    if path is not None:
        from hydra_web.store import LocalFetch, LocalSearch, SqliteStore

        owned.append(store := SqliteStore(path))
        if chosen or (not searches and store.pages()):
            searches.append(LocalSearch(store))
        elif not searches:
            _LOGGER.warning("the store %s holds no page yet. %s", ascii(str(path)), _HOW_TO_FILL)
        if web.fetch_provider_id == "local":
            web.register_fetch_provider(LocalFetch(store))
    if chosen or not searches:
        searches.append(WikipediaSearch(settings=web.settings))
    for provider in searches:
        web.register_search_provider(provider)
    return owned


def _store_path(environ: Mapping[str, str]) -> Path | None:
    name = environ.get(_STORE_VARIABLE, "").strip()
    if not name:
        return None
    path = Path(name).expanduser()
    if path.is_file():
        return path
    _LOGGER.warning("%s names no file: %s. %s", _STORE_VARIABLE, ascii(name), _HOW_TO_FILL)
    return None


def _warn_if_ambiguous(providers: Sequence[WebSearchProvider]) -> None:
    ready = [provider.id for provider in providers if is_usable(provider)]
    if len(ready) > 1:
        _LOGGER.warning(
            "several search providers are ready (%s) and none is chosen, so web search will refuse to run;"
            " choose one in the environment: HYDRA_WEB_SEARCH_PROVIDER=%s",
            ", ".join(ready),
            ready[0],
        )
