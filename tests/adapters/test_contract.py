"""What both adapters promise, said once and asked of each."""

import asyncio
import json
import pickle
from typing import Any

import pytest
from markdown_it import MarkdownIt

from hydra_web.errors import ConfigError
from hydra_web.research import ResearchBudget, ResearchSession
from hydra_web.tools import WebTools

URL = "https://lindmoor.example/ferry.html"
CALLS = [("web_search", {"queries": ["ferry", "fares"]}), ("web_fetch", {"url": URL})]
FAILURES = {"fails", "breaks", "times out"}
BEHAVIOURS = ["works", "returns nothing", "returns hostile titles", *sorted(FAILURES)]

SEARCH_SCHEMA = {
    "name": "web_search",
    "description": (
        "Search the web for current information. Provide non-empty queries in the required queries array within the "
        "configured per-call limit. Returns an optional summary answer and a list of source URLs."
    ),
    "parameters": {
        "type": "object",
        "properties": {
            "queries": {
                "type": "array",
                "description": (
                    "Required non-empty search queries; merges their results within the configured per-call limits."
                ),
                "items": {"type": "string"},
            },
            "country": {
                "type": "string",
                "description": (
                    "Optional two-letter country code inferred from the requested search location or market, such as "
                    "vn or us. Omit when unspecified; do not infer location from language alone."
                ),
            },
            "language": {
                "type": "string",
                "description": (
                    "Optional search language inferred from the prompt, such as vi, en, or zh-cn. Follow explicit "
                    "language requests; omit when unclear."
                ),
            },
        },
        "required": ["queries"],
    },
}
FETCH_SCHEMA = {
    "name": "web_fetch",
    "description": "Fetch the content of a specific HTTP(S) URL and return it decoded to text.",
    "parameters": {
        "type": "object",
        "properties": {"url": {"type": "string", "description": "The HTTP(S) URL to fetch."}},
        "required": ["url"],
    },
}


def test_the_model_sees_exactly_the_fixed_schemas(face: Any, make_web: Any) -> None:
    tools = face.tools(make_web().tools)
    assert list(tools) == ["web_search", "web_fetch"]
    assert face.schema(tools["web_search"]) == SEARCH_SCHEMA
    assert face.schema(tools["web_fetch"]) == FETCH_SCHEMA


def test_the_properties_stay_in_their_order_and_the_schema_is_not_shared(face: Any, make_web: Any) -> None:
    tool = face.tools(make_web().tools)["web_search"]
    parameters = face.schema(tool)["parameters"]
    assert list(parameters["properties"]) == ["queries", "country", "language"]
    parameters["properties"].clear()
    assert face.schema(tool) == SEARCH_SCHEMA


async def test_the_strict_schema_style_reaches_the_model(face: Any, make_web: Any) -> None:
    web = make_web(schema_style="strict").tools
    definitions = {definition.name: definition.json_schema for definition in web.definitions()}
    for name, tool in face.tools(web).items():
        assert face.schema(tool)["parameters"] == definitions[name]
        assert definitions[name]["additionalProperties"] is False
        reply = await face.acall(tool, {"queries": ["ferry"], "country": None, "language": None, "url": URL})
        assert not reply.is_error


def test_a_tool_that_is_switched_off_is_not_offered(face: Any, make_web: Any) -> None:
    assert list(face.tools(make_web(search=False).tools)) == ["web_fetch"]
    assert list(face.tools(make_web(fetch=False).tools)) == ["web_search"]


@pytest.mark.parametrize("behaviour", BEHAVIOURS)
@pytest.mark.parametrize(("name", "arguments"), CALLS)
async def test_an_answer_is_the_core_s_answer(
    face: Any, make_web: Any, behaviour: str, name: str, arguments: dict[str, Any]
) -> None:
    web = make_web(behaviour).tools
    expected = await web.call(name, arguments)
    reply = await face.acall(face.tools(web)[name], arguments)
    assert reply.text == expected.text
    assert reply.is_error is expected.is_error is (behaviour in FAILURES)
    assert reply.data == json.loads(json.dumps(reply.data))
    assert reply.data["schema"] == 1
    assert reply.data["tool"] == name
    assert reply.text.startswith("Error: ") is reply.is_error
    assert "secret words" not in reply.text + json.dumps(reply.data)


