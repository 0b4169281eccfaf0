"""What stands inside a line, judged by what the Markdown renders to."""

import pytest

from hydra_web.content._emphasis import resolve_emphasis
from hydra_web.content._escape import escape_label, escape_line, escape_text, finish_inline


@pytest.mark.parametrize(
    ("html", "markdown"),
    [
        ("<p>a<b> b </b>c</p>", "a **b** c"),
        ("<p><b>a</b><b>b</b></p>", "**ab**"),
        ("<p>un<b>believ</b>able</p>", "un**believ**able"),
        ("<p><b>Note:</b>text</p>", "<strong>Note:</strong>text"),
        ("<p><b>a</b><i>b</i></p>", "**a**<em>b</em>"),
        ("<p><i>a <i>b</i> c</i></p>", "*a _b_ c*"),
        ("<p><b></b>a<i> </i>b</p>", "a b"),
        ("<p><del>a</del> <s>b</s> <strike>c</strike></p>", "~~a~~ ~~b~~ ~~c~~"),
        ("<p>x<sup>2</sup> H<sub>2</sub>O <sup>[1]</sup> <sup></sup></p>", "x<sup>2</sup> H<sub>2</sub>O [1]"),
        ("<p><q>said</q></p>", '"said"'),
        ("<p>use <code>a`b``c</code></p>", "use ```a`b``c```"),
        ("<p><code>`x`</code></p>", "`` `x` ``"),
        ("<p><code> </code>a</p>", "a"),
        ("<p><kbd>Ctrl</kbd>+<samp>C</samp></p>", "`Ctrl`+`C`"),
        ("<p><ruby>漢<rt>かん</rt></ruby></p>", "漢(かん)"),
        ("<p>a&nbsp;b</p>", "a b"),
        ("<p>a<wbr>b</p>", "ab"),
    ],
)
def test_inline(convert, html, markdown):
    assert convert(html) == markdown


@pytest.mark.parametrize(
    "text",
    [
        "*a* _b_ 2*3*4 snake_case_x __init__",
        "# no heading",
        "- no item",
        "+ no item",
        "* no item",
        "> no quote",
        "1. no list",
        "2024) no list",
        "use <div> and <!-- this --> and <?x?>",
        "write &amp; or &copy; or &#65;",
        "[a](b) and [c]: d and [e][f]",
        "![a](b)",
        "C:\\*dir\\_x\\",
        "~~no~~ ~a~",
        "```",
        "`code`",
        "| a | b |",
        "=====",
        "a | b",
    ],
)
def test_text_that_looks_like_markdown_stays_text(convert, rendered, text):
    escaped = text.replace("&", "&amp;").replace("<", "&lt;")
    tree = rendered(convert(f"<p>{escaped}</p>"))
    assert [child.tag for child in tree] == ["p"]
    assert " ".join(tree.text_content().split()) == text
    assert len(tree[0]) == 0


@pytest.mark.parametrize("second", ["---", "===", "--- | ---", ":-- | --:", "> q", "# h", "- i", "***"])
def test_a_second_line_makes_no_block_of_the_first(convert, rendered, second):
    tree = rendered(convert(f"<p>a | b<br>{second}</p>"))
    assert [child.tag for child in tree] == ["p"]


def test_plain_prose_is_hardly_escaped(convert):
    prose = "It costs $5.00 - that is (roughly) 10% more! See a_b, e-mail; 1.5 + 2 = 3.5 [sic] & so on: C:\\dir, 2 * 3."
    assert convert(f"<p>{prose}</p>") == prose


@pytest.mark.parametrize(
    ("html", "markdown"),
    [
        ('<a href="../u?q=1">x</a>', "[x](https://site.test/u?q=1)"),
        ('<a href="//cdn.test/x">x</a>', "[x](https://cdn.test/x)"),
        ('<a href="/a_(b)">x</a>', "[x](https://site.test/a_(b))"),
        ('<a href="/a)b">x</a>', "[x](https://site.test/a%29b)"),
        ('<a href="/a b">x</a>', "[x](https://site.test/a%20b)"),
        ('<a href="mailto:a@b.test">x</a>', "[x](mailto:a@b.test)"),
        ('<a href="javascript:alert(1)">x</a>', "x"),
        ('<a href="JaVa\tscript:alert(1)">x</a>', "x"),
        ('<a href="data:text/html,x">x</a>', "x"),
        ('<a href="vbscript:x">x</a>', "x"),
        ('<a href="ftp://h/x">x</a>', "x"),
        ('<a href="#here">x</a>', "x"),
        ("<a>x</a>", "x"),
        ('<h2>Use<a class="headerlink" href="#use">¶</a></h2>', "## Use"),
        ('<p>a <a href="/x"></a> b</p>', "a b"),
        ('<a href="/x">[1] y]</a>', "[\\[1\\] y\\]](https://site.test/x)"),
        ('<a href="/x">a\n\n b</a>', "[a b](https://site.test/x)"),
        ('<a href="https://e.test/p">https://e.test/p</a>', "<https://e.test/p>"),
        ('<a href="/x">a<br>b</a>', "[a b](https://site.test/x)"),
        ('<a href="/x">a</a><a href="/y">b</a>', "[a](https://site.test/x)[b](https://site.test/y)"),
        ('<a href="http://[bad">x</a>', "x"),
        ('<a href="' + "/x" * 5000 + '">x</a>', "x"),
    ],
)
def test_links(convert, html, markdown):
    assert convert(html, images=False) == markdown


def test_links_start_from_the_base_the_page_names(convert):
    html = '<html><head><base href="https://other.test/z/"></head><body><a href="u">x</a></body></html>'
    assert convert(html) == "[x](https://other.test/z/u)"


