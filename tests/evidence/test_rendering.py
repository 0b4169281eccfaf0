from typing import Any

import pytest
from markdown_it import MarkdownIt

from hydra_web.errors import ConfigError
from hydra_web.evidence import EvidenceLedger, format_citation, parse_citations, render_citations, text_fragment_url

_MENU = "http://127.0.0.1:43117/menu.html"


@pytest.fixture
def menu(ledger: EvidenceLedger) -> str:
    text = "Menu\n\n# Café menu\n\n-   Espresso\n-   Flat white\n"
    return ledger.record_fetch(url=_MENU, status_code=200, text=text, fetched_at="2026-11-30T10:00:00Z")


def test_a_citation_that_holds_becomes_an_anchor(ledger: EvidenceLedger, menu: str) -> None:
    html = render_citations(format_citation("white", menu, "Flat white"), ledger, "html")

    assert html == (
        f'<p><a href="{_MENU}" title="Flat white" target="_blank" rel="noopener noreferrer" data-source-id="{menu}"'
        ' data-passage-start="36" data-passage-end="46" data-passage-scope="shown">white</a></p>\n'
    )


@pytest.mark.parametrize("style", ["html", "markdown", "footnotes", "inert"])
def test_a_wrong_quote_and_a_missing_id_give_no_link(ledger: EvidenceLedger, menu: str, style: Any) -> None:
    markdown = f"{format_citation('one', menu, 'invented price')} {format_citation('two', 'missing', 'Flat white')}"

    rendered = render_citations(markdown, ledger, style)

    assert "one two" in rendered
    assert "](" not in rendered
    assert "<a" not in rendered
    assert "hydra-cite" not in rendered


def test_markdown_links_open_the_page_at_the_passage(ledger: EvidenceLedger, menu: str) -> None:
    markdown = f"> Try the {format_citation('white', menu, 'Flat white')}!\n\n`code` stays."

    assert render_citations(markdown, ledger) == (f"> Try the [white]({_MENU}#:~:text=Flat%20white)!\n\n`code` stays.")


def test_footnotes_are_numbered_and_say_when_the_page_was_read(ledger: EvidenceLedger, menu: str) -> None:
    white, espresso = format_citation("white", menu, "Flat white"), format_citation("black", menu, "Espresso")

    rendered = render_citations(f"A {white}, a {espresso}, {white}.[^1]\n\n[^1]: mine", ledger, "footnotes")

    assert rendered == (
        "A white[^2], a black[^3], white[^2].[^1]\n\n[^1]: mine\n\n"
        f"[^2]: “Flat white” — <{_MENU}> (read 2026-11-30)\n[^3]: “Espresso” — <{_MENU}> (read 2026-11-30)\n"
    )


def test_inert_leaves_the_labels_as_they_are_written(ledger: EvidenceLedger, menu: str) -> None:
    markdown = f'[*a* `b`](hydra-cite://{menu}\n"Flat white") rest [x](https://a.test)'

    assert render_citations(markdown, ledger, "inert") == "*a* `b` rest [x](https://a.test)"


@pytest.mark.parametrize(
    "label",
    [
        "# no heading",
        "- no item",
        "+ no item",
        "> no quote",
        "1. no item",
        "12) no item",
        "--- x",
        "~~~ x",
        "[r]: x",
        "    code",
        "<div>",
        "***",
        "* * *",
        "===",
    ],
)
@pytest.mark.parametrize("before", ["", "> ", "- ", "1. ", "> - "])
def test_a_label_alone_starts_no_block(ledger: EvidenceLedger, label: str, before: str) -> None:
    markdown = f'{before}[{label}](hydra-cite://missing "x") and more'
    plain = f"{before}x and more"

    rendered = render_citations(markdown, ledger, "inert")

    kinds = [token.type for token in MarkdownIt().parse(rendered)]
    assert kinds == [token.type for token in MarkdownIt().parse(plain)]


def test_a_statement_is_not_supported_by_what_was_read_later(ledger: EvidenceLedger, menu: str) -> None:
    markdown = format_citation("white", menu, "Flat white")

    assert render_citations(markdown, ledger, "inert", before=1) == "white"
    assert render_citations(markdown, ledger, before=1) == "white"
    assert "](" in render_citations(markdown, ledger, before=2)


def test_strict_accepts_only_the_very_characters(ledger: EvidenceLedger, menu: str) -> None:
    markdown = format_citation("menu", menu, "Espresso Flat white")

    assert "](" in render_citations(markdown, ledger)
    assert render_citations(markdown, ledger, strict=True) == "menu"


def test_a_page_that_is_not_on_the_web_gets_no_link(ledger: EvidenceLedger) -> None:
    name = ledger.record_fetch(url="file:///etc/motd", status_code=200, text="Hello world.")

    assert render_citations(format_citation("x", name, "world"), ledger) == "x"
    assert "<a" not in render_citations(format_citation("x", name, "world"), ledger, "html")


