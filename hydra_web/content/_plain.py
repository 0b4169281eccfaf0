"""Plain text of a tree, and of HTML that no tree could be made of."""

import re
from collections.abc import Callable
from html import unescape
from io import StringIO
from typing import Final

from hydra_web.content._escape import escape_line, escape_text
from hydra_web.content._names import LINES
from hydra_web.content._tree import Node
from hydra_web.text import strip_invisible

__all__ = ["escape_plain", "plain_text", "strip_tags", "tidy"]

_TAG: Final = re.compile(r"<[^>]*>?")


def plain_text(element: Node) -> str:
    """The element's text, one line per block."""
    text = StringIO()  # a list of so many short strings would take several times their text
    _write_text(element, text.write)
    return tidy(text.getvalue())


def _write_text(element: Node, write: Callable[[str], object]) -> None:
    is_block = element.tag in LINES
    if is_block:
        write("\n")
    if element.text:
        write(element.text)
    for child in element:
        _write_text(child, write)
        if child.tail:
            write(child.tail)
    if is_block:
        write("\n")


def escape_plain(text: str) -> str:
    """Plain text as Markdown that shows the same."""
    return "\n\n".join(escape_line(escape_text(line)) for line in text.split("\n"))


def strip_tags(html: str) -> str:
    """The text between the tags: the last resort, linear whatever the input."""
    return tidy(strip_invisible(unescape(_TAG.sub("\n", html))))


def tidy(text: str) -> str:
    """The text with runs of spaces, and of line breaks, as one."""
    return "\n".join([" ".join(line.split()) for line in text.split("\n") if line and not line.isspace()])
