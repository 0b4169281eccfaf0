"""What a research task may spend, checked and charged before every call."""

import contextlib
import logging
import threading
import time
from collections.abc import Callable, Mapping
from typing import Final, Literal, TypeAlias

from hydra_web.errors import ConfigError, WebError
from hydra_web.protocols import Charge, ChargeDecision, ChargeLimits, Store
from hydra_web.research.session import ResearchSession, current_session
from hydra_web.research.snapshot import BudgetSnapshot, Usage

__all__ = ["EXHAUSTED_CODE", "CallKind", "ResearchBudget", "call_kind"]

CallKind: TypeAlias = Literal["search", "fetch", "browser"]
"""What a call is charged as."""

EXHAUSTED_CODE: Final = "RESEARCH_BUDGET_EXHAUSTED"
_EXHAUSTED: Final = "Research budget exhausted for this task and its subagents. Use the evidence already collected."
_KINDS: Final[tuple[CallKind, ...]] = ("search", "fetch", "browser")
_MAX_LIMIT: Final = 2_147_483_647
_log: Final = logging.getLogger("hydra_web")

Warnings: TypeAlias = Mapping[float, Callable[[BudgetSnapshot], None]]
"""Used parts of a limit, such as 0.75, and what to call when a charge reaches them."""


def call_kind(tool: str) -> CallKind | None:
    """What a call of this tool is charged as; None for tools a budget does not count."""
    if tool == "web_search":
        return "search"
    if tool == "web_fetch":
        return "fetch"
    return "browser" if tool.startswith("browser_") else None


class ResearchBudget:
    """Limits that a research task and all its sub-agents share. None is no limit.

    One charge is made per attempt, before it is dispatched, and never given back; a refused call
    is not charged; a page from a cache is. The account is the root of the session that calls
    (the current one unless given); without any session the budget object is one task itself.
    Time counts from the first charge of any kind, idle time included, in wall-clock time so that
    several machines agree. `store` keeps the charges and makes them shared; by default they live
    in this object. `warn_at` maps a used part of any limit to a callback, called once per task; the
    call was charged by then, and a callback that fails is logged and stops nothing.

    Raises ConfigError for a limit that is not an integer from 1 to 2147483647.
    """

    def __init__(
        self,
        max_search_calls: int | None = None,
        max_queries: int | None = None,
        max_fetches: int | None = None,
        max_browser_calls: int | None = None,
        max_duration_ms: int | None = None,
        *,
        warn_at: Warnings | None = None,
        store: Store | None = None,
    ) -> None:
        self.max_queries: Final = _limit("max_queries", max_queries)
        self.max_duration_ms: Final = _limit("max_duration_ms", max_duration_ms)
        self._max_calls: Final[dict[CallKind, int | None]] = {
            "search": _limit("max_search_calls", max_search_calls),
            "fetch": _limit("max_fetches", max_fetches),
            "browser": _limit("max_browser_calls", max_browser_calls),
        }
        self._warnings = _checked_warnings(warn_at or {})
        self._warned: set[tuple[str, float]] = set()
        self._lock = threading.Lock()
        self._own_session = ResearchSession()
        self._store = store if store is not None else _memory_store()

    def charge(self, kind: CallKind, queries: int = 0, session: ResearchSession | None = None) -> None:
        """Charges one call, or refuses it; `queries` is how many distinct queries a search holds.

        Raises WebError `RESEARCH_BUDGET_EXHAUSTED` when the call does not fit, `BUDGET_ANCESTRY_UNAVAILABLE`
        when the task's root cannot be told, `WEB_STORE_ERROR` when the store cannot be used; then
        nothing is charged. Raises ConfigError for an unknown kind or an impossible number of queries.
        """
        self.admit(kind, queries, session)

    def admit(self, kind: CallKind, queries: int = 0, session: ResearchSession | None = None) -> int | None:
        """Charges one call as `charge` does and gives the milliseconds it may take; None without a limit."""
        _check_charge(kind, queries)
        session = session or current_session() or self._own_session
        root = session.root_id
        charge = Charge(owner=session.id, kind=kind, queries=queries, at=time.time())
        decision = self._store.charge(_account(root), charge, self._limits(kind))
        if not decision.admitted:
            raise WebError(_EXHAUSTED, EXHAUSTED_CODE)
        with contextlib.suppress(WebError):  # the call is charged; the next one may warn
            self._warn(session)
        return self._remaining(decision, charge.at)

    def remaining_ms(self, session: ResearchSession | None = None) -> int | None:
        """How long calls are still admitted, in milliseconds; None without a limit."""
        return self.snapshot(session).remaining_ms

    def snapshot(self, session: ResearchSession | None = None) -> BudgetSnapshot:
        """What the session's task has used so far."""
        session = session or current_session() or self._own_session
        root, now = session.root_id, time.time()
        # A charge that no limit admits reads the account without changing it.
        read = {
            kind: self._store.charge(_account(root), Charge(session.id, kind, 0, now), ChargeLimits(max_calls=0))
            for kind in _KINDS
        }
        elapsed = max(0, int((now - min(decision.started_at for decision in read.values())) * 1000))
        return BudgetSnapshot(
            root_id=root,
            search_calls=Usage(read["search"].calls, self._max_calls["search"]),
            queries=Usage(read["search"].queries, self.max_queries),
            fetches=Usage(read["fetch"].calls, self._max_calls["fetch"]),
            browser_calls=Usage(read["browser"].calls, self._max_calls["browser"]),
            duration_ms=Usage(elapsed, self.max_duration_ms),
        )

    def _limits(self, kind: CallKind) -> ChargeLimits:
        return ChargeLimits(self._max_calls[kind], self.max_queries, self.max_duration_ms)

    def _remaining(self, decision: ChargeDecision, now: float) -> int | None:
        if self.max_duration_ms is None:
            return None
        left = self.max_duration_ms - (now - decision.started_at) * 1000
        return max(1, min(self.max_duration_ms, int(left)))

    def _warn(self, session: ResearchSession) -> None:
        if not self._warnings:
            return
        snapshot = self.snapshot(session)
        for share, callback in self._warnings:
            with self._lock:
                due = snapshot.share >= share and (snapshot.root_id, share) not in self._warned
                if due:
                    self._warned.add((snapshot.root_id, share))
            if due:
                _call(callback, snapshot)


