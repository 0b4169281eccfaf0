from datetime import UTC, datetime
from typing import Any

import pytest

from hydra_web.errors import ConfigError, SearchProviderError
from hydra_web.providers import SearxngSearch, WikipediaSearch
from hydra_web.providers._reading import Failure, Found
from hydra_web.testing.providers import ProviderReply, ProviderServer
from hydra_web.types import WebSearchRequest

NOW = datetime(2026, 11, 30, 14, 0, tzinfo=UTC)
REQUEST = WebSearchRequest(query="deep sea")


def _urls(outcome: Found | Failure) -> list[str]:
    assert isinstance(outcome, Found)
    return [found.url for found in outcome.sources]


# --- SearXNG -----------------------------------------------------------------------------------------------------


async def test_searxngs_request() -> None:
    with ProviderServer("searxng") as server:
        await SearxngSearch(base_url=f"{server.base_url}/searx/").search(
            WebSearchRequest(query="deep sea", language="vi", date="week")
        )
        (call,) = server.calls
    assert (call.method, call.path) == ("GET", "/searx/search")
    assert call.params == {
        "q": "deep sea", "format": "json", "categories": "general", "language": "vi", "time_range": "week",
    }  # fmt: skip
    assert call.headers["user-agent"].startswith("hydra-web/")
    assert call.headers["accept-language"] == "vi"
    assert "authorization" not in call.headers


@pytest.mark.parametrize(
    ("kind", "category"),
    [("images", "images"), ("news", "news"), ("videos", "videos"), ("academic", "science")],
)
def test_searxngs_categories(kind: Any, category: str) -> None:
    call = SearxngSearch(base_url="http://localhost").build_call(WebSearchRequest(query="q", type=kind), NOW)
    assert dict(call.params)["categories"] == category


def test_searxng_has_no_intervals() -> None:
    call = SearxngSearch(base_url="http://localhost").build_call(WebSearchRequest(query="q", date="2026-01-01/.."), NOW)
    assert call.notices == ('date "2026-01-01/.." is not supported by searxng',)
    assert "time_range" not in dict(call.params)


def test_results_without_a_url_are_passed_over() -> None:
    results = [{"url": None, "kvmap": {}}, {"url": "https://example.org/", "title": "", "publishedDate": None}]
    assert _urls(SearxngSearch().read_answer({"results": results}, NOW)) == ["https://example.org/"]


def test_every_engine_down_is_an_error_and_nothing_found_is_not() -> None:
    down = {"results": [], "answers": [], "infoboxes": [], "unresponsive_engines": [["wikipedia", "timeout"]]}
    assert SearxngSearch().read_answer(down, NOW) == Failure(
        "NETWORK_ERROR", "No engine of the SearXNG instance responded."
    )
    assert _urls(SearxngSearch().read_answer({**down, "unresponsive_engines": []}, NOW)) == []
    assert _urls(SearxngSearch().read_answer({**down, "answers": ["42"]}, NOW)) == []


async def test_an_instance_that_refuses_json_is_told_how_to_allow_it() -> None:
    with ProviderServer("searxng") as server:
        server.replies.append(ProviderReply(status=403, body=b"<!doctype html><h1>Forbidden</h1>"))
        with pytest.raises(SearchProviderError, match="Allow the json format") as caught:
            await SearxngSearch(base_url=server.base_url).search(REQUEST)
    assert (caught.value.code, caught.value.status_code) == ("AUTH_ERROR", 403)


async def test_its_address_comes_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SEARXNG_BASE_URL", raising=False)
    assert not SearxngSearch().available()
    with ProviderServer("searxng") as server:
        monkeypatch.setenv("SEARXNG_BASE_URL", server.base_url)
        monkeypatch.setenv("SEARXNG_API_KEY", "proxy-key")
        assert SearxngSearch().available()
        await SearxngSearch().search(REQUEST)
        assert server.calls[0].headers["authorization"] == "Bearer proxy-key"


# --- Wikipedia ---------------------------------------------------------------------------------------------------


