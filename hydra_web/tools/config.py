"""What an operator may decide about the two tools."""

from collections.abc import Iterable
from dataclasses import dataclass, fields
from typing import Any, Final, Literal, get_args

from hydra_web.errors import ConfigError
from hydra_web.signals import MAX_TIMEOUT_MS
from hydra_web.urls import url_host

__all__ = ["WebToolsConfig"]

_POSITIVE: Final = (
    "search_max_results",
    "search_max_queries",
    "fetch_timeout_ms",
    "search_timeout_ms",
    "fetch_max_output_chars",
)
_SWITCHES: Final = ("search", "fetch")
_ADDRESS_PARTS: Final = frozenset("/\\?#@")


@dataclass(frozen=True, slots=True, kw_only=True)
class WebToolsConfig:
    """Settings of `WebTools`. Raises ConfigError for a wrong value, naming the key and the value."""

    search: bool = True
    """Whether `web_search` is offered."""
    fetch: bool = True
    """Whether `web_fetch` is offered."""
    search_max_results: int = 8
    """The most sources one search call returns."""
    search_max_queries: int = 4
    """The most queries one search call may hold."""
    fetch_timeout_ms: int = 30_000
    """How long one fetch call may take, in milliseconds."""
    search_timeout_ms: int = 30_000
    """How long one search call may take, in milliseconds; saved search settings go before it."""
    fetch_max_output_chars: int = 200_000
    """The most code points in one rendered fetch result, header and notice included."""
    content: Literal["main", "full"] = "main"
    """Show a page's main content, or all of it."""
    search_arguments: Literal["queries", "query"] = "queries"
    """Search with a list of queries, or with the single `query` of the first generation and its texts."""
    on_partial_failure: Literal["abort", "report"] = "abort"
    """Let one failed query fail the call, or report the failures beside what the others found."""
    outline: Literal["off", "long"] = "off"
    """With `long`, a page longer than the output bound starts with its outline."""
    allowed_domains: tuple[str, ...] | None = None
    """The only domains, subdomains included, that results and pages may come from; None is no limit."""
    blocked_domains: tuple[str, ...] = ()
    """Domains, subdomains included, that results and pages may not come from."""
    fetch_scope: Literal["any", "seen"] = "any"
    """With `seen`, only URLs from searches, fetched pages or the operator's own text may be fetched."""
    cache_seconds: int = 900
    """How long a fetched page may be used again, in seconds; 0 switches that off."""
    schema_style: Literal["standard", "strict"] = "standard"
    """With `strict`, schemas require every property, nullable where optional, and allow no others."""

    def __post_init__(self) -> None:
        for key in _SWITCHES:
            if not isinstance(getattr(self, key), bool):
                raise ConfigError(f"tool-web: {key} must be True or False, not {getattr(self, key)!r}")
        for key in _POSITIVE:
            _check_integer(key, getattr(self, key), 1, "a positive integer")
        _check_integer("cache_seconds", self.cache_seconds, 0, "an integer of 0 or more")
        _check_choices(self)
        if self.allowed_domains is not None:
            object.__setattr__(self, "allowed_domains", _domains("allowed_domains", self.allowed_domains))
            if not self.allowed_domains:
                raise ConfigError("tool-web: allowed_domains must name at least one domain, or be None for all")
        object.__setattr__(self, "blocked_domains", _domains("blocked_domains", self.blocked_domains))


def _check_integer(key: str, value: object, least: int, rule: str) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise ConfigError(f"tool-web: {key} must be {rule}, not {value!r}")
    if value > MAX_TIMEOUT_MS:
        raise ConfigError(f"tool-web: {key} must be at most {MAX_TIMEOUT_MS}, not {value!r}")


def _check_choices(config: WebToolsConfig) -> None:
    for field in fields(config):
        choices = get_args(field.type)
        value = getattr(config, field.name)
        if choices and all(isinstance(choice, str) for choice in choices) and value not in choices:
            raise ConfigError(f"tool-web: {field.name} must be one of {', '.join(choices)}, not {value!r}")


def _domains(key: str, value: Any) -> tuple[str, ...]:
    if isinstance(value, str) or not isinstance(value, Iterable):
        raise ConfigError(f"tool-web: {key} must be a list of domain names, not {value!r}")
    return tuple(_domain(key, name) for name in value)


def _domain(key: str, name: object) -> str:
    host = None
    if isinstance(name, str) and not _ADDRESS_PARTS & set(name):
        literal = name.startswith("[") or ":" not in name
        host = url_host(f"http://{name.strip().removeprefix('*.').strip('.')}/") if literal else None
    if not host or "*" in host:
        raise ConfigError(f"tool-web: {key} must hold domain names such as example.com, not {name!r}")
    return host
