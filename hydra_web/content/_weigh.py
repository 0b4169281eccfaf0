"""How much text, and how much of it in links, each element holds."""

from typing import Final, TypeAlias

from hydra_web.content._tree import Node

__all__ = ["Sizes", "weigh"]

Sizes: TypeAlias = dict[Node, tuple[int, int]]
"""Code points of text and of link text, by element; white space at the ends of pieces does not count."""

_NOTHING: Final = (0, 0)


def weigh(body: Node) -> Sizes:
    """The sizes of every element below the body, and of the body."""
    sizes: Sizes = {}

    def visit(element: Node) -> tuple[int, int]:
        text = element.text
        length = len(text.strip()) if text else 0
        linked = 0
        for child in element:
            inside, inside_links = visit(child)
            length += inside
            linked += inside_links
            tail = child.tail
            if tail:
                length += len(tail.strip())
        size = (length, length if element.tag == "a" else linked) if length else _NOTHING
        sizes[element] = size
        return size

    visit(body)
    return sizes