@pytest.mark.parametrize("behaviour", BEHAVIOURS)
@pytest.mark.parametrize(("name", "arguments"), CALLS)
def test_synchronous_callers_get_the_same(
    face: Any, make_web: Any, behaviour: str, name: str, arguments: dict[str, Any]
) -> None:
    web = make_web(behaviour).tools
    expected = web.sync.call(name, arguments)
    reply = face.call(face.tools(web)[name], arguments)
    assert (reply.text, reply.is_error) == (expected.text, expected.is_error)


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("web_search", {}),
        ("web_search", {"queries": []}),
        ("web_search", {"queries": [" "]}),
        ("web_search", {"queries": ["a", "b", "c", "d", "e"]}),
        ("web_search", {"queries": {"a": 1}}),
        ("web_search", {"queries": ["a"], "country": "Vietnam"}),
        ("web_fetch", {}),
        ("web_fetch", {"url": "  "}),
        ("web_fetch", {"url": 7}),
    ],
)
async def test_bad_arguments_are_answered_and_dispatch_nothing(
    face: Any, make_web: Any, name: str, arguments: dict[str, Any]
) -> None:
    web = make_web()
    expected = await web.tools.call(name, arguments)
    tool = face.tools(web.tools)[name]
    for reply in (await face.acall(tool, arguments), await asyncio.to_thread(face.call, tool, arguments)):
        assert reply.is_error
        assert reply.text == expected.text
        assert reply.data["error"]["code"] == "INVALID_ARGS"
    assert web.provider.searched == []
    assert web.provider.fetched == []


async def test_what_models_send_by_mistake_still_works(face: Any, make_web: Any) -> None:
    web = make_web()
    search = face.tools(web.tools)["web_search"]
    for queries in ("ferry", '["ferry"]'):
        assert not (await face.acall(search, {"queries": queries, "country": None, "self": 1})).is_error
    assert [request.query for request in web.provider.searched] == ["ferry", "ferry"]


@pytest.mark.parametrize("behaviour", BEHAVIOURS)
async def test_an_agent_never_fails_because_of_a_tool(face: Any, make_web: Any, behaviour: str) -> None:
    replies, _ = await face.run_agent(make_web(behaviour).tools, *CALLS, ("web_search", {"queries": 5}))
    assert [reply.is_error for reply in replies] == [*[behaviour in FAILURES] * 2, True]
    assert all(reply.data["schema"] == 1 for reply in replies)


async def test_hostile_titles_cannot_forge_a_line(face: Any, make_web: Any) -> None:
    replies, _ = await face.run_agent(make_web("returns hostile titles").tools, CALLS[0])
    text = replies[0].text
    assert text.splitlines().count("Sources:") == 1
    assert sum(line.startswith("- [") for line in text.splitlines()) == 3
    tokens = [inner for token in MarkdownIt().parse(text) for inner in token.children or ()]
    links = [str(token.attrs["href"]) for token in tokens if token.type == "link_open"]
    assert len(links) == 3
    assert all(link.startswith("https://lindmoor.example/") for link in links)
    assert "\x1b" not in text


async def test_the_transcript_alone_is_evidence_enough(face: Any, make_web: Any) -> None:
    from hydra_web.evidence import verify_citations

    replies, messages = await face.run_agent(make_web().tools, *CALLS)
    source_id = replies[1].data["value"]["sourceId"]
    answer = (
        f'[35 minutes](hydra-cite://{source_id} "The ferry crosses in 35 minutes") and '
        f'[free](hydra-cite://{source_id} "It costs nothing")'
    )
    report = verify_citations(answer, face.ledger(messages))
    assert [citation.verified for citation in report.citations] == [True, False]
    assert report.citations[0].url == URL


