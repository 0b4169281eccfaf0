"""Markdown by way of markdownify: the operator's option, and the fallback of our own walk."""

import re
from typing import Any, Final

from lxml import etree

from hydra_web.content._code import code_language
from hydra_web.content._links import Links
from hydra_web.content._tree import Node
from hydra_web.text import one_line, strip_invisible

__all__ = ["convert_markdownify", "default_converter"]

_BLANK_LINES: Final = re.compile(r"\n{3,}")


def default_converter() -> Any:
    """markdownify set to this package's style: `-` bullets, `*em*`, ATX headings, fenced code, GFM tables."""
    from markdownify import ATX, BACKSLASH, MarkdownConverter  # slow to import, and seldom needed

    return MarkdownConverter(
        heading_style=ATX,
        bullets="-",
        newline_style=BACKSLASH,
        escape_misc=True,
        table_infer_header=True,
        bs4_options="lxml",
        code_language_callback=_language_of,
    )


def convert_markdownify(node: Node, links: Links, converter: Any = None, *, images: bool = False) -> str:
    """The node as Markdown; may raise whatever the converter raises, RecursionError too."""
    for anchor in node.iter("a"):
        address = links.absolute(anchor.get("href", ""))
        anchor.attrib.clear()
        if address:
            anchor.set("href", address)
    for image in list(node.iter("img")):
        _prepare_image(image, links, images=images)
    for pre in node.iter("pre"):
        _mark_language(pre)
    html = etree.tostring(node, encoding="unicode", method="html", with_tail=False)
    if converter is None:
        converter = default_converter()
    elif isinstance(converter, type):
        converter = converter()
    return _BLANK_LINES.sub("\n\n", strip_invisible(converter.convert(html))).strip()


def _prepare_image(image: Node, links: Links, *, images: bool) -> None:
    alt, address = one_line(image.get("alt", "")), links.absolute(image.get("src", ""))
    image.attrib.clear()
    if images and address:
        image.set("alt", alt)
        image.set("src", address)
        return
    image.tag = "span"
    image.text = f"[image: {alt}]" if alt else ""


def _mark_language(pre: Node) -> None:
    language = code_language(pre)
    if language:
        pre.set("class", f"language-{language}")


def _language_of(pre: Any) -> str:
    classes = pre.get("class") or [""]
    return str(classes[0]).removeprefix("language-") if str(classes[0]).startswith("language-") else ""
