"""What an agent read, taken from its messages."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, TypeAlias

from llama_index.core.agent.workflow import AgentOutput, ToolCallResult
from llama_index.core.base.llms.types import ChatMessage, ContentBlock, MessageRole, TextBlock, ToolCallBlock
from llama_index.core.tools import BaseTool
from llama_index.tools.hydra_web.tools import HydraWebTool

from hydra_web.evidence import EvidenceLedger

__all__ = ["ledger_from_messages"]

_Entry: TypeAlias = ChatMessage | ToolCallResult | Mapping[str, Any]


def ledger_from_messages(messages: Iterable[_Entry], *, tools: Iterable[BaseTool] = ()) -> EvidenceLedger:
    """A ledger of every page the messages show as fetched, its sequence numbers the places in the list.

    Use it to check the citations of an answer when only the transcript was kept; `before` in
    `verify_citations` is the place of the message that makes the statement. Give the chat messages of
    a memory, or an agent's `output.tool_calls`, as objects or as what `model_dump` made of them. Calls
    of a sub-agent count, at the place of the outer call, where the tool that ran it returned its output;
    LlamaIndex leaves them out of a dump. `tools` are needed where chat messages name our tools otherwise.
    """
    known = {tool.metadata.get_name(): tool.tool for tool in tools if isinstance(tool, HydraWebTool)}
    ledger = EvidenceLedger()
    waiting: list[tuple[Iterable[_Entry], int | None]] = [(messages, None)]
    while waiting:
        group, outer_place = waiting.pop()
        names: dict[str, str] = {}
        for number, entry in enumerate(map(_entry, group)):
            place = number if outer_place is None else outer_place
            if isinstance(entry, ChatMessage):
                names.update(_called_names(entry))
                if entry.role == MessageRole.TOOL:
                    name = names.get(str(entry.additional_kwargs.get("tool_call_id")), "")
                    text = _first_text(entry.blocks)
                    ledger.record_tool_text(known.get(name, name), text, place, text.startswith("Error:"))
            else:
                output = entry.tool_output
                name = _own_name(output.raw_output) or known.get(entry.tool_name, entry.tool_name)
                ledger.record_tool_text(name, _first_text(output.blocks), place, output.is_error)
                waiting.append((_inner_calls(output.raw_output), place))
    return ledger


def _entry(entry: _Entry) -> ChatMessage | ToolCallResult:
    if isinstance(entry, Mapping):
        kind = ToolCallResult if "tool_output" in entry else ChatMessage
        return kind.model_validate(dict(entry))
    return entry


def _called_names(message: ChatMessage) -> Iterator[tuple[str, str]]:
    """The calls an assistant's message makes, by id: as blocks, or in the older form of OpenAI's API."""
    for block in message.blocks:
        if isinstance(block, ToolCallBlock) and block.tool_call_id is not None:
            yield block.tool_call_id, block.tool_name
    for call in message.additional_kwargs.get("tool_calls") or ():
        fields = call if isinstance(call, Mapping) else call.model_dump()
        yield fields["id"], fields["function"]["name"]


def _first_text(blocks: Iterable[ContentBlock]) -> str:
    return next((block.text for block in blocks if isinstance(block, TextBlock)), "")


def _own_name(raw_output: Any) -> str:
    name = raw_output.get("tool") if isinstance(raw_output, dict) else None
    return name if isinstance(name, str) else ""


def _inner_calls(raw_output: Any) -> list[ToolCallResult]:
    """The calls of an agent that ran inside a tool and whose output the tool returned."""
    calls = raw_output.tool_calls if isinstance(raw_output, AgentOutput) else ()
    return [call for call in calls if isinstance(call, ToolCallResult)]
