"""`hydra-web cite`: whether an answer's citations hold."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from hydra_web.cli._people import HOW_TO_RECORD, StoreOption, fail, open_store, plain_errors, say
from hydra_web.cli._table import print_table
from hydra_web.evidence import CitationReport, EvidenceLedger, repair_prompt, verify_citations

__all__ = ["register"]

_commands = typer.Typer(help="Check the citations of an answer.", no_args_is_help=True)


def register(app: typer.Typer) -> None:
    """Adds the commands."""
    app.add_typer(_commands, name="cite")


@_commands.callback()
def _group() -> None:
    pass


@_commands.command()
def check(
    answer: Annotated[
        Path, typer.Argument(metavar="ANSWER.md", help="The answer in Markdown; - reads standard input.")
    ],
    store: StoreOption = None,
    run: Annotated[str, typer.Option(help="The run whose reading counts.")] = "default",
    strict: Annotated[bool, typer.Option("--strict", help="Accept only the very characters of a page.")] = False,
    repair: Annotated[bool, typer.Option("--repair", help="Print what to tell the model instead of a table.")] = False,
) -> None:
    """Check every citation against the pages a store recorded; exit code 1 when one does not hold."""
    with plain_errors():
        opened = open_store(store, hint=HOW_TO_RECORD)
        try:
            report = verify_citations(_read(answer), EvidenceLedger(opened, run), strict=strict)
        finally:
            opened.close()
    if repair:
        typer.echo(repair_prompt(report), nl=not report.ok)
    else:
        _print_report(report)
    if not report.ok:
        raise typer.Exit(1)


def _read(answer: Path) -> str:
    try:
        data = sys.stdin.buffer.read() if str(answer) == "-" else answer.read_bytes()
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        pass
    return fail(f"{answer}: not UTF-8 text")


def _print_report(report: CitationReport) -> None:
    rows = [
        ("holds" if item.verified else "fails", item.explanation, item.label, item.quote, item.url or item.source_id)
        for item in report.citations
    ]
    rows += [
        ("link", "seen" if link.seen else "not seen in this run", link.label, "", link.url) for link in report.links
    ]
    if rows:
        print_table(("result", "why", "words", "quote", "source"), rows)
    say(report.summary)
