from typing import Any

import pytest

from hydra_web.errors import ConfigError
from hydra_web.evidence import CheckedCitation, EvidenceLedger, ToolCall, verify_citations

_ID = "cd" * 32


def _cite(quote: str, source: str = _ID) -> str:
    return f'It says [so](hydra-cite://{source} "{quote}").'


def _check(ledger: EvidenceLedger, quote: str, source: str = _ID, **options: Any) -> CheckedCitation:
    return verify_citations(_cite(quote, source), ledger, **options).citations[0]


def _page(text: str, page_text: str | None = None, status: int = 200) -> tuple[EvidenceLedger, str]:
    ledger = EvidenceLedger()
    name = ledger.record_fetch(url="https://a.test/p", status_code=status, text=text, page_text=page_text)
    return ledger, name


def _transcript(*calls: ToolCall) -> EvidenceLedger:
    ledger = EvidenceLedger()
    ledger.record_transcript(calls)
    return ledger


def _fetched(sequence: int = 1, is_error: bool = False) -> ToolCall:
    return ToolCall(
        "web_fetch", f"Fetched https://a.test/p (HTTP 200)\nSource: {_ID}\n\nHello world.", sequence, is_error
    )


def test_a_quote_of_a_fetched_page_holds_and_says_where_it_stands() -> None:
    found = _check(_transcript(_fetched()), "world", before=2)

    assert found.verified
    assert (found.url, found.start, found.end) == ("https://a.test/p", 6, 11)
    assert (found.match, found.scope, found.reason) == ("exact", "shown", None)


@pytest.mark.parametrize(
    ("ledger", "quote", "source", "reason"),
    [
        (_transcript(_fetched()), "invented", _ID, "quote_not_found"),
        (_transcript(_fetched()), "", _ID, "empty_quote"),
        (_transcript(_fetched()), " \t ", _ID, "empty_quote"),
        (_transcript(_fetched()), "world", "missing", "unknown_source"),
        (_transcript(_fetched(sequence=9)), "world", _ID, "unknown_source"),
        (_transcript(_fetched(sequence=2)), "world", _ID, "unknown_source"),
        (_transcript(_fetched(is_error=True)), "world", _ID, "unknown_source"),
    ],
)
def test_what_the_transcript_does_not_support_is_rejected(
    ledger: EvidenceLedger, quote: str, source: str, reason: str
) -> None:
    report = verify_citations(_cite(quote, source), ledger, before=2)

    assert not report.ok
    assert (report.citations[0].verified, report.citations[0].reason) == (False, reason)


def test_a_fetch_inside_run_code_supports_a_quote() -> None:
    ledger = _transcript(ToolCall("run_code", "done", 1, calls=(_fetched(),)))

    assert _check(ledger, "world", before=2).verified


def test_a_page_with_an_error_status_supports_nothing() -> None:
    ledger, name = _page("Hello world.", status=404)

    found = _check(ledger, "world", name)

    assert (found.verified, found.reason, found.url) == (False, "not_citable", "https://a.test/p")


@pytest.mark.parametrize(
    ("text", "quote"),
    [
        ("The quick  brown\nfox jumps", "quick brown fox jumps"),
        ("It is “well known” — he said", "It is 'well known' - he said"),
        ("the **quick** _brown_ `fox` jumps", "the quick brown fox jumps"),
        ("read [the manual](https://x.test/a_(b)) before use", "read the manual before use"),
        ("a \\*starred\\* and snake\\_case word", "a *starred* and snake_case word"),
        ("co\u00adoperation is\u200b fine today", "cooperation is fine today"),
        ("Ca\u0301c ngo\u0302n ngư\u0303 của Việt Nam", "Các ngôn ngữ của Việt Nam"),
        ("ﬁne ﬂowers, ＡＢＣ and １２３", "fine flowers, ABC and 123"),
        ("今天，天气很好。我们\n去公园散步", "今天天气很好,我们去公园散步"),
        ("使用 Python 编写的程序代码", "使用Python编写的程序代码"),
        ("> quoted line one\n> and line two", "quoted line one and line two"),
        ("H<sub>2</sub>O is a molecule", "H2O is a molecule"),
        ("Tom &amp; Jerry &lt;3 cheese", "Tom & Jerry <3 cheese"),
        ("don’t stop the music now", "don't stop the music now"),
        ("| Espresso | €2 |\n| Flat white | €3 |", "Espresso €2 Flat white €3"),
        ("one, two; three: four five!", "one two three four five"),
        ("The start of it is here, then much, then the end of it there.", "start of it is here … the end of it there"),
        ("The start of it is here, then much, then the end of it there.", "start of it is here [...] end of it there"),
    ],
)
def test_a_quote_holds_after_normalisation(text: str, quote: str) -> None:
    ledger, name = _page(text)

    found = _check(ledger, quote, name)

    assert (found.verified, found.match) == (True, "normalized")
    assert found.passage == text[found.start : found.end]


