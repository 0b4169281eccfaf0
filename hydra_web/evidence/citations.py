"""Citations as an answer writes them: `[label](hydra-cite://SOURCE_ID "exact quote")`."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from hydra_web.evidence._markdown import Link, parse_markdown
from hydra_web.text import escape_markdown, one_line

__all__ = ["Citation", "citations_in", "format_citation", "is_citation", "parse_citations"]

_SCHEME: Final = "hydra-cite://"
_TITLE_ESCAPES: Final = str.maketrans({"\\": "\\\\", '"': '\\"', "&": "&amp;"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Citation:
    """One citation of an answer."""

    label: str
    """The words it hangs on, as plain text."""
    source_id: str
    """The id of the page it names."""
    quote: str
    """The words it claims the page to hold, escapes and entities decoded."""
    markdown_start: int
    """Where it begins in the answer, in code points."""
    markdown_end: int
    """Where it ends in the answer."""


def parse_citations(markdown: str, *, streaming: bool = False) -> tuple[Citation, ...]:
    """The citations of an answer in order; those in code, in images and by reference are none.

    With `streaming` the answer may still grow: citations in its last block are left out, because
    what follows could turn them into something else. Never raises.
    """
    links = parse_markdown(markdown).links
    return tuple(citations_in(link for link in links if not (streaming and link.last_block)))


def format_citation(label: str, source_id: str, quote: str) -> str:
    """The Markdown of a citation, for scripted answers: label and quote on one line, escaped as needed."""
    title = one_line(quote).translate(_TITLE_ESCAPES)
    return f'[{escape_markdown(label)}]({_SCHEME}{source_id} "{title}")'


def is_citation(link: Link) -> bool:
    """Whether a link is a citation: written inline, with our scheme."""
    return link.inline and link.destination[: len(_SCHEME)].lower() == _SCHEME


def citations_in(links: Iterable[Link]) -> list[Citation]:
    """The citations among the links of an answer."""
    return [
        Citation(
            label=link.label,
            source_id=link.destination[len(_SCHEME) :],
            quote=link.title,
            markdown_start=link.start,
            markdown_end=link.end,
        )
        for link in links
        if is_citation(link)
    ]
