"""A session whose root cannot be told spends nothing, and its agent is told so; for both adapters."""

import gc
from typing import Any

import pytest

from hydra_web.research import ResearchBudget, ResearchSession

FETCH = ("web_fetch", {"url": "https://lindmoor.example/ferry.html"})
SEARCH = ("web_search", {"queries": ["ferry"]})


def _circle() -> list[ResearchSession]:
    return [ResearchSession("ring a", "ring b"), ResearchSession("ring b", "ring a")]


def _closed_parent() -> list[ResearchSession]:
    parent = ResearchSession()
    child = parent.child()
    parent.close()
    return [child, parent]


def _parent_elsewhere() -> list[ResearchSession]:
    return [ResearchSession(parent_id="in another process")]


def _closed_grandparent() -> list[ResearchSession]:
    root = ResearchSession()
    child = root.child()
    root.close()
    return [child.child(), child]


@pytest.mark.parametrize("make", [_circle, _closed_parent, _parent_elsewhere, _closed_grandparent])
async def test_an_agent_without_a_live_line_of_parents_can_spend_nothing(face: Any, make_web: Any, make: Any) -> None:
    web = make_web(budget=ResearchBudget(max_fetches=9))
    sessions = make()
    gc.collect()
    with sessions[0]:
        replies, _ = await face.run_agent(web.tools, FETCH, SEARCH)
        called = face.call(face.tools(web.tools)["web_fetch"], FETCH[1])

    for reply in (*replies, called):
        assert reply.is_error
        assert reply.data["error"]["code"] == "BUDGET_ANCESTRY_UNAVAILABLE"
    words = "cyclic delegation ancestry" if make is _circle else "delegation budget requires the live parent session"
    assert called.text == f"Error: {words}"
    assert (web.provider.fetched, web.provider.searched) == ([], [])


async def test_a_child_made_by_hand_shares_the_account(face: Any, make_web: Any) -> None:
    budget = ResearchBudget(max_fetches=1)
    web = make_web(budget=budget)
    with ResearchSession() as root:
        with root.child() as child, child.child():
            first, _ = await face.run_agent(web.tools, FETCH)
        second, _ = await face.run_agent(web.tools, FETCH)
    assert [reply.is_error for reply in first + second] == [False, True]
    assert budget.snapshot(root).fetches.used == 1
