"""LangChain's own suites for tools and retrievers, without a network."""

from typing import Any

import pytest
import pytest_socket
from langchain_core.retrievers import BaseRetriever
from langchain_core.tools import BaseTool
from langchain_hydra_web import HydraWebFetch, HydraWebRetriever, HydraWebSearch
from langchain_tests.integration_tests import RetrieversIntegrationTests, ToolsIntegrationTests
from langchain_tests.unit_tests import ToolsUnitTests

from hydra_web.runtime import WebRuntime
from hydra_web.tools import WebTools
from hydra_web.types import (
    TextBody,
    WebFetchRequest,
    WebFetchResult,
    WebSearchRequest,
    WebSearchResult,
    WebSearchSource,
)


@pytest.fixture(autouse=True)
def _no_sockets() -> Any:
    pytest_socket.disable_socket(allow_unix_socket=True)
    yield
    pytest_socket.enable_socket()


class _Provider:
    id = "fake"

    def available(self) -> bool:
        return True

    async def search(self, request: WebSearchRequest, signal: object = None) -> WebSearchResult:
        sources = [WebSearchSource(url=f"https://lindmoor.example/{n}", title=f"Page {n}") for n in range(5)]
        return WebSearchResult(sources=tuple(sources), truncated=False)

    async def fetch(self, request: WebFetchRequest, signal: object = None) -> WebFetchResult:
        return WebFetchResult(url=request.url, status_code=200, body=TextBody(content="text"), truncated=False)


def _web_tools() -> WebTools:
    runtime = WebRuntime(search_provider="fake", fetch_provider="fake")
    runtime.register_search_provider(_Provider())
    runtime.register_fetch_provider(_Provider())
    return WebTools(runtime)


class _Search:
    @property
    def tool_constructor(self) -> type[BaseTool]:
        return HydraWebSearch

    @property
    def tool_constructor_params(self) -> dict[str, Any]:
        return {"web_tools": _web_tools()}

    @property
    def tool_invoke_params_example(self) -> dict[str, Any]:
        return {"queries": ["ferry", "library"], "language": "en"}


class _Fetch(_Search):
    @property
    def tool_constructor(self) -> type[BaseTool]:
        return HydraWebFetch

    @property
    def tool_invoke_params_example(self) -> dict[str, Any]:
        return {"url": "https://lindmoor.example/"}


class TestSearchUnit(_Search, ToolsUnitTests): ...


class TestSearchIntegration(_Search, ToolsIntegrationTests): ...


class TestFetchUnit(_Fetch, ToolsUnitTests): ...


class TestFetchIntegration(_Fetch, ToolsIntegrationTests): ...


class TestRetriever(RetrieversIntegrationTests):
    @property
    def retriever_constructor(self) -> type[BaseRetriever]:
        return HydraWebRetriever

    @property
    def retriever_constructor_params(self) -> dict[str, Any]:
        return {"web_tools": _web_tools()}

    @property
    def retriever_query_example(self) -> str:
        return "ferry"
