"""Which domains and pages the operator lets an agent use. No I/O."""

import re
from collections.abc import Iterable
from typing import Final

from hydra_web.domains import Domains
from hydra_web.errors import WebError
from hydra_web.tools.config import WebToolsConfig
from hydra_web.types import WebSearchResult
from hydra_web.urls import url_host, without_fragment

__all__ = ["Scope", "canonical_url", "urls_in_text"]

_NOT_SEEN: Final = (
    "web fetch refused: the operator's policy allows only URLs from search results, fetched pages or the conversation"
)
_URL: Final = re.compile(r"https?://[^\s<>\"`|\\]{1,2048}", re.IGNORECASE)
_TRAILING: Final = ".,;:!?'*_~"
_MOST_SEEN: Final = 50_000


class Scope:
    """The operator's domain lists, and the pages seen so far where only those may be fetched."""

    def __init__(self, config: WebToolsConfig) -> None:
        allowed = None if config.allowed_domains is None else frozenset(config.allowed_domains)
        self._domains = Domains(allowed, frozenset(config.blocked_domains))
        self._only_seen = config.fetch_scope == "seen"
        self._seen: dict[str, None] = {}

    def check(self, url: str) -> None:
        """Refuses, with a WebError, a URL that may not be fetched."""
        self.check_domain(url)
        if self._only_seen and canonical_url(url) not in self._seen:
            raise WebError(_NOT_SEEN, "WEB_BLOCKED_URL", "url_not_seen")

    def check_domain(self, url: str) -> None:
        """Refuses, with a WebError, a URL outside the domain lists."""
        self._domains.check(_host(url))

    def filter_sources(self, result: WebSearchResult) -> WebSearchResult:
        """The result without sources outside the domain lists; a notice says how many were left out."""
        kept = tuple(source for source in result.sources if self._domains.refusal(_host(source.url)) is None)
        dropped = len(result.sources) - len(kept)
        if not dropped:
            return result
        notice = f"{dropped} {'source' if dropped == 1 else 'sources'} left out by the operator's domain policy"
        return result.model_copy(update={"sources": kept, "notices": (*result.notices, notice)})

    def add_urls(self, urls: Iterable[str]) -> None:
        """Remembers URLs as seen; the oldest are forgotten when there are too many."""
        if not self._only_seen:
            return
        for url in urls:
            self._seen[canonical_url(url)] = None
        while len(self._seen) > _MOST_SEEN:
            del self._seen[next(iter(self._seen))]

    def add_text(self, text: str) -> None:
        """Remembers every URL in a text as seen."""
        if self._only_seen:
            self.add_urls(urls_in_text(text))


def _host(url: str) -> str:
    return (url_host(url.strip()) or "").strip(".")


def canonical_url(url: str) -> str:
    """The form in which two spellings of one address are equal, its fragment left aside."""
    return without_fragment(url).replace("%28", "(").replace("%29", ")")


def urls_in_text(text: str) -> list[str]:
    """The http and https URLs in plain or Markdown text, without the punctuation around them."""
    urls = []
    start = 0
    while found := _URL.search(text, start):
        url = _up_to_bracket(found[0])
        start = found.start() + len(url)
        urls.append(url.rstrip(_TRAILING))
    return urls


def _up_to_bracket(url: str) -> str:
    open_brackets = {")": 0, "]": 0}
    for position, character in enumerate(url):
        if character in "([":
            open_brackets[")" if character == "(" else "]"] += 1
        elif character in open_brackets:
            if not open_brackets[character]:
                return url[:position]
            open_brackets[character] -= 1
    return url
