"""Code blocks: their language, and their text without line numbers."""

import re
from typing import Final

from hydra_web.content._names import SILENT
from hydra_web.content._tree import Node

__all__ = ["code_language", "code_lines", "code_text", "is_gutter"]

_CLASS: Final = re.compile(
    r"(?:^|\s)(?:language-|lang-|highlight-source-|highlight-text-|highlight-|brush:\s?|sourceCode\s|prettyprint\slang-)"
    r"([\w+#.-]{1,40})",
    re.IGNORECASE,
)
_NAME: Final = re.compile(r"[\w+#.-]{1,40}")
_NO_LANGUAGE: Final = frozenset(
    ("default", "none", "plain", "plaintext", "text", "txt", "notranslate", "source", "code", "wrapper", "nohighlight")
)
_GUTTER: Final = re.compile(
    r"(?:^|\s)(?:linenos?|linenodiv|line-?numbers?(?:-rows)?|gutter|ln-num|blob-num|rouge-gutter|hljs-ln-numbers)(?:\s|$)"
)
_LINE_ELEMENTS: Final = frozenset(("div", "p", "li", "tr"))
_TICKS: Final = re.compile("`{3,}")
_TILDES: Final = re.compile("~{3,}")

LONG_FENCE: Final = 100
_EMPTY_START: Final = re.compile(r"(?:[ \t]*\n)+")


def code_language(pre: Node) -> str:
    """The language a code block is marked with, or an empty string."""
    parent = pre.getparent()
    around = [] if parent is None else [parent, parent.getparent()]
    for element in (pre, pre.find(".//code"), *around):
        if element is None:
            continue
        named = _CLASS.search(element.get("class") or "")
        name = named.group(1) if named else element.get("data-lang") or element.get("data-language") or ""
        if _NAME.fullmatch(name) and name.lower() not in _NO_LANGUAGE:
            return name.lower()
    return ""


def code_text(pre: Node) -> str:
    """The code, one line per line element, without gutters."""
    parts: list[str] = []
    _collect(pre, parts)
    text = "".join(parts)
    start = _EMPTY_START.match(text)
    text = (text[start.end() :] if start else text).rstrip("\n")
    return text if text.strip() else ""


def is_gutter(element: Node) -> bool:
    """Whether the element holds line numbers beside code."""
    return _GUTTER.search(element.get("class") or "") is not None


def code_lines(text: str, language: str = "") -> list[str]:
    """The fenced block, its fence longer than any inside."""
    fence = "`" * _fence_length(_TICKS, text)
    if len(fence) > LONG_FENCE:
        fence = "~" * min(_fence_length(_TILDES, text), 10 * LONG_FENCE)
    return [fence + language, *text.split("\n"), fence]


def _fence_length(runs: re.Pattern[str], text: str) -> int:
    return max((len(run) for run in runs.findall(text)), default=2) + 1


def _collect(element: Node, parts: list[str]) -> None:
    if element.text:
        parts.append(element.text)
    for child in element:
        tag = child.tag
        if tag == "br":
            parts.append("\n")
        elif tag not in SILENT and (tag == "code" or not is_gutter(child)):
            own_line = tag in _LINE_ELEMENTS
            if own_line:
                _break_line(parts)
            _collect(child, parts)
            if own_line:
                _break_line(parts)
        if child.tail:
            parts.append(child.tail)


def _break_line(parts: list[str]) -> None:
    if parts and not parts[-1].endswith("\n"):
        parts.append("\n")
