"""The seams: what a provider, a settings source or a store must offer to be plugged in."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias, runtime_checkable

from hydra_web.signals import AbortSignal
from hydra_web.types import WebFetchRequest, WebFetchResult, WebSearchRequest, WebSearchResult

__all__ = [
    "CacheableFetchProvider",
    "Charge",
    "ChargeDecision",
    "ChargeLimits",
    "JsonObject",
    "SettingsSource",
    "Store",
    "WebFetchProvider",
    "WebSearchProvider",
]

JsonObject: TypeAlias = dict[str, Any]
"""A JSON object: string keys, JSON values."""


@runtime_checkable
class WebSearchProvider(Protocol):
    """Something that can search. A `descriptor: WebSearchProviderDescriptor` is read when present."""

    @property
    def id(self) -> str:
        """A short stable name, unique among search providers."""
        ...

    def available(self) -> bool:
        """Whether it could run now, judged locally and at once: no network."""
        ...

    async def search(self, request: WebSearchRequest, signal: AbortSignal | None = None) -> WebSearchResult:
        """Runs one search. Raises SearchProviderError for anything that goes wrong."""
        ...


@runtime_checkable
class WebFetchProvider(Protocol):
    """Something that can fetch a page."""

    @property
    def id(self) -> str:
        """A short stable name, unique among fetch providers."""
        ...

    def available(self) -> bool:
        """Whether it could run now, judged locally and at once: no network."""
        ...

    async def fetch(self, request: WebFetchRequest, signal: AbortSignal | None = None) -> WebFetchResult:
        """Fetches one page. Raises WebError for anything that goes wrong."""
        ...


@runtime_checkable
class CacheableFetchProvider(WebFetchProvider, Protocol):
    """A fetch provider whose pages may be kept and asked for again."""

    def cache_key(self, url: str) -> str | None:
        """Checks the provider's policy for the URL and names its cache entry.

        None when the page must not be shared, because it was reached by a grant or with the
        operator's headers. Raises WebError when the policy refuses the URL.
        """
        ...

    async def revalidate(
        self, request: WebFetchRequest, known: WebFetchResult, signal: AbortSignal | None = None
    ) -> WebFetchResult:
        """Asks whether a known page has changed; gives the known page, marked fresh, when it has not."""
        ...


@runtime_checkable
class SettingsSource(Protocol):
    """Where an operator's saved settings live, by section."""

    @property
    def writable(self) -> bool:
        """Whether `update` can work."""
        ...

    def section(self, namespace: str) -> Mapping[str, Any]:
        """The keys a person has set in a section; no defaults, empty when there are none."""
        ...

    def update(self, namespace: str, changes: Mapping[str, Any]) -> None:
        """Sets keys of a section, all or none; a value of None removes the key."""
        ...


@dataclass(frozen=True, slots=True)
class Charge:
    """One use of a budget."""

    owner: str
    """The id of the session that makes the call."""
    kind: str
    """`search`, `fetch` or `browser`."""
    queries: int
    """How many distinct queries a search holds; 0 for the other kinds."""
    at: float
    """When, in seconds since the epoch."""


@dataclass(frozen=True, slots=True)
class ChargeLimits:
    """What a budget allows for the kind of call at hand; None is no limit."""

    max_calls: int | None = None
    """The most calls of the charge's kind."""
    max_queries: int | None = None
    """The most queries over all searches."""
    max_duration_ms: int | None = None
    """How long after the first charge of any kind calls are still admitted, in milliseconds."""


@dataclass(frozen=True, slots=True)
class ChargeDecision:
    """What became of a charge."""

    admitted: bool
    """Whether it was recorded."""
    calls: int
    """Calls of its kind so far, this one included when admitted."""
    queries: int
    """Queries so far, this charge's included when admitted."""
    started_at: float
    """When the first charge of any kind was made, in seconds since the epoch; `at` for the first."""


@runtime_checkable
class Store(Protocol):
    """Where evidence, pages and charges are kept. Safe from several threads; methods may block.

    Every method raises WebError with code `WEB_STORE_ERROR` when the store cannot be used.
    """

    def append(self, stream: str, record: JsonObject) -> int:
        """Adds a record to a stream and returns its sequence number, counted from 1."""
        ...

    def read(self, stream: str, after: int = 0) -> list[tuple[int, JsonObject]]:
        """The records of a stream whose sequence number is above `after`, in order."""
        ...

    def put(self, key: str, value: JsonObject, ttl_seconds: float | None = None) -> None:
        """Keeps a value under a key, for a time or for good."""
        ...

    def get(self, key: str) -> JsonObject | None:
        """The value under a key, or None when there is none or its time is over."""
        ...

    def charge(self, account: str, charge: Charge, limits: ChargeLimits) -> ChargeDecision:
        """Checks an account against the limits and records the charge when it fits, as one atomic step."""
        ...

    def close(self) -> None:
        """Gives back connections and files; calling it twice is harmless."""
        ...
