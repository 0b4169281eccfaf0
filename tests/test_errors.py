"""Errors carry a code and fixed text, and survive copying and pickling."""

import copy
import pickle

import pytest

from hydra_web.errors import ConfigError, SearchErrorCode, SearchProviderError, WebError, search_http_error

TEXTS: dict[SearchErrorCode, tuple[str, bool]] = {
    "AUTH_ERROR": ("Authentication failed. Replace the API key in Settings > Web Search.", False),
    "RATE_LIMITED": ("Provider quota or rate limit exceeded (HTTP 429).", True),
    "TIMEOUT": ("Search connection timed out.", True),
    "NETWORK_ERROR": ("Could not connect to the search provider.", True),
    "INVALID_RESPONSE": ("Search response format is incompatible with the configured mapping.", False),
    "CONFIG_ERROR": ("Configure the provider and its credential in Settings > Web Search.", False),
    "UNKNOWN": ("Search provider failed.", False),
}


def test_a_web_error_has_a_code_and_a_name() -> None:
    error = WebError("boom", "WEB_INVALID_URL", "no-host")
    assert (error.name, error.code, error.message, error.reason, str(error)) == (
        "WebError",
        "WEB_INVALID_URL",
        "boom",
        "no-host",
        "boom",
    )
    assert WebError("boom", "ANY_OTHER_CODE").reason is None


@pytest.mark.parametrize("code", list(TEXTS))
def test_each_search_code_has_its_text(code: SearchErrorCode) -> None:
    error = SearchProviderError("exa", code)
    assert (str(error), error.retryable) == TEXTS[code]
    assert (error.name, error.provider, error.status_code) == ("SearchProviderError", "exa", None)
    assert str(SearchProviderError("exa", code, message="Ours.")) == "Ours."


@pytest.mark.parametrize(
    ("status", "code"),
    [
        (401, "AUTH_ERROR"),
        (403, "AUTH_ERROR"),
        (429, "RATE_LIMITED"),
        (500, "NETWORK_ERROR"),
        (503, "NETWORK_ERROR"),
        (599, "NETWORK_ERROR"),
        (301, "CONFIG_ERROR"),
        (400, "CONFIG_ERROR"),
        (404, "CONFIG_ERROR"),
    ],
)
def test_http_answers(status: int, code: str) -> None:
    error = search_http_error("exa", status)
    assert (error.provider, error.code, error.status_code) == ("exa", code, status)


def test_a_configuration_error_is_a_value_error() -> None:
    error = ConfigError("max_results must be an integer from 1 to 100, not 0")
    assert isinstance(error, ValueError)
    assert isinstance(error, WebError)
    assert (error.name, error.code) == ("ConfigError", "WEB_INVALID_CONFIG")


@pytest.mark.parametrize(
    "error",
    [
        WebError("boom", "WEB_BLOCKED_URL", "private"),
        SearchProviderError("exa", "RATE_LIMITED", 429),
        SearchProviderError("exa", "UNKNOWN", message="Ours."),
        ConfigError("wrong", reason="why"),
    ],
)
def test_errors_survive_copying_and_pickling(error: WebError) -> None:
    for twin in (copy.copy(error), pickle.loads(pickle.dumps(error))):
        assert type(twin) is type(error)
        assert vars(twin) == vars(error)
        assert twin.args == error.args
