"""Talking to people: errors with what to do next, the store and settings they mean, text that cannot play tricks."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Final, NoReturn

import platformdirs
import typer

from hydra_web.errors import ConfigError, SearchProviderError, WebError
from hydra_web.runtime.needs import LOCAL_ID, STORE_VARIABLE, describe_need, known_ids
from hydra_web.settings_file import SettingsStore
from hydra_web.store import SqliteStore
from hydra_web.text import one_line

__all__ = [
    "HOW_TO_RECORD",
    "SEARCH_VARIABLE",
    "STORE_VARIABLE",
    "StoreOption",
    "default_store",
    "fail",
    "has_pages",
    "next_step",
    "open_settings",
    "open_store",
    "plain_errors",
    "say",
]

SEARCH_VARIABLE: Final = "HYDRA_WEB_SEARCH_PROVIDER"
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
    if not named:
        return Path(platformdirs.user_data_dir("hydra-web"), "store.sqlite3")
    return Path(os.path.expanduser(named))  # noqa: PTH111 - Path.expanduser fails for a user there is not


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


def has_pages(path: Path) -> bool:
    """Whether a store is there and holds a page."""
    if not path.is_file():
        return False
    opened = open_store(path)
    try:
        return bool(opened.pages())
    finally:
        opened.close()


def open_settings() -> SettingsStore:
    """The saved settings; a file that cannot be read ends the command."""
    settings = SettingsStore()
    failure = ""
    try:
        settings.sections()
    except WebError as error:
        failure = error.message
    if failure:
        fail(f"{settings.path}: {failure}", hint="mend the file, or move it away to start anew")
    return settings


def say(text: str) -> None:
    """Prints one line about what is going on to standard error, so that output can be piped."""
    typer.echo(one_line(text), err=True)


def fail(text: str, code: int = 1, hint: str = "") -> NoReturn:
    """Says what went wrong, and on a line of its own what to do next; ends the command."""
    say(f"hydra-web: {text}")
    if hint:
        say(hint)
    raise typer.Exit(code)


def next_step(code: str, provider_id: str | None) -> str:
    """What a person can do about a search that failed; empty where nothing useful can be said."""
    need = describe_need(provider_id) if provider_id else None
    if provider_id == LOCAL_ID:
        need = "indexed pages: hydra-web index add PATH"
    match code:
        case "WEB_PROVIDER_AMBIGUOUS":
            return f"choose one: {SEARCH_VARIABLE}=ID, or save it: hydra-web settings set web-search.provider ID"
        case "WEB_PROVIDER_CONFIGURED_MISSING" | "WEB_PROVIDER_CONFIGURED_UNAVAILABLE" if provider_id and need is None:
            return f"there is no provider {provider_id!r}; there are: {', '.join(known_ids())}"
        case "WEB_PROVIDER_CONFIGURED_MISSING" | "WEB_PROVIDER_CONFIGURED_UNAVAILABLE" | "CONFIG_ERROR" if need:
            return f"{provider_id} needs {need}"
        case "AUTH_ERROR" if need:
            return f"{provider_id} refused access; see its credential: hydra-web providers describe {provider_id}"
        case _ if provider_id:
            return (
                f"the provider was {provider_id}. Try again, choose another one (hydra-web providers list),"
                " or search pages of your own: hydra-web index add PATH"
            )
    return ""


@contextmanager
def plain_errors() -> Iterator[None]:
    """Turns our errors into a line for people and an exit code: 2 for a wrong value, else 1."""
    try:
        yield
    except ConfigError as error:
        fail(error.message, 2)
    except SearchProviderError as error:
        fail(error.message, hint=next_step(error.code, error.provider))
    except WebError as error:
        fail(error.message)
    except OSError as error:
        fail(f"{error.filename}: {error.strerror}")
