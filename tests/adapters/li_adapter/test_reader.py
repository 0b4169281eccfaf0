"""Pages as documents, and what a transcript proves."""

from typing import Any

import pytest
from llama_index.core.base.llms.types import ChatMessage
from llama_index.tools.hydra_web import HydraWebReader, ledger_from_messages
from llama_index.tools.hydra_web.testing import call_tools

from hydra_web.errors import WebError

URL = "https://lindmoor.example/ferry.html"


async def test_pages_become_documents(make_web: Any) -> None:
    reader = HydraWebReader(web_tools=make_web().tools)
    (document,) = reader.load_data([URL])
    assert document.metadata == {"url": URL, "status_code": 200, "truncated": False}
    assert "35 minutes" in document.text
    assert len(document.id_) == 64
    assert await reader.aload_data([URL]) == [document]
    assert list(await reader.alazy_load_data([URL])) == [document]


async def test_a_page_that_fails_stops_the_load_unless_told_otherwise(make_web: Any) -> None:
    web = make_web("fails").tools
    with pytest.raises(WebError, match="web fetch failed"):
        HydraWebReader(web_tools=web).load_data([URL])
    assert await HydraWebReader(web_tools=web, continue_on_failure=True).aload_data([URL]) == []


def test_a_reader_is_serialised_without_its_tools(make_web: Any) -> None:
    data = HydraWebReader(web_tools=make_web().tools).to_dict()
    assert data == {"class_name": "HydraWebReader", "is_remote": True, "continue_on_failure": False}


def test_only_answers_to_known_calls_are_evidence() -> None:
    text = f"Fetched {URL} (HTTP 200)\nSource: {'a' * 64}\n\nbody"
    call = call_tools(("web_fetch", {"url": URL}))
    call_id = call.blocks[0].tool_call_id
    stray = ChatMessage(role="tool", content=text, additional_kwargs={"tool_call_id": "other"})
    answer = ChatMessage(role="tool", content=text, additional_kwargs={"tool_call_id": call_id})
    assert ledger_from_messages([call, stray]).fetches() == {}
    assert len(ledger_from_messages([call, stray, answer]).fetches()) == 1
