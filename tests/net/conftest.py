"""What the network tests share."""

from collections.abc import Iterator

import pytest

from hydra_web.testing.hostile import HostileServer


@pytest.fixture(scope="session")
def hostile() -> Iterator[HostileServer]:
    with HostileServer() as server:
        yield server
