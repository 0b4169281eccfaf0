"""One suite over every provider and mode, against loopback servers."""

import logging
from collections.abc import Callable

import pytest

from hydra_web.providers import SearchApi
from hydra_web.testing._canary import canary_spellings
from hydra_web.testing._shapes import SHAPES
from hydra_web.testing.contract import SITUATIONS, Situation, assert_provider_contract, assert_situation

Factory = Callable[..., SearchApi]


@pytest.mark.parametrize("situation", SITUATIONS, ids=lambda situation: situation.name)
async def test_every_situation_ends_as_the_contract_says(api: str, make: Factory, situation: Situation) -> None:
    await assert_situation(make, SHAPES[api], situation)


async def test_the_whole_contract_holds_and_no_log_record_shows_the_key(
    api: str, make: Factory, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    await assert_provider_contract(make, api)
    logged = "\n".join(f"{record.getMessage()} {record.__dict__}" for record in caplog.records)
    assert not [spelling for spelling in canary_spellings() if spelling in logged]
