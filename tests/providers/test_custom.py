from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hydra_web.errors import ConfigError, SearchProviderError
from hydra_web.providers import CustomSearch, EnvironmentCredentials
from hydra_web.providers._mapping import parse_path, write_path
from hydra_web.settings import MemorySettings
from hydra_web.testing.providers import ProviderReply, ProviderServer
from hydra_web.types import WebSearchRequest

NOW = datetime(2026, 11, 30, 14, 0, tzinfo=UTC)
REQUEST = WebSearchRequest(query="deep sea")
NESTED: dict[str, Any] = {
    "base_url": "https://search.example.org/api",
    "query_field": "search.text",
    "limit_field": "search.count",
    "country_field": "where.country",
    "language_field": "where.language",
    "type_field": "kind",
    "date_field": "when",
    "results_path": "data.items",
    "url_field": "page.address",
    "title_field": "page.name",
    "snippet_field": "text",
    "published_at_field": "page.date",
    "score_field": "rank.score",
    "position_field": "rank.position",
}
HINTED = WebSearchRequest(query="deep sea", country="vn", language="vi", date="week", max_results=3)


def test_nested_fields_are_written_over_the_static_body() -> None:
    provider = CustomSearch(static_body={"search": {"mode": "fast"}, "where": "anywhere"}, **NESTED)
    call = provider.build_call(HINTED, NOW)
    assert (call.method, call.url, call.notices) == ("POST", "https://search.example.org/api", ())
    assert call.body == {
        "search": {"mode": "fast", "text": "deep sea", "count": 3},
        "where": {"country": "vn", "language": "vi"},
        "kind": "web",
        "when": "week",
    }


def test_unmapped_hints_are_left_out_and_said() -> None:
    call = CustomSearch(base_url="https://example.org").build_call(HINTED, NOW)
    assert call.body == {"q": "deep sea", "num": 3}
    assert call.notices == (
        'country "vn" is not supported by custom',
        'language "vi" is not supported by custom',
        'date "week" is not supported by custom',
    )
    call = CustomSearch(base_url="https://example.org", limit_field="").build_call(REQUEST, NOW)
    assert call.body == {"q": "deep sea"}


async def test_get_puts_each_entry_into_the_query() -> None:
    with ProviderServer(lambda _: {"data": {"items": []}}) as server:
        options = {**NESTED, "base_url": f"{server.base_url}/find?kind=old&keep=1", "auth": "none", "method": "GET"}
        await CustomSearch(**options).search(HINTED)
        (call,) = server.calls
    assert (call.method, call.path) == ("GET", "/find")
    assert call.params == {
        "keep": "1",
        "search": '{"text":"deep sea","count":3}',
        "where": '{"country":"vn","language":"vi"}',
        "kind": "web",
        "when": "week",
    }
    assert call.headers["content-type"] == call.headers["accept"] == "application/json"
    assert not {"authorization", "x-api-key"} & call.headers.keys()


def test_the_answer_is_read_where_the_mapping_says() -> None:
    item = {
        "page": {"address": "https://example.org/a", "name": "A", "date": "2 days ago", "secret": "x"},
        "text": "",
        "rank": {"score": 0.5, "position": 2},
    }
    bare = {"page": {"address": "http://example.org/b", "name": None}}
    found = CustomSearch(**NESTED).read_answer({"data": {"items": [item, bare]}}, NOW)
    assert [entry.to_json_dict() for entry in found.sources] == [
        {
            "url": "https://example.org/a", "title": "A", "snippet": "",
            "publishedAt": "2026-11-28", "score": 0.5, "position": 2,
        },
        {"url": "http://example.org/b"},
    ]  # fmt: skip


@pytest.mark.parametrize(
    "answer",
    [
        {}, [], {"data": []}, {"data": {"items": {}}}, {"data": {"items": [{}]}}, {"data": {"items": ["x"]}},
        {"data": {"items": [{"page": {"address": "mailto:a@b"}}]}},
        {"data": {"items": [{"page": {"address": "https://e.org", "name": 5}}]}},
        {"data": {"items": [{"page": {"address": "https://e.org"}, "rank": {"score": None}}]}},
        {"data": {"items": [{"page": {"address": "https://e.org"}, "rank": {"score": "1"}}]}},
        {"data": {"items": [{"page": {"address": "https://e.org"}, "rank": {"score": float("inf")}}]}},
        {"data": {"items": [{"page": {"address": "https://e.org"}, "rank": {"position": True}}]}},
    ],
)  # fmt: skip
def test_what_does_not_fit_the_mapping_is_invalid(answer: Any) -> None:
    with pytest.raises(ValueError):
        CustomSearch(**NESTED).read_answer(answer, NOW)


