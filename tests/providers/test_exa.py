from datetime import UTC, datetime
from typing import Any

import pytest

from hydra_web.errors import ConfigError, SearchProviderError, WebError
from hydra_web.providers import EnvironmentCredentials, ExaSearch
from hydra_web.runtime import WebRuntime
from hydra_web.settings import MemorySettings
from hydra_web.signals import AbortSignal
from hydra_web.testing.providers import ProviderReply, ProviderServer
from hydra_web.types import WebSearchRequest

NOW = datetime(2026, 11, 30, 14, 0, tzinfo=UTC)
REQUEST = WebSearchRequest(query="deep sea")


def _body(provider: ExaSearch, **request: Any) -> dict[str, Any]:
    body = provider.build_call(WebSearchRequest(query="deep sea", **request), NOW).body
    assert body is not None
    return body


def test_an_answer_is_mapped_whole() -> None:
    answer = {
        "results": [
            {
                "url": "https://example.org/a",
                "title": "A",
                "publishedDate": "2023-11-16T01:36:32.547Z",
                "highlights": ["  first <b>bold</b> &amp; more ", "second"],
                "score": 0.5,
            },
            {"url": "https://example.org/b", "title": None, "publishedDate": None, "score": None, "highlights": ["b"]},
            {"url": "https://example.org/c", "title": "", "publishedDate": "", "highlights": ["", "  ", "c"]},
        ]
    }
    first, second, third = ExaSearch().read_answer(answer, NOW).sources
    assert first.to_json_dict() == {
        "url": "https://example.org/a",
        "title": "A",
        "snippet": "  first bold & more ",
        "publishedAt": "2023-11-16T01:36:32.547Z",
        "score": 0.5,
    }
    assert second.to_json_dict() == {"url": "https://example.org/b", "snippet": "b"}
    assert third.to_json_dict() == {"url": "https://example.org/c", "snippet": "c"}
    assert ExaSearch().read_answer(answer, NOW).content is None


@pytest.mark.parametrize("highlights", [[], None, ["", "  "], [5]])
def test_a_result_without_a_usable_highlight_needs_a_summary_or_text(highlights: Any) -> None:
    bare = {"url": "https://example.org/", "highlights": highlights}
    assert ExaSearch().read_answer({"results": [bare]}, NOW).sources == ()
    (found,) = ExaSearch().read_answer({"results": [{**bare, "summary": "In short."}]}, NOW).sources
    assert found.snippet == "In short."
    (found,) = ExaSearch().read_answer({"results": [{**bare, "text": "At length."}]}, NOW).sources
    assert found.snippet == "At length."


def test_an_answer_without_results_finds_nothing() -> None:
    assert ExaSearch().read_answer({"requestId": "r"}, NOW).sources == ()


def test_the_order_is_exas_where_scores_are_null() -> None:
    results = [{"url": f"https://example.org/{n}", "highlights": ["x"], "score": None} for n in (3, 1, 2)]
    urls = [found.url for found in ExaSearch().read_answer({"results": results}, NOW).sources]
    assert urls == ["https://example.org/3", "https://example.org/1", "https://example.org/2"]


async def test_the_request_and_its_headers() -> None:
    with ProviderServer("exa") as server:
        await ExaSearch(api_key="exa-key", base_url=server.base_url + "/").search(REQUEST)
        (call,) = server.calls
    assert (call.method, call.path) == ("POST", "/search")
    assert call.body == {"query": "deep sea", "type": "auto", "contents": {"highlights": {"highlightsPerUrl": 1}}}
    assert call.headers["authorization"] == "Bearer exa-key"
    assert call.headers["content-type"] == call.headers["accept"] == "application/json"
    assert call.headers["user-agent"].startswith("hydra-web/")


def test_the_count_comes_from_the_request_then_from_the_options() -> None:
    assert "numResults" not in _body(ExaSearch())
    assert _body(ExaSearch(num_results=7))["numResults"] == 7
    assert _body(ExaSearch(num_results=7), max_results=3)["numResults"] == 3
    assert _body(ExaSearch(), max_results=500)["numResults"] == 100


def test_options_and_hints_reach_the_body() -> None:
    body = _body(ExaSearch(search_type="neural", highlights_per_result=3), country="vn", language="vi")
    assert (body["type"], body["contents"]["highlights"]["highlightsPerUrl"]) == ("neural", 3)
    assert body["userLocation"] == "VN"
    call = ExaSearch().build_call(WebSearchRequest(query="q", language="vi"), NOW)
    assert call.notices == ('language "vi" is not supported by exa',)


