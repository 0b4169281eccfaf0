"""A country and a language in each API's own terms, and a word about what could not be said in them. Pure.

Every provider names two of the vocabularies below; nothing outside them is ever sent.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final, TypeAlias

from hydra_web.providers import _locale_data as data

__all__ = [
    "BRAVE_COUNTRIES",
    "BRAVE_LANGUAGES",
    "GOOGLE_LANGUAGES",
    "TAVILY_COUNTRIES",
    "WIKIPEDIA_LANGUAGES",
    "Locale",
    "Vocabularies",
    "Vocabulary",
    "iso_639_1",
    "lower_country",
    "searxng_language",
    "unsupported",
    "upper_country",
]

Vocabulary: TypeAlias = Mapping[str, str] | Callable[[str], str | None] | None
"""How an API names countries or languages, by our lower-case code; None when it takes none."""


@dataclass(frozen=True, slots=True)
class Locale:
    """Country and language as an API wants them."""

    country: str | None
    """The API's name for the country; None where none was asked for or none can be sent."""
    language: str | None
    """The API's name for the language; None likewise."""
    notices: tuple[str, ...]
    """What was dropped or coarsened."""


def unsupported(kind: str, value: object, provider: str) -> str:
    """The notice for a hint the provider cannot honour."""
    return f'{kind} "{value}" is not supported by {provider}'


@dataclass(frozen=True, slots=True, kw_only=True)
class Vocabularies:
    """The terms of one provider."""

    countries: Vocabulary = None
    """Its names for countries."""
    languages: Vocabulary = None
    """Its names for languages."""

    def localise(self, provider: str, country: str | None, language: str | None) -> Locale:
        """Translates the hints of a search."""
        notices = []
        country_name = language_name = None
        if country is not None:
            country_name = _look_up(self.countries, country.lower())
            if country_name is None:
                notices.append(unsupported("country", country, provider))
        if language is not None:
            language_name, coarser = _look_up_language(self.languages, language.lower())
            if language_name is None:
                notices.append(unsupported("language", language, provider))
            elif coarser:
                notices.append(f'language "{language}" was sent as "{language_name}" to {provider}')
        return Locale(country_name, language_name, tuple(notices))


def _look_up(vocabulary: Vocabulary, code: str) -> str | None:
    if vocabulary is None:
        return None
    return vocabulary(code) if callable(vocabulary) else vocabulary.get(code)


def _look_up_language(vocabulary: Vocabulary, tag: str) -> tuple[str | None, bool]:
    """The API's name, and whether it says less than the tag: the script counts before the region, the region last."""
    for candidate in (tag, *_chinese(tag)):
        name = _look_up(vocabulary, candidate)
        if name is not None:
            return name, False
    base = tag.partition("-")[0]
    name = _look_up(vocabulary, base)
    return name, name is not None and base != tag


def _chinese(tag: str) -> tuple[str, ...]:
    """Chinese by script: regions imply one, and APIs name it in different ways."""
    base, _, rest = tag.partition("-")
    if base != "zh":
        return ()
    parts = rest.split("-")
    traditional = "hant" in parts or ("hans" not in parts and not {"tw", "hk", "mo"}.isdisjoint(parts))
    return ("zh-hant", "zh-tw") if traditional else ("zh-hans", "zh-cn")


def lower_country(code: str) -> str | None:
    """Any country of ISO 3166-1, in lower case."""
    return code if re.fullmatch("[a-z]{2}", code) else None


def upper_country(code: str) -> str | None:
    """Any country of ISO 3166-1, in capitals."""
    return code.upper() if re.fullmatch("[a-z]{2}", code) else None


def iso_639_1(tag: str) -> str | None:
    """A language by its two letters and nothing more."""
    return tag if re.fullmatch("[a-z]{2}", tag) else None


def searxng_language(tag: str) -> str | None:
    """SearXNG takes a language of two or three letters, with or without a region of two."""
    tag = {"zh-hans": "zh-cn", "zh-hant": "zh-tw"}.get(tag, tag)
    base, dash, region = tag.partition("-")
    return base + dash + region.upper() if re.fullmatch("[a-z]{2,3}(-[a-z]{2})?", tag) else None


def _same(names: str) -> Mapping[str, str]:
    return {name: name for name in names.split()}


BRAVE_COUNTRIES: Final[Vocabulary] = {code.lower(): code for code in data.BRAVE_COUNTRIES.split()}
BRAVE_LANGUAGES: Final[Vocabulary] = {**_same(data.BRAVE_LANGUAGES), "ja": "jp", "pt": "pt-pt", "no": "nb"}
GOOGLE_LANGUAGES: Final[Vocabulary] = {
    **_same(data.GOOGLE_LANGUAGES),
    "zh-hans": "zh-cn",
    "zh-hant": "zh-tw",
    "he": "iw",
    "jv": "jw",
    "fil": "tl",
    "nb": "no",
}
TAVILY_COUNTRIES: Final[Vocabulary] = data.TAVILY_COUNTRIES
WIKIPEDIA_LANGUAGES: Final[Vocabulary] = {
    **_same(data.WIKIPEDIA_LANGUAGES),
    "nb": "no",
    "zh-hans": "zh",
    "zh-hant": "zh",
    "fil": "tl",
}
