"""Tavily (https://docs.tavily.com): web search for agents."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any, ClassVar, Final

from hydra_web.protocols import JsonObject
from hydra_web.providers._base import SearchApi
from hydra_web.providers._dates import PERIOD_DAYS, days_of
from hydra_web.providers._fields import BASE_URL, CREDENTIAL, TIMEOUT
from hydra_web.providers._hints import over_limit
from hydra_web.providers._http import ApiCall
from hydra_web.providers._locale import TAVILY_COUNTRIES, Vocabularies, unsupported
from hydra_web.providers._options import check_choice
from hydra_web.providers._reading import Failure, Found, answer_text, as_object, objects, source
from hydra_web.types import SearchConfigField, WebSearchCapabilities, WebSearchRequest

__all__ = ["TavilySearch"]

_DEPTHS: Final = ("basic", "advanced", "fast", "ultra-fast")
_MOST_RESULTS: Final = 20


@dataclass(frozen=True, kw_only=True, eq=False)
class TavilySearch(SearchApi):
    """Search with Tavily."""

    id: ClassVar[str] = "tavily"
    display_name: ClassVar[str] = "Tavily"
    description: ClassVar[str] = "Web and news search for agents, with scores."
    capabilities: ClassVar[WebSearchCapabilities] = WebSearchCapabilities(news=True)
    credential_names: ClassVar[tuple[str, ...]] = ("TAVILY_API_KEY",)
    vocabularies: ClassVar[Vocabularies] = Vocabularies(countries=TAVILY_COUNTRIES)
    readable_errors: ClassVar[frozenset[int]] = frozenset({432, 433})
    setting_fields: ClassVar[tuple[SearchConfigField, ...]] = (
        SearchConfigField(key="searchDepth", label="Search Depth", kind="select", options=_DEPTHS),
        TIMEOUT,
        BASE_URL,
        CREDENTIAL,
    )
    usual_base_url: ClassVar[str] = "https://api.tavily.com"

    base_url: str = usual_base_url
    """Where the API is."""
    search_depth: str = "basic"
    """`basic`, `advanced` (which costs more), `fast` or `ultra-fast`."""
    include_answer: bool = False
    """Whether to ask for a short written answer too."""

    def check(self) -> None:
        """Raises ConfigError for an option out of bounds."""
        super().check()
        check_choice("search_depth", self.search_depth, _DEPTHS)

    def build_call(self, request: WebSearchRequest, now: datetime) -> ApiCall:
        """`POST /search`."""
        locale = self.localise(request)
        notices = [*locale.notices, *over_limit(self.id, request.max_results, _MOST_RESULTS)]
        topic = "news" if request.type == "news" else "general"
        body: JsonObject = {
            "query": request.query,
            "search_depth": self.search_depth,
            "topic": topic,
            "include_answer": self.include_answer,
        }
        if request.max_results is not None:
            body["max_results"] = min(request.max_results, _MOST_RESULTS)
        if locale.country is not None and topic == "general":
            body["country"] = locale.country
        elif locale.country is not None:
            notices.append(unsupported("country", request.country, "tavily news search"))
        if request.date in PERIOD_DAYS:
            body["time_range"] = request.date
        elif request.date is not None:
            first, last = days_of(request.date, now.date())
            dates = {"start_date": first, "end_date": last}
            body.update({name: day.isoformat() for name, day in dates.items() if day is not None})
        return ApiCall(method="POST", url=f"{self.base_url.rstrip('/')}/search", body=body, notices=tuple(notices))

    def read_answer(self, answer: Any, now: datetime) -> Found:
        """The results with their scores; only news has dates."""
        answer = as_object(answer)
        sources = (
            source(
                result.get("url"),
                title=result.get("title"),
                snippet=result.get("content"),
                published=result.get("published_date"),
                score=result.get("score"),
                now=now,
            )
            for result in objects(answer["results"])
        )
        found = tuple(entry for entry in sources if entry is not None)
        return Found(sources=found, content=answer_text(answer.get("answer")))

    def read_error(self, status_code: int, answer: Any) -> Failure:
        """432 and 433 say that the plan, or what was set aside to pay, is used up."""
        del answer
        return Failure("RATE_LIMITED", f"Provider quota exceeded (HTTP {status_code}).")
