import threading
from collections import defaultdict
from typing import Any

import pytest

from hydra_web.evidence import EvidenceLedger
from hydra_web.protocols import Charge, ChargeDecision, ChargeLimits


class DictStore:
    """The least a ledger needs of a store."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._streams: dict[str, list[tuple[int, dict[str, Any]]]] = defaultdict(list)
        self._values: dict[str, dict[str, Any]] = {}

    def append(self, stream: str, record: dict[str, Any]) -> int:
        with self._lock:
            self._streams[stream].append((len(self._streams[stream]) + 1, record))
            return len(self._streams[stream])

    def read(self, stream: str, after: int = 0) -> list[tuple[int, dict[str, Any]]]:
        with self._lock:
            return self._streams[stream][after:]

    def put(self, key: str, value: dict[str, Any], ttl_seconds: float | None = None) -> None:
        self._values[key] = value

    def get(self, key: str) -> dict[str, Any] | None:
        return self._values.get(key)

    def charge(self, account: str, charge: Charge, limits: ChargeLimits) -> ChargeDecision:
        raise NotImplementedError

    def close(self) -> None:
        self._values.clear()


@pytest.fixture
def store() -> DictStore:
    return DictStore()


@pytest.fixture
def ledger() -> EvidenceLedger:
    return EvidenceLedger()
