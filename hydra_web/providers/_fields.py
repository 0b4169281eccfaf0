"""Settings that several providers show, in their shared words."""

from typing import Final

from hydra_web.types import SearchConfigField

__all__ = ["BASE_URL", "CREDENTIAL", "MAX_BYTES", "MAX_RESULTS", "TIMEOUT"]

MAX_RESULTS: Final = SearchConfigField(key="maxResults", label="Provider Result Limit", kind="number")
"""The most results of one search."""
TIMEOUT: Final = SearchConfigField(key="timeoutMs", label="Provider Timeout (ms)", kind="number", advanced=True)
"""The provider's own deadline."""
MAX_BYTES: Final = SearchConfigField(
    key="maxResponseBytes", label="Maximum Response Bytes", kind="number", advanced=True
)
"""The cap on one answer."""
BASE_URL: Final = SearchConfigField(key="baseURL", label="Endpoint", kind="text", advanced=True)
"""Where the API is."""
CREDENTIAL: Final = SearchConfigField(key="apiKeyEnv", label="Credential Reference", kind="text", advanced=True)
"""The name of the credential."""
