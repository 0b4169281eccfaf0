"""URLs as the WHATWG standard reads them (https://url.spec.whatwg.org), through ada-url."""

import re
from typing import Final

import ada_url

__all__ = ["is_http_url", "normalized_search_url", "parse_url", "url_host", "without_fragment"]

_TRACKING: Final = re.compile(r"utm_.+|fbclid|gclid|dclid|msclkid", re.IGNORECASE | re.DOTALL)


def parse_url(text: str) -> ada_url.URL | None:
    """The parsed URL, or None where the standard finds no URL in the text."""
    try:
        return ada_url.URL(text)
    except ValueError:  # UnicodeEncodeError, from a lone surrogate, is one too
        return None


def is_http_url(text: str) -> bool:
    """Whether the text is an absolute http or https URL with a host."""
    url = parse_url(text)
    return url is not None and url.protocol in ("http:", "https:") and bool(url.hostname)


def url_host(text: str) -> str | None:
    """The host name of a URL in its ASCII form, or None where there is none."""
    url = parse_url(text)
    return (url.hostname or None) if url is not None else None


def without_fragment(text: str) -> str:
    """The URL as the standard serialises it, without its fragment; text that is no URL comes back unchanged."""
    url = parse_url(text)
    if url is None:
        return text
    url.hash = ""
    return str(url.href)


def normalized_search_url(text: str) -> str:
    """The key by which two search results count as the same page.

    The URL as the standard serialises it, without its fragment and without tracking
    parameters (`utm_*`, `fbclid`, `gclid`, `dclid`, `msclkid`). Text that is no URL
    comes back unchanged. Where a parameter is dropped the whole query is serialised
    anew, form-style; otherwise the query keeps its spelling.
    """
    url = parse_url(text)
    if url is None:
        return text
    url.hash = ""
    parameters = ada_url.URLSearchParams(url.search)
    names = {name for name in parameters.keys() if _TRACKING.fullmatch(name)}  # noqa: SIM118 - not a dict
    for name in names:
        parameters.delete(name)
    if names:
        url.search = str(parameters)
    return str(url.href)
