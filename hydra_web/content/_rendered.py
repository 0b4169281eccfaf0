"""What a conversion hands back."""

from dataclasses import dataclass, field

from pydantic import JsonValue

__all__ = ["Heading", "Rendered"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Heading:
    """One heading of the text and the section it opens."""

    level: int
    """1 to 6."""
    text: str
    """The heading's words, without Markdown."""
    anchor: str
    """The id a link can jump to: the page's own where it has one, else made from the words."""
    start: int
    """Offset in code points of the heading's line in the text."""
    size: int
    """Code points from `start` to the next heading of the same or a higher level, or to the end."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rendered:
    """A page as a model reads it."""

    text: str
    """GitHub-flavoured Markdown without control or invisible characters."""
    title: str | None
    """The page's title on one line, or None where it states none."""
    outline: tuple[Heading, ...]
    """The headings of `text` in order."""
    page_text: str
    """Plain text of the whole cleaned page, whatever the mode."""
    hidden_text: str = ""
    """Text that a reader does not see at first, such as folded answers; never shown, only quotes may stand in it."""
    meta: dict[str, JsonValue] = field(default_factory=dict)
    """Facts about the conversion; docs/content.md lists the keys."""
