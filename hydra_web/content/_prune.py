"""Which elements stand around the content: navigation, teasers, forms, link lists.

Every rule is held back by mass: an element with a large part of the page's text stays, whatever its name says.
"""

import re
from typing import Final

from hydra_web.content._hints import BOILERPLATE_ROLES, Hint, hints
from hydra_web.content._names import HEADINGS
from hydra_web.content._tree import Node

__all__ = ["Pruner", "element_hints"]

_NAMED_SAFE: Final = frozenset(("body", "html", "main", "article", "pre", "code", "td", "tr", "tbody", "h1"))
_LINK_LISTS: Final = frozenset(("ul", "ol", "div", "section", "table", "p", "dl"))
_DATA_CHARS: Final = 200
_DATA: Final = re.compile(r"\s{0,99}[\[{]\s{0,99}[\[{]?\s{0,99}\"[^\"]{0,200}\"\s{0,99}[:,]")
_LARGE: Final = 0.45
_NAMED_LARGE: Final = 0.3
_LINKED: Final = 0.7


class Pruner:
    """Judges the elements of one page; `light` leaves the names out of it."""

    def __init__(self, total: int, *, light: bool = False) -> None:
        self._total = max(1, total)
        self._light = light

    def is_boilerplate(self, element: Node, hint: int, size: tuple[int, int], *, in_main: bool) -> bool:
        """Whether the element is to be left out of the main content."""
        length, linked = size
        tag = element.tag
        if tag in ("nav", "footer", "aside", "menu"):
            return length < _LARGE * self._total or (tag == "nav" and linked > 0.6 * length)
        if tag == "header":
            return length < _LARGE * self._total and self._is_page_header(element, length, linked, in_main=in_main)
        if tag == "form":
            return length < 0.25 * self._total
        if element.get("role") in BOILERPLATE_ROLES or element.get("aria-modal") == "true":
            return length < _LARGE * self._total
        if length > _DATA_CHARS and not len(element) and _is_data(element):
            return True
        if self._light:
            return False
        if hint & Hint.BOILERPLATE and tag not in _NAMED_SAFE and self._named_away(element, hint, length, linked):
            return True
        return tag in _LINK_LISTS and self._is_link_list(element, length, linked, in_main=in_main)

    def _is_page_header(self, element: Node, length: int, linked: int, *, in_main: bool) -> bool:
        titled = element.find(".//h1") is not None
        if in_main:
            return not titled and linked > 0.6 * length
        return (length < 0.15 * self._total and not titled) or linked > 0.5 * length

    def _named_away(self, element: Node, hint: int, length: int, linked: int) -> bool:
        if length >= _NAMED_LARGE * self._total:
            return False
        if _names_section(element):
            return False
        if hint & Hint.CONTENT and linked < 0.2 * length and length > 400:
            return False
        titled = length > 0 and linked < 0.5 * length and element.find(".//h1") is not None
        return not titled and element.find(".//pre") is None

    def _is_link_list(self, element: Node, length: int, linked: int, *, in_main: bool) -> bool:
        if not length or linked <= _LINKED * length or length >= 0.2 * self._total:
            return False
        links = sum(1 for _ in element.iterdescendants("a"))
        if links >= 3 or (links and length < 60 and element.tag != "p"):
            return not (in_main and length / links > 45)
        return False


def _names_section(element: Node) -> bool:
    """Whether it is a heading, or stands in one, whose id only repeats its words; class names still count."""
    in_heading = element.tag in HEADINGS or element.getparent().tag in HEADINGS
    return in_heading and not hints(element.get("class") or "", "") & Hint.BOILERPLATE


def _is_data(element: Node) -> bool:
    """Whether the text is JSON that a script left in the page."""
    return element.tag not in ("pre", "code") and _DATA.match(element.text or "") is not None


def element_hints(element: Node) -> int:
    """What the element's class and id speak for."""
    named, identifier = element.get("class"), element.get("id")
    return hints(named or "", identifier or "") if named or identifier else 0
