"""One suite over every provider and mode, against loopback servers."""

import logging
from collections.abc import Callable

import pytest

from hydra_web.providers import SearchApi
from hydra_web.testing._canary import canary_spellings
from hydra_web.testing._shapes import SHAPES
from hydra_web.testing.contract import CONTRACT

Factory = Callable[..., SearchApi]


@pytest.mark.parametrize("rule", CONTRACT)
async def test_the_contract_holds_and_no_log_record_shows_the_key(
    api: str, make: Factory, rule: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    await CONTRACT[rule](make, SHAPES[api])
    logged = "\n".join(f"{record.getMessage()} {record.__dict__}" for record in caplog.records)
    assert not [spelling for spelling in canary_spellings() if spelling in logged]
