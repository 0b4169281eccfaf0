"""What an agent read, taken from its messages."""

from collections.abc import Iterable, Mapping
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, ToolMessage, convert_to_messages, messages_from_dict
from langchain_core.tools import BaseTool

from hydra_web.evidence import EvidenceLedger
from langchain_hydra_web.tools import HydraWebTool

__all__ = ["ledger_from_messages"]


def ledger_from_messages(
    messages: Iterable[BaseMessage | Mapping[str, Any]], *, tools: Iterable[BaseTool] = ()
) -> EvidenceLedger:
    """A ledger of every page the messages show as fetched, its sequence numbers the places in the list.

    Use it to check the citations of an answer when only the transcript was kept; `before` in
    `verify_citations` is the place of the message that makes the statement. Messages may be objects,
    their dumps, or what `messages_to_dict` made of them. The messages of a sub-agent count, at the
    place of the outer result, where the tool that ran it gave them as its artifact's `messages`.
    `tools` are needed where our tools have other names and the messages lost their artifacts.
    """
    known = {tool.name: tool.tool for tool in tools if isinstance(tool, HydraWebTool)}
    ledger = EvidenceLedger()
    waiting: list[tuple[Iterable[Any], int | None]] = [(messages, None)]
    while waiting:
        group, outer_place = waiting.pop()
        names: dict[str | None, str] = {}
        for number, message in enumerate(map(_message, group)):
            place = number if outer_place is None else outer_place
            if isinstance(message, AIMessage):
                names |= {call["id"]: call["name"] for call in message.tool_calls}
            elif isinstance(message, ToolMessage):
                shown = message.name or names.get(message.tool_call_id, "")
                name = _own_name(message) or known.get(shown, shown)
                ledger.record_tool_text(name, str(message.text), place, message.status == "error")
                waiting.append((_inner_messages(message), place))
    return ledger


def _message(message: BaseMessage | Mapping[str, Any]) -> BaseMessage:
    if isinstance(message, BaseMessage):
        return message
    if isinstance(message.get("data"), dict):
        return messages_from_dict([dict(message)])[0]
    return convert_to_messages([dict(message)])[0]


def _own_name(message: ToolMessage) -> str:
    name = message.artifact.get("tool") if isinstance(message.artifact, dict) else None
    return name if isinstance(name, str) else ""


def _inner_messages(message: ToolMessage) -> list[BaseMessage | Mapping[str, Any]]:
    inner = message.artifact.get("messages") if isinstance(message.artifact, dict) else None
    return [entry for entry in inner if isinstance(entry, BaseMessage | dict)] if isinstance(inner, list) else []
