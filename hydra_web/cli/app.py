"""The typer application: every group of commands registers itself here."""

from typing import Annotated

import typer

from hydra_web._version import __version__
from hydra_web.cli import demo, index, providers, settings, web

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
    _version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    pass


for _module in (index, web, providers, settings, demo):
    _module.register(app)
