"""The corpus of URLs, DNS answers, grants and redirects that have fooled fetchers before."""

import json
from pathlib import Path
from typing import Any

import pytest

from hydra_web.errors import WebError
from hydra_web.net import check_addresses, check_url
from hydra_web.net._redirects import next_target
from hydra_web.net._targets import read_origins

_CORPUS = json.loads((Path(__file__).parents[1] / "data" / "ssrf_vectors.json").read_text("utf-8"))
_VERDICTS = {"WEB_INVALID_URL": "invalid", "WEB_BLOCKED_URL": "blocked"}


def _url(vector: dict[str, Any]) -> str:
    """The vector's URL; very long ones are written with the part that repeats and how often."""
    unit, times = vector.get("fill", ("", 0))
    return str(vector["url"].replace("{}", unit * times) if times else vector["url"])


def _verdict(vector: dict[str, Any]) -> str:
    lookups = vector.get("dns", {}) | {name: answers[0] for name, answers in vector.get("dns_sequence", {}).items()}
    try:
        target = check_url(_url(vector), vector.get("grants", ()))
        addresses = [target.host] if target.is_literal else lookups.get(target.host, ["93.184.216.34"])
        dialled = check_addresses(target, addresses)
    except WebError as error:
        return _VERDICTS[error.code]
    assert 0 < len(dialled) <= 4
    assert set(dialled) <= set(addresses)
    return "allowed"


@pytest.mark.parametrize("vector", _CORPUS["vectors"], ids=lambda vector: vector["id"])
def test_every_url_gets_its_verdict(vector: dict[str, Any]) -> None:
    assert _verdict(vector) in vector.get("accept", [vector["expected"]])


@pytest.mark.parametrize("vector", _CORPUS["redirects"], ids=lambda vector: vector["id"])
def test_every_redirect_gets_its_verdict(vector: dict[str, Any]) -> None:
    assert _redirect_verdict(vector) in vector.get("accept", [vector["expected"]])


def _redirect_verdict(vector: dict[str, Any]) -> str:
    base = check_url(vector["base"])
    try:
        next_target(base, vector["location"], status=vector["status"], grants=read_origins(()))
    except WebError as error:
        return error.code
    return "follow"


async def test_the_door_gives_the_same_verdicts_and_dials_nothing_it_refuses(internet: Any, get: Any) -> None:
    for vector in _CORPUS["vectors"]:
        internet.dialled.clear()
        internet.names = {host: [answers] for host, answers in vector.get("dns", {}).items()}
        internet.names |= {host: list(answers) for host, answers in vector.get("dns_sequence", {}).items()}
        with pytest.raises(WebError) as caught:
            await get(internet.fetcher(allowed_origins=vector.get("grants", ())), _url(vector))
        verdict = _VERDICTS.get(caught.value.code, "allowed")  # nothing listens, so an allowed one fails to connect
        assert verdict in vector.get("accept", [vector["expected"]]), vector["id"]
        assert verdict == "allowed" or not internet.dialled, vector["id"]
