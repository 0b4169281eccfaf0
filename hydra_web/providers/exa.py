"""Exa (https://docs.exa.ai): neural web search with highlights."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any, ClassVar, Final

from hydra_web.protocols import JsonObject
from hydra_web.providers._base import SearchApi
from hydra_web.providers._dates import days_of
from hydra_web.providers._fields import BASE_URL, CREDENTIAL, TIMEOUT
from hydra_web.providers._hints import over_limit
from hydra_web.providers._http import ApiCall
from hydra_web.providers._locale import Vocabularies, upper_country
from hydra_web.providers._options import check_choice, check_integer, check_optional_integer
from hydra_web.providers._reading import Found, as_list, as_object, as_text, objects, source
from hydra_web.types import SearchConfigField, WebSearchRequest

__all__ = ["ExaSearch"]

_SEARCH_TYPES: Final = ("auto", "keyword", "neural", "fast", "instant", "lite", "deep-lite", "deep", "deep-reasoning")
_MOST_RESULTS: Final = 100


@dataclass(frozen=True, kw_only=True, eq=False)
class ExaSearch(SearchApi):
    """Search with Exa. Results without a highlight, a summary or text are left out."""

    id: ClassVar[str] = "exa"
    display_name: ClassVar[str] = "Exa"
    description: ClassVar[str] = "Neural web search with highlights."
    credential_names: ClassVar[tuple[str, ...]] = ("EXA_API_KEY",)
    vocabularies: ClassVar[Vocabularies] = Vocabularies(countries=upper_country)
    aborted_text: ClassVar[str] = "Exa search aborted"
    setting_fields: ClassVar[tuple[SearchConfigField, ...]] = (
        SearchConfigField(key="searchType", label="Search Type", kind="select", options=_SEARCH_TYPES),
        SearchConfigField(key="numResults", label="Results per Search", kind="number"),
        SearchConfigField(key="highlightsPerResult", label="Highlights per Result", kind="number"),
        TIMEOUT,
        BASE_URL,
        CREDENTIAL,
    )
    usual_base_url: ClassVar[str] = "https://api.exa.ai"

    base_url: str = usual_base_url
    """Where the API is."""
    search_type: str = "auto"
    """Exa's `type`. Its newer types give no scores; the order is theirs."""
    num_results: int | None = None
    """How many results to ask for when a search does not say."""
    highlights_per_result: int = 1
    """How many highlights to ask for per result."""

    def check(self) -> None:
        """Raises ConfigError for an option out of bounds."""
        super().check()
        check_choice("search_type", self.search_type, _SEARCH_TYPES)
        check_optional_integer("num_results", self.num_results, 1, _MOST_RESULTS)
        check_integer("highlights_per_result", self.highlights_per_result, 1)

    def build_call(self, request: WebSearchRequest, now: datetime) -> ApiCall:
        """`POST /search`."""
        locale = self.localise(request)
        count = request.max_results or self.num_results
        notices = over_limit(self.id, request.max_results, _MOST_RESULTS)
        body: JsonObject = {
            "query": request.query,
            "type": self.search_type,
            "contents": {"highlights": {"highlightsPerUrl": self.highlights_per_result}},
        }
        if count is not None:
            body["numResults"] = min(count, _MOST_RESULTS)
        if locale.country is not None:
            body["userLocation"] = locale.country
        if request.date is not None:
            first, last = days_of(request.date, now.date())
            if first is not None:
                body["startPublishedDate"] = f"{first}T00:00:00.000Z"
            if last is not None:
                body["endPublishedDate"] = f"{last}T23:59:59.999Z"
        return ApiCall(
            method="POST", url=f"{self.base_url.rstrip('/')}/search", body=body, notices=(*locale.notices, *notices)
        )

    def read_answer(self, answer: Any, now: datetime) -> Found:
        """Results in Exa's order; `score` is null for its current types and then left out."""
        results = as_object(answer).get("results", [])
        sources = (
            source(
                result.get("url"),
                title=result.get("title"),
                snippet=_snippet(result),
                published=result.get("publishedDate"),
                score=result.get("score"),
                now=now,
            )
            for result in objects(results)
            if _snippet(result) is not None
        )
        return Found(sources=tuple(found for found in sources if found is not None))


def _snippet(result: JsonObject) -> str | None:
    """The first highlight that says something, untrimmed; else the summary, else the text."""
    highlights = result.get("highlights")
    texts = [as_text(entry) for entry in as_list(highlights)] if highlights is not None else []
    return next((text for text in texts if text), None) or as_text(result.get("summary")) or as_text(result.get("text"))
