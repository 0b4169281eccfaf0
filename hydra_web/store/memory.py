"""The store that lives and dies with the process."""

import threading
import time
from collections import defaultdict

from hydra_web.protocols import Charge, ChargeDecision, ChargeLimits, JsonObject
from hydra_web.store._values import check_lifetime, decide, from_json, store_error, to_json

__all__ = ["MemoryStore"]


class MemoryStore:
    """Keeps everything in memory; safe from several threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._closed = False
        self._streams: defaultdict[str, list[str]] = defaultdict(list)
        self._values: dict[str, tuple[str, float]] = {}
        self._charges: defaultdict[str, list[Charge]] = defaultdict(list)

    def append(self, stream: str, record: JsonObject) -> int:
        """Adds a record to a stream and returns its sequence number, counted from 1."""
        text = to_json(record)
        with self._lock:
            self._check_open()
            self._streams[stream].append(text)
            return len(self._streams[stream])

    def read(self, stream: str, after: int = 0) -> list[tuple[int, JsonObject]]:
        """The records of a stream whose sequence number is above `after`, in order."""
        first = max(after, 0)
        with self._lock:
            self._check_open()
            texts = self._streams[stream][first:] if stream in self._streams else []
        return [(number, from_json(text)) for number, text in enumerate(texts, first + 1)]

    def put(self, key: str, value: JsonObject, ttl_seconds: float | None = None) -> None:
        """Keeps a value under a key, for a time or for good."""
        check_lifetime(ttl_seconds)
        text, now = to_json(value), time.time()
        with self._lock:
            self._check_open()
            for stale in [name for name, (_, end) in self._values.items() if end <= now]:
                del self._values[stale]
            self._values[key] = (text, float("inf") if ttl_seconds is None else now + ttl_seconds)

    def get(self, key: str) -> JsonObject | None:
        """The value under a key, or None when there is none or its time is over."""
        with self._lock:
            self._check_open()
            text, end = self._values.get(key, ("", 0.0))
        return from_json(text) if end > time.time() else None

    def charge(self, account: str, charge: Charge, limits: ChargeLimits) -> ChargeDecision:
        """Checks an account against the limits and records the charge when it fits, as one atomic step."""
        with self._lock:
            self._check_open()
            past = self._charges[account]
            decision = decide(
                charge,
                limits,
                calls=sum(one.kind == charge.kind for one in past),
                queries=sum(one.queries for one in past),
                started_at=past[0].at if past else None,
            )
            if decision.admitted:
                past.append(charge)
            return decision

    def close(self) -> None:
        """Forgets everything."""
        with self._lock:
            self._closed = True
            self._streams.clear()
            self._values.clear()
            self._charges.clear()

    def _check_open(self) -> None:
        if self._closed:
            raise store_error("closed")
