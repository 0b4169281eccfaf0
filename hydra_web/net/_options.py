"""The operator's settings of the fetch provider, checked once."""

import math
import ssl
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from ipaddress import ip_network
from pathlib import Path
from typing import Any, Final

from hydra_web._version import __version__
from hydra_web.domains import Domains
from hydra_web.errors import ConfigError
from hydra_web.net._addresses import Network
from hydra_web.net._domains import read_domains
from hydra_web.net._targets import Origin, read_origins
from hydra_web.signals import MAX_TIMEOUT_MS
from hydra_web.urls import parse_url

__all__ = ["DEFAULT_USER_AGENT", "Options", "Proxy", "read_options", "read_ssl_context"]

DEFAULT_USER_AGENT: Final = f"hydra-web/{__version__}"
_RESERVED_HEADERS: Final = frozenset(
    {"host", "connection", "content-length", "transfer-encoding", "accept-encoding", "upgrade", "te", "trailer"}
)
_Headers = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Proxy:
    """Where an operator's proxy is; the credentials never print."""

    url: str
    """The proxy's address, without credentials."""
    auth: tuple[str, str] | None = field(default=None, repr=False)
    """User name and password."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """Checked settings."""

    timeout_ms: int
    """The total time of one fetch, in milliseconds."""
    max_response_bytes: int
    """The most bytes of a body, after decompression."""
    max_body_chars: int
    """The most characters of a body."""
    max_redirects: int
    """The most redirects followed."""
    max_url_length: int
    """The longest URL, in characters."""
    user_agent: str
    """The User-Agent header."""
    grants: frozenset[Origin]
    """Origins whose addresses may be private."""
    extra_blocked: tuple[Network, ...]
    """Networks refused besides the table's, for granted origins too."""
    allowed_ports: frozenset[int] | None
    """The only ports, or None for all but the ports of other protocols."""
    domains: Domains
    """Which domains may be fetched."""
    proxy: Proxy | None
    """The operator's proxy, which then resolves names and enforces egress."""
    headers: Mapping[Origin, _Headers] = field(repr=False)
    """Headers sent to an origin, and to no other."""
    guarded_redirects: bool
    """Whether checked redirects to other origins are followed."""
    respect_robots: bool
    """Whether robots.txt is asked first."""
    per_host_concurrency: int
    """The most fetches of one host at a time."""
    per_host_delay_ms: int
    """The least time between the starts of two fetches of one host, in milliseconds."""


def read_options(settings: Mapping[str, Any]) -> Options:
    """Checks the keyword arguments of `HttpFetch`. Raises ConfigError naming key, value and bound."""
    return Options(
        timeout_ms=_milliseconds(settings["timeout_ms"]),
        max_response_bytes=_positive("maxResponseBytes", settings["max_response_bytes"]),
        max_body_chars=_positive("maxBodyChars", settings["max_body_chars"]),
        max_redirects=_redirects(settings["max_redirects"]),
        max_url_length=_positive("maxUrlLength", settings["max_url_length"]),
        user_agent=_header_text("userAgent", settings["user_agent"]),
        grants=read_origins(settings["allowed_origins"]),
        extra_blocked=_networks(settings["extra_blocked_networks"]),
        allowed_ports=_ports(settings["allowed_ports"]),
        domains=_domains(settings["allowed_domains"], settings["blocked_domains"]),
        proxy=_proxy(settings["proxy"]),
        headers=_headers(settings["headers_for_origin"]),
        guarded_redirects=_choice("redirects", settings["redirects"], ("same-origin", "guarded")) == "guarded",
        respect_robots=_choice("robots", settings["robots"], ("ignore", "respect")) == "respect",
        per_host_concurrency=_positive("perHostConcurrency", settings["per_host_concurrency"]),
        per_host_delay_ms=_not_negative("perHostDelayMs", settings["per_host_delay_ms"]),
    )


