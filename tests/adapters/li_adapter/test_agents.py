"""FunctionAgent is in the contract; here are the other agents, and what only LlamaIndex has."""

from typing import Any

import pytest
from llama_index.core.agent.react import ReActChatFormatter
from llama_index.core.agent.workflow import AgentWorkflow, FunctionAgent, ReActAgent
from llama_index.core.base.llms.types import CitableBlock, TextBlock
from llama_index.core.instrumentation import get_dispatcher
from llama_index.core.instrumentation.event_handlers import BaseEventHandler
from llama_index.core.tools import ToolMetadata
from llama_index.core.tools.calling import acall_tool
from llama_index.tools.hydra_web import (
    HydraWebCallEvent,
    HydraWebResultEvent,
    HydraWebTool,
    HydraWebToolSpec,
    guidance_prompt,
)
from llama_index.tools.hydra_web.testing import ScriptedLLM, call_tools

from hydra_web import ConfigError

URL = "https://lindmoor.example/ferry.html"
SEARCH = ("web_search", {"queries": ["ferry"]})
FETCH = ("web_fetch", {"url": URL})
BEHAVIOURS = ["works", "fails", "breaks", "times out", "returns nothing", "returns hostile titles"]


@pytest.mark.parametrize("behaviour", BEHAVIOURS)
async def test_a_react_agent_never_fails_because_of_a_tool(make_web: Any, behaviour: str) -> None:
    web = make_web(behaviour).tools
    llm = ScriptedLLM(
        script=[
            'Thought: search.\nAction: web_search\nAction Input: {"queries": ["ferry"]}',
            f'Thought: read.\nAction: web_fetch\nAction Input: {{"url": "{URL}"}}',
            "Thought: I know.\nAnswer: done",
        ]
    )
    formatter = ReActChatFormatter.from_defaults(context=guidance_prompt(web))
    agent = ReActAgent(tools=HydraWebToolSpec(web).to_tool_list(), formatter=formatter, llm=llm)
    output = await agent.run(user_msg="go")
    assert output.response.content == "done"
    assert web.guidance() in str(llm.prompts[0][0].content)
    errors = [call.tool_output.is_error for call in output.tool_calls]
    assert errors == [behaviour in {"fails", "breaks", "times out"}] * 2


@pytest.mark.parametrize("behaviour", BEHAVIOURS)
async def test_agents_that_hand_over_never_fail_because_of_a_tool(make_web: Any, behaviour: str) -> None:
    web = make_web(behaviour).tools
    spec = HydraWebToolSpec(web)
    finder = FunctionAgent(
        name="finder",
        description="Finds pages.",
        tools=spec.to_tool_list(["web_search"]),
        llm=ScriptedLLM(
            script=[call_tools(SEARCH), call_tools(("handoff", {"to_agent": "reader", "reason": "read it"}))]
        ),
        can_handoff_to=["reader"],
    )
    reader = FunctionAgent(
        name="reader",
        description="Reads pages.",
        tools=spec.to_tool_list(["web_fetch"]),
        llm=ScriptedLLM(script=[call_tools(FETCH), "done"]),
    )
    output = await AgentWorkflow(agents=[finder, reader], root_agent="finder").run(user_msg="go")
    assert output.response.content == "done"
    assert len(web.evidence.fetches()) == (behaviour not in {"fails", "breaks", "times out"})


async def test_parallel_calls_are_answered_each(make_web: Any) -> None:
    llm = ScriptedLLM(script=[call_tools(SEARCH, FETCH, SEARCH), "done"])
    agent = FunctionAgent(tools=HydraWebToolSpec(make_web().tools).to_tool_list(), llm=llm)
    output = await agent.run(user_msg="go")
    assert sorted(call.tool_name for call in output.tool_calls) == ["web_fetch", "web_search", "web_search"]
    assert [tool["function"]["name"] for tool in llm.bound_tools[0]] == ["web_search", "web_fetch"]


def test_citable_pages_come_after_the_text(make_web: Any) -> None:
    web = make_web().tools
    search, fetch = HydraWebToolSpec(web, citable=True).to_tool_list()
    text, page = fetch.call(url=URL).blocks
    assert isinstance(text, TextBlock)
    assert isinstance(page, CitableBlock)
    assert page.source == URL
    assert [block.block_type for block in search.call(queries=["ferry"]).blocks] == ["text"]
    failed = HydraWebToolSpec(make_web("fails").tools, citable=True).to_tool_list()[1].call(url=URL)
    assert [block.block_type for block in failed.blocks] == ["text"]