@pytest.mark.parametrize(
    ("date", "start", "end"),
    [
        ("week", "2026-11-23T00:00:00.000Z", None),
        ("2026-01-02/2026-02-03", "2026-01-02T00:00:00.000Z", "2026-02-03T23:59:59.999Z"),
        ("../2026-02-03", None, "2026-02-03T23:59:59.999Z"),
    ],
)
def test_dates_bound_the_publication(date: str, start: str | None, end: str | None) -> None:
    body = _body(ExaSearch(), date=date)
    assert (body.get("startPublishedDate"), body.get("endPublishedDate")) == (start, end)


def test_it_is_available_with_a_key_and_sound_settings() -> None:
    def available(section: dict[str, Any], key: str | None = "k") -> bool:
        settings = MemorySettings({"web-search-exa": section})
        return ExaSearch(api_key=key, credentials=EnvironmentCredentials({}), settings=settings).available()

    assert available({})
    assert not available({}, None)
    assert available({"numResults": 5, "highlightsPerResult": 2, "searchType": "fast"})
    for wrong in (
        {"baseURL": "not a url"},
        {"baseURL": 5},
        {"highlightsPerResult": 0},
        {"highlightsPerResult": 1.5},
        {"numResults": -1},
        {"numResults": True},
        {"searchType": "psychic"},
    ):
        assert not available(wrong)


@pytest.mark.parametrize(
    "wrong", [{"num_results": 0}, {"num_results": 101}, {"highlights_per_result": 0}, {"search_type": "x"}]
)
def test_wrong_options_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ConfigError, match=next(iter(wrong))):
        ExaSearch(**wrong)


@pytest.mark.parametrize(
    ("reply", "code"),
    [
        (ProviderReply(status=401, body={"error": "bad key"}), "AUTH_ERROR"),
        (ProviderReply(status=502, body=b"<html>"), "NETWORK_ERROR"),
        (ProviderReply(status=500, body={}), "NETWORK_ERROR"),
        (ProviderReply(body=b"<html>"), "INVALID_RESPONSE"),
        (ProviderReply(body={"results": {"a": 1}}), "INVALID_RESPONSE"),
    ],
)
async def test_failures_have_our_words_only(reply: ProviderReply, code: str) -> None:
    with ProviderServer("exa") as server:
        server.replies.append(reply)
        with pytest.raises(SearchProviderError) as caught:
            await ExaSearch(api_key="k", base_url=server.base_url).search(REQUEST)
    assert (caught.value.code, caught.value.status_code) == (code, reply.status)
    assert "bad key" not in str(caught.value)


@pytest.mark.parametrize(
    "reply",
    [
        ProviderReply(hold_header=True),
        ProviderReply(body={"results": []}, hold_body=True),
        ProviderReply(status=500, body={"error": "x"}, hold_body=True),
    ],
    ids=["request", "success body", "error body"],
)
async def test_an_abort_is_told_from_a_failure(reply: ProviderReply) -> None:
    with ProviderServer("exa") as server:
        signal = AbortSignal()

        def abort(_: object) -> ProviderReply:
            signal.abort(RuntimeError("any reason"))
            return reply

        server.respond = abort
        with pytest.raises(WebError) as caught:
            await ExaSearch(api_key="k", base_url=server.base_url).search(REQUEST, signal)
    assert (caught.value.code, str(caught.value)) == ("WEB_ABORTED", "Exa search aborted")


async def test_registration_in_a_runtime() -> None:
    with ProviderServer("exa") as server:
        web = WebRuntime(search_provider="exa")
        undo = web.register_search_provider(ExaSearch(api_key="k", base_url=server.base_url))
        assert len((await web.search(REQUEST)).sources) == 2
        undo()
        with pytest.raises(WebError) as caught:
            await web.search(REQUEST)
        assert caught.value.code == "WEB_PROVIDER_CONFIGURED_MISSING"
        web.register_search_provider(ExaSearch(credentials=EnvironmentCredentials({})))
        with pytest.raises(WebError) as caught:
            await web.search(REQUEST)
        assert caught.value.code == "WEB_PROVIDER_CONFIGURED_UNAVAILABLE"


def test_the_environments_key_goes_to_exas_own_address() -> None:
    provider = ExaSearch(credentials=EnvironmentCredentials({"EXA_API_KEY": "k"}))
    assert provider.available()
    assert provider.build_call(REQUEST, NOW).url == "https://api.exa.ai/search"


def test_the_descriptor_has_no_secret_and_names_the_credential() -> None:
    descriptor = ExaSearch(api_key="sk-secret").descriptor
    assert (descriptor.id, descriptor.display_name, descriptor.credential_ref) == ("exa", "Exa", "EXA_API_KEY")
    assert descriptor.settings_ns == "web-search-exa"
    assert "sk-secret" not in descriptor.model_dump_json()
    assert ExaSearch(api_key_env="OTHER").descriptor.credential_ref == "OTHER"
