"""What every test runs under: no socket may leave this machine."""

import ipaddress
import sys
from typing import Any

_LOCAL_NAMES = frozenset({"", "localhost"})


def _is_local(host: object) -> bool:
    if isinstance(host, bytes):
        host = host.decode("ascii", "replace")
    if host is None or host in _LOCAL_NAMES:
        return True
    try:
        address = ipaddress.ip_address(str(host).partition("%")[0])
    except ValueError:
        return False
    return address.is_loopback or address.is_unspecified


def _refuse_foreign_sockets(event: str, arguments: tuple[Any, ...]) -> None:
    if event in ("socket.connect", "socket.sendto", "socket.bind"):
        address = arguments[1]
        if isinstance(address, tuple) and not _is_local(address[0]):
            raise AssertionError(f"a test tried to reach {address[0]!r}: only loopback is allowed")
    elif event == "socket.getaddrinfo" and not _is_local(arguments[0]):
        raise AssertionError(f"a test tried to look up {arguments[0]!r}: only loopback is allowed")


sys.addaudithook(_refuse_foreign_sockets)
