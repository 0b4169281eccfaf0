"""The article candidate of readability-lxml, scored on a copy of the pruned tree."""

import logging
from collections.abc import Set as AbstractSet
from typing import Any, Final

import lxml.html
from lxml import etree
from readability import Document  # type: ignore[import-untyped]

from hydra_web.content._tree import Node, select

__all__ = ["readability_node"]

MAX_ELEMENTS: Final = 15_000

_MARK: Final = "data-hydra-skip"
_MARKED: Final = select(f"descendant::*[@{_MARK}]")

# It logs the page's own errors with their text; what went wrong is seen from the answer.
logging.getLogger("readability.readability").addFilter(lambda _record: False)


class _Markup(str):
    """What readability-lxml takes for the cleaned HTML: it asks for its length only."""

    __slots__ = ("tree",)
    tree: Node


class _SharedDocument(Document):  # type: ignore[misc]
    """readability-lxml's scoring without its own parse, link rewriting and clean-up."""

    def _parse(self, source: str) -> Node:
        self.encoding = "utf-8"
        root = lxml.html.document_fromstring(source)  # scoring empties the tree it works on
        for element in _MARKED(root):
            if element.getparent() is not None:
                element.drop_tree()
        return root

    def get_clean_html(self) -> str:
        markup = _Markup(etree.tostring(self.html, encoding="unicode", method="html"))
        markup.tree = self.html
        return markup


def readability_node(root: Node, skip: AbstractSet[Node] = frozenset()) -> Node | None:
    """The element that holds the article, in a tree of its own; None where none was found or the page is too large."""
    if sum(1 for _ in root.iter()) > MAX_ELEMENTS:
        return None
    for element in skip:
        element.set(_MARK, "")
    source = etree.tostring(root, encoding="unicode", method="html")
    for element in skip:
        del element.attrib[_MARK]
    try:
        markup: Any = _SharedDocument(source).summary(html_partial=True)
    except Exception:  # noqa: BLE001 - a candidate that fails is no candidate
        return None
    return getattr(markup, "tree", None)
