"""What became of each citation and link of an answer."""

from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from hydra_web.evidence._passages import Match
from hydra_web.evidence.citations import Citation
from hydra_web.text import escape_html, escape_markdown, one_line
from hydra_web.urls import is_http_url

__all__ = ["CheckedCitation", "CheckedLink", "CitationReport", "Reason", "Scope", "repair_prompt"]

Reason: TypeAlias = Literal["unknown_source", "quote_not_found", "empty_quote", "too_short", "not_citable"]
"""Why a citation does not hold."""

Scope: TypeAlias = Literal["shown", "page"]
"""Which text a passage's offsets count in: the one the model was shown, or that of the whole page."""

_REASONS: Final[dict[Reason, str]] = {
    "unknown_source": "no page that was read has this source id",
    "quote_not_found": "the page does not hold this quote",
    "empty_quote": "there is no quote",
    "too_short": "the quote is too short to be told from other words of the page; quote it exactly or quote more",
    "not_citable": "the page answered with an error status and supports nothing",
}

_WHAT_TO_DO: Final = (
    "Correct each one by quoting words that stand in a page you fetched, or remove it together with the claim it"
    " supports. Keep the rest unchanged."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedCitation:
    """A citation and whether it holds."""

    citation: Citation
    """The citation."""
    verified: bool
    """Whether the page holds the quote."""
    match: Match | None = None
    """How the quote was found: `exact` or `normalized`."""
    reason: Reason | None = None
    """Why it does not hold."""
    url: str | None = None
    """The address of the page, when the source id is known."""
    scope: Scope | None = None
    """Which text `start` and `end` count in."""
    start: int | None = None
    """Where the passage begins, in code points."""
    end: int | None = None
    """Where the passage ends."""
    passage: str | None = None
    """The passage as it stands in that text."""
    fetched_at: str | None = None
    """When the page was read (ISO 8601), when that is known."""
    suggestion: str | None = None
    """The passage of the page that is most like the quote; a hint, never accepted in its place."""
    other_source: str | None = None
    """The source id of another page that does hold the quote."""

    @property
    def label(self) -> str:
        """The words the citation hangs on."""
        return self.citation.label

    @property
    def source_id(self) -> str:
        """The id of the page it names."""
        return self.citation.source_id

    @property
    def quote(self) -> str:
        """The words it claims the page to hold."""
        return self.citation.quote

    @property
    def explanation(self) -> str:
        """The result in plain words."""
        if self.reason is not None:
            return _REASONS[self.reason]
        return "found exactly" if self.match == "exact" else "found after normalisation"


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedLink:
    """An ordinary web link of an answer."""

    url: str
    """Where it points."""
    label: str
    """Its words."""
    seen: bool
    """Whether a search or a fetch of this run gave the address; if not, it may be invented."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CitationReport:
    """What became of each citation and link of an answer."""

    citations: tuple[CheckedCitation, ...]
    """The citations in the order of the answer."""
    links: tuple[CheckedLink, ...]
    """The ordinary web links."""

    @property
    def ok(self) -> bool:
        """Whether every citation holds; ordinary links do not count."""
        return all(citation.verified for citation in self.citations)

    @property
    def rejected(self) -> tuple[CheckedCitation, ...]:
        """The citations that do not hold."""
        return tuple(citation for citation in self.citations if not citation.verified)

    @property
    def unseen_links(self) -> tuple[CheckedLink, ...]:
        """The links whose address nothing in the run gave."""
        return tuple(link for link in self.links if not link.seen)

    @property
    def summary(self) -> str:
        """The report in one sentence."""
        held = len(self.citations) - len(self.rejected)
        text = f"{held} of {len(self.citations)} citations hold"
        return f"{text}; {len(self.unseen_links)} of {len(self.links)} links unseen" if self.links else text

    def _repr_markdown_(self) -> str:
        rows = [f"| {' | '.join(escape_markdown(cell) for cell in row)} |" for row in self._rows()]
        head = ["| result | words | quote | source |", "| --- | --- | --- | --- |"]
        return "\n".join([f"**{self.summary}**", "", *head, *rows])

    def _repr_html_(self) -> str:
        rows = "".join("<tr>" + "".join(f"<td>{_cell(cell)}</td>" for cell in row) + "</tr>" for row in self._rows())
        head = "<tr><th>result</th><th>words</th><th>quote</th><th>source</th></tr>"
        return f"<p><strong>{escape_html(self.summary)}</strong></p><table>{head}{rows}</table>"

    def _rows(self) -> list[tuple[str, str, str, str]]:
        rows = [
            (("✓ " if item.verified else "✗ ") + item.explanation, item.label, item.quote, item.url or item.source_id)
            for item in self.citations
        ]
        rows += [
            ("link, seen" if link.seen else "link, not seen in this run", link.label, "", link.url)
            for link in self.links
        ]
        return rows


def _cell(text: str) -> str:
    text = one_line(text)
    if not is_http_url(text):
        return escape_html(text)
    return f'<a href="{escape_html(text)}" rel="noopener noreferrer nofollow" target="_blank">{escape_html(text)}</a>'


def repair_prompt(report: CitationReport) -> str:
    """What to tell a model so that it mends the citations that do not hold; empty when all hold."""
    if report.ok:
        return ""
    lines = [f"{len(report.rejected)} of {len(report.citations)} citations do not hold. {_WHAT_TO_DO}"]
    for number, item in enumerate(report.rejected, start=1):
        lines.append(
            f'{number}. [{_clip(item.label, 80)}](hydra-cite://{_clip(item.source_id, 80)} "{_clip(item.quote, 200)}"):'
            f" {item.explanation}."
        )
        if item.other_source is not None:
            lines.append(f"   The quote stands in source {_clip(item.other_source, 80)}.")
        elif item.suggestion is not None:
            lines.append(f"   Nearest passage of the page: “{_clip(item.suggestion, 300)}”")
    return "\n".join(lines)


def _clip(text: str, limit: int) -> str:
    text = one_line(text)
    return text if len(text) <= limit else text[: limit - 1] + "…"
