"""The part of a pruned page where its article stands."""

from typing import Final

from hydra_web.content._density import Density
from hydra_web.content._hints import Hint
from hydra_web.content._prune import element_hints
from hydra_web.content._tree import Node

__all__ = ["find_article", "tighten_article"]

_ROOTS: Final = frozenset(("article", "main"))
_TOPS: Final = frozenset(("body", "html"))
_HOLDERS: Final = frozenset(("article", "body", "center", "div", "form", "main", "section", "span"))
_NEARLY_ALL: Final = 0.85
_ALIKE: Final = 0.65
_NOTHING_NEW: Final = 0.002


def find_article(density: Density) -> Node | None:
    """The element with the densest prose, widened while its parent adds mostly prose."""
    best, best_score = None, 0.0
    for element, score in density.scores.items():
        mass = density.masses.get(element)
        if mass is None or not mass[0]:
            continue
        weighted = score * (1 - mass[1] / mass[0]) * _liking(element)
        if weighted > best_score:
            best, best_score = element, weighted
    return None if best is None else _widen(best, density)


def _liking(element: Node) -> float:
    hint = element_hints(element)
    liking = 1.25 if hint & Hint.CONTENT else 1.0
    if hint & Hint.BOILERPLATE:
        liking *= 0.7
    if element.tag in _ROOTS:
        liking *= 1.3
    return liking * 2 if element.get("itemprop") == "articleBody" else liking


def _widen(element: Node, density: Density) -> Node:
    while element.tag not in _ROOTS and element.get("itemprop") != "articleBody":
        parent = element.getparent()
        if parent is None or parent.tag in _TOPS:
            break
        length, _, prose = density.masses[element]
        wider, _, wider_prose = density.masses[parent]
        adds_prose = wider_prose > 1.05 * prose and wider_prose - prose >= _ALIKE * (wider - length)
        if not adds_prose and wider - length >= _NOTHING_NEW * length:
            break
        element = parent
    return element


def tighten_article(element: Node, density: Density) -> Node:
    """The element inside that holds nearly all of its prose, without what stands above and below."""
    least = _NEARLY_ALL * density.masses[element][2]
    while element.tag in _HOLDERS:
        parts = [child for child in element if child in density.masses and child not in density.skip]
        inner = max(parts, key=lambda part: density.masses[part][2], default=element)
        if inner is element or inner.tag not in _HOLDERS or density.masses[inner][2] < least:
            break
        element = inner
    return element
