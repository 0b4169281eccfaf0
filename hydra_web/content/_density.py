"""Our own candidate: what is left after pruning, and the part of it where prose is dense.

One pass down (pruning) and up (text, links, prose, and a score for the parents of paragraphs).
"""

from dataclasses import dataclass, field
from typing import Final, TypeAlias

from hydra_web.content._hints import Hint
from hydra_web.content._names import BLOCKS
from hydra_web.content._prune import Pruner, element_hints
from hydra_web.content._tree import Node
from hydra_web.content._weigh import Sizes, size_of

__all__ = ["Density", "Mass", "read_density"]

_PARAGRAPHS: Final = frozenset(("p", "pre", "blockquote", "li", "td", "dd"))
_LISTED: Final = frozenset(("li", "td", "dd"))
_BOXES: Final = frozenset(("div", "section", "article"))
_BLOCKS: Final = BLOCKS - {"li", "dt", "dd", "td", "th", "tr", "tbody", "thead", "figcaption", "caption", "summary"}
_ROOTS: Final = frozenset(("article", "main"))
_MIN_PARAGRAPH: Final = 25
_MIN_PROSE: Final = 60
_MIN_DIRECT: Final = 200
_COMMENT_WEIGHT: Final = 0.02


Mass: TypeAlias = tuple[int, int, float]
"""Of one element after pruning: code points of text, of link text, and of prose.

Prose is text in paragraphs of some length, less what is linked; text in lists and comments counts for less.
"""


@dataclass(slots=True)
class Density:
    """The result of the pass."""

    skip: set[Node] = field(default_factory=set)
    """Elements judged to be boilerplate."""
    comments: list[Node] = field(default_factory=list)
    """Elements named as comments, outermost first."""
    masses: dict[Node, Mass] = field(default_factory=dict)
    """What each remaining element with children or of a box's kind holds."""
    scores: dict[Node, float] = field(default_factory=dict)
    """Scores of the elements that are parents of paragraphs, up to three levels."""


def read_density(body: Node, sizes: Sizes, *, light: bool = False, forum: bool = False) -> Density:
    """Prunes and weighs the body; on a forum comments are content."""
    reader = _Reader(sizes, Pruner(sizes[body][0], light=light), forum=forum)
    reader.density.masses[body] = reader.visit(body, in_main=False, in_comments=False)[:3]
    reader.score()
    return reader.density


class _Reader:
    def __init__(self, sizes: Sizes, pruner: Pruner, *, forum: bool) -> None:
        self.density = Density()
        self._sizes = sizes
        self._pruner = pruner
        self._forum = forum
        self._paragraphs: list[tuple[Node, float]] = []

    def visit(self, element: Node, *, in_main: bool, in_comments: bool) -> tuple[int, int, float, int]:
        """Length, linked length, prose and commas of the element's remaining text."""
        text, tag = element.text, element.tag
        length = direct = linked = commas = 0
        prose, has_blocks = 0.0, False
        if text and not text.isspace():
            length = direct = len(text.strip())
            commas = _commas(text)
        in_main = in_main or tag in _ROOTS or element.get("role") == "main"
        for child in element:
            inner = self._child(child, in_main=in_main, in_comments=in_comments)
            if inner is not None:
                length += inner[0]
                linked += inner[1]
                prose += inner[2]
                if child.tag in _BLOCKS:
                    has_blocks = True
                else:
                    commas += inner[3]
            tail = child.tail
            if tail and not tail.isspace():
                size = len(tail.strip())
                length += size
                direct += size
                commas += _commas(tail)
        if tag == "a":
            linked = length
        is_paragraph = tag in _PARAGRAPHS
        if length >= _MIN_PARAGRAPH and (is_paragraph or (direct and tag in _BOXES) or direct >= _MIN_DIRECT):
            own = direct if has_blocks and not is_paragraph else length
            if own >= _MIN_PARAGRAPH:
                prose += self._paragraph(element, own, linked / length, commas, prose, in_comments=in_comments)
        if len(element) or tag in _BOXES:
            self.density.masses[element] = (length, linked, prose)
        return length, linked, prose, commas

    def _child(self, child: Node, *, in_main: bool, in_comments: bool) -> tuple[int, int, float, int] | None:
        """The child's numbers, or None where it holds nothing or is pruned."""
        size = size_of(child, self._sizes)
        length = size[0]
        if not length and not len(child):
            return None
        hint = element_hints(child)
        if self._pruner.is_boilerplate(child, hint, size, in_main=in_main):
            self.density.skip.add(child)
            return None
        if not length:
            return None
        if not len(child) and child.tag not in BLOCKS and length < _MIN_DIRECT:
            return length, size[1], 0.0, _commas(child.text)
        if hint & Hint.COMMENTS and not in_comments:
            self.density.comments.append(child)
            in_comments = not self._forum
        if child.tag == "figcaption" or hint & Hint.CAPTION:
            in_comments = True
        return self.visit(child, in_main=in_main, in_comments=in_comments)

    def _paragraph(
        self, element: Node, own: int, link_share: float, commas: int, prose: float, *, in_comments: bool
    ) -> float:
        """Notes the paragraph's score and answers the prose it adds to that of its parts."""
        value, weight = 1 + commas + min(own / 100, 3), 1.0
        if element.tag in _LISTED:
            value, weight = value * 0.4, 0.5
        if in_comments:
            value, weight = value * _COMMENT_WEIGHT, weight * _COMMENT_WEIGHT
        self._paragraphs.append((element, value))
        if own <= _MIN_PROSE or (prose and (element.tag in _LISTED or element.tag == "blockquote")):
            return 0.0
        return own * (1 - min(1.0, link_share)) * weight

    def score(self) -> None:
        """Hands each paragraph's value to its parents, halved at each level."""
        scores = self.density.scores
        for paragraph, value in self._paragraphs:
            parent, share = paragraph.getparent(), value
            for _ in range(3):
                if parent is None or parent.tag == "html":
                    break
                scores[parent] = scores.get(parent, 0.0) + share
                parent, share = parent.getparent(), share / 2


def _commas(text: str) -> int:
    return text.count(",") + text.count("，") + text.count("、")
