"""What an agent read, and whether what it quotes stands there.

Here live the ledger of fetched pages and searches, and the parsing, checking and rendering of
citations. Everything works on texts and records; nothing here opens a socket or a file.
"""

from hydra_web.evidence.citations import Citation, format_citation, parse_citations
from hydra_web.evidence.ledger import EvidenceLedger
from hydra_web.evidence.records import FetchRecord, SearchRecord, ToolCall, source_id
from hydra_web.evidence.rendering import CitationStyle, render_citations, text_fragment_url
from hydra_web.evidence.report import CheckedCitation, CheckedLink, CitationReport, repair_prompt
from hydra_web.evidence.verification import verify_citations

__all__ = [
    "CheckedCitation",
    "CheckedLink",
    "Citation",
    "CitationReport",
    "CitationStyle",
    "EvidenceLedger",
    "FetchRecord",
    "SearchRecord",
    "ToolCall",
    "format_citation",
    "parse_citations",
    "render_citations",
    "repair_prompt",
    "source_id",
    "text_fragment_url",
    "verify_citations",
]
