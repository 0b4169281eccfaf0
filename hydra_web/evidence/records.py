"""What a ledger remembers: fetched pages, searches, and the id that names a page's text."""

import hashlib
import json
import re
from dataclasses import dataclass
from typing import Any, Final

from hydra_web.protocols import JsonObject
from hydra_web.types import WebSearchSource

__all__ = ["FetchRecord", "SearchRecord", "ToolCall", "source_id"]

_FETCH_TEXT: Final = re.compile(
    r"Fetched (https?://\S+) \(HTTP ([0-9]{3})\)\nSource: ([a-f0-9]{64})\n\n(.*)", re.DOTALL
)
_TRUNCATION_NOTICE: Final = "\n\n(Content truncated. Fetch a more specific URL or section for the full text.)"


def source_id(url: str, text: str) -> str:
    """The id of a text shown for a URL: SHA-256, in lower-case hex, of the compact JSON `[url, text]`.

    A lone surrogate counts as its JSON escape, as ECMAScript's `JSON.stringify` writes it.
    """
    compact = json.dumps([url, text], ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(compact.encode("utf-8", "backslashreplace")).hexdigest()


@dataclass(frozen=True, slots=True, kw_only=True)
class FetchRecord:
    """One page as an agent read it."""

    source_id: str
    """The id a citation names it by."""
    url: str
    """The final address."""
    status_code: int
    """The HTTP status; only pages with a 2xx status can be cited."""
    text: str
    """The text the model was shown."""
    page_text: str | None
    """The plain text of the whole page, when only its main content was shown."""
    fetched_at: str | None
    """When it was read (ISO 8601), when that is known."""
    sequence: int
    """Its place in the order of events; a statement is supported only by what came before it."""

    @property
    def citable(self) -> bool:
        """Whether the page may support a statement: it answered with a 2xx status."""
        return 200 <= self.status_code <= 299

    def to_json(self) -> JsonObject:
        """The record as a store keeps it."""
        return {
            "kind": "fetch",
            "sourceId": self.source_id,
            "url": self.url,
            "statusCode": self.status_code,
            "text": self.text,
            "pageText": self.page_text,
            "fetchedAt": self.fetched_at,
        }

    @classmethod
    def from_json(cls, data: JsonObject, sequence: int) -> "FetchRecord":
        """The record a store gave back."""
        return cls(
            source_id=data["sourceId"],
            url=data["url"],
            status_code=data["statusCode"],
            text=data["text"],
            page_text=data["pageText"],
            fetched_at=data["fetchedAt"],
            sequence=sequence,
        )

    @classmethod
    def from_tool_text(cls, text: str, sequence: int) -> "FetchRecord | None":
        """The page in the text of a `web_fetch` result, or None where the text is something else.

        The id is trusted as written; the notice of a cut page is not part of its text.
        """
        match = _FETCH_TEXT.fullmatch(text)
        if match is None:
            return None
        url, status, identifier, shown = match.groups()
        return cls(
            source_id=identifier,
            url=url,
            status_code=int(status),
            text=shown.removesuffix(_TRUNCATION_NOTICE),
            page_text=None,
            fetched_at=None,
            sequence=sequence,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchRecord:
    """One search and what it found."""

    query: str | None
    """What was looked for, when that is known."""
    provider: str | None
    """The id of the provider that answered, when that is known."""
    sources: tuple[WebSearchSource, ...]
    """The sources it gave."""
    sequence: int
    """Its place in the order of events."""

    def to_json(self) -> JsonObject:
        """The record as a store keeps it."""
        return {
            "kind": "search",
            "query": self.query,
            "provider": self.provider,
            "sources": [source.to_json_dict() for source in self.sources],
        }

    @classmethod
    def from_json(cls, data: JsonObject, sequence: int) -> "SearchRecord":
        """The record a store gave back."""
        sources: list[dict[str, Any]] = data["sources"]
        return cls(
            query=data["query"],
            provider=data["provider"],
            sources=tuple(WebSearchSource.model_validate(source) for source in sources),
            sequence=sequence,
        )


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A finished tool call in a loaded transcript."""

    name: str
    """The tool's name."""
    text: str
    """The text of its result."""
    sequence: int
    """Its place in the transcript."""
    is_error: bool = False
    """Whether the call failed."""
    calls: tuple["ToolCall", ...] = ()
    """The calls it made itself, as tools that run code do."""
