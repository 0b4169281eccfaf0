"""What holds for every page."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hydra_web.content import render
from hydra_web.content._outline import outline, slug
from hydra_web.text import strip_invisible

TAGS = [
    "p",
    "div",
    "b",
    "i",
    "a href='/x'",
    "ul",
    "ol",
    "li",
    "table",
    "tr",
    "td",
    "th",
    "pre",
    "code",
    "blockquote",
    "h2",
]
TAGS += [
    "span",
    "br",
    "img src=/i alt=x",
    "dl",
    "dt",
    "dd",
    "section",
    "nav",
    "sup",
    "del",
    "math",
    "noscript",
    "details",
]
TEXT = st.text(alphabet=st.characters(exclude_categories=["Cs"]), max_size=12)
LEAF = st.one_of(TEXT, st.sampled_from(["*", "_x_", "[a](b)", "# ", "1. ", "&amp;", "```", " ", "|"]))


def _element(children: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.builds(
        lambda tag, inside, closed: f"<{tag}>{''.join(inside)}" + (f"</{tag.split()[0]}>" if closed else ""),
        st.sampled_from(TAGS),
        st.lists(children, max_size=4),
        st.booleans(),
    )


HTML = st.lists(st.recursive(LEAF, _element, max_leaves=25), max_size=4).map("".join)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(HTML, st.sampled_from(["main", "full"]))
def test_any_html_gives_clean_text_and_a_true_outline(html, mode):
    page = render(html, "https://site.test/", mode)
    for text in (page.text, page.page_text):
        text.encode()
        assert strip_invisible(text) == text
    assert "fallback" not in page.meta
    assert page == render(html, "https://site.test/", mode)
    for heading in page.outline:
        assert page.text[heading.start] == "#"
        assert 0 < heading.size <= len(page.text) - heading.start
    assert len({heading.anchor for heading in page.outline}) == len(page.outline)


MARKDOWN = [
    '# Title\n\nText with *em*, **strong**, `code` and [a link](https://e.test/ "t").',
    "- a\n- b\n  - c\n\n    more\n- d",
    "1. a\n2. b\n\n   ```py\n   x = 1\n   ```\n3. c",
    "> quote\n>\n> - item\n>\n> > inner",
    "| a | b |\n| --- | :-: |\n| 1 | x\\|y |\n| `c\\|d` | |",
    "a *b **c** d* e **f *g* h**",
    "***both*** and **bold*it*bold**",
    "* one\n\n* two\n\n\n- other list",
    "hard\\\nbreak and ![alt](https://e.test/i.png)",
    "~~gone~~ \\*kept\\* 1\\. x",
    "    indented\n    code\n\ntext\n\n---\n\n```\n~~~\n```",
    "Setext\n======\n\nSub\n---",
    "<https://e.test/a_b?c=d&e=f> and &amp; &lt;b&gt;",
    "snake_case_word 2 * 3 * 4 _x_ \\_y\\_",
    "7. seven\n8. eight",
    "- [ ] open\n- [x] done",
    "**「重要」**です and **bold:** text",
]


@pytest.mark.parametrize("markdown", MARKDOWN)
def test_markdown_survives_rendering_and_conversion(markdown, convert, rendered, meaning):
    import lxml.html

    html = lxml.html.tostring(rendered(markdown), encoding="unicode")
    assert meaning(convert(html)) == meaning(markdown)


def test_outline_knows_sections_anchors_and_code():
    text = "# A\n\nx\n\n## B *c* [d](u)\n\n```\n# no\n```\n\n## B\n\n# E\\#"
    found = outline(text, {"B": ["own"]})
    assert [(h.level, h.text, h.anchor) for h in found] == [
        (1, "A", "a"),
        (2, "B c d", "b-c-d"),
        (2, "B", "own"),
        (1, "E#", "e"),
    ]
    assert text[found[1].start : found[1].start + found[1].size].startswith("## B *c*")
    assert "# no" in text[found[1].start : found[1].start + found[1].size]
    assert found[0].size == found[3].start
    assert sum(h.size for h in found if h.level == 1) == len(text)
    assert slug("¿Qué?") == "qué"
    assert slug("!!!") == "section"


def test_the_pages_own_anchors_are_used():
    page = render(
        '<h2 id="install">Install it</h2><h2><a name="use"></a>Use</h2><h2>Install it</h2>', "https://s.test/"
    )
    assert [h.anchor for h in page.outline] == ["install", "use", "install-it"]


def test_converters_can_be_replaced():
    from markdownify import MarkdownConverter

    class Loud(MarkdownConverter):
        def convert_p(self, el, text, parent_tags):
            return f"\n\n{text.upper()}\n\n"

    html = '<p>word <a href="/x">l</a><img src="/i" alt="pic"><img src="/j"></p>'
    html += '<pre class="language-py">x</pre><p class=nav>y</p>'
    for converter in (Loud, Loud()):
        text = render(html, "https://site.test/", converter=converter).text
        assert "WORD" in text
        assert "PIC" in text
    plain = render(html, "https://site.test/", "full", converter=MarkdownConverter, images=True).text
    assert "[l](https://site.test/x)" in plain
    assert "![pic](https://site.test/i)" in plain


def test_a_failing_walk_falls_back_and_says_so(monkeypatch):
    import hydra_web.content._render as module

    def fail(*args, **kwargs):
        raise RecursionError

    monkeypatch.setattr(module, "to_markdown", fail)
    page = render("<h2>A</h2><p>b <b>c</b></p><pre data-lang=py>x</pre>", "https://site.test/", "full")
    assert page.meta["fallback"] == "markdownify"
    assert "## A" in page.text
    assert "```py" in page.text
    monkeypatch.setattr(module, "convert_markdownify", fail)
    page = render("<h2>A</h2><p># b</p>", "https://site.test/", "full")
    assert page.meta["fallback"] == "text"
    assert page.text == "# None\n\nA\n\n\\# b" or "\\# b" in page.text


async def test_conversion_runs_off_the_loop():
    import asyncio

    ticks = 0

    async def tick():
        nonlocal ticks
        while True:
            ticks += 1
            await asyncio.sleep(0.001)

    ticking = asyncio.create_task(tick())
    page = await asyncio.to_thread(render, "<p>words</p>" * 20_000, "https://site.test/", "full")
    ticking.cancel()
    assert page == render("<p>words</p>" * 20_000, "https://site.test/", "full")
    assert ticks > 1


def test_folded_text_is_kept_for_quotes_and_shown_nowhere():
    html = "<p>Question one?</p><div hidden>The folded answer.</div>" + "<p>Plenty of visible text. </p>" * 20
    page = render(html, "https://site.test/")
    assert page.hidden_text == "The folded answer."
    assert "folded" not in page.text + page.page_text
    assert page.meta["hiddenRemoved"] == 1


def test_a_page_without_folded_text_says_so():
    assert render("<p>all there</p>", "https://site.test/").hidden_text == ""
