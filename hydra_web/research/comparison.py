"""What recorded runs did, as numbers that can be laid side by side."""

import contextlib
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from hydra_web.errors import WebError
from hydra_web.protocols import JsonObject

__all__ = ["RunSummary", "ToolSummary", "summarize_run"]

_TOOLS: Final = {"search": "web_search", "fetch": "web_fetch"}


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolSummary:
    """What one tool did in a run."""

    tool: str
    """The tool's name."""
    calls: int
    """How many requests reached the web; a search of three queries is three."""
    errors: int
    """How many of them failed."""
    duration_ms: int
    """How long they took together; calls that ran at once count each."""
    output_chars: int
    """How many characters came back: of page bodies, and of titles, snippets and answers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunSummary:
    """What a recorded run did."""

    tools: tuple[ToolSummary, ...]
    """One entry for each tool that was used, searches first."""
    model_requests: int
    """How many requests to a model reported what they cost."""
    input_tokens: int
    """Tokens these requests took in."""
    output_tokens: int
    """Tokens they gave back."""
    cache_read_tokens: int
    """How many of the tokens taken in came from a cache."""


def summarize_run(records: Iterable[JsonObject]) -> RunSummary:
    """Adds up the records of one run, as `hydra_web.replay.Recorder` keeps them.

    Raises WebError `WEB_STORE_ERROR` (`corrupt`) when one of them is not what a recorder writes.
    """
    with contextlib.suppress(AttributeError, KeyError, TypeError):
        return _summarize(records)
    raise WebError("the recording is damaged", "WEB_STORE_ERROR", "corrupt")


def _summarize(records: Iterable[JsonObject]) -> RunSummary:
    calls: dict[str, list[JsonObject]] = defaultdict(list)
    usages: list[JsonObject] = []
    for record in records:
        if record.get("kind") == "usage":
            usages.append(record["usage"])
        elif record.get("kind") in _TOOLS:
            calls[record["kind"]].append(record)
    return RunSummary(
        tools=tuple(_summarize_tool(kind, calls[kind]) for kind in _TOOLS if calls[kind]),
        model_requests=len(usages),
        input_tokens=sum(usage["inputTokens"] for usage in usages),
        output_tokens=sum(usage["outputTokens"] for usage in usages),
        cache_read_tokens=sum(usage["cacheReadTokens"] for usage in usages),
    )


def _summarize_tool(kind: str, calls: list[JsonObject]) -> ToolSummary:
    return ToolSummary(
        tool=_TOOLS[kind],
        calls=len(calls),
        errors=sum("error" in call for call in calls),
        duration_ms=sum(call["durationMs"] for call in calls),
        output_chars=sum(_output_chars(call.get("result") or {}) for call in calls),
    )


def _output_chars(result: JsonObject) -> int:
    body = result.get("body") or {}
    texts = [body.get("content") or "", *body.get("pages", ()), result.get("content") or ""]
    for source in result.get("sources", ()):
        texts += [source.get("title") or "", source.get("snippet") or ""]
    return sum(map(len, texts))
