"""What an agent read, taken from its messages."""

from collections.abc import Iterable

from langchain_core.messages import BaseMessage, ToolMessage

from hydra_web.evidence import EvidenceLedger

__all__ = ["ledger_from_messages"]


def ledger_from_messages(messages: Iterable[BaseMessage]) -> EvidenceLedger:
    """A ledger of every page the messages show as fetched, its sequence numbers the places in the list.

    Use it to check the citations of an answer when only the transcript was kept.
    """
    ledger = EvidenceLedger()
    for sequence, message in enumerate(messages):
        if isinstance(message, ToolMessage):
            ledger.record_tool_text(_tool_name(message), str(message.text), sequence, message.status == "error")
    return ledger


def _tool_name(message: ToolMessage) -> str:
    artifact = message.artifact
    name = artifact.get("tool") if isinstance(artifact, dict) else None
    return name if isinstance(name, str) else message.name or ""
