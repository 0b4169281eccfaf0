"""A call made within a budget: charged before it starts, stopped when the task's time is over."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, Final, TypeVar

from hydra_web.errors import WebError
from hydra_web.research.budget import EXHAUSTED_CODE, CallKind, ResearchBudget
from hydra_web.signals import Aborted, AbortSignal, run_abortable

__all__ = ["run_within_budget"]

_T = TypeVar("_T")
_TIME_EXHAUSTED: Final = "Research time budget exhausted."


async def run_within_budget(
    budget: ResearchBudget | None,
    kind: CallKind,
    queries: int,
    work: Callable[[AbortSignal | None], Coroutine[Any, Any, _T]],
    signal: AbortSignal | None = None,
) -> _T:
    """Charges a call, then runs it under what is left of the task's time.

    Without a budget, or without a limit on its time, `work` gets the caller's own signal. Otherwise
    it gets one that follows the caller's and the clock, and when the clock was first WebError
    `RESEARCH_BUDGET_EXHAUSTED` takes the place of whatever the work made of it. Raises what
    `ResearchBudget.charge` raises, Aborted when the caller's signal was thrown first, and what the work raises.
    """
    if budget is None:
        return await work(signal)
    remaining = await asyncio.to_thread(budget.admit, kind, queries)
    if remaining is None:
        return await work(signal)
    deadline = AbortSignal.timeout(remaining, EXHAUSTED_CODE)
    own = deadline if signal is None else AbortSignal.any([signal, deadline])
    reason: object = None
    try:
        return await run_abortable(work(own), own)
    except Aborted as aborted:
        reason = aborted.reason
    if reason is deadline.reason:
        raise WebError(_TIME_EXHAUSTED, EXHAUSTED_CODE)
    raise Aborted(reason)
