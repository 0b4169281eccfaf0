"""`hydra-web index`: which pages the local provider knows."""

import asyncio
import os
import shlex
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Final

import typer

from hydra_web.cli._people import STORE_VARIABLE, StoreOption, default_store, fail, open_store, plain_errors, say
from hydra_web.indexing import IndexReport, Progress, file_url, index_paths
from hydra_web.protocols import WebFetchProvider
from hydra_web.store import SqliteStore, repair_store
from hydra_web.text import one_line
from hydra_web.urls import is_http_url

__all__ = ["register"]

_MOST_KINDS: Final = 5
_commands = typer.Typer(help="Choose which pages are searched locally.", no_args_is_help=True)


def register(app: typer.Typer) -> None:
    """Adds the commands."""
    app.add_typer(_commands, name="index")


@_commands.command()
def add(
    targets: Annotated[list[str], typer.Argument(metavar="TARGET...", help="Files, folders or URLs.")],
    store: StoreOption = None,
    base_url: Annotated[
        str | None, typer.Option(metavar="URL", help="Address of a folder's files; default: their absolute path.")
    ] = None,
) -> None:
    """Index files, folders and web pages.

    Files are text, Markdown or HTML. What cannot be read is named, and the exit code is then 1.
    """
    if not any(is_http_url(target) or os.path.lexists(target) for target in targets):
        fail(f"no such file or folder: {', '.join(targets)}")  # before a store is made for nothing
    with plain_errors():
        opened = open_store(store, create=True)
        try:
            with _bar() as progress:
                report = asyncio.run(_add(opened, targets, base_url, progress))
        finally:
            opened.close()
    _explain(report, opened.path)


@_commands.command("list")
def list_pages(store: StoreOption = None) -> None:
    """List the recorded pages.

    Address, title, length and when they were read, separated by tabs.
    """
    with plain_errors():
        opened = open_store(store)
        pages = opened.pages()
        opened.close()
    for page in pages:
        typer.echo("\t".join((page.url, one_line(page.title or ""), str(page.characters), page.fetched_at)))
    if not pages:
        say(f"{opened.path} is empty. Fill it with: hydra-web index add PATH")


@_commands.command()
def remove(
    targets: Annotated[list[str], typer.Argument(metavar="TARGET...", help="Files, folders or URLs.")],
    store: StoreOption = None,
) -> None:
    """Forget pages.

    By the file or the address they were indexed from; a folder stands for everything below it.
    """
    with plain_errors():
        opened = open_store(store)
        try:
            missing = [target for target in targets if not _remove(opened, target)]
        finally:
            opened.close()
    for target in missing:
        say(f"not in the store: {target}")
    if missing:
        fail("see what is there with: hydra-web index list")


def _remove(store: SqliteStore, target: str) -> bool:
    """Removes the page, or the pages below a folder, and prints their addresses; False when there was none."""
    if is_http_url(target):
        urls = [target]
    else:
        url = file_url(Path(target))
        urls = [url, *(page.url for page in store.pages() if page.url.startswith(f"{url.rstrip('/')}/"))]
    removed = [url for url in urls if store.remove_page(url)]
    for url in removed:
        typer.echo(f"Removed {url}")
    return bool(removed)


@_commands.command()
def repair(store: StoreOption = None) -> None:
    """Save what a damaged store still holds.

    Close everything that uses it first.
    """
    path = store or default_store()
    if not path.is_file():
        fail(f"there is no store at {path}")
    with plain_errors():
        report = repair_store(path)
    typer.echo(f"Saved {report.pages} pages, {report.records} records and {report.charges} charges in {path}")
    say(f"the damaged file is now {report.damaged}")


async def _add(store: SqliteStore, targets: list[str], base_url: str | None, progress: Progress | None) -> IndexReport:
    fetch: WebFetchProvider | None = None
    if any(is_http_url(target) for target in targets):
        from hydra_web.net import HttpFetch

        fetch = HttpFetch()
    return await index_paths(store, targets, fetch=fetch, progress=progress, base_url=base_url)


def _explain(report: IndexReport, path: Path) -> None:
    for skipped in report.skipped:
        say(f"skipped {skipped.target}: {skipped.reason}")
    noun = "page" if report.indexed == 1 else "pages"
    typer.echo(f"Indexed {report.indexed} {noun} in {path}{_passed_over(report)}")
    if report.indexed:
        named = "" if path == default_store() else f" --store {shlex.quote(str(path))}"
        say(f'Ask them with: hydra-web search{named} "your question"')
        say(f"In Python: export {STORE_VARIABLE}={shlex.quote(str(path.absolute()))}")
    elif not report.skipped:
        fail("nothing to index was found; text, Markdown and HTML files are what is looked for")
    if report.skipped:
        raise typer.Exit(1)


def _passed_over(report: IndexReport) -> str:
    if not report.ignored:
        return ""
    kinds = [f"{count} {suffix or 'without a suffix'}" for suffix, count in report.ignored_kinds[:_MOST_KINDS]]
    more = ", …" if len(report.ignored_kinds) > _MOST_KINDS else ""
    noun = "file" if report.ignored == 1 else "files"
    return f" ({report.ignored} other {noun} passed over: {', '.join(kinds)}{more})"


@contextmanager
def _bar() -> Iterator[Progress | None]:
    """A progress bar on a terminal, nothing elsewhere."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import Progress as Bar

    with Bar(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("Indexing", total=None)
        yield lambda done, total, _: bar.update(task, completed=done, total=total)
