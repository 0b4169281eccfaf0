"""What sub-agents spend is charged to the task of the agent that started them, without any code of the user's."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from langchain.agents import create_agent
from langchain_core.tools import BaseTool, StructuredTool
from langchain_hydra_web import HydraWebMiddleware
from langchain_hydra_web.testing import ScriptedChatModel, call_tools
from langgraph.graph import END, START, MessagesState, StateGraph

from hydra_web.research import ResearchBudget, ResearchSession
from hydra_web.tools import WebTools

FETCH = ("web_fetch", {"url": "https://lindmoor.example/ferry.html"})
RESEARCH = ("research", {"question": "how long?"})
ASK: Any = {"messages": [("user", "go")]}


def _reader(web: WebTools, fetches: int = 1) -> Any:
    model = ScriptedChatModel(script=[*(call_tools(FETCH) for _ in range(fetches)), "35 minutes"])
    return create_agent(model, middleware=[HydraWebMiddleware(web)])


def _awaits(web: WebTools) -> BaseTool:
    async def research(question: str) -> str:
        """Looks something up."""
        state = await _reader(web).ainvoke({"messages": [("user", question)]})
        return str(state["messages"][-2].text)

    return StructuredTool.from_function(coroutine=research)


def _blocks(web: WebTools) -> BaseTool:
    def research(question: str) -> str:
        """Looks something up."""
        state = _reader(web).invoke({"messages": [("user", question)]})
        return str(state["messages"][-2].text)

    return StructuredTool.from_function(research)


def _blocks_the_loop(web: WebTools) -> BaseTool:
    async def research(question: str) -> str:
        """Looks something up."""
        state = _reader(web).invoke({"messages": [("user", question)]})
        return str(state["messages"][-2].text)

    return StructuredTool.from_function(coroutine=research)


def _starts_a_loop_of_its_own(web: WebTools) -> BaseTool:
    def research(question: str) -> str:
        """Looks something up."""
        state = asyncio.run(_reader(web).ainvoke({"messages": [("user", question)]}))
        return str(state["messages"][-2].text)

    return StructuredTool.from_function(research)


def _invoke(agent: Any) -> Any:
    return agent.invoke(ASK)


def _ainvoke(agent: Any) -> Any:
    return asyncio.run(agent.ainvoke(ASK))


def _stream(agent: Any) -> Any:
    return [state for _, state in agent.stream(ASK, stream_mode=["values"])][-1]


def _stream_with_subgraphs(agent: Any) -> Any:
    async def run() -> Any:
        return [part async for part in agent.astream(ASK, stream_mode="values", subgraphs=True)][-1][1]

    return asyncio.run(run())


@pytest.mark.parametrize(
    ("make_tool", "run"),
    [
        (_awaits, _ainvoke),
        (_awaits, _stream_with_subgraphs),
        (_blocks, _invoke),
        (_blocks, _ainvoke),
        (_blocks, _stream),
        (_blocks_the_loop, _ainvoke),
        (_starts_a_loop_of_its_own, _invoke),
        (_starts_a_loop_of_its_own, _ainvoke),
    ],
)
def test_sub_agents_inside_tools_are_charged_to_the_root(
    make_web: Any, make_tool: Callable[[WebTools], BaseTool], run: Callable[[Any], Any]
) -> None:
    budget = ResearchBudget(max_fetches=3)
    web = make_web(budget=budget)
    script = [call_tools(FETCH, RESEARCH, RESEARCH), call_tools(RESEARCH), "done"]
    agent = create_agent(
        ScriptedChatModel(script=script), [make_tool(web.tools)], middleware=[HydraWebMiddleware(web.tools)]
    )
    with ResearchSession() as root:
        state = run(agent)

    assert state["messages"][-1].content == "done"
    assert budget.snapshot(root).fetches.used == 3
    assert budget.snapshot().fetches.used == 0
    assert len(web.provider.fetched) == 3
    assert "Research budget exhausted" in state["messages"][-2].text


@pytest.mark.parametrize("run", [_invoke, _ainvoke])
def test_agents_that_are_nodes_of_a_graph_are_charged_to_the_root(make_web: Any, run: Callable[[Any], Any]) -> None:
    budget = ResearchBudget(max_fetches=2)
    web = make_web(budget=budget)
    graph = StateGraph(MessagesState)
    for name in ("first", "second", "last"):
        graph.add_node(name, _reader(web.tools))
    graph.add_edge(START, "first")
    graph.add_edge(START, "second")  # at once
    graph.add_edge(["first", "second"], "last")
    graph.add_edge("last", END)

    with ResearchSession() as root:
        state = run(graph.compile())

    errors = [message.status for message in state["messages"] if message.type == "tool"]
    assert sorted(errors) == ["error", "success", "success"]
    assert budget.snapshot(root).fetches.used == 2


def test_a_batch_of_runs_is_charged_to_the_session_it_was_started_in(make_web: Any) -> None:
    budget = ResearchBudget()
    web = make_web(budget=budget).tools
    model = ScriptedChatModel(script=[lambda messages: "done" if len(messages) > 2 else call_tools(FETCH)] * 8)
    agent = create_agent(model, middleware=[HydraWebMiddleware(web)])
    with ResearchSession() as root:
        agent.batch([ASK] * 4)
    assert budget.snapshot(root).fetches.used == 4


async def test_tasks_at_once_keep_their_accounts_apart(make_web: Any) -> None:
    budget = ResearchBudget(max_fetches=2)
    web = make_web(budget=budget)

    async def task(fetches: int) -> int:
        with ResearchSession() as root:
            await _reader(web.tools, fetches).ainvoke(ASK)
        return budget.snapshot(root).fetches.used

    assert await asyncio.gather(task(1), task(2), task(3)) == [1, 2, 2]
