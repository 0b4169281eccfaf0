"""What only LangChain has."""

import subprocess
import sys
from typing import Any

import pytest
from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.utils.function_calling import convert_to_openai_tool
from langchain_hydra_web import HydraWebFetch, HydraWebSearch, HydraWebToolkit
from langchain_hydra_web.tools import CALL_EVENT, RESULT_EVENT
from pydantic import ValidationError

from hydra_web import ConfigError

URL = "https://lindmoor.example/ferry.html"


def test_a_tool_works_without_any_argument() -> None:
    assert HydraWebSearch().name == "web_search"
    assert [tool.name for tool in HydraWebToolkit().get_tools()] == ["web_search", "web_fetch"]


@pytest.mark.parametrize("unknown", [{"provider": "exa"}, {"k": 3}])
def test_an_argument_that_there_is_not_is_named(unknown: dict[str, Any]) -> None:
    for kind in (HydraWebSearch, HydraWebFetch, HydraWebToolkit):
        with pytest.raises(ValidationError, match=f"{next(iter(unknown))}\n  Extra inputs are not permitted"):
            kind(**unknown)


def test_tools_of_the_wrong_kind_are_named() -> None:
    with pytest.raises(ConfigError, match="web_tools must be a WebTools, not int"):
        HydraWebSearch(web_tools=3)  # type: ignore[arg-type]
    with pytest.raises(ConfigError, match="web_tools must be a WebTools, not str"):
        HydraWebFetch("exa")  # type: ignore[arg-type]
    with pytest.raises(ValidationError, match="web_tools"):
        HydraWebToolkit(web_tools=3)  # type: ignore[arg-type]


def test_providers_that_bind_strictly_get_a_closed_schema(make_web: Any) -> None:
    tool = HydraWebSearch(web_tools=make_web().tools)
    plain = convert_to_openai_tool(tool)
    strict = convert_to_openai_tool(tool, strict=True)["function"]
    assert strict["strict"] is True
    assert strict["parameters"]["additionalProperties"] is False
    assert strict["parameters"]["required"] == ["queries", "country", "language"]
    assert convert_to_openai_tool(tool) == plain
    assert list(tool.args) == ["queries", "country", "language"]


@pytest.mark.parametrize("country", [None, "vn"])
def test_what_a_strictly_bound_model_sends_works(make_web: Any, country: str | None) -> None:
    web = make_web()
    args = {"queries": ["ferry"], "country": country, "language": None}
    call = {"name": "web_search", "args": args, "id": "1", "type": "tool_call"}
    assert HydraWebSearch(web_tools=web.tools).invoke(call).status == "success"
    assert web.provider.searched[0].country == country


def test_plain_text_is_taken_as_the_first_argument(make_web: Any) -> None:
    web = make_web()
    assert "Sources:" in HydraWebSearch(web_tools=web.tools).invoke("ferry")
    assert HydraWebFetch(web_tools=web.tools).invoke(URL).startswith(f"Fetched {URL} (HTTP 200)\nSource: ")
    assert [request.query for request in web.provider.searched] == ["ferry"]


def test_a_failure_without_a_tool_call_id_is_its_text(make_web: Any) -> None:
    assert HydraWebFetch(web_tools=make_web("fails").tools).invoke({"url": URL}) == "Error: web fetch failed"


def test_the_name_and_the_description_can_be_changed(make_web: Any) -> None:
    tool = HydraWebSearch(web_tools=make_web().tools, name="hydra_search", description="Searches.")
    message = tool.invoke({"name": "hydra_search", "args": {"queries": ["a"]}, "id": "1", "type": "tool_call"})
    assert (tool.name, tool.description, message.name) == ("hydra_search", "Searches.", "hydra_search")
    assert message.artifact["tool"] == "web_search"


def test_tracers_get_failures_with_their_artifact(make_web: Any) -> None:
    ended: list[Any] = []

    class Tracer(BaseCallbackHandler):
        def on_tool_end(self, output: Any, **kwargs: Any) -> None:
            ended.append((output.status, output.artifact["error"]["code"]))

    tool = HydraWebFetch(web_tools=make_web("fails").tools)
    call = {"name": "web_fetch", "args": {"url": URL}, "id": "1", "type": "tool_call"}
    tool.invoke(call, {"callbacks": [Tracer()]})
    assert ended == [("error", "WEB_FETCH_FAILED")]


@pytest.mark.parametrize("behaviour", ["works", "fails"])
async def test_each_call_is_told_with_its_cards(make_web: Any, behaviour: str) -> None:
    tool = HydraWebFetch(web_tools=make_web(behaviour).tools)
    asynchronous = [
        (event["name"], event["data"])
        async for event in tool.astream_events({"url": URL}, version="v2")
        if event["event"] == "on_custom_event"
    ]
    synchronous: list[Any] = []

    class Tracer(BaseCallbackHandler):
        def on_custom_event(self, name: str, data: Any, **kwargs: Any) -> None:
            synchronous.append((name, data))

    tool.invoke({"url": URL}, {"callbacks": [Tracer()]})
    (call, called), (result, ended) = asynchronous
    assert synchronous == asynchronous
    assert (call, result) == (CALL_EVENT, RESULT_EVENT)
    assert called == {"tool": "web_fetch", "card": {"card": "generic", "title": URL, "kind": "fetch", "rawInput": URL}}
    if behaviour == "fails":
        assert (ended["card"], ended["error"]["code"]) == (None, "WEB_FETCH_FAILED")
    else:
        assert (ended["card"]["statusCode"], ended["error"]) == (200, None)


async def test_outside_of_a_run_there_is_nobody_to_tell(make_web: Any) -> None:
    tool = HydraWebSearch(web_tools=make_web().tools)
    assert (await tool._arun(queries=["ferry"]))[0] == tool._run(queries=["ferry"])[0]


def test_arguments_with_awkward_names_are_passed_over(make_web: Any) -> None:
    tool = HydraWebFetch(web_tools=make_web().tools)
    args = {"url": URL, "self": 1, "tool_call_id": "x", "config": 2, "run_manager": 3, "arguments": 4}
    message = tool.invoke({"name": "web_fetch", "args": args, "id": "7", "type": "tool_call"})
    assert (message.status, message.tool_call_id) == ("success", "7")


def test_the_toolkit_tells_the_guidance(make_web: Any) -> None:
    web = make_web().tools
    assert HydraWebToolkit(web_tools=web).guidance() == web.guidance()


def test_importing_the_adapter_does_not_import_langchain() -> None:
    program = (
        "import sys, langchain_hydra_web as adapter\n"
        "assert 'langchain' not in sys.modules and 'langgraph' not in sys.modules\n"
        "assert not any(name.startswith('llama_index') for name in sys.modules)\n"
        "adapter.HydraWebMiddleware\n"
        "assert 'langchain' in sys.modules\n"
    )
    paths = [path for path in sys.path if path]
    done = subprocess.run(
        [sys.executable, "-c", f"import sys; sys.path[:0] = {paths!r}\n{program}"], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr


def test_an_unknown_name_is_an_attribute_error() -> None:
    import langchain_hydra_web

    with pytest.raises(AttributeError, match="HydraWebNothing"):
        langchain_hydra_web.HydraWebNothing  # noqa: B018


def test_the_middleware_says_which_extra_it_needs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "langchain_hydra_web.middleware", raising=False)
    monkeypatch.setitem(sys.modules, "langchain.agents.middleware", None)
    import langchain_hydra_web

    with pytest.raises(ImportError, match=r"langchain-hydra-web\[agents\]"):
        langchain_hydra_web.HydraWebMiddleware  # noqa: B018
