"""DeepSeek's Messages API with its native search tool: the body of a call and the results in an answer. Pure."""

from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Any, Final

from hydra_web.errors import SearchErrorCode
from hydra_web.protocols import JsonObject
from hydra_web.providers._locale import unsupported
from hydra_web.providers._reading import Failure, Found, as_list, as_object, as_text, objects, source
from hydra_web.types import WebSearchRequest, WebSearchSource

__all__ = ["build_body", "read_answer", "snippets_by_url"]

_TOOL_ERRORS: Final[dict[str, SearchErrorCode]] = {
    "too_many_requests": "RATE_LIMITED",
    "unavailable": "NETWORK_ERROR",
    "max_uses_exceeded": "CONFIG_ERROR",
    "query_too_long": "CONFIG_ERROR",
    "request_too_large": "CONFIG_ERROR",
    "invalid_tool_input": "CONFIG_ERROR",
}


def build_body(
    request: WebSearchRequest, provider: str, *, model: str, max_tokens: int, max_uses: int
) -> tuple[JsonObject, tuple[str, ...]]:
    """The body of a call, and notices. Country and language go into the prompt: the tool takes none."""
    lines = [f"Perform a web search for the query: {request.query}"]
    if request.country is not None:
        lines.append(f"Search country: {request.country}.")
    if request.language is not None:
        lines.append(f"Search language: {request.language}.")
    body: JsonObject = {
        "model": model,
        "max_tokens": max_tokens,
        "messages": [{"role": "user", "content": [{"type": "text", "text": "\n".join(lines)}]}],
        "tools": [{"type": "web_search_20250305", "name": "web_search", "max_uses": max_uses}],
    }
    return body, () if request.date is None else (unsupported("date", request.date, provider),)


def read_answer(answer: Any, now: datetime) -> Found | Failure:
    """The results of every search the model made, each URL once.

    Raises ValueError when it made none: prose alone is no search result.
    """
    blocks = list(objects(as_object(answer).get("content")))
    searches = [block for block in blocks if block.get("type") == "web_search_tool_result"]
    if not searches:
        raise ValueError("the model did not search")
    results = [search.get("content") for search in searches]
    error = next((result for result in results if isinstance(result, dict)), None)
    sources = tuple(_sources(results, snippets_by_url(blocks), now))
    if error is not None and not sources:
        return Failure(_TOOL_ERRORS.get(str(error.get("error_code")), "UNKNOWN"))
    return Found(sources=sources)


def snippets_by_url(blocks: Iterable[JsonObject]) -> dict[str, str]:
    """The first passage quoted from each URL."""
    snippets: dict[str, str] = {}
    for block in blocks:
        if block.get("type") != "text" or not isinstance(block.get("citations"), list):
            continue
        for citation in objects(block["citations"]):
            url, quoted = as_text(citation.get("url")), as_text(citation.get("cited_text"))
            if url and quoted:
                snippets.setdefault(url, quoted)
    return snippets


def _sources(results: list[Any], snippets: dict[str, str], now: datetime) -> Iterator[WebSearchSource]:
    seen = set()
    for result in results:
        if result is None or isinstance(result, dict):  # a search that found nothing, or failed
            continue
        for entry in objects(as_list(result)):
            url = entry.get("url")
            if entry.get("type") != "web_search_result" or not isinstance(url, str) or url in seen:
                continue
            seen.add(url)
            found = source(
                url, title=entry.get("title"), snippet=snippets.get(url), published=entry.get("page_age"), now=now
            )
            if found is not None:
                yield found
