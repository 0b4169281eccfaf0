"""Reading a URL once, strictly, so that what is judged is what will be dialled. Pure: no lookups.

The URL is read as the WHATWG standard reads it, after checks that refuse whatever other readers would
understand differently; then httpx must agree about scheme, host and port.
"""

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from ipaddress import IPv6Address
from typing import Final

import ada_url
import httpx

from hydra_web.errors import ConfigError, WebError
from hydra_web.net import _tables
from hydra_web.net._addresses import may_dial, read_address
from hydra_web.net._failures import blocked, invalid
from hydra_web.text import one_line
from hydra_web.urls import parse_url, url_host

__all__ = ["Origin", "Target", "check_url", "join", "read_origins", "read_target"]

MAX_URL_LENGTH: Final = 2048
_ASCII_SPACE: Final = " \t\n\f\r"
_DEFAULT_PORTS: Final = {"http": 80, "https": 443}
_SHAPE: Final = re.compile(r"(https?)://([^/?#]*)([/?#].*)?", re.IGNORECASE | re.DOTALL)
_SCHEME: Final = re.compile(r"([a-z][a-z0-9+.\-]*):", re.IGNORECASE | re.ASCII)
_FORBIDDEN: Final = re.compile("[\x00-\x20\x7f-\xa0\\\\\ud800-\udfff]")
_FORBIDDEN_IN_AUTHORITY: Final = re.compile(
    "[%\u00ad\u034f\u061c\u115f\u1160\u1680\u17b4\u17b5\u180b-\u180f\u2000-\u200f\u2028-\u202f\u205f-\u206f\u3000"
    "\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\uffff\U000e0000-\U000e0fff]"
)
_AUTHORITY: Final = re.compile(r"(\[[0-9a-f:.]+\]|[^\[\]:@]+)(?::([0-9]{0,5}))?", re.IGNORECASE | re.ASCII)
_LABEL: Final = re.compile(r"(?!-)[a-z0-9_\-]{1,63}(?<!-)", re.ASCII)


@dataclass(frozen=True, slots=True)
class Origin:
    """A scheme, a host and a port: what a grant names and what a redirect may not leave."""

    scheme: str
    """`http` or `https`."""
    host: str
    """The canonical host: A-labels, a dotted quad or a compressed IPv6 address; no brackets, no root dot."""
    port: int
    """The port, the scheme's own included."""

    def __str__(self) -> str:
        port = "" if self.port == _DEFAULT_PORTS[self.scheme] else f":{self.port}"
        return f"{self.scheme}://{f'[{self.host}]' if ':' in self.host else self.host}{port}"


@dataclass(frozen=True, slots=True)
class Target:
    """A URL that policy allows, in canonical parts."""

    scheme: str
    """`http` or `https`."""
    host: str
    """The canonical host: A-labels, a dotted quad or a compressed IPv6 address; no brackets, no root dot."""
    port: int
    """The port, the scheme's own included."""
    url: str
    """The canonical URL, without a fragment."""
    granted: bool
    """Whether the operator allowed this exact origin, so that its addresses may be private."""

    @property
    def origin(self) -> Origin:
        """The target's origin."""
        return Origin(self.scheme, self.host, self.port)

    @property
    def is_literal(self) -> bool:
        """Whether the host is an address, for which no lookup is made."""
        return read_address(self.host) is not None

    @property
    def has_default_port(self) -> bool:
        """Whether the port is the scheme's own."""
        return self.port == _DEFAULT_PORTS[self.scheme]

    @property
    def path(self) -> str:
        """The path and query, percent-encoded, as they are sent."""
        return self.url[len(str(self.origin)) :]


def check_url(
    url: str,
    allowed_origins: Iterable[str] = (),
    allowed_ports: Collection[int] | None = None,
) -> Target:
    """Reads and judges a URL without looking anything up.

    White space around it is dropped; nothing else is repaired. `allowed_origins` are exact origins such as
    `http://wiki.corp:8080` whose addresses may be private; `allowed_ports`, when given, are the only ports.
    Raises WebError: `WEB_INVALID_URL` or `WEB_BLOCKED_URL`; ConfigError for a wrong entry of `allowed_origins`.
    """
    return read_target(url, read_origins(allowed_origins), allowed_ports, MAX_URL_LENGTH)