def test_link_titles_are_shown_with_the_images_only(convert):
    html = '<a href="/x" title=\'say "hi"\'>x</a>'
    assert convert(html, images=True) == '[x](https://site.test/x "say \\"hi\\"")'
    assert convert(html, images=False) == "[x](https://site.test/x)"


def test_bracket_text_cannot_become_a_link(convert, rendered):
    text = convert('<p>[click]<b></b>(https://evil.test/) !<a href="/ok">fine</a></p>')
    assert rendered(text).xpath("//a/@href") == ["https://site.test/ok"]
    assert not rendered(text).xpath("//img")


@pytest.mark.parametrize(
    ("html", "markdown"),
    [
        ('<img src="i.png" alt="A">', "![A](https://site.test/docs/i.png)"),
        ('<img src="data:image/gif;base64,R0" data-src="/r.jpg" alt="A">', "![A](https://site.test/r.jpg)"),
        ('<img srcset="/s.jpg 320w, /l.jpg 1024w" alt="A">', "![A](https://site.test/l.jpg)"),
        ('<picture><source srcset="/w.webp 2x"><img alt="A"></picture>', "![A](https://site.test/w.webp)"),
        ('<img class=lazy alt="A"><noscript><img src="/r.jpg"></noscript>', "![A](https://site.test/r.jpg)"),
        ('<p>t <img src="data:image/png;base64,AAAA" alt="chart"></p>', "t [image: chart]"),
        ('<p>t</p><img src="/p.gif" width=1 height=1>', "t"),
        ('<img src="/i.png" alt="[a](b)" title="T">', '![\\[a\\](b)](https://site.test/i.png "T")'),
        ('<a href="/x"><img src="/i.png" alt="A"></a>', "[![A](https://site.test/i.png)](https://site.test/x)"),
        ('<img src="javascript:x" alt="A">', "[image: A]"),
        ('<img src="/i.png">', "![](https://site.test/i.png)"),
    ],
)
def test_pictures_with_addresses(convert, html, markdown):
    assert convert(html) == markdown


def test_pictures_without_addresses_are_named_by_a_bounded_description(convert):
    assert convert('<p><img src="/i.png" alt="A chart"></p>', images=False) == "[image: A chart]"
    assert convert('<p>a<img src="/i.png"></p>', images=False) == "a"
    assert len(convert(f'<p><img src="/i.png" alt="{"x" * 9000}"></p>', images=False)) < 220


@pytest.mark.parametrize(
    ("html", "markdown"),
    [
        (
            '<iframe src="https://www.youtube.com/embed/xyz"></iframe>',
            "[iframe: youtube.com](https://www.youtube.com/embed/xyz)",
        ),
        ('<video><source src="/v.mp4"></video>', "[video: site.test](https://site.test/v.mp4)"),
        ('<audio src="/a.mp3" title="Talk"></audio>', "[Talk](https://site.test/a.mp3)"),
        ('<iframe src="https://ads.test/x"></iframe>', ""),
        ("<video></video>", ""),
    ],
)
def test_media(convert, html, markdown):
    assert convert(html) == markdown


@pytest.mark.parametrize(
    ("html", "markdown"),
    [
        (
            "<math><semantics><mi>x</mi><annotation encoding='application/x-tex'>x^2</annotation></semantics></math>",
            "$x^2$",
        ),
        ('<math display="block" alttext="a_b"><mi>a</mi></math>', "$$a_b$$"),
        ('<math alttext="{\\displaystyle e=mc^{2}}"></math>', "$e=mc^{2}$"),
        ('<math alttext="a&lt;b"></math>', "$a< b$"),
        ("<math><mfrac><mi>a</mi><mrow><mi>b</mi><mo>+</mo><mn>1</mn></mrow></mfrac></math>", "a/(b + 1)"),
        ("<math><msup><mi>x</mi><mn>2</mn></msup><msub><mi>y</mi><mi>i</mi></msub></math>", "x^2y_i"),
        ("<math><msubsup><mi>x</mi><mn>1</mn><mn>2</mn></msubsup><msqrt><mi>z</mi></msqrt></math>", "x_1^2√(z)"),
        ("<math><mroot><mi>x</mi><mn>3</mn></mroot></math>", "root(x, 3)"),
        ("<math><mtable><mtr><mtd>1</mtd><mtd>2</mtd></mtr></mtable></math>", "1, 2;"),
        ('<p>x <script type="math/tex">\\alpha_1</script></p>', "x $\\alpha_1$"),
        ('<p><span class="MathJax">drawn</span><script type="math/tex; mode=display">y</script></p>', "$$y$$"),
        (
            (
                '<span class="katex"><span class="katex-mathml"><math><semantics><mi>a</mi><annotation '
                'encoding="application/x-tex">\\frac{a}{b}</annotation></semantics></math></span>'
                '<span class="katex-html" aria-hidden="true">a b</span></span>'
            ),
            "$\\frac{a}{b}$",
        ),
        ('<img class="mwe-math-fallback-image-inline" aria-hidden="true" src="/m.svg" alt="x^2">', "$x^2$"),
    ],
)
def test_formulas(convert, html, markdown):
    assert convert(html) == markdown


def test_marks_without_a_partner_in_text_do_not_occur_but_empty_input_is_fine():
    assert resolve_emphasis("plain") == "plain"
    assert finish_inline("") == ""
    assert escape_text("") == ""
    assert escape_line("12. x") == "12\\. x"
    assert escape_label("a [b] c") == "a [b] c"
    assert escape_label("a \\] [b") == "a \\] \\[b".replace("\x0f", "")
