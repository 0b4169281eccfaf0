"""Decoded HTML to one lxml tree that holds all of the page's text."""

from collections.abc import Callable
from typing import Any, Final, TypeAlias, cast

import lxml.html
from lxml import etree

from hydra_web.content._guard import flatten

__all__ = ["Node", "parse_html", "select"]

Node: TypeAlias = Any
"""An `lxml.html.HtmlElement`; lxml's published types do not know its methods."""


def select(path: str) -> Callable[[Node], list[Node]]:
    """A compiled XPath expression that finds elements below a node."""
    return cast("Callable[[Node], list[Node]]", etree.XPath(path))


_CONTROLS: Final = bytes((*range(9), *range(11, 32), 127))
# libxml2 stops building the tree 256 levels down and drops the rest of the page.
_STOPPED: Final = etree.XPath("boolean(" + "/*" * 250 + ")")


def parse_html(html: str) -> Node | None:
    """The root element, or None for a document without any element or text."""
    root = _parse(html)
    if root is not None and _STOPPED(root.getroottree()):
        root = _parse(flatten(html))
    return root


def _parse(html: str) -> Node | None:
    parser = lxml.html.HTMLParser(encoding="utf-8", remove_comments=True, remove_pis=True)
    source = html.encode("utf-8", "replace").replace(b"\r\n", b"\n").translate(None, _CONTROLS)
    try:
        return lxml.html.document_fromstring(source, parser=parser)
    except etree.ParserError:
        return None
