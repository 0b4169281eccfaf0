"""The mapping of a JSON search API onto ours: dotted names, written and read without surprises. Pure."""

import re
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, TypeAlias

from hydra_web.errors import ConfigError
from hydra_web.protocols import JsonObject
from hydra_web.providers._dates import parse_date
from hydra_web.providers._reading import Found, as_list, as_number, plain_text, web_address
from hydra_web.types import WebSearchSource

__all__ = ["FORBIDDEN_NAMES", "Path", "ResultMapping", "parse_path", "read_results", "write_path"]

Path: TypeAlias = tuple[str, ...]
"""The names from an object down to a value; empty means not mapped."""

FORBIDDEN_NAMES: Final = frozenset({"__proto__", "prototype", "constructor"})
"""Names that reach behind the data in some languages, refused everywhere."""

_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_ABSENT: Final = object()


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultMapping:
    """Where a result's parts are."""

    results: Path
    """The list of results, from the top of the answer."""
    url: Path
    """Its address, from the result; so are the others."""
    title: Path = ()
    """Its title."""
    snippet: Path = ()
    """Its snippet."""
    published: Path = ()
    """Its date of publication."""
    position: Path = ()
    """Its rank."""
    score: Path = ()
    """Its relevance."""


def parse_path(text: Any, *, required: bool = False) -> Path:
    """A dotted path. Raises ConfigError for anything but plain names, and for none where one is required."""
    if text == "" and not required:
        return ()
    names = tuple(text.split(".")) if isinstance(text, str) else ("",)
    if not all(_NAME.fullmatch(name) and name not in FORBIDDEN_NAMES for name in names):
        raise ConfigError("Search mapping paths must contain simple dot-separated field names.")
    return names


def write_path(target: JsonObject, path: Path, value: Any) -> None:
    """Puts a value at a path, making objects on the way and replacing what is no object; no path, no change."""
    if not path:
        return
    for name in path[:-1]:
        if not isinstance(target.get(name), dict):
            target[name] = {}
        target = target[name]
    target[path[-1]] = value


def read_results(answer: Any, mapping: ResultMapping, now: datetime) -> Found:
    """The sources of an answer. Raises ValueError as soon as one part has the wrong type.

    Every result needs an http(s) URL. Text may be null or missing; numbers may only be missing.
    """
    results = as_list(_read_path(answer, mapping.results))
    return Found(sources=tuple(_read_source(result, mapping, now) for result in results))


def _read_source(result: Any, mapping: ResultMapping, now: datetime) -> WebSearchSource:
    url = web_address(_read_path(result, mapping.url))
    if url is None:
        raise ValueError("a result has no http(s) URL")
    return WebSearchSource(
        url=url,
        title=_read_text(result, mapping.title),
        snippet=_read_text(result, mapping.snippet),
        published_at=parse_date(_read_text(result, mapping.published), now),
        position=_read_number(result, mapping.position),
        score=_read_number(result, mapping.score),
    )


def _read_path(value: Any, path: Path) -> Any:
    if not path:
        return _ABSENT
    for name in path:
        if not isinstance(value, dict) or name not in value:
            return _ABSENT
        value = value[name]
    return value


def _read_text(result: Any, path: Path) -> str | None:
    value = _read_path(result, path)
    if value is _ABSENT or value is None:
        return None
    if not isinstance(value, str):
        raise ValueError("a text is not text")
    return plain_text(value)


def _read_number(result: Any, path: Path) -> int | float | None:
    value = _read_path(result, path)
    if value is _ABSENT:
        return None
    number = as_number(value)
    if number is None:
        raise ValueError("a number is not a finite number")
    return number
