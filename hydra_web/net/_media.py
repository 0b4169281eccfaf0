"""What kind of content a response says it is. Pure."""

import re
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from hydra_web.net._failures import unsupported

__all__ = ["ACCEPT", "Media", "MediaKind", "read_media"]

MediaKind: TypeAlias = Literal["html", "text", "pdf"]

ACCEPT: Final = (
    "text/markdown,text/html;q=0.9,application/xhtml+xml;q=0.9,text/*;q=0.8,application/json;q=0.7,"
    "application/xml;q=0.7,application/pdf;q=0.5"
)
_TYPE: Final = re.compile(r"[\w.+\-]{1,64}/[\w.+\-]{1,64}", re.ASCII)
_CHARSET: Final = re.compile(r";\s*charset\s*=\s*[\"']?([^\"';,]+)", re.IGNORECASE | re.ASCII)
_LABEL: Final = re.compile(r"[\w.:+\-]{1,40}", re.ASCII)
_ENDLESS: Final = frozenset({"text/event-stream", "multipart/x-mixed-replace"})


@dataclass(frozen=True, slots=True)
class Media:
    """A content type that is read."""

    type: str
    """The media type, lower case, without parameters."""
    kind: MediaKind
    """Which body it becomes."""
    charset: str | None
    """The declared charset, lower case, or None."""


def read_media(header: str | None) -> Media:
    """What a Content-Type header means. Raises WebError `WEB_UNSUPPORTED_CONTENT_TYPE` for what is not read."""
    essence = (header or "").partition(";")[0].strip().lower()
    kind = _kind(essence) if _TYPE.fullmatch(essence) else None
    if kind is None:
        known = essence if _TYPE.fullmatch(essence) else "unknown"
        raise unsupported(f'unsupported content type "{known}"', "content_type")
    return Media(essence, kind, _charset(header or ""))


def _kind(essence: str) -> MediaKind | None:
    if essence in _ENDLESS:
        return None
    if essence in ("text/html", "application/xhtml+xml"):
        return "html"
    if essence == "application/pdf":
        return "pdf"
    is_text = essence.startswith("text/") or essence in ("application/json", "application/xml")
    return "text" if is_text or essence.endswith(("+json", "+xml")) else None


def _charset(header: str) -> str | None:
    found = _CHARSET.search(header)
    if found is None:
        return None
    label = found[1].strip().lower()
    if not _LABEL.fullmatch(label):
        raise unsupported('unsupported charset "unknown"', "charset")
    return label
