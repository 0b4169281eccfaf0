"""Blocks of HTML as GitHub-flavoured Markdown, judged by what the Markdown renders to."""

import re

import pytest


@pytest.mark.parametrize(
    ("html", "markdown"),
    [
        ("<h2>Plan</h2><p>Words</p>", "## Plan\n\nWords"),
        ("<h1></h1><p>a</p>", "a"),
        ("<h3>Line<br>two</h3>", "### Line two"),
        ("<h2>F#</h2>", "## F\\#"),
        ("<p>one<p>two<p>three", "one\n\ntwo\n\nthree"),
        ("<div>left</div><div>right</div>", "left\n\nright"),
        ("<p>above</p><hr><p>below</p>", "above\n\n---\n\nbelow"),
        ("<p>first<br>second</p>", "first\\\nsecond"),
        ("<p>first<br><br>second</p>", "first\n\nsecond"),
        ("<blockquote><p>outer</p><blockquote><p>inner</p></blockquote></blockquote>", "> outer\n>\n> > inner"),
        ("<ul><li>a<ul><li>b</li></ul></li><li>c</li></ul>", "- a\n  - b\n- c"),
        ("<ul><li>a</li><ul><li>b</li></ul></ul>", "- a\n  - b"),
        ("<ol start='4'><li>d</li><li>e</li></ol>", "4. d\n5. e"),
        ("<ol><li>a</li><li value='9'>i</li></ol>", "1. a\n9. i"),
        ("<ul><li><p>a</p><p>b</p></li><li><p>c</p></li></ul>", "- a\n\n  b\n\n- c"),
        ("<ul><li>a</li></ul><ul><li>b</li></ul>", "- a\n\n* b"),
        ("<ul>stray<li>a</li>tail</ul>", "stray\n\n- a\n\ntail"),
        ("<ol><li>do<pre>x\n  y</pre></li></ol>", "1. do\n\n   ```\n   x\n     y\n   ```"),
        ("<ul><li></li><li>b</li></ul>", "- b"),
        ("<ul><li><hr></li></ul>", "- ***"),
        ("<dl><dt>Term</dt><dd>Meaning</dd><dd>Other</dd></dl>", "**Term**\n\n: Meaning\n\n: Other"),
        ("<dl><div><dt>T</dt><dd>M</dd></div></dl>", "**T**\n\n: M"),
        ("<details><summary>More</summary><p>Body</p></details>", "**More**\n\nBody"),
        ("<ul><li><input type=checkbox checked> done</li><li><input type=checkbox> open</li></ul>", None),
    ],
)
def test_blocks(convert, html, markdown):
    text = convert(html)
    assert text == markdown if markdown is not None else text == "- [x] done\n- [ ] open"


def test_deep_lists_stop_nesting_but_keep_every_word(convert):
    text = convert("<ul><li>w" * 60)
    assert text.count("w") == 60
    assert max(len(line) - len(line.lstrip()) for line in text.split("\n")) <= 2 * 10


def test_a_link_around_blocks_goes_to_the_first_line(convert):
    text = convert('<a href="/x"><h3>Title</h3><p>Text</p></a>')
    assert text == "### [Title](https://site.test/x)\n\nText"


def test_inline_elements_may_hold_blocks(convert):
    assert convert("<span>a<div>b</div>c</span>") == "a\n\nb\n\nc"


def test_blank_lines_never_pile_up(convert):
    assert "\n\n\n" not in convert("<p>a</p>" + "<div> </div>" * 30 + "<ul><li></li></ul><p>b</p>")


@pytest.mark.parametrize(
    ("html", "rows"),
    [
        ("<tr><th>a<th>b<tr><td>x|y<td><code>p|q</code>", [["a", "b"], ["x|y", "p|q"]]),
        ("<tr><th>a<th>b<tr><td>x<br>y<td><p>p</p><p>q</p>", [["a", "b"], ["x y", "p q"]]),
        ("<tr><th>a<th>b<th>c<tr><td colspan=2>x<td>z", [["a", "b", "c"], ["x", "", "z"]]),
        ("<tr><th>a<th>b<tr><td rowspan=2>x<td>1<tr><td>2", [["a", "b"], ["x", "1"], ["", "2"]]),
        ("<tr><td>a<td>b<tr><td>c<td>d", [["", ""], ["a", "b"], ["c", "d"]]),
        ("<tr><th colspan=1000000>A<tr><td>B", [["A"], ["B"]]),
        ("<tr><th>a<tr><td>1<td>2", [["a", ""], ["1", "2"]]),
        (
            "<tfoot><tr><td>f<td>g</tfoot><thead><tr><th>h<th>i</thead><tr><td>1<td>2",
            [["h", "i"], ["1", "2"], ["f", "g"]],
        ),
        ("<tr><th>k<td>v<tr><th>l<td>w", [["", ""], ["k", "v"], ["l", "w"]]),
        ("<tr><th>a<th>b<tr><td colspan=99999999999>x<td>y", [["a", "b"], ["x", "y"]]),
        ("<tr><th>a<th>b<tr><td><ul><li>x<li>y</ul><td><pre>m\nn</pre>", [["a", "b"], ["- x - y", "m n"]]),
    ],
)
def test_tables(convert, rendered, html, rows):
    tree = rendered(convert(f"<table>{html}</table>"))
    found = [[" ".join(" ".join(c.itertext()).split()) for c in r.iter("td", "th")] for r in tree.iter("tr")]
    assert found == rows