# --- Credentials -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("auth", "header", "value"),
    [
        ("bearer", "authorization", "Bearer my-key"),
        ("api_key_header", "x-api-key", "my-key"),
        ("custom_header", "x-mine", "my-key"),
    ],
)
async def test_ways_to_send_the_key(auth: str, header: str, value: str) -> None:
    with ProviderServer("custom") as server:
        provider = CustomSearch(
            base_url=server.base_url,
            auth=auth,
            auth_header="X-Mine" if auth == "custom_header" else "X-API-KEY",
            credentials=EnvironmentCredentials({"CUSTOM_SEARCH_API_KEY": "my-key"}),
        )
        await provider.search(REQUEST)
        assert server.calls[0].headers[header] == value
        server.replies.append(ProviderReply(body={"results": [{"url": "https://e.org/", "title": "it is my-key"}]}))
        with pytest.raises(SearchProviderError) as caught:
            await provider.search(REQUEST)
    assert (caught.value.code, caught.value.status_code) == ("INVALID_RESPONSE", 200)


async def test_more_headers_come_from_credentials_and_are_guarded_too() -> None:
    environ = {"TENANT": "tenant-credential", "CUSTOM_SEARCH_API_KEY": "my-key"}
    with ProviderServer("custom") as server:
        provider = CustomSearch(
            base_url=server.base_url,
            header_refs='{"X-Tenant": "TENANT", "X-API-KEY": "TENANT"}',
            credentials=EnvironmentCredentials(environ),
        )
        await provider.search(REQUEST)
        sent = server.calls[0].headers
        assert (sent["x-tenant"], sent["x-api-key"]) == ("tenant-credential", "my-key")
        server.replies.append(ProviderReply(body={"results": [{"url": "https://e.org/tenant-credential"}]}))
        with pytest.raises(SearchProviderError) as caught:
            await provider.search(REQUEST)
        assert caught.value.code == "INVALID_RESPONSE"
        del environ["TENANT"]
        with pytest.raises(SearchProviderError) as caught:
            await provider.search(REQUEST)
        assert (caught.value.code, len(server.calls)) == ("CONFIG_ERROR", 2)


async def test_an_empty_key_is_no_key() -> None:
    with ProviderServer("custom") as server:
        credentials = EnvironmentCredentials({"CUSTOM_SEARCH_API_KEY": ""})
        with pytest.raises(SearchProviderError) as caught:
            await CustomSearch(base_url=server.base_url, credentials=credentials).search(REQUEST)
        assert (caught.value.code, server.calls) == ("CONFIG_ERROR", [])


@pytest.mark.parametrize(
    ("status", "code"),
    [(401, "AUTH_ERROR"), (403, "AUTH_ERROR"), (429, "RATE_LIMITED"), (502, "NETWORK_ERROR"), (418, "CONFIG_ERROR")],
)
async def test_failures_carry_the_status_and_our_words(status: int, code: str) -> None:
    with ProviderServer("custom") as server:
        server.replies.append(ProviderReply(status=status, body={"message": "upstream words"}))
        with pytest.raises(SearchProviderError) as caught:
            await CustomSearch(base_url=server.base_url, auth="none").search(REQUEST)
    assert (caught.value.code, caught.value.status_code) == (code, status)
    assert "upstream" not in str(caught.value)


# --- Configuration -----------------------------------------------------------------------------------------------


