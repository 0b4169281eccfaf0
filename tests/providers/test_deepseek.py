import asyncio
import logging
from datetime import UTC, datetime
from typing import Any

import pytest

from hydra_web.errors import ConfigError, SearchProviderError, WebError
from hydra_web.providers import DeepSeekSearch, EnvironmentCredentials
from hydra_web.providers._deepseek_messages import read_answer, snippets_by_url
from hydra_web.providers._reading import Failure, Found
from hydra_web.runtime import WebRuntime
from hydra_web.settings import MemorySettings
from hydra_web.signals import AbortSignal
from hydra_web.testing.providers import ProviderReply, ProviderServer
from hydra_web.types import WebSearchRequest

NOW = datetime(2026, 11, 30, 14, 0, tzinfo=UTC)
REQUEST = WebSearchRequest(query="deep sea")
NAMESPACE = "web-search-deepseek"


def _results(*entries: Any) -> dict[str, Any]:
    return {"type": "web_search_tool_result", "content": list(entries)}


def _entry(url: str, **more: Any) -> dict[str, Any]:
    return {"type": "web_search_result", "url": url, **more}


def _citing(*citations: Any) -> dict[str, Any]:
    return {"type": "text", "text": "…", "citations": list(citations)}


def _found(*blocks: Any) -> list[dict[str, Any]]:
    found = read_answer({"content": list(blocks)}, NOW)
    assert isinstance(found, Found)
    return [entry.to_json_dict() for entry in found.sources]


class Vault:
    """A credential store in memory that can be told to fail, and tells how often it was asked."""

    def __init__(self, **known: str) -> None:
        self.known = known
        self.asked: list[str] = []
        self.fails = False

    async def resolve(self, reference: str) -> str | None:
        self.asked.append(reference)
        return self.known.get(reference)

    async def store(self, reference: str, value: str) -> None:
        if self.fails:
            raise OSError(f"cannot keep {value}")
        self.known[reference] = value


# --- Reading -----------------------------------------------------------------------------------------------------


def test_the_first_complete_citation_of_a_url_is_its_snippet() -> None:
    url = "https://example.org/a"
    blocks = [
        {"type": "text", "text": "no citations"},
        _citing({"url": url}, {"cited_text": "x"}, {"url": "", "cited_text": "x"}, {"url": url, "cited_text": "one"}),
        _citing({"url": url, "cited_text": "two"}, "not an object"),
    ]
    assert snippets_by_url(blocks) == {url: "one"}


def test_results_are_joined_with_snippets_and_dates() -> None:
    a, b = "https://example.org/a", "https://example.org/b"
    assert _found(
        _citing({"url": a, "cited_text": "from A"}),
        _results(_entry(a, title="A", page_age="2026-02-02"), _entry(b, title="", page_age=""), _entry(a, title="A2")),
        _results({"type": "other", "url": "https://example.org/c"}, _entry(""), _entry(b), "junk"),
        {"type": "web_search_tool_result"},
    ) == [{"url": a, "title": "A", "snippet": "from A", "publishedAt": "2026-02-02"}, {"url": b}]


@pytest.mark.parametrize("answer", [{"content": [{"type": "text", "text": "prose"}]}, {"content": []}, {}, []])
def test_an_answer_without_a_search_is_invalid(answer: Any) -> None:
    with pytest.raises(ValueError):
        read_answer(answer, NOW)


@pytest.mark.parametrize(
    ("error", "code"),
    [
        ("too_many_requests", "RATE_LIMITED"),
        ("unavailable", "NETWORK_ERROR"),
        ("max_uses_exceeded", "CONFIG_ERROR"),
        ("something new", "UNKNOWN"),
    ],
)
def test_an_error_in_place_of_results_is_an_error(error: str, code: str) -> None:
    failed = {
        "type": "web_search_tool_result",
        "content": {"type": "web_search_tool_result_error", "error_code": error},
    }
    assert read_answer({"content": [failed]}, NOW) == Failure(code)  # type: ignore[arg-type]
    assert _found(_results(_entry("https://example.org/")), failed) == [{"url": "https://example.org/"}]


def test_the_search_apis_answer_is_dated_and_scored() -> None:
    provider = DeepSeekSearch(mode="search")
    results = [
        {
            "url": "https://example.org/a", "title": "A", "snippet": "short", "summary": "longer",
            "date": "2026-10-20T08:00:00Z", "rerank_score": 2.1,
        },
        {"url": "https://example.org/b", "title": "B", "snippet": "short", "summary": "", "date": None},
    ]  # fmt: skip
    found = provider.read_answer({"results": results}, NOW)
    assert isinstance(found, Found)
    assert [entry.to_json_dict() for entry in found.sources] == [
        {
            "url": "https://example.org/a", "title": "A", "snippet": "longer",
            "publishedAt": "2026-10-20T08:00:00Z", "score": 2.1,
        },
        {"url": "https://example.org/b", "title": "B", "snippet": "short"},
    ]  # fmt: skip


