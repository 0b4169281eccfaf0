import time
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hydra_web.evidence import Citation, EvidenceLedger, format_citation, parse_citations, render_citations

_CITE = '[label](hydra-cite://abc "the quote")'


def _quotes(markdown: str) -> list[str]:
    return [citation.quote for citation in parse_citations(markdown)]


@pytest.mark.parametrize(
    ("markdown", "expected"),
    [
        ('[a](hydra-cite://id "plain")', ("a", "id", "plain")),
        ("[a](hydra-cite://id 'single \"double\" inside')", ("a", "id", 'single "double" inside')),
        ("[a](hydra-cite://id (in parentheses))", ("a", "id", "in parentheses")),
        ('[a](hydra-cite://id "escaped \\" quote \\\\ and \\* star")', ("a", "id", 'escaped " quote \\ and * star')),
        ('[a](hydra-cite://id "Tom &amp; &quot;Jerry&quot; &#x27;")', ("a", "id", 'Tom & "Jerry" \'')),
        ('[a [b] c](hydra-cite://id "q")', ("a [b] c", "id", "q")),
        ('[*em* `code` **x**](hydra-cite://id "q")', ("em code x", "id", "q")),
        ('[a](<hydra-cite://id with (space)> "q")', ("a", "id with (space)", "q")),
        ('[a](hydra-cite://id\n"two\nlines")', ("a", "id", "two\nlines")),
        ('[two\nlines](hydra-cite://id "q")', ("two lines", "id", "q")),
        ('[a](HYDRA-CITE://id "q")', ("a", "id", "q")),
        ("[a](hydra-cite://id)", ("a", "id", "")),
        ('[](hydra-cite://id "q")', ("", "id", "q")),
        ('**bold [a](hydra-cite://id "q") text**', ("a", "id", "q")),
        ('> - 1. [a](hydra-cite://id "q")', ("a", "id", "q")),
        ('# Head [a](hydra-cite://id "q") #', ("a", "id", "q")),
        ('| a |\n|---|\n| [a](hydra-cite://id "x \\| y") |', ("a", "id", "x | y")),
        ('a\0b [a](hydra-cite://id "q")', ("a", "id", "q")),
        ('\u3000\n\x0c\r\nx [a](hydra-cite://id "q")\n\u2028', ("a", "id", "q")),
        ('> \u3000\n> [a](hydra-cite://id "q")', ("a", "id", "q")),
    ],
)
def test_a_citation_is_read_as_commonmark_reads_a_link(markdown: str, expected: tuple[str, str, str]) -> None:
    (found,) = parse_citations(markdown)

    assert (found.label, found.source_id, found.quote) == expected
    source = markdown[found.markdown_start : found.markdown_end]
    assert source.startswith("[")
    assert source.endswith(")")
    assert "ydra-cite" in source.lower() or "HYDRA" in source


@pytest.mark.parametrize(
    "markdown",
    [
        f"`{_CITE}`",
        f"``a ` {_CITE}``",
        f"```\n{_CITE}\n```",
        f"~~~md\n{_CITE}\n",
        f"    {_CITE}",
        f"<pre>\n{_CITE}\n</pre>",
        f"text <code>{_CITE}</code> text",
        f"<!-- {_CITE} -->",
        f"<a title='{_CITE}'>",
        f"!{_CITE}",
        f"![alt {_CITE}](https://a.test/i.png)",
        "\\" + _CITE,
        '[label][ref]\n\n[ref]: hydra-cite://abc "the quote"',
        '[ref]\n\n[ref]: hydra-cite://abc "the quote"',
        "<hydra-cite://abc>",
        '[label](https://a.test "the quote")',
        '[label](hydra-cite:abc "the quote")',
        '[label] (hydra-cite://abc "the quote")',
        '[label](hydra-cite://abc "the "quote")',
    ],
)
def test_other_things_are_no_citations(markdown: str) -> None:
    assert parse_citations(markdown) == ()


@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"])
def test_places_count_in_the_text_as_it_was_given(ending: str) -> None:
    markdown = ending.join(["😀 intro", "", f"> quoted {_CITE}", f"> {_CITE} and", "", f"- x {_CITE}", f"  {_CITE}"])

    found = parse_citations(markdown)

    assert [markdown[one.markdown_start : one.markdown_end] for one in found] == [_CITE] * 4


def test_cells_with_the_same_words_are_told_apart() -> None:
    row = f"| {_CITE} | x {_CITE} y | {_CITE} {_CITE} |"
    markdown = f"| a | b | c |\n|---|---|---|\n{row}\n"

    places = [one.markdown_start for one in parse_citations(markdown)]

    assert places == sorted(set(places))
    assert all(markdown.startswith(_CITE, place) for place in places)
    assert len(places) == 4


