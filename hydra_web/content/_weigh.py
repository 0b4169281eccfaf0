"""How much text, and how much of it in links, each element holds; and the text itself."""

from collections.abc import Callable
from io import StringIO
from typing import Final, TypeAlias

from hydra_web.content._names import LINES
from hydra_web.content._plain import tidy
from hydra_web.content._tree import Node
from hydra_web.text import strip_invisible

__all__ = ["Sizes", "size_of", "weigh"]

Sizes: TypeAlias = dict[Node, tuple[int, int]]
"""Code points of text and of link text, by element with children; white space at the ends of pieces does not count."""

_NOTHING: Final = (0, 0)


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
    plain = StringIO()  # a list of so many short strings would take several times their text
    sizes[body] = _weigh(body, sizes, plain.write, references)
    return sizes, tidy(plain.getvalue())


def _weigh(element: Node, sizes: Sizes, write: Callable[[str], object], references: bool) -> tuple[int, int]:
    """Not a function inside the other: one that knows itself would keep the whole tree until a garbage collection."""
    tag, text = element.tag, element.text
    is_line = tag in LINES
    length = linked = 0
    if is_line:
        write("\n")
    if text:
        if references or not text.isascii():
            text = _clean(element, "text", text)
        length = len(text.strip())
        write(text)
    has_children = len(element) > 0
    for child in element if has_children else ():  # an iterator costs as much as all the rest of a leaf
        inside, inside_links = _weigh(child, sizes, write, references)
        length += inside
        linked += inside_links
        tail = child.tail
        if tail:
            if references or not tail.isascii():
                tail = _clean(child, "tail", tail)
            length += len(tail.strip())
            write(tail)
    if is_line:
        write("\n")
    size = (length, length if tag == "a" else linked) if length else _NOTHING
    if has_children:
        sizes[element] = size
    return size


def _clean(element: Node, place: str, text: str) -> str:
    clean = strip_invisible(text)
    if clean is not text:
        setattr(element, place, clean)
    return clean
