"""Cards for user interfaces: what a call asks for, and what came of it. Pure, and it never raises."""

from collections.abc import Mapping
from typing import Any, Final

from hydra_web.protocols import JsonObject
from hydra_web.tools.outcome import ToolOutcome

__all__ = ["fetch_meta", "present_call", "present_result", "search_meta"]

_OPTIONAL_TEXTS: Final = ("title", "snippet", "publishedAt")


def present_call(name: str, arguments: object) -> JsonObject | None:
    """The card for a call about to run, or None for a tool that is not ours."""
    if name not in ("web_search", "web_fetch"):
        return None
    title = _title(name, arguments)
    return {"card": "generic", "title": title, "kind": name.removeprefix("web_"), "rawInput": title}


def present_result(
    name: str, arguments: object, outcome_or_meta: ToolOutcome | object, is_error: bool = False
) -> JsonObject | None:
    """The card for a result, from the outcome or from meta that was saved; None when there is none to show."""
    meta: object = outcome_or_meta
    if isinstance(outcome_or_meta, ToolOutcome):
        meta, is_error = outcome_or_meta.meta, outcome_or_meta.is_error
    if is_error or not isinstance(meta, Mapping):
        return None
    if name == "web_search":
        shown = _narrow_search(meta)
    elif name == "web_fetch":
        shown = _narrow_fetch(meta)
    else:
        return None
    if shown is None:
        return None
    return {"card": "web", "kind": name.removeprefix("web_"), "title": _title(name, arguments), **shown}


def search_meta(value: JsonObject) -> JsonObject:
    """The presentation meta of a search's value."""
    meta = {"sources": value["sources"], "truncated": value["truncated"]}
    if "content" in value:
        meta["answer"] = value["content"]
    return meta


def fetch_meta(value: JsonObject, truncated: bool) -> JsonObject:
    """The presentation meta of a fetch's value; `truncated` is about the text as shown."""
    return {"url": value["url"], "statusCode": value["statusCode"], "truncated": truncated}


def _title(name: str, arguments: object) -> str:
    if not isinstance(arguments, Mapping):
        return ""
    if name == "web_fetch":
        return _text(arguments.get("url"))
    queries = arguments.get("queries")
    if isinstance(queries, list | tuple):
        return ", ".join(query for query in queries if isinstance(query, str))
    return _text(queries) or _text(arguments.get("query"))


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _narrow_search(meta: Mapping[Any, Any]) -> JsonObject | None:
    sources, truncated = meta.get("sources"), meta.get("truncated")
    if not isinstance(sources, list | tuple) or not isinstance(truncated, bool):
        return None
    if not all(_is_source(source) for source in sources):
        return None
    shown: JsonObject = {"sources": list(sources), "truncated": truncated}
    if "answer" in meta:
        if not isinstance(meta["answer"], str):
            return None
        shown["answer"] = meta["answer"]
    return shown


def _is_source(source: object) -> bool:
    return (
        isinstance(source, Mapping)
        and isinstance(source.get("url"), str)
        and all(isinstance(source[key], str) for key in _OPTIONAL_TEXTS if key in source)
    )


def _narrow_fetch(meta: Mapping[Any, Any]) -> JsonObject | None:
    url, status, truncated = meta.get("url"), meta.get("statusCode"), meta.get("truncated")
    if not isinstance(url, str) or not isinstance(truncated, bool):
        return None
    if isinstance(status, bool) or not isinstance(status, int | float):
        return None
    return {"url": url, "statusCode": status, "truncated": truncated}
