"""Every error of hydra-web, by what the caller can do about it.

    WebError                     something about the web did not work; `code` says what
    +-- SearchProviderError      a search provider failed; `retryable` says whether to try again
    +-- ConfigError              our Python API was given a wrong value; fix the call (also a ValueError)

A `WebError` is safe to show to a model: its message is fixed text of ours, never words
of an upstream server. `code` is an open vocabulary: tolerate codes you do not know.
"""

from typing import Final, Literal, TypeAlias, get_args

__all__ = [
    "ConfigError",
    "SearchErrorCode",
    "SearchProviderError",
    "WebError",
    "search_http_error",
]

SearchErrorCode: TypeAlias = Literal[
    "AUTH_ERROR",
    "RATE_LIMITED",
    "TIMEOUT",
    "NETWORK_ERROR",
    "INVALID_RESPONSE",
    "CONFIG_ERROR",
    "UNKNOWN",
]
"""Why a search provider failed."""

_DEFAULT_MESSAGES: Final[dict[SearchErrorCode, str]] = {
    "AUTH_ERROR": "Authentication failed. Replace the API key in Settings > Web Search.",
    "RATE_LIMITED": "Provider quota or rate limit exceeded (HTTP 429).",
    "TIMEOUT": "Search connection timed out.",
    "NETWORK_ERROR": "Could not connect to the search provider.",
    "INVALID_RESPONSE": "Search response format is incompatible with the configured mapping.",
    "CONFIG_ERROR": "Configure the provider and its credential in Settings > Web Search.",
    "UNKNOWN": "Search provider failed.",
}
assert set(_DEFAULT_MESSAGES) == set(get_args(SearchErrorCode))

_RETRYABLE: Final[frozenset[SearchErrorCode]] = frozenset({"RATE_LIMITED", "TIMEOUT", "NETWORK_ERROR"})


class WebError(Exception):
    """Something about the web did not work.

    `message` is fixed text of ours, `code` a stable word such as `WEB_BLOCKED_URL`,
    and `reason` a stable sub-reason where a code has several.
    """

    def __init__(self, message: str, code: str, reason: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.code: str = code
        self.reason = reason

    @property
    def name(self) -> str:
        """The name of the error's class, as it stands in a tool's structured error."""
        return type(self).__name__

    def __reduce__(self) -> tuple[object, ...]:
        return (type(self), (self.message, self.code, self.reason))


class SearchProviderError(WebError):
    """A search provider failed.

    Carries the provider's id, one of `SearchErrorCode`, and the HTTP status where there was one.
    Without a message it gets the fixed text of its code. It never carries upstream text.
    """

    def __init__(
        self,
        provider: str,
        code: SearchErrorCode,
        status_code: int | None = None,
        message: str | None = None,
    ) -> None:
        super().__init__(message if message is not None else _DEFAULT_MESSAGES[code], code)
        self.provider = provider
        self.status_code = status_code
        self.retryable: bool = code in _RETRYABLE
        self._arguments = (provider, code, status_code, message)

    def __reduce__(self) -> tuple[object, ...]:
        return (type(self), self._arguments)


class ConfigError(WebError, ValueError):
    """Our Python API was given a wrong value; the message names the key, the value and the bound."""

    def __init__(self, message: str, code: str = "WEB_INVALID_CONFIG", reason: str | None = None) -> None:
        super().__init__(message, code, reason)


def search_http_error(provider: str, status_code: int) -> SearchProviderError:
    """The error for a provider's HTTP answer that is not a success.

    401 and 403 are AUTH_ERROR, 429 is RATE_LIMITED, 500 and above NETWORK_ERROR,
    and everything else CONFIG_ERROR.
    """
    code: SearchErrorCode
    if status_code in (401, 403):
        code = "AUTH_ERROR"
    elif status_code == 429:
        code = "RATE_LIMITED"
    elif status_code >= 500:
        code = "NETWORK_ERROR"
    else:
        code = "CONFIG_ERROR"
    return SearchProviderError(provider, code, status_code)
