"""Wikipedia and other MediaWiki sites (https://www.mediawiki.org/wiki/API:Search): no key needed."""

import os
import re
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, ClassVar, Final
from urllib.parse import quote

from hydra_web.errors import ConfigError, SearchErrorCode
from hydra_web.protocols import JsonObject
from hydra_web.providers._base import SearchApi
from hydra_web.providers._fields import BASE_URL, TIMEOUT
from hydra_web.providers._hints import fit_query, over_limit
from hydra_web.providers._http import LIBRARY, USER_AGENT, ApiCall
from hydra_web.providers._locale import WIKIPEDIA_LANGUAGES, Vocabularies, unsupported
from hydra_web.providers._reading import Failure, Found, as_object, as_text, objects, source
from hydra_web.types import SearchConfigField, WebSearchRequest

__all__ = ["WikipediaSearch"]

_EDITION: Final = re.compile(r"https://[a-z-]+\.wikipedia\.org")
_MOST_RESULTS: Final = 500
_LONGEST_QUERY: Final = 300
_PASSING: Final[dict[str, SearchErrorCode]] = {
    "ratelimited": "RATE_LIMITED",
    "maxlag": "NETWORK_ERROR",
    "readonly": "NETWORK_ERROR",
}


def _environment_contact() -> str:
    return os.environ.get("HYDRA_WEB_CONTACT", "")


@dataclass(frozen=True, kw_only=True, eq=False)
class WikipediaSearch(SearchApi):
    """Search in Wikipedia, or in another MediaWiki by its `base_url`.

    The language of a search picks Wikipedia's edition. Wikimedia asks for a contact and for one request at a time.
    Text is under CC BY-SA: name the page where you quote it.
    """

    id: ClassVar[str] = "wikipedia"
    display_name: ClassVar[str] = "Wikipedia"
    description: ClassVar[str] = "The free encyclopedia, in the language of the search."
    key_required: ClassVar[bool] = False
    needs_setup: ClassVar[bool] = False
    vocabularies: ClassVar[Vocabularies] = Vocabularies(languages=WIKIPEDIA_LANGUAGES)
    setting_fields: ClassVar[tuple[SearchConfigField, ...]] = (
        SearchConfigField(
            key="contact",
            label="Contact",
            kind="text",
            hint="A mail address or web page for the site's operators, sent with every search.",
        ),
        BASE_URL,
        TIMEOUT,
    )
    usual_base_url: ClassVar[str] = "https://en.wikipedia.org"

    base_url: str = usual_base_url
    """Where the wiki is, without `/w/api.php`."""
    max_concurrency: int = 1
    """The most searches under way at once in one event loop."""
    contact: str = field(default_factory=_environment_contact)
    """How Wikimedia can reach you; by default `HYDRA_WEB_CONTACT` of the environment."""

    def check(self) -> None:
        """Raises ConfigError for an option out of bounds."""
        super().check()
        if not (self.contact.isascii() and self.contact.isprintable()) or {"(", ")"} & set(self.contact):
            raise ConfigError(f"contact must be plain ASCII without brackets, not {self.contact!r}")

    def build_call(self, request: WebSearchRequest, now: datetime) -> ApiCall:
        """`GET /w/api.php`; the site's own facts are asked for too, to build addresses from titles."""
        del now
        base, notices = self._wiki(request)
        query, cut = fit_query(self.id, request.query, most_characters=_LONGEST_QUERY, most_words=_LONGEST_QUERY)
        notices += [*cut, *over_limit(self.id, request.max_results, _MOST_RESULTS)]
        if request.date is not None:
            notices.append(unsupported("date", request.date, self.id))
        params = {
            "action": "query",
            "list": "search",
            "srsearch": query,
            "srlimit": str(min(request.max_results or 10, _MOST_RESULTS)),
            "srprop": "snippet",
            "meta": "siteinfo",
            "siprop": "general",
            "format": "json",
            "formatversion": "2",
        }
        agent = f"{USER_AGENT} ({self.contact or 'contact not set'}) {LIBRARY}"
        return ApiCall(
            method="GET",
            url=f"{base}/w/api.php",
            params=tuple(params.items()),
            headers={"user-agent": agent},
            notices=tuple(notices),
        )

    def _wiki(self, request: WebSearchRequest) -> tuple[str, list[str]]:
        """The edition for the search's language, and notices."""
        base = self.base_url.rstrip("/")
        editions = _EDITION.fullmatch(base) is not None
        vocabularies = self.vocabularies if editions else Vocabularies()
        locale = vocabularies.localise(self.id, request.country, request.language)
        return (f"https://{locale.language}.wikipedia.org" if locale.language else base), list(locale.notices)

    def read_answer(self, answer: Any, now: datetime) -> Found | Failure:
        """The pages found, without a date: MediaWiki knows the last edit only. Errors come as successes."""
        answer = as_object(answer)
        if isinstance(answer.get("error"), dict):
            code = str(answer["error"].get("code"))
            internal = code.startswith("internal_api_error")
            return Failure("NETWORK_ERROR" if internal else _PASSING.get(code, "CONFIG_ERROR"))
        found = as_object(answer["query"])
        sources = (
            source(self._page_url(found, result), title=result.get("title"), snippet=result.get("snippet"), now=now)
            for result in objects(found["search"])
        )
        return Found(sources=tuple(entry for entry in sources if entry is not None))

    def _page_url(self, found: JsonObject, page: JsonObject) -> str | None:
        title = as_text(page.get("title"))
        general = found.get("general")
        site = general if isinstance(general, dict) else {}
        server = as_text(site.get("server")) or self.base_url.rstrip("/")
        path = as_text(site.get("articlepath")) or "/wiki/$1"
        if title is None or "$1" not in path:
            return None
        server = f"https:{server}" if server.startswith("//") else server
        return server + path.replace("$1", quote(title.replace(" ", "_"), safe="/:@!$*(),;~'", errors="replace"))
