"""`hydra-web report`: recorded runs side by side."""

from pathlib import Path
from typing import Annotated

import typer

from hydra_web.cli._people import HOW_TO_RECORD, fail, open_store, plain_errors
from hydra_web.cli._table import print_table
from hydra_web.replay import recording_stream
from hydra_web.research import RunSummary, summarize_run

__all__ = ["register"]


def register(app: typer.Typer) -> None:
    """Adds the command."""
    app.command()(report)


def report(
    recordings: Annotated[list[Path], typer.Argument(metavar="RECORDING...", help="Files written while recording.")],
    run: Annotated[str, typer.Option(help="The run inside each file.")] = "default",
) -> None:
    """Compare recorded runs: calls, failures, milliseconds and characters per tool, and tokens when known."""
    with plain_errors():
        summaries = [(str(path), _summary(path, run)) for path in recordings]
    print_table(
        ("run", "tool", "calls", "errors", "ms", "characters"),
        [
            (name, tool.tool, tool.calls, tool.errors, tool.duration_ms, tool.output_chars)
            for name, summary in summaries
            for tool in summary.tools
        ],
    )
    spent = [(name, summary) for name, summary in summaries if summary.model_requests]
    if spent:
        typer.echo()
        print_table(
            ("run", "model requests", "tokens in", "from cache", "tokens out"),
            [
                (name, one.model_requests, one.input_tokens, one.cache_read_tokens, one.output_tokens)
                for name, one in spent
            ],
        )


def _summary(path: Path, run: str) -> RunSummary:
    opened = open_store(path, hint=HOW_TO_RECORD)
    try:
        records = [record for _, record in opened.read(recording_stream(run))]
    finally:
        opened.close()
    if not records:
        fail(f"{path} holds no recorded run named {run}")
    return summarize_run(records)
