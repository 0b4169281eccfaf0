"""The settings of an own search API, in the order a form shows them. Data only."""

from typing import Final

from hydra_web.providers._fields import CREDENTIAL, MAX_BYTES, MAX_RESULTS, TIMEOUT
from hydra_web.types import SearchConfigField

__all__ = ["AUTH_STYLES", "CUSTOM_FIELDS", "METHODS"]

METHODS: Final = ("POST", "GET")
"""HTTP methods."""
AUTH_STYLES: Final = ("none", "bearer", "api_key_header", "custom_header")
"""Ways to send the key."""


def _text(key: str, label: str) -> SearchConfigField:
    return SearchConfigField(key=key, label=label, kind="text")


def _advanced(key: str, label: str) -> SearchConfigField:
    return SearchConfigField(key=key, label=label, kind="text", advanced=True)


CUSTOM_FIELDS: Final[tuple[SearchConfigField, ...]] = (
    _text("displayName", "Provider Name"),
    _text("endpoint", "Endpoint"),
    SearchConfigField(key="method", label="HTTP Method", kind="select", options=METHODS),
    SearchConfigField(key="auth", label="Authentication", kind="select", options=AUTH_STYLES),
    _text("authHeader", "API Key / Custom Header Name"),
    _text("queryField", "Query Field"),
    _text("limitField", "Limit Field"),
    _text("resultsPath", "Results Path"),
    _text("titleField", "Title Field"),
    _text("urlField", "URL Field"),
    _text("snippetField", "Snippet Field"),
    MAX_RESULTS,
    TIMEOUT,
    MAX_BYTES,
    SearchConfigField(
        key="headerRefs",
        label="Custom Headers",
        kind="json",
        advanced=True,
        hint="JSON mapping header names to credential references; store values through Credentials.",
    ),
    SearchConfigField(
        key="staticBody",
        label="Static Request JSON",
        kind="json",
        advanced=True,
        hint="Non-secret request fields only.",
    ),
    _advanced("countryField", "Country Field"),
    _advanced("languageField", "Language Field"),
    _advanced("typeField", "Search Type Field"),
    _advanced("dateField", "Date Field"),
    _advanced("publishedAtField", "Published Date Mapping"),
    _advanced("scoreField", "Score Mapping"),
    CREDENTIAL,
)
"""The settings of the provider `custom`."""
