"""What the backends share: JSON as it is kept, lifetimes, charge arithmetic and the store's error."""

import contextlib
import json
import math
from typing import Any, Final

from hydra_web.errors import ConfigError, WebError
from hydra_web.protocols import Charge, ChargeDecision, ChargeLimits, JsonObject

__all__ = ["check_lifetime", "decide", "from_json", "store_error", "to_json"]

_TEXTS: Final = {
    "closed": "the store was closed",
    "corrupt": "the store is damaged, or no store at all; recover what is readable with: hydra-web index repair",
    "locked": "the store is locked by another process; try again when it has finished",
    "newer_schema": "the store was written by a newer hydra-web; upgrade hydra-web to use it",
    "not_a_store": "the file belongs to another program; choose another file as the store",
    "full": "the disk is full: nothing of this write was kept, and what was in the store still is",
    "read_only": "the store cannot be written; check the permissions of the file and its folder",
    "unavailable": "the store cannot be opened; check that it exists and may be used",
    "too_slow": "the store took too long to answer; ask for less",
    "failed": "the store could not do what was asked",
}


def store_error(reason: str) -> WebError:
    """The error `WEB_STORE_ERROR` with the fixed text of its reason."""
    return WebError(_TEXTS[reason], "WEB_STORE_ERROR", reason)


def to_json(value: JsonObject) -> str:
    """The compact JSON text of a value, ASCII only so that lone surrogates survive.

    Raises ConfigError when the value is not JSON.
    """
    try:
        return json.dumps(value, separators=(",", ":"), allow_nan=False)
    except (TypeError, ValueError, RecursionError):
        pass
    raise ConfigError("only JSON objects can be stored")


def from_json(text: str) -> JsonObject:
    """The value that was kept. Raises WebError when the text is not what was written."""
    value: Any = None
    with contextlib.suppress(ValueError):
        value = json.loads(text)
    if not isinstance(value, dict):
        raise store_error("corrupt")
    return value


def check_lifetime(ttl_seconds: float | None) -> None:
    """Raises ConfigError unless the lifetime is None or a positive finite number of seconds."""
    if ttl_seconds is None:
        return
    number = isinstance(ttl_seconds, int | float) and not isinstance(ttl_seconds, bool)
    if not number or not math.isfinite(ttl_seconds) or ttl_seconds <= 0:
        raise ConfigError(f"ttl_seconds must be a positive number of seconds, not {ttl_seconds!r}")


def decide(
    charge: Charge, limits: ChargeLimits, *, calls: int, queries: int, started_at: float | None
) -> ChargeDecision:
    """Whether a charge fits, given the calls of its kind, the queries and the first charge so far."""
    start = charge.at if started_at is None else started_at
    admitted = (
        (limits.max_calls is None or calls < limits.max_calls)
        and (limits.max_queries is None or queries + charge.queries <= limits.max_queries)
        and (limits.max_duration_ms is None or (charge.at - start) * 1000 < limits.max_duration_ms)
    )
    if not admitted:
        return ChargeDecision(admitted=False, calls=calls, queries=queries, started_at=start)
    return ChargeDecision(admitted=True, calls=calls + 1, queries=queries + charge.queries, started_at=start)