# --- Calling -----------------------------------------------------------------------------------------------------


async def test_the_recorded_and_the_posted_request_are_the_same() -> None:
    recorded: list[dict[str, Any]] = []
    with ProviderServer("deepseek-official") as server:
        base_url = server.base_url
        provider = DeepSeekSearch(api_key="ds-key", base_url=base_url, record_request=recorded.append)
        result = await provider.search(WebSearchRequest(query="deep sea", country="vn", language="vi", date="week"))
        (call,) = server.calls
    text = "Perform a web search for the query: deep sea\nSearch country: vn.\nSearch language: vi."
    body = {
        "model": "deepseek-v4-flash",
        "max_tokens": 4096,
        "messages": [{"role": "user", "content": [{"type": "text", "text": text}]}],
        "tools": [{"type": "web_search_20250305", "name": "web_search", "max_uses": 5}],
    }
    assert call.body == body
    assert recorded == [{"endpoint": f"{base_url}/messages", "apiVersion": "2023-06-01", "body": body}]
    assert (call.method, call.path) == ("POST", "/messages")
    assert call.headers["x-api-key"] == "ds-key"
    assert call.headers["authorization"] == "Bearer ds-key"
    assert call.headers["anthropic-version"] == "2023-06-01"
    assert result.notices == ('date "week" is not supported by deepseek-official',)
    assert (result.truncated, result.status_code, result.content) == (False, 200, None)


async def test_a_recorder_that_refuses_stops_the_call() -> None:
    def refuse(_: object) -> None:
        raise RuntimeError("session closed")

    with ProviderServer("deepseek-official") as server:
        provider = DeepSeekSearch(api_key="k", base_url=server.base_url, record_request=refuse)
        with pytest.raises(RuntimeError, match="session closed"):
            await provider.search(REQUEST)
        assert not server.calls


async def test_a_recorder_that_aborts_stops_the_call() -> None:
    signal = AbortSignal()
    with ProviderServer("deepseek-official") as server:
        provider = DeepSeekSearch(api_key="k", base_url=server.base_url, record_request=lambda _: signal.abort())
        with pytest.raises(WebError) as caught:
            await provider.search(REQUEST, signal)
        assert caught.value.code == "WEB_ABORTED"
        assert not server.calls


def test_the_search_apis_query_holds_its_operators() -> None:
    def sent(**request: Any) -> tuple[dict[str, Any], tuple[str, ...]]:
        call = DeepSeekSearch(mode="search").build_call(WebSearchRequest(**request), NOW)
        assert call.url == "https://api.deepseek.com/v1/tools/search"
        assert call.body is not None
        return call.body, call.notices

    body, notices = sent(query="deep sea", country="vn", language="vi", date="2026-01-02/2026-02-03", max_results=80)
    assert body == {
        "query": "deep sea lang:vi after:2026-01-02 before:2026-02-03",
        "need_content": False,
        "count": 50,
    }
    assert notices == (
        'country "vn" is not supported by deepseek-official',
        "at most 50 results are supported by deepseek-official",
    )
    body, notices = sent(query="x" * 126, language="vi")
    assert body["query"] == "x" * 126
    assert notices == ('language "vi" is not supported by deepseek-official with so long a query',)
    body, notices = sent(query="x" * 200)
    assert (len(body["query"]), notices) == (128, ("the query was cut to fit deepseek-official",))


async def test_the_search_api_gets_one_header() -> None:
    with ProviderServer("deepseek-search") as server:
        await DeepSeekSearch(api_key="k", mode="search", base_url=server.base_url).search(REQUEST)
        (call,) = server.calls
    assert (call.path, call.headers["authorization"]) == ("/tools/search", "Bearer k")
    assert "x-api-key" not in call.headers


# --- Configuration -----------------------------------------------------------------------------------------------


def test_it_is_available_with_a_key_or_a_store_and_sound_settings() -> None:
    assert not DeepSeekSearch(credentials=EnvironmentCredentials({})).available()
    assert DeepSeekSearch(credentials=EnvironmentCredentials({"DEEPSEEK_API_KEY": "k"})).available()
    assert DeepSeekSearch(credentials=Vault()).available()
    for wrong in (
        {"baseURL": "no url"}, {"maxTokens": 0}, {"maxUses": 0}, {"maxUses": 1.5}, {"model": 5}, {"apiKey": 5},
        {"apiVersion": "2023\u201106"},
    ):  # fmt: skip
        assert not DeepSeekSearch(api_key="k", settings=MemorySettings({NAMESPACE: wrong})).available()


