"""A node of the tree as GitHub-flavoured Markdown."""

import math
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from hydra_web.content._blocks import Blocks
from hydra_web.content._inline import Inline
from hydra_web.content._links import Links
from hydra_web.content._tree import Node
from hydra_web.content._writer import Full, Writer

__all__ = ["Markdown", "to_markdown"]


@dataclass(frozen=True, slots=True)
class Markdown:
    """What the walk wrote."""

    text: str
    """The Markdown."""
    anchors: dict[str, list[str]]
    """The words of headings to the ids the page gave them, in the order of the text; empty where it gave none."""
    complete: bool
    """Whether the walk reached the end of the node."""


def to_markdown(
    node: Node,
    links: Links,
    *,
    skip: AbstractSet[Node] = frozenset(),
    images: bool = False,
    described: AbstractSet[Node] | None = None,
    once: bool = False,
    max_chars: int = 6_000_000,
    deadline: float | None = None,
) -> Markdown:
    """The inside of the node, without the elements in `skip`.

    Without `images`, the pictures in `described` (all of them, when None) are named by their descriptions. With
    `once`, repeated paragraphs are written once, as suits an article whose captions come several times. The walk
    ends early, with what is ready, at `max_chars` or at the monotonic time `deadline`.
    """
    writer = Writer(max_chars, math.inf if deadline is None else deadline)
    blocks = Blocks(Inline(links, images=images, skip=skip, described=described), writer, skip, once=once)
    complete = True
    try:
        blocks.write(node)
    except Full:
        complete = False
    return Markdown(writer.text(), blocks.headings, complete)
