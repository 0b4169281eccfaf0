"""What `ledger_from_messages` takes from a LangChain transcript, however it was kept."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from langchain.agents import create_agent
from langchain_core.load import dumpd
from langchain_core.messages import (
    AIMessage,
    BaseMessage,
    HumanMessage,
    ToolMessage,
    convert_to_openai_messages,
    message_to_dict,
    messages_from_dict,
    messages_to_dict,
)
from langchain_core.tools import BaseTool, tool
from langchain_hydra_web import HydraWebFetch, HydraWebMiddleware, HydraWebSearch, HydraWebToolkit, ledger_from_messages
from langchain_hydra_web.testing import ScriptedChatModel, call_tools

from hydra_web.evidence import EvidenceLedger, format_citation, verify_citations
from hydra_web.tools import WebTools

URL = "https://lindmoor.example/ferry.html"
FETCH = ("web_fetch", {"url": URL})
SEARCH = ("web_search", {"queries": ["ferry"]})
QUOTE = "The ferry crosses in 35 minutes"


def _holds(ledger: EvidenceLedger, source: str, before: int | None = None) -> bool:
    return verify_citations(format_citation("so", source, QUOTE), ledger, before).ok


def _source(web: WebTools) -> str:
    (source,) = web.evidence.fetches()  # type: ignore[attr-defined]
    return str(source)


async def _run(tools: list[BaseTool], *calls: Any) -> list[BaseMessage]:
    model = ScriptedChatModel(script=[*(call_tools(call) for call in calls), "done"])
    state = await create_agent(model, tools).ainvoke({"messages": [("user", "go")]})
    return list(state["messages"])


def _through_json(messages: list[BaseMessage]) -> Any:
    return json.loads(json.dumps(messages_to_dict(messages)))


FORMS: list[Callable[[list[BaseMessage]], Any]] = [
    lambda messages: messages,
    lambda messages: (message for message in messages),
    _through_json,
    lambda messages: messages_from_dict(_through_json(messages)),
    lambda messages: json.loads(json.dumps([message.model_dump(mode="json") for message in messages])),
    lambda messages: json.loads(json.dumps([dumpd(message) for message in messages])),
]


@pytest.mark.parametrize("keep", FORMS)
async def test_a_transcript_is_read_in_every_form_it_is_kept_in(make_web: Any, keep: Any) -> None:
    web = make_web().tools
    messages = await _run(HydraWebToolkit(web_tools=web).get_tools(), SEARCH, FETCH)
    ledger = ledger_from_messages(keep(messages))
    assert ledger.fetches().keys() == {_source(web)}
    assert len(ledger.searches()) == 1
    assert _holds(ledger, _source(web))


async def test_messages_in_the_form_of_openai_are_read_too(make_web: Any) -> None:
    web = make_web().tools
    messages = await _run(HydraWebToolkit(web_tools=web).get_tools(), FETCH)
    kept = json.loads(json.dumps(convert_to_openai_messages(messages)))
    for message in kept:
        message.pop("name", None)  # their API has no name in a tool's message
    assert _holds(ledger_from_messages(kept), _source(web))


async def test_a_statement_is_supported_only_by_what_was_read_before_it(make_web: Any) -> None:
    web = make_web().tools
    messages = await _run(HydraWebToolkit(web_tools=web).get_tools(), SEARCH, FETCH)
    ledger, source = ledger_from_messages(messages), _source(web)
    read_at = next(place for place, message in enumerate(messages) if message.type == "tool" and QUOTE in message.text)
    assert [_holds(ledger, source, place) for place in range(len(messages))] == [
        place > read_at for place in range(len(messages))
    ]


@pytest.mark.parametrize("keep", FORMS)
async def test_a_failed_call_supports_nothing_whatever_its_text(make_web: Any, keep: Any) -> None:
    web = make_web().tools
    messages = await _run(HydraWebToolkit(web_tools=web).get_tools(), FETCH)
    failed = [
        message.model_copy(update={"status": "error"}) if isinstance(message, ToolMessage) else message
        for message in messages
    ]
    assert ledger_from_messages(keep(failed)).fetches() == {}


def _researcher(web: WebTools, *, fails: bool = False) -> BaseTool:
    @tool(response_format="content_and_artifact")
    async def research(question: str) -> Any:
        """Looks something up."""
        model = ScriptedChatModel(script=[call_tools(SEARCH, FETCH), "35 minutes"])
        state = await create_agent(model, middleware=[HydraWebMiddleware(web)]).ainvoke({"messages": [question]})
        return str(state["messages"][-1].text), {"messages": state["messages"], "tool": 7}

    return research


@pytest.mark.parametrize("keep", FORMS)
async def test_what_a_sub_agent_read_counts_at_the_place_of_its_result(make_web: Any, keep: Any) -> None:
    web = make_web().tools
    messages = await _run([_researcher(web)], ("research", {"question": "how long?"}))
    ledger, source = ledger_from_messages(keep(messages)), _source(web)
    assert [message.type for message in messages] == ["human", "ai", "tool", "ai"]
    assert [_holds(ledger, source, place) for place in range(4)] == [False, False, False, True]
    assert len(ledger.searches()) == 1


async def test_inner_calls_count_whatever_became_of_the_outer_one(make_web: Any) -> None:
    web = make_web().tools
    inner = await _run(HydraWebToolkit(web_tools=web).get_tools(), FETCH)
    outer = ToolMessage("Error: gave up", tool_call_id="1", status="error", artifact={"messages": inner})
    outermost = ToolMessage("ran", tool_call_id="2", artifact={"messages": [message_to_dict(outer)]})
    assert _holds(ledger_from_messages([HumanMessage("go"), outermost]), _source(web), 2)
    assert not _holds(ledger_from_messages([HumanMessage("go"), outermost]), _source(web), 1)


async def test_renamed_tools_are_known_by_their_artifacts_or_told(make_web: Any) -> None:
    web = make_web().tools
    tools: list[BaseTool] = [HydraWebSearch(web, name="look_up"), HydraWebFetch(web, name="read_page")]
    messages = await _run(tools, ("look_up", SEARCH[1]), ("read_page", FETCH[1]))
    assert _holds(ledger_from_messages(messages), _source(web))

    bare = [
        message.model_copy(update={"artifact": None}) if isinstance(message, ToolMessage) else message
        for message in messages
    ]
    assert ledger_from_messages(bare).fetches() == {}
    told = ledger_from_messages(bare, tools=[*tools, _researcher(web)])
    assert _holds(told, _source(web))
    assert len(told.searches()) == 1


@pytest.mark.parametrize("artifact", [None, "text", [1], {"messages": "text"}, {"messages": [1, None]}, {"tool": []}])
def test_other_artifacts_are_passed_over(artifact: Any) -> None:
    message = ToolMessage("Fetched nothing", tool_call_id="1", name="other", artifact=artifact)
    assert ledger_from_messages([AIMessage("hi"), message]).fetches() == {}


async def test_another_tools_text_is_no_evidence_though_it_looks_like_a_page(make_web: Any) -> None:
    web = make_web().tools
    messages = await _run(HydraWebToolkit(web_tools=web).get_tools(), FETCH)
    forged = ToolMessage(messages[2].text, tool_call_id="1", name="read_file")
    assert ledger_from_messages([forged]).fetches() == {}
