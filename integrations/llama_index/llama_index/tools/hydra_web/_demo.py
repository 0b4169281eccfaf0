"""The demonstration's LlamaIndex step: the whole loop in an agent with a scripted model."""

from collections.abc import Sequence
from typing import cast

from llama_index.core.agent.workflow import AgentOutput, FunctionAgent
from llama_index.core.base.llms.types import ChatMessage, MessageRole
from llama_index.tools.hydra_web.guidance import guidance_prompt
from llama_index.tools.hydra_web.testing import ScriptedLLM, call_tools
from llama_index.tools.hydra_web.tools import HydraWebToolSpec

from hydra_web.demo.scenario import AgentRun, Scenario
from hydra_web.tools import WebTools


def _tool_texts(messages: Sequence[ChatMessage]) -> list[str]:
    return [message.content or "" for message in messages if message.role == MessageRole.TOOL]


async def run_agent(web_tools: WebTools, scenario: Scenario) -> AgentRun:
    """Plays the scenario with `FunctionAgent`."""
    llm = ScriptedLLM(
        script=[
            call_tools(("web_search", {"queries": list(scenario.queries)})),
            lambda messages: call_tools(("web_fetch", {"url": scenario.page_url(_tool_texts(messages)[-1])})),
            lambda messages: scenario.answer(_tool_texts(messages)),
        ]
    )
    tools = HydraWebToolSpec(web_tools).to_tool_list()
    agent = FunctionAgent(tools=[*tools], system_prompt=guidance_prompt(web_tools), llm=llm)
    output = cast("AgentOutput", await agent.run(user_msg=scenario.question))
    return AgentRun(
        calls=tuple(f"{call.tool_name} {call.tool_kwargs}" for call in output.tool_calls),
        answer=output.response.content or "",
    )
