"""The typer application: every group of commands registers itself here."""

from pathlib import Path
from typing import Annotated

import typer

from hydra_web._version import __version__
from hydra_web.cli import cite, demo, index, providers, report, settings, web
from hydra_web.cli._recording import Recording

__all__ = ["app"]

app: typer.Typer = typer.Typer(
    name="hydra-web",
    help="Web search and guarded web fetch for LLM agents, with citations that can be checked.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"hydra-web {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    context: typer.Context,
    record: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="With search and fetch: keep in this file what was asked and answered."),
    ] = None,
    replay: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="With search and fetch: answer from such a file, without any network."),
    ] = None,
    _version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    context.obj = Recording(record, replay)
    context.obj.check(context.invoked_subcommand)


for _module in (index, web, cite, report, providers, settings, demo):
    _module.register(app)
