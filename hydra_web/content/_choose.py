"""Which candidate to show: by what the page is, by coverage, and by agreement."""

from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Final

from hydra_web.content._article import find_article, tighten_article
from hydra_web.content._density import Density, read_density
from hydra_web.content._refine import refine_article
from hydra_web.content._sanitise import text_length
from hydra_web.content._tree import Node
from hydra_web.content._weigh import Sizes

__all__ = ["Choice", "choose_main"]

_TOO_LITTLE: Final = 0.12
_LITTLE: Final = 0.2
_ALL_LINKS: Final = 0.95
_AGREES: Final = 0.8
_DOUBTFUL: Final = 1000
_MUCH_MORE: Final = 1.5
_MOST: Final = 0.85
_ARTICLE_PROSE: Final = 0.35
_TOO_SMALL: Final = 0.05
_FEW_LINES: Final = 200
_SHORT_PAGE: Final = 400


@dataclass(frozen=True, slots=True)
class Choice:
    """What to show of a page."""

    node: Node
    """The element to show."""
    skip: AbstractSet[Node] = frozenset()
    """Elements inside it to leave out."""
    candidate: str = "body"
    """Whose proposal it is: `article`, `pruned`, `readability` or `body`."""
    length: int = 0
    """Code points shown."""


def choose_main(body: Node, sizes: Sizes, kind: str, *, pictures: bool = False) -> Choice:
    """The main content, or the whole body when it cannot be told apart; `pictures` says that pictures are shown."""
    total = sizes[body][0]
    density = _read_density(body, sizes, forum=kind == "forum")
    kept = density.masses[body][0]
    if not kept or (kept < _TOO_LITTLE * total and total > _SHORT_PAGE):
        return Choice(body, candidate="body", length=total)
    article = find_article(density)
    pruned = _without_comments(Choice(body, density.skip, "pruned", kept), density, kind)
    if article is None or not _covers(article, body, density, kind):
        return (_second_opinion(pruned, _AGREES * pruned.length) if kind == "article" else None) or pruned
    if kind != "article":
        return _without_comments(Choice(article, density.skip, "article", density.masses[article][0]), density, kind)
    article = tighten_article(article, density)
    skip = density.skip | refine_article(article, density, pictures=pictures)
    chosen = _without_comments(Choice(article, skip, "article", density.masses[article][0]), density, kind)
    if chosen.length < min(_DOUBTFUL, 0.5 * pruned.length):
        return _second_opinion(pruned, _MUCH_MORE * chosen.length) or chosen
    return chosen


def _read_density(body: Node, sizes: Sizes, *, forum: bool) -> Density:
    """What pruning leaves; names of elements are not trusted where they would leave next to nothing.

    Where they would leave little, they are not trusted either, unless what they take away is all links.
    """
    density, total = read_density(body, sizes, forum=forum), sizes[body][0]
    length, linked, _ = density.masses[body]
    if length >= _LITTLE * total or (length and total <= _SHORT_PAGE):
        return density
    light = read_density(body, sizes, light=True, forum=forum)
    longer, more_linked, _ = light.masses[body]
    if length < _TOO_LITTLE * total or more_linked - linked < _ALL_LINKS * (longer - length):
        return light
    return density


def _covers(article: Node, body: Node, density: Density, kind: str) -> bool:
    length, _, prose = density.masses[article]
    total, _, total_prose = density.masses[body]
    if kind == "forum":
        return False  # its posts stand side by side
    if kind == "article":
        return prose >= _ARTICLE_PROSE * max(1, total_prose) and length >= max(
            _TOO_SMALL * total, min(_FEW_LINES, 0.5 * total)
        )
    return length >= _MOST * total


def _second_opinion(pruned: Choice, least: float) -> Choice | None:
    """readability-lxml's article of `least` code points, where ours is in doubt."""
    from hydra_web.content._readability import readability_node  # slow to import, and seldom needed

    node = readability_node(pruned.node, pruned.skip)
    if node is None:
        return None
    length = text_length(node)
    return Choice(node, frozenset(), "readability", length) if length >= least else None


def _without_comments(choice: Choice, density: Density, kind: str) -> Choice:
    """Comments are left out where they are the smaller part of something that is no forum."""
    if kind == "forum":
        return choice
    dropped = {
        comments
        for comments in density.comments
        if comments is not choice.node and density.masses.get(comments, (0, 0, 0.0))[0] < 0.5 * choice.length
    }
    return Choice(choice.node, choice.skip | dropped, choice.candidate, choice.length)
