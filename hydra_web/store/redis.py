"""The store in Redis: many workers on several machines, one truth."""

import contextlib
from collections.abc import Callable
from typing import Any, Final, TypeVar

from hydra_web.errors import ConfigError, WebError
from hydra_web.protocols import Charge, ChargeDecision, ChargeLimits, JsonObject
from hydra_web.store._values import check_lifetime, from_json, store_error, to_json

__all__ = ["RedisStore"]

_TIMEOUT_SECONDS: Final = 5.0
_NO_LIMIT: Final = -1
_T = TypeVar("_T")

# The arithmetic of `_values.decide`, run inside the server so that nothing comes between check and add.
# Times travel as the texts Python wrote, so that the first one comes back as it went in.
_CHARGE: Final = """
local kind, queries, at = ARGV[1], tonumber(ARGV[2]), ARGV[3]
local max_calls, max_queries, max_duration = tonumber(ARGV[4]), tonumber(ARGV[5]), tonumber(ARGV[6])
local calls = tonumber(redis.call('HGET', KEYS[1], 'calls:' .. kind) or '0')
local used = tonumber(redis.call('HGET', KEYS[1], 'queries') or '0')
local started = redis.call('HGET', KEYS[1], 'started') or at
if (max_calls >= 0 and calls >= max_calls)
    or (max_queries >= 0 and used + queries > max_queries)
    or (max_duration >= 0 and (tonumber(at) - tonumber(started)) * 1000 >= max_duration) then
    return {0, calls, used, started}
end
redis.call('HSETNX', KEYS[1], 'started', at)
calls = redis.call('HINCRBY', KEYS[1], 'calls:' .. kind, 1)
used = redis.call('HINCRBY', KEYS[1], 'queries', queries)
return {1, calls, used, started}
"""


class RedisStore:
    """Keeps everything in a Redis server (version 5 or newer), under keys that start with `prefix`.

    The URL carries user, password, database and TLS: `redis://user:password@host:6379/0`, `rediss://…`.
    Safe from several threads and processes, and after a fork. A command that failed is never sent again
    by itself, because it may have been carried out.

    Raises ConfigError for a wrong URL and when the `redis` package is missing, and WebError
    `WEB_STORE_ERROR` from every method when the server cannot be used: `reason` is `unavailable`,
    `full`, `read_only`, `closed` or `failed`.
    """

    def __init__(self, url: str, *, prefix: str = "hydra-web:") -> None:
        redis = _import_redis()
        self._errors = redis.exceptions
        self._prefix = prefix
        self._closed = False
        client: Any = None
        with contextlib.suppress(ValueError):
            client = redis.Redis.from_url(
                url,
                decode_responses=True,
                socket_timeout=_TIMEOUT_SECONDS,
                socket_connect_timeout=_TIMEOUT_SECONDS,
                health_check_interval=30,
                retry=redis.retry.Retry(redis.backoff.NoBackoff(), 0),
            )
        if client is None:
            raise ConfigError("url must be a Redis URL such as redis://localhost:6379/0")
        self._client = client
        self._charge = client.register_script(_CHARGE)

    def append(self, stream: str, record: JsonObject) -> int:
        """Adds a record to a stream and returns its sequence number, counted from 1."""
        text = to_json(record)
        return int(self._ask(lambda: self._client.rpush(self._key("stream", stream), text)))

    def read(self, stream: str, after: int = 0) -> list[tuple[int, JsonObject]]:
        """The records of a stream whose sequence number is above `after`, in order."""
        first = max(after, 0)
        texts: list[str] = self._ask(lambda: self._client.lrange(self._key("stream", stream), first, -1))
        return [(number, from_json(text)) for number, text in enumerate(texts, first + 1)]

    def put(self, key: str, value: JsonObject, ttl_seconds: float | None = None) -> None:
        """Keeps a value under a key, for a time or for good."""
        check_lifetime(ttl_seconds)
        text = to_json(value)
        milliseconds = None if ttl_seconds is None else max(1, round(ttl_seconds * 1000))
        self._ask(lambda: self._client.set(self._key("value", key), text, px=milliseconds))

    def get(self, key: str) -> JsonObject | None:
        """The value under a key, or None when there is none or its time is over."""
        text: str | None = self._ask(lambda: self._client.get(self._key("value", key)))
        return None if text is None else from_json(text)

    def charge(self, account: str, charge: Charge, limits: ChargeLimits) -> ChargeDecision:
        """Checks an account against the limits and records the charge when it fits, as one atomic step."""
        bounds = [
            _NO_LIMIT if limit is None else limit
            for limit in (limits.max_calls, limits.max_queries, limits.max_duration_ms)
        ]
        arguments = [charge.kind, charge.queries, repr(charge.at), *bounds]
        admitted, calls, queries, started_at = self._ask(
            lambda: self._charge(keys=[self._key("account", account)], args=arguments)
        )
        return ChargeDecision(bool(admitted), int(calls), int(queries), float(started_at))

    def close(self) -> None:
        """Closes the connections; calling it twice is harmless."""
        self._closed = True
        self._client.close()

    def _key(self, family: str, name: str) -> str:
        return f"{self._prefix}{family}:{name}"

    def _ask(self, command: Callable[[], _T]) -> _T:
        if self._closed:
            raise store_error("closed")
        try:
            return command()
        except self._errors.RedisError as error:
            failure = self._explain(error)
        raise failure

    def _explain(self, error: Exception) -> WebError:
        if isinstance(error, self._errors.ConnectionError | self._errors.TimeoutError):
            return store_error("unavailable")
        if isinstance(error, self._errors.OutOfMemoryError):
            return store_error("full")
        return store_error("read_only" if isinstance(error, self._errors.ReadOnlyError) else "failed")


def _import_redis() -> Any:
    try:
        import redis
    except ImportError:
        redis = None  # type: ignore[assignment]
    if redis is None:
        raise ConfigError('RedisStore needs the redis package: pip install "hydra-web[redis]"')
    import redis.backoff
    import redis.retry

    return redis
