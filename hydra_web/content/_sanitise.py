"""What a reader of the page cannot see is taken out of the tree, in place, and counted."""

import re
import sys
from html import unescape
from typing import Final, cast

from lxml import etree

from hydra_web.content._math import keep_script_math
from hydra_web.content._names import NEVER_TEXT
from hydra_web.content._tree import Node, drop, select
from hydra_web.text import strip_invisible

__all__ = ["invisible_references", "sanitise", "text_length"]

REVEALED_CHARS: Final = 500
"""A hidden element this long that holds most of the page is one that a script reveals."""

_CONTAINERS: Final = ("button", "dialog", "object")
_HIDING_STYLE: Final = re.compile(
    r"(?:^|[;\s])(?:"
    r"display\s{0,9}:\s{0,9}none|visibility\s{0,9}:\s{0,9}(?:hidden|collapse)|content-visibility\s{0,9}:\s{0,9}hidden"
    r"|(?:opacity|font-size|max-height|max-width|zoom)\s{0,9}:\s{0,9}0*\.?0+(?:px|r?em|pt|%|v[hw])?\s{0,9}(?:$|[;!])"
    r"|(?:left|top|right|bottom|text-indent|margin-left|margin-top|margin-right)\s{0,9}:\s{0,9}-\d{3,}"
    r"|clip\s{0,9}:\s{0,9}rect\(\s{0,9}[01](?:px)?[\s,]"
    r"|clip-path\s{0,9}:\s{0,9}(?:inset\(\s{0,9}(?:[5-9]\d|100)(?:\.\d+)?%|circle\(\s{0,9}0|polygon\(\s{0,9}0[\w%]{0,3}\s0)"
    r"|transform\s{0,9}:[^;]{0,80}(?:scale[xy3d]{0,2}\(\s{0,9}0\s{0,9}[,)]|translate[xyz3d]{0,2}\(\s{0,9}-\d{4,})"
    r"|color\s{0,9}:\s{0,9}transparent)",
    re.IGNORECASE,
)
_ZERO_BOX: Final = re.compile(
    r"(?:^|[;\s])(?:height|width)\s{0,9}:\s{0,9}[01](?:px|em|%)?\s{0,9}(?:$|[;!])", re.IGNORECASE
)
_MAYBE_HIDDEN: Final = select("descendant::*/@hidden/.. | descendant::*/@aria-hidden/.. | descendant::*/@style/..")
_LENGTH: Final = etree.XPath("string-length(normalize-space())")
_NUMBER: Final = re.compile(r"&#([xX]?)([0-9a-fA-F]+)")
_REFERENCE: Final = re.compile(
    r"&(?:#[xX][0-9a-fA-F]{1,8}|#[0-9]{1,8}|shy|zwn?j|lrm|rlm|ZeroWidthSpace|NoBreak|it|ic|af|[A-Z]\w{4,18});?"
)


def sanitise(body: Node) -> list[Node]:
    """Removes scripts, controls and hidden elements; gives back the hidden elements that held text."""
    for element in list(body.iter("script", "template")):
        if element.tag == "script":
            if element.get("type", "").startswith("math/tex"):
                keep_script_math(element)
        elif "open" in (element.get("shadowrootmode"), element.get("shadowroot")):
            element.tag = "div"
    _keep_swallowed_page(body)
    etree.strip_elements(body, *NEVER_TEXT, with_tail=False)
    _settle_noscript(body)
    return _remove_hidden(body)


def text_length(element: Node) -> int:
    """Characters of text, runs of white space as one."""
    if not len(element) and not element.text:
        return 0
    return int(cast("float", _LENGTH(element)))


def invisible_references(html: str) -> bool:
    """Whether the source writes invisible characters as character references."""
    return any(map(_is_invisible, set(_REFERENCE.findall(html))))


def _is_invisible(reference: str) -> bool:
    number = _NUMBER.match(reference)
    if number is None:
        char = unescape(reference)
    else:
        code = int(number.group(2), 16 if number.group(1) else 10)
        char = chr(code) if code <= sys.maxunicode else ""
    return strip_invisible(char) != char


def _keep_swallowed_page(body: Node) -> None:
    """An unclosed control can swallow the page; one that holds much of it is no control."""
    for shell in list(body.iter("select", *_CONTAINERS)):
        if not len(shell):
            continue
        if shell.tag == "select":
            for unclosed in [shell, *shell.iter("option")] if shell.find(".//p") is not None else []:
                unclosed.tag = "div"
        elif shell.tag in _CONTAINERS and text_length(shell) > REVEALED_CHARS:
            shell.tag = "div"


def _settle_noscript(body: Node) -> None:
    blocks = list(body.iter("noscript"))
    if not blocks:
        return
    inside = sum(map(text_length, blocks))
    outside = text_length(body) - inside if inside else 0
    if (outside == 0 < inside) or (outside < 200 < inside):
        for block in blocks:
            block.tag = "div"
        return
    for block in blocks:
        _lend_picture(block)
    etree.strip_elements(body, "noscript", with_tail=False)


def _lend_picture(noscript: Node) -> None:
    """A lazily loaded picture gets the address that its stand-in for browsers without scripts has."""
    picture, lazy = noscript.find(".//img[@src]"), noscript.getprevious()
    if picture is None or lazy is None:
        return
    lazy = lazy if lazy.tag == "img" else lazy.find(".//img")
    if lazy is not None and (lazy.get("src") or "data:").startswith("data:"):
        lazy.set("src", picture.get("src"))


def _remove_hidden(body: Node) -> list[Node]:
    suspects = [element for element in _MAYBE_HIDDEN(body) if _is_hidden(element)]
    if not suspects:
        return []
    total, removed = text_length(body), list[Node]()
    for element in suspects:
        if element.getparent() is None:
            continue
        length = text_length(element)
        if length < REVEALED_CHARS or 2 * length < total:
            drop(element)
            if length:
                removed.append(element)
    return removed


def _is_hidden(element: Node) -> bool:
    hidden = element.get("hidden")
    if hidden is not None and hidden != "until-found":
        return True
    if element.get("aria-hidden") == "true":
        return bool(element.tag != "img")
    style: str | None = element.get("style")
    if not style:
        return False
    return bool(_HIDING_STYLE.search(style) or ("overflow" in style and _ZERO_BOX.search(style)))
