"""What sub-agents spend is charged to the task of the agent that started them, without any code of the user's."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from llama_index.core.agent.workflow import AgentWorkflow, FunctionAgent, ReActAgent
from llama_index.core.async_utils import asyncio_run
from llama_index.core.tools import FunctionTool
from llama_index.tools.hydra_web import HydraWebToolSpec
from llama_index.tools.hydra_web.testing import ScriptedLLM, call_tools

from hydra_web.research import ResearchBudget, ResearchSession
from hydra_web.tools import WebTools

FETCH = ("web_fetch", {"url": "https://lindmoor.example/ferry.html"})
RESEARCH = ("research", {"question": "how long?"})


def _reader(web: WebTools, fetches: int = 1) -> FunctionAgent:
    llm = ScriptedLLM(script=[*(call_tools(FETCH) for _ in range(fetches)), "35 minutes"])
    return FunctionAgent(name="reader", description="Reads.", tools=HydraWebToolSpec(web).to_tool_list(), llm=llm)


async def _ask_reader(web: WebTools, question: str) -> str:
    output = await _reader(web).run(user_msg=question)
    return str(output.tool_calls[0].tool_output.content)


def _awaits(web: WebTools) -> FunctionTool:
    async def research(question: str) -> str:
        """Looks something up."""
        return await _ask_reader(web, question)

    return FunctionTool.from_defaults(async_fn=research)


def _blocks(web: WebTools) -> FunctionTool:
    def research(question: str) -> str:
        """Looks something up."""
        return str(asyncio_run(_ask_reader(web, question)))

    return FunctionTool.from_defaults(research)


def _blocks_the_loop(web: WebTools) -> FunctionTool:
    async def research(question: str) -> str:
        """Looks something up."""
        return str(asyncio_run(_ask_reader(web, question)))

    return FunctionTool.from_defaults(async_fn=research)


def _starts_a_loop_of_its_own(web: WebTools) -> FunctionTool:
    def research(question: str) -> str:
        """Looks something up."""
        return asyncio.run(_ask_reader(web, question))

    return FunctionTool.from_defaults(research)


def _calls_the_tool_itself(web: WebTools) -> FunctionTool:
    def research(question: str) -> str:
        """Looks something up."""
        return str(HydraWebToolSpec(web).to_tool_list(["web_fetch"])[0].call(**FETCH[1]).content)

    return FunctionTool.from_defaults(research)


@pytest.mark.parametrize(
    "make_tool", [_awaits, _blocks, _blocks_the_loop, _starts_a_loop_of_its_own, _calls_the_tool_itself]
)
async def test_sub_agents_inside_tools_are_charged_to_the_root(
    make_web: Any, make_tool: Callable[[WebTools], FunctionTool]
) -> None:
    budget = ResearchBudget(max_fetches=3)
    web = make_web(budget=budget)
    llm = ScriptedLLM(script=[call_tools(FETCH, RESEARCH, RESEARCH), call_tools(RESEARCH), "done"])
    agent = FunctionAgent(tools=[*HydraWebToolSpec(web.tools).to_tool_list(), make_tool(web.tools)], llm=llm)
    with ResearchSession() as root:
        output = await agent.run(user_msg="go")

    assert output.response.content == "done"
    assert budget.snapshot(root).fetches.used == 3
    assert budget.snapshot().fetches.used == 0
    assert len(web.provider.fetched) == 3
    assert "Research budget exhausted" in output.tool_calls[-1].tool_output.content


async def test_agents_that_hand_over_are_charged_to_the_root(make_web: Any) -> None:
    budget = ResearchBudget(max_fetches=1)
    web = make_web(budget=budget)
    handoff = call_tools(("handoff", {"to_agent": "reader", "reason": "read on"}))
    first = FunctionAgent(
        name="first",
        description="Begins.",
        tools=HydraWebToolSpec(web.tools).to_tool_list(),
        llm=ScriptedLLM(script=[call_tools(FETCH), handoff]),
        can_handoff_to=["reader"],
    )
    with ResearchSession() as root:
        output = await AgentWorkflow(agents=[first, _reader(web.tools)], root_agent="first").run(user_msg="go")
    fetches = [call.tool_output for call in output.tool_calls if call.tool_name == "web_fetch"]
    assert [fetch.is_error for fetch in fetches] == [False, True]
    assert fetches[1].raw_output["error"]["code"] == "RESEARCH_BUDGET_EXHAUSTED"
    assert budget.snapshot(root).fetches.used == 1


def test_an_agent_run_from_synchronous_code_is_charged_to_the_session_there(make_web: Any) -> None:
    budget = ResearchBudget()
    web = make_web(budget=budget).tools
    with ResearchSession() as root:
        asyncio_run(_ask_reader(web, "how long?"))
        HydraWebToolSpec(web).to_tool_list(["web_search"])[0].call(queries=["ferry"])
    assert (budget.snapshot(root).fetches.used, budget.snapshot(root).search_calls.used) == (1, 1)


async def test_a_react_agent_is_charged_to_the_session_too(make_web: Any) -> None:
    budget = ResearchBudget()
    web = make_web(budget=budget).tools
    read = f'Thought: read.\nAction: web_fetch\nAction Input: {{"url": "{FETCH[1]["url"]}"}}'
    llm = ScriptedLLM(script=[read, "Thought: I know.\nAnswer: done"])
    with ResearchSession() as root:
        await ReActAgent(tools=HydraWebToolSpec(web).to_tool_list(), llm=llm).run(user_msg="go")
    assert budget.snapshot(root).fetches.used == 1


async def test_a_run_belongs_to_the_session_it_was_started_in(make_web: Any) -> None:
    budget = ResearchBudget()
    with ResearchSession() as root:
        handler = _reader(make_web(budget=budget).tools).run(user_msg="go")
    await handler
    assert budget.snapshot(root).fetches.used == 1


async def test_tasks_at_once_keep_their_accounts_apart(make_web: Any) -> None:
    budget = ResearchBudget(max_fetches=2)
    web = make_web(budget=budget)

    async def task(fetches: int) -> int:
        with ResearchSession() as root:
            await _reader(web.tools, fetches).run(user_msg="go")
        return budget.snapshot(root).fetches.used

    assert await asyncio.gather(task(1), task(2), task(3)) == [1, 2, 2]
