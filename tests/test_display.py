"""How results show themselves in a notebook: readable, and harmless whatever a stranger wrote."""

import pytest

from hydra_web.types import HtmlBody, PdfBody, TextBody, WebFetchResult, WebSearchResult, WebSearchSource

HOSTILE = '</pre><script>alert(1)</script>![x](http://evil.example/x.png)"\n\n```\n# forged'


def test_sources_are_a_list_of_links() -> None:
    source = WebSearchSource(url="https://a.example/x?a=1&b=2", title="A & B", snippet="about *A*")
    result = WebSearchResult(sources=(source, WebSearchSource(url="https://b.example/")), truncated=False)
    html = result._repr_html_()
    assert html.startswith('<ol><li><a href="https://a.example/x?a=1&amp;b=2" rel="noopener noreferrer">A &amp; B</a>')
    assert result._repr_markdown_().splitlines() == [
        r"1. [A & B](<https://a.example/x?a=1&b=2>) — about \*A\*",
        "2. [https://b.example/](<https://b.example/>)",
    ]


def test_an_empty_search_says_so() -> None:
    result = WebSearchResult(sources=(), truncated=False)
    assert result._repr_html_() == "<p>No results found.</p>"
    assert result._repr_markdown_() == "No results found."


@pytest.mark.parametrize("url", ["javascript:alert(1)", "https://a.example/ x", 'https://a.example/"><script>'])
def test_hostile_sources_are_text_without_a_link(url: str) -> None:
    result = WebSearchResult(sources=(WebSearchSource(url=url, title=HOSTILE, snippet=HOSTILE),), truncated=False)
    html, markdown = result._repr_html_(), result._repr_markdown_()
    assert "<script" not in html
    assert "<a " not in html
    assert "](" not in markdown.replace(r"\](", "")
    assert len(markdown.splitlines()) == 1


@pytest.mark.parametrize("body", [HtmlBody(content=HOSTILE), TextBody(content=HOSTILE), PdfBody(pages=(HOSTILE,))])
def test_a_page_is_shown_as_plain_text(body: HtmlBody | TextBody | PdfBody) -> None:
    result = WebFetchResult(url="https://a.example/", status_code=200, body=body, truncated=False)
    html, markdown = result._repr_html_(), result._repr_markdown_()
    assert html.startswith(f"<p>https://a.example/ (HTTP 200, {body.kind})</p><pre")
    assert "<script" not in html
    assert html.count("</pre>") == 1
    assert markdown.splitlines()[2] == "````text"
    assert markdown.endswith("\n````")


def test_a_long_page_is_cut() -> None:
    body = TextBody(content="x" * 10_000)
    html = WebFetchResult(url="https://a.example/", status_code=200, body=body, truncated=False)._repr_html_()
    assert len(html) < 2_200
    assert html.endswith("x…</pre>")