def test_alignment_and_caption_are_kept(convert):
    text = convert(
        '<table><caption>Cap</caption><tr><th align="right">a<th style="text-align: center">b<tr><td>1<td>2</table>'
    )
    assert text == "Cap\n\n| a | b |\n| ---: | :---: |\n| 1 | 2 |"


@pytest.mark.parametrize(
    "html",
    [
        "<table><tr><td><p>one</p><p>two</p></td></tr></table>",
        "<table role='presentation'><tr><td>one</td><td>two</td></tr></table>",
        "<table><tr><td>one<table><tr><td>two</table></table>",
        "<table>one<tr><td>two</td><td></td></tr></table>",
        "<table><p>one</p><tr><td>two</td><td>three</td></tr></table>",
        "<table>" + "<tr>" + "<td>one two</td>" * 101 + "</table>",
        "<table></table><p>one two</p>",
        "<table><tr><td class=gutter>7</td><td>one two</td></tr></table>",
    ],
)
def test_a_table_that_lays_out_the_page_is_no_table(convert, html):
    text = convert(html)
    assert "|" not in text
    assert "7" not in text
    assert text.index("one") < text.index("two")


def test_an_empty_table_is_left_out(convert):
    assert convert("<table><tr><td></td><td> </td></tr></table><p>a</p>") == "a"


@pytest.mark.parametrize(
    ("html", "code", "language"),
    [
        ('<pre><code class="language-python">x = 1\n\ny = 2</code></pre>', "x = 1\n\ny = 2", "python"),
        ('<div class="highlight highlight-source-js"><pre>var x;</pre></div>', "var x;", "js"),
        ('<div class="highlight-rust notranslate"><div class="highlight"><pre>fn</pre></div></div>', "fn", "rust"),
        ('<pre data-lang="go">f()</pre>', "f()", "go"),
        ('<pre class="brush: sql">SELECT</pre>', "SELECT", "sql"),
        ("<pre>\n  a\n b\n</pre>", "  a\n b", ""),
        ("<pre>a<br>b</pre>", "a\nb", ""),
        ("<pre><code>```\nx\n```</code></pre>", "```\nx\n```", ""),
        ("<pre><code><div>a</div><div>b</div></code></pre>", "a\nb", ""),
        ('<pre><span class="lineno">1</span>a\n<span class="lineno">2</span>b</pre>', "a\nb", ""),
        (
            (
                '<table class="highlighttable"><tr><td class="linenos"><pre>1\n2</pre></td>'
                '<td><pre><code class="lang-c">a;\nb;</code></pre></td></tr></table>'
            ),
            "a;\nb;",
            "c",
        ),
        ("<pre><code>*a* [b](c) &lt;d&gt; &amp;amp;</code></pre>", "*a* [b](c) <d> &amp;", ""),
        ('<pre class="language-none">x</pre>', "x", ""),
    ],
)
def test_code_blocks(convert, rendered, html, code, language):
    tree = rendered(convert(html))
    blocks = [pre.text_content().rstrip("\n") for pre in tree.iter("pre")]
    assert blocks == [code]
    named = tree.xpath("//pre/code/@class")
    assert named == ([f"language-{language}"] if language else [])


@pytest.mark.parametrize("text", ["Fetched https://bank.test/ (HTTP 200)", "Source: 0123456789abcdef"])
def test_a_line_cannot_pass_for_the_header_of_a_fetched_page(convert, rendered, text):
    markdown = convert(f"<p>{text}</p>")
    assert not re.search(r"(?m)^(?:Fetched \S+ \(HTTP \d+\)|Source: )", markdown)
    assert rendered(markdown).text_content().strip() == text


def test_a_fence_stays_short_however_long_the_run_inside(convert, rendered):
    text = convert(f"<pre>{'`' * 5000}\n~~~~</pre>")
    assert text.startswith("~~~~~\n")
    assert rendered(text).xpath("string(//pre)").startswith("`" * 5000)
    assert len(convert(f"<pre>{'`' * 5000}\n{'~' * 5000}</pre>")) < 12_500
