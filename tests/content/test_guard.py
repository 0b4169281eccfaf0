"""Bounds on what reaches the parser, and a tree that keeps all of the text."""

import gc
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hydra_web.content import render
from hydra_web.content._guard import (
    MAX_ATTRIBUTES,
    MAX_DEPTH,
    MAX_SPACE_CHARS,
    MAX_TAG_CHARS,
    _has_long_tag,
    flatten_tags,
    guard,
    keep_breaks,
)
from hydra_web.content._links import Links
from hydra_web.content._markdown import to_markdown
from hydra_web.content._plain import escape_plain, plain_text, strip_tags
from hydra_web.content._tree import drop, parse_html


def test_ordinary_html_passes_unchanged():
    html = "<p class='a'>text <!-- note --> more</p>" * 50
    assert guard(html, 100_000) == guard(html, len(html))
    assert guard(html, 100_000).html == html
    assert guard(html, 100_000).truncated is False


def test_size_is_cut_in_code_points():
    cut = guard("é" * 10, 4)
    assert (cut.html, cut.truncated) == ("éééé", True)


@pytest.mark.parametrize(
    ("html", "kept"),
    [
        ("a<!-- b", "a b"),
        ("a<!-- b --> c <!-- d", "a<!-- b --> c  d"),
        ("<!--" * 5 + "x", "x"),
        ("a<!-- b -->", "a<!-- b -->"),
    ],
)
def test_only_comments_that_never_end_are_opened(html, kept):
    assert guard(html, 1000).html == kept


def test_a_tag_with_very_many_attributes_keeps_the_first():
    many = " ".join(f"b{number}=c" for number in range(40_000))
    for start in ("<p ", '<p a="1 > 0" ', "<p a='>' "):
        html = guard(f"{start}{many}>t</p>", 10**6).html
        assert html.endswith(">t</p>")
        assert html.count("b") <= MAX_ATTRIBUTES


def test_text_beside_a_long_tag_is_left_alone():
    text = 'It\'s 5" > 4" <b>here</b> ' * 10
    html = guard(f"{text}<p {'a ' * 9000}>x</p>{text}", 10**6).html
    assert html.startswith(text)
    assert html.endswith(f"x</p>{text}")


def test_a_long_script_is_left_alone():
    html = "<script>" + "a<b && c;" * 4000 + "</script><p>t</p>"
    assert guard(html, 10**6).html == html


def test_long_runs_of_white_space_shrink():
    html = guard("<pre>a" + " " * 5000 + "b" + "\n" * 5000 + "c" + " " * 40 + "d</pre>", 10**6).html
    assert html == "<pre>a b\n\nc" + " " * 40 + "d</pre>"


def test_terminal_sequences_go_whole():
    assert guard("a\x1b[31mb\x1b]8;;https://e.test\x07c", 100).html == "abc"


@pytest.mark.parametrize("tag", ["div", "b", "ul><li", "table><tr><td", "span", "blockquote", "em><strong"])
def test_nesting_without_end_keeps_the_deep_text(tag):
    root = parse_html("<p>before</p>" + f"<{tag}>" * 2000 + "deep")
    assert "deep" in plain_text(root)
    assert "before" in plain_text(root)


def test_nesting_with_ends_keeps_what_comes_after():
    root = parse_html("<div>" * 900 + "deep" + "</div>" * 900 + "<h2>after</h2>")
    assert root.findtext(".//h2") == "after"
    assert "deep" in plain_text(root)


def test_tangled_tags_are_laid_flat_when_counting_does_not_help():
    root = parse_html("<b><p></b>x" * 3000 + "<p>end")
    assert "end" in plain_text(root)
    assert max(sum(1 for _ in e.iterancestors()) for e in list(root.iter())[::500]) < MAX_DEPTH + 25


def test_flattening_forgets_scripts_and_shallow_pages_stay():
    assert flatten_tags("<div>a<script>'<div>'</script>b</div>") == "<div>ab</div>"
    assert flatten_tags("<p>a<br/><p>b</i></p>") == "<p>a<br/><p>b</i></p>"
    assert flatten_tags("<i><b>x</b></i>y", max_depth=1) == "<i> x </i>y"
    assert flatten_tags("a<style>b") == "a"
    assert keep_breaks("<div>a<b>c") == "<p>a<p>c"


@pytest.mark.parametrize("html", ["", " \n", "<!-- c -->", "<!doctype html>"])
def test_nothing_gives_no_tree(html):
    assert parse_html(html) is None


def test_void_and_control_characters_do_not_reach_the_tree():
    assert plain_text(parse_html("<p>a\x00b\x08c\r\nd</p>")) == "abc\nd"


@pytest.mark.parametrize("html", ["<script>alert(1)", "<script>a</script/>", "<script>a</script", "<style>a{}"])
def test_scripts_without_a_proper_end_show_nothing(html):
    assert render(html, "https://site.test/").text == ""


def test_dropping_an_element_keeps_the_text_after_it():
    root = parse_html("<p>a<b>x</b>c<i>y</i>d</p>")
    drop(root.find(".//i"))
    drop(root.find(".//b"))
    assert root.findtext(".//p") == "acd"


def test_plain_text_has_a_line_per_block():
    assert plain_text(parse_html("<h1>A</h1><p>b <i>c</i><br>d</p><ul><li>e</li></ul>")) == "A\nb c\nd\ne"
    assert strip_tags("<p>a &amp; b</p><p>c") == "a & b\nc"
    assert escape_plain("# a\n*b*") == "\\# a\n\n\\*b\\*"


@given(st.text(alphabet="<>/!-ab \n\"'=&;pdiv", max_size=300))
def test_any_text_is_parsed_or_empty(html):
    root = parse_html(guard(html, 1000).html)
    assert root is None or isinstance(plain_text(root), str)


@pytest.mark.timeout(30)
def test_a_flood_of_open_tags_is_bounded():
    assert len(render("<a" * 100_000, "https://site.test/").text) <= 200_000


@given(st.lists(st.sampled_from([">", "x", "<", "y" * 8_191, "z" * 8_192, "z" * 16_383, "z" * 16_384]), max_size=8))
def test_a_long_stretch_without_the_end_of_a_tag_is_always_found(pieces: list[str]):
    html = "".join(pieces)
    assert _has_long_tag(html) is any(len(part) > MAX_TAG_CHARS for part in html.split(">"))


@given(st.lists(st.sampled_from(["x", " ", "\n", " " * 511, "\t" * 512, " " * 1024]), max_size=8))
def test_only_long_runs_of_white_space_are_shortened(pieces: list[str]):
    html = "".join(pieces)
    runs = re.split(r"(\s+)", html)
    expected = "".join(
        run if not run.isspace() or len(run) < MAX_SPACE_CHARS else "\n\n" if "\n" in run else " " for run in runs
    )
    assert guard(html, 100_000).html == expected


def test_a_walk_leaves_nothing_for_the_garbage_collector():
    root = parse_html("<p>One <b>two</b></p><ul><li>three</li></ul><table><tr><td>four</td><td>5</td></tr></table>" * 9)
    to_markdown(root, Links("http://e.test/"))
    gc.collect()
    gc.disable()
    try:
        assert "three" in to_markdown(root, Links("http://e.test/")).text
        assert "four" in plain_text(root)
        assert gc.collect() == 0
    finally:
        gc.enable()
