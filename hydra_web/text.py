"""Text from strangers made safe to print: to a model, in Markdown, in HTML, on a terminal."""

import html
import re
from typing import Final

__all__ = ["escape_html", "escape_markdown", "one_line", "strip_invisible"]

# Never wanted in text: terminal escapes, control characters, bidirectional controls,
# invisible operators, fillers, tag characters, private use, surrogates, noncharacters.
_ESCAPE_SEQUENCE: Final = re.compile(
    r"\x1b(?:\[[0-9:;<=>?]{0,64}[ -/]{0,8}[@-~]|[\]PX^_][^\x07\x1b\n]{0,4096}(?:\x07|\x1b\\)|[ -/]{0,4}[0-~])"
)
_INVISIBLE_CHARS: Final = (
    "\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f"
    "\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff0-\ufffb\ufffe\uffff\ud800-\udfff"
    "\U000e0000-\U000e00ff\U000e01f0-\U000e0fff\U000f0000-\U0010ffff"
)
_INVISIBLE: Final = re.compile(f"[{_INVISIBLE_CHARS}]")
# Joiners belong between letters of some scripts and inside emoji; anywhere else they hide text.
_STRAY_JOINER: Final = re.compile(
    "(?<![\u0600-\u08ff\u0900-\u0dff\u1000-\u109f\u1780-\u17ff\u2600-\u27bf\ufe0f\U0001f000-\U0001faff])"
    "[\u200c\u200d]+|(?<=[\u200c\u200d])[\u200c\u200d]+"
)
# One variation selector may follow a character that has variants; a run of them can carry a message.
_STRAY_SELECTOR: Final = re.compile(
    "(?<![#*0-9\u00a9\u00ae\u203c-\u3299\u3400-\u9fff\uf900-\ufaff\U0001f000-\U0001faff\U00020000-\U0003134f])"
    "[\ufe00-\ufe0f]+"
    "|(?<![\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003134f])[\U000e0100-\U000e01ef]+"
    "|(?<=[\ufe00-\ufe0f\U000e0100-\U000e01ef])[\ufe00-\ufe0f\U000e0100-\U000e01ef]+"
)
# The two above look around at every position; a plain search first spares almost every text that, and all the rest.
_JOINERS_AND_SELECTORS: Final = "\u200c\u200d\ufe00-\ufe0f\U000e0100-\U000e01ef"
_PLACED: Final = re.compile(f"[{_JOINERS_AND_SELECTORS}]")
_SUSPECT: Final = re.compile(f"[{_INVISIBLE_CHARS}{_JOINERS_AND_SELECTORS}\u2028\u2029]")
_SPACE: Final = re.compile(r"\s+")
_MARKDOWN_SPECIAL: Final = re.compile(r"([\\`*_\[\]<>~|!])")


def strip_invisible(text: str) -> str:
    """The text with only what a reader can see, line breaks as `\\n`, joiners kept where scripts need them.

    Text that needs no change comes back as the same object.
    """
    if not _SUSPECT.search(text):
        return text
    text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\u2028", "\n").replace("\u2029", "\n")
    if "\x1b" in text:
        text = _ESCAPE_SEQUENCE.sub("", text)
    text = _INVISIBLE.sub("", text)
    if text.isascii() or not _PLACED.search(text):
        return text
    return _STRAY_SELECTOR.sub("", _STRAY_JOINER.sub("", text))


def one_line(text: str) -> str:
    """The visible text on a single line, runs of white space as one space."""
    return _SPACE.sub(" ", strip_invisible(text)).strip()


def escape_markdown(text: str) -> str:
    """One line of text with every character escaped that could start Markdown inside a line."""
    return _MARKDOWN_SPECIAL.sub(r"\\\1", one_line(text))


def escape_html(text: str) -> str:
    """Visible text escaped for HTML content and quoted attributes."""
    return html.escape(strip_invisible(text), quote=True)
