"""Text that must not turn into Markdown, escaped as little as its place allows (CommonMark 0.31, GFM tables)."""

import re
from typing import Final

__all__ = [
    "BREAK",
    "IMAGE",
    "LABEL_END",
    "escape_brackets",
    "escape_cell",
    "escape_label",
    "escape_line",
    "escape_text",
    "finish_inline",
]

BREAK: Final = "\x01"
"""A hard line break, until the paragraph is finished; no text holds control characters."""
LABEL_END: Final = "]\x0f"
"""The end of a link's label, or of a bracket inside code: not text that looks like one."""
IMAGE: Final = "\x0e"
"""The `!` of an image, likewise."""

_SPECIAL: Final = re.compile(r"[\\*_`~<&]")
_INLINE: Final = re.compile(
    r"\\(?=[!-/:-@\[-`{-~]|$)|`|\*(?!(?<=\s\*)\s)|(?<![^\W_])_+|_+(?![^\W_])|~(?=~|$)|(?<=~)~|^~|<(?=[A-Za-z/!?]|$)|&(?=#?\w{1,40};|$)"
)
_LINE: Final = re.compile(
    r"#{1,6}(?=\s|$)|[-+*](?=\s|$)|[-=](?=[-=]*\s*$)|[>|]|[:-](?=[-:|\s]*$)|~~~|(\d{1,9})[.)](?=\s|$)"
)
_BRACKET: Final = re.compile(r"(\\.)|([\[\]])")
_SAFE_BRACKET: Final = {"[": "\\[", "]": "\\" + "]\x0f"}
_OTHER_SPACES: Final = "\t\n\f\r\u00a0"
_SPACES: Final = re.compile("  +")
_AROUND_BREAK: Final = re.compile(r" ?\x01 ?")


def escape_text(text: str) -> str:
    """A piece of a paragraph's text, with what could start a construct inside a line escaped."""
    return _INLINE.sub(_backslash, text) if _SPECIAL.search(text) else text


def _backslash(match: re.Match[str]) -> str:
    return "".join("\\" + char for char in match.group())


def finish_inline(text: str) -> str:
    """A paragraph put together: white space collapsed, brackets of the text kept apart from those of links."""
    text = _collapse(text)
    if BREAK in text:
        text = _AROUND_BREAK.sub(BREAK, text)
    text = text.strip(" \x01")
    if "](" in text or "][" in text or "]:" in text:
        text = text.replace("](", "\\](").replace("][", "\\][").replace("]:", "\\]:")
    if "![" in text:
        text = text.replace("![", "\\![")
    return text.replace("\x0f", "").replace(IMAGE, "!")


def _collapse(text: str) -> str:
    """Runs of white space as one space; plain replacements, as a pattern would stop at every word."""
    for space in _OTHER_SPACES:
        if space in text:
            text = text.replace(space, " ")
    return _SPACES.sub(" ", text) if "  " in text else text


def escape_line(line: str) -> str:
    """A line of a paragraph, with what could start a block at its beginning escaped."""
    match = _LINE.match(line)
    if match is None:
        return _without_header(line)
    number = match.group(1)
    return f"{number}\\{line[len(number) :]}" if number else f"\\{line}"


def _without_header(line: str) -> str:
    """A line that reads like the header of a fetched page's text gets a backslash and is one no more."""
    if line.startswith("Fetched ") and "(HTTP " in line:
        return line.replace("(HTTP ", "\\(HTTP ")
    return line.replace(":", "\\:", 1) if line.startswith("Source: ") else line


def escape_cell(text: str) -> str:
    """Inline Markdown made fit for a table cell: one line, pipes escaped."""
    return text.replace(BREAK, "<br>").replace("|", "\\|")


def escape_label(label: str) -> str:
    """Inline Markdown made fit for a link's label: every bracket has its partner, or is escaped."""
    if "[" not in label and "]" not in label:
        return label
    depth = at = 0
    while at < len(label):
        char = label[at]
        if char == "\\":
            at += 1
        elif char == "[":
            depth += 1
        elif char == "]":
            depth -= 1
            if depth < 0:
                break
        at += 1
    return label if depth == 0 else escape_brackets(label)


def escape_brackets(text: str) -> str:
    """Every bracket escaped that is not yet, so that a closing one cannot end a label."""
    return _BRACKET.sub(lambda match: match.group(1) or _SAFE_BRACKET[match.group(2)], text)
