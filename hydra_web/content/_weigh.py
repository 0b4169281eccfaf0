"""How much text, and how much of it in links, each element holds; and the text itself."""

from typing import Final, TypeAlias

from hydra_web.content._names import LINES
from hydra_web.content._plain import tidy
from hydra_web.content._tree import Node
from hydra_web.text import strip_invisible

__all__ = ["Sizes", "size_of", "weigh"]

Sizes: TypeAlias = dict[Node, tuple[int, int]]
"""Code points of text and of link text, by element with children; white space at the ends of pieces does not count."""

_NOTHING: Final = (0, 0)
_CHUNK: Final = 4096


def size_of(element: Node, sizes: Sizes) -> tuple[int, int]:
    """The element's size; one without children is measured anew, which keeps most of a large page out of memory."""
    size = sizes.get(element)
    if size is None:
        text = element.text
        length = len(text.strip()) if text else 0
        size = (length, length if element.tag == "a" else 0)
    return size


def weigh(body: Node, *, references: bool = False) -> tuple[Sizes, str]:
    """The sizes of the body and of every element below it, and the body's plain text, one line per block.

    On the way invisible characters are taken out of the tree's texts; in ASCII text they can only come from character
    references, which `references` says there are.
    """
    sizes: Sizes = {}
    parts: list[str] = []
    chunks: list[str] = []

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
        if len(parts) > _CHUNK:  # thousands of short strings take several times their text
            chunks.append("".join(parts))
            parts.clear()
        size = (length, length if tag == "a" else linked) if length else _NOTHING
        if len(element):
            sizes[element] = size
        return size

    sizes[body] = visit(body)
    return sizes, tidy("".join(chunks + parts))
