"""Several search results put together as one. Pure."""

from collections.abc import Sequence
from itertools import zip_longest

from hydra_web.text import one_line
from hydra_web.types import WebSearchResult, WebSearchSource
from hydra_web.urls import normalized_search_url

__all__ = ["merge_results"]


def merge_results(queries: Sequence[str], results: Sequence[WebSearchResult], max_results: int) -> WebSearchResult:
    """Takes one source of each result in turn, rank by rank, each page once, up to `max_results`.

    Summary answers are kept under a heading with their query. The result is truncated when
    one of the results was, or when a further page was left out.
    """
    sources, dropped = _round_robin(results, max_results)
    answers = [
        f"### {one_line(query)}\n\n{result.content}"
        for query, result in zip(queries, results, strict=True)
        if result.content
    ]
    return WebSearchResult(
        sources=tuple(sources),
        truncated=dropped or any(result.truncated for result in results),
        content="\n\n".join(answers) or None,
        notices=tuple(dict.fromkeys(notice for result in results for notice in result.notices)),
    )


def _round_robin(results: Sequence[WebSearchResult], max_results: int) -> tuple[list[WebSearchSource], bool]:
    seen: set[str] = set()
    kept: list[WebSearchSource] = []
    for rank in zip_longest(*(result.sources for result in results)):
        for source in rank:
            if source is None:
                continue
            key = normalized_search_url(source.url)
            if key in seen:
                continue
            if len(kept) == max_results:
                return kept, True
            seen.add(key)
            kept.append(source)
    return kept, False
