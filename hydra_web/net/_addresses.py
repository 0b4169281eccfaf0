"""Which addresses may be dialled. Pure: no lookups, no sockets."""

from collections.abc import Sequence
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address
from typing import Final, TypeAlias

from hydra_web.net import _tables

__all__ = ["IPAddress", "Network", "is_public", "may_dial", "read_address"]

IPAddress: TypeAlias = IPv4Address | IPv6Address
Network: TypeAlias = IPv4Network | IPv6Network

_ISATAP: Final = (b"\x00\x00\x5e\xfe", b"\x02\x00\x5e\xfe")


def is_public(ip: IPAddress) -> bool:
    """Whether an address is a unicast destination on the public internet."""
    if isinstance(ip, IPv4Address):
        return not any(ip in block for block in _tables.BLOCKED_IPV4)
    if ip.scope_id is not None:
        return False
    if ip in _tables.NAT64:
        return is_public(IPv4Address(ip.packed[12:]))
    if ip not in _tables.GLOBAL_IPV6 or any(ip in block for block in _tables.BLOCKED_IPV6):
        return False
    return ip.packed[8:12] not in _ISATAP or is_public(IPv4Address(ip.packed[12:]))


def read_address(text: str) -> IPAddress | None:
    """The address a text spells in canonical form, or None."""
    try:
        return ip_address(text)
    except ValueError:
        return None


def may_dial(ip: IPAddress, *, granted: bool, extra_blocked: Sequence[Network] = ()) -> bool:
    """Whether an address may be dialled for an ordinary target, or for one whose origin was granted."""
    forms = [ip, *_embedded_ipv4(ip)]
    if any(form in block for form in forms for block in extra_blocked):
        return False
    return not any(_is_never(form) for form in forms) if granted else is_public(ip)


def _is_never(ip: IPAddress) -> bool:
    if isinstance(ip, IPv4Address):
        return any(ip in block for block in _tables.NEVER_IPV4)
    return any(ip in block for block in _tables.NEVER_IPV6)


def _embedded_ipv4(ip: IPAddress) -> list[IPv4Address]:
    """The IPv4 addresses that transition mechanisms would reach through an IPv6 address."""
    if isinstance(ip, IPv4Address):
        return []
    found = [IPv4Address(ip.packed[12:])] if ip.packed[:8] == bytes(8) or ip in _tables.NAT64 else []
    if ip.packed[8:12] in _ISATAP:
        found.append(IPv4Address(ip.packed[12:]))
    if ip.sixtofour is not None:
        found.append(ip.sixtofour)
    if ip.teredo is not None:
        found += ip.teredo
    if ip in _tables.LOCAL_NAT64:  # prefixes of 48, 56, 64 and 96 bits; byte 8 is left out (RFC 6052 2.2)
        packed = ip.packed[:8] + ip.packed[9:]
        found += [IPv4Address(packed[start : start + 4]) for start in (6, 7, 8, 11)]
    # ::1 and :: are addresses of their own, not 0.0.0.1 and 0.0.0.0 in disguise
    return [] if int(ip) <= 1 else found
