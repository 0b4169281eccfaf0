"""DeepSeek's Search API: the body of a call and the results in an answer. Pure."""

from datetime import date, datetime
from typing import Any, Final

from hydra_web.protocols import JsonObject
from hydra_web.providers._dates import days_of
from hydra_web.providers._hints import fit_query, over_limit
from hydra_web.providers._locale import Vocabularies, iso_639_1, unsupported
from hydra_web.providers._reading import Found, as_object, as_text, objects, source
from hydra_web.types import WebSearchRequest

__all__ = ["build_body", "read_answer"]

_VOCABULARIES: Final = Vocabularies(languages=iso_639_1)
_MOST_RESULTS: Final = 50
_LONGEST_QUERY: Final = 128
_LONGEST_SNIPPET: Final = 2000


def build_body(request: WebSearchRequest, provider: str, today: date) -> tuple[JsonObject, tuple[str, ...]]:
    """The body of a call, and notices. Language and dates are operators inside the query, which has 128 characters."""
    locale = _VOCABULARIES.localise(provider, request.country, request.language)
    query, cut = fit_query(provider, request.query, most_characters=_LONGEST_QUERY, most_words=_LONGEST_QUERY)
    notices = [*locale.notices, *over_limit(provider, request.max_results, _MOST_RESULTS), *cut]
    hints = (
        ("language", request.language, f"lang:{locale.language}" if locale.language else ""),
        ("date", request.date, _date_operators(request.date, today)),
    )
    for kind, wanted, operators in hints:
        if operators and len(query) + 1 + len(operators) <= _LONGEST_QUERY:
            query += f" {operators}"
        elif operators:
            notices.append(unsupported(kind, wanted, f"{provider} with so long a query"))
    body: JsonObject = {"query": query, "need_content": False}
    if request.max_results is not None:
        body["count"] = min(request.max_results, _MOST_RESULTS)
    return body, tuple(notices)


def _date_operators(wanted: str | None, today: date) -> str:
    if wanted is None:
        return ""
    first, last = days_of(wanted, today)
    return " ".join(f"{name}:{day}" for name, day in (("after", first), ("before", last)) if day is not None)


def read_answer(answer: Any, now: datetime) -> Found:
    """The results with the longer of their two summaries."""
    sources = (
        source(
            result.get("url"),
            title=result.get("title"),
            snippet=as_text(result.get("summary")) or result.get("snippet"),
            published=result.get("date"),
            score=result.get("rerank_score"),
            longest_snippet=_LONGEST_SNIPPET,
            now=now,
        )
        for result in objects(as_object(answer)["results"])
    )
    return Found(sources=tuple(found for found in sources if found is not None))
