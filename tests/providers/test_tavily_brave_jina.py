from datetime import UTC, datetime
from typing import Any

import pytest

from hydra_web.errors import ConfigError, SearchProviderError
from hydra_web.providers import BraveSearch, JinaSearch, TavilySearch
from hydra_web.providers._http import ApiCall
from hydra_web.testing.providers import ProviderReply, ProviderServer
from hydra_web.types import WebSearchRequest

NOW = datetime(2026, 11, 30, 14, 0, tzinfo=UTC)
REQUEST = WebSearchRequest(query="deep sea")


def _body(call: ApiCall) -> dict[str, Any]:
    assert call.body is not None
    return call.body


# --- Tavily ------------------------------------------------------------------------------------------------------


async def test_tavilys_request_and_answer() -> None:
    sources = [{"url": "https://example.org/", "title": "T", "snippet": "s", "score": 0.9}]
    with ProviderServer("tavily", sources) as server:
        result = await TavilySearch(api_key="tvly-key", base_url=server.base_url).search(
            WebSearchRequest(query="deep sea", country="vn", max_results=4)
        )
        (call,) = server.calls
    assert call.headers["authorization"] == "Bearer tvly-key"
    assert call.body == {
        "query": "deep sea",
        "search_depth": "basic",
        "topic": "general",
        "include_answer": False,
        "max_results": 4,
        "country": "vietnam",
    }
    assert (result.sources[0].score, result.content) == (0.9, None)


def test_tavilys_dates_topics_and_limits() -> None:
    provider = TavilySearch(search_depth="advanced", include_answer=True)
    body = _body(provider.build_call(WebSearchRequest(query="q", date="month", max_results=99), NOW))
    assert (body["time_range"], body["max_results"], body["search_depth"]) == ("month", 20, "advanced")
    body = _body(provider.build_call(WebSearchRequest(query="q", date="2026-01-02/2026-02-03"), NOW))
    assert (body["start_date"], body["end_date"]) == ("2026-01-02", "2026-02-03")
    call = provider.build_call(WebSearchRequest(query="q", type="news", country="vn", language="vi"), NOW)
    assert _body(call)["topic"] == "news"
    assert "country" not in _body(call)
    assert call.notices == (
        'language "vi" is not supported by tavily',
        'country "vn" is not supported by tavily news search',
    )
    found = provider.read_answer({"results": [], "answer": "Short."}, NOW)
    assert found.content == "Short."
    with pytest.raises(ConfigError, match="search_depth"):
        TavilySearch(search_depth="deepest")


@pytest.mark.parametrize("status", [432, 433])
async def test_tavilys_used_up_plan_counts_as_a_limit(status: int) -> None:
    with ProviderServer("tavily") as server:
        server.replies.append(ProviderReply(status=status, body={"detail": {"error": "over the plan"}}))
        with pytest.raises(SearchProviderError) as caught:
            await TavilySearch(api_key="k", base_url=server.base_url, retry=3).search(REQUEST)
        assert len(server.calls) == 1
    assert (caught.value.code, caught.value.status_code) == ("RATE_LIMITED", status)
    assert str(caught.value) == f"Provider quota exceeded (HTTP {status})."


# --- Brave -------------------------------------------------------------------------------------------------------


async def test_braves_request_and_answer() -> None:
    sources = [
        {"url": "https://example.org/", "title": "A &amp; B", "snippet": "<strong>deep</strong> sea",
         "published": "2018-03-30T17:57:36"},
    ]  # fmt: skip
    with ProviderServer("brave", sources) as server:
        result = await BraveSearch(api_key="brave-key", base_url=f"{server.base_url}/res/v1").search(
            WebSearchRequest(query="deep sea", country="us", language="ja", date="week", max_results=3)
        )
        (call,) = server.calls
    assert (call.method, call.path, call.body) == ("GET", "/res/v1/web/search", None)
    assert call.headers["x-subscription-token"] == "brave-key"
    assert call.params == {
        "q": "deep sea", "count": "3", "country": "US", "search_lang": "jp", "freshness": "pw",
        "text_decorations": "false", "result_filter": "web",
    }  # fmt: skip
    assert result.sources[0].to_json_dict() == {
        "url": "https://example.org/",
        "title": "A & B",
        "snippet": "deep sea",
        "publishedAt": "2018-03-30",
    }


