"""Every way a fetch can fail: a code, a stable reason and a fixed text.

Nothing a server wrote gets into a text; the only variable parts are our own limits, an origin
that was parsed and written anew by us, and a media type that passed its grammar.
"""

from typing import Final

from hydra_web.errors import WebError

__all__ = ["TRANSPORT_TEXTS", "blocked", "invalid", "redirect_blocked", "transport_failed", "unsupported"]

NOT_PUBLIC: Final = (
    "web fetch destination is not a public IP address; this is policy, so other spellings and mirrors "
    "of the same host are refused too"
)

_BLOCKED_TEXTS: Final = {
    "address": NOT_PUBLIC,
    "name": NOT_PUBLIC,
    "own_address": NOT_PUBLIC,
    "credentials": "credentials in URLs are not allowed",
    "port": "web fetch does not connect to this port; this is policy",
    "robots": "the site's robots.txt does not allow fetching this page; this is policy",
}

TRANSPORT_TEXTS: Final = {
    "dns_failed": "web fetch failed: the host name could not be resolved",
    "dns_empty": "web fetch DNS returned no addresses",
    "connection_refused": "web fetch failed: the connection was refused",
    "connect_failed": "web fetch failed: the server could not be reached",
    "proxy": "web fetch failed: the proxy did not open a connection",
    "tls_certificate": "web fetch failed: the server's TLS certificate could not be verified",
    "tls": "web fetch failed: no secure TLS connection could be made",
    "closed_early": "web fetch failed: the server closed the connection early",
    "protocol": "web fetch failed: the server broke the HTTP protocol",
    "headers": "web fetch failed: the server sent too many headers",
    "encoding": "web fetch failed: the compressed body is malformed",
}
"""The text of each transport failure, by reason."""


def blocked(reason: str) -> WebError:
    """Policy refuses the URL: `address`, `name`, `own_address`, `credentials`, `port` or `robots`."""
    return WebError(_BLOCKED_TEXTS[reason], "WEB_BLOCKED_URL", reason)


def invalid(message: str, reason: str) -> WebError:
    """The URL is not one we read."""
    return WebError(message, "WEB_INVALID_URL", reason)


def redirect_blocked(message: str, reason: str) -> WebError:
    """A redirect that is not followed."""
    return WebError(message, "WEB_REDIRECT_BLOCKED", reason)


def transport_failed(reason: str) -> WebError:
    """The connection or the protocol failed; reasons are the keys of `TRANSPORT_TEXTS`."""
    return WebError(TRANSPORT_TEXTS[reason], "WEB_PROVIDER_ERROR", reason)


def unsupported(message: str, reason: str) -> WebError:
    """The body is of a kind that is not read."""
    return WebError(message, "WEB_UNSUPPORTED_CONTENT_TYPE", reason)
