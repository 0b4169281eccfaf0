"""The `hydra-web` command.

What may live here: one module per group of commands, each with `register(app)`, and what they share for talking to
people. Commands read arguments, call the floors below and print; errors say what to do next, without a traceback.
typer and rich, the `cli` extra, are imported only below `main`.
"""

import sys

from hydra_web._version import __version__

__all__ = ["main"]


def main() -> None:
    """Runs the command line; the exit code is 0, 1 when something did not work, or 2 for wrong usage."""
    if sys.argv[1:] == ["--version"]:
        print(f"hydra-web {__version__}")
        return
    try:
        from hydra_web.cli.app import app
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in ("typer", "rich"):
            raise
        print('The hydra-web command needs a few more packages: pip install "hydra-web[cli]"', file=sys.stderr)
        sys.exit(1)
    app(prog_name="hydra-web")
