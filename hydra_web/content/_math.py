"""Formulas: their TeX where the page carries it, else MathML put on one line."""

import re
from typing import Final

from hydra_web.content._tree import Node, drop
from hydra_web.text import one_line

__all__ = ["keep_script_math", "math_markdown", "tex_markdown"]

_TAG_START: Final = re.compile(r"<(?=[A-Za-z/!?])")
_CONTAINERS: Final = ("MathJax", "MathJax_Display", "MathJax_Preview", "MathJax_SVG", "MathJax_CHTML")


def math_markdown(math: Node, *, display: bool = False) -> str:
    """The formula between `$`, or `$$` where it stands on its own."""
    tex = _tex(math)
    if tex:
        return tex_markdown(tex, display=display or math.get("display") == "block")
    return " ".join(_linear(math).split())


def tex_markdown(tex: str, *, display: bool = False) -> str:
    """TeX between the fences that Markdown renderers know."""
    fence = "$$" if display else "$"
    return f"{fence}{_TAG_START.sub('< ', _without_display_style(tex))}{fence}"


def keep_script_math(script: Node) -> None:
    """Turns MathJax's source script into a `math` element, so that it outlives the scripts."""
    previous = script.getprevious()
    while previous is not None and any(name in _CONTAINERS for name in (previous.get("class") or "").split()):
        drop(previous)
        previous = script.getprevious()
    tex, display = script.text or "", "mode=display" in script.get("type", "")
    script.tag, script.text = "math", None
    script.attrib.clear()
    script.set("alttext", tex)
    if display:
        script.set("display", "block")


def _tex(math: Node) -> str:
    for annotation in math.iter("annotation"):
        if "tex" in (annotation.get("encoding") or "").lower() and annotation.text:
            return one_line(annotation.text)
    return one_line(math.get("alttext", ""))


def _without_display_style(tex: str) -> str:
    """Wikipedia wraps every formula in `{\\displaystyle …}`."""
    if tex.startswith("{\\displaystyle") and tex.endswith("}"):
        return tex[len("{\\displaystyle") : -1].strip()
    return tex


def _linear(element: Node) -> str:
    tag = element.tag.rpartition("}")[2]
    if tag in ("annotation", "annotation-xml"):
        return ""
    parts = [_linear(child) for child in element]
    match tag, parts:
        case "mfrac", [above, below]:
            return f"{_group(above)}/{_group(below)}"
        case "msup", [base, above]:
            return f"{base}^{_group(above)}"
        case "msub", [base, below]:
            return f"{base}_{_group(below)}"
        case "msubsup", [base, below, above]:
            return f"{base}_{_group(below)}^{_group(above)}"
        case "msqrt", _:
            return f"√({''.join(parts)})"
        case "mroot", [base, degree]:
            return f"root({base}, {degree})"
        case (("mtr" | "mlabeledtr"), _):
            return ", ".join(parts) + "; "
    text = (element.text or "").strip()
    if tag == "mo" and text:
        return f" {text} " if text in "=<>≤≥≠≈+−±→∈" else text
    return text + "".join(parts)


def _group(text: str) -> str:
    return text if len(text) == 1 or text.isalnum() else f"({text})"