def test_html_is_safe_whatever_the_answer_holds(ledger: EvidenceLedger) -> None:
    url = 'https://a.test/?q="><script>'
    name = ledger.record_fetch(url=url, status_code=200, text="say <b>hi</b> now")
    markdown = (
        f"{format_citation('<i>x</i>', name, 'say <b>hi</b>')} <script>alert(1)</script>\n\n<div onclick=x>\n\n"
        "![tracker](https://evil.test/p.png) [js](javascript:alert(1)) [data](data:text/html,x) "
        '[web](https://b.test "t") [mail](mailto:a@b.test) <https://c.test> <javascript:alert(1)>\n\n'
        f'`{format_citation("c", name, "hi")}`\n\n[r]\n\n[r]: hydra-cite://{name} "hi"'
    )

    html = render_citations(markdown, ledger, "html")

    for forbidden in ("<script", "<div", "<img", "<i>", 'javascript:alert(1)"', "data:text", 'q="', 'href="hydra'):
        assert forbidden not in html
    assert html.count("<a ") == 4
    assert 'rel="noopener noreferrer nofollow">web</a>' in html
    assert "tracker" in html


@pytest.mark.parametrize("style", ["md", "", None])
def test_an_unknown_style_is_refused(ledger: EvidenceLedger, style: Any) -> None:
    with pytest.raises(ConfigError, match="style must be one of markdown, html, footnotes, inert"):
        render_citations("x", ledger, style)


@pytest.mark.parametrize(
    ("url", "passage", "expected"),
    [
        ("https://a.test/", "Flat white", "https://a.test/#:~:text=Flat%20white"),
        ("https://a.test/#menu", "Flat white", "https://a.test/#menu:~:text=Flat%20white"),
        ("https://a.test/", "a-b, c & d", "https://a.test/#:~:text=a%2Db%2C%20c%20%26%20d"),
        (
            "https://a.test/",
            "one two three four five six seven eight nine",
            "https://a.test/#:~:text=one%20two%20three%20four,six%20seven%20eight%20nine",
        ),
        ("https://a.test/", "first line\n\nlast line", "https://a.test/#:~:text=first%20line,last%20line"),
        (
            "https://a.test/",
            "a **bold** [link](https://x.test) \\* it",
            "https://a.test/#:~:text=a%20bold%20link%20%2A%20it",
        ),
        ("https://a.test/", "", "https://a.test/"),
        ("https://a.test/", "**", "https://a.test/"),
        ("https://a.test/", "今" * 100, f"https://a.test/#:~:text={'%E4%BB%8A' * 40},{'%E4%BB%8A' * 40}"),
    ],
)
def test_a_text_fragment_names_the_words_on_the_page(url: str, passage: str, expected: str) -> None:
    assert text_fragment_url(url, passage) == expected


def test_a_rendered_link_is_no_citation_any_more(ledger: EvidenceLedger) -> None:
    name = ledger.record_fetch(url="https://a.test/(x)?a=b|c", status_code=200, text="Hello (big) world | yes")
    markdown = f"| a |\n|---|\n| {format_citation('x', name, 'Hello (big) world')} |"

    rendered = render_citations(markdown, ledger)

    assert parse_citations(rendered) == ()
    (cell,) = [token for token in MarkdownIt("commonmark").enable("table").parse(rendered) if "Hello" in token.content]
    assert cell.children is not None
    assert cell.children[0].attrs["href"] == "https://a.test/%28x%29?a=b%7Cc#:~:text=Hello%20%28big%29%20world"


@pytest.mark.parametrize(
    ("label", "after", "expected"),
    [
        ("x", "(https://evil.test)", "x[^1] (https://evil.test)"),
        ("x", "[y]", "x[^1] [y]"),
        ("", ": text", "[^1] : text"),
        ("x", ": text", "x[^1]: text"),
    ],
)
def test_a_footnote_mark_makes_no_link_of_what_follows(
    ledger: EvidenceLedger, menu: str, label: str, after: str, expected: str
) -> None:
    rendered = render_citations(f'[{label}](hydra-cite://{menu} "Espresso"){after}', ledger, "footnotes")

    assert rendered.startswith(f"{expected}\n\n[^1]: ")


@pytest.mark.parametrize("style", ["markdown", "footnotes"])
def test_an_address_keeps_what_looks_like_an_entity(ledger: EvidenceLedger, style: Any) -> None:
    source = ledger.record_fetch(url="https://a.test/x;id?a&lt;b&#60;c&copy=1", status_code=200, text="Espresso")

    rendered = render_citations(format_citation("x", source, "Espresso"), ledger, style)

    html = MarkdownIt().render(rendered.rpartition("<")[2] if style == "footnotes" else rendered)
    assert "https://a.test/x;id?a&amp;lt%3Bb&amp;#60%3Bc&amp;copy=1" in html


@pytest.mark.parametrize(
    ("code", "closing"),
    [
        ("```py\nx = 1", "\n```"),
        ("~~~~\nx\n~~~", "\n~~~~"),
        ("```", "\n```"),
        ("```\nx\n```", ""),
        ("```\nx\n`````\n\n", ""),
        ("- ```\n  x", ""),
        ("last words", ""),
    ],
)
def test_notes_stand_outside_a_fence_that_was_left_open(
    ledger: EvidenceLedger, menu: str, code: str, closing: str
) -> None:
    rendered = render_citations(f"{format_citation('x', menu, 'Espresso')}\n\n{code}", ledger, "footnotes")

    assert f"{code.rstrip()}{closing}\n\n[^1]: " in rendered
    assert "<p>[^1]: " in MarkdownIt().render(rendered)
