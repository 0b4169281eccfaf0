"""Helpers for the tests of people who build on hydra-web: loopback servers, stand-ins, and a contract for providers.

Everything here works offline and touches nothing but this machine's loopback interface. What may live here: servers
that speak an API's shapes or misbehave on purpose, fakes of the protocols, and checks that others can run.
"""

from hydra_web.testing.contract import CANARY, CONTRACT, ProviderFactory, assert_provider_contract
from hydra_web.testing.fakes import FakeFetchProvider, FakeSearchProvider
from hydra_web.testing.hostile import BEHAVIOURS, HostileServer
from hydra_web.testing.providers import ProviderReply, ProviderServer, RecordedCall
from hydra_web.testing.site import LocalSite

__all__ = [
    "BEHAVIOURS",
    "CANARY",
    "CONTRACT",
    "FakeFetchProvider",
    "FakeSearchProvider",
    "HostileServer",
    "LocalSite",
    "ProviderFactory",
    "ProviderReply",
    "ProviderServer",
    "RecordedCall",
    "assert_provider_contract",
]
