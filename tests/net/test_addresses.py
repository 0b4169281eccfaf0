"""Which addresses may be dialled, and in which order."""

from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hydra_web.errors import WebError
from hydra_web.net import _tables as tables
from hydra_web.net import check_addresses, check_url
from hydra_web.net._addresses import Network, is_public, may_dial, read_address

TARGET = check_url("https://example.com/")
BLOCKS: tuple[Network, ...] = (*tables.BLOCKED_IPV4, *tables.BLOCKED_IPV6)
REFUSED = (
    "0.0.0.0 10.1.2.3 100.64.0.1 127.0.0.1 169.254.169.254 172.16.0.1 192.168.1.1 192.0.0.9 198.18.0.1 203.0.113.1 "
    "224.0.0.1 255.255.255.255 :: ::1 ::ffff:127.0.0.1 ::ffff:8.8.8.8 fc00::1 fe80::1 ff02::1 64:ff9b::7f00:1 2001::1 "
    "2001:db8::1 2002:7f00:1:: 3fff::1 invalid"
)
GRANTED = check_url("http://wiki.corp/", ["http://wiki.corp"])


@pytest.mark.parametrize(
    "address",
    REFUSED.split(),
)
def test_refused_addresses(address: str) -> None:
    with pytest.raises(WebError) as caught:
        check_addresses(TARGET, [address])
    assert (caught.value.code, caught.value.reason) == ("WEB_BLOCKED_URL", "address")
    assert caught.value.message.startswith("web fetch destination is not a public IP address")


@pytest.mark.parametrize("address", ["8.8.8.8", "1.1.1.1", "2606:4700:4700::1111", "2001:4860:4860::8888"])
def test_accepted_addresses(address: str) -> None:
    assert check_addresses(TARGET, [address]) == [address]


@pytest.mark.parametrize("network", BLOCKS, ids=str)
def test_every_block_of_the_table_ends_exactly_at_its_edges(network: Network) -> None:
    assert not is_public(network[0])
    assert not is_public(network[-1])
    others = [other for other in BLOCKS if other != network]
    for outside in (int(network[0]) - 1, int(network[-1]) + 1):
        if not 0 <= outside < 2**network.max_prefixlen:
            continue
        neighbour = IPv4Address(outside) if network.version == 4 else IPv6Address(outside)
        in_another = any(other.overlaps(ip_network(neighbour)) for other in others if other.version == network.version)
        in_global = network.version == 4 or neighbour in tables.GLOBAL_IPV6
        assert is_public(neighbour) == (in_global and not in_another)


def test_global_unicast_is_the_only_ipv6_space() -> None:
    assert is_public(IPv6Address("2000::1"))
    assert is_public(IPv6Address("3ffe:ffff::1"))
    for address in ("1fff:ffff::1", "4000::1", "100::1", "fec0::1", "5f00::1", "64:ff9b:1::808:808"):
        assert not is_public(IPv6Address(address))


def test_ipv6_forms_of_ipv4_are_judged_by_the_ipv4_inside() -> None:
    assert is_public(IPv6Address("64:ff9b::8.8.8.8"))
    assert not is_public(IPv6Address("64:ff9b::10.0.0.1"))
    assert is_public(IPv6Address("2606:4700::5efe:808:808"))
    assert not is_public(IPv6Address("2606:4700::5efe:7f00:1"))
    assert not is_public(IPv6Address("2606:4700::200:5efe:a00:1"))


def test_scoped_addresses_are_refused() -> None:
    assert not is_public(IPv6Address("2606:4700::1%eth0"))


def test_one_bad_answer_refuses_the_whole_name() -> None:
    for answers in (["127.0.0.1"], ["8.8.8.8", "127.0.0.1"], ["::ffff:127.0.0.1"], ["8.8.8.8"] * 129):
        with pytest.raises(WebError) as caught:
            check_addresses(TARGET, answers)
        assert caught.value.code == "WEB_BLOCKED_URL"


def test_no_answers_are_a_provider_error() -> None:
    with pytest.raises(WebError) as caught:
        check_addresses(TARGET, [])
    assert (caught.value.code, caught.value.message) == ("WEB_PROVIDER_ERROR", "web fetch DNS returned no addresses")


def test_families_take_turns_and_repeats_are_dropped() -> None:
    answers = ["2606:4700::1", "2606:4700::2", "2606:4700::1", "1.1.1.1", "1.0.0.1", "8.8.8.8"]
    assert check_addresses(TARGET, answers) == ["2606:4700::1", "1.1.1.1", "2606:4700::2", "1.0.0.1"]
    assert check_addresses(TARGET, ["1.1.1.1", "1.0.0.1", "8.8.8.8", "8.8.4.4", "9.9.9.9"])[-1] == "8.8.4.4"


def test_a_grant_allows_private_addresses_but_never_metadata_in_any_disguise() -> None:
    assert check_addresses(GRANTED, ["10.1.2.3", "fd12::1", "127.0.0.1", "::1"])
    for address in (
        "169.254.169.254",
        "::ffff:169.254.169.254",
        "64:ff9b::a9fe:a9fe",
        "2002:a9fe:a9fe::1",
        "::169.254.169.254",
        "::ffff:0:169.254.169.254",
        "2001:0:a9fe:a9fe::1",
        "2001:0:102:304:0:0:5601:5601",
        "64:ff9b:1:a9fe:a9:fe00::",
        "64:ff9b:1:a9:fe:a9fe::",
        "64:ff9b:1:0:a9:fea9:fe00:0",
        "64:ff9b:1::169.254.169.254",
        "fd00::5efe:a9fe:a9fe",
        "fe80::1%2",
        "224.0.0.1",
        "0.0.0.0",
        "::",
        "fd00:ec2::254",
        "nonsense",
    ):
        with pytest.raises(WebError):
            check_addresses(GRANTED, [address])


def test_extra_blocked_networks_hold_for_grants_too() -> None:
    extra = (ip_network("10.9.0.0/16"), ip_network("2606:4700::/32"))
    for target, address in ((GRANTED, "10.9.1.1"), (GRANTED, "::ffff:10.9.1.1"), (TARGET, "2606:4700::1")):
        with pytest.raises(WebError):
            check_addresses(target, [address], extra)
    assert check_addresses(GRANTED, ["10.8.1.1"], extra) == ["10.8.1.1"]


@given(st.ip_addresses(v=4))
def test_every_ipv4_verdict_follows_the_table(address: IPv4Address) -> None:
    assert is_public(address) == (not any(address in block for block in tables.BLOCKED_IPV4))


@given(st.ip_addresses() | st.text(max_size=20))
def test_judging_never_raises(value: object) -> None:
    address = read_address(str(value))
    if address is not None:
        assert isinstance(may_dial(address, granted=False), bool)
        assert may_dial(address, granted=True) or not may_dial(address, granted=False)
        assert ip_address(str(address)) == address
