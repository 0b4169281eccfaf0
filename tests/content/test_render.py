"""The whole pipeline: HTML in, Markdown, outline and plain text out."""

import gc
from typing import Literal

import pytest

from hydra_web.content import render

PAGE = """<!doctype html><html><head><title>Bread &amp; butter</title><base href="/kitchen/"></head><body>
<nav><a href="/">Home</a></nav><article><h1>Bread</h1><p>Bread is made of <b>flour</b> and water, and it takes time,
patience and a warm oven. <a href="rye.html">Rye</a> needs longer than wheat does.</p><h2 id="how">How</h2><p>Knead the
dough, let it rest, and bake it for forty minutes until the crust is dark and sounds hollow.</p>
<pre><code class="language-python">bake(40)</code></pre></article><div style="display:none">secret words</div>
<script>var x = 1;</script></body></html>"""


def test_a_page_becomes_markdown_with_title_outline_and_plain_text():
    page = render(PAGE, "https://example.org/a/b.html")
    assert page.title == "Bread & butter"
    assert "**flour**" in page.text
    assert "[Rye](https://example.org/kitchen/rye.html)" in page.text
    assert "```python\nbake(40)\n```" in page.text
    assert [(heading.level, heading.text) for heading in page.outline] == [(1, "Bread"), (2, "How")]
    assert page.text[page.outline[1].start :].startswith("## How")
    assert "Knead the dough" in " ".join(page.page_text.split())
    assert "secret" not in page.text + page.page_text
    assert page.meta["hiddenRemoved"] == 1
    assert page.meta["truncated"] is False


def test_the_full_mode_shows_what_the_main_mode_leaves_out():
    assert "[Home](https://example.org/)" in render(PAGE, "https://example.org/", "full").text


@pytest.mark.parametrize("html", ["", "  ", "<!-- only this -->", "<html></html>"])
def test_an_empty_document_gives_an_empty_text(html: str):
    page = render(html, "https://example.org/")
    assert (page.text, page.page_text, page.outline) == ("", "", ())


@pytest.mark.parametrize("tag", ["div", "ul><li", "blockquote", "b", "table><tr><td", "span"])
def test_deep_nesting_keeps_the_deep_text(tag: str):
    page = render(f"<p>before</p>{f'<{tag}>' * 3000}deep text", "https://example.org/", "full")
    assert "before" in page.text
    assert "deep text" in page.text


def test_the_size_limit_is_said():
    page = render("<p>word</p>" * 100, "https://example.org/", max_chars=110)
    assert page.meta["truncated"] is True
    assert page.text.count("word") == 10


@pytest.mark.parametrize("mode", ["main", "full"])
def test_a_finished_conversion_leaves_nothing_for_the_garbage_collector(mode: Literal["main", "full"]):
    render(PAGE, "https://example.org/", mode)
    gc.collect()
    gc.disable()
    try:
        assert render(PAGE, "https://example.org/", mode).title
        assert gc.collect() == 0
    finally:
        gc.enable()
