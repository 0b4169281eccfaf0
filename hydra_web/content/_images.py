"""Pictures: where the real one is, and what its description says."""

import re
from collections.abc import Set as AbstractSet
from typing import Final

from hydra_web.content._escape import IMAGE, LABEL_END, escape_brackets, escape_text
from hydra_web.content._links import Links
from hydra_web.content._math import tex_markdown
from hydra_web.content._tree import Node
from hydra_web.text import one_line

__all__ = ["described_images", "image_markdown", "image_source"]

MAX_DESCRIPTION: Final = 200

MAX_IMAGES: Final = 500
FEW_IMAGES: Final = 2
ALIKE_CHARS: Final = 60
MOST_WORDS: Final = 0.6

_WORD: Final = re.compile(r"\w{4,}")
_FILE_NAME: Final = re.compile(r"\.(?:jpe?g|png|gif|webp|svg|avif)$", re.IGNORECASE)
_LAZY: Final = (
    "data-src",
    "data-original",
    "data-lazy-src",
    "data-lazy",
    "data-hi-res-src",
    "data-full-src",
    "data-image",
    "data-url",
)
_SRCSET: Final = re.compile(r"([^\s,]\S{0,4000})(?:\s{1,9}([\d.]{1,9})[wx])?")
_FORMULA: Final = re.compile(r"(?:^|\s)(?:mwe-math-fallback-image-(?:inline|display)|tex|latex)(?:\s|$)")
_PIXEL: Final = frozenset(("0", "1", "0px", "1px"))


def image_markdown(image: Node, links: Links, *, images: bool) -> str:
    """`![alt](url)`, or `[image: alt]` where addresses are not wanted, or nothing for a tracking pixel."""
    if image.get("width") in _PIXEL and image.get("height") in _PIXEL:
        return ""
    described = one_line(image.get("alt", "")[:4000])
    if described and _FORMULA.search(image.get("class") or ""):
        return tex_markdown(described)
    alt = escape_text(described[:MAX_DESCRIPTION])
    label = escape_brackets(alt)
    source = image_source(image) if images else ""
    address = links.absolute(source) if source else ""
    if not address.startswith("http"):
        return f"[image: {label}]" if label else ""
    title = one_line(image.get("title", ""))[:MAX_DESCRIPTION].replace("\\", "\\\\").replace('"', '\\"')
    return f'{IMAGE}[{label}{LABEL_END}({address} "{title}")' if title else f"{IMAGE}[{label}{LABEL_END}({address})"


def described_images(node: Node, skip: AbstractSet[Node], length: int, page_text: str) -> AbstractSet[Node]:
    """The pictures whose descriptions say something that the page's text does not; `length` code points are shown.

    Descriptions in links mostly repeat a title, those beside a caption say the same in other words, and those of a
    gallery would bury the text: more than a few are shown only while they stay below a hundredth of it.
    """
    captioned = {next(caption.iterancestors("figure"), None) for caption in node.iter("figcaption")}
    told: dict[Node, int] = {}
    known: frozenset[str] = frozenset()
    for seen, image in enumerate(node.iter("img")):
        if seen >= MAX_IMAGES:
            return frozenset()
        alt = one_line(image.get("alt", "")[:1000])
        if not alt or _FILE_NAME.search(alt) or alt[:ALIKE_CHARS] in page_text:
            continue
        around = image.iterancestors()
        if not any(ancestor.tag == "a" or ancestor in skip or ancestor in captioned for ancestor in around):
            known = known or frozenset(_WORD.findall(page_text.lower()))
            words = _WORD.findall(alt.lower())
            if not words or sum(word in known for word in words) < MOST_WORDS * len(words):
                told[image] = len(alt)
    return told.keys() if len(told) <= FEW_IMAGES or sum(told.values()) * 100 <= length else frozenset()


def image_source(image: Node) -> str:
    """The address of the picture itself where `src` holds a stand-in for lazy loading."""
    for name in _LAZY:
        value = image.get(name)
        if value and not value.startswith(("data:", "{")):
            return str(value)
    source: str = image.get("src", "")
    if source and not source.startswith("data:"):
        return source
    for element in (image, *_alternatives(image)):
        for name in ("srcset", "data-srcset", "data-lazy-srcset"):
            if element.get(name):
                return _largest(element.get(name)[:20_000]) or source
    return source


def _alternatives(image: Node) -> list[Node]:
    """The sources of a `picture`; libxml2 nests what follows a `source` inside it."""
    around = []
    for ancestor in image.iterancestors():
        if ancestor.tag == "source":
            around.append(ancestor)
        else:
            return around + list(ancestor.iterchildren("source")) if ancestor.tag == "picture" else []
    return []


def _largest(srcset: str) -> str:
    """The candidate with the highest descriptor (https://html.spec.whatwg.org/#srcset-attribute)."""
    best, best_size = "", -1.0
    for candidate in srcset.split(", ") if ", " in srcset else srcset.split(","):
        found = _SRCSET.search(candidate)
        if found:
            try:
                size = float(found.group(2) or 1)
            except ValueError:
                size = 1.0
            if size > best_size:
                best, best_size = found.group(1).rstrip(","), size
    return best
