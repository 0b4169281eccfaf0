"""`hydra-web providers`: which search providers there are, what each needs, and whether one answers."""

import asyncio
import os
import time
from typing import Annotated

import typer

from hydra_web.cli._people import fail, plain_errors
from hydra_web.cli._table import print_table
from hydra_web.cli.settings import mask_value
from hydra_web.errors import ConfigError
from hydra_web.providers import PROVIDER_CLASSES, EnvironmentCredentials, SearchApi
from hydra_web.runtime import WebRuntime
from hydra_web.settings_file import SettingsStore
from hydra_web.text import one_line

__all__ = ["register"]

ProviderId = Annotated[str, typer.Argument(metavar="ID", help="A provider's id, as `providers list` shows it.")]


def register(app: typer.Typer) -> None:
    """Adds the commands."""
    group = typer.Typer(help="Search providers: list them, describe one, test one.", no_args_is_help=True)
    group.command("list")(list_providers)
    group.command("describe")(describe)
    group.command("test")(test)
    app.add_typer(group, name="providers")


def list_providers() -> None:
    """List every provider, whether it is ready, and the credential it uses."""
    with plain_errors():
        rows = []
        for provider in _providers():
            shown = provider.descriptor
            ready = "yes" if provider.available() else "no"
            rows.append((shown.id, shown.display_name, ready, shown.credential_ref or "-"))
    print_table(("ID", "NAME", "READY", "CREDENTIAL"), rows)


def describe(provider_id: ProviderId) -> None:
    """Show what a provider can search, its credential, and its settings."""
    with plain_errors():
        provider = _provider(provider_id)
        shown = provider.descriptor
        section = SettingsStore().section(provider.namespace)
    kinds = [kind for kind, can in shown.capabilities.model_dump().items() if can]
    typer.echo(f"{shown.id}: {one_line(shown.display_name)}. {shown.description}")
    typer.echo(f"ready       {'yes' if provider.available() else 'no'}")
    try:
        provider.configured()
    except ConfigError as error:
        typer.echo(f"problem     {error}")
    typer.echo(f"searches    {', '.join(kinds)}")
    typer.echo(f"endpoint    {(provider.usable() or provider).base_url or '(not set)'}")
    for name in provider.credential_names:
        typer.echo(f"credential  {name} ({'set' if EnvironmentCredentials().has(name) else 'not set'})")
    for entry in shown.fields:
        saved = f" = {one_line(str(mask_value('', section[entry.key])))}" if entry.key in section else ""
        choices = f" [{', '.join(choice or '(empty)' for choice in entry.options)}]" if entry.options else ""
        typer.echo(f"setting     {shown.settings_ns}.{entry.key}{saved}  ({entry.label}{choices})")


def test(provider_id: ProviderId) -> None:
    """Run one small search and say how it went."""
    started = time.monotonic()
    with plain_errors():
        provider = _provider(provider_id)
        found = asyncio.run(_test(provider))
    typer.echo(f"{provider_id}: {found} results in {round((time.monotonic() - started) * 1000)} ms")


async def _test(provider: SearchApi) -> int:
    async with WebRuntime() as web:
        web.register_search_provider(provider)
        return len((await web.test_search_provider(provider.id)).sources)


def _providers() -> list[SearchApi]:
    settings = SettingsStore()
    settings.sections()  # an unreadable file is said, not taken for providers that are not ready
    return [kind(base_url=kind.address_in(os.environ), settings=settings) for kind in PROVIDER_CLASSES]


def _provider(provider_id: str) -> SearchApi:
    providers = {provider.id: provider for provider in _providers()}
    if provider_id not in providers:
        fail(f"there is no provider {provider_id!r}; there are: {', '.join(providers)}", 2)
    return providers[provider_id]
