"""Perplexity (https://docs.perplexity.ai): a written answer with its sources, or plain search results."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any, ClassVar, Final

from hydra_web.protocols import JsonObject
from hydra_web.providers._base import SearchApi
from hydra_web.providers._dates import PERIOD_DAYS, days_of
from hydra_web.providers._fields import BASE_URL, CREDENTIAL, TIMEOUT
from hydra_web.providers._hints import over_limit, us_date
from hydra_web.providers._http import ApiCall
from hydra_web.providers._locale import Vocabularies, iso_639_1, upper_country
from hydra_web.providers._options import check_choice, check_integer
from hydra_web.providers._reading import Found, answer_text, as_list, as_object, objects, source
from hydra_web.types import SearchConfigField, WebSearchRequest, WebSearchSource

__all__ = ["PerplexitySearch"]

_MODES: Final = ("chat", "search")
_RECENCIES: Final = ("", *PERIOD_DAYS)
_MOST_RESULTS: Final = 20
_LONGEST_SNIPPET: Final = 2000


@dataclass(frozen=True, kw_only=True, eq=False)
class PerplexitySearch(SearchApi):
    """Search with Perplexity: `mode="chat"` writes an answer (chat completions), `mode="search"` lists results."""

    id: ClassVar[str] = "perplexity"
    display_name: ClassVar[str] = "Perplexity"
    description: ClassVar[str] = "A written answer with its sources, or plain search results."
    credential_names: ClassVar[tuple[str, ...]] = ("PERPLEXITY_API_KEY", "PPLX_API_KEY", "PERPLEXITYAI_API_KEY")
    vocabularies: ClassVar[Vocabularies] = Vocabularies(countries=upper_country, languages=iso_639_1)
    aborted_text: ClassVar[str] = "Perplexity search aborted"
    setting_fields: ClassVar[tuple[SearchConfigField, ...]] = (
        SearchConfigField(key="mode", label="Mode", kind="select", options=_MODES),
        SearchConfigField(key="model", label="Model", kind="text"),
        SearchConfigField(key="maxTokens", label="Max Output Tokens", kind="number"),
        SearchConfigField(key="searchRecency", label="Recency", kind="select", options=_RECENCIES),
        TIMEOUT,
        BASE_URL,
        CREDENTIAL,
    )
    usual_base_url: ClassVar[str] = "https://api.perplexity.ai"

    base_url: str = usual_base_url
    """Where the API is."""
    mode: str = "chat"
    """`chat` or `search`."""
    model: str = "sonar"
    """The model that writes the answer."""
    max_tokens: int = 1024
    """The longest answer."""
    search_recency: str = ""
    """`day`, `week`, `month` or `year` for searches that do not say; empty for any time."""

    def check(self) -> None:
        """Raises ConfigError for an option out of bounds."""
        super().check()
        check_choice("mode", self.mode, _MODES)
        check_integer("max_tokens", self.max_tokens, 1)
        check_choice("search_recency", self.search_recency, _RECENCIES)

    def build_call(self, request: WebSearchRequest, now: datetime) -> ApiCall:
        """`POST /chat/completions` or `POST /search`."""
        base = self.base_url.rstrip("/")
        dates = self._dates(request.date, now)
        locale = self.localise(request)
        if self.mode == "search":
            body: JsonObject = {"query": request.query}
            if request.max_results is not None:
                body["max_results"] = min(request.max_results, _MOST_RESULTS)
            if locale.country is not None:
                body["country"] = locale.country
            if locale.language is not None:
                body["search_language_filter"] = [locale.language]
            notices = (*locale.notices, *over_limit(self.id, request.max_results, _MOST_RESULTS))
            return ApiCall(method="POST", url=f"{base}/search", body={**body, **dates}, notices=notices)
        body = {
            "model": self.model,
            "max_tokens": self.max_tokens,
            "messages": [{"role": "user", "content": request.query}],
        }
        if locale.country is not None:
            body["web_search_options"] = {"user_location": {"country": locale.country}}
        if locale.language is not None:
            body["language_preference"] = locale.language
        return ApiCall(method="POST", url=f"{base}/chat/completions", body={**body, **dates}, notices=locale.notices)

    def _dates(self, wanted: str | None, now: datetime) -> JsonObject:
        wanted = wanted or self.search_recency
        if not wanted or wanted in PERIOD_DAYS:
            return {"search_recency_filter": wanted} if wanted else {}
        first, last = days_of(wanted, now.date())
        dates = {"search_after_date_filter": first, "search_before_date_filter": last}
        return {name: us_date(day) for name, day in dates.items() if day is not None}

    def read_answer(self, answer: Any, now: datetime) -> Found:
        """The answer and its sources; cited URLs alone where no results are listed."""
        answer = as_object(answer)
        if self.mode == "search":
            return Found(sources=_results(answer["results"], now, _LONGEST_SNIPPET))
        if "search_results" in answer:
            sources = _results(answer["search_results"], now, None)
        else:
            cited = (source(url, now=now) for url in as_list(answer.get("citations") or []))
            sources = tuple(found for found in cited if found is not None)
        return Found(sources=sources, content=_written(answer))


def _results(results: Any, now: datetime, longest_snippet: int | None) -> tuple[WebSearchSource, ...]:
    sources = (
        source(
            result.get("url"),
            title=result.get("title"),
            snippet=result.get("snippet"),
            published=result.get("date"),
            longest_snippet=longest_snippet,
            now=now,
        )
        for result in objects(results)
    )
    return tuple(found for found in sources if found is not None)


def _written(answer: JsonObject) -> str | None:
    for choice in objects(answer.get("choices") or []):
        message = choice.get("message")
        return answer_text(message.get("content")) if isinstance(message, dict) else None
    return None
