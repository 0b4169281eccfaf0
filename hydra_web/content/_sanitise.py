"""What a reader of the page cannot see is taken out of the tree, in place, and counted."""

import re
from typing import Final

from lxml import etree

from hydra_web.content._tree import Node, select

__all__ = ["sanitise"]

_NEVER_TEXT: Final = (
    "script",
    "style",
    "template",
    "link",
    "meta",
    "embed",
    "canvas",
    "datalist",
    "applet",
    "select",
    "textarea",
    "button",
    "svg",
    "object",
    "map",
    "dialog",
    "frameset",
    "noframes",
)
_HIDING_STYLE: Final = re.compile(
    r"(?:^|[;\s])(?:display\s{0,9}:\s{0,9}none|visibility\s{0,9}:\s{0,9}(?:hidden|collapse)"
    r"|(?:opacity|font-size|max-height|max-width)\s{0,9}:\s{0,9}[0.]{1,9}(?:px|r?em|pt|%)?\s{0,9}(?:$|[;!])"
    r"|(?:left|top|right|bottom|text-indent|margin-left|margin-top)\s{0,9}:\s{0,9}-\d{3,}"
    r"|clip\s{0,9}:\s{0,9}rect\(\s{0,9}[01](?:px)?[\s,]|clip-path\s{0,9}:\s{0,9}(?:inset\(\s{0,9}(?:[5-9]\d|100)%|circle\(\s{0,9}0)"
    r"|transform\s{0,9}:\s{0,9}scale[xy]?\(\s{0,9}0\s{0,9}\))",
    re.IGNORECASE,
)
_ZERO_BOX: Final = re.compile(r"(?:^|[;\s])(?:height|width)\s{0,9}:\s{0,9}0(?:px)?\s{0,9}(?:$|[;!])", re.IGNORECASE)
_CANDIDATES: Final = select("descendant::*[@hidden or @aria-hidden or @style]")


def sanitise(body: Node) -> int:
    """Removes scripts, controls and hidden elements; answers how many hidden elements held text.

    An element that holds more than half of the page's text is shown all the same: such pages are revealed by a script.
    """
    etree.strip_elements(body, *_NEVER_TEXT, with_tail=False)
    total = _text_length(body)
    _unwrap_noscript(body, total)
    hidden = 0
    for element in _CANDIDATES(body):
        if element.getparent() is None or not _is_hidden(element):
            continue
        length = _text_length(element)
        if 2 * length > total:
            continue
        hidden += length > 0
        element.drop_tree()
    return hidden


def _unwrap_noscript(body: Node, total: int) -> None:
    blocks = body.findall(".//noscript")
    inside = sum(_text_length(block) for block in blocks)
    if total - inside < 200 and inside > total - inside:
        for block in blocks:
            block.tag = "div"
    else:
        etree.strip_elements(body, "noscript", with_tail=False)


def _is_hidden(element: Node) -> bool:
    hidden = element.get("hidden")
    if hidden is not None and hidden != "until-found":
        return True
    if element.get("aria-hidden") == "true":
        return bool(element.tag != "img")
    style: str = element.get("style", "")
    if not style:
        return False
    return bool(_HIDING_STYLE.search(style) or ("overflow" in style and _ZERO_BOX.search(style)))


def _text_length(element: Node) -> int:
    return sum(len(text.strip()) for text in element.itertext())
