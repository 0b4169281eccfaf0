"""What only LangChain has."""

import subprocess
import sys
from typing import Any

import pytest
from langchain_core.callbacks import BaseCallbackHandler
from langchain_hydra_web import HydraWebFetch, HydraWebSearch, HydraWebToolkit

URL = "https://lindmoor.example/ferry.html"


def test_a_tool_works_without_any_argument() -> None:
    assert HydraWebSearch().name == "web_search"
    assert [tool.name for tool in HydraWebToolkit().get_tools()] == ["web_search", "web_fetch"]


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
