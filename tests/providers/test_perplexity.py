from datetime import UTC, datetime
from typing import Any

import pytest

from hydra_web.errors import ConfigError, SearchProviderError, WebError
from hydra_web.providers import EnvironmentCredentials, PerplexitySearch
from hydra_web.runtime import WebRuntime
from hydra_web.settings import MemorySettings
from hydra_web.signals import AbortSignal
from hydra_web.testing.providers import ProviderReply, ProviderServer
from hydra_web.types import WebSearchRequest

NOW = datetime(2026, 11, 30, 14, 0, tzinfo=UTC)
REQUEST = WebSearchRequest(query="deep sea")


def _body(provider: PerplexitySearch, **request: Any) -> dict[str, Any]:
    body = provider.build_call(WebSearchRequest(query="deep sea", **request), NOW).body
    assert body is not None
    return body


def _answer(content: Any = "An answer.", **more: Any) -> dict[str, Any]:
    return {"choices": [{"message": {"role": "assistant", "content": content}}], **more}


def test_listed_results_go_before_citations() -> None:
    results = [
        {"url": "https://example.org/a", "title": "A", "snippet": "a", "date": "2026-10-12", "last_updated": "x"},
        {"url": "https://example.org/b", "title": None, "snippet": "", "date": None},
        {"url": "", "title": "no address"},
    ]
    found = PerplexitySearch().read_answer(_answer(search_results=results, citations=["https://other.example"]), NOW)
    assert found.content == "An answer."
    assert [entry.to_json_dict() for entry in found.sources] == [
        {"url": "https://example.org/a", "title": "A", "snippet": "a", "publishedAt": "2026-10-12"},
        {"url": "https://example.org/b"},
    ]


def test_citations_stand_in_where_no_results_are_listed() -> None:
    found = PerplexitySearch().read_answer(_answer(citations=["https://example.org/a", "", "no url"]), NOW)
    assert [entry.to_json_dict() for entry in found.sources] == [{"url": "https://example.org/a"}]


def test_neither_results_nor_citations_find_nothing() -> None:
    assert PerplexitySearch().read_answer(_answer(), NOW).sources == ()


@pytest.mark.parametrize(
    "answer",
    [_answer(""), _answer(None), _answer(5), {}, {"choices": []}, {"choices": None}, {"choices": [{"message": None}]}],
)
def test_an_empty_or_missing_answer_is_left_out(answer: dict[str, Any]) -> None:
    assert PerplexitySearch().read_answer(answer, NOW).content is None


async def test_the_request_and_its_headers() -> None:
    with ProviderServer("perplexity") as server:
        result = await PerplexitySearch(api_key="pplx-key", base_url=server.base_url).search(REQUEST)
        (call,) = server.calls
    assert result.content == "A written answer [1]."
    assert (call.method, call.path) == ("POST", "/chat/completions")
    assert call.headers["authorization"] == "Bearer pplx-key"
    assert call.body == {
        "model": "sonar",
        "max_tokens": 1024,
        "messages": [{"role": "user", "content": "deep sea"}],
    }


def test_options_and_hints_reach_the_body() -> None:
    provider = PerplexitySearch(model="sonar-pro", max_tokens=64, search_recency="week")
    body = _body(provider, country="vn", language="vi")
    assert (body["model"], body["max_tokens"], body["search_recency_filter"]) == ("sonar-pro", 64, "week")
    assert body["web_search_options"] == {"user_location": {"country": "VN"}}
    assert body["language_preference"] == "vi"
    assert _body(provider, date="day")["search_recency_filter"] == "day"
    dated = _body(provider, date="2026-01-02/2026-02-03")
    assert "search_recency_filter" not in dated
    assert (dated["search_after_date_filter"], dated["search_before_date_filter"]) == ("01/02/2026", "02/03/2026")


def test_the_search_api_has_its_own_body() -> None:
    provider = PerplexitySearch(mode="search")
    body = _body(provider, country="vn", language="zh-hans", date="2026-01-02/..", max_results=50)
    assert body == {
        "query": "deep sea",
        "max_results": 20,
        "country": "VN",
        "search_language_filter": ["zh"],
        "search_after_date_filter": "01/02/2026",
    }
    call = provider.build_call(WebSearchRequest(query="q", language="zh-hans", max_results=50), NOW)
    assert call.url == "https://api.perplexity.ai/search"
    assert call.notices == (
        'language "zh-hans" was sent as "zh" to perplexity',
        "at most 20 results are supported by perplexity",
    )


