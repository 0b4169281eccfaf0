"""The tools and their guidance for `langchain.agents.create_agent`."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from langchain_core.messages import AnyMessage, SystemMessage, ToolMessage
from langchain_core.tools import BaseTool

from hydra_web.tools import WebTools
from langchain_hydra_web.tools import HydraWebToolkit

try:
    from langchain.agents.middleware import AgentMiddleware, AgentState, ModelRequest, ModelResponse
except ImportError as _error:
    raise ImportError('HydraWebMiddleware needs LangChain: pip install "langchain-hydra-web[agents]"') from _error

__all__ = ["HydraWebMiddleware"]

_CITING_PROVIDERS = frozenset({"anthropic", "amazon_bedrock"})


class HydraWebMiddleware(AgentMiddleware[AgentState[Any], Any, Any]):
    """Brings the tools to an agent and adds their guidance to its system prompt.

    The guidance is a content block of its own after the user's prompt, and never changes, so that
    prompt caching keeps working. With `native_citations=True` models of Anthropic, direct or over
    Bedrock, get pages as their own `search_result` blocks; the messages in the state keep the text.
    """

    def __init__(self, web_tools: WebTools | None = None, *, native_citations: bool = False) -> None:
        super().__init__()
        toolkit = HydraWebToolkit(web_tools=web_tools or WebTools())
        self.web_tools: WebTools = toolkit.web_tools
        self.tools: Sequence[BaseTool] = toolkit.get_tools()
        self._guidance = toolkit.guidance()
        self._native_citations = native_citations

    def wrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], ModelResponse[Any]]
    ) -> ModelResponse[Any]:
        """Adds the guidance to a model call."""
        return handler(self._prepare(request))

    async def awrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], Awaitable[ModelResponse[Any]]]
    ) -> ModelResponse[Any]:
        """Adds the guidance to an asynchronous model call."""
        return await handler(self._prepare(request))

    def _prepare(self, request: ModelRequest[Any]) -> ModelRequest[Any]:
        prompt = request.system_message
        blocks = [*(prompt.content_blocks if prompt else ()), {"type": "text", "text": self._guidance}]
        request = request.override(system_message=SystemMessage(content=list(blocks)))
        if self._native_citations and _provider(request.model) in _CITING_PROVIDERS:
            request = request.override(messages=[_with_search_result(message) for message in request.messages])
        return request


def _provider(model: Any) -> str | None:
    provider: str | None = model._get_ls_params().get("ls_provider")
    return provider


def _with_search_result(message: AnyMessage) -> AnyMessage:
    """A fetched page as the header's text and a citable block; every other message as it is."""
    artifact = message.artifact if isinstance(message, ToolMessage) and message.status == "success" else None
    if not isinstance(artifact, dict) or artifact.get("tool") != "web_fetch":
        return message
    url = artifact["value"]["url"]
    header, _, text = str(message.text).partition("\n\n")
    page = {
        "type": "search_result",
        "source": url,
        "title": url,
        "content": [{"type": "text", "text": text or " "}],
        "citations": {"enabled": True},
    }
    return message.model_copy(update={"content": [{"type": "text", "text": header}, page]})
