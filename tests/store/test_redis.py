"""What is special to the Redis backend: how it is reached and how it fails."""

import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import redis
import trustme

from hydra_web.errors import ConfigError, WebError
from hydra_web.protocols import Charge, ChargeLimits
from hydra_web.store import RedisStore

StartRedis = Callable[..., int]
CHARGE = Charge(owner="root", kind="fetch", queries=0, at=1.0)


def reason(use: Callable[[], object]) -> str | None:
    with pytest.raises(WebError) as caught:
        use()
    assert caught.value.code == "WEB_STORE_ERROR"
    assert caught.value.__context__ is None
    return caught.value.reason


def test_without_the_package_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "redis", None)
    with pytest.raises(ConfigError, match=r'pip install "hydra-web\[redis\]"'):
        RedisStore("redis://localhost")


@pytest.mark.parametrize("url", ["", "localhost:6379", "http://localhost", "redis://localhost:port"])
def test_a_wrong_url_is_refused_without_being_shown(url: str) -> None:
    with pytest.raises(ConfigError, match="url must be a Redis URL"):
        RedisStore(url)


def test_a_server_that_is_not_there_is_a_clear_error() -> None:
    store = RedisStore("redis://127.0.0.1:1/0")
    assert reason(lambda: store.get("x")) == "unavailable"
    store.close()


def test_a_wrong_password_is_a_clear_error(redis_url: str) -> None:
    store = RedisStore(redis_url.replace("s3cret", "guess"))
    assert reason(lambda: store.charge("run", CHARGE, ChargeLimits())) == "unavailable"
    store.close()


def test_prefixes_keep_stores_apart(redis_url: str) -> None:
    one, two = RedisStore(redis_url, prefix="one:"), RedisStore(redis_url, prefix="two:")
    one.put("key", {"x": 1})
    assert two.get("key") is None
    one.close()
    two.close()


def test_a_full_server_is_a_clear_error(start_redis: StartRedis) -> None:
    store = RedisStore(f"redis://127.0.0.1:{start_redis(maxmemory='1mb', maxmemory_policy='noeviction')}")

    def fill() -> None:
        for number in range(200):
            store.put(f"key {number}", {"text": "x" * 100_000})

    assert reason(fill) == "full"
    assert store.get("key 0") is not None or store.get("none") is None
    store.close()


def test_a_replica_is_a_clear_error(start_redis: StartRedis) -> None:
    store = RedisStore(f"redis://127.0.0.1:{start_redis(replicaof='127.0.0.1 1')}")
    assert reason(lambda: store.put("key", {})) == "read_only"
    store.close()


def test_a_key_of_another_kind_is_a_clear_error(redis_url: str) -> None:
    with redis.Redis.from_url(redis_url) as client:
        client.set("odd:stream:log", "no list")
        client.set("odd:value:text", "no json")
    store = RedisStore(redis_url, prefix="odd:")
    assert reason(lambda: store.append("log", {})) == "failed"
    assert reason(lambda: store.get("text")) == "corrupt"
    store.close()


def test_tls_comes_with_the_url(start_redis: StartRedis, tmp_path: Path) -> None:
    authority = trustme.CA()
    certificate = authority.issue_cert("127.0.0.1")
    authority.cert_pem.write_to_path(tmp_path / "ca.pem")
    certificate.private_key_pem.write_to_path(tmp_path / "key.pem")
    certificate.cert_chain_pems[0].write_to_path(tmp_path / "cert.pem")
    files = {"tls_cert_file": "cert.pem", "tls_key_file": "key.pem", "tls_ca_cert_file": "ca.pem"}
    port = start_redis(tls_auth_clients="no", **{name: tmp_path / file for name, file in files.items()})
    store = RedisStore(f"rediss://127.0.0.1:{port}/0?ssl_ca_certs={tmp_path}/ca.pem")
    assert store.append("log", {"x": 1}) == 1
    store.close()
    untrusting = RedisStore(f"rediss://127.0.0.1:{port}/0")
    assert reason(lambda: untrusting.read("log")) == "unavailable"
    untrusting.close()


def test_a_lost_script_is_sent_again(redis_url: str) -> None:
    store = RedisStore(redis_url, prefix="script:")
    assert store.charge("run", CHARGE, ChargeLimits()).calls == 1
    with redis.Redis.from_url(redis_url) as client:
        client.script_flush()
    assert store.charge("run", CHARGE, ChargeLimits()).calls == 2
    store.close()