def read_target(url: str, grants: frozenset[Origin], allowed_ports: Collection[int] | None, max_length: int) -> Target:
    """As `check_url`, with the grants already read and a length limit of the caller's."""
    if not isinstance(url, str):
        raise invalid("invalid URL: not a text", "not_text")
    text = url.strip(_ASCII_SPACE)
    if len(text) > max_length:
        raise invalid(f"URL exceeds the maximum length of {max_length}", "too_long")
    origin, path = _read(text)
    granted = origin in grants
    _check_host(origin, granted)
    if not granted and (
        origin.port in _tables.BAD_PORTS if allowed_ports is None else origin.port not in allowed_ports
    ):
        raise blocked("port")
    target = Target(scheme=origin.scheme, host=origin.host, port=origin.port, url=f"{origin}{path}", granted=granted)
    if not _httpx_agrees(target):
        raise _not_a_url(text, "ambiguous")
    return target


def read_origins(origins: Iterable[str]) -> frozenset[Origin]:
    """The operator's exact origins, canonical. Raises ConfigError for anything that is not one."""
    return frozenset(map(_read_origin, [origins] if isinstance(origins, str) else origins))


def join(base: str, reference: str) -> str | None:
    """A relative reference made absolute as the standard does, or None where that gives no URL."""
    try:
        return str(ada_url.URL(reference, base=base).href)
    except ValueError:
        return None


def _read_origin(text: str) -> Origin:
    try:
        origin, path = _read(text)
    except WebError:
        origin, path = None, ""
    if origin is None or path != "/" or any(mark in text for mark in "*?#"):
        raise ConfigError(
            "web-fetch-http: allowedOrigins must contain exact HTTP(S) origins without credentials, paths, or wildcards"
        )
    return origin


def _read(text: str) -> tuple[Origin, str]:
    """The origin and the path with query of a URL's text. Raises WebError."""
    shape = _SHAPE.fullmatch(text) if isinstance(text, str) and not _FORBIDDEN.search(text) else None
    if shape is None:
        raise _misshapen(text)
    authority = shape[2]
    if "@" in authority:
        raise blocked("credentials")
    parts = _AUTHORITY.fullmatch(authority)
    if parts is None or _FORBIDDEN_IN_AUTHORITY.search(authority):
        raise _not_a_url(text, "host")
    if int(parts[2] or 0) > 65535:
        raise _not_a_url(text, "port")
    parsed = parse_url(text)
    host = _canonical_host(parsed.hostname) if parsed is not None else None
    if parsed is None or host is None:
        raise _not_a_url(text, "host")
    scheme = parsed.protocol[:-1]
    port = int(parts[2]) if parts[2] else _DEFAULT_PORTS[scheme]
    return Origin(scheme, host, port), f"{parsed.pathname}{parsed.search}"


def _misshapen(text: str) -> WebError:
    scheme = _SCHEME.match(text) if isinstance(text, str) else None
    if scheme is not None and scheme[1].lower() not in _DEFAULT_PORTS:
        return invalid(
            f'unsupported URL scheme "{scheme[1].lower()[:40]}:" (only http and https are allowed)', "scheme"
        )
    return _not_a_url(text, "syntax")


def _not_a_url(text: str, reason: str) -> WebError:
    return invalid(f"invalid URL: {one_line(str(text))[:200]}", reason)


def _canonical_host(hostname: str) -> str | None:
    """The host as it is compared and dialled, or None where it is no DNS name and no address."""
    if hostname.startswith("["):
        return str(IPv6Address(hostname[1:-1]))
    host = hostname.removesuffix(".")
    if len(host) > 253 or not all(_LABEL.fullmatch(label) for label in host.split(".")):
        return None
    return host if "xn--" not in host or _survives_round_trip(host) else None


def _survives_round_trip(host: str) -> bool:
    """Whether every A-label stands for a name that the standard writes the same way."""
    try:
        labels = [
            label[4:].encode().decode("punycode") if label.startswith("xn--") else label for label in host.split(".")
        ]
    except (UnicodeError, ValueError):
        return False
    if any(label.isascii() for label, spelt in zip(labels, host.split("."), strict=True) if spelt.startswith("xn--")):
        return False
    return all(url_host(f"http://{spelling}/") == host for spelling in (".".join(labels), host))


def _check_host(origin: Origin, granted: bool) -> None:
    address = read_address(origin.host)
    if address is not None:
        if not may_dial(address, granted=granted):
            raise blocked("address")
        return
    labels = origin.host.split(".")
    parents = {".".join(labels[start:]) for start in range(len(labels))}
    if not granted and (len(labels) == 1 or parents & _tables.SPECIAL_NAMES):
        raise blocked("name")


def _httpx_agrees(target: Target) -> bool:
    """Whether httpx reads the canonical URL as the same scheme, host and port, with no credentials."""
    try:
        url = httpx.URL(target.url)
        read = (url.scheme, url.raw_host.decode("ascii"), url.port or _DEFAULT_PORTS[target.scheme], url.userinfo)
    except (httpx.InvalidURL, ValueError, IndexError):
        return False
    return read == (target.scheme, target.host, target.port, b"")
