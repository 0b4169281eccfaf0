"""What an article still holds that is no part of it: boxes of links, labels, bylines, empty frames."""

from typing import Final

from hydra_web.content._density import Density
from hydra_web.content._hints import Hint
from hydra_web.content._prune import element_hints
from hydra_web.content._tree import Node

__all__ = ["refine_article"]

_BOXES: Final = ("div", "section", "ul", "ol", "table", "aside", "header", "footer", "dl")
_LISTS: Final = frozenset(("ul", "ol", "table", "dl"))
_KEPT_INSIDE: Final = ("pre", "math", "h1", "h2", "h3", "h4", "blockquote", "img")
_LABEL_CHARS: Final = 25
_SMALL: Final = 0.1


def refine_article(article: Node, density: Density) -> set[Node]:
    """The boxes inside the article that hold no prose and are mostly links, or only a label."""
    whole = density.masses[article][0]
    dropped: set[Node] = set()
    for box in article.iterdescendants(*_BOXES):
        mass = density.masses.get(box)
        if mass is not None and mass[0] < _SMALL * whole and _is_aside(box, *mass):
            dropped.add(box)
    return dropped


def _is_aside(box: Node, length: int, linked: int, prose: float) -> bool:
    if prose and linked < 0.5 * length:
        return False
    hint = element_hints(box)
    if linked > (0.5 if hint & Hint.CONTENT else 0.25) * length:
        return next(box.iterdescendants("pre", "math"), None) is None
    if box.tag not in _LISTS and length < _LABEL_CHARS:
        return next(box.iterdescendants(*_KEPT_INSIDE), None) is None
    return False