@pytest.mark.parametrize(
    "wrong", [{"max_tokens": 0}, {"max_uses": 0}, {"max_uses": 1.5}, {"mode": "x"}, {"api_version": "a\nb"}]
)
def test_wrong_options_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ConfigError, match=next(iter(wrong))):
        DeepSeekSearch(**wrong)


@pytest.mark.parametrize(
    "endpoint",
    ["https://user:pw@example.org", "https://example.org/?key=1", "https://example.org/#x", "file:///etc/passwd"],
)
async def test_a_bad_endpoint_is_found_before_anything_else(endpoint: str) -> None:
    vault, recorded = Vault(KEY="k"), list[Any]()
    settings = MemorySettings({NAMESPACE: {"baseURL": endpoint, "apiKeyEnv": "KEY"}})
    provider = DeepSeekSearch(credentials=vault, settings=settings, record_request=recorded.append)
    with pytest.raises(SearchProviderError) as caught:
        await provider.search(REQUEST)
    assert (caught.value.code, vault.asked, recorded) == ("CONFIG_ERROR", [], [])


def test_the_usual_address_and_model(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DEEPSEEK_SEARCH_BASE_URL", raising=False)
    provider = DeepSeekSearch(credentials=EnvironmentCredentials({"DEEPSEEK_API_KEY": "k"}))
    assert provider.available()
    call = provider.build_call(REQUEST, NOW)
    assert call.url == "https://api.deepseek.com/anthropic/v1/messages"
    assert call.body is not None
    assert call.body["model"] == "deepseek-v4-flash"


async def test_the_environment_names_address_and_key_together(monkeypatch: pytest.MonkeyPatch) -> None:
    with ProviderServer("deepseek-official") as server:
        monkeypatch.setenv("DEEPSEEK_SEARCH_BASE_URL", server.base_url)
        monkeypatch.setenv("DEEPSEEK_API_KEY", "k")
        assert len((await DeepSeekSearch().search(REQUEST)).sources) == 2


async def test_a_stored_endpoint_is_used_by_the_next_search_and_the_default_comes_back() -> None:
    settings = MemorySettings()
    with ProviderServer("deepseek-official") as first, ProviderServer("deepseek-official") as second:
        web = WebRuntime()
        web.register_search_provider(DeepSeekSearch(api_key="k", base_url=first.base_url, settings=settings))
        await web.search(REQUEST)
        settings.update(NAMESPACE, {"baseURL": second.base_url, "model": "other-model"})
        await web.search(REQUEST)
        settings.update(NAMESPACE, {"baseURL": None, "model": None})
        await web.search(REQUEST)
        assert (len(first.calls), len(second.calls)) == (2, 1)
        assert [call.body["model"] for call in second.calls] == ["other-model"]


async def test_a_key_is_looked_up_and_sent_under_a_signal_that_nobody_throws() -> None:
    vault, signal = Vault(KEY="k"), AbortSignal()
    with ProviderServer("deepseek-official") as server:
        provider = DeepSeekSearch(base_url=server.base_url, api_key_env="KEY", credentials=vault)
        assert len((await provider.search(REQUEST, signal)).sources) == 2
        assert (vault.asked, len(server.calls), signal.aborted) == (["KEY"], 1, False)


async def test_without_a_store_and_a_key_the_safe_text_is_said() -> None:
    with pytest.raises(SearchProviderError, match=r"Settings > Web Search") as caught:
        await DeepSeekSearch(credentials=EnvironmentCredentials({})).search(REQUEST)
    assert caught.value.code == "CONFIG_ERROR"


async def test_settings_changed_while_the_key_is_looked_up_do_not_mix() -> None:
    settings = MemorySettings({NAMESPACE: {"model": "before", "apiKeyEnv": "KEY"}})

    class Changing(Vault):
        async def resolve(self, reference: str) -> str | None:
            settings.update(NAMESPACE, {"model": "after", "maxUses": 9})
            return "k"

    with ProviderServer("deepseek-official") as server:
        await DeepSeekSearch(base_url=server.base_url, credentials=Changing(), settings=settings).search(REQUEST)
        (call,) = server.calls
    assert (call.body["model"], call.body["tools"][0]["max_uses"]) == ("before", 5)


async def test_credentials_are_looked_up_for_every_search() -> None:
    vault = Vault(KEY="key-one")
    with ProviderServer("deepseek-official") as server:
        provider = DeepSeekSearch(base_url=server.base_url, api_key_env="KEY", credentials=vault)
        await provider.search(REQUEST)
        vault.known["KEY"] = "key-two"
        await provider.search(REQUEST)
        del vault.known["KEY"]
        with pytest.raises(SearchProviderError, match=r"Settings > Web Search") as caught:
            await provider.search(REQUEST)
        assert [call.headers["x-api-key"] for call in server.calls] == ["key-one", "key-two"]
    assert caught.value.code == "CONFIG_ERROR"


# --- Failures ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["images", "news", "videos", "academic"])
async def test_other_kinds_of_search_are_refused_without_a_call(kind: Any) -> None:
    with pytest.raises(SearchProviderError) as caught:
        await DeepSeekSearch(api_key="k").search(WebSearchRequest(query="q", type=kind))
    assert str(caught.value) == f'Provider "deepseek-official" does not support {kind} search.'


async def test_a_search_aborted_beforehand_does_nothing() -> None:
    vault, recorded = Vault(KEY="k"), list[Any]()
    signal = AbortSignal()
    signal.abort()
    with ProviderServer("deepseek-official") as server:
        provider = DeepSeekSearch(
            base_url=server.base_url, api_key_env="KEY", credentials=vault, record_request=recorded.append
        )
        with pytest.raises(WebError) as caught:
            await provider.search(REQUEST, signal)
        assert (caught.value.code, str(caught.value)) == ("WEB_ABORTED", "DeepSeek search aborted")
        assert (vault.asked, recorded, server.calls) == ([], [], [])


async def test_an_abort_from_within_the_lookup_sends_nothing() -> None:
    signal = AbortSignal()

    class Aborting(Vault):
        async def resolve(self, reference: str) -> str | None:
            signal.abort("a reason of its own")
            return "k"

    with ProviderServer("deepseek-official") as server:
        provider = DeepSeekSearch(base_url=server.base_url, api_key_env="KEY", credentials=Aborting())
        with pytest.raises(WebError) as caught:
            await provider.search(REQUEST, signal)
        assert caught.value.code == "WEB_ABORTED"
        assert not server.calls


async def test_an_abort_while_the_lookup_hangs() -> None:
    class Hanging(Vault):
        async def resolve(self, reference: str) -> str | None:
            await asyncio.Event().wait()
            return None

    signal = AbortSignal()
    asyncio.get_running_loop().call_later(0.02, signal.abort)
    with pytest.raises(WebError) as caught:
        await DeepSeekSearch(api_key_env="KEY", credentials=Hanging()).search(REQUEST, signal)
    assert caught.value.code == "WEB_ABORTED"


@pytest.mark.parametrize("reason", [TimeoutError("late"), None])
async def test_an_abort_for_want_of_time_is_a_time_out(reason: object) -> None:
    with ProviderServer("deepseek-official") as server:
        server.replies.append(ProviderReply(hold_header=True))
        signal = AbortSignal.timeout(50) if reason is None else AbortSignal()
        if reason is not None:
            asyncio.get_running_loop().call_later(0.03, signal.abort, reason)
        with pytest.raises(SearchProviderError) as caught:
            await DeepSeekSearch(api_key="k", base_url=server.base_url).search(REQUEST, signal)
    assert caught.value.code == "TIMEOUT"


@pytest.mark.parametrize(
    ("reply", "code"),
    [
        (ProviderReply(status=429, body={"error": {"message": "x"}}), "RATE_LIMITED"),
        (ProviderReply(status=400, body={"error": "x"}), "CONFIG_ERROR"),
        (ProviderReply(status=503), "NETWORK_ERROR"),
        (ProviderReply(status=500, body=b"x", hold_body=True), "NETWORK_ERROR"),
        (ProviderReply(body=b"<html>"), "INVALID_RESPONSE"),
        (ProviderReply(body={"content": "prose"}), "INVALID_RESPONSE"),
        (ProviderReply(body={"content": [{"type": "text", "text": "prose"}]}), "INVALID_RESPONSE"),
    ],
)
async def test_failures_carry_the_status_and_no_body(reply: ProviderReply, code: str) -> None:
    with ProviderServer("deepseek-official") as server:
        server.replies.append(reply)
        with pytest.raises(SearchProviderError) as caught:
            await DeepSeekSearch(api_key="k", base_url=server.base_url).search(REQUEST)
    assert (caught.value.code, caught.value.status_code) == (code, reply.status)


async def test_without_a_listener_there_is_a_network_error() -> None:
    with ProviderServer("deepseek-official") as server:
        address = server.base_url
    with pytest.raises(SearchProviderError) as caught:
        await DeepSeekSearch(api_key="k", base_url=address).search(REQUEST)
    assert (caught.value.code, caught.value.status_code) == ("NETWORK_ERROR", None)


# --- Migration ---------------------------------------------------------------------------------------------------


async def test_a_saved_key_moves_to_the_credentials(caplog: pytest.LogCaptureFixture) -> None:
    settings, vault = MemorySettings({NAMESPACE: {"apiKey": "old-plain-key", "model": "kept"}}), Vault()
    with ProviderServer("deepseek-official") as server:
        provider = DeepSeekSearch(base_url=server.base_url, credentials=vault, settings=settings)
        vault.fails = True
        assert not await provider.migrate_saved_key()
        assert settings.section(NAMESPACE)["apiKey"] == "old-plain-key"
        assert [record.message for record in caplog.records if record.levelno == logging.WARNING] == [
            "DeepSeek search credential migration could not finish; the existing configuration is retained."
        ]
        assert "old-plain-key" not in caplog.text
        await provider.search(REQUEST)
        vault.fails = False
        assert await provider.migrate_saved_key()
        assert settings.section(NAMESPACE) == {"apiKeyEnv": "HYDRA_DEEPSEEK_SEARCH_API_KEY", "model": "kept"}
        await provider.search(REQUEST)
        assert [call.headers["x-api-key"] for call in server.calls] == ["old-plain-key"] * 2
        assert not await provider.migrate_saved_key()
    web = WebRuntime(require_search_selection=True, settings=settings)
    web.register_search_provider(provider)
    web.migrate_search_selection(provider.id, provider.has_own_settings)
    preferences = web.search_preferences()
    assert preferences is not None
    assert preferences.provider == "deepseek-official"


async def test_a_key_saved_anew_during_its_move_is_kept() -> None:
    settings = MemorySettings({NAMESPACE: {"apiKey": "old"}})

    class Slow(Vault):
        async def store(self, reference: str, value: str) -> None:
            await super().store(reference, value)
            if value == "old":
                settings.update(NAMESPACE, {"apiKey": "new"})

    vault = Slow()
    provider = DeepSeekSearch(credentials=vault, settings=settings)
    assert not await provider.migrate_saved_key()
    assert settings.section(NAMESPACE) == {"apiKey": "new"}
    assert await provider.migrate_saved_key()
    assert vault.known == {"HYDRA_DEEPSEEK_SEARCH_API_KEY": "new"}
    settings.update(NAMESPACE, {"apiKey": "  "})
    assert not await provider.migrate_saved_key()


async def test_a_store_that_takes_nothing_in_keeps_the_settings() -> None:
    settings = MemorySettings({NAMESPACE: {"apiKey": "old"}})
    assert not await DeepSeekSearch(settings=settings, credentials=EnvironmentCredentials({})).migrate_saved_key()
    assert not await DeepSeekSearch(credentials=Vault()).migrate_saved_key()


def test_own_settings_are_told_from_a_fresh_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DEEPSEEK_SEARCH_BASE_URL", raising=False)
    assert not DeepSeekSearch().has_own_settings
    assert not DeepSeekSearch(settings=MemorySettings()).has_own_settings
    assert DeepSeekSearch(settings=MemorySettings({NAMESPACE: {"model": "m"}})).has_own_settings
    assert DeepSeekSearch(max_uses=2).has_own_settings
    assert DeepSeekSearch(api_key="k").has_own_settings


def test_its_settings_in_the_order_of_the_form() -> None:
    descriptor = DeepSeekSearch().descriptor
    assert [(field.key, field.label, field.kind, field.advanced) for field in descriptor.fields] == [
        ("model", "Search Model", "text", None),
        ("maxUses", "Max Server Searches", "number", None),
        ("maxTokens", "Max Output Tokens", "number", None),
        ("baseURL", "Endpoint", "text", True),
        ("apiKeyEnv", "Credential Reference", "text", True),
    ]
    assert descriptor.settings_ns == NAMESPACE


def test_a_literal_key_shows_in_no_view_of_the_provider() -> None:
    from hydra_web.testing._canary import CANARY, assert_no_canary

    provider = DeepSeekSearch(settings=MemorySettings({NAMESPACE: {"apiKey": CANARY}})).configured()
    assert_no_canary(repr(provider), str(provider), provider.api_key, provider.descriptor)
