"""How much text, and how much of it in links, each element holds; and the text itself."""

from typing import Final, TypeAlias

from hydra_web.content._names import LINES
from hydra_web.content._plain import tidy
from hydra_web.content._tree import Node
from hydra_web.text import strip_invisible

__all__ = ["Sizes", "weigh"]

Sizes: TypeAlias = dict[Node, tuple[int, int]]
"""Code points of text and of link text, by element; white space at the ends of pieces does not count."""

_NOTHING: Final = (0, 0)


def weigh(body: Node, *, references: bool = False) -> tuple[Sizes, str]:
    """The sizes of the body and of every element below it, and the body's plain text, one line per block.

    On the way invisible characters are taken out of the tree's texts; in ASCII text they can only come from character
    references, which `references` says there are.
    """
    sizes: Sizes = {}
    parts: list[str] = []

    def visit(element: Node) -> tuple[int, int]:
        tag, text = element.tag, element.text
        is_line = tag in LINES
        length = linked = 0
        if is_line:
            parts.append("\n")
        if text:
            if references or not text.isascii():
                element.text = text = strip_invisible(text)
            length = len(text.strip())
            parts.append(text)
        for child in element:
            inside, inside_links = visit(child)
            length += inside
            linked += inside_links
            tail = child.tail
            if tail:
                if references or not tail.isascii():
                    child.tail = tail = strip_invisible(tail)
                length += len(tail.strip())
                parts.append(tail)
        if is_line:
            parts.append("\n")
        size = (length, length if tag == "a" else linked) if length else _NOTHING
        sizes[element] = size
        return size

    visit(body)
    return sizes, tidy("".join(parts))
