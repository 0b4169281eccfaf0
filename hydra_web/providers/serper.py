"""Serper.dev (https://serper.dev): Google's results as JSON."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any, ClassVar, Final

from hydra_web.protocols import JsonObject
from hydra_web.providers._base import SearchApi
from hydra_web.providers._fields import CREDENTIAL, MAX_BYTES, MAX_RESULTS, TIMEOUT
from hydra_web.providers._hints import google_dates
from hydra_web.providers._http import ApiCall
from hydra_web.providers._locale import GOOGLE_LANGUAGES, Vocabularies, lower_country
from hydra_web.providers._mapping import ResultMapping, read_results
from hydra_web.providers._options import check_integer
from hydra_web.providers._reading import Found
from hydra_web.providers._secret import Secret
from hydra_web.types import SearchConfigField, WebSearchRequest

__all__ = ["SerperSearch"]

_MAPPING: Final = ResultMapping(
    results=("organic",),
    url=("link",),
    title=("title",),
    snippet=("snippet",),
    published=("date",),
    position=("position",),
)


@dataclass(frozen=True, kw_only=True, eq=False)
class SerperSearch(SearchApi):
    """Search with Serper.dev. One result without an http(s) link makes the whole answer invalid."""

    id: ClassVar[str] = "serper"
    display_name: ClassVar[str] = "Serper.dev"
    description: ClassVar[str] = "Google results as JSON."
    credential_names: ClassVar[tuple[str, ...]] = ("SERPER_API_KEY",)
    vocabularies: ClassVar[Vocabularies] = Vocabularies(countries=lower_country, languages=GOOGLE_LANGUAGES)
    setting_fields: ClassVar[tuple[SearchConfigField, ...]] = (MAX_RESULTS, TIMEOUT, MAX_BYTES, CREDENTIAL)
    usual_base_url: ClassVar[str] = "https://google.serper.dev"

    base_url: str = usual_base_url
    """Where the API is."""
    max_results: int = 8
    """The most results of one search, 1 to 100."""

    def check(self) -> None:
        """Raises ConfigError for an option out of bounds."""
        super().check()
        check_integer("max_results", self.max_results, 1, 100)

    def auth_headers(self, key: Secret) -> dict[str, str | Secret]:
        """`X-API-KEY`."""
        return {"x-api-key": key}

    def build_call(self, request: WebSearchRequest, now: datetime) -> ApiCall:
        """`POST /search`."""
        locale = self.localise(request)
        body: JsonObject = {
            "q": request.query,
            "num": min(request.max_results or self.max_results, self.max_results),
        }
        if locale.country is not None:
            body["gl"] = locale.country
        if locale.language is not None:
            body["hl"] = locale.language
        if request.date is not None:
            body["tbs"] = google_dates(request.date, now.date())
        return ApiCall(method="POST", url=f"{self.base_url.rstrip('/')}/search", body=body, notices=locale.notices)

    def read_answer(self, answer: Any, now: datetime) -> Found:
        """The organic results; dates are display strings in the search's language."""
        return read_results(answer, _MAPPING, now)