async def test_a_failed_call_is_no_evidence(face: Any, make_web: Any) -> None:
    from hydra_web.evidence import verify_citations

    _, messages = await face.run_agent(make_web("fails").tools, CALLS[1])
    report = verify_citations(f'[x](hydra-cite://{"0" * 64} "web fetch failed")', face.ledger(messages))
    assert not report.ok


async def test_a_budget_is_shared_by_agents_and_its_end_is_an_answer(face: Any, make_web: Any) -> None:
    web = make_web(budget=ResearchBudget(max_fetches=2))
    first, _ = await face.run_agent(web.tools, CALLS[1])
    second, _ = await face.run_agent(web.tools, CALLS[1], CALLS[1])
    assert [reply.is_error for reply in first + second] == [False, False, True]
    assert second[-1].data["error"]["code"] == "RESEARCH_BUDGET_EXHAUSTED"


async def test_sessions_share_what_their_root_may_spend(face: Any, make_web: Any) -> None:
    tool = face.tools(make_web(budget=ResearchBudget(max_fetches=2)).tools)["web_fetch"]
    arguments = CALLS[1][1]
    root = ResearchSession()
    with root:
        assert not (await face.acall(tool, arguments)).is_error
        assert not face.call(tool, arguments).is_error
    with root.child():
        assert (await face.acall(tool, arguments)).is_error
        assert face.call(tool, arguments).is_error
    with ResearchSession():
        assert not (await face.acall(tool, arguments)).is_error


@pytest.mark.parametrize(("name", "arguments"), CALLS)
async def test_cancelling_a_call_stops_the_request(
    face: Any, make_web: Any, name: str, arguments: dict[str, Any]
) -> None:
    web = make_web("hangs")
    task = asyncio.ensure_future(face.acall(face.tools(web.tools)[name], arguments))
    await web.provider.started.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert web.provider.cancelled.is_set()


@pytest.mark.parametrize("call", CALLS, ids=lambda call: call[0])
async def test_cancelling_an_agent_stops_the_request(face: Any, make_web: Any, call: Any) -> None:
    web = make_web("hangs")
    task = asyncio.ensure_future(face.run_agent(web.tools, call))
    await web.provider.started.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await asyncio.wait_for(web.provider.cancelled.wait(), 10)


def test_tools_made_from_the_environment_can_be_pickled(face: Any) -> None:
    web = WebTools()
    for name, tool in face.tools(web).items():
        face.schema(tool)
        copy = pickle.loads(pickle.dumps(tool))
        assert face.schema(copy) == face.schema(tool)
        assert face.schema(copy)["name"] == name


def test_tools_share_the_record_of_what_was_read(face: Any, make_web: Any) -> None:
    web = make_web()
    tools = face.tools(web.tools)
    reply = face.call(tools["web_fetch"], {"url": URL})
    assert web.tools.evidence.fetches().keys() == {reply.data["value"]["sourceId"]}


async def test_one_loop_after_another(face: Any, make_web: Any) -> None:
    tool = face.tools(make_web().tools)["web_fetch"]

    def in_its_own_loop() -> bool:
        return bool(asyncio.run(face.acall(tool, {"url": URL})).is_error)

    assert [await asyncio.to_thread(in_its_own_loop) for _ in range(3)] == [False] * 3
    assert not face.call(tool, {"url": URL}).is_error  # with a loop running, as in a notebook


def test_wrong_configuration_is_told_at_construction(make_web: Any) -> None:
    from langchain_hydra_web import HydraWebSearch

    with pytest.raises(ConfigError, match="HydraWebSearch needs the tool web_search"):
        HydraWebSearch(web_tools=make_web(search=False).tools)
