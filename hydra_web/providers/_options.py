"""Checks of what an operator configured; every refusal names the key, the value and the bound. Pure."""

from typing import Any

from hydra_web.errors import ConfigError
from hydra_web.providers._http import transport_accepts
from hydra_web.urls import parse_url

__all__ = [
    "check_choice",
    "check_endpoint",
    "check_integer",
    "check_optional_integer",
    "check_proxy",
    "origin_of",
]


def check_integer(key: str, value: Any, least: int, most: int | None = None) -> None:
    """Raises ConfigError unless the value is an integer within the bounds; booleans are none."""
    if isinstance(value, bool) or not isinstance(value, int) or value < least or (most is not None and value > most):
        bounds = f"of at least {least}" if most is None else f"from {least} to {most}"
        raise ConfigError(f"{key} must be an integer {bounds}, not {value!r}")


def check_optional_integer(key: str, value: Any, least: int, most: int | None = None) -> None:
    """As `check_integer`, with None for "not set"."""
    if value is not None:
        check_integer(key, value, least, most)


def check_choice(key: str, value: Any, choices: tuple[str, ...]) -> None:
    """Raises ConfigError unless the value is one of the choices."""
    if value not in choices:
        raise ConfigError(f"{key} must be one of {', '.join(choices)}, not {value!r}")


def check_endpoint(key: str, value: Any) -> None:
    """Raises ConfigError unless the value is an http(s) URL without user name, query and fragment.

    The value is not repeated, since a key may have been put into it.
    """
    url = parse_url(value) if isinstance(value, str) else None
    if url is None or url.protocol not in ("http:", "https:") or not url.hostname or not transport_accepts(value):
        raise ConfigError(f"{key} must be an http(s) URL")
    if url.username or url.password or "?" in value or "#" in value:
        raise ConfigError(f"{key} must not hold a user name, a query or a fragment")


def check_proxy(value: str | None) -> None:
    """Raises ConfigError unless the value is an http(s) URL; it is not repeated, since a password may be in it."""
    url = None if value is None else parse_url(value)
    if value is not None and (url is None or url.protocol not in ("http:", "https:") or not transport_accepts(value)):
        raise ConfigError("proxy must be an http(s) URL")


def origin_of(url: str) -> str | None:
    """Scheme, host and port of a URL, as the standard serialises them."""
    parsed = parse_url(url)
    return None if parsed is None else str(parsed.origin)
