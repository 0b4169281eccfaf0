"""`hydra-web search` and `hydra-web fetch`: the two tools, as a model would see their results."""

import asyncio
import os
from pathlib import Path
from typing import Annotated

import typer

from hydra_web.cli._people import STORE_VARIABLE, StoreOption, default_store, fail, open_store, plain_errors
from hydra_web.cli._recording import Recording
from hydra_web.indexing import DEFAULT_BASE_URL
from hydra_web.runtime import WebRuntime
from hydra_web.store import LocalFetch, LocalSearch
from hydra_web.text import strip_invisible
from hydra_web.tools import ToolOutcome

__all__ = ["register"]


def register(app: typer.Typer) -> None:
    """Adds the commands."""
    app.command()(search)
    app.command()(fetch)


def search(
    context: typer.Context,
    query: Annotated[list[str], typer.Argument(metavar="QUERY...", help="What to look for.")],
    store: StoreOption = None,
) -> None:
    """Search: with --store the local pages, else through the provider your environment is set up for."""
    _show(context.obj, "web_search", {"queries": [" ".join(query)]}, store)


def fetch(
    context: typer.Context,
    url: Annotated[str, typer.Argument(metavar="URL", help="An http or https address.")],
    store: StoreOption = None,
) -> None:
    """Fetch a page as Markdown: a recorded one with --store and for files, else over the guarded door to the web."""
    if store is None and context.obj.replay is None and url.startswith(DEFAULT_BASE_URL):
        store = default_store()
    _show(context.obj, "web_fetch", {"url": url}, store)


def _show(recording: Recording, tool: str, arguments: dict[str, object], store: Path | None) -> None:
    if recording.replay is not None and store is not None:
        fail("--replay answers from its own file; leave --store out", 2)
    with plain_errors():
        outcome = asyncio.run(_call(recording, tool, arguments, store))
    if outcome.is_error:
        fail(outcome.text.removeprefix("Error: "))
    typer.echo(strip_invisible(outcome.text))


async def _call(recording: Recording, tool: str, arguments: dict[str, object], store: Path | None) -> ToolOutcome:
    async with recording.open_tools(lambda: _runtime(store)) as tools:
        return await tools.call(tool, arguments)


def _runtime(store: Path | None) -> WebRuntime:
    if store is None:
        if default_store().is_file():
            os.environ.setdefault(STORE_VARIABLE, str(default_store()))
        return WebRuntime.from_env()
    opened = open_store(store)
    web = WebRuntime(search_provider="local", fetch_provider="local")
    web.register_search_provider(LocalSearch(opened))
    web.register_fetch_provider(LocalFetch(opened))
    return web
