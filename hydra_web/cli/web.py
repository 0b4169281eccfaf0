"""`hydra-web search` and `hydra-web fetch`: the two tools, for people."""

import asyncio
import logging
import os
import re
import shlex
from pathlib import Path
from typing import Annotated, Final

import typer

from hydra_web.cli._people import (
    SEARCH_VARIABLE,
    STORE_VARIABLE,
    StoreOption,
    default_store,
    fail,
    has_pages,
    next_step,
    open_settings,
    open_store,
    plain_errors,
)
from hydra_web.cli._recording import Recording
from hydra_web.indexing import DEFAULT_BASE_URL
from hydra_web.runtime import WebRuntime
from hydra_web.settings import SEARCH_NAMESPACE
from hydra_web.store import LocalFetch, LocalSearch
from hydra_web.text import strip_invisible
from hydra_web.tools import ToolOutcome
from hydra_web.tools.render import CITE_REMINDER

__all__ = ["register", "usual_runtime"]

_HOST: Final = re.compile(r"(?:[\w-]+\.)+[\w-]+(?::\d+)?")


def register(app: typer.Typer) -> None:
    """Adds the commands."""
    app.command()(search)
    app.command()(fetch)


def search(
    context: typer.Context,
    query: Annotated[list[str], typer.Argument(metavar="QUERY...", help="What to look for.")],
    store: StoreOption = None,
) -> None:
    """Search the web, or the pages you indexed.

    With --store the local pages are searched, else the provider that `hydra-web providers list` names.
    """
    outcome, provider = _call(context.obj, "web_search", {"queries": [" ".join(query)]}, store)
    if outcome.error is not None:
        provider = outcome.meta["details"].get("provider", provider)
        fail(outcome.error.message, hint=next_step(outcome.error.code, provider))
    typer.echo(strip_invisible(outcome.text.removesuffix(CITE_REMINDER).rstrip()))


def fetch(
    context: typer.Context,
    url: Annotated[str, typer.Argument(metavar="URL", help="An http or https address.")],
    store: StoreOption = None,
) -> None:
    """Fetch a page as Markdown.

    With --store, and for indexed files, the recorded page; else over the guarded door to the web.
    """
    if store is None and context.obj.replay is None and url.startswith(DEFAULT_BASE_URL):
        store = default_store()
    outcome, _ = _call(context.obj, "web_fetch", {"url": url}, store)
    if outcome.error is not None:
        fail(outcome.error.message, hint=_address_hint(url))
    typer.echo(strip_invisible(outcome.text))


def _call(
    recording: Recording, tool: str, arguments: dict[str, object], store: Path | None
) -> tuple[ToolOutcome, str | None]:
    """The outcome, and the id of the search provider that was chosen, if one was."""
    if recording.replay is not None and store is not None:
        fail("--replay answers from its own file; leave --store out", 2)
    chosen: list[str | None] = [None]

    def make_web() -> WebRuntime:
        web = usual_runtime() if store is None else _store_runtime(store)
        chosen.append(web.search_provider_id)
        return web

    async def work() -> ToolOutcome:
        async with recording.open_tools(make_web) as tools:
            return await tools.call(tool, arguments)

    with plain_errors():
        return asyncio.run(work()), chosen[-1]


def usual_runtime() -> WebRuntime:
    """The runtime that the environment and the saved settings ask for; the environment goes first."""
    settings = open_settings()
    if not os.environ.get(STORE_VARIABLE, "").strip() and has_pages(default_store()):
        os.environ[STORE_VARIABLE] = str(default_store())
    chosen = os.environ.get(SEARCH_VARIABLE, "").strip() or settings.section(SEARCH_NAMESPACE).get("provider")
    logger = logging.getLogger("hydra_web")
    level = logger.level
    logger.setLevel(logging.ERROR)  # what it would warn of, the commands say in their own words
    try:
        return WebRuntime.from_env(search_provider=chosen or None, settings=settings)
    finally:
        logger.setLevel(level)


def _store_runtime(path: Path) -> WebRuntime:
    opened = open_store(path)
    web = WebRuntime(search_provider="local", fetch_provider="local")
    web.register_search_provider(LocalSearch(opened))
    web.register_fetch_provider(LocalFetch(opened))
    return web


def _address_hint(url: str) -> str:
    """What may have been meant by an address without `http://`."""
    if "://" in url:
        return ""
    if url.startswith((".", "/", "~")) or Path(url).exists():
        return f"for a file, use: hydra-web index add {shlex.quote(url)}"
    host, _, rest = url.partition("/")
    return f"did you mean https://{host}/{rest}?" if _HOST.fullmatch(host) else ""
