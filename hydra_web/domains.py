"""The operator's lists of domains, as the tools and the guarded door both apply them. Pure."""

from dataclasses import dataclass
from typing import Final

from hydra_web.errors import WebError

__all__ = ["Domains"]

_REFUSALS: Final = {
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

    def check(self, host: str) -> None:
        """Raises the error of `refusal`, where there is one."""
        error = self.refusal(host)
        if error is not None:
            raise error

    def refusal(self, host: str) -> WebError | None:
        """The error `WEB_BLOCKED_URL` for a host outside the lists; an empty host is in none of them."""
        labels = host.split(".")
        names = {".".join(labels[start:]) for start in range(len(labels))}
        reason = None
        if names & self.blocked or (self.blocked and not host):  # a lenient provider might find a host
            reason = "domain_blocked"
        elif self.allowed is not None and not names & self.allowed:
            reason = "domain_not_allowed"
        return None if reason is None else WebError(_REFUSALS[reason], "WEB_BLOCKED_URL", reason)
