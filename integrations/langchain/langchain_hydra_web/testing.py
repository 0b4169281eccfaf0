"""A scripted chat model: agents tested without a key and without a network."""

from collections.abc import Callable, Sequence
from itertools import count
from typing import Annotated, Any, TypeAlias

from langchain_core.callbacks import CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.utils.function_calling import convert_to_openai_tool
from pydantic import PrivateAttr, SkipValidation

__all__ = ["ScriptStep", "ScriptedChatModel", "call_tools"]

ScriptStep: TypeAlias = str | AIMessage | Callable[[list[BaseMessage]], str | AIMessage]
"""One answer of the model: its text, the message, or a function of the messages so far."""

_numbers = count(1)


def call_tools(*calls: tuple[str, dict[str, Any]]) -> AIMessage:
    """A message in which the model calls tools, each given as name and arguments."""
    return AIMessage(
        "",
        tool_calls=[
            {"name": name, "args": arguments, "id": f"call_{next(_numbers)}", "type": "tool_call"}
            for name, arguments in calls
        ],
    )


class ScriptedChatModel(BaseChatModel):
    """Answers from a script, and remembers what it was shown.

    Works in sync and async agents, with streaming, middleware and sub-agents.
    Raises IndexError when it is asked more often than the script has answers.
    """

    script: Annotated[Sequence[ScriptStep], SkipValidation()]
    """The answers, in order."""

    _prompts: list[list[BaseMessage]] = PrivateAttr(default_factory=list)
    _tools: list[list[dict[str, Any]]] = PrivateAttr(default_factory=list)

    @property
    def prompts(self) -> list[list[BaseMessage]]:
        """The messages of every call so far."""
        return self._prompts

    @property
    def bound_tools(self) -> list[list[dict[str, Any]]]:
        """The tool schemas of every binding so far, as an OpenAI model would get them."""
        return self._tools

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def bind_tools(self, tools: Sequence[Any], **kwargs: Any) -> "ScriptedChatModel":  # noqa: ARG002 - a base method
        """Notes the schemas; the script decides which tools are called."""
        self._tools.append([convert_to_openai_tool(tool) for tool in tools])
        return self

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,  # noqa: ARG002 - a base method's arguments, none of which a script needs
        run_manager: CallbackManagerForLLMRun | None = None,  # noqa: ARG002
        **kwargs: Any,  # noqa: ARG002
    ) -> ChatResult:
        step = self.script[len(self._prompts)]
        self._prompts.append(list(messages))
        answer = step(messages) if callable(step) else step
        message = AIMessage(answer) if isinstance(answer, str) else answer
        return ChatResult(generations=[ChatGeneration(message=message)])
