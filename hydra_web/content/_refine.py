"""What an article still holds that is no part of it: boxes of links, labels, bylines, captions, teasers."""

from typing import Final

from hydra_web.content._density import Density
from hydra_web.content._hints import Hint
from hydra_web.content._prune import element_hints
from hydra_web.content._tree import Node
from hydra_web.text import one_line

__all__ = ["refine_article"]

_BOXES: Final = frozenset(("div", "section", "ul", "ol", "table", "aside", "header", "footer", "dl"))
_LISTS: Final = frozenset(("ul", "ol", "table", "dl"))
_KEPT_INSIDE: Final = ("pre", "math", "h1", "h2", "h3", "h4", "blockquote", "img")
_NO_CAPTION: Final = ("pre", "table", "math", "h1", "h2", "h3", "h4")
_LABEL_CHARS: Final = 25
_SMALL: Final = 0.1
_CAPTION_CHARS: Final = 600
_LINK_LIST: Final = 3
_TEASER_CHARS: Final = 250
_FEW_TEASERS: Final = 4  # more of them are a list that the article makes
_TEASER_WORDS: Final = 4


def refine_article(article: Node, density: Density, *, pictures: bool = False) -> set[Node]:
    """The boxes inside the article that hold no prose and are mostly links, or only a label; and teasers.

    Captions are left out as well unless the pictures they belong to are shown.
    """
    whole = density.masses[article][0]
    dropped: set[Node] = set()
    teasers: list[Node] = []
    for element in article.iterdescendants():
        mass = density.masses.get(element)
        small = mass is not None and mass[0] < _SMALL * whole
        if element.tag in _BOXES and mass is not None and small and _is_aside(element, *mass):
            dropped.add(element)
        elif element.tag == "p" and mass is not None and small and _is_teaser(element, mass[0], mass[1]):
            teasers.append(element)
        elif not pictures and (small or mass is None) and _is_caption(element, mass[0] if mass else 0):
            dropped.add(element)
    return dropped.union(teasers) if len(teasers) <= _FEW_TEASERS else dropped


def _is_aside(box: Node, length: int, linked: int, prose: float) -> bool:
    if prose and linked < 0.5 * length:
        return False
    hint = element_hints(box)
    if linked > (0.5 if hint & Hint.CONTENT else 0.25) * length:
        return next(box.iterdescendants("pre", "math"), None) is None
    if box.tag not in _LISTS and length < _LABEL_CHARS:
        return next(box.iterdescendants(*_KEPT_INSIDE), None) is None
    return False


def _is_teaser(paragraph: Node, length: int, linked: int) -> bool:
    """Whether it is a label, a colon and another page's title ("Read more: What came before"), or a list of links."""
    links = paragraph.findall(".//a") if linked > 0.5 * length else []
    if len(links) >= _LINK_LIST:
        return linked > 0.8 * length
    if len(links) != 1 or length >= _TEASER_CHARS:
        return False
    title = one_line("".join(links[0].itertext()))
    label, _, after = one_line("".join(paragraph.itertext())).partition(title)
    label = label.rstrip()
    return label.endswith(":") and len(label) <= _LABEL_CHARS and not after and len(title.split()) >= _TEASER_WORDS


def _is_caption(element: Node, length: int) -> bool:
    if length > _CAPTION_CHARS or not (element.tag == "figcaption" or element_hints(element) & Hint.CAPTION):
        return False
    return next(element.iterdescendants(*_NO_CAPTION), None) is None
