"""The shipped pages made searchable and readable: from a store, or from a site on this machine."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from hydra_web.demo.corpus import corpus_pages, corpus_path
from hydra_web.indexing import index_paths
from hydra_web.net import HttpFetch
from hydra_web.portal import run_sync
from hydra_web.runtime import WebRuntime
from hydra_web.store import LocalFetch, LocalSearch, SqliteStore
from hydra_web.testing.site import LocalSite

__all__ = ["CORPUS_URL", "LocalWeb", "corpus_runtime", "index_corpus", "open_local_web"]

CORPUS_URL: Final = "https://lindmoor.example/"
"""Where the pages stand when no site serves them; the name can never be a real host."""


@dataclass(frozen=True, slots=True)
class LocalWeb:
    """A site with the shipped pages, and a runtime that searches and fetches them."""

    runtime: WebRuntime
    """Searches a store of the pages; fetches them from the site over HTTP."""
    origin: str
    """The site's origin."""
    requests: list[str]
    """The paths that the site was asked for so far."""


def index_corpus(path: Path) -> Path:
    """Fills a store with the shipped pages under `CORPUS_URL`, and returns its path."""
    with closing(SqliteStore(path)) as store:
        run_sync(index_paths(store, [corpus_path()], base_url=CORPUS_URL))
    return path


def corpus_runtime(path: Path) -> WebRuntime:
    """A runtime over a new store of the shipped pages: it searches and fetches without a network."""
    store = SqliteStore(index_corpus(path))
    runtime = WebRuntime(search_provider="local", fetch_provider="local")
    runtime.register_search_provider(_OwningSearch(store))
    runtime.register_fetch_provider(LocalFetch(store))
    return runtime


class _OwningSearch(LocalSearch):
    """Closes its store when the runtime closes it."""

    def __init__(self, store: SqliteStore) -> None:
        super().__init__(store)
        self.close = store.close


@asynccontextmanager
async def open_local_web() -> AsyncIterator[LocalWeb]:
    """Serves the shipped pages on the loopback interface, to a runtime that was granted this one origin."""
    with (
        TemporaryDirectory(prefix="hydra-web-demo-") as folder,
        LocalSite(corpus_pages()) as site,
        closing(SqliteStore(Path(folder) / "store.sqlite")) as store,
    ):
        await index_paths(store, [corpus_path()], base_url=site.origin)
        async with WebRuntime(search_provider="local", fetch_provider="http") as runtime:
            runtime.register_search_provider(LocalSearch(store))
            runtime.register_fetch_provider(HttpFetch(allowed_origins=[site.origin]))
            yield LocalWeb(runtime, site.origin, site.requests)
