"""Families of pages built to hang or crash a converter, by size."""

from collections.abc import Callable

FAMILIES: dict[str, Callable[[int], str]] = {
    "nested div": lambda n: "<div>" * n,
    "nested div closed": lambda n: "<div>" * n + "deep" + "</div>" * n,
    "nested list": lambda n: "<ul><li>x" * n,
    "nested quote": lambda n: "<blockquote>x" * n,
    "nested table": lambda n: "<table><tr><td>" * n,
    "nested inline": lambda n: "<em><b>" * n,
    "siblings": lambda n: "<b>x</b>" * n,
    "unclosed": lambda n: "<b>x<p>y" * n,
    "mixed": lambda n: "<b><i><div><p><span>x" * n,
    "adoption": lambda n: "<b><p></b>x" * n,
    "cells": lambda n: "<table><tr>" + "<td>cell</td>" * n + "</tr></table>",
    "rows": lambda n: "<table>" + "<tr><td>a</td><td>b</td></tr>" * n + "</table>",
    "words": lambda n: "<p>" + "word " * n + "</p>",
    "one word": lambda n: "<p>" + "x" * n + "</p>",
    "spaces": lambda n: "<p>" + " " * n + "x</p>",
    "spaced letters": lambda n: "<p>" + (" " * 250 + "x") * (n // 250) + "</p>",
    "newlines": lambda n: "<p>" + "x\n" * n + "</p>",
    "huge attribute": lambda n: '<p title="' + "y" * n + '">x</p>',
    "many attributes": lambda n: "<p " + " ".join(f"a{i}=b" for i in range(n)) + ">x</p>",
    "breaks": lambda n: "<p>t" + "<br/>" * n + "</p>",
    "links": lambda n: "<a href=/p?q=1>link</a> " * n,
    "paragraphs": lambda n: "<p>A sentence, with words, and commas in it.</p>" * n,
    "boxes": lambda n: "<div class=c>text here</div>" * n,
    "items": lambda n: "<ol>" + "<li>item</li>" * n + "</ol>",
    "ampersands": lambda n: "<p>" + "&amp;" * n + "</p>",
    "nul": lambda n: "<p>a\x00b</p>" * n,
    "special characters": lambda n: "<p>" + "*_[`" * n + "</p>",
    "brackets": lambda n: "<p>" + "[" * n + "</p>",
    "backticks": lambda n: "<pre>" + "`" * n + "</pre>",
    "open comments": lambda n: "<!--" * n,
    "less than": lambda n: "<" * n,
    "class": lambda n: '<p class="' + "nav " * n + '">x</p>',
    "headings": lambda n: "<h2>Head</h2>" * n,
    "emphasis": lambda n: "<p>" + "<b>x</b><i>y</i>" * n + "</p>",
}
BEFORE, AFTER = "Benign words stand before it.", "Benign words stand after it."


def hostile_page(family: str, characters: int) -> str:
    """A page of about so many characters with plain paragraphs around the hostile part."""
    make = FAMILIES[family]
    unit = len(make(200_000)) / 200_000
    return f"<html><body><p>{BEFORE}</p>{make(int(characters / unit))}<p>{AFTER}</p></body></html>"
