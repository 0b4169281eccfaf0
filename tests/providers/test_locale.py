import pytest
from hypothesis import given
from hypothesis import strategies as st

from hydra_web.providers import (
    PROVIDER_CLASSES,
    BraveSearch,
    ExaSearch,
    JinaSearch,
    PerplexitySearch,
    SearchApi,
    SearxngSearch,
    SerperSearch,
    TavilySearch,
    WikipediaSearch,
)
from hydra_web.types import WebSearchRequest


@pytest.mark.parametrize(
    ("kind", "country", "name"),
    [
        (ExaSearch, "vn", "VN"),
        (PerplexitySearch, "vn", "VN"),
        (SerperSearch, "vn", "vn"),
        (JinaSearch, "VN", "VN"),
        (TavilySearch, "vn", "vietnam"),
        (TavilySearch, "us", "united states"),
        (BraveSearch, "us", "US"),
    ],
)
def test_countries_in_each_apis_terms(kind: type[SearchApi], country: str, name: str) -> None:
    locale = kind.vocabularies.localise(kind.id, country, None)
    assert (locale.country, locale.notices) == (name, ())


@pytest.mark.parametrize(
    ("kind", "language", "name"),
    [
        (PerplexitySearch, "vi", "vi"),
        (SerperSearch, "vi", "vi"),
        (SerperSearch, "zh-hans", "zh-cn"),
        (SerperSearch, "zh-hant-hk", "zh-tw"),
        (SerperSearch, "pt-br", "pt-br"),
        (SerperSearch, "he", "iw"),
        (JinaSearch, "zh-TW", "zh-tw"),
        (BraveSearch, "ja", "jp"),
        (BraveSearch, "zh-cn", "zh-hans"),
        (BraveSearch, "zh-hk", "zh-hant"),
        (BraveSearch, "zh", "zh-hans"),
        (SearxngSearch, "zh-hans", "zh-CN"),
        (SearxngSearch, "zh-hant-tw", "zh-TW"),
        (SearxngSearch, "vi-vn", "vi-VN"),
        (WikipediaSearch, "vi", "vi"),
        (WikipediaSearch, "nb", "no"),
        (WikipediaSearch, "zh-tw", "zh"),
    ],
)
def test_languages_in_each_apis_terms(kind: type[SearchApi], language: str, name: str | None) -> None:
    locale = kind.vocabularies.localise(kind.id, None, language)
    assert locale.language == name
    assert bool(locale.notices) == (name is None)


@pytest.mark.parametrize(
    ("kind", "country", "language", "notice"),
    [
        (BraveSearch, "vn", None, 'country "vn" is not supported by brave'),
        (TavilySearch, "aq", None, 'country "aq" is not supported by tavily'),
        (TavilySearch, None, "vi", 'language "vi" is not supported by tavily'),
        (ExaSearch, None, "vi", 'language "vi" is not supported by exa'),
        (WikipediaSearch, "vn", None, 'country "vn" is not supported by wikipedia'),
        (WikipediaSearch, None, "tlh", 'language "tlh" is not supported by wikipedia'),
        (SerperSearch, None, "en-au", 'language "en-au" was sent as "en" to serper'),
        (SerperSearch, "vietnam", None, 'country "vietnam" is not supported by serper'),
        (SearxngSearch, None, "x-klingon", 'language "x-klingon" is not supported by searxng'),
    ],
)
def test_what_cannot_be_honoured_is_said(
    kind: type[SearchApi], country: str | None, language: str | None, notice: str
) -> None:
    assert kind.vocabularies.localise(kind.id, country, language).notices == (notice,)


@given(st.text(max_size=12), st.text(max_size=12))
def test_no_hint_is_lost_without_a_word(country: str, language: str) -> None:
    for kind in PROVIDER_CLASSES:
        locale = kind.vocabularies.localise(kind.id, country, language)
        assert locale.country is not None or any(note.startswith("country") for note in locale.notices)
        assert locale.language is not None or any(note.startswith("language") for note in locale.notices)


@pytest.mark.parametrize(
    ("country", "language", "tag", "notices"),
    [
        ("vn", "vi", "vi-VN", ()),
        ("vn", "vi-vn", "vi-VN", ()),
        ("vn", None, None, ('country "vn" is not supported by searxng',)),
        (
            "vn",
            "zzzz",
            None,
            ('country "vn" is not supported by searxng', 'language "zzzz" is not supported by searxng'),
        ),
        ("us", "en-gb", "en-GB", ('country "us" is not supported by searxng',)),
        (None, None, None, ()),
    ],
)
def test_searxng_takes_a_country_as_a_languages_region(
    country: str | None, language: str | None, tag: str | None, notices: tuple[str, ...]
) -> None:
    from datetime import UTC, datetime

    request = WebSearchRequest(query="q", country=country, language=language)
    call = SearxngSearch(base_url="http://localhost:8080").build_call(request, datetime.now(UTC))
    assert (dict(call.params).get("language"), call.notices) == (tag, notices)
