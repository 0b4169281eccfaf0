"""Reading the operator's lists of domains. Pure."""

from collections.abc import Iterable

from hydra_web.errors import ConfigError
from hydra_web.urls import url_host

__all__ = ["read_domains"]


def read_domains(key: str, domains: Iterable[str]) -> frozenset[str]:
    """Host names in canonical form. Raises ConfigError naming the key for anything else."""
    found = set()
    for domain in [domains] if isinstance(domains, str) else domains:
        host = url_host(f"https://{domain}/") if isinstance(domain, str) else None
        if host is None or any(mark in domain for mark in "/?#@:*"):
            raise ConfigError(f"web-fetch-http: {key} must contain host names such as example.com")
        found.add(host.strip("."))
    return frozenset(found)
