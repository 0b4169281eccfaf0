"""The demonstration's LangChain step: the whole loop in an agent with a scripted model."""

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage

from hydra_web.demo.scenario import AgentRun, Scenario
from hydra_web.tools import WebTools
from langchain_hydra_web.testing import ScriptedChatModel, call_tools


def _tool_texts(messages: list[BaseMessage]) -> list[str]:
    return [str(message.text) for message in messages if isinstance(message, ToolMessage)]


async def run_agent(web_tools: WebTools, scenario: Scenario) -> AgentRun:
    """Plays the scenario with `create_agent`. Raises ImportError without the extra `[agents]`."""
    from langchain.agents import create_agent

    from langchain_hydra_web.middleware import HydraWebMiddleware

    model = ScriptedChatModel(
        script=[
            call_tools(("web_search", {"queries": list(scenario.queries)})),
            lambda messages: call_tools(("web_fetch", {"url": scenario.page_url(_tool_texts(messages)[-1])})),
            lambda messages: scenario.answer(_tool_texts(messages)),
        ]
    )
    agent = create_agent(model, middleware=[HydraWebMiddleware(web_tools)])
    state = await agent.ainvoke({"messages": [HumanMessage(scenario.question)]})
    messages = state["messages"]
    calls = [call for message in messages if isinstance(message, AIMessage) for call in message.tool_calls]
    return AgentRun(calls=tuple(f"{call['name']} {call['args']}" for call in calls), answer=str(messages[-1].text))
