import asyncio

import pytest

from hydra_web.errors import WebError
from hydra_web.research import ResearchBudget, ResearchSession

EXHAUSTED = "Error: Research budget exhausted for this task and its subagents. Use the evidence already collected."


async def test_calls_are_charged_before_they_are_dispatched(fakes):
    made = fakes.make(fakes.found(), fakes.page("ok"), budget=ResearchBudget(max_search_calls=1, max_fetches=1))
    for name, arguments in (("web_search", {"queries": ["a"]}), ("web_fetch", {"url": "https://a.test"})):
        assert not (await made.tools.call(name, arguments)).is_error
        outcome = await made.tools.call(name, arguments)
        assert (outcome.text, outcome.error.code) == (EXHAUSTED, "RESEARCH_BUDGET_EXHAUSTED")
    assert len(made.searcher.requests) == len(made.fetcher.requests) == 1


async def test_distinct_queries_are_counted_and_broken_calls_are_not(fakes):
    budget = ResearchBudget(max_queries=2)
    made = fakes.make(fakes.found(), budget=budget)
    assert (await made.tools.call("web_search", {"queries": []})).error.code == "INVALID_ARGS"
    await made.tools.call("web_search", {"queries": ["a", "a", "b"]})
    assert budget.snapshot().queries.used == 2
    assert (await made.tools.web_search("c")).text == EXHAUSTED


async def test_a_failing_call_keeps_its_charge_and_its_error(fakes):
    budget = ResearchBudget(max_fetches=5)
    made = fakes.make(None, WebError("no", "WEB_PROVIDER_ERROR"), budget=budget)
    assert (await made.tools.call("web_fetch", {"url": "u"})).text == "Error: no"
    assert budget.snapshot().fetches.used == 1


async def test_a_refusal_by_the_operators_scope_costs_nothing(fakes):
    budget = ResearchBudget(max_fetches=5)
    made = fakes.make(None, fakes.page("ok"), budget=budget, blocked_domains=["a.test"])
    await made.tools.call("web_fetch", {"url": "https://a.test"})
    assert budget.snapshot().fetches.used == 0


async def test_a_session_and_its_children_share_one_account(fakes):
    made = fakes.make(fakes.found(), budget=ResearchBudget(max_search_calls=1))
    with ResearchSession() as root:
        with root.child():
            assert not (await made.tools.call("web_search", {"queries": ["a"]})).is_error
        assert (await made.tools.call("web_search", {"queries": ["b"]})).text == EXHAUSTED
    with ResearchSession():
        assert not (await made.tools.call("web_search", {"queries": ["c"]})).is_error


@pytest.mark.parametrize("queries", [["a"], ["a", "b"]])
async def test_the_time_of_the_task_ends_a_call(fakes, queries):
    async def wait(signal):
        await asyncio.Event().wait()

    made = fakes.make(wait, budget=ResearchBudget(max_duration_ms=30))
    outcome = await made.tools.call("web_search", {"queries": queries})
    assert (outcome.text, outcome.error.code) == ("Error: Research time budget exhausted.", "RESEARCH_BUDGET_EXHAUSTED")


async def test_the_tools_own_time_out_keeps_its_name(fakes):
    async def wait(signal):
        await asyncio.Event().wait()

    made = fakes.make(None, wait, budget=ResearchBudget(max_duration_ms=60_000), fetch_timeout_ms=20)
    assert (await made.tools.call("web_fetch", {"url": "u"})).error.code == "TOOL_TIMEOUT"
