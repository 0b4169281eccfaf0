"""The article candidate of readability-lxml, scored on a copy of the tree that is already there."""

import logging
from typing import Any, Final

import lxml.html
from lxml import etree
from readability import Document  # type: ignore[import-untyped]

from hydra_web.content._tree import Node

__all__ = ["readability_node"]

MAX_ELEMENTS: Final = 15_000

# It logs the page's own errors with their text; what went wrong is seen from the answer.
logging.getLogger("readability.readability").addFilter(lambda _record: False)


class _Markup(str):
    """What readability-lxml takes for the cleaned HTML: it asks for its length only."""

    __slots__ = ("tree",)
    tree: Node


class _SharedDocument(Document):  # type: ignore[misc]
    """readability-lxml's scoring without its own parse, link rewriting and clean-up."""

    def _parse(self, source: Node) -> Node:
        self.encoding = "utf-8"
        return lxml.html.fromstring(etree.tostring(source, encoding="unicode", method="html"))

    def get_clean_html(self) -> str:
        markup = _Markup(etree.tostring(self.html, encoding="unicode", method="html"))
        markup.tree = self.html
        return markup


def readability_node(root: Node) -> Node | None:
    """The element that holds the article in a tree of its own, or None where none was found."""
    if sum(1 for _ in root.iter()) > MAX_ELEMENTS:
        return None
    try:
        markup: Any = _SharedDocument(root).summary(html_partial=True)
    except Exception:  # noqa: BLE001 - a candidate that fails is no candidate
        return None
    return getattr(markup, "tree", None)
