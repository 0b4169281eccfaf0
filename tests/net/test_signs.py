"""Signs on a page that save an agent a turn."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hydra_web.net import check_url
from hydra_web.net._signs import alternate_markdown, blocked_reason, looks_like_script_only, retry_after_seconds

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
HERE = check_url("https://example.com/docs/page")


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        ("120", 120),
        (" 0 ", 0),
        ("9" * 30, 604_800),
        ("Mon, 30 Nov 2026 12:01:00 GMT", 60),
        ("Mon, 30 Nov 2026 12:01:00", 60),
        ("Mon, 30 Nov 2020 12:01:00 GMT", 0),
        ("soon", None),
        ("-5", None),
        ("", None),
        (None, None),
        ("Mon, 99 Nov 9999 12:01:00 GMT", None),
    ],
)
def test_retry_after(header: str | None, seconds: int | None) -> None:
    assert retry_after_seconds(header, NOW) == seconds


@pytest.mark.parametrize(
    ("status", "headers", "html", "reason"),
    [
        (200, [], "<title>Just a moment</title>", None),
        (403, [], "<p>no</p>", "forbidden"),
        (401, [], "", "login_required"),
        (429, [], "", "rate_limited"),
        (451, [], "", "legal"),
        (503, [], "<title>Just a moment...</title>", "bot_challenge"),
        (503, [], "<p>down</p>", None),
        (200, [("cf-mitigated", "challenge")], "", "bot_challenge"),
        (404, [], "", None),
    ],
)
def test_blocked_reason(status: int, headers: list[tuple[str, str]], html: str, reason: str | None) -> None:
    assert blocked_reason(status, headers, html) == reason


def test_a_large_page_without_text_is_suspected() -> None:
    shell = "<html><head><title>" + "t" * 300 + "</title></head><body><div id=root></div><script>" + "x" * 9000
    assert looks_like_script_only(shell + "</script></body></html>")
    assert looks_like_script_only(shell)
    assert not looks_like_script_only("<div id=root></div>")
    assert not looks_like_script_only("<p>" + "word " * 2000 + "</p>")
    assert not looks_like_script_only("<!--" + "c" * 9000 + "--><article>" + "text " * 100 + "</article>")
    assert looks_like_script_only("<p>İ</p>" + "<br>" * 2000)
    assert not looks_like_script_only("<>" * 1_000_000)


def test_the_markdown_form_of_a_page_is_found_in_links_and_headers() -> None:
    link = '<head><link rel="stylesheet" href="/s.css"><LINK REL=alternate type=\'text/markdown\' href="page.md#x">'
    assert alternate_markdown(HERE, [], link) == "https://example.com/docs/page.md"
    header = '</a.css>; rel=preload, </docs/page.md>; rel="alternate"; type="text/markdown"'
    assert alternate_markdown(HERE, [header], "") == "https://example.com/docs/page.md"
    assert alternate_markdown(HERE, ["</x>; rel=next"], '<link rel="alternate" type="application/rss+xml">') is None


def test_a_markdown_form_that_policy_refuses_is_not_mentioned() -> None:
    for href in ("http://169.254.169.254/", "javascript:alert(1)", "http://u:p@example.com/", "http://["):
        assert alternate_markdown(HERE, [], f'<link rel="alternate" type="text/markdown" href="{href}">') is None
    granted = check_url("http://127.0.0.1:8000/", ["http://127.0.0.1:8000"])
    tag = '<link rel="alternate" type="text/markdown" href="/x.md">'
    assert alternate_markdown(granted, [], tag) == "http://127.0.0.1:8000/x.md"


@given(st.text(alphabet='<>!-/" =abcsriptlnkhe', max_size=300), st.integers(1, 40))
def test_reading_signs_never_raises(text: str, times: int) -> None:
    html = text * times
    looks_like_script_only(html)
    alternate_markdown(HERE, [html], html)
    blocked_reason(403, [], html)
    retry_after_seconds(html, NOW)
