"""Agents made with `create_agent`: middleware, sub-agents, streaming, a person in the loop."""

from typing import Any

import pytest
from langchain.agents import create_agent
from langchain.agents.middleware import HumanInTheLoopMiddleware
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage, ToolMessage
from langchain_core.tools import tool
from langchain_hydra_web import HydraWebMiddleware, HydraWebToolkit
from langchain_hydra_web.testing import ScriptedChatModel, call_tools
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command

URL = "https://lindmoor.example/ferry.html"
SEARCH = ("web_search", {"queries": ["ferry"]})
FETCH = ("web_fetch", {"url": URL})
ASK: Any = {"messages": [("user", "go")]}


def _system_texts(prompt: list[Any]) -> list[str]:
    system = next(message for message in prompt if isinstance(message, SystemMessage))
    return [block["text"] for block in system.content_blocks if block["type"] == "text"]


@pytest.mark.parametrize("asynchronous", [False, True])
@pytest.mark.parametrize("system_prompt", [None, "You are a harbour master."])
async def test_guidance_is_a_block_of_its_own_after_the_prompt(
    make_web: Any, asynchronous: bool, system_prompt: str | None
) -> None:
    web = make_web().tools
    model = ScriptedChatModel(script=[call_tools(SEARCH), "done"])
    agent = create_agent(model, system_prompt=system_prompt, middleware=[HydraWebMiddleware(web)])
    if asynchronous:
        await agent.ainvoke(ASK)
    else:
        agent.invoke(ASK)
    expected = [text for text in (system_prompt, web.guidance()) if text]
    assert [_system_texts(prompt) for prompt in model.prompts] == [expected, expected]
    assert [entry["function"]["name"] for entry in model.bound_tools[0]] == ["web_search", "web_fetch"]


@pytest.mark.parametrize("behaviour", ["works", "fails", "breaks", "times out", "returns nothing"])
def test_a_synchronous_agent_never_fails_because_of_a_tool(make_web: Any, behaviour: str) -> None:
    model = ScriptedChatModel(script=[call_tools(SEARCH, FETCH), "done"])
    state = create_agent(model, HydraWebToolkit(web_tools=make_web(behaviour).tools).get_tools()).invoke(ASK)
    results = [message for message in state["messages"] if isinstance(message, ToolMessage)]
    assert [message.name for message in results] == ["web_search", "web_fetch"]
    assert all(message.artifact["schema"] == 1 for message in results)
    assert all((message.status == "error") is (message.artifact["error"] is not None) for message in results)


async def test_native_citations_show_pages_as_blocks_only_to_models_that_know_them(make_web: Any) -> None:
    class Claude(ScriptedChatModel):
        def _get_ls_params(self, *args: Any, **kwargs: Any) -> Any:
            return {"ls_provider": "anthropic"}

    for kind, shown in ((Claude, True), (ScriptedChatModel, False)):
        model = kind(script=[call_tools(SEARCH, FETCH), "done"])
        agent = create_agent(model, middleware=[HydraWebMiddleware(make_web().tools, native_citations=True)])
        state = await agent.ainvoke(ASK)
        search, fetch = [message for message in model.prompts[1] if isinstance(message, ToolMessage)]
        assert isinstance(search.content, str)
        assert isinstance(fetch.content, list) is shown
        if shown:
            header, page = fetch.content
            assert header["text"].startswith(f"Fetched {URL}")
            assert (page["type"], page["source"]) == ("search_result", URL)
            assert "35 minutes" in page["content"][0]["text"]
        assert all(isinstance(message.content, str) for message in state["messages"])


async def test_a_person_decides_about_each_fetch(make_web: Any) -> None:
    web = make_web()
    ask = HumanInTheLoopMiddleware(interrupt_on={"web_fetch": True, "web_search": False})
    config: Any = {"configurable": {"thread_id": "1"}}
    model = ScriptedChatModel(script=[call_tools(SEARCH), *(call_tools(FETCH) for _ in range(3)), "done"])
    agent = create_agent(model, middleware=[HydraWebMiddleware(web.tools), ask], checkpointer=InMemorySaver())
    state = await agent.ainvoke(ASK, config)
    request = state["__interrupt__"][0].value["action_requests"][0]
    assert (request["name"], request["args"]) == ("web_fetch", {"url": URL})
    assert web.provider.fetched == []
    state = await agent.ainvoke(Command(resume={"decisions": [{"type": "reject", "message": "not now"}]}), config)
    assert web.provider.fetched == []
    await agent.ainvoke(Command(resume={"decisions": [{"type": "approve"}]}), config)
    edited = {"name": "web_fetch", "args": {"url": f"{URL}?page=2"}}
    decision = {"type": "edit", "edited_action": edited}
    state = await agent.ainvoke(Command(resume={"decisions": [decision]}), config)
    assert [fetched.url for fetched in web.provider.fetched] == [URL, f"{URL}?page=2"]
    assert state["messages"][-1].content == "done"


async def test_tools_given_twice_are_shown_to_the_model_once(make_web: Any) -> None:
    web = make_web().tools
    model = ScriptedChatModel(script=[call_tools(SEARCH), "done"])
    tools = HydraWebToolkit(web_tools=web).get_tools()
    await create_agent(model, tools, middleware=[HydraWebMiddleware(web)]).ainvoke(ASK)
    assert [entry["function"]["name"] for entry in model.bound_tools[0]] == ["web_search", "web_fetch"]


async def test_a_sub_agent_shares_the_record_of_what_was_read(make_web: Any) -> None:
    web = make_web()

    @tool
    async def research(question: str) -> str:
        """Looks something up."""
        script = [call_tools(FETCH), "35 minutes"]
        agent = create_agent(ScriptedChatModel(script=script), middleware=[HydraWebMiddleware(web.tools)])
        state = await agent.ainvoke({"messages": [HumanMessage(question)]})
        return str(state["messages"][-1].text)

    root = ScriptedChatModel(script=[call_tools(SEARCH, ("research", {"question": "how long?"})), "done"])
    agent = create_agent(root, [research], middleware=[HydraWebMiddleware(web.tools)])
    await agent.ainvoke(ASK)
    assert len(web.provider.fetched) == 1
    assert len(web.tools.evidence.fetches()) == 1


async def test_an_agent_can_be_streamed(make_web: Any) -> None:
    model = ScriptedChatModel(script=[call_tools(FETCH), "done"])
    agent = create_agent(model, middleware=[HydraWebMiddleware(make_web().tools)])
    events = [event async for event in agent.astream_events(ASK, version="v2")]
    ends = [event["data"]["output"] for event in events if event["event"] == "on_tool_end"]
    assert [message.artifact["tool"] for message in ends] == ["web_fetch"]


def test_a_scripted_model_says_when_its_script_is_over() -> None:
    model = ScriptedChatModel(script=["once", lambda messages: AIMessage(f"{len(messages)}")])
    assert model.invoke("a").content == "once"
    assert model.invoke("b").content == "1"
    with pytest.raises(IndexError):
        model.invoke("c")
