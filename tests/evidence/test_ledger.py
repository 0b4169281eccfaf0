import threading
from typing import Any

import pytest

from hydra_web.errors import ConfigError, WebError
from hydra_web.evidence import EvidenceLedger, ToolCall, source_id
from hydra_web.store import MemoryStore
from hydra_web.types import WebSearchSource

_ID = "ab" * 32
_NOTICE = "\n\n(Content truncated. Fetch a more specific URL or section for the full text.)"
_MENU = """Menu

# Café menu

Prices include **service & _tax_** — updated daily.

-   Espresso
-   Flat white

| Drink | Price |
| --- | --- |
| Espresso | €2  |
| Flat white | €3  |

See [today’s specials](https://fixture.invalid/specials)."""


@pytest.mark.parametrize(
    ("url", "text", "expected"),
    [
        ("https://a.test", "ok", "ebdb2da87dab98ad51addfec853f2e9567f38f3415ffa471a9459e5c0de4495f"),
        (
            "http://127.0.0.1:43117/menu.html",
            _MENU,
            "d6a3111a3a5a8d4d845654c1e5541f0227292c086567fb4a1c7be9c57e10d6b8",
        ),
    ],
)
def test_a_source_id_is_the_hash_of_address_and_text(url: str, text: str, expected: str) -> None:
    assert source_id(url, text) == expected


def test_a_lone_surrogate_counts_as_its_json_escape() -> None:
    assert source_id("https://a.test", "\udc80") == source_id("https://a.test", "\udc80")
    assert source_id("https://a.test", "\udc80") != source_id("https://a.test", "\udc81")


def test_a_recorded_page_is_found_by_its_id(ledger: EvidenceLedger) -> None:
    name = ledger.record_fetch(url="https://a.test", status_code=200, text="ok", page_text="ok and more")

    page = ledger.fetches()[name]

    assert name == source_id("https://a.test", "ok")
    assert (page.url, page.status_code, page.text, page.page_text) == ("https://a.test", 200, "ok", "ok and more")
    assert page.fetched_at is not None
    assert page.fetched_at.endswith("+00:00")
    assert page.sequence == 1
    assert ledger.next_sequence == 2


def test_a_given_time_of_reading_is_kept(ledger: EvidenceLedger) -> None:
    name = ledger.record_fetch(url="https://a.test", status_code=200, text="ok", fetched_at="2026-01-02T03:04:05Z")

    assert ledger.fetches()[name].fetched_at == "2026-01-02T03:04:05Z"


def test_searches_are_recorded_in_order(ledger: EvidenceLedger) -> None:
    ledger.record_search("one", "local", [WebSearchSource(url="https://a.test/?utm_source=x", title="A")])
    ledger.record_search("two", None, [])

    first, second = ledger.searches()

    assert (first.query, first.provider, first.sequence) == ("one", "local", 1)
    assert first.sources[0].title == "A"
    assert (second.query, second.sources) == ("two", ())
    assert ledger.searches(before=2) == (first,)
    assert ledger.seen_urls() == {"https://a.test/"}


def test_ledgers_on_one_store_share_a_run_and_keep_runs_apart(store: Any) -> None:
    one, same, other = EvidenceLedger(store, "r1"), EvidenceLedger(store, "r1"), EvidenceLedger(store, "r2")

    name = one.record_fetch(url="https://a.test", status_code=200, text="ok")
    same.record_search("q", "p", [WebSearchSource(url="https://b.test")])

    assert name in same.fetches()
    assert [search.query for search in one.searches()] == ["q"]
    assert not other.fetches()
    assert EvidenceLedger(store, "r1").next_sequence == 3


