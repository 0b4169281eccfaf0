"""Brave Search (https://api-dashboard.search.brave.com): an index of its own."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any, ClassVar, Final

from hydra_web.providers._base import SearchApi
from hydra_web.providers._dates import PERIOD_DAYS, days_of
from hydra_web.providers._fields import BASE_URL, CREDENTIAL, TIMEOUT
from hydra_web.providers._hints import fit_query, over_limit
from hydra_web.providers._http import ApiCall
from hydra_web.providers._locale import BRAVE_COUNTRIES, BRAVE_LANGUAGES, Vocabularies, unsupported
from hydra_web.providers._reading import Failure, Found, as_object, as_text, objects, source
from hydra_web.providers._secret import Secret
from hydra_web.types import SearchConfigField, WebSearchCapabilities, WebSearchRequest

__all__ = ["BraveSearch"]

_MOST_RESULTS: Final = {"web": 20, "news": 50, "videos": 50, "images": 200}
_LONGEST_QUERY: Final = 400
_MOST_WORDS: Final = 50
_FIRST_DAY: Final = "1970-01-01"


@dataclass(frozen=True, kw_only=True, eq=False)
class BraveSearch(SearchApi):
    """Search with Brave. Keeping its results needs a plan that allows it."""

    id: ClassVar[str] = "brave"
    display_name: ClassVar[str] = "Brave Search"
    description: ClassVar[str] = "Web, news, video and image search from an index of its own."
    capabilities: ClassVar[WebSearchCapabilities] = WebSearchCapabilities(images=True, news=True, videos=True)
    credential_names: ClassVar[tuple[str, ...]] = ("BRAVE_API_KEY", "BRAVE_SEARCH_API_KEY")
    vocabularies: ClassVar[Vocabularies] = Vocabularies(countries=BRAVE_COUNTRIES, languages=BRAVE_LANGUAGES)
    readable_errors: ClassVar[frozenset[int]] = frozenset({422})
    setting_fields: ClassVar[tuple[SearchConfigField, ...]] = (TIMEOUT, BASE_URL, CREDENTIAL)
    usual_base_url: ClassVar[str] = "https://api.search.brave.com/res/v1"

    base_url: str = usual_base_url
    """Where the API is."""

    def auth_headers(self, key: Secret) -> dict[str, str | Secret]:
        """`X-Subscription-Token`."""
        return {"x-subscription-token": key}

    def build_call(self, request: WebSearchRequest, now: datetime) -> ApiCall:
        """`GET /web/search`, or `news`, `videos`, `images`."""
        kind = request.type or "web"
        locale = self.localise(request)
        most = _MOST_RESULTS[kind]
        query, cut = fit_query(self.id, request.query, most_characters=_LONGEST_QUERY, most_words=_MOST_WORDS)
        notices = [*locale.notices, *cut, *over_limit(self.id, request.max_results, most)]
        params = {"q": query}
        if request.max_results is not None:
            params["count"] = str(min(request.max_results, most))
        if locale.country is not None:
            params["country"] = locale.country
        if locale.language is not None:
            params["search_lang"] = locale.language
        if kind == "web":
            params |= {"text_decorations": "false", "result_filter": "web"}
        if request.date is not None and kind == "images":
            notices.append(unsupported("date", request.date, "brave image search"))
        elif request.date is not None:
            params["freshness"] = _freshness(request.date, now)
        url = f"{self.base_url.rstrip('/')}/{kind}/search"
        return ApiCall(method="GET", url=url, params=tuple(params.items()), notices=tuple(notices))

    def read_answer(self, answer: Any, now: datetime) -> Found:
        """The results; text holds HTML, and the date is a time without a zone or words."""
        answer = as_object(answer)
        part = answer.get("web") or {"results": []} if answer.get("type") == "search" or "web" in answer else answer
        sources = (
            source(
                result.get("url"),
                title=result.get("title"),
                snippet=result.get("description"),
                published=as_text(result.get("page_age")) or result.get("age"),
                now=now,
            )
            for result in objects(as_object(part)["results"])
        )
        return Found(sources=tuple(found for found in sources if found is not None))

    def read_error(self, status_code: int, answer: Any) -> Failure | None:
        """422 is a bad key as well as a bad request; the code in the body tells."""
        del status_code
        error = answer.get("error") if isinstance(answer, dict) else None
        code = error.get("code") if isinstance(error, dict) else None
        return Failure("AUTH_ERROR") if code == "SUBSCRIPTION_TOKEN_INVALID" else None


def _freshness(wanted: str, now: datetime) -> str:
    if wanted in PERIOD_DAYS:
        return f"p{wanted[0]}"
    first, last = days_of(wanted, now.date())
    return f"{first or _FIRST_DAY}to{last or now.date()}"
