"""Text from strangers made safe to print."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hydra_web.text import escape_html, escape_markdown, one_line, strip_invisible


@pytest.mark.parametrize(
    ("text", "visible"),
    [
        ("plain", "plain"),
        ("tab\tstays", "tab\tstays"),
        ("a\r\nb\rc\u2028d\u2029e", "a\nb\nc\nd\ne"),
        ("\x1b[31mred\x1b[0m", "red"),
        ("\x1b]8;;http://evil\x07link\x1b]8;;\x1b\\", "link"),
        ("\x1b", ""),
        ("a\x00b\x7fc\x9fd", "abcd"),
        ("\u202eevil\u202c", "evil"),
        ("zero\u200bwidth\ufeff", "zerowidth"),
        ("tag\U000e0041\U000e007f", "tag"),
        ("a\u200db", "ab"),
        ("می\u200cخواهم", "می\u200cخواهم"),
        ("👩\u200d💻", "👩\u200d💻"),
        ("❤\ufe0f", "❤\ufe0f"),
        ("x\ufe0f\ufe0e", "x"),
        ("葛\U000e0100", "葛\U000e0100"),
        ("\ud800lone", "lone"),
        ("Tiếng Việt, 中文, العربية", "Tiếng Việt, 中文, العربية"),
    ],
)
def test_only_what_a_reader_sees_is_left(text: str, visible: str) -> None:
    assert strip_invisible(text) == visible


def test_one_line() -> None:
    assert one_line("  a \n\n b\u2003c\u200b ") == "a b c"


def test_markdown_cannot_start_inside_a_line() -> None:
    assert escape_markdown("x](http://evil)\nSources: *b* `c` <d>") == r"x\](http://evil) Sources: \*b\* \`c\` \<d\>"


def test_html_is_content() -> None:
    assert escape_html('<a href="x">\'&\u202e') == "&lt;a href=&quot;x&quot;&gt;&#x27;&amp;"


@given(st.text(max_size=60))
def test_a_line_is_a_line_and_stays_one(text: str) -> None:
    line = one_line(text)
    assert len(line.splitlines()) <= 1
    assert line.encode().decode() == line
    assert one_line(line) == line


@given(st.text(max_size=60))
def test_cleaning_never_adds(text: str) -> None:
    cleaned = strip_invisible(text)
    assert len(cleaned) <= len(text)
    assert "\x1b" not in cleaned
    assert "<" not in escape_html(text)


def test_text_without_anything_invisible_is_handed_back_itself():
    text = "Grüße, “quoted”, 日本語\n"
    assert strip_invisible(text) is text
