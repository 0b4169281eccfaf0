"""Decoded HTML to one lxml tree that holds all of the page's text."""

from collections.abc import Callable
from typing import Any, Final, TypeAlias, cast

from lxml import etree

from hydra_web.content._guard import MAX_DEPTH, flatten_tags, keep_breaks

__all__ = ["Node", "drop", "parse_html", "select"]

Node: TypeAlias = Any
"""An `lxml.etree._Element`; the plain kind, since making one of `lxml.html`'s costs a call into Python each."""


def select(path: str) -> Callable[[Node], list[Node]]:
    """A compiled XPath expression that finds elements below a node."""
    return cast("Callable[[Node], list[Node]]", etree.XPath(path))


_CONTROLS: Final = bytes((*range(9), *range(11, 32), 127))
# libxml2 stops building the tree 256 levels down and drops the rest of the page; Python's own stack ends the
# walk of anything much deeper than this.
_TOO_DEEP: Final = etree.XPath("boolean(" + "/*" * (MAX_DEPTH + 20) + ")")


def parse_html(html: str) -> Node | None:
    """The root element, or None for a document without any element or text."""
    root = _parse(html)
    for flatten in (flatten_tags, keep_breaks):
        if root is None or not _TOO_DEEP(root.getroottree()):
            break
        root = _parse(flatten(html))
    return root


def _parse(html: str) -> Node | None:
    parser = etree.HTMLParser(encoding="utf-8", remove_comments=True, remove_pis=True)
    if "\r" in html:
        html = html.replace("\r\n", "\n")
    source = html.encode("utf-8", "replace").translate(None, _CONTROLS)
    try:
        return etree.fromstring(source, parser)
    except etree.LxmlError:  # some versions raise where there is no element and no text
        return None


def drop(element: Node) -> None:
    """Takes an element out of its tree; the text after it stays."""
    parent, tail = element.getparent(), element.tail
    if tail:
        previous = element.getprevious()
        if previous is None:
            parent.text = (parent.text or "") + tail
        else:
            previous.tail = (previous.tail or "") + tail
    parent.remove(element)
