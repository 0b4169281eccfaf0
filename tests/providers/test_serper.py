from datetime import UTC, datetime
from typing import Any

import pytest

from hydra_web.errors import ConfigError
from hydra_web.providers import EnvironmentCredentials, SerperSearch
from hydra_web.settings import MemorySettings
from hydra_web.testing.providers import ProviderServer
from hydra_web.types import WebSearchRequest

NOW = datetime(2026, 11, 30, 14, 0, tzinfo=UTC)


def _body(request: WebSearchRequest, **options: Any) -> dict[str, Any]:
    body = SerperSearch(**options).build_call(request, NOW).body
    assert body is not None
    return body


async def test_the_request_and_its_headers() -> None:
    with ProviderServer("serper") as server:
        result = await SerperSearch(api_key="serper-key", base_url=server.base_url).search(
            WebSearchRequest(query="Docs")
        )
        (call,) = server.calls
    assert (call.method, call.path, call.body) == ("POST", "/search", {"q": "Docs", "num": 8})
    assert call.headers["x-api-key"] == "serper-key"
    assert "authorization" not in call.headers
    assert (result.truncated, result.status_code, result.sources[0].position) == (False, 200, 1)


def test_hints_and_counts_reach_the_body() -> None:
    hinted = WebSearchRequest(query="Docs", country="vn", language="vi", max_results=5, date="week")
    assert _body(hinted) == {"q": "Docs", "num": 5, "gl": "vn", "hl": "vi", "tbs": "qdr:w"}
    assert _body(WebSearchRequest(query="Docs", max_results=50))["num"] == 8
    assert _body(WebSearchRequest(query="Docs", max_results=50), max_results=100)["num"] == 50


def test_its_address_is_serpers() -> None:
    assert SerperSearch().build_call(WebSearchRequest(query="q"), NOW).url == "https://google.serper.dev/search"


def test_display_dates_become_days() -> None:
    organic = [
        {"title": "A", "link": "https://example.org/a", "snippet": "a", "date": "3 ngày trước", "position": 1},
        {"title": "B", "link": "https://example.org/b", "snippet": None, "date": "Mar 3, 2023", "position": 2},
        {"link": "https://example.org/c", "date": "some day", "sitelinks": []},
    ]
    assert [found.to_json_dict() for found in SerperSearch().read_answer({"organic": organic}, NOW).sources] == [
        {"url": "https://example.org/a", "title": "A", "snippet": "a", "publishedAt": "2026-11-27", "position": 1},
        {"url": "https://example.org/b", "title": "B", "publishedAt": "2023-03-03", "position": 2},
        {"url": "https://example.org/c"},
    ]


@pytest.mark.parametrize(
    "result",
    [{}, {"link": "ftp://example.org"}, {"link": 5}, {"link": "https://example.org", "title": 5},
     {"link": "https://example.org", "position": None}, {"link": "https://example.org", "position": True}, "text"],
)  # fmt: skip
def test_one_bad_result_makes_the_answer_invalid(result: Any) -> None:
    with pytest.raises(ValueError):
        SerperSearch().read_answer({"organic": [result]}, NOW)


def test_saved_country_and_language_are_neither_offered_nor_used() -> None:
    settings = MemorySettings({"web-search-serper": {"country": "us", "language": "en", "maxResults": 3}})
    provider = SerperSearch(api_key="k", settings=settings).configured()
    assert provider.build_call(WebSearchRequest(query="q"), NOW).body == {"q": "q", "num": 3}
    assert [(field.key, field.label, field.kind, field.advanced) for field in provider.descriptor.fields] == [
        ("maxResults", "Provider Result Limit", "number", None),
        ("timeoutMs", "Provider Timeout (ms)", "number", True),
        ("maxResponseBytes", "Maximum Response Bytes", "number", True),
        ("apiKeyEnv", "Credential Reference", "text", True),
    ]


def test_it_needs_a_key_and_a_sound_limit() -> None:
    assert not SerperSearch(credentials=EnvironmentCredentials({})).available()
    with pytest.raises(ConfigError, match="max_results must be an integer from 1 to 100, not 101"):
        SerperSearch(max_results=101)
