"""Talking to people: errors in one line, the store they mean, and text that cannot play with a terminal."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Final, NoReturn

import platformdirs
import typer

from hydra_web.errors import ConfigError, WebError
from hydra_web.store import SqliteStore
from hydra_web.text import one_line

__all__ = [
    "HOW_TO_RECORD",
    "STORE_VARIABLE",
    "StoreOption",
    "default_store",
    "fail",
    "open_store",
    "plain_errors",
    "say",
]

STORE_VARIABLE: Final = "HYDRA_WEB_STORE"
HOW_TO_RECORD: Final = "Make one with: hydra-web --record FILE search QUERY"
_HOW_TO_FILL: Final = "Fill one with: hydra-web index add PATH"

StoreOption = Annotated[
    Path | None,
    typer.Option(
        "--store",
        metavar="FILE",
        help=f"The store file. Default: {STORE_VARIABLE}, else a file in your user data folder.",
    ),
]


def default_store() -> Path:
    """The store file when none is named: HYDRA_WEB_STORE, else one in the user's data folder."""
    named = os.environ.get(STORE_VARIABLE, "").strip()
    return Path(named).expanduser() if named else Path(platformdirs.user_data_dir("hydra-web"), "store.sqlite3")


def open_store(path: Path | None, *, create: bool = False, hint: str = _HOW_TO_FILL) -> SqliteStore:
    """The store file that was named, or the default one; without `create` it has to exist.

    `hint` tells a person without the file how to come by one.
    """
    path = path or default_store()
    if create:
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            fail(f"cannot make the folder {path.parent}: {error.strerror}")
    elif not path.is_file():
        fail(f"there is no store at {path}. {hint}")
    failure = ""
    try:
        return SqliteStore(path)
    except WebError as error:
        failure = error.message
    return fail(f"{path}: {failure}")


def say(text: str) -> None:
    """Prints one line about what is going on to standard error, so that output can be piped."""
    typer.echo(one_line(text), err=True)


def fail(text: str, code: int = 1) -> NoReturn:
    """Says what went wrong and ends the command."""
    say(f"hydra-web: {text}")
    raise typer.Exit(code)


@contextmanager
def plain_errors() -> Iterator[None]:
    """Turns our errors into a line for people and an exit code: 2 for a wrong value, else 1."""
    try:
        yield
    except ConfigError as error:
        fail(error.message, 2)
    except WebError as error:
        fail(error.message)
    except OSError as error:
        fail(f"{error.filename}: {error.strerror}")
