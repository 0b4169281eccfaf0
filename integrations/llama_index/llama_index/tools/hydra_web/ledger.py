"""What an agent read, taken from its messages."""

from collections.abc import Iterable

from llama_index.core.base.llms.types import ChatMessage, MessageRole, TextBlock, ToolCallBlock

from hydra_web.evidence import EvidenceLedger

__all__ = ["ledger_from_messages"]


def ledger_from_messages(messages: Iterable[ChatMessage]) -> EvidenceLedger:
    """A ledger of every page the messages show as fetched, its sequence numbers the places in the list.

    Use it to check the citations of an answer when only the transcript was kept.
    """
    ledger = EvidenceLedger()
    names: dict[str | None, str] = {}
    for sequence, message in enumerate(messages):
        names.update(
            {block.tool_call_id: block.tool_name for block in message.blocks if isinstance(block, ToolCallBlock)}
        )
        if message.role == MessageRole.TOOL:
            name = names.get(message.additional_kwargs.get("tool_call_id"), "")
            text = next((block.text for block in message.blocks if isinstance(block, TextBlock)), "")
            ledger.record_tool_text(name, text, sequence, text.startswith("Error:"))
    return ledger
