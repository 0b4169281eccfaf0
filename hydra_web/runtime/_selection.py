"""Which provider runs, and what becomes of its result: values in, values out.

Selection never depends on the order of registration. A chosen id wins even when others could
run; without one, exactly one usable provider is needed.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Final, Protocol, TypeVar

from hydra_web.errors import ConfigError, SearchProviderError, WebError
from hydra_web.types import WebSearchProviderDescriptor, WebSearchResult, WebSearchSource, WebSearchType
from hydra_web.urls import is_http_url, normalized_search_url

__all__ = [
    "cap_sources",
    "check_fallbacks",
    "drop_unsafe",
    "label_result",
    "may_fall_back",
    "resolve_chain",
    "select_provider",
    "supports_search",
]


class _Named(Protocol):
    @property
    def id(self) -> str: ...


_P = TypeVar("_P", bound=_Named)

_FALL_BACK_CODES: Final = frozenset(
    {"WEB_PROVIDER_ERROR", "WEB_PROVIDER_CREDENTIAL_MISSING", "WEB_PROVIDER_CONFIGURED_UNAVAILABLE"}
)


def select_provider(providers: Mapping[str, _P], chosen: str | None, usable: Callable[[_P], bool]) -> _P:
    """The provider to run. Raises WebError when there is none, or when it is not clear which."""
    if chosen is not None:
        provider = _registered(providers, chosen)
        if not usable(provider):
            raise WebError(
                f'configured web provider "{chosen}" is registered but unavailable',
                "WEB_PROVIDER_CONFIGURED_UNAVAILABLE",
            )
        return provider
    ready = [provider for provider in providers.values() if usable(provider)]
    match ready:
        case [only]:
            return only
        case []:
            raise WebError("no usable web provider is registered", "WEB_PROVIDER_UNAVAILABLE")
        case _:
            ids = ", ".join(provider.id for provider in ready)
            raise WebError(
                f"multiple usable web providers are registered ({ids}); configure one explicitly",
                "WEB_PROVIDER_AMBIGUOUS",
            )


def check_fallbacks(primary: str | None, fallbacks: Sequence[str]) -> None:
    """Raises ConfigError unless the fallbacks, if any, follow a chosen provider and are distinct."""
    if fallbacks and primary is None:
        raise ConfigError(
            "searchFallbackProviders requires an explicit searchProvider", "WEB_PROVIDER_CONFIGURED_MISSING"
        )
    chain = [primary, *fallbacks]
    if len(set(chain)) != len(chain) or any(not provider.strip() for provider in fallbacks):
        raise ConfigError(
            "searchFallbackProviders must contain distinct non-empty provider ids excluding the primary",
            "WEB_DUPLICATE_PROVIDER",
        )


def resolve_chain(providers: Mapping[str, _P], ids: Sequence[str]) -> list[_P]:
    """The providers of a fallback chain, in order. Raises WebError when one is not registered."""
    return [_registered(providers, provider_id) for provider_id in ids]


def may_fall_back(error: WebError) -> bool:
    """Whether the next provider of a chain may be tried after this failure."""
    if isinstance(error, SearchProviderError):
        return error.retryable
    return error.code in _FALL_BACK_CODES


def supports_search(descriptor: WebSearchProviderDescriptor | None, kind: WebSearchType) -> bool:
    """Whether a provider runs this kind of search; without a descriptor, web search only."""
    return kind == "web" if descriptor is None else descriptor.capabilities.supports(kind)


def cap_sources(result: WebSearchResult, max_results: int | None) -> WebSearchResult:
    """The result with at most `max_results` sources, marked truncated when some were left out."""
    if max_results is None or len(result.sources) <= max_results:
        return result
    return result.model_copy(update={"sources": result.sources[:max_results], "truncated": True})


def drop_unsafe(result: WebSearchResult) -> WebSearchResult:
    """The result without sources whose address is not http or https."""
    sources = tuple(source for source in result.sources if is_http_url(source.url))
    return result if len(sources) == len(result.sources) else result.model_copy(update={"sources": sources})


def label_result(result: WebSearchResult, provider_id: str, query: str) -> WebSearchResult:
    """The result with each page once, the first time it occurs, and with provider and query named."""
    first: dict[str, WebSearchSource] = {}
    for source in result.sources:
        first.setdefault(normalized_search_url(source.url), source)
    sources = tuple(source.model_copy(update={"provider": provider_id}) for source in first.values())
    return result.model_copy(update={"sources": sources, "provider": provider_id, "query": query})


def _registered(providers: Mapping[str, _P], provider_id: str) -> _P:
    provider = providers.get(provider_id)
    if provider is None:
        raise WebError(f'configured web provider "{provider_id}" is not registered', "WEB_PROVIDER_CONFIGURED_MISSING")
    return provider
