"""The operator's lists of domains. Pure."""

from collections.abc import Iterable
from dataclasses import dataclass

from hydra_web.errors import ConfigError, WebError
from hydra_web.net._targets import Target
from hydra_web.urls import url_host

__all__ = ["Domains", "read_domains"]

_REFUSALS = {
    "domain_not_allowed": "web fetch refused: the operator's policy does not allow this domain",
    "domain_blocked": "web fetch refused: the operator's policy blocks this domain",
}


@dataclass(frozen=True, slots=True)
class Domains:
    """A name in a list stands for itself and for all names below it."""

    allowed: frozenset[str] | None
    """The only domains, or None for all."""
    blocked: frozenset[str]
    """Domains refused, also below an allowed one."""

    def check(self, target: Target) -> None:
        """Raises WebError `WEB_BLOCKED_URL` for a host outside the lists."""
        labels = target.host.split(".")
        names = {".".join(labels[start:]) for start in range(len(labels))}
        reason = None
        if names & self.blocked:
            reason = "domain_blocked"
        elif self.allowed is not None and not names & self.allowed:
            reason = "domain_not_allowed"
        if reason is not None:
            raise WebError(_REFUSALS[reason], "WEB_BLOCKED_URL", reason)


def read_domains(key: str, domains: Iterable[str]) -> frozenset[str]:
    """Host names in canonical form. Raises ConfigError naming the key for anything else."""
    found = set()
    for domain in [domains] if isinstance(domains, str) else domains:
        host = url_host(f"https://{domain}/") if isinstance(domain, str) else None
        if host is None or any(mark in domain for mark in "/?#@:*"):
            raise ConfigError(f"web-fetch-http: {key} must contain host names such as example.com")
        found.add(host.strip("."))
    return frozenset(found)
