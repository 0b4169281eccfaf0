"""What stands inside a line: text, emphasis, links, code, images, formulas."""

import re
from collections.abc import Callable
from collections.abc import Set as AbstractSet
from typing import Final
from urllib.parse import urlsplit

from hydra_web.content import _names as names
from hydra_web.content._emphasis import DELETED, EMPHASIS, STRONG
from hydra_web.content._escape import BREAK, LABEL_END, escape_label, escape_text
from hydra_web.content._images import MAX_DESCRIPTION, image_markdown
from hydra_web.content._links import Links
from hydra_web.content._math import math_markdown
from hydra_web.content._tree import Node
from hydra_web.text import one_line

__all__ = ["Inline", "code_span"]

_SPACES: Final = re.compile(r"\s+")
_TICKS: Final = re.compile("`+")
_MATH_CLASS: Final = re.compile(r"\b(?:katex|mwe-math-element|MathJax)\b")
_SELF_LINKS: Final = frozenset(("¶", "#", "§", "🔗"))
_EDGE: Final = " \t\n\r\f\u00a0" + BREAK


class Inline:
    """Writes inline Markdown; marks and breaks stay in it until the paragraph is finished."""

    def __init__(
        self,
        links: Links,
        *,
        images: bool = False,
        skip: AbstractSet[Node] = frozenset(),
        described: AbstractSet[Node] | None = None,
    ) -> None:
        self._links = links
        self._images = images
        self._skip = skip
        self._described = described
        self._in_link = False

    def content(self, element: Node) -> str:
        """Everything inside the element, on one line."""
        text = element.text
        if not len(element):
            return escape_text(text) if text else ""
        parts = [escape_text(text)] if text else []
        for child in element:
            if child not in self._skip:
                parts.append(self.element(child))
            if child.tail:
                parts.append(escape_text(child.tail))
        return "".join(parts)

    def element(self, element: Node) -> str:
        """One element as part of a line."""
        tag = element.tag
        handler = _HANDLERS.get(tag)
        if handler is not None:
            return handler(self, element)
        if tag in names.BLOCKS:
            return f"{BREAK}{self.content(element)}{BREAK}"
        return self.content(element)

    def image(self, element: Node) -> str:
        """A picture, by the image policy."""
        if not self._images and self._described is not None and element not in self._described:
            return ""
        return image_markdown(element, self._links, images=self._images)

    def media(self, element: Node) -> str:
        """A link to an embedded film, sound or well-known frame."""
        source = element.get("src") or next((s.get("src") for s in element.iter("source") if s.get("src")), "")
        address = self._links.absolute(source) if source else ""
        if not address.startswith("http"):
            return ""
        host = urlsplit(address).netloc.removeprefix("www.")
        if element.tag == "iframe" and not any(host == h or host.endswith("." + h) for h in names.EMBEDS):
            return ""
        label = one_line(element.get("title", ""))[:MAX_DESCRIPTION] or f"{element.tag}: {host}"
        return self.link(escape_text(label), address)

    def link(self, label: str, address: str, title: str = "") -> str:
        """A link, unless the label already lies inside one."""
        if self._in_link or not address:
            return label
        body = label.strip(_EDGE)
        if not body:
            return " " if label else ""
        start = label[: len(label) - len(label.lstrip(_EDGE))]
        end = label[len(label.rstrip(_EDGE)) :]
        if body == address:
            return f"{start}<{address}>{end}"
        body = escape_label(body.replace(BREAK, " "))
        if title and self._images:
            title = one_line(title)[:MAX_DESCRIPTION].replace("\\", "\\\\").replace('"', '\\"')
            address = f'{address} "{title}"'
        return f"{start}[{body}{LABEL_END}({address}){end}"

    def address(self, anchor: Node) -> str:
        """Where an anchor leads, or an empty string when that is a place in this page, or not to be shown."""
        reference = anchor.get("href")
        return "" if reference is None or reference.startswith("#") else self._links.absolute(reference)

    def _anchor(self, anchor: Node) -> str:
        address = self.address(anchor)
        if not address or self._in_link:
            label = self.content(anchor)
            return "" if label.strip(_EDGE) in _SELF_LINKS else label
        self._in_link = True
        label = self.content(anchor)
        self._in_link = False
        return self.link(label, address, anchor.get("title", ""))

    def _marked(self, element: Node, marks: tuple[str, str]) -> str:
        return f"{marks[0]}{self.content(element)}{marks[1]}"

    def _raised(self, element: Node) -> str:
        text = self.content(element).strip(_EDGE)
        if not text or (text[0] == "[" and text[-1] in "])"):
            return text
        return f"<{element.tag}>{text}</{element.tag}>"

    def _span(self, span: Node) -> str:
        named = span.get("class")
        if named and _MATH_CLASS.search(named):
            math = span.find(".//math")
            if math is not None:
                return math_markdown(math, display="display" in named)
        return self.content(span)


def code_span(code: str) -> str:
    """Code in a line, fenced by more backticks than it holds in a row."""
    body = _SPACES.sub(" ", code)
    if not body.strip():
        return body
    start, end = " " * (body[0] == " "), " " * (body[-1] == " ")
    body = body.strip().replace("](", f"{LABEL_END}(").replace("][", f"{LABEL_END}[").replace("]:", f"{LABEL_END}:")
    longest = max((len(run) for run in _TICKS.findall(body)), default=0)
    fence = "`" * (longest + 1)
    if body[0] == "`" or body[-1] == "`":
        body = f" {body} "
    return f"{start}{fence}{body}{fence}{end}"


def _checkbox(element: Node) -> str:
    if (element.get("type") or "").lower() != "checkbox":
        return ""
    return "[x] " if element.get("checked") is not None else "[ ] "


def _preformatted(pre: Node) -> str:
    lines = "".join(pre.itertext()).strip("\n").split("\n")
    return BREAK + BREAK.join(code_span(line) for line in lines) + BREAK


# Not in the instance: its own methods in a table of its own would keep the whole tree until a garbage collection.
_HANDLERS: Final[dict[str, Callable[[Inline, Node], str]]] = {
    **dict.fromkeys(names.STRONG, lambda inline, b: inline._marked(b, STRONG)),
    **dict.fromkeys(names.EMPHASIS, lambda inline, i: inline._marked(i, EMPHASIS)),
    **dict.fromkeys(names.DELETED, lambda inline, s: inline._marked(s, DELETED)),
    **dict.fromkeys(names.CODE, lambda _, code: code_span("".join(code.itertext()))),
    **dict.fromkeys(names.MEDIA, Inline.media),
    **dict.fromkeys(names.SILENT, lambda *_: ""),
    "a": Inline._anchor,
    "br": lambda *_: BREAK,
    "img": Inline.image,
    "input": lambda _, box: _checkbox(box),
    "li": lambda inline, li: f"{BREAK}- {inline.content(li)}{BREAK}",
    "math": lambda _, math: math_markdown(math),
    "pre": lambda _, pre: _preformatted(pre),
    "q": lambda inline, q: f'"{inline.content(q)}"',
    "rp": lambda *_: "",
    "rt": lambda inline, rt: f"({inline.content(rt)})",
    "span": Inline._span,
    "sub": Inline._raised,
    "sup": Inline._raised,
    "td": lambda inline, td: f"{inline.content(td)} ",
    "th": lambda inline, th: f"{inline.content(th)} ",
}