def test_a_ledger_takes_records_from_many_threads(ledger: EvidenceLedger) -> None:
    def record(worker: int) -> None:
        for number in range(50):
            ledger.record_fetch(url=f"https://a.test/{worker}/{number}", status_code=200, text="ok")
            ledger.fetches()

    threads = [threading.Thread(target=record, args=(worker,)) for worker in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert sorted(page.sequence for page in ledger.fetches().values()) == list(range(1, 401))


def test_a_fetch_text_of_a_transcript_becomes_a_page(ledger: EvidenceLedger) -> None:
    text = f"Fetched https://a.test/x (HTTP 200)\nSource: {_ID}\n\nHello world.\nMore.{_NOTICE}"

    ledger.record_tool_text("web_fetch", text, 4)

    page = ledger.fetches()[_ID]
    assert (page.url, page.text, page.sequence) == ("https://a.test/x", "Hello world.\nMore.", 4)
    assert page.citable


@pytest.mark.parametrize(
    ("name", "text", "is_error"),
    [
        ("web_fetch", f"Fetched https://a.test (HTTP 200)\nSource: {_ID}\n\nx", True),
        ("other", f"Fetched https://a.test (HTTP 200)\nSource: {_ID}\n\nx", False),
        ("web_fetch", f" Fetched https://a.test (HTTP 200)\nSource: {_ID}\n\nx", False),
        ("web_fetch", f"Fetched ftp://a.test (HTTP 200)\nSource: {_ID}\n\nx", False),
        ("web_fetch", f"Fetched https://a.test (HTTP 200)\nSource: {_ID.upper()}\n\nx", False),
        ("web_fetch", f"Fetched https://a.test (HTTP ２００)\nSource: {_ID}\n\nx", False),
        ("web_fetch", "Error: tool call timed out after 5ms", False),
    ],
)
def test_other_texts_of_a_transcript_are_passed_over(
    ledger: EvidenceLedger, name: str, text: str, is_error: bool
) -> None:
    ledger.record_tool_text(name, text, 1, is_error)

    assert not ledger.fetches()


def test_a_page_with_an_error_status_is_known_but_not_citable(ledger: EvidenceLedger) -> None:
    ledger.record_tool_text("web_fetch", f"Fetched https://a.test (HTTP 404)\nSource: {_ID}\n\nx", 1)

    assert not ledger.fetches()[_ID].citable


def test_a_search_text_of_a_transcript_gives_the_addresses_it_showed(ledger: EvidenceLedger) -> None:
    text = "Sources:\n- [A](https://a.test/1) — x (2026)\n- [B](https://b.test/(2))\n\nCite the relevant URLs above."

    ledger.record_tool_text("web_search", text, 2)

    assert ledger.seen_urls() == {"https://a.test/1", "https://b.test/(2)"}
    assert not ledger.seen_urls(before=2)


def test_calls_inside_other_calls_are_read_whatever_became_of_the_outer_one(ledger: EvidenceLedger) -> None:
    inner = ToolCall("web_fetch", f"Fetched https://a.test (HTTP 200)\nSource: {_ID}\n\nx", 3)

    ledger.record_transcript([ToolCall("run_code", "Error: boom", 2, True, (inner,))])

    assert ledger.fetches()[_ID].sequence == 3


def test_a_later_record_of_the_same_id_replaces_an_earlier_one(ledger: EvidenceLedger) -> None:
    ledger.record_tool_text("web_fetch", f"Fetched https://a.test (HTTP 200)\nSource: {_ID}\n\nold", 1)
    ledger.record_tool_text("web_fetch", f"Fetched https://a.test (HTTP 200)\nSource: {_ID}\n\nnew", 5)

    assert ledger.fetches()[_ID].text == "new"
    assert ledger.fetches(before=5)[_ID].text == "old"
    assert not ledger.fetches(before=1)


def test_a_tool_text_without_a_number_comes_after_everything_recorded(ledger: EvidenceLedger) -> None:
    ledger.record_search("q", None, [])
    ledger.record_tool_text("web_fetch", f"Fetched https://a.test (HTTP 200)\nSource: {_ID}\n\nx")

    assert ledger.fetches()[_ID].sequence == 2


def test_a_later_record_of_the_same_text_takes_nothing_away(ledger: EvidenceLedger) -> None:
    page = {"url": "https://a.test", "text": "Hello world."}
    name = ledger.record_fetch(**page, status_code=200, page_text="Hello world. And more.")
    ledger.record_fetch(**page, status_code=404)
    ledger.record_tool_text("web_fetch", f"Fetched https://a.test (HTTP 200)\nSource: {name}\n\nHello world.")

    assert ledger.fetches()[name].status_code == 200
    assert ledger.fetches()[name].page_text == "Hello world. And more."

    ledger.record_fetch(**page, status_code=200, page_text="Hello world. And other.")
    assert ledger.fetches()[name].page_text == "Hello world. And other."


@pytest.mark.parametrize(
    "record",
    [{}, {"kind": "fetch"}, {"kind": "search", "query": "q", "provider": "p", "sources": [{"url": 5}]}],
)
def test_what_is_no_record_is_a_clear_error(record: dict[str, Any]) -> None:
    store = MemoryStore()
    store.append("evidence/default", record)

    with pytest.raises(WebError, match="a record of the evidence is damaged") as caught:
        EvidenceLedger(store).fetches()
    assert (caught.value.code, caught.value.reason) == ("WEB_STORE_ERROR", "corrupt")


def test_what_is_read_after_a_transcript_comes_after_it(store: Any) -> None:
    ledger = EvidenceLedger(store)
    ledger.record_tool_text("web_fetch", f"Fetched https://a.test (HTTP 200)\nSource: {_ID}\n\nok", sequence=40)
    name = ledger.record_fetch(url="https://b.test", status_code=200, text="read later")

    for reader in (ledger, EvidenceLedger(store)):
        assert reader.fetches()[name].sequence == 41
        assert name not in reader.fetches(before=41)
        assert reader.next_sequence == 42


def test_a_ledger_wants_a_store() -> None:
    wrong: Any = "store.sqlite3"
    with pytest.raises(ConfigError, match="store must be a Store such as SqliteStore, not str"):
        EvidenceLedger(wrong)