async def test_brave_says_what_it_cannot_honour() -> None:
    with ProviderServer("brave") as server:
        result = await BraveSearch(api_key="k", base_url=server.base_url).search(
            WebSearchRequest(query="w " * 80, country="vn", max_results=30)
        )
    assert result.notices == (
        'country "vn" is not supported by brave',
        "the query was cut to fit brave",
        "at most 20 results are supported by brave",
    )
    assert server.calls[0].params["q"] == "w " * 49 + "w"
    assert server.calls[0].params["count"] == "20"


@pytest.mark.parametrize(
    ("kind", "path", "answer"),
    [
        ("news", "news/search", {"type": "news", "results": [{"url": "https://e.org/", "age": "3 days ago"}]}),
        ("videos", "videos/search", {"type": "videos", "results": [{"url": "https://e.org/", "age": "June 1, 2025"}]}),
        ("images", "images/search", {"type": "images", "results": [{"url": "https://e.org/"}]}),
    ],
)
def test_braves_other_kinds(kind: Any, path: str, answer: dict[str, Any]) -> None:
    call = BraveSearch().build_call(WebSearchRequest(query="q", type=kind, date="2026-01-02/..", max_results=40), NOW)
    assert call.url == f"https://api.search.brave.com/res/v1/{path}"
    params = dict(call.params)
    assert params["count"] == "40"
    assert "result_filter" not in params
    assert params.get("freshness") == (None if kind == "images" else "2026-01-02to2026-11-30")
    assert len(call.notices) == (1 if kind == "images" else 0)
    (found,) = BraveSearch().read_answer(answer, NOW).sources
    assert found.published_at == {"news": "2026-11-27", "videos": "2025-06-01"}.get(kind)


def test_brave_leaves_its_web_part_out_when_nothing_was_found() -> None:
    assert BraveSearch().read_answer({"type": "search", "query": {}}, NOW).sources == ()


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({"type": "ErrorResponse", "error": {"code": "SUBSCRIPTION_TOKEN_INVALID", "status": 422}}, "AUTH_ERROR"),
        ({"type": "ErrorResponse", "error": {"code": "VALIDATION", "status": 422}}, "CONFIG_ERROR"),
        ({"error": "text"}, "CONFIG_ERROR"),
        (b"<html>", "CONFIG_ERROR"),
        ([], "CONFIG_ERROR"),
    ],
)
async def test_braves_422_is_a_bad_key_only_when_it_says_so(body: Any, code: str) -> None:
    with ProviderServer("brave") as server:
        server.replies.append(ProviderReply(status=422, body=body))
        with pytest.raises(SearchProviderError) as caught:
            await BraveSearch(api_key="k", base_url=server.base_url).search(REQUEST)
    assert caught.value.code == code


# --- Jina --------------------------------------------------------------------------------------------------------


async def test_jinas_request_and_answer() -> None:
    sources = [{"url": "https://example.org/", "title": "T", "snippet": "s", "published": "Oct 3, 2025"}]
    with ProviderServer("jina", sources) as server:
        result = await JinaSearch(api_key="jina-key", base_url=server.base_url).search(
            WebSearchRequest(query="deep sea", country="vn", language="zh-hans", date="day", max_results=50)
        )
        (call,) = server.calls
    assert (call.method, call.path) == ("POST", "/")
    assert (call.headers["authorization"], call.headers["x-respond-with"]) == ("Bearer jina-key", "no-content")
    assert call.body == {"q": "deep sea", "num": 20, "gl": "VN", "hl": "zh-cn", "tbs": "qdr:d"}
    assert result.notices == ("at most 20 results are supported by jina",)
    assert result.sources[0].published_at == "2025-10-03"


def test_jinas_content_stands_in_for_a_description() -> None:
    data = [{"url": "https://example.org/", "description": "", "content": "x" * 5000}]
    (found,) = JinaSearch().read_answer({"data": data}, NOW).sources
    assert found.snippet == "x" * 2000


async def test_jina_says_that_nothing_was_found_with_an_error() -> None:
    with ProviderServer("jina") as server:
        message = "AssertionFailureError: No search results available for query deep sea"
        server.replies.append(ProviderReply(status=422, body={"code": 422, "message": message}))
        result = await JinaSearch(api_key="k", base_url=server.base_url).search(REQUEST)
    assert (result.sources, result.status_code) == ((), 422)
