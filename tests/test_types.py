"""The vocabulary: frozen, strict about numbers, camelCase in JSON."""

import json
from typing import Any

import pytest
from pydantic import BaseModel, ValidationError

from hydra_web.types import (
    WEB_SEARCH_CAPABILITIES,
    HtmlBody,
    PdfBody,
    SearchConfigField,
    TextBody,
    WebFetchRequest,
    WebFetchResult,
    WebSearchCapabilities,
    WebSearchProviderDescriptor,
    WebSearchRequest,
    WebSearchResult,
    WebSearchSettings,
    WebSearchSource,
)

SOURCE = WebSearchSource(url="https://e.com", published_at="2024-01-02", position=1, score=0.5)
PAGE: dict[str, Any] = {"url": "https://e.com", "status_code": 200, "truncated": False}


@pytest.mark.parametrize(
    "date", ["day", "week", "month", "year", "2024-01-01/2024-02-01", "2024-01-01/..", "../2024-02-29", None]
)
def test_dates(date: str | None) -> None:
    assert WebSearchRequest(query="q", date=date).date == date


@pytest.mark.parametrize(
    "date",
    [
        "",
        "hour",
        "../..",
        "2024-01-01",
        "2024-02-01/2024-01-01",
        "2023-02-29/..",
        "2024-1-1/..",
        "2024-01-01/..\n",
        "٢٠٢٤-01-01/..",
    ],
)
def test_wrong_dates(date: str) -> None:
    with pytest.raises(ValidationError):
        WebSearchRequest(query="q", date=date)


@pytest.mark.parametrize(
    ("model", "fields"),
    [
        (WebSearchRequest, {"query": "q", "max_results": True}),
        (WebSearchRequest, {"query": "q", "max_results": 0}),
        (WebSearchRequest, {"query": "q", "max_results": 2.0}),
        (WebSearchSource, {"url": "u", "score": True}),
        (WebSearchSource, {"url": "u", "position": "1"}),
        (WebSearchSource, {"url": "u", "score": float("nan")}),
        (WebSearchSource, {"url": "u", "unknown": 1}),
        (WebSearchResult, {"sources": (), "truncated": 1}),
        (WebFetchResult, {**PAGE, "status_code": True, "body": TextBody(content="")}),
        (WebFetchResult, {**PAGE, "body": {"kind": "image", "content": ""}}),
        (PdfBody, {"pages": (), "first_page": 0}),
        (WebSearchSettings, {"max_queries": 0}),
        (WebSearchSettings, {"max_results": 101}),
        (WebSearchSettings, {"timeout_ms": 600_001}),
        (WebSearchSettings, {"enabled": 1}),
    ],
)
def test_wrong_values_are_refused_without_being_repeated(model: type[BaseModel], fields: dict[str, Any]) -> None:
    with pytest.raises(ValidationError) as caught:
        model(**fields)
    assert "input_value" not in str(caught.value)


def test_models_are_frozen() -> None:
    with pytest.raises(ValidationError):
        SOURCE.url = "other"


def test_json_is_camel_case_without_absent_fields() -> None:
    result = WebSearchResult(sources=(SOURCE,), truncated=True, status_code=200)
    data = result.to_json_dict()
    assert data == {
        "sources": [{"url": "https://e.com", "publishedAt": "2024-01-02", "position": 1, "score": 0.5}],
        "truncated": True,
        "statusCode": 200,
    }
    assert WebSearchResult.model_validate(data) == result
    assert WebSearchResult.model_validate_json(json.dumps(data)) == result


def test_notices_appear_when_there_are_any() -> None:
    result = WebSearchResult(sources=(), truncated=False, notices=("no dates",))
    assert result.to_json_dict()["notices"] == ["no dates"]


@pytest.mark.parametrize(
    "body", [HtmlBody(content="<p>"), TextBody(content="x"), PdfBody(pages=("1", "2"), first_page=3)]
)
def test_a_body_is_told_by_its_kind(body: Any) -> None:
    page = WebFetchResult(**PAGE, body=body, meta={"charset": "utf-8"})
    assert WebFetchResult.model_validate(page.to_json_dict()) == page
    assert page.to_json_dict()["body"]["kind"] == body.kind


def test_a_fetch_request_is_a_url_and_nothing_else() -> None:
    assert set(WebFetchRequest.model_fields) == {"url"}


def test_settings_have_defaults() -> None:
    assert WebSearchSettings().to_json_dict() == {
        "enabled": True,
        "provider": "",
        "maxQueries": 4,
        "maxResults": 8,
        "timeoutMs": 60_000,
    }


def test_capabilities() -> None:
    assert [kind for kind in WebSearchCapabilities.model_fields if getattr(WEB_SEARCH_CAPABILITIES, kind)] == ["web"]
    assert WEB_SEARCH_CAPABILITIES.supports("web")
    assert not WEB_SEARCH_CAPABILITIES.supports("news")
    assert WebSearchCapabilities(news=True).supports("news")


def test_a_descriptor_describes_a_form() -> None:
    descriptor = WebSearchProviderDescriptor(
        id="exa",
        display_name="Exa",
        configurable=True,
        settings_ns="web-search-exa",
        fields=(SearchConfigField(key="baseUrl", label="Address", kind="text"),),
    )
    assert descriptor.to_json_dict() == {
        "id": "exa",
        "displayName": "Exa",
        "capabilities": {"web": True, "images": False, "news": False, "videos": False, "academic": False},
        "configurable": True,
        "settingsNs": "web-search-exa",
        "fields": [{"key": "baseUrl", "label": "Address", "kind": "text"}],
    }
