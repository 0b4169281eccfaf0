import asyncio
import threading
from pathlib import Path
from typing import Any

import pytest

from hydra_web.errors import ConfigError, WebError
from hydra_web.protocols import Charge, ChargeDecision, ChargeLimits
from hydra_web.research import BudgetSnapshot, ResearchBudget, ResearchSession, call_kind
from hydra_web.store import MemoryStore, SqliteStore

_EXHAUSTED = "Research budget exhausted for this task and its subagents. Use the evidence already collected."


def _refused(budget: ResearchBudget, kind: Any = "search", queries: int = 0, **options: Any) -> bool:
    try:
        budget.charge(kind, queries, **options)
    except WebError as error:
        return (error.message, error.code) == (_EXHAUSTED, "RESEARCH_BUDGET_EXHAUSTED")
    return False


@pytest.mark.parametrize(
    ("tool", "kind"),
    [
        ("web_search", "search"),
        ("web_fetch", "fetch"),
        ("browser_click", "browser"),
        ("read", None),
        ("my_browser_x", None),
    ],
)
def test_only_web_and_browser_tools_are_counted(tool: str, kind: str | None) -> None:
    assert call_kind(tool) == kind


@pytest.mark.parametrize(
    ("limits", "kind"),
    [({"max_search_calls": 1}, "search"), ({"max_fetches": 1}, "fetch"), ({"max_browser_calls": 1}, "browser")],
)
def test_a_second_call_over_a_cap_of_one_is_refused_and_not_charged(limits: Any, kind: Any) -> None:
    budget = ResearchBudget(**limits)

    assert not _refused(budget, kind)
    assert _refused(budget, kind)
    assert _refused(budget, kind)
    used = budget.snapshot()
    assert used.search_calls.used + used.fetches.used + used.browser_calls.used == 1


def test_kinds_are_counted_apart_and_none_is_no_limit() -> None:
    budget = ResearchBudget(max_fetches=1)

    assert not any(_refused(budget, "search", 3) for _ in range(50))
    assert not _refused(budget, "fetch")
    assert (budget.snapshot().search_calls.used, budget.snapshot().queries.used) == (50, 150)


def test_queries_are_counted_over_all_searches() -> None:
    budget = ResearchBudget(max_queries=3)

    assert not _refused(budget, "search", 2)
    assert _refused(budget, "search", 2)
    assert not _refused(budget, "search", 1)
    assert not _refused(budget, "fetch")
    assert _refused(budget, "search", 1)


@pytest.mark.parametrize("value", [0, -1, True, 1.0, "3", 2_147_483_648])
@pytest.mark.parametrize(
    "key", ["max_search_calls", "max_queries", "max_fetches", "max_browser_calls", "max_duration_ms"]
)
def test_a_limit_must_be_a_positive_integer(key: str, value: Any) -> None:
    with pytest.raises(ConfigError, match=f"positive integers up to 2147483647: {key} is"):
        ResearchBudget(**{key: value})


@pytest.mark.parametrize(
    ("kind", "queries"),
    [("search", -1), ("search", 0.5), ("search", True), ("search", 2**31), ("fetch", 1), ("browser", 2)],
)
def test_an_impossible_charge_is_reported(kind: Any, queries: Any) -> None:
    budget = ResearchBudget()

    with pytest.raises(ConfigError, match="research charge has invalid query units"):
        budget.charge(kind, queries)
    assert budget.snapshot().search_calls.used == 0


@pytest.mark.parametrize(("kind", "queries"), [("search", 0), ("search", 7), ("fetch", 0), ("browser", 0)])
def test_a_possible_charge_is_made(kind: Any, queries: int) -> None:
    assert not _refused(ResearchBudget(), kind, queries)


def test_an_unknown_kind_is_refused() -> None:
    with pytest.raises(ConfigError, match="kind must be one of search, fetch, browser, not 'read'"):
        ResearchBudget().charge("read")  # type: ignore[arg-type]


async def test_a_child_and_a_grandchild_at_once_share_a_cap_of_one() -> None:
    store = MemoryStore()
    budget = ResearchBudget(max_search_calls=1, store=store)
    root = ResearchSession("shared-root")
    child = root.child()
    grandchild = child.child()

    async def search(session: ResearchSession) -> bool:
        with session:
            return not await asyncio.to_thread(_refused, budget, "search", 2)

    admitted = await asyncio.gather(search(child), search(grandchild))

    assert sorted(admitted) == [False, True]
    assert budget.snapshot(root).queries.used == 2
    reloaded = ResearchBudget(max_search_calls=1, store=store)
    assert _refused(reloaded, session=root)
    root.close()
    assert _refused(reloaded, session=ResearchSession("shared-root"))


