"""What every test runs under: no socket may leave this machine, and tests/ACCEPTANCE.md must be true."""

import ipaddress
import re
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

_LOCAL_NAMES = frozenset({"", "localhost"})
_ACCEPTANCE = Path(__file__).with_name("ACCEPTANCE.md")
_ROW = re.compile(r"\| (?P<line>.+) \| `(?P<test>tests/[^`]+)` \|")
_outcomes: dict[str, str] = {}


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

# The first text that hypothesis draws on a fresh clone builds a table for about a second.
settings.register_profile("hydra", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("hydra")


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    if report.when == "call" or report.outcome != "passed":
        worse = report.outcome if _outcomes.get(report.nodeid) in (None, "passed") else _outcomes[report.nodeid]
        _outcomes[report.nodeid] = worse


def pytest_sessionfinish(session: pytest.Session) -> None:
    """After a run of the whole suite, every test that tests/ACCEPTANCE.md names must have passed."""
    if session.config.args_source is not pytest.Config.ArgsSource.TESTPATHS or session.config.option.keyword:
        return
    unmet = [row["test"] for row in map(_ROW.fullmatch, _ACCEPTANCE.read_text("utf-8").splitlines()) if row]
    unmet = [test for test in unmet if not _has_passed(test)]
    if unmet and session.exitstatus == pytest.ExitCode.OK:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
    for test in unmet:
        print(f"\ntests/ACCEPTANCE.md names a test that did not pass: {test}", end="")


def _has_passed(test: str) -> bool:
    found = [outcome for node, outcome in _outcomes.items() if node == test or node.startswith(f"{test}[")]
    return bool(found) and all(outcome == "passed" for outcome in found)
