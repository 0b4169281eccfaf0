"""`hydra-web demo`: the main job, shown step by step with no key and no network."""

import sys

import typer

__all__ = ["register"]


def register(app: typer.Typer) -> None:
    """Adds the command."""
    app.command()(demo)


def demo() -> None:
    """Show the whole job, with no key and no network."""
    from hydra_web.demo import run_demo

    raise typer.Exit(run_demo(sys.stdout))