async def test_wikipedias_request() -> None:
    with ProviderServer("wikipedia") as server:
        await WikipediaSearch(base_url=server.base_url, contact="ops@example.org").search(
            WebSearchRequest(query="deep sea", max_results=3)
        )
        (call,) = server.calls
    assert (call.method, call.path) == ("GET", "/w/api.php")
    assert (call.params["srsearch"], call.params["srlimit"], call.params["list"]) == ("deep sea", "3", "search")
    assert call.headers["user-agent"].startswith("hydra-web/")
    assert "(ops@example.org) httpx/" in call.headers["user-agent"]


@pytest.mark.parametrize(
    ("language", "host", "notices"),
    [
        (None, "en", ()),
        ("vi", "vi", ()),
        ("zh-hant-tw", "zh", ()),
        ("nb", "no", ()),
        ("en-gb", "en", ('language "en-gb" was sent as "en" to wikipedia',)),
        ("tlh", "en", ('language "tlh" is not supported by wikipedia',)),
    ],
)
def test_the_language_picks_the_edition(language: str | None, host: str, notices: tuple[str, ...]) -> None:
    call = WikipediaSearch().build_call(WebSearchRequest(query="q", language=language), NOW)
    assert (call.url, call.notices) == (f"https://{host}.wikipedia.org/w/api.php", notices)


def test_another_wiki_has_one_language_and_no_dates() -> None:
    request = WebSearchRequest(query="x" * 400, language="vi", country="vn", date="week", max_results=900)
    call = WikipediaSearch(base_url="https://wiki.example.org").build_call(request, NOW)
    assert call.url == "https://wiki.example.org/w/api.php"
    assert call.notices == (
        'country "vn" is not supported by wikipedia',
        'language "vi" is not supported by wikipedia',
        "the query was cut to fit wikipedia",
        "at most 500 results are supported by wikipedia",
        'date "week" is not supported by wikipedia',
    )


def test_addresses_are_built_from_titles() -> None:
    snippet = 'The <span class="searchmatch">deep</span> sea &amp; more &quot;facts&quot;'
    page = {"title": "AC/DC & Ødegård (d'Art)?", "snippet": snippet, "timestamp": "2026-10-30T12:34:56Z"}
    general = {"server": "//vi.wikipedia.org", "articlepath": "/wiki/$1"}
    found = WikipediaSearch().read_answer({"query": {"general": general, "search": [page, {"ns": 0}]}}, NOW)
    assert isinstance(found, Found)
    assert [entry.to_json_dict() for entry in found.sources] == [
        {
            "url": "https://vi.wikipedia.org/wiki/AC/DC_%26_%C3%98deg%C3%A5rd_(d'Art)%3F",
            "title": "AC/DC & Ødegård (d'Art)?",
            "snippet": 'The deep sea & more "facts"',
        }
    ]


def test_half_a_character_in_a_title_costs_no_other_result() -> None:
    found = WikipediaSearch().read_answer({"query": {"search": [{"title": "a\ud800"}, {"title": "b"}]}}, NOW)
    assert _urls(found) == ["https://en.wikipedia.org/wiki/a%3F", "https://en.wikipedia.org/wiki/b"]


def test_addresses_are_built_without_the_sites_facts_too() -> None:
    found = WikipediaSearch().read_answer({"query": {"search": [{"title": "Deep sea"}]}}, NOW)
    assert _urls(found) == ["https://en.wikipedia.org/wiki/Deep_sea"]


@pytest.mark.parametrize(
    ("error", "code"),
    [
        ("ratelimited", "RATE_LIMITED"),
        ("maxlag", "NETWORK_ERROR"),
        ("internal_api_error_DBQueryError", "NETWORK_ERROR"),
        ("missingparam", "CONFIG_ERROR"),
    ],
)
def test_errors_that_come_as_successes(error: str, code: str) -> None:
    outcome = WikipediaSearch().read_answer({"error": {"code": error, "info": "x"}}, NOW)
    assert outcome == Failure(code)  # type: ignore[arg-type]


@pytest.mark.parametrize("contact", ["bad\nheader", "naïve@example.org", "a (b)"])
def test_a_contact_has_to_fit_its_header(contact: str) -> None:
    with pytest.raises(ConfigError, match="contact must be plain ASCII"):
        WikipediaSearch(contact=contact)


def test_the_contact_comes_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HYDRA_WEB_CONTACT", "https://example.org/about")
    headers = WikipediaSearch().build_call(REQUEST, NOW).headers
    assert "(https://example.org/about)" in str(headers["user-agent"])
