"""`hydra-web settings`: the saved settings, without secrets."""

import json
import re
from collections.abc import Mapping
from typing import Annotated, Any, Final

import typer

from hydra_web.cli._people import fail, open_settings, plain_errors, say
from hydra_web.providers import PROVIDER_CLASSES, SearchApi
from hydra_web.runtime.needs import known_ids
from hydra_web.settings import SEARCH_NAMESPACE
from hydra_web.settings_file import default_settings_path
from hydra_web.text import strip_invisible

__all__ = ["mask_value", "register"]

_SECRET_NAME: Final = re.compile(r"key|secret|token|password|authorization|cookie", re.IGNORECASE)
_USER: Final = re.compile(r"(?<=://)[^/?#\s]*@")
_MASK: Final = "**********"
_WHERE: Final = "They apply to hydra-web search, and in code to runtimes made with settings=SettingsStore()."

Name = Annotated[
    str, typer.Argument(metavar="SECTION.KEY", help="Such as web-search.provider or web-search-exa.numResults.")
]


def register(app: typer.Typer) -> None:
    """Adds the commands."""
    group = typer.Typer(help=f"Saved settings: read, change, find them.\n\n{_WHERE}", no_args_is_help=True)
    group.command("get")(get)
    group.command("set")(set_value)
    group.command("path")(path)
    app.add_typer(group, name="settings")


def path() -> None:
    """Print where the settings are saved."""
    typer.echo(str(default_settings_path()))


def get(
    name: Annotated[
        str, typer.Argument(metavar="[SECTION[.KEY]]", help="What to show; everything when left out.")
    ] = "",
) -> None:
    """Print saved settings as JSON. Secrets that an old version saved are masked."""
    with plain_errors():
        sections = {name: _masked(name, section) for name, section in open_settings().sections().items()}
    section, _, key = name.partition(".")
    shown: Any = sections
    if section:
        shown = sections.get(section, {})
    if key:
        if key not in shown:
            fail(f"{name} is not set")
        shown = shown[key]
    typer.echo(strip_invisible(json.dumps(shown, ensure_ascii=False, indent=2)))


def set_value(
    name: Name,
    value: Annotated[str, typer.Argument(metavar="VALUE", help="The new value; with --unset it is left out.")] = "",
    unset: Annotated[bool, typer.Option("--unset", help="Go back to the default.")] = False,
) -> None:
    """Save one setting.

    Keys and passwords are refused: settings name credentials, they do not hold them.
    """
    section, _, key = name.partition(".")
    if not section or not key:
        fail("name a setting as SECTION.KEY, such as web-search.provider", 2)
    kind = _kind(section, key)
    if (section, key) == (SEARCH_NAMESPACE, "provider") and not unset and value and value not in known_ids():
        fail(f"there is no provider {value!r}; there are: {', '.join(known_ids())}", 2)
    settings = open_settings()
    with plain_errors():
        settings.update(section, {key: None if unset else _typed(kind, value)})
    say(f"Saved. {_WHERE}")


def _kind(section: str, key: str) -> str:
    """The kind of value the setting takes; ends the command where there is no such setting."""
    if section == SEARCH_NAMESPACE:
        return "json"
    provider = next((kind for kind in PROVIDER_CLASSES if kind.namespace == section), None)
    if provider is None:
        names = ", ".join([SEARCH_NAMESPACE, *(kind.namespace for kind in PROVIDER_CLASSES)])
        fail(f"there is no section {section!r}; there are: {names}", 2)
    fields = {entry.key: entry.kind for entry in provider.setting_fields}
    if key not in fields and _SECRET_NAME.search(key):
        fail(_pointer(provider, section), 2)
    if key not in fields and key not in provider.hidden_settings:
        fail(f"{section} has no setting {key!r}; it has: {', '.join(fields)}", 2)
    return "text" if fields.get(key) == "json" else fields.get(key, "json")


def _pointer(provider: type[SearchApi], section: str) -> str:
    variable = provider.credential_names[0] if provider.credential_names else "a variable"
    return (
        f"secrets are not saved among the settings. Put the key into the environment as {variable},"
        f" or name another variable with: hydra-web settings set {section}.apiKeyEnv NAME"
    )


def _typed(kind: str, value: str) -> Any:
    """Numbers for number settings, whatever JSON says where the kind is not told; else the text itself."""
    if kind not in ("number", "json"):
        return value
    try:
        return json.loads(value)
    except ValueError:
        return value


def _masked(section: str, values: Mapping[str, Any]) -> dict[str, Any]:
    """The values with everything masked that looks like a secret and is no known setting."""
    kinds = [kind for kind in PROVIDER_CLASSES if kind.namespace == section]
    known = {entry.key for kind in kinds for entry in kind.setting_fields}
    return {key: mask_value("" if key in known else key, value) for key, value in values.items()}


def mask_value(key: str, value: Any) -> Any:
    """The value with secrets masked: all of it by its key, what lies inside it, and user names in URLs."""
    if _SECRET_NAME.search(key):
        return _MASK
    if isinstance(value, dict):
        return {inner: mask_value(inner, entry) for inner, entry in value.items()}
    if isinstance(value, list):
        return [mask_value("", entry) for entry in value]
    return _USER.sub(f"{_MASK}@", value) if isinstance(value, str) else value