def test_a_new_root_session_has_a_new_budget() -> None:
    budget = ResearchBudget(max_fetches=1)

    assert not _refused(budget, "fetch", session=ResearchSession())
    assert not _refused(budget, "fetch", session=ResearchSession())


def test_a_session_without_a_live_parent_can_spend_nothing() -> None:
    with pytest.raises(WebError, match="live parent session"):
        ResearchBudget().charge("fetch", session=ResearchSession(parent_id="nobody"))


def test_many_threads_never_pass_a_cap_together() -> None:
    budget = ResearchBudget(max_fetches=100)
    admitted: list[bool] = []

    def spend() -> None:
        admitted.extend(not _refused(budget, "fetch") for _ in range(20))

    threads = [threading.Thread(target=spend) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert sum(admitted) == 100


def test_budgets_on_one_file_never_pass_a_cap_together(tmp_path: Path) -> None:
    stores = [SqliteStore(tmp_path / "budget.db") for _ in range(2)]
    admitted: list[bool] = []

    def spend(store: SqliteStore) -> None:
        budget = ResearchBudget(max_fetches=20, store=store)
        with ResearchSession("one-task"):
            admitted.extend(not _refused(budget, "fetch") for _ in range(10))

    threads = [threading.Thread(target=spend, args=(store,)) for store in stores for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for store in stores:
        store.close()

    assert sum(admitted) == 20


def test_time_counts_from_the_first_charge_of_any_kind(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 1000.0
    monkeypatch.setattr("time.time", lambda: now)
    budget = ResearchBudget(max_duration_ms=5000)

    assert budget.remaining_ms() == 5000
    assert budget.admit("fetch") == 5000
    now = 1004.0
    assert budget.admit("search") == 1000
    assert budget.remaining_ms() == 1000
    now = 1004.9999
    assert budget.admit("search") == 1
    now = 1005.0
    assert _refused(budget, "browser")
    assert budget.remaining_ms() == 0


def test_there_is_no_remaining_time_without_a_limit() -> None:
    assert ResearchBudget().remaining_ms() is None
    assert ResearchBudget().admit("fetch") is None


def test_a_warning_is_given_once_when_a_share_is_reached() -> None:
    seen: list[tuple[str, float]] = []
    warn_at = {
        0.5: lambda snapshot: seen.append(("half", snapshot.share)),
        1.0: lambda snapshot: seen.append(("all", snapshot.share)),
    }
    budget = ResearchBudget(max_fetches=4, max_queries=100, warn_at=warn_at)

    for _ in range(6):
        _refused(budget, "fetch")

    assert seen == [("half", 0.5), ("all", 1.0)]


@pytest.mark.parametrize("warn_at", [{0: print}, {1.5: print}, {True: print}, {0.5: "call"}, {"half": print}])
def test_a_wrong_warning_is_refused(warn_at: Any) -> None:
    with pytest.raises(ConfigError, match="warn_at must map numbers above 0"):
        ResearchBudget(warn_at=warn_at)


def test_a_warning_that_fails_is_logged_and_stops_nothing(caplog: pytest.LogCaptureFixture) -> None:
    def fail(_: BudgetSnapshot) -> None:
        raise ZeroDivisionError("secret")

    seen: list[float] = []
    budget = ResearchBudget(max_fetches=1, warn_at={0.5: fail, 1: lambda snapshot: seen.append(snapshot.share)})

    budget.charge("fetch")

    assert seen == [1.0]
    assert "a warn_at callback of a research budget failed: ZeroDivisionError" in caplog.text
    assert "secret" not in caplog.text


def test_a_call_that_was_charged_goes_on_when_the_warning_cannot_be_judged() -> None:
    class OneCharge(MemoryStore):
        def charge(self, account: str, charge: Charge, limits: ChargeLimits) -> ChargeDecision:
            decision = super().charge(account, charge, limits)
            self.close()
            return decision

    budget = ResearchBudget(max_fetches=1, warn_at={1: pytest.fail}, store=OneCharge())

    budget.charge("fetch")
    with pytest.raises(WebError, match="the store was closed"):
        budget.charge("fetch")


def test_a_clock_that_goes_back_gives_no_more_than_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 1_000.0
    monkeypatch.setattr("time.time", lambda: now)
    budget = ResearchBudget(max_duration_ms=500)
    budget.charge("fetch")
    now = 10.0

    assert budget.admit("fetch") == 500
    assert budget.remaining_ms() == 500


def test_a_snapshot_shows_itself() -> None:
    budget = ResearchBudget(max_fetches=4)
    budget.charge("fetch")

    snapshot = budget.snapshot()

    assert isinstance(snapshot, BudgetSnapshot)
    assert "| fetches | 1 of 4 |" in snapshot._repr_markdown_()
    assert "<td>search calls</td><td>0</td>" in snapshot._repr_html_()