def read_ssl_context(ssl_context: object, ca_bundle: str | Path | None) -> ssl.SSLContext | None:
    """The operator's TLS settings, or None for the shared default. Raises ConfigError."""
    if ssl_context is not None:
        if ca_bundle is not None or not isinstance(ssl_context, ssl.SSLContext):
            raise _wrong("sslContext must be an ssl.SSLContext and excludes caBundle")
        if ssl_context.verify_mode != ssl.CERT_REQUIRED or not ssl_context.check_hostname:
            raise _wrong("sslContext must verify certificates and host names")
        return ssl_context
    if ca_bundle is None:
        return None
    try:
        return ssl.create_default_context(cafile=str(ca_bundle))
    except (OSError, ValueError):
        pass
    raise _wrong("caBundle must name a readable file of PEM certificates")


def _wrong(rule: str, *value: object) -> ConfigError:
    return ConfigError(f"web-fetch-http: {rule}" + "".join(f", not {wrong!r}" for wrong in value))


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _positive(key: str, value: Any) -> int:
    if not _is_number(value) or value < 1:
        raise _wrong(f"{key} must be a positive finite number", value)
    return int(value)


def _milliseconds(value: Any) -> int:
    checked = _positive("timeoutMs", value)
    if value > MAX_TIMEOUT_MS:
        raise _wrong(f"timeoutMs must be no greater than {MAX_TIMEOUT_MS}", value)
    return checked


def _not_negative(key: str, value: Any) -> int:
    if not _is_number(value) or not 0 <= value <= MAX_TIMEOUT_MS:
        raise _wrong(f"{key} must be a number from 0 to {MAX_TIMEOUT_MS}", value)
    return int(value)


def _redirects(value: Any) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise _wrong("maxRedirects must be a non-negative integer", value)
    return value


def _choice(key: str, value: Any, choices: tuple[str, ...]) -> str:
    if value not in choices:
        raise _wrong(f"{key} must be one of {', '.join(choices)}", value)
    return str(value)


def _header_text(key: str, value: Any) -> str:
    if not isinstance(value, str) or not value or not value.isascii() or not value.isprintable():
        raise _wrong(f"{key} must be printable ASCII text")
    if value != value.strip():
        raise _wrong(f"{key} must not begin or end with a space")
    return value


def _networks(values: Iterable[Any]) -> tuple[Network, ...]:
    try:
        return tuple(ip_network(value) for value in ([values] if isinstance(values, str) else values))
    except (ValueError, TypeError):
        pass
    raise _wrong("extraBlockedNetworks must contain networks such as 161.26.0.0/16")


def _ports(values: Collection[Any] | None) -> frozenset[int] | None:
    if values is None:
        return None
    for value in values:
        if not isinstance(value, int) or isinstance(value, bool) or not 1 <= value <= 65535:
            raise _wrong("allowedPorts must contain integers from 1 to 65535", value)
    return frozenset(values)


def _domains(allowed: Iterable[str] | None, blocked: Iterable[str]) -> Domains:
    only = None if allowed is None else read_domains("allowedDomains", allowed)
    return Domains(only, read_domains("blockedDomains", blocked))


def _proxy(value: Any) -> Proxy | None:
    if value is None:
        return None
    url = parse_url(value) if isinstance(value, str) else None
    if url is None or url.protocol not in ("http:", "https:") or not url.hostname or url.pathname != "/" or url.search:
        raise _wrong("proxy must be an address such as http://proxy.example:3128")
    from urllib.parse import unquote

    auth = (unquote(url.username), unquote(url.password)) if url.username or url.password else None
    return Proxy(f"{url.protocol}//{url.host}", auth)


def _headers(values: Mapping[str, Mapping[str, str]] | None) -> Mapping[Origin, _Headers]:
    checked: dict[Origin, _Headers] = {}
    for text, headers in (values or {}).items():
        (origin,) = read_origins([text])
        for name in headers:
            is_token = isinstance(name, str) and name.isascii() and name.replace("-", "").replace("_", "").isalnum()
            if not is_token or name.lower() in _RESERVED_HEADERS:
                raise _wrong("headersForOrigin must not set connection headers and must use plain header names")
        checked[origin] = tuple((name, _header_text("headersForOrigin", value)) for name, value in headers.items())
    return checked
