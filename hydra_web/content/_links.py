"""Addresses of links and images: absolute, and only of kinds that are safe to show."""

import re
from typing import Final
from urllib.parse import urljoin

from hydra_web.content._tree import Node
from hydra_web.text import strip_invisible

__all__ = ["Links", "base_url"]

MAX_ADDRESS: Final = 8192
MAX_PLAIN: Final = 2000

_SCHEME: Final = re.compile(r"([a-z][a-z0-9+.-]*):", re.IGNORECASE)
# Absolute, or from the root of the host, and with nothing to resolve or to escape: almost every link.
_PLAIN: Final = re.compile(
    r"(?:https?://[\w-]+|/(?=[\w?#]|$))[\w~:/?#@!$&'*+,;=%-]*+(?:\.(?![./]|$)[\w~:/?#@!$&'*+,;=%-]*+)*+", re.ASCII
)
_ORIGIN: Final = re.compile(r"https?://[^/?#\\\s]+", re.IGNORECASE)
_SAFE: Final = frozenset(("http", "https", "mailto"))
_DROPPED: Final = re.compile(r"[\t\n\r]")
_ESCAPED: Final = re.compile(r'[\s<>"\\^`{|}]')
_UNBALANCED: Final = re.compile(r"\)[^(]*\(")


def base_url(root: Node, url: str) -> str:
    """The address that relative links of the page start from."""
    base = root.find(".//base[@href]")
    if base is None:
        return url
    return Links(url).absolute(base.get("href", "")) or url


class Links:
    """Turns the addresses a page wrote into absolute ones fit for a Markdown destination."""

    def __init__(self, base: str) -> None:
        self._base = base
        origin = _ORIGIN.match(base)
        self._origin = origin.group() if origin else ""
        self._known: dict[str, str] = {}

    def absolute(self, reference: str) -> str:
        """The absolute address, or an empty string for one that is unsafe or no address at all."""
        known = self._known.get(reference)
        if known is None:
            known = self._known[reference] = self._resolve(reference)
        return known

    def _resolve(self, reference: str) -> str:
        if len(reference) <= MAX_PLAIN and _PLAIN.fullmatch(reference):
            if reference[0] == "h":
                return reference
            if self._origin:
                return self._origin + reference
        address = reference.strip()
        if not (address.isascii() and address.isprintable()):
            address = _DROPPED.sub("", strip_invisible(address)).strip()
        if len(address) > MAX_ADDRESS or not _is_safe(address, default=True):
            return ""
        try:
            address = urljoin(self._base, address)
        except ValueError:
            return ""
        if not _is_safe(address):
            return ""
        address = _ESCAPED.sub(lambda bad: "".join(f"%{byte:02X}" for byte in bad.group().encode()), address)
        if address.count("(") != address.count(")") or _UNBALANCED.search(address):
            address = address.replace("(", "%28").replace(")", "%29")
        return address


def _is_safe(address: str, *, default: bool = False) -> bool:
    """Whether the address has a safe scheme; `default` for one without a scheme."""
    scheme = _SCHEME.match(address)
    return default if scheme is None else scheme.group(1).lower() in _SAFE