def test_the_search_apis_long_passages_are_cut() -> None:
    results = [{"url": "https://example.org/", "title": "T", "snippet": "x" * 9000, "date": None}]
    found = PerplexitySearch(mode="search").read_answer({"results": results}, NOW)
    assert len(found.sources[0].snippet or "") == 2000
    assert found.content is None


def test_it_is_available_with_a_key_and_sound_settings() -> None:
    def available(section: dict[str, Any], environ: dict[str, str]) -> bool:
        settings = MemorySettings({"web-search-perplexity": section})
        return PerplexitySearch(credentials=EnvironmentCredentials(environ), settings=settings).available()

    for name in ("PERPLEXITY_API_KEY", "PPLX_API_KEY", "PERPLEXITYAI_API_KEY"):
        assert available({}, {name: "k"})
    assert not available({}, {})
    assert not available({"baseURL": "::"}, {"PPLX_API_KEY": "k"})
    assert not available({"maxTokens": 0}, {"PPLX_API_KEY": "k"})


@pytest.mark.parametrize("wrong", [{"max_tokens": 0}, {"search_recency": "hour"}, {"mode": "x"}])
def test_wrong_options_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ConfigError, match=next(iter(wrong))):
        PerplexitySearch(**wrong)


@pytest.mark.parametrize(
    ("reply", "code"),
    [
        (ProviderReply(status=401, body={"error": {"message": "bad key"}}), "AUTH_ERROR"),
        (ProviderReply(status=400, body={"error": "bad key"}), "CONFIG_ERROR"),
        (ProviderReply(status=502, body=b"<html>"), "NETWORK_ERROR"),
        (ProviderReply(status=500, body={}), "NETWORK_ERROR"),
        (ProviderReply(body={"search_results": None}), "INVALID_RESPONSE"),
        (ProviderReply(body=b"<html>"), "INVALID_RESPONSE"),
    ],
)
async def test_failures_have_our_words_only(reply: ProviderReply, code: str) -> None:
    with ProviderServer("perplexity") as server:
        server.replies.append(reply)
        with pytest.raises(SearchProviderError) as caught:
            await PerplexitySearch(api_key="k", base_url=server.base_url).search(REQUEST)
    assert (caught.value.code, caught.value.status_code) == (code, reply.status)
    assert "bad key" not in str(caught.value)


@pytest.mark.parametrize(
    "reply",
    [
        ProviderReply(hold_header=True),
        ProviderReply(body=_answer(), hold_body=True),
        ProviderReply(status=500, body={"error": "x"}, hold_body=True),
    ],
    ids=["request", "success body", "error body"],
)
async def test_an_abort_is_told_from_a_failure(reply: ProviderReply) -> None:
    with ProviderServer("perplexity") as server:
        signal = AbortSignal()

        def abort(_: object) -> ProviderReply:
            signal.abort("no more")
            return reply

        server.respond = abort
        with pytest.raises(WebError) as caught:
            await PerplexitySearch(api_key="k", base_url=server.base_url).search(REQUEST, signal)
    assert (caught.value.code, str(caught.value)) == ("WEB_ABORTED", "Perplexity search aborted")


async def test_registration_in_a_runtime() -> None:
    with ProviderServer("perplexity") as server:
        web = WebRuntime(search_provider="perplexity")
        undo = web.register_search_provider(PerplexitySearch(api_key="k", base_url=server.base_url))
        assert (await web.search(REQUEST)).content == "A written answer [1]."
        undo()
        web.register_search_provider(PerplexitySearch(credentials=EnvironmentCredentials({})))
        with pytest.raises(WebError) as caught:
            await web.search(REQUEST)
        assert caught.value.code == "WEB_PROVIDER_CONFIGURED_UNAVAILABLE"


def test_the_environments_key_goes_to_perplexitys_own_address() -> None:
    provider = PerplexitySearch(credentials=EnvironmentCredentials({"PERPLEXITY_API_KEY": "k"}))
    assert provider.available()
    call = provider.build_call(REQUEST, NOW)
    assert call.url == "https://api.perplexity.ai/chat/completions"
    assert call.body is not None
    assert call.body["model"] == "sonar"
