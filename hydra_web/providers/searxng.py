"""SearXNG (https://docs.searxng.org): a metasearch engine that people host themselves."""

import os
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, ClassVar, Final

from hydra_web.providers._base import SearchApi
from hydra_web.providers._dates import PERIOD_DAYS
from hydra_web.providers._fields import BASE_URL, CREDENTIAL, TIMEOUT
from hydra_web.providers._http import ApiCall
from hydra_web.providers._locale import Vocabularies, searxng_language, unsupported
from hydra_web.providers._reading import Failure, Found, as_object, objects, source
from hydra_web.types import SearchConfigField, WebSearchCapabilities, WebSearchRequest

__all__ = ["SearxngSearch"]

_CATEGORIES: Final = {
    "web": "general",
    "images": "images",
    "news": "news",
    "videos": "videos",
    "academic": "science",
}


def _environment_base_url() -> str:
    return SearxngSearch.address_in(os.environ)


@dataclass(frozen=True, kw_only=True, eq=False)
class SearxngSearch(SearchApi):
    """Search with a SearXNG instance. It must allow the `json` format, which it does not by default."""

    id: ClassVar[str] = "searxng"
    display_name: ClassVar[str] = "SearXNG"
    description: ClassVar[str] = "A metasearch engine of your own."
    capabilities: ClassVar[WebSearchCapabilities] = WebSearchCapabilities(
        images=True, news=True, videos=True, academic=True
    )
    credential_names: ClassVar[tuple[str, ...]] = ("SEARXNG_API_KEY",)
    key_required: ClassVar[bool] = False
    base_url_env: ClassVar[str | None] = "SEARXNG_BASE_URL"
    vocabularies: ClassVar[Vocabularies] = Vocabularies(languages=searxng_language)
    readable_errors: ClassVar[frozenset[int]] = frozenset({403})
    setting_fields: ClassVar[tuple[SearchConfigField, ...]] = (BASE_URL, TIMEOUT, CREDENTIAL)

    base_url: str = field(default_factory=_environment_base_url)
    """Where the instance is; by default `SEARXNG_BASE_URL` of the environment."""

    def key_belongs(self) -> bool:
        """Always: its key, for a proxy in front of the instance, has no other use."""
        return True

    def build_call(self, request: WebSearchRequest, now: datetime) -> ApiCall:
        """`GET /search`. There is no count; a country counts only as the region of a language."""
        del now
        language, notices = self._language(request)
        params = {"q": request.query, "format": "json", "categories": _CATEGORIES[request.type or "web"]}
        if language is not None:
            params["language"] = language
        if request.date in PERIOD_DAYS:
            params["time_range"] = str(request.date)
        elif request.date is not None:
            notices = (*notices, unsupported("date", request.date, self.id))
        headers = {"accept-language": language or "en"}
        url = f"{self.base_url.rstrip('/')}/search"
        return ApiCall(method="GET", url=url, params=tuple(params.items()), headers=headers, notices=notices)

    def _language(self, request: WebSearchRequest) -> tuple[str | None, tuple[str, ...]]:
        """Language and country as one tag, where the country gives the language its region."""
        country, language = request.country, request.language
        if country is not None and language is not None and "-" not in language:
            regional = searxng_language(f"{language.lower()}-{country.lower()}")
            if regional is not None:
                return regional, ()
        locale = self.vocabularies.localise(self.id, None, language)
        same = locale.language is not None and country is not None and locale.language.endswith(f"-{country.upper()}")
        if country is None or same:
            return locale.language, locale.notices
        return locale.language, (unsupported("country", country, self.id), *locale.notices)

    def read_answer(self, answer: Any, now: datetime) -> Found | Failure:
        """The results; those without a URL are key-value answers and passed over.

        No results while engines are unresponsive is a failure, which SearXNG reports as a success.
        """
        answer = as_object(answer)
        results = list(objects(answer["results"]))
        answered = results or answer.get("answers") or answer.get("infoboxes")
        if not answered and answer.get("unresponsive_engines"):
            return Failure("NETWORK_ERROR", "No engine of the SearXNG instance responded.")
        sources = (
            source(
                result.get("url"),
                title=result.get("title"),
                snippet=result.get("content"),
                published=result.get("publishedDate"),
                score=result.get("score"),
                now=now,
            )
            for result in results
        )
        return Found(sources=tuple(found for found in sources if found is not None))

    def read_error(self, status_code: int, answer: Any) -> Failure:
        """403 is what an instance says that does not allow the `json` format."""
        del answer
        message = f"The SearXNG instance refused (HTTP {status_code}). Allow the json format in its search settings."
        return Failure("AUTH_ERROR", message)
