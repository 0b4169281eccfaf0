"""The operator's saved search preferences: their rules, and a source that keeps them in memory.

A settings section holds only what a person has set, under camelCase keys. Defaults come in on reading.
"""

import threading
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

from pydantic import ValidationError
from pydantic.fields import FieldInfo

from hydra_web.errors import ConfigError
from hydra_web.types import WebSearchSettings

__all__ = ["SEARCH_NAMESPACE", "MemorySettings", "merge_section", "search_settings"]

SEARCH_NAMESPACE: Final = "web-search"
"""The settings section that holds the fields of `WebSearchSettings`."""

_FIELDS: Final = {field.alias or name: field for name, field in WebSearchSettings.model_fields.items()}
_KEYS: Final = {name: field.alias or name for name, field in WebSearchSettings.model_fields.items()}


def search_settings(section: Mapping[str, Any], provider: str = "") -> WebSearchSettings:
    """A `web-search` section laid over the defaults, of which `provider` is the composition's own.

    Raises ConfigError naming the first wrong key, its value and its bounds.
    """
    try:
        return WebSearchSettings.model_validate({"provider": provider, **_canonical(section)})
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
    raise ConfigError(_explain(str(first["loc"][0]), first["input"]))


def merge_section(namespace: str, section: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    """The section after the changes, of which a None removes its key.

    Raises ConfigError when a key or value of `web-search` would be wrong; other sections
    belong to their providers and have no rules here.
    """
    if namespace == SEARCH_NAMESPACE:
        section, changes = _canonical(section), _canonical(changes)
    merged = {key: value for key, value in {**section, **changes}.items() if value is not None}
    if namespace == SEARCH_NAMESPACE:
        search_settings(merged)
    return merged


class MemorySettings:
    """Settings that live as long as the process. Safe from several threads.

    `sections` are the initial settings by namespace. Raises ConfigError for a wrong value.
    """

    def __init__(self, sections: Mapping[str, Mapping[str, Any]] | None = None) -> None:
        self._lock = threading.Lock()
        self._sections = {name: merge_section(name, {}, section) for name, section in (sections or {}).items()}

    @classmethod
    def of_search(cls, settings: WebSearchSettings) -> "MemorySettings":
        """A source with the fields that were given to these settings; the others keep their defaults."""
        return cls({SEARCH_NAMESPACE: settings.model_dump(by_alias=True, exclude_unset=True)})

    @property
    def writable(self) -> bool:
        """Always: memory can be written."""
        return True

    def section(self, namespace: str) -> Mapping[str, Any]:
        """The keys set in a section; empty when there are none."""
        with self._lock:
            return MappingProxyType(self._sections.get(namespace, {}))

    def update(self, namespace: str, changes: Mapping[str, Any]) -> None:
        """Sets keys of a section, all or none; None removes a key. Raises ConfigError for a wrong value."""
        with self._lock:
            self._sections[namespace] = merge_section(namespace, self._sections.get(namespace, {}), changes)


def _canonical(section: Mapping[str, Any]) -> dict[str, Any]:
    return {_KEYS.get(key, key): value for key, value in section.items()}


def _explain(key: str, value: object) -> str:
    field = _FIELDS.get(key)
    if field is None:
        return f"{SEARCH_NAMESPACE} has no setting {_short(key)}; it has {', '.join(_FIELDS)}"
    return f"{SEARCH_NAMESPACE}.{key} must be {_rule(field)}, not {_short(value)}"


def _rule(field: FieldInfo) -> str:
    if field.annotation is bool:
        return "true or false"
    if field.annotation is str:
        return "text"
    low, high = (next(getattr(rule, end) for rule in field.metadata if hasattr(rule, end)) for end in ("ge", "le"))
    return f"an integer from {low} to {high}"


def _short(value: object) -> str:
    text = ascii(value)
    return text if len(text) <= 40 else f"{text[:37]}..."
