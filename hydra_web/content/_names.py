"""Element names by how they behave: data, no logic."""

from typing import Final

__all__ = [
    "BLOCKS",
    "CODE",
    "DELETED",
    "EMBEDS",
    "EMPHASIS",
    "HEADINGS",
    "LINES",
    "MEDIA",
    "NEVER_TEXT",
    "SILENT",
    "STRONG",
    "word_set",
]


def word_set(text: str) -> frozenset[str]:
    """The words of the text."""
    return frozenset(text.split())


BLOCKS: Final = word_set(
    "address article aside blockquote body caption center colgroup dd details dialog dir div dl dt fieldset figcaption"
    " figure footer form h1 h2 h3 h4 h5 h6 header hgroup hr html legend li main menu nav ol optgroup option p pre"
    " search section summary table tbody td tfoot th thead tr ul xmp listing plaintext"
)
"""Elements that start and end a line of their own."""

LINES: Final = BLOCKS | {"br"}
"""Elements that end a line of plain text."""

SILENT: Final = word_set(
    "applet area basefont button canvas col colgroup command datalist dialog embed frame frameset head link map meta"
    " noembed noframes noscript object optgroup option param script select style svg template textarea title"
)
"""Elements whose content is not text of the page."""

HEADINGS: Final = {f"h{level}": "#" * level + " " for level in range(1, 7)}
"""Heading elements and how their line starts."""

STRONG: Final = word_set("b strong")
EMPHASIS: Final = word_set("em i")
DELETED: Final = word_set("del s strike")
CODE: Final = word_set("code kbd samp tt")

MEDIA: Final = word_set("audio iframe video")
"""Elements that embed something worth a link."""

EMBEDS: Final = word_set(
    "youtube.com youtube-nocookie.com youtu.be vimeo.com dailymotion.com soundcloud.com spotify.com codepen.io"
    " jsfiddle.net codesandbox.io loom.com ted.com twitch.tv slideshare.net speakerdeck.com openstreetmap.org"
)
"""Hosts whose frames are content; frames of other hosts are mostly advertisements."""

NEVER_TEXT: Final = word_set(
    "applet button canvas datalist dialog embed frameset link map meta noembed noframes object rp script select style"
    " svg template textarea"
)
"""Elements taken out of the tree before anything is weighed."""
