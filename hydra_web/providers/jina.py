"""Jina Search (https://jina.ai/reader): web search for language models."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any, ClassVar, Final

from hydra_web.protocols import JsonObject
from hydra_web.providers._base import SearchApi
from hydra_web.providers._fields import BASE_URL, CREDENTIAL, TIMEOUT
from hydra_web.providers._hints import google_dates, over_limit
from hydra_web.providers._http import ApiCall
from hydra_web.providers._locale import GOOGLE_LANGUAGES, Vocabularies, upper_country
from hydra_web.providers._reading import Found, as_object, as_text, objects, source
from hydra_web.types import SearchConfigField, WebSearchRequest

__all__ = ["JinaSearch"]

_MOST_RESULTS: Final = 20
_LONGEST_SNIPPET: Final = 2000


@dataclass(frozen=True, kw_only=True, eq=False)
class JinaSearch(SearchApi):
    """Search with Jina."""

    id: ClassVar[str] = "jina"
    display_name: ClassVar[str] = "Jina Search"
    description: ClassVar[str] = "Web search for language models."
    credential_names: ClassVar[tuple[str, ...]] = ("JINA_API_KEY",)
    vocabularies: ClassVar[Vocabularies] = Vocabularies(countries=upper_country, languages=GOOGLE_LANGUAGES)
    readable_errors: ClassVar[frozenset[int]] = frozenset({422})
    setting_fields: ClassVar[tuple[SearchConfigField, ...]] = (TIMEOUT, BASE_URL, CREDENTIAL)
    usual_base_url: ClassVar[str] = "https://s.jina.ai"

    base_url: str = usual_base_url
    """Where the API is."""

    def build_call(self, request: WebSearchRequest, now: datetime) -> ApiCall:
        """`POST /`; page contents, which cost time, are not asked for."""
        locale = self.localise(request)
        body: JsonObject = {"q": request.query}
        if request.max_results is not None:
            body["num"] = min(request.max_results, _MOST_RESULTS)
        if locale.country is not None:
            body["gl"] = locale.country
        if locale.language is not None:
            body["hl"] = locale.language
        if request.date is not None:
            body["tbs"] = google_dates(request.date, now.date())
        notices = (*locale.notices, *over_limit(self.id, request.max_results, _MOST_RESULTS))
        headers = {"x-respond-with": "no-content"}
        return ApiCall(method="POST", url=f"{self.base_url.rstrip('/')}/", headers=headers, body=body, notices=notices)

    def read_answer(self, answer: Any, now: datetime) -> Found:
        """The results, with their content for a snippet where there is no description."""
        sources = (
            source(
                result.get("url"),
                title=result.get("title"),
                snippet=as_text(result.get("description")) or result.get("content"),
                published=result.get("date"),
                longest_snippet=_LONGEST_SNIPPET,
                now=now,
            )
            for result in objects(as_object(answer)["data"])
        )
        return Found(sources=tuple(found for found in sources if found is not None))

    def read_error(self, status_code: int, answer: Any) -> Found | None:
        """422 is also how Jina says that nothing was found."""
        del status_code
        said = as_text(answer.get("message")) if isinstance(answer, dict) else None
        return Found() if said is not None and "no search results" in said.lower() else None
