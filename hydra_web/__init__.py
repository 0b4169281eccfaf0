"""hydra-web: web search and guarded web fetch for LLM agents, with citations that can be checked."""

from hydra_web._version import __version__
from hydra_web.errors import ConfigError, SearchErrorCode, SearchProviderError, WebError, search_http_error
from hydra_web.evidence import EvidenceLedger, parse_citations, render_citations, verify_citations
from hydra_web.protocols import WebFetchProvider, WebSearchProvider
from hydra_web.research import ResearchBudget, ResearchSession
from hydra_web.runtime import WebRuntime
from hydra_web.signals import AbortSignal
from hydra_web.tools import ToolOutcome, WebTools, WebToolsConfig
from hydra_web.types import (
    WEB_SEARCH_CAPABILITIES,
    HtmlBody,
    PdfBody,
    SearchConfigField,
    TextBody,
    WebFetchBody,
    WebFetchRequest,
    WebFetchResult,
    WebSearchProviderDescriptor,
    WebSearchRequest,
    WebSearchResult,
    WebSearchSettings,
    WebSearchSource,
    WebSearchType,
)
from hydra_web.urls import normalized_search_url

__all__ = [
    "WEB_SEARCH_CAPABILITIES",
    "AbortSignal",
    "ConfigError",
    "EvidenceLedger",
    "HtmlBody",
    "PdfBody",
    "ResearchBudget",
    "ResearchSession",
    "SearchConfigField",
    "SearchErrorCode",
    "SearchProviderError",
    "TextBody",
    "ToolOutcome",
    "WebError",
    "WebFetchBody",
    "WebFetchProvider",
    "WebFetchRequest",
    "WebFetchResult",
    "WebRuntime",
    "WebSearchProvider",
    "WebSearchProviderDescriptor",
    "WebSearchRequest",
    "WebSearchResult",
    "WebSearchSettings",
    "WebSearchSource",
    "WebSearchType",
    "WebTools",
    "WebToolsConfig",
    "__version__",
    "normalized_search_url",
    "parse_citations",
    "render_citations",
    "search_http_error",
    "verify_citations",
]
