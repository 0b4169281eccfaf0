"""Whether what an answer quotes stands in what was read."""

from typing import Final

from hydra_web.errors import ConfigError
from hydra_web.evidence._markdown import parse_markdown
from hydra_web.evidence._passages import Passage, Quote, SearchableText
from hydra_web.evidence.citations import Citation, citations_in
from hydra_web.evidence.ledger import EvidenceLedger
from hydra_web.evidence.records import FetchRecord
from hydra_web.evidence.report import CheckedCitation, CheckedLink, CitationReport, Reason, Scope
from hydra_web.urls import is_http_url, normalized_search_url

__all__ = ["verify_citations"]

_LOOKUPS_ELSEWHERE: Final = 20_000


def verify_citations(
    markdown: str, ledger: EvidenceLedger, before: int | None = None, strict: bool = False
) -> CitationReport:
    """Checks every citation of an answer against what the ledger says was read.

    A quote holds when it stands in the text that was shown, or else in the whole text of the page:
    exactly, or after normalisation of spacing, marks and Markdown. With `strict` only character by
    character. Only what was recorded `before` that sequence number counts, when one is given.
    A link is `seen` when a search or a fetch recorded before gave its address.
    Raises ConfigError for an argument of the wrong kind.
    """
    if not isinstance(markdown, str):
        raise ConfigError(f"markdown must be the answer's text, not {type(markdown).__name__}")
    if not isinstance(ledger, EvidenceLedger):
        raise ConfigError(f"ledger must be an EvidenceLedger, not {type(ledger).__name__}")
    parsed = parse_markdown(markdown)
    pages = _Pages(ledger.fetches(before), strict)
    seen = ledger.seen_urls(before)
    links = [(link.destination, link.label) for link in parsed.links] + [(url, url) for url in parsed.bare_urls]
    return CitationReport(
        citations=tuple(pages.check(citation) for citation in citations_in(parsed.links)),
        links=tuple(
            CheckedLink(url=url, label=label, seen=normalized_search_url(url) in seen)
            for url, label in links
            if is_http_url(url)
        ),
    )


class _Pages:
    """The recorded pages, each made searchable once."""

    def __init__(self, records: dict[str, FetchRecord], strict: bool) -> None:
        self._records = records
        self._strict = strict
        self._texts: dict[tuple[str, Scope], SearchableText] = {}
        self._lookups_left = _LOOKUPS_ELSEWHERE

    def check(self, citation: Citation) -> CheckedCitation:
        record = self._records.get(citation.source_id)
        quote = Quote(citation.quote)
        if not citation.quote.strip():
            return _rejected(citation, record, "empty_quote")
        if record is None:
            return _rejected(citation, None, "unknown_source", other_source=self._elsewhere(citation.source_id, quote))
        if not record.citable:
            return _rejected(citation, record, "not_citable")
        scope, passage = self._find(record, quote)
        if passage is None:
            return _rejected(
                citation,
                record,
                "quote_not_found",
                suggestion=self._nearest(record, quote),
                other_source=self._elsewhere(citation.source_id, quote),
            )
        if passage.too_short:
            return _rejected(citation, record, "too_short")
        return CheckedCitation(
            citation=citation,
            verified=True,
            match=passage.match,
            url=record.url,
            scope=scope,
            start=passage.start,
            end=passage.end,
            fetched_at=record.fetched_at,
            passage=self._text(record, scope).text[passage.start : passage.end],
        )

    def _find(self, record: FetchRecord, quote: Quote) -> tuple[Scope, Passage | None]:
        short: tuple[Scope, Passage | None] = ("shown", None)
        for scope in self._scopes(record):
            text = self._text(record, scope)
            passage = text.find_exact(quote) if self._strict else text.find(quote)
            if passage is not None and not passage.too_short:
                return scope, passage
            if passage is not None:
                short = (scope, passage)
        return short

    def _nearest(self, record: FetchRecord, quote: Quote) -> str | None:
        for scope in self._scopes(record):
            nearest = self._text(record, scope).nearest(quote)
            if nearest is not None:
                return nearest
        return None

    def _elsewhere(self, named: str, quote: Quote) -> str | None:
        """The id of another page that does hold the quote, for a hint."""
        for record in self._records.values():
            if record.source_id == named or not record.citable:
                continue
            self._lookups_left -= 1
            if self._lookups_left < 0:
                return None
            _, passage = self._find(record, quote)
            if passage is not None and not passage.too_short:
                return record.source_id
        return None

    def _scopes(self, record: FetchRecord) -> tuple[Scope, ...]:
        return ("shown",) if record.page_text is None else ("shown", "page")

    def _text(self, record: FetchRecord, scope: Scope) -> SearchableText:
        key = (record.source_id, scope)
        if key not in self._texts:
            self._texts[key] = SearchableText(record.text if scope == "shown" else record.page_text or "")
        return self._texts[key]


def _rejected(
    citation: Citation,
    record: FetchRecord | None,
    reason: Reason,
    suggestion: str | None = None,
    other_source: str | None = None,
) -> CheckedCitation:
    return CheckedCitation(
        citation=citation,
        verified=False,
        reason=reason,
        url=record.url if record else None,
        fetched_at=record.fetched_at if record else None,
        suggestion=suggestion,
        other_source=other_source,
    )