@pytest.mark.parametrize(
    ("text", "quote"),
    [
        ("Sales rose by 3.5% in 2015 alone", "Sales rose by 35% in 2015 alone"),
        ("Sales rose by 3.5% in 2015 alone", "Sales rose by 3.5 in 2015 alone"),
        ("It cooled to -5 degrees overnight", "It cooled to 5 degrees overnight"),
        ("It cost $5 in the first week", "It cost €5 in the first week"),
        ("this is illegal  to do at home", "legal to do at home"),
        ("the plan is notable and new", "the plan is not able and new"),
        ("the value of x < 5 is expected", "the value of x > 5 is expected"),
        ("We're wrong about all of this", "Were wrong about all of this"),
        ("The Cat Sat On The Mat Today", "the cat sat on the mat today"),
        ("the end of it there, then the start of it here", "the start of it here … the end of it there"),
    ],
)
def test_a_quote_that_says_something_else_is_not_found(text: str, quote: str) -> None:
    ledger, name = _page(text)

    assert _check(ledger, quote, name).reason == "quote_not_found"


def test_the_page_around_the_shown_text_is_searched_second() -> None:
    ledger, name = _page("The main text of it.", "Menu. The main text of it. A comment below the main text.")

    shown, whole = _check(ledger, "main text", name), _check(ledger, "comment below the  main text", name)

    assert (shown.scope, shown.start) == ("shown", 4)
    assert (whole.scope, whole.match, whole.start, whole.end) == ("page", "normalized", 29, 56)


@pytest.mark.parametrize("quote", ["Flat  white", "Flat white …"])
def test_a_short_quote_must_match_exactly(quote: str) -> None:
    ledger, name = _page("Flat white, €3")

    assert _check(ledger, "Flat white", name).match == "exact"
    assert _check(ledger, quote, name).reason == "too_short"


def test_every_piece_of_a_quote_must_be_long_enough() -> None:
    ledger, name = _page("A rather long beginning of the story and then the end.")

    assert _check(ledger, "A rather long beginning … the end", name).reason == "too_short"


def test_strict_accepts_only_the_very_characters() -> None:
    ledger, name = _page("The quick  brown fox", "The quick  brown fox. Yes")

    assert not _check(ledger, "The quick brown fox", name, strict=True).verified
    assert _check(ledger, "fox. Yes", name, strict=True).scope == "page"


def test_a_rejected_quote_comes_with_the_nearest_passage() -> None:
    ledger, name = _page(
        f"{'Filler words here. ' * 40}The budget of the city grew by 12 percent in 2024. {'Other. ' * 40}"
    )

    found = _check(ledger, "The budget of the city grew by 15 percent in 2024", name)

    assert not found.verified
    assert found.suggestion is not None
    assert "The budget of the city grew by 12 percent in 2024" in found.suggestion


@pytest.mark.parametrize("wrong", ["missing", None])
def test_a_rejected_quote_names_the_page_that_does_hold_it(wrong: str | None) -> None:
    ledger, first = _page("Something quite different.")
    second = ledger.record_fetch(url="https://b.test", status_code=200, text="The truth is in this page.")
    ledger.record_fetch(url="https://c.test", status_code=500, text="The truth is in this page!")

    assert _check(ledger, "The truth is in this page", wrong or first).other_source == second


def test_offsets_count_code_points() -> None:
    ledger, name = _page("😀😀 Hello world.")

    assert (_check(ledger, "Hello", name).start, _check(ledger, "Hello", name).end) == (3, 8)


def test_links_are_seen_when_a_search_or_a_fetch_gave_them() -> None:
    ledger, _ = _page("x")
    ledger.record_tool_text("web_search", "Sources:\n- [B](https://b.test/page)")
    markdown = (
        "[a](https://a.test/p#x) [b](https://b.test/page?utm_source=y) [c](https://c.test) <https://d.test/> "
        "https://a.test/p, [m](mailto:x@y.test) `https://code.test`"
    )

    report = verify_citations(markdown, ledger)

    assert [(link.url, link.seen) for link in report.links] == [
        ("https://a.test/p#x", True),
        ("https://b.test/page?utm_source=y", True),
        ("https://c.test", False),
        ("https://d.test/", False),
        ("https://a.test/p", True),
    ]
    assert [link.url for link in report.unseen_links] == ["https://c.test", "https://d.test/"]
    assert report.ok


def test_swapped_arguments_are_named() -> None:
    with pytest.raises(ConfigError, match="markdown must be the answer's text, not EvidenceLedger"):
        verify_citations(EvidenceLedger(), "an answer")  # type: ignore[arg-type]
    with pytest.raises(ConfigError, match="ledger must be an EvidenceLedger, not str"):
        verify_citations("an answer", "a ledger")  # type: ignore[arg-type]