@pytest.mark.parametrize("behaviour", ["works", "fails"])
async def test_each_call_is_told_with_its_cards(make_web: Any, behaviour: str) -> None:
    events: list[Any] = []

    class Handler(BaseEventHandler):
        def handle(self, event: Any, **kwargs: Any) -> None:
            if isinstance(event, HydraWebCallEvent | HydraWebResultEvent):
                events.append(event)

    handler = Handler()
    root = get_dispatcher()
    root.add_event_handler(handler)
    try:
        fetch = HydraWebToolSpec(make_web(behaviour).tools).to_tool_list()[1]
        await fetch.acall(url=URL)
        fetch.call(url=URL)
    finally:
        root.event_handlers.remove(handler)
    called, ended, _, _ = events
    assert [event.class_name() for event in events] == ["HydraWebCallEvent", "HydraWebResultEvent"] * 2
    assert (called.tool, called.card["title"]) == ("web_fetch", URL)
    if behaviour == "fails":
        assert (ended.card, ended.error["code"]) == (None, "WEB_FETCH_FAILED")
    else:
        assert (ended.card["statusCode"], ended.error) == (200, None)


async def test_the_tools_can_be_called_as_functions(make_web: Any) -> None:
    web = make_web().tools
    search, fetch = HydraWebToolSpec(web).to_tool_list()
    assert not search(["ferry"]).is_error
    assert "Sources:" in search.fn(queries=["ferry"])
    assert "35 minutes" in await fetch.async_fn(url=URL)
    assert not (await acall_tool(fetch, {"url": URL})).is_error
    assert fetch.call(URL).raw_input == {"args": [], "kwargs": {"url": URL}}


def test_the_metadata_can_be_replaced(make_web: Any) -> None:
    metadata = ToolMetadata("Searches.", "hydra_search")
    (tool,) = HydraWebToolSpec(make_web().tools).to_tool_list(["web_search"], {"web_search": metadata})
    output = tool.call(queries=["ferry"])
    assert isinstance(tool, HydraWebTool)
    assert (output.tool_name, output.raw_output["tool"]) == ("hydra_search", "web_search")


def test_a_spec_and_guidance_come_from_the_environment() -> None:
    assert HydraWebToolSpec().spec_functions == ["web_search", "web_fetch"]
    assert guidance_prompt(system_prompt="Be brief.").startswith("Be brief.\n\nUse the web_search tool")
    assert guidance_prompt().startswith("Use the web_search tool")


async def test_a_scripted_model_answers_in_every_form_and_says_when_its_script_is_over(make_web: Any) -> None:
    llm = ScriptedLLM(script=["a", "b", lambda messages: f"{len(messages)}", "d", "e", call_tools(SEARCH)])
    assert llm.complete("x").text == "a"
    assert (await llm.acomplete("x")).text == "b"
    assert [part.text for part in llm.stream_complete("x")] == ["1"]
    assert [part.text async for part in await llm.astream_complete("x")] == ["d"]
    assert [part.delta for part in llm.stream_chat([])] == ["e"]
    tools = HydraWebToolSpec(make_web().tools).to_tool_list()
    response = await llm.achat_with_tools([*tools], user_msg="go")
    assert [call.tool_name for call in llm.get_tool_calls_from_response(response)] == ["web_search"]
    assert llm.prompts[-1][0].content == "go"
    with pytest.raises(IndexError):
        await llm.achat([])


async def test_the_tools_work_without_an_agent(make_web: Any) -> None:
    llm = ScriptedLLM(script=[call_tools(FETCH)])
    tools = HydraWebToolSpec(make_web().tools).to_tool_list()
    response = await llm.apredict_and_call([*tools], user_msg="go")
    assert "35 minutes" in response.response


def test_tools_of_the_wrong_kind_are_named() -> None:
    with pytest.raises(ConfigError, match="web_tools must be a WebTools, not str"):
        HydraWebToolSpec("exa")  # type: ignore[arg-type]
