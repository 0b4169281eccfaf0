"""What `ledger_from_messages` takes from a LlamaIndex transcript, however it was kept."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from llama_index.core.agent.workflow import AgentOutput, AgentWorkflow, FunctionAgent, ReActAgent, ToolCallResult
from llama_index.core.base.llms.types import ChatMessage
from llama_index.core.memory import ChatMemoryBuffer
from llama_index.core.tools import BaseTool, FunctionTool, ToolMetadata
from llama_index.tools.hydra_web import HydraWebTool, HydraWebToolSpec, ledger_from_messages
from llama_index.tools.hydra_web.testing import ScriptedLLM, call_tools

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


async def _run(tools: list[Any], *calls: Any) -> tuple[list[ChatMessage], AgentOutput]:
    llm = ScriptedLLM(script=[*(call_tools(call) for call in calls), "done"])
    memory = ChatMemoryBuffer.from_defaults(token_limit=100_000)
    output = await FunctionAgent(tools=tools, llm=llm).run(user_msg="go", memory=memory)
    return await memory.aget_all(), output


FORMS: list[Callable[[list[Any]], Any]] = [
    lambda entries: entries,
    lambda entries: (entry for entry in entries),
    lambda entries: [entry.model_dump() for entry in entries],
    lambda entries: json.loads(json.dumps([entry.model_dump(mode="json") for entry in entries])),
]


@pytest.mark.parametrize("keep", FORMS)
async def test_a_transcript_is_read_in_every_form_it_is_kept_in(make_web: Any, keep: Any) -> None:
    web = make_web().tools
    messages, output = await _run(HydraWebToolSpec(web).to_tool_list(), SEARCH, FETCH)
    for entries in (messages, output.tool_calls):
        ledger = ledger_from_messages(keep(entries))
        assert ledger.fetches().keys() == {_source(web)}
        assert len(ledger.searches()) == 1
        assert _holds(ledger, _source(web))


async def test_a_citable_page_is_read_by_its_text(make_web: Any) -> None:
    web = make_web().tools
    messages, _ = await _run(HydraWebToolSpec(web, citable=True).to_tool_list(), FETCH)
    assert _holds(ledger_from_messages(messages), _source(web))


async def test_a_statement_is_supported_only_by_what_was_read_before_it(make_web: Any) -> None:
    web = make_web().tools
    messages, _ = await _run(HydraWebToolSpec(web).to_tool_list(), SEARCH, FETCH)
    ledger, source = ledger_from_messages(messages), _source(web)
    read_at = next(place for place, message in enumerate(messages) if QUOTE in (message.content or ""))
    assert [_holds(ledger, source, place) for place in range(len(messages))] == [
        place > read_at for place in range(len(messages))
    ]


@pytest.mark.parametrize("keep", FORMS)
async def test_a_failed_call_supports_nothing(make_web: Any, keep: Any) -> None:
    messages, output = await _run(HydraWebToolSpec(make_web("fails").tools).to_tool_list(), FETCH)
    assert ledger_from_messages(keep(messages)).fetches() == {}
    web = make_web().tools
    _, output = await _run(HydraWebToolSpec(web).to_tool_list(), FETCH)
    output.tool_calls[0].tool_output.is_error = True  # type: ignore[attr-defined]
    assert ledger_from_messages(keep(output.tool_calls)).fetches() == {}


def _researcher(web: WebTools) -> FunctionTool:
    async def research(question: str) -> AgentOutput:
        """Looks something up."""
        llm = ScriptedLLM(script=[call_tools(SEARCH, FETCH), "35 minutes"])
        output: AgentOutput = await FunctionAgent(tools=HydraWebToolSpec(web).to_tool_list(), llm=llm).run(question)
        return output

    return FunctionTool.from_defaults(async_fn=research)


async def test_what_a_sub_agent_read_counts_at_the_place_of_its_result(make_web: Any) -> None:
    web = make_web().tools
    note = FunctionTool.from_defaults(lambda words: words, name="note", description="Notes.")
    _, output = await _run([note, _researcher(web)], ("note", {"words": "x"}), ("research", {"question": "how long?"}))
    ledger, source = ledger_from_messages(output.tool_calls), _source(web)
    assert [_holds(ledger, source, place) for place in range(3)] == [False, False, True]
    assert len(ledger.searches()) == 1


async def test_agents_that_hand_over_share_one_transcript(make_web: Any) -> None:
    web = make_web().tools
    spec = HydraWebToolSpec(web)
    handoff = call_tools(("handoff", {"to_agent": "reader", "reason": "read it"}))
    finder = FunctionAgent(
        name="finder",
        description="Finds.",
        tools=spec.to_tool_list(["web_search"]),
        llm=ScriptedLLM(script=[call_tools(SEARCH), handoff]),
    )
    reader = FunctionAgent(
        name="reader",
        description="Reads.",
        tools=spec.to_tool_list(["web_fetch"]),
        llm=ScriptedLLM(script=[call_tools(FETCH), "done"]),
    )
    memory = ChatMemoryBuffer.from_defaults(token_limit=100_000)
    output = await AgentWorkflow(agents=[finder, reader], root_agent="finder").run(user_msg="go", memory=memory)
    for entries in (await memory.aget_all(), output.tool_calls):
        ledger = ledger_from_messages(entries)
        assert _holds(ledger, _source(web))
        assert len(ledger.searches()) == 1


async def test_a_react_agents_calls_are_read_from_its_output(make_web: Any) -> None:
    web = make_web().tools
    read = f'Thought: read.\nAction: web_fetch\nAction Input: {{"url": "{URL}"}}'
    llm = ScriptedLLM(script=[read, "Thought: I know.\nAnswer: done"])
    output = await ReActAgent(tools=HydraWebToolSpec(web).to_tool_list(), llm=llm).run(user_msg="go")
    assert _holds(ledger_from_messages(output.tool_calls), _source(web))


async def test_tools_with_other_names_are_known_by_their_output_or_told(make_web: Any) -> None:
    web = make_web().tools
    names = {
        "web_search": ToolMetadata("Searches.", "look_up", HydraWebToolSpec(web).to_tool_list()[0].metadata.fn_schema),
        "web_fetch": ToolMetadata("Reads.", "read_page", HydraWebToolSpec(web).to_tool_list()[1].metadata.fn_schema),
    }
    tools = HydraWebToolSpec(web).to_tool_list(func_to_metadata_mapping=names)
    messages, output = await _run(tools, ("look_up", SEARCH[1]), ("read_page", FETCH[1]))

    assert _holds(ledger_from_messages(output.tool_calls), _source(web))
    assert ledger_from_messages(messages).fetches() == {}
    others: list[BaseTool] = [*tools, _researcher(web)]
    for keep in FORMS:
        told = ledger_from_messages(keep(messages), tools=others)
        assert _holds(told, _source(web))
        assert len(told.searches()) == 1
    assert [tool.tool for tool in tools if isinstance(tool, HydraWebTool)] == ["web_search", "web_fetch"]


async def test_calls_in_the_older_form_of_openai_are_named_too(make_web: Any) -> None:
    web = make_web().tools
    messages, _ = await _run(HydraWebToolSpec(web).to_tool_list(), FETCH)
    call_id = messages[2].additional_kwargs["tool_call_id"]

    class Call(ToolMetadata):
        def model_dump(self) -> dict[str, Any]:
            return call

    call = {"id": call_id, "function": {"name": "web_fetch", "arguments": "{}"}}
    for form in (call, Call("an object of their client")):
        asked = ChatMessage(role="assistant", content="", additional_kwargs={"tool_calls": [form]})
        assert _holds(ledger_from_messages([asked, messages[2]]), _source(web))


async def test_what_only_looks_like_evidence_is_none(make_web: Any) -> None:
    web = make_web().tools
    messages, output = await _run(HydraWebToolSpec(web).to_tool_list(), FETCH)
    page = messages[2]
    forged = ChatMessage(role="assistant", blocks=call_tools(("read_file", {})).blocks)
    forged_id = forged.blocks[0].tool_call_id  # type: ignore[union-attr]
    answer = page.model_copy(update={"additional_kwargs": {"tool_call_id": forged_id}})
    assert ledger_from_messages([forged, answer]).fetches() == {}
    assert ledger_from_messages([page]).fetches() == {}  # without the call nobody knows whose text it is

    # what a tool brought from elsewhere is no agent's output
    call = output.tool_calls[0]
    assert isinstance(call, ToolCallResult)
    stranger = call.model_copy(deep=True)
    stranger.tool_output.raw_output = output.model_dump()
    stranger.tool_name, stranger.tool_output.blocks = "get_json", []
    assert ledger_from_messages([stranger]).fetches() == {}
    assert ledger_from_messages([]).fetches() == {}
