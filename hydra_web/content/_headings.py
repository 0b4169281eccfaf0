"""The ids that links use to jump to a heading."""

from typing import Final

from hydra_web.content._tree import Node
from hydra_web.text import strip_invisible

__all__ = ["heading_id"]

_WRAPPERS: Final = frozenset(("section", "div"))
_MOST_WRAPPERS: Final = 3
_LONGEST: Final = 200


def heading_id(heading: Node) -> str:
    """The heading's id, or one inside it, or that of the section it opens; empty when there is none."""
    for inner in heading.iter():
        found = _usable(inner.get("id")) or (_usable(inner.get("name")) if inner.tag == "a" else "")
        if found:
            return found
    element = heading
    for _ in range(_MOST_WRAPPERS):
        wrapper = element.getparent()
        if wrapper is None or wrapper.tag not in _WRAPPERS or wrapper[0] is not element:
            return ""
        if (wrapper.text or "").strip():
            return ""
        found = _usable(wrapper.get("id"))
        if found:
            return found
        element = wrapper
    return ""


def _usable(name: str | None) -> str:
    """The id, unless it is one that no link can name, or that could pass for more than a word in an outline."""
    return name if name and len(name) <= _LONGEST and name == strip_invisible(name) and len(name.split()) == 1 else ""
