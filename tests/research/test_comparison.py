import pytest

from hydra_web.errors import WebError
from hydra_web.protocols import JsonObject
from hydra_web.research import RunSummary, ToolSummary, summarize_run


def test_a_run_is_added_up_by_tool() -> None:
    records: list[JsonObject] = [
        {
            "kind": "search",
            "durationMs": 5,
            "result": {"content": "abc", "sources": [{"url": "u", "title": "ab", "snippet": "cd"}, {"url": "v"}]},
        },
        {"kind": "search", "durationMs": 7, "error": {"code": "TIMEOUT"}},
        {"kind": "fetch", "durationMs": 11, "result": {"body": {"kind": "text", "content": "12345"}}},
        {"kind": "fetch", "durationMs": 1, "result": {"body": {"kind": "pdf", "pages": ["12", "3"]}}},
        {"kind": "usage", "usage": {"inputTokens": 10, "outputTokens": 2, "cacheReadTokens": 4}},
        {"kind": "other"},
    ]

    assert summarize_run(records) == RunSummary(
        tools=(
            ToolSummary(tool="web_search", calls=2, errors=1, duration_ms=12, output_chars=7),
            ToolSummary(tool="web_fetch", calls=2, errors=0, duration_ms=12, output_chars=8),
        ),
        model_requests=1,
        input_tokens=10,
        output_tokens=2,
        cache_read_tokens=4,
    )


def test_an_empty_run_is_nothing() -> None:
    assert summarize_run([]).tools == ()


@pytest.mark.parametrize(
    "record",
    [
        {"kind": "fetch"},
        {"kind": "fetch", "durationMs": "1"},
        {"kind": "fetch", "durationMs": 1, "result": 5},
        {"kind": "usage", "usage": {}},
        {"kind": ["fetch"]},
    ],
)
def test_a_damaged_record_is_a_clear_error(record: JsonObject) -> None:
    with pytest.raises(WebError, match="the recording is damaged") as caught:
        summarize_run([record])
    assert (caught.value.code, caught.value.reason) == ("WEB_STORE_ERROR", "corrupt")
