"""Search results and pages as documents."""

from typing import Any

import pytest
from langchain_core.messages import AIMessage, ToolMessage
from langchain_hydra_web import HydraWebLoader, HydraWebRetriever, ledger_from_messages

from hydra_web.errors import WebError

URL = "https://lindmoor.example/ferry.html"


async def test_sources_become_documents(make_web: Any) -> None:
    web = make_web()
    retriever = HydraWebRetriever(web_tools=web.tools, k=2, language="vi")
    documents = await retriever.ainvoke("ferry")
    assert [document.page_content for document in documents] == ["About Ferry", "About Fares"]
    assert documents[0].metadata == {"source": URL, "title": "Ferry"}
    assert web.provider.searched[0].language == "vi"
    assert retriever.invoke("ferry") == documents


def test_the_first_generation_s_argument_is_no_obstacle(make_web: Any) -> None:
    web = make_web(search_arguments="query").tools
    assert len(HydraWebRetriever(web_tools=web).invoke("ferry")) == 4


async def test_a_failed_search_is_not_an_empty_one(make_web: Any) -> None:
    assert HydraWebRetriever(web_tools=make_web("returns nothing").tools).invoke("ferry") == []
    with pytest.raises(WebError) as failure:
        await HydraWebRetriever(web_tools=make_web("fails").tools).ainvoke("ferry")
    assert failure.value.code == "RATE_LIMITED"


async def test_pages_become_documents(make_web: Any) -> None:
    loader = HydraWebLoader([URL, "https://lindmoor.example/2"], web_tools=make_web().tools)
    documents = loader.load()
    assert [document.metadata["source"] for document in documents] == [URL, "https://lindmoor.example/2"]
    assert documents[0].metadata["status_code"] == 200
    assert "35 minutes" in documents[0].page_content
    assert len(documents[0].id or "") == 64
    assert await loader.aload() == documents
    assert HydraWebLoader(URL, web_tools=make_web().tools).load() == documents[:1]


async def test_a_page_that_fails_stops_the_load_unless_told_otherwise(make_web: Any) -> None:
    web = make_web("fails").tools
    with pytest.raises(WebError, match="web fetch failed"):
        HydraWebLoader(URL, web_tools=web).load()
    assert await HydraWebLoader(URL, web_tools=web, continue_on_failure=True).aload() == []


def test_other_tools_messages_are_no_evidence() -> None:
    text = f"Fetched {URL} (HTTP 200)\nSource: {'a' * 64}\n\nbody"
    messages = [AIMessage("hi"), ToolMessage(text, tool_call_id="1", name="shell"), ToolMessage(text, tool_call_id="2")]
    assert ledger_from_messages(messages).fetches() == {}
    messages.append(ToolMessage(text, tool_call_id="3", name="web_fetch"))
    assert len(ledger_from_messages(messages).fetches()) == 1
