"""A scripted model: agents tested without a key and without a network."""

from collections.abc import Callable, Sequence
from itertools import count
from typing import Any, TypeAlias

from llama_index.core.base.llms.types import ChatMessage, ToolCallBlock
from llama_index.core.llms.mock import MockFunctionCallingLLM

__all__ = ["ScriptStep", "call_tools", "scripted_llm"]

ScriptStep: TypeAlias = str | ChatMessage | Callable[[Sequence[ChatMessage]], str | ChatMessage]
"""One answer of the model: its text, the message, or a function of the messages so far."""

_numbers = count(1)


def call_tools(*calls: tuple[str, dict[str, Any]]) -> ChatMessage:
    """A message in which the model calls tools, each given as name and arguments."""
    blocks = [
        ToolCallBlock(tool_call_id=f"call_{next(_numbers)}", tool_name=name, tool_kwargs=arguments)
        for name, arguments in calls
    ]
    return ChatMessage(role="assistant", blocks=blocks)


def scripted_llm(
    *script: ScriptStep, prompts: list[list[ChatMessage]] | None = None, tools: list[list[Any]] | None = None
) -> MockFunctionCallingLLM:
    """A model that answers from a script.

    What it is shown is added to the lists `prompts` and `tools` where given. It drives
    FunctionAgent, AgentWorkflow and, with answers in its text form, ReActAgent.
    The model raises IndexError when it is asked more often than the script has answers.
    """
    seen = prompts if prompts is not None else []
    start = len(seen)

    def answer(messages: Sequence[ChatMessage], **kwargs: Any) -> ChatMessage:
        step = script[len(seen) - start]
        seen.append(list(messages))
        if tools is not None:
            tools.append(list(kwargs.get("tools") or ()))
        reply = step(messages) if callable(step) else step
        return ChatMessage(role="assistant", content=reply) if isinstance(reply, str) else reply

    return MockFunctionCallingLLM(response_generator=answer, is_chat_model=True)
