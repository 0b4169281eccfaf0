"""Which addresses, names and ports are not the public web: data, with its sources.

Our own table and not `ipaddress.is_global`, whose verdicts change with the Python patch release.

Sources, as read on 2026-11-30:
  IANA IPv4 Special-Purpose Address Registry   https://www.iana.org/assignments/iana-ipv4-special-registry
  IANA IPv6 Special-Purpose Address Registry   https://www.iana.org/assignments/iana-ipv6-special-registry
  IANA IPv6 Global Unicast Address Assignments https://www.iana.org/assignments/ipv6-unicast-address-assignments
  IANA Special-Use Domain Names                https://www.iana.org/assignments/special-use-domain-names
  WHATWG Fetch, "bad port"                     https://fetch.spec.whatwg.org/#port-blocking
Anycast rows that the registries call globally reachable (192.0.0.9, 2001:1::1 and their kin) reach the
nearest device of one's own network, so they are refused with their parent block.
"""

from ipaddress import IPv4Network, IPv6Network
from typing import Final

__all__ = [
    "BAD_PORTS",
    "BLOCKED_IPV4",
    "BLOCKED_IPV6",
    "GLOBAL_IPV6",
    "LOCAL_NAT64",
    "NAT64",
    "NEVER_IPV4",
    "NEVER_IPV6",
    "SPECIAL_NAMES",
]

BLOCKED_IPV4: Final[tuple[IPv4Network, ...]] = tuple(
    IPv4Network(block)
    for block in (
        "0.0.0.0/8",  # this network, RFC 791
        "10.0.0.0/8",  # private use, RFC 1918
        "100.64.0.0/10",  # shared address space, RFC 6598
        "127.0.0.0/8",  # loopback, RFC 1122
        "169.254.0.0/16",  # link local, RFC 3927; cloud metadata services
        "172.16.0.0/12",  # private use, RFC 1918
        "192.0.0.0/24",  # IETF protocol assignments, RFC 6890
        "192.0.2.0/24",  # documentation, RFC 5737
        "192.31.196.0/24",  # AS112, RFC 7535
        "192.52.193.0/24",  # AMT, RFC 7450
        "192.88.99.0/24",  # 6to4 relays, deprecated, RFC 7526
        "192.168.0.0/16",  # private use, RFC 1918
        "192.175.48.0/24",  # AS112 direct delegation, RFC 7534
        "198.18.0.0/15",  # benchmarking, RFC 2544
        "198.51.100.0/24",  # documentation, RFC 5737
        "203.0.113.0/24",  # documentation, RFC 5737
        "224.0.0.0/4",  # multicast, RFC 5771
        "240.0.0.0/4",  # reserved and broadcast, RFC 1112
        "168.63.129.16/32",  # Azure platform services: a public number, an internal host
    )
)
"""IPv4 blocks that are never a public web server."""

GLOBAL_IPV6: Final = IPv6Network("2000::/3")
"""The only IPv6 block handed out as global unicast; all else is refused."""

BLOCKED_IPV6: Final[tuple[IPv6Network, ...]] = tuple(
    IPv6Network(block)
    for block in (
        "2001::/23",  # IETF protocol assignments, Teredo and ORCHID, RFC 2928
        "2001:db8::/32",  # documentation, RFC 3849
        "2002::/16",  # 6to4, RFC 3056
        "2620:4f:8000::/48",  # AS112 direct delegation, RFC 7534
        "3fff::/20",  # documentation, RFC 9637
    )
)
"""Holes in the global unicast block."""

NAT64: Final = IPv6Network("64:ff9b::/96")
"""Well-known prefix of IPv4 hosts on IPv6-only networks (RFC 6052): judged by the IPv4 address inside."""

LOCAL_NAT64: Final = IPv6Network("64:ff9b:1::/48")
"""Prefixes of a network's own translators (RFC 8215): refused, and searched for IPv4 addresses where granted."""

NEVER_IPV4: Final[tuple[IPv4Network, ...]] = tuple(
    IPv4Network(block)
    for block in (
        "0.0.0.0/8",
        "169.254.0.0/16",  # link local and most metadata services
        "100.100.100.200/32",  # Alibaba metadata
        "192.0.0.192/32",  # Oracle metadata
        "168.63.129.16/32",  # Azure platform services
        "224.0.0.0/4",
        "240.0.0.0/4",
    )
)
"""IPv4 blocks that stay refused even for a granted origin."""

NEVER_IPV6: Final[tuple[IPv6Network, ...]] = tuple(
    IPv6Network(block)
    for block in (
        "::/128",
        "fe80::/10",  # link local
        "fd00:ec2::/32",  # Amazon metadata
        "fd20:ce::/32",  # Google metadata
        "fd00:42::/32",  # Scaleway metadata
        "ff00::/8",  # multicast
    )
)
"""IPv6 blocks that stay refused even for a granted origin."""

# fmt: off
SPECIAL_NAMES: Final = frozenset([
    "localhost", "local", "localdomain", "internal", "intranet", "private", "corp", "home", "lan", "home.arpa",
    "in-addr.arpa", "ip6.arpa", "test", "invalid", "example", "onion", "i2p", "alt", "cluster.local",
])
# fmt: on
"""Names, with all names below them, that are not public DNS."""

# fmt: off
BAD_PORTS: Final = frozenset([
    # WHATWG Fetch
    0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104, 109,
    110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515, 526, 530,
    531, 532, 540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049, 3659, 4045, 4190,
    5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
    # file sharing, databases and cluster administration, which answer to plain lines of text
    445, 1433, 1521, 2375, 2376, 2379, 2380, 3306, 3389, 5432, 5900, 5984, 6379, 6443, 9042, 9092, 9200, 9300,
    10250, 11211, 27017,
])
# fmt: on
"""Ports that belong to other protocols."""
