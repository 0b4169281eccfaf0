"""Pages as the local index keeps and finds them."""

from dataclasses import dataclass
from typing import Literal

__all__ = ["IndexedPage", "PageHit", "PageSummary"]


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexedPage:
    """A recorded page: what is served again, and what is searched."""

    url: str
    """Where it came from; the fragment is dropped."""
    title: str | None
    """Its title on one line."""
    kind: Literal["html", "text"]
    """Whether `content` is HTML or already text."""
    content: str
    """The page as a fetch gives it back."""
    text: str
    """Its words in plain text: what is searched and what snippets are cut from."""
    fetched_at: str
    """When it was read, in ISO 8601."""
    published_at: str | None = None
    """When it was published, in ISO 8601, where the page states it."""
    modified_at: str | None = None
    """When it was last changed, in ISO 8601, where that is known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PageSummary:
    """One line of the list of recorded pages."""

    url: str
    """Where the page came from."""
    title: str | None
    """Its title."""
    kind: str
    """`html` or `text`."""
    characters: int
    """The length of its plain text in code points."""
    fetched_at: str
    """When it was read, in ISO 8601."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PageHit:
    """One page found by a search."""

    url: str
    """Where the page came from."""
    title: str | None
    """Its title."""
    snippet: str
    """A passage of its text around the words that were asked for."""
    score: float
    """Relevance; larger is better, and hits come in this order."""
    published_at: str | None
    """When it was published, in ISO 8601, where the page states it."""
    modified_at: str | None
    """When it was last changed, in ISO 8601, where that is known."""
