"""What the mapping of an own search API may hold; the refusals are fixed sentences without the value. Pure."""

import json
import re
from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import parse_qsl

from hydra_web.errors import ConfigError
from hydra_web.protocols import JsonObject
from hydra_web.providers._http import transport_accepts
from hydra_web.providers._mapping import FORBIDDEN_NAMES
from hydra_web.providers.credentials import check_reference
from hydra_web.urls import parse_url

__all__ = ["check_custom_endpoint", "check_header_name", "header_references", "static_body"]

_SECRET_NAME: Final = re.compile(r"authorization|cookie|password|secret|token|api[-_]?key", re.IGNORECASE)
_HEADER_NAME: Final = re.compile(r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+")  # RFC 9110, 5.6.2
_TRANSPORT_HEADERS: Final = frozenset({"host", "content-length", "transfer-encoding", "connection"})
_CREDENTIALS_ELSEWHERE: Final = "Store search credentials through the credential controls, not request JSON."


def check_custom_endpoint(value: Any) -> None:
    """Raises ConfigError unless the value is an http(s) URL without credentials and fragment."""
    url = parse_url(value) if isinstance(value, str) else None
    if url is None:
        raise ConfigError("Search endpoint must be an HTTP(S) URL.")
    names = [name for name, _ in parse_qsl(url.search.removeprefix("?"), keep_blank_values=True)]
    secret = any(_SECRET_NAME.search(name) for name in names)
    web = url.protocol in ("http:", "https:") and bool(url.hostname) and transport_accepts(value)
    if not web or url.username or url.password or "#" in value or secret:
        raise ConfigError("Search endpoint must be HTTP(S) without embedded credentials or a fragment.")


def check_header_name(name: Any) -> None:
    """Raises ConfigError unless the name is a header that a search may set."""
    if not isinstance(name, str) or not _HEADER_NAME.fullmatch(name):
        raise ConfigError("Search header names must be legal HTTP header names.")
    if name.lower() in _TRANSPORT_HEADERS:
        raise ConfigError("Search transport headers cannot be overridden.")


def header_references(value: Any) -> dict[str, str]:
    """The extra headers and the credential that fills each. Raises ConfigError."""
    references = _json_object(value)
    for name, reference in references.items():
        if name in FORBIDDEN_NAMES:
            raise ConfigError(_CREDENTIALS_ELSEWHERE)
        check_header_name(name)
        if not isinstance(reference, str):
            raise ConfigError("Custom header values must be credential references.")
        check_reference("header_refs", reference)
    return references


def static_body(value: Any) -> JsonObject:
    """A fresh copy of what every request holds. Raises ConfigError."""
    body = _json_object(value)
    _refuse_secrets(body)
    return body


def _json_object(value: Any) -> JsonObject:
    parsed = None
    malformed = False
    try:
        parsed = json.loads(value if isinstance(value, str) else json.dumps(value))
        json.dumps(parsed, allow_nan=False)
    except (TypeError, ValueError, RecursionError):
        malformed = True
    if malformed:
        raise ConfigError("Search JSON must be a valid object.")
    if not isinstance(parsed, dict) or not isinstance(value, str | Mapping):
        raise ConfigError("Search JSON must be an object.")
    return parsed


def _refuse_secrets(body: JsonObject) -> None:
    pending: list[Any] = [body]
    while pending:
        value = pending.pop()
        if isinstance(value, list):
            pending += value
        elif isinstance(value, dict):
            if any(name in FORBIDDEN_NAMES or _SECRET_NAME.search(name) for name in value):
                raise ConfigError(_CREDENTIALS_ELSEWHERE)
            pending += value.values()
