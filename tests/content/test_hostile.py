"""Pages built to hang, crash or blow up a converter: each done in bounded time, each keeps the text around."""

import resource

import pytest

from hydra_web.content import render

BEFORE, AFTER = "Benign words before the hostile part.", "Benign words after the hostile part."
N = 20_000

FAMILIES = {
    "nested div": "<div>" * N,
    "nested div closed": "<div>" * N + "deep" + "</div>" * N,
    "nested list": "<ul><li>x" * N,
    "nested quote": "<blockquote>x" * N,
    "nested table": "<table><tr><td>" * N,
    "nested inline": "<em><b>" * N + "</b></em>" * N,
    "siblings": "<b>x</b>" * N,
    "unclosed": "<b>x<p>y" * N,
    "mixed": "<b><i><div><p><span>x" * (N // 5),
    "adoption": "<a><b><p></a>x</b>" * (N // 2) + "</p>" * N,
    "cells": "<table><tr>" + "<td>cell</td>" * N + "</tr></table>",
    "spans": "<table>" + "<tr><td rowspan=1000 colspan=1000>c</td></tr>" * 400 + "</table>",
    "spaces": "<p>" + (" " * 250 + "x") * 4000 + "</p>",
    "one run of spaces": "<p>" + " " * 500_000 + "x</p>",
    "newlines": "<p>" + "x\n" * N + "\n" * 100_000 + "</p>",
    "one word": "<p>" + "x" * 500_000 + "</p>",
    "huge attribute": '<p title="' + "y" * 500_000 + '">x</p>',
    "many attributes": "<p " + " ".join(f"a{i}=b" for i in range(N)) + ">x</p>",
    "attributes like tags": "<p " + " ".join(f"<a{i}" for i in range(N)) + ">x</p>",
    "breaks": "<p>" + "a<br/>" * N + "</p>",
    "links": "<a href=/p?q=1>link</a> " * N,
    "paragraphs": "<p>A sentence, with commas, in it.</p>" * N,
    "items": "<ol>" + "<li>item</li>" * N + "</ol>",
    "headings": "<h2>Head</h2>" * N,
    "definitions": "<dl>" + "<dt>a</dt><dd>b</dd>" * (N // 2) + "</dl>",
    "ampersands": "&" * N * 4,
    "references": "<p>" + "&#x41;" * N + "</p>",
    "less than": "<" * N + " x",
    "open tags": "<p>" + "<i <" * 1000 + ">",
    "open comments": "<!--" * N,
    "special characters": "<p>" + "*_[`~|\\" * N + "</p>",
    "brackets": "<p>" + "[" * N * 5 + "](" * N + "</p>",
    "label": '<p><a href="/x">' + "[]" * N + "]</a></p>",
    "backticks": "<pre>" + "`" * N * 5 + "</pre>",
    "dashes": "<p>" + "-" * N * 5 + "x</p>",
    "emphasis": "<p>" + "<b>x</b><i>y</i>" * N + "</p>",
    "joiners": "<p>" + "\u200d" * N + "a\ufe0f" * N + "</p>",
    "class": '<p class="' + "nav " * N + '">x</p>',
    "style": '<p style="' + "left:" * N + '">x</p>',
    "hidden": "<div hidden>x</div>" * N,
    "pictures": "<img src=/a.png alt=picture>" * N,
    "srcset": '<img srcset="' + "a 1w, " * N + '">',
    "formula": "<math>" + "<mfrac><mi>a</mi><mi>b</mi></mfrac>" * (N // 4) + "</math>",
    "structured data": '<script type="application/ld+json">' + '{"author":[{' * N + "</script>",
    "code": "<pre>" + "<span class=k>x</span>" * N + "</pre>",
    "address": '<p><a href="http://e.test/' + "(" * N + '">x</a></p>',
}


@pytest.mark.timeout(60)
@pytest.mark.parametrize("mode", ["main", "full"])
@pytest.mark.parametrize("family", FAMILIES)
def test_hostile_pages_are_converted_and_keep_the_text_around(family, mode):
    page = render(f"<p>{BEFORE}</p>{FAMILIES[family]}<p>{AFTER}</p>", "https://site.test/", mode)
    assert BEFORE in page.page_text
    assert AFTER in page.page_text
    if mode == "full":
        assert BEFORE in page.text
        assert AFTER in page.text
    assert "fallback" not in page.meta
    assert len(page.text) < 6_500_000


def test_output_is_bounded_where_nesting_multiplies_it():
    page = render("<blockquote>" * 24 + "<p>a" * 240_000, "https://site.test/", "full")
    assert len(page.text) < 6_500_000
    assert page.meta["truncated"] is True


def test_the_deadline_ends_the_walk_with_what_is_ready():
    page = render("<p>one</p>" + "<p>words</p>" * 2000, "https://site.test/", "full", deadline_ms=0)
    assert page.meta["truncated"] is True
    assert page.text.startswith("one")


@pytest.mark.timeout(120)
def test_thirty_conversions_of_a_large_page_do_not_grow_the_process():
    html = "<article>" + "<p>Some <b>bold</b> words, a <a href=/x>link</a>, and more of them.</p>" * 3000 + "</article>"
    for _ in range(3):
        render(html, "https://site.test/")
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for _ in range(30):
        render(html, "https://site.test/")
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 20_000  # KiB


def test_a_page_of_very_many_tags_comes_out_as_plain_text():
    page = render("<p>before</p>" + "<b>#</b><br>" * 90_000 + "<p>after</p>", "https://site.test/")
    assert page.meta["fallback"] == "text"
    assert page.text.startswith("before\n\n\\#")
    assert page.text.endswith("after")


def test_whatever_fails_the_text_is_shown(monkeypatch):
    def fail(*args, **kwargs):
        raise RecursionError

    monkeypatch.setattr("hydra_web.content._render.weigh", fail)
    page = render("<p># a</p><p>b</p>", "https://site.test/")
    assert (page.text, page.page_text, page.meta["fallback"]) == ("\\# a\n\nb", "# a\nb", "text")
