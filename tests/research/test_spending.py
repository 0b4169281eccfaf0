import asyncio

import pytest

from hydra_web.errors import WebError
from hydra_web.research import ResearchBudget, run_within_budget
from hydra_web.signals import Aborted, AbortSignal


async def test_without_a_budget_the_work_gets_the_callers_own_signal() -> None:
    signal = AbortSignal()

    async def work(own: AbortSignal | None) -> bool:
        return own is signal

    assert await run_within_budget(None, "search", 1, work, signal)
    assert await run_within_budget(ResearchBudget(max_fetches=1), "fetch", 0, work, signal)


async def test_a_refused_call_is_never_started() -> None:
    budget = ResearchBudget(max_fetches=1)
    budget.charge("fetch")

    async def work(own: AbortSignal | None) -> None:
        raise AssertionError

    with pytest.raises(WebError, match="Research budget exhausted for this task") as caught:
        await run_within_budget(budget, "fetch", 0, work)
    assert caught.value.code == "RESEARCH_BUDGET_EXHAUSTED"


async def test_a_failing_call_keeps_its_error_and_its_charge() -> None:
    budget = ResearchBudget(max_browser_calls=1, max_duration_ms=60_000)

    async def work(own: AbortSignal | None) -> None:
        raise WebError("web fetch failed", "WEB_PROVIDER_ERROR")

    budget.charge("browser")
    with pytest.raises(WebError, match="web fetch failed"):
        await run_within_budget(budget, "fetch", 0, work)
    assert (budget.snapshot().browser_calls.used, budget.snapshot().fetches.used) == (1, 1)


async def _reject_on_abort(own: AbortSignal | None) -> str:
    assert own is not None
    try:
        await asyncio.sleep(30)
    except asyncio.CancelledError:
        raise WebError("web search aborted", "WEB_ABORTED") from None
    return "never"


async def _return_on_abort(own: AbortSignal | None) -> str:
    assert own is not None
    try:
        await asyncio.sleep(30)
    except asyncio.CancelledError:
        return "partial"
    return "never"


@pytest.mark.parametrize("work", [_reject_on_abort, _return_on_abort])
async def test_when_the_time_is_over_its_error_replaces_any_result(work: object) -> None:
    budget = ResearchBudget(max_duration_ms=30)

    with pytest.raises(WebError, match=r"^Research time budget exhausted\.$") as caught:
        await run_within_budget(budget, "search", 1, work)  # type: ignore[arg-type]

    assert caught.value.code == "RESEARCH_BUDGET_EXHAUSTED"
    assert caught.value.__context__ is None
    assert budget.snapshot().search_calls.used == 1


async def test_a_result_in_time_is_given_back() -> None:
    async def work(own: AbortSignal | None) -> str:
        return "done"

    assert await run_within_budget(ResearchBudget(max_duration_ms=60_000), "search", 1, work) == "done"


async def test_a_caller_who_stops_first_stays_the_reason() -> None:
    signal = AbortSignal()
    asyncio.get_running_loop().call_soon(signal.abort, "enough")

    with pytest.raises(Aborted) as caught:
        await run_within_budget(ResearchBudget(max_duration_ms=60_000), "search", 1, _reject_on_abort, signal)
    assert caught.value.reason == "enough"
