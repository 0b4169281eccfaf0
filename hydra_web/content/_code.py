"""Code blocks: their language and their text."""

import re
from typing import Final

from hydra_web.content._tree import Node

__all__ = ["code_language"]

_CLASS: Final = re.compile(
    r"(?:^|\s)(?:language-|lang-|highlight-source-|highlight-text-|highlight-|brush:\s?|sourceCode\s|prettyprint\slang-)"
    r"([\w+#.-]{1,40})",
    re.IGNORECASE,
)
_NAME: Final = re.compile(r"[\w+#.-]{1,40}")
_NOT_A_LANGUAGE: Final = frozenset(("default", "none", "plaintext", "text", "notranslate", "source", "code", "wrapper"))


def code_language(pre: Node) -> str:
    """The language a code block is marked with, or an empty string."""
    parent = pre.getparent()
    around = [] if parent is None else [parent, parent.getparent()]
    for element in (pre, pre.find(".//code"), *around):
        if element is None:
            continue
        named = _CLASS.search(element.get("class") or "")
        name = named.group(1) if named else element.get("data-lang") or element.get("data-language") or ""
        if _NAME.fullmatch(name) and name.lower() not in _NOT_A_LANGUAGE:
            return name.lower()
    return ""
