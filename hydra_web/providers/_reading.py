"""Reading of search APIs' JSON, which is a stranger's: what has the wrong type is left out, or refused. Pure."""

import html
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from hydra_web.errors import SearchErrorCode
from hydra_web.protocols import JsonObject
from hydra_web.providers._dates import parse_date
from hydra_web.types import WebSearchSource
from hydra_web.urls import is_http_url, parse_url

__all__ = [
    "Failure",
    "Found",
    "answer_text",
    "as_list",
    "as_number",
    "as_object",
    "as_text",
    "objects",
    "plain_text",
    "source",
    "web_address",
]

# Only HTML's own names count as tags: "vector<int>" is text.
_TAG: Final = re.compile(
    r"</?(?:a|abbr|b|bdi|big|blockquote|br|cite|code|dd|div|dl|dt|em|font|h[1-6]|hr|i|img|ins|kbd|li|mark|ol|p|pre|q|s"
    r"|samp|script|small|span|strong|style|sub|sup|table|tbody|td|th|thead|time|tr|u|ul|var|wbr)"
    r"(?:\s[^<>]{0,2000})?/?>",
    re.IGNORECASE,
)
_BREAK: Final = re.compile(r"<(?:br|/?(?:p|div|li|td|th|tr|h[1-6]))\b[^<>]{0,2000}>", re.IGNORECASE)
_SURROGATES: Final = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What a provider read out of an answer."""

    sources: tuple[WebSearchSource, ...] = ()
    """The sources, in the API's order."""
    content: str | None = None
    """The API's written answer, where it gives one."""


@dataclass(frozen=True, slots=True)
class Failure:
    """An answer that reports a failure."""

    code: SearchErrorCode
    """Its kind."""
    message: str | None = None
    """Our words for it, where the code's own do not fit."""


def as_object(value: Any) -> JsonObject:
    """The value, which must be an object. Raises ValueError when it is not."""
    if not isinstance(value, dict):
        raise ValueError("not an object")
    return value


def as_list(value: Any) -> list[Any]:
    """The value, which must be a list. Raises ValueError when it is not."""
    if not isinstance(value, list):
        raise ValueError("not a list")
    return value


def objects(value: Any) -> Iterator[JsonObject]:
    """The objects in a list; other entries are passed over. Raises ValueError when it is no list."""
    return (entry for entry in as_list(value) if isinstance(entry, dict))


def as_text(value: Any) -> str | None:
    """Text that says something, or None."""
    return value if isinstance(value, str) and value.strip() else None


def as_number(value: Any) -> int | float | None:
    """A finite number that is not a boolean, or None."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return value if isinstance(value, int) or math.isfinite(value) else None


def answer_text(value: Any) -> str | None:
    """A written answer as it came, or None for nothing."""
    text = as_text(value)
    return _SURROGATES.sub("\ufffd", text) if text else None


def plain_text(value: str) -> str:
    """Text without HTML tags and entities, and with lone surrogates, which no encoding has, replaced."""
    if "<" in value:
        value = _TAG.sub("", _BREAK.sub(" ", value))
    if "&" in value:
        value = html.unescape(value)
    return _SURROGATES.sub("\ufffd", value)


def web_address(value: Any) -> str | None:
    """An http(s) URL as it came, or as the standard writes it where it has spaces or control characters; or None."""
    if not isinstance(value, str) or not is_http_url(value):
        return None
    url = parse_url(value)
    plain = value.isprintable() and " " not in value
    return value if plain or url is None else str(url.href)


def source(
    url: Any,
    *,
    title: Any = None,
    snippet: Any = None,
    published: Any = None,
    now: datetime,
    position: Any = None,
    score: Any = None,
    longest_snippet: int | None = None,
) -> WebSearchSource | None:
    """A source from untyped parts, or None without an http(s) URL. What is empty or of a wrong type is left out."""
    address = web_address(url)
    if address is None:
        return None
    title, snippet = as_text(title), as_text(snippet)
    return WebSearchSource(
        url=address,
        title=plain_text(title) if title else None,
        snippet=plain_text(snippet)[:longest_snippet] if snippet else None,
        published_at=parse_date(published, now),
        position=as_number(position),
        score=as_number(score),
    )