def _call(callback: Callable[[BudgetSnapshot], None], snapshot: BudgetSnapshot) -> None:
    try:
        callback(snapshot)
    except Exception as error:  # noqa: BLE001 - what watches a budget must not break the work
        _log.error("a warn_at callback of a research budget failed: %s", type(error).__name__)


def _memory_store() -> Store:
    from hydra_web.store import MemoryStore

    return MemoryStore()


def _account(root: str) -> str:
    return f"budget/{root}"


def _limit(key: str, value: int | None) -> int | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= _MAX_LIMIT:
        raise ConfigError(f"research limits must be positive integers up to {_MAX_LIMIT}: {key} is {value!r}")
    return value


def _checked_warnings(warnings: Warnings) -> list[tuple[float, Callable[[BudgetSnapshot], None]]]:
    for share, callback in warnings.items():
        number = isinstance(share, int | float) and not isinstance(share, bool)
        if not number or not 0 < share <= 1 or not callable(callback):
            raise ConfigError(f"warn_at must map numbers above 0 and up to 1 to callables, not {share!r}")
    return sorted(warnings.items(), key=lambda item: item[0])


def _check_charge(kind: object, queries: object) -> None:
    if kind not in _KINDS:
        raise ConfigError(f"kind must be one of {', '.join(_KINDS)}, not {kind!r}")
    number = isinstance(queries, int) and not isinstance(queries, bool)
    if not number or not 0 <= queries <= _MAX_LIMIT or (queries and kind != "search"):  # type: ignore[operator]
        raise ConfigError(f"research charge has invalid query units: {queries!r} for {kind}")
