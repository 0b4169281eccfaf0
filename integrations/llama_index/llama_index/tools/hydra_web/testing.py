"""A scripted model: agents tested without a key and without a network."""

from collections.abc import Callable, Sequence
from itertools import count
from typing import Annotated, Any, TypeAlias

from llama_index.core.base.llms.types import (
    ChatMessage,
    ChatResponse,
    ChatResponseAsyncGen,
    ChatResponseGen,
    CompletionResponse,
    CompletionResponseAsyncGen,
    CompletionResponseGen,
    LLMMetadata,
    ToolCallBlock,
)
from llama_index.core.llms.function_calling import FunctionCallingLLM
from llama_index.core.llms.llm import ToolSelection
from llama_index.core.tools.types import BaseTool
from pydantic import PrivateAttr, SkipValidation

__all__ = ["ScriptStep", "ScriptedLLM", "call_tools"]

ScriptStep: TypeAlias = str | ChatMessage | Callable[[list[ChatMessage]], str | ChatMessage]
"""One answer of the model: its text, the message, or a function of the messages so far."""

_numbers = count(1)


def call_tools(*calls: tuple[str, dict[str, Any]]) -> ChatMessage:
    """A message in which the model calls tools, each given as name and arguments."""
    blocks = [
        ToolCallBlock(tool_call_id=f"call_{next(_numbers)}", tool_name=name, tool_kwargs=arguments)
        for name, arguments in calls
    ]
    return ChatMessage(role="assistant", blocks=blocks)


class ScriptedLLM(FunctionCallingLLM):
    """Answers from a script, and remembers what it was shown.

    Drives FunctionAgent, AgentWorkflow and, with answers in its text form, ReActAgent.
    Raises IndexError when it is asked more often than the script has answers.
    """

    script: Annotated[Sequence[ScriptStep], SkipValidation()]
    """The answers, in order."""

    _prompts: list[list[ChatMessage]] = PrivateAttr(default_factory=list)
    _tools: list[list[dict[str, Any]]] = PrivateAttr(default_factory=list)

    @property
    def prompts(self) -> list[list[ChatMessage]]:
        """The messages of every call so far."""
        return self._prompts

    @property
    def bound_tools(self) -> list[list[dict[str, Any]]]:
        """The tool schemas of every call with tools so far, as an OpenAI model would get them."""
        return self._tools

    @property
    def metadata(self) -> LLMMetadata:
        """A chat model that can call tools."""
        return LLMMetadata(model_name="scripted", is_chat_model=True, is_function_calling_model=True)

    def chat(self, messages: Sequence[ChatMessage], **kwargs: Any) -> ChatResponse:  # noqa: ARG002 - a base method
        """The script's next answer."""
        step = self.script[len(self._prompts)]
        self._prompts.append(list(messages))
        answer = step(list(messages)) if callable(step) else step
        message = ChatMessage(role="assistant", content=answer) if isinstance(answer, str) else answer
        return ChatResponse(message=message, delta=message.content or "")

    async def achat(self, messages: Sequence[ChatMessage], **kwargs: Any) -> ChatResponse:
        """The script's next answer."""
        return self.chat(messages, **kwargs)

    def stream_chat(self, messages: Sequence[ChatMessage], **kwargs: Any) -> ChatResponseGen:
        """The script's next answer, in one piece."""
        yield self.chat(messages, **kwargs)

    async def astream_chat(self, messages: Sequence[ChatMessage], **kwargs: Any) -> ChatResponseAsyncGen:
        """The script's next answer, in one piece."""

        async def stream() -> ChatResponseAsyncGen:
            yield self.chat(messages, **kwargs)

        return stream()

    def complete(self, prompt: str, formatted: bool = False, **kwargs: Any) -> CompletionResponse:  # noqa: ARG002
        """The text of the script's next answer."""
        return CompletionResponse(text=self.chat([ChatMessage(role="user", content=prompt)]).delta or "")

    async def acomplete(self, prompt: str, formatted: bool = False, **kwargs: Any) -> CompletionResponse:
        """The text of the script's next answer."""
        return self.complete(prompt, formatted, **kwargs)

    def stream_complete(self, prompt: str, formatted: bool = False, **kwargs: Any) -> CompletionResponseGen:
        """The text of the script's next answer, in one piece."""
        yield self.complete(prompt, formatted, **kwargs)

    async def astream_complete(self, prompt: str, formatted: bool = False, **kwargs: Any) -> CompletionResponseAsyncGen:
        """The text of the script's next answer, in one piece."""

        async def stream() -> CompletionResponseAsyncGen:
            yield self.complete(prompt, formatted, **kwargs)

        return stream()

    def _prepare_chat_with_tools(
        self,
        tools: Sequence[BaseTool],
        user_msg: str | ChatMessage | None = None,
        chat_history: list[ChatMessage] | None = None,
        verbose: bool = False,  # noqa: ARG002 - a base method's arguments, none of which a script needs
        allow_parallel_tool_calls: bool = False,  # noqa: ARG002
        tool_required: bool = False,  # noqa: ARG002
        **kwargs: Any,  # noqa: ARG002
    ) -> dict[str, Any]:
        self._tools.append([tool.metadata.to_openai_tool() for tool in tools])
        asked = ChatMessage(role="user", content=user_msg) if isinstance(user_msg, str) else user_msg
        return {"messages": [*(chat_history or ()), *([asked] if asked is not None else ())]}

    def get_tool_calls_from_response(
        self,
        response: ChatResponse,
        error_on_no_tool_call: bool = False,  # noqa: ARG002 - a base method
        **kwargs: Any,  # noqa: ARG002
    ) -> list[ToolSelection]:
        """The tool calls of an answer."""
        return [
            ToolSelection(tool_id=block.tool_call_id or "", tool_name=block.tool_name, tool_kwargs=block.tool_kwargs)
            for block in response.message.blocks
            if isinstance(block, ToolCallBlock) and isinstance(block.tool_kwargs, dict)
        ]
