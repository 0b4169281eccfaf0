"""What each search API's answer looks like, built from plain sources. Data and pure functions only."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, TypeAlias

__all__ = ["SAMPLE_SOURCES", "SHAPES", "RawSource", "Shape"]

RawSource: TypeAlias = Mapping[str, Any]
"""A source with any of `url`, `title`, `snippet`, `published`, `score`, `position`; values may be wrong on purpose."""

Shape: TypeAlias = Callable[[Sequence[RawSource]], Any]
"""Builds an API's JSON answer from sources."""

SAMPLE_SOURCES: Final[tuple[RawSource, ...]] = (
    {"url": "https://example.org/a", "title": "First", "snippet": "The first page.", "published": "2026-10-12"},
    {"url": "https://example.org/b", "title": "Second", "snippet": "The second page."},
)
"""What a `ProviderServer` finds unless told otherwise."""


def _renamed(source: RawSource, **names: str) -> dict[str, Any]:
    """The source under an API's own names; parts without a name are left out."""
    return {names[part]: value for part, value in source.items() if part in names}


def _exa(sources: Sequence[RawSource]) -> Any:
    names = {"url": "url", "title": "title", "published": "publishedDate", "score": "score"}
    results = [{**_renamed(entry, **names), "highlights": [entry.get("snippet") or "…"]} for entry in sources]
    return {"requestId": "r1", "results": results, "costDollars": {"total": 0.005}}


def _perplexity(sources: Sequence[RawSource]) -> Any:
    results = [_renamed(entry, url="url", title="title", snippet="snippet", published="date") for entry in sources]
    message = {"role": "assistant", "content": "A written answer [1]."}
    return {"id": "c1", "choices": [{"index": 0, "message": message}], "search_results": results}


def _perplexity_search(sources: Sequence[RawSource]) -> Any:
    results = [_renamed(entry, url="url", title="title", snippet="snippet", published="date") for entry in sources]
    return {"id": "s1", "results": results}


def _deepseek(sources: Sequence[RawSource]) -> Any:
    results = [
        {"type": "web_search_result", **_renamed(entry, url="url", title="title", published="page_age")}
        for entry in sources
    ]
    citations = [
        {"type": "web_search_result_location", **_renamed(entry, url="url", snippet="cited_text")} for entry in sources
    ]
    return {
        "content": [
            {"type": "server_tool_use", "id": "t1", "name": "web_search", "input": {"query": "q"}},
            {"type": "web_search_tool_result", "tool_use_id": "t1", "content": results},
            {"type": "text", "text": "Here is what I found.", "citations": citations},
        ]
    }


def _deepseek_search(sources: Sequence[RawSource]) -> Any:
    names = {"url": "url", "title": "title", "snippet": "summary", "published": "date", "score": "rerank_score"}
    return {"results": [_renamed(entry, **names) for entry in sources]}


def _serper(sources: Sequence[RawSource]) -> Any:
    names = {"url": "link", "title": "title", "snippet": "snippet", "published": "date", "position": "position"}
    organic = [{"position": rank, **_renamed(entry, **names)} for rank, entry in enumerate(sources, start=1)]
    return {"searchParameters": {"type": "search"}, "organic": organic, "credits": 1}


def _custom(sources: Sequence[RawSource]) -> Any:
    return {"results": [_renamed(entry, url="url", title="title", snippet="snippet") for entry in sources]}


def _tavily(sources: Sequence[RawSource]) -> Any:
    names = {"url": "url", "title": "title", "snippet": "content", "published": "published_date", "score": "score"}
    return {"query": "q", "answer": None, "images": [], "results": [_renamed(entry, **names) for entry in sources]}


def _brave(sources: Sequence[RawSource]) -> Any:
    names = {"url": "url", "title": "title", "snippet": "description", "published": "page_age"}
    results = [{"type": "search_result", **_renamed(entry, **names)} for entry in sources]
    return {"type": "search", "web": {"type": "search", "results": results}}


def _searxng(sources: Sequence[RawSource]) -> Any:
    names = {"url": "url", "title": "title", "snippet": "content", "published": "publishedDate", "score": "score"}
    results = [_renamed(entry, **names) for entry in sources]
    return {"query": "q", "results": results, "answers": [], "infoboxes": [], "unresponsive_engines": []}


def _wikipedia(sources: Sequence[RawSource]) -> Any:
    """MediaWiki gives titles, from which addresses are built; a source's last path segment serves as its title."""
    pages = [
        {"ns": 0, "title": str(entry["url"]).rsplit("/", 1)[-1], **_renamed(entry, snippet="snippet")}
        for entry in sources
        if isinstance(entry.get("url"), str)
    ]
    general = {"server": "https://example.org", "articlepath": "/$1"}
    return {"batchcomplete": True, "query": {"general": general, "search": pages}}


def _jina(sources: Sequence[RawSource]) -> Any:
    names = {"url": "url", "title": "title", "snippet": "description", "published": "date"}
    return {"code": 200, "status": 20000, "data": [_renamed(entry, **names) for entry in sources]}


SHAPES: Final[Mapping[str, Shape]] = {
    "brave": _brave,
    "custom": _custom,
    "deepseek-official": _deepseek,
    "deepseek-search": _deepseek_search,
    "exa": _exa,
    "jina": _jina,
    "perplexity": _perplexity,
    "perplexity-search": _perplexity_search,
    "searxng": _searxng,
    "serper": _serper,
    "tavily": _tavily,
    "wikipedia": _wikipedia,
}
"""The answer of each API, by the provider's id; `-search` marks a second mode."""