def test_while_an_answer_grows_its_last_block_is_left_out() -> None:
    markdown = f"First {_CITE}.\n\nSecond {_CITE}"

    assert len(parse_citations(markdown)) == 2
    assert len(parse_citations(markdown, streaming=True)) == 1
    assert parse_citations(f"{_CITE}\n\n", streaming=True) == ()
    assert parse_citations("", streaming=True) == ()


_PIECES = st.lists(
    st.sampled_from(
        [_CITE, "`", "``", "```\n", "~~~\n", "\n", "\n\n", "    ", "> ", "- ", "1. ", "text ", "*", "**", "_", "[", "]",
         "(", ")", "\\", '"', "<", ">", "<!--", "-->", "<code>", "</code>", "|", "---\n", "&amp;", "# ", "\t", "\r\n",
         "é", "😀", "\0", "\u3000", "\x0c", "\u2028", "\x85"]
    ),
    max_size=30,
)  # fmt: skip
_MARKDOWN = st.one_of(_PIECES.map("".join), st.text())


@given(_MARKDOWN)
def test_any_text_is_read_without_an_error(markdown: str) -> None:
    for found in parse_citations(markdown):
        assert isinstance(found, Citation)
        source = markdown[found.markdown_start : found.markdown_end]
        assert source[0] == "["
        assert source[-1] == ")"


@given(_MARKDOWN, st.integers(min_value=3, max_value=6))
def test_nothing_in_a_fence_is_a_citation(markdown: str, length: int) -> None:
    fence = "`" * (length + max((len(run) for run in _backtick_runs(markdown)), default=0))

    assert parse_citations(f"{fence}\n{markdown}\n{_CITE}\n{fence}\n") == ()


@given(_MARKDOWN)
def test_nothing_indented_as_code_is_a_citation(markdown: str) -> None:
    lines = "\n".join(f"    {line}" for line in [*markdown.replace("\r", "\n").split("\n"), _CITE])

    assert parse_citations(lines) == ()


@given(st.text(alphabet="ab*_[]()<>\\\"' ", max_size=40))
def test_nothing_in_a_code_span_is_a_citation(inside: str) -> None:
    assert parse_citations(f"x `{inside} {_CITE} y` z") == ()


def _backtick_runs(text: str) -> list[str]:
    return [run for run in "".join(c if c == "`" else " " for c in text).split(" ") if run]


@given(_PIECES.map(lambda pieces: "".join(piece for piece in pieces if piece not in "[]")), st.data())
def test_what_a_growing_answer_shows_stays(markdown: str, data: st.DataObject) -> None:
    cut = data.draw(st.integers(min_value=0, max_value=len(markdown)))

    assert set(parse_citations(markdown[:cut], streaming=True)) <= set(parse_citations(markdown))


@given(st.text(min_size=1), st.text())
def test_a_formatted_citation_is_read_back(label: str, quote: str) -> None:
    from hydra_web.text import one_line

    found = parse_citations(f"It is {format_citation(label, 'abc', quote)}.")

    assert [(one.source_id, one.quote) for one in found] == [("abc", one_line(quote))]


_REPEATED = [
    f"Some words with {_CITE} and *more*.\n\n",
    f"{_CITE} in one paragraph\n",
    "[a](hydra-cite://x ",
    '[a](b "',
    "[a [b [c ](x) ](y)",
    "`a``b```",
    "<!-- a ",
    '<a b="',
    "*a _b **c ",
    "| [x](y) ",
    "![a [b](c)](d) ",
    "- a\n",
]


@pytest.mark.parametrize("piece", _REPEATED)
def test_reading_takes_time_in_proportion_to_the_text(piece: str) -> None:
    small, large = _seconds(parse_citations, piece, 8_000), _seconds(parse_citations, piece, 64_000)

    # Eight times the text: a quadratic reader would take 64 times as long.
    assert large < 24 * small + 0.1


def _seconds(work: Callable[[str], object], piece: str, size: int) -> float:
    text = piece * (size // len(piece))
    times = []
    for _ in range(2):
        started = time.thread_time()
        work(text)
        times.append(time.thread_time() - started)
    return min(times)


@given(_MARKDOWN)
def test_any_text_is_rendered_without_an_error(markdown: str) -> None:
    ledger = EvidenceLedger()
    for style in ("markdown", "html", "footnotes", "inert"):
        assert "hydra-cite://abc)" not in render_citations(markdown, ledger, style)
