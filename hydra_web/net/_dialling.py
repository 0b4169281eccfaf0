"""Which addresses of a target are dialled, in which order. Pure: no lookups, no sockets."""

from collections.abc import Iterable, Sequence
from itertools import zip_longest
from typing import Final

from hydra_web.net._addresses import Network, may_dial, read_address
from hydra_web.net._failures import blocked, transport_failed
from hydra_web.net._targets import Target

__all__ = ["check_addresses"]

_MOST_ANSWERS: Final = 128
_MOST_ATTEMPTS: Final = 4


def check_addresses(
    target: Target, addresses: Iterable[str], extra_blocked_networks: Sequence[Network] = ()
) -> list[str]:
    """The addresses to dial for a target, best first: at most four, the families taking turns (RFC 8305).

    Every address must pass, or the whole set is refused: public ones for an ordinary target, anything but
    metadata, link-local and multicast ones for a granted target. Raises WebError: `WEB_BLOCKED_URL`, or
    `WEB_PROVIDER_ERROR` when there are no addresses at all.
    """
    answers = list(addresses)
    if not answers:
        raise transport_failed("dns_empty")
    unique = dict.fromkeys(map(read_address, answers[: _MOST_ANSWERS + 1]))
    passed = [
        ip
        for ip in unique
        if ip is not None and may_dial(ip, granted=target.granted, extra_blocked=extra_blocked_networks)
    ]
    if len(answers) > _MOST_ANSWERS or len(passed) != len(unique):
        raise blocked("address")
    first = [str(ip) for ip in passed if ip.version == passed[0].version]
    second = [str(ip) for ip in passed if ip.version != passed[0].version]
    turns = [address for pair in zip_longest(first, second) for address in pair if address is not None]
    return turns[:_MOST_ATTEMPTS]
