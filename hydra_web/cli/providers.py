"""`hydra-web providers`: which search providers there are, what each needs, and whether one answers."""

import asyncio
import os
import time
from typing import Annotated

import typer

from hydra_web.cli._people import (
    SEARCH_VARIABLE,
    default_store,
    fail,
    has_pages,
    next_step,
    open_settings,
    plain_errors,
)
from hydra_web.cli._table import print_table
from hydra_web.cli.settings import mask_value
from hydra_web.cli.web import usual_runtime
from hydra_web.errors import ConfigError, WebError
from hydra_web.providers import PROVIDER_CLASSES, EnvironmentCredentials, SearchApi
from hydra_web.runtime import WebRuntime
from hydra_web.runtime.needs import LOCAL_ID, describe_need
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
    """List the providers, what each needs, and which one would answer."""
    with plain_errors():
        rows = []
        for provider in _providers():
            ready = "yes" if provider.available() else "no"
            rows.append((provider.id, provider.descriptor.display_name, ready, _need(provider)))
        ready = "yes" if has_pages(default_store()) else "no"
        rows.append((LOCAL_ID, "Local pages", ready, "hydra-web index add PATH"))
        answer = _answer()
    print_table(("ID", "NAME", "READY", "NEEDS"), rows)
    typer.echo(f"\n{answer}")


def _need(provider: SearchApi) -> str:
    named = provider.descriptor.credential_ref if provider.key_required and provider.usual_base_url else None
    usual = named is None or named in provider.credential_names
    return (describe_need(provider.id) if usual else named) or "nothing"


def _answer() -> str:
    """Which provider a search would go to now, and why."""
    failure, chosen = WebError("", ""), None
    try:
        with usual_runtime() as web:
            chosen = web.search_provider_id
            return f"A search now goes to {_reason(web.select_search_provider().id, chosen)}."
    except WebError as error:
        failure = error
    hint = next_step(failure.code, chosen)
    return f"A search would fail now: {failure.message}" + (f"\n{hint}" if hint else "")


def _reason(provider_id: str, chosen: str | None) -> str:
    if chosen and os.environ.get(SEARCH_VARIABLE, "").strip():
        return f"{provider_id}: {SEARCH_VARIABLE} says so"
    if chosen:
        return f"{provider_id}: web-search.provider in the saved settings says so"
    match provider_id:
        case "local":
            return "local: no service is set up, and there are indexed pages"
        case "wikipedia":
            return "wikipedia: no service is set up, and no pages are indexed"
        case _:
            return f"{provider_id}: it is the only service that is set up"


def describe(provider_id: ProviderId) -> None:
    """Show what a provider searches, needs, and can be set to."""
    with plain_errors():
        provider = _provider(provider_id)
        shown = provider.descriptor
        section = open_settings().section(provider.namespace)
    kinds = [kind for kind, can in shown.capabilities.model_dump().items() if can]
    typer.echo(f"{shown.id}: {one_line(shown.display_name)}. {shown.description}")
    typer.echo(f"ready       {'yes' if provider.available() else 'no'}")
    typer.echo(f"needs       {_need(provider)}")
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
    settings = open_settings()
    return [kind(base_url=kind.address_in(os.environ), settings=settings) for kind in PROVIDER_CLASSES]


def _provider(provider_id: str) -> SearchApi:
    providers = {provider.id: provider for provider in _providers()}
    if provider_id not in providers:
        also = "" if provider_id != LOCAL_ID else "local searches indexed pages; see: hydra-web index list"
        fail(f"there is no provider {provider_id!r}; there are: {', '.join(providers)}", 2, hint=also)
    return providers[provider_id]
