"""`hydra-web demo`: the main job, shown step by step with no key and no network."""

import sys

import typer

__all__ = ["register"]


def register(app: typer.Typer) -> None:
    """Adds the command."""
    app.command()(demo)


def demo() -> None:
    """Search, fetch and answer with checked citations on a small web shipped with the package."""
    from hydra_web.demo import run_demo

    raise typer.Exit(run_demo(sys.stdout))
