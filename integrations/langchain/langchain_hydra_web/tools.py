"""`web_search` and `web_fetch` as LangChain tools."""

from contextlib import suppress
from copy import deepcopy
from typing import Any, ClassVar, Final, Literal

from langchain_core.callbacks import adispatch_custom_event, dispatch_custom_event
from langchain_core.messages import ToolMessage
from langchain_core.tools import ArgsSchema, BaseTool, BaseToolkit
from pydantic import ConfigDict, Field, PrivateAttr

from hydra_web.errors import ConfigError
from hydra_web.tools import ToolOutcome, WebTools

__all__ = ["CALL_EVENT", "RESULT_EVENT", "HydraWebFetch", "HydraWebSearch", "HydraWebToolkit"]

CALL_EVENT: Final = "hydra_web.call"
"""The custom event before a call: `tool`, and the `card` that a user interface may show."""
RESULT_EVENT: Final = "hydra_web.result"
"""The custom event after a call: `tool`, `card` (None for a failure) and `error` (None for a success)."""


class HydraWebTool(BaseTool):
    """What both tools have in common.

    The artifact of a result, and of an error, is `ToolOutcome.to_json_dict()`. A failure is a
    message with status "error" whose text starts with "Error:"; called without a tool call id
    the tool returns that text. It never raises for anything a model or a page can cause.
    Each call is told to callbacks as the custom events `CALL_EVENT` and `RESULT_EVENT`.
    """

    model_config: ClassVar[ConfigDict] = ConfigDict(extra="forbid")

    tool: ClassVar[str]
    """The name of the tool in `WebTools`; `name`, what the model sees, may be changed."""

    name: str = ""
    """What the model sees; without a value the tool's own name."""
    description: str = ""
    """What the model reads about it; without a value the tool's own description."""
    web_tools: WebTools = Field(default_factory=WebTools, exclude=True, repr=False)
    """Where every call goes."""
    response_format: Literal["content_and_artifact"] = "content_and_artifact"
    _json_schema: dict[str, Any] = PrivateAttr(default_factory=dict)

    def __init__(self, web_tools: WebTools | None = None, **fields: Any) -> None:
        if web_tools is not None and not isinstance(web_tools, WebTools):
            raise ConfigError(f"web_tools must be a WebTools, not {type(web_tools).__name__}")
        web_tools = web_tools or WebTools()
        definitions = {definition.name: definition for definition in web_tools.definitions()}
        if self.tool not in definitions:
            raise ConfigError(f"{type(self).__name__} needs the tool {self.tool}, which WebToolsConfig switches off")
        definition = definitions[self.tool]
        known = {"name": definition.name, "description": definition.description, "args_schema": definition.args_model}
        super().__init__(**{**known, **fields, "web_tools": web_tools})
        self._json_schema = definition.json_schema

    @property
    def tool_call_schema(self) -> ArgsSchema:
        """What a model sees, exactly: LangChain would rebuild it from `args_schema`, each version in its own way."""
        return {**deepcopy(self._json_schema), "description": self.description}

    def _to_args_and_kwargs(self, tool_input: Any, tool_call_id: str | None) -> tuple[tuple[()], dict[str, Any]]:
        # WebTools checks the arguments, so that both frameworks answer with the same words; the id
        # goes along because only a finished message can carry an error's status and its artifact.
        if isinstance(tool_input, str):
            tool_input = {next(iter(self.args)): tool_input}
        return (), {**tool_input, "tool_call_id": tool_call_id}

    def _run(self, /, *, tool_call_id: str | None = None, **arguments: Any) -> tuple[str | ToolMessage, dict[str, Any]]:
        with suppress(RuntimeError):  # outside of a run there is nobody to tell
            dispatch_custom_event(CALL_EVENT, self._call_card(arguments))
        outcome = self.web_tools.sync.call(self.tool, arguments)
        with suppress(RuntimeError):
            dispatch_custom_event(RESULT_EVENT, self._result_card(arguments, outcome))
        return self._present(outcome, tool_call_id)

    async def _arun(
        self, /, *, tool_call_id: str | None = None, **arguments: Any
    ) -> tuple[str | ToolMessage, dict[str, Any]]:
        with suppress(RuntimeError):
            await adispatch_custom_event(CALL_EVENT, self._call_card(arguments))
        outcome = await self.web_tools.call(self.tool, arguments)
        with suppress(RuntimeError):
            await adispatch_custom_event(RESULT_EVENT, self._result_card(arguments, outcome))
        return self._present(outcome, tool_call_id)

    def _call_card(self, arguments: dict[str, Any]) -> dict[str, Any]:
        return {"tool": self.tool, "card": self.web_tools.present_call(self.tool, arguments)}

    def _result_card(self, arguments: dict[str, Any], outcome: ToolOutcome) -> dict[str, Any]:
        card = self.web_tools.present_result(self.tool, arguments, outcome)
        return {"tool": self.tool, "card": card, "error": outcome.to_json_dict()["error"]}

    def _present(self, outcome: ToolOutcome, tool_call_id: str | None) -> tuple[str | ToolMessage, dict[str, Any]]:
        artifact = outcome.to_json_dict()
        if not outcome.is_error or tool_call_id is None:
            return outcome.text, artifact
        message = ToolMessage(
            outcome.text, artifact=artifact, tool_call_id=tool_call_id, name=self.name, status="error"
        )
        return message, artifact


class HydraWebSearch(HydraWebTool):
    """Searches the web with one or several queries at once."""

    tool: ClassVar[str] = "web_search"


class HydraWebFetch(HydraWebTool):
    """Reads one web page."""

    tool: ClassVar[str] = "web_fetch"


class HydraWebToolkit(BaseToolkit):
    """The enabled tools over one `WebTools`: one budget, one cache, one record of what was read."""

    model_config: ClassVar[ConfigDict] = ConfigDict(arbitrary_types_allowed=True, extra="forbid")

    web_tools: WebTools = Field(default_factory=WebTools, exclude=True, repr=False)
    """Where every call goes."""

    def get_tools(self) -> list[BaseTool]:
        """The tools, search before fetch; those that the configuration switches off are left out."""
        enabled = {definition.name for definition in self.web_tools.definitions()}
        return [tool(web_tools=self.web_tools) for tool in (HydraWebSearch, HydraWebFetch) if tool.tool in enabled]

    def guidance(self) -> str:
        """What to put into the system prompt when `HydraWebMiddleware` is not used."""
        return self.web_tools.guidance()