async def test_without_an_endpoint_it_is_not_configured() -> None:
    assert not CustomSearch().available()
    with pytest.raises(SearchProviderError) as caught:
        await CustomSearch().search(REQUEST)
    assert caught.value.code == "CONFIG_ERROR"
    assert CustomSearch(base_url="http://10.0.0.5:8080/search?lang=vi").available()


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"base_url": "no url"}, "Search endpoint must be an HTTP(S) URL."),
        ({"base_url": "ftp://example.org"}, "without embedded credentials or a fragment"),
        ({"base_url": "https://user@example.org"}, "without embedded credentials or a fragment"),
        ({"base_url": "https://example.org/#x"}, "without embedded credentials or a fragment"),
        ({"base_url": "https://example.org/?Api-Key=1"}, "without embedded credentials or a fragment"),
        ({"base_url": "https://example.org/?a%70ikey=1"}, "without embedded credentials or a fragment"),
        ({"query_field": ""}, "simple dot-separated field names"),
        ({"results_path": ""}, "simple dot-separated field names"),
        ({"url_field": "a..b"}, "simple dot-separated field names"),
        ({"results_path": "__proto__.items"}, "simple dot-separated field names"),
        ({"results_path": "a[0]"}, "simple dot-separated field names"),
        ({"score_field": "a.constructor"}, "simple dot-separated field names"),
        ({"date_field": "a-b"}, "simple dot-separated field names"),
        ({"title_field": "name\n"}, "simple dot-separated field names"),
        ({"auth_header": "bad header"}, "legal HTTP header names"),
        ({"auth_header": "Host"}, "Search transport headers cannot be overridden."),
        ({"header_refs": "{"}, "Search JSON must be a valid object."),
        ({"header_refs": "[]"}, "Search JSON must be an object."),
        ({"header_refs": {"Content-Length": "X"}}, "Search transport headers cannot be overridden."),
        ({"header_refs": {"X-A": 5}}, "Custom header values must be credential references."),
        ({"header_refs": {"X-A": "not a name"}}, "must be the name of a credential"),
        ({"header_refs": {"__proto__": "X"}}, "Store search credentials through the credential controls"),
        ({"static_body": "5"}, "Search JSON must be an object."),
        ({"static_body": {"a": object()}}, "Search JSON must be a valid object."),
        ({"static_body": '{"a": NaN}'}, "Search JSON must be a valid object."),
        ({"static_body": {"a": [1e999]}}, "Search JSON must be a valid object."),
        ({"static_body": '{"a": ' + "[" * 100_000}, "Search JSON must be a valid object."),
        ({"static_body": {"api_key": "x"}}, "Store search credentials through the credential controls"),
        ({"static_body": {"a": [{"b": {"Session-Token": 1}}]}}, "Store search credentials through"),
        ({"static_body": '{"prototype": 1}'}, "Store search credentials through"),
        ({"method": "PUT"}, "method must be one of POST, GET"),
        ({"auth": "query"}, "auth must be one of none, bearer"),
        ({"max_results": 0}, "max_results must be an integer from 1 to 100"),
    ],
)
def test_wrong_mappings_are_refused_at_once(options: dict[str, Any], text: str) -> None:
    with pytest.raises(ConfigError) as caught:
        CustomSearch(**options)
    assert text in str(caught.value)
    assert caught.value.__context__ is None


def test_the_header_of_the_key_matters_only_where_it_is_used() -> None:
    assert CustomSearch(auth="bearer", auth_header="not used").auth_header == "not used"


def test_a_secret_is_found_however_deep_it_lies() -> None:
    with pytest.raises(ConfigError, match="Store search credentials"):
        CustomSearch(static_body='{"a": ' + "[" * 700 + '{"token": 1}' + "]" * 700 + "}")


@given(st.text(max_size=30))
def test_any_text_is_a_path_or_refused(text: str) -> None:
    try:
        path = parse_path(text)
    except ConfigError:
        return
    assert ".".join(path) == text
    target: dict[str, Any] = {}
    write_path(target, path, 1)
    assert bool(target) == bool(path)


def test_its_name_is_what_people_saved() -> None:
    settings = MemorySettings({"web-search-custom": {"displayName": "Company search", "endpoint": "https://e.org"}})
    provider = CustomSearch(settings=settings)
    assert CustomSearch().descriptor.display_name == "Other"
    assert provider.configured().descriptor.display_name == "Company search"
    assert provider.descriptor.display_name == "Company search"
    assert provider.available()


def test_its_settings_in_the_order_of_the_form() -> None:
    fields = CustomSearch().descriptor.fields
    assert [field.key for field in fields] == [
        "displayName", "endpoint", "method", "auth", "authHeader", "queryField", "limitField", "resultsPath",
        "titleField", "urlField", "snippetField", "maxResults", "timeoutMs", "maxResponseBytes", "headerRefs",
        "staticBody", "countryField", "languageField", "typeField", "dateField", "publishedAtField", "scoreField",
        "apiKeyEnv",
    ]  # fmt: skip
    assert [field.key for field in fields if field.advanced] == [field.key for field in fields[12:]]
    by_key = {field.key: field for field in fields}
    assert by_key["method"].options == ("POST", "GET")
    assert by_key["auth"].options == ("none", "bearer", "api_key_header", "custom_header")
    assert by_key["authHeader"].label == "API Key / Custom Header Name"
    assert by_key["headerRefs"].hint is not None
    assert by_key["staticBody"].hint == "Non-secret request fields only."
