import base64
import copy
import json
import pickle
from dataclasses import dataclass
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, ValidationError

from hydra_web.providers import EnvironmentCredentials, ExaSearch, Secret
from hydra_web.providers._secret import echoes
from hydra_web.providers.credentials import WritableCredentialStore
from hydra_web.testing._canary import CANARY, assert_no_canary

keys = st.text(st.characters(min_codepoint=33, max_codepoint=126), min_size=8, max_size=60)


def test_a_key_shows_nowhere_but_where_it_is_revealed() -> None:
    secret = Secret(CANARY)
    assert secret.reveal() == CANARY
    assert {repr(secret), str(secret), f"{secret}", f"{secret:>3}", "%s" % secret} == {"**********"}  # noqa: UP031
    with pytest.raises(TypeError, match="cannot be pickled"):
        pickle.dumps(secret)
    with pytest.raises(TypeError):
        copy.copy(secret)
    with pytest.raises(TypeError):
        vars(secret)
    with pytest.raises(TypeError):
        json.dumps(secret)


def test_a_key_hides_in_pydantic_models() -> None:
    class Holder(BaseModel):
        key: Secret

    holder = Holder(key=Secret(CANARY))
    assert_no_canary(holder, holder.model_dump(mode="json"), holder.model_dump_json())
    assert holder.model_dump_json() == '{"key":"**********"}'
    assert Holder.model_validate({"key": CANARY}).key == holder.key
    with pytest.raises(ValidationError):
        Holder.model_validate({"key": 5})


def test_the_spaces_around_a_key_are_not_part_of_it() -> None:
    key = Secret.of(" key\n")
    assert key is not None
    assert key.reveal() == "key"
    assert Secret.of(key) is key
    assert (Secret.of(""), Secret.of("  "), Secret.of(None)) == (None, None, None)


def test_keys_compare_without_telling() -> None:
    assert Secret("a") == Secret("a")
    assert Secret("a") != Secret("b")
    assert Secret("a") != "a"
    assert hash(Secret("a")) == hash(Secret("b"))


def test_a_provider_hides_its_keys_and_its_proxy() -> None:
    proxy = f"http://user:{quote(CANARY, safe='')}@proxy.example:8080"
    environ = EnvironmentCredentials({"EXA_API_KEY": CANARY})
    provider = ExaSearch(api_key=CANARY, proxy=proxy, credentials=environ)
    assert_no_canary(provider, environ)
    for thing in (provider, environ):
        with pytest.raises(TypeError, match="cannot be pickled"):
            pickle.dumps(thing)


def test_a_provider_shows_nothing_of_a_store_of_ones_own() -> None:
    @dataclass
    class Vault:
        known: dict[str, str]

        async def resolve(self, reference: str) -> str | None:
            return self.known.get(reference)

    assert CANARY not in repr(ExaSearch(credentials=Vault({"EXA_API_KEY": CANARY})))


def test_a_blank_secret_is_no_key() -> None:
    assert not ExaSearch(api_key=Secret("  "), credentials=EnvironmentCredentials({})).available()


def test_credentials_of_the_process_environment_can_be_pickled() -> None:
    copied = pickle.loads(pickle.dumps(EnvironmentCredentials()))
    assert isinstance(copied, EnvironmentCredentials)
    assert not isinstance(copied, WritableCredentialStore)


@given(keys, st.text(max_size=20), st.text(max_size=20))
def test_an_echo_is_found_in_every_usual_spelling(key: str, before: str, after: str) -> None:
    spellings = [
        key,
        quote(key, safe=""),
        json.dumps(key)[1:-1],
        base64.b64encode(key.encode()).decode(),
        base64.b64encode(f"Bearer {key}".encode()).decode(),
        base64.urlsafe_b64encode(f"x{key}".encode()).decode(),
    ]
    for spelling in spellings:
        assert echoes([before + spelling + after], [Secret(key)])


def test_short_keys_are_looked_for_as_they_are() -> None:
    assert echoes(["xkeyx"], [Secret("key")])
    assert not echoes([base64.b64encode(b"key").decode()], [Secret("key")])
    assert not echoes(["nothing"], [Secret("another-long-key")])


def test_the_canary_is_found_where_it_hides() -> None:
    class Holder:
        def __init__(self) -> None:
            self.inner = {"list": [("deep", CANARY)]}

    for thing in (CANARY, CANARY.encode(), [quote(CANARY, safe="")], Holder(), ValueError(CANARY)):
        with pytest.raises(AssertionError, match="the key shows"):
            assert_no_canary(thing)
    chained = RuntimeError("outer")
    chained.__context__ = ValueError(CANARY)
    with pytest.raises(AssertionError):
        assert_no_canary(chained)
    assert_no_canary(Holder, None, 5, "nothing", {"a": (1, 2)})
