"""How much text, and how much of it in links, each element holds; and the text itself."""

from typing import Final, TypeAlias

from hydra_web.content._names import LINES
from hydra_web.content._plain import tidy
from hydra_web.content._tree import Node

__all__ = ["Sizes", "weigh"]

Sizes: TypeAlias = dict[Node, tuple[int, int]]
"""Code points of text and of link text, by element; white space at the ends of pieces does not count."""

_NOTHING: Final = (0, 0)


def weigh(body: Node) -> tuple[Sizes, str]:
    """The sizes of the body and of every element below it, and the body's plain text, one line per block."""
    sizes: Sizes = {}
    parts: list[str] = []

    def visit(element: Node) -> tuple[int, int]:
        tag, text = element.tag, element.text
        is_line = tag in LINES
        length = linked = 0
        if is_line:
            parts.append("\n")
        if text:
            length = len(text.strip())
            parts.append(text)
        for child in element:
            inside, inside_links = visit(child)
            length += inside
            linked += inside_links
            tail = child.tail
            if tail:
                length += len(tail.strip())
                parts.append(tail)
        if is_line:
            parts.append("\n")
        size = (length, length if tag == "a" else linked) if length else _NOTHING
        sizes[element] = size
        return size

    visit(body)
    return sizes, tidy("".join(parts))
