"""`web_search` and `web_fetch` as LlamaIndex tools."""

from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any

from llama_index.core.base.llms.types import CitableBlock, ContentBlock, TextBlock
from llama_index.core.instrumentation import get_dispatcher  # type: ignore[attr-defined]  # as its docs say
from llama_index.core.instrumentation.events import BaseEvent
from llama_index.core.tools import FunctionTool, ToolMetadata, ToolOutput
from llama_index.core.tools.tool_spec.base import SPEC_FUNCTION_TYPE, BaseToolSpec

from hydra_web.errors import ConfigError
from hydra_web.tools import ToolDefinition, ToolOutcome, WebTools

__all__ = ["HydraWebCallEvent", "HydraWebResultEvent", "HydraWebTool", "HydraWebToolSpec"]

_dispatcher = get_dispatcher("hydra_web")


class HydraWebCallEvent(BaseEvent):
    """A call is about to run."""

    tool: str
    """The name of the tool."""
    card: dict[str, Any] | None
    """What a user interface may show."""

    @classmethod
    def class_name(cls) -> str:
        """The name under which the event is serialised."""
        return "HydraWebCallEvent"


class HydraWebResultEvent(BaseEvent):
    """A call has ended."""

    tool: str
    """The name of the tool."""
    card: dict[str, Any] | None
    """What a user interface may show; None for a failure."""
    error: dict[str, Any] | None
    """The failure's name, code and message; None for a success."""

    @classmethod
    def class_name(cls) -> str:
        """The name under which the event is serialised."""
        return "HydraWebResultEvent"


@dataclass
class HydraWebToolMetadata(ToolMetadata):
    """What LlamaIndex tells a model about a tool, with the tool's exact JSON schema."""

    parameters: dict[str, Any] = field(default_factory=dict)
    """The JSON schema of the arguments."""

    def get_parameters_dict(self) -> dict[str, Any]:
        """The JSON schema of the arguments."""
        return deepcopy(self.parameters)


class HydraWebTool(FunctionTool):
    """One tool. `raw_output` of a result, and of an error, is `ToolOutcome.to_json_dict()`.

    A failure has `is_error` set and a text that starts with "Error:", because not every model is
    told about the flag. It never raises for anything a model or a page can cause.
    Each call is told to LlamaIndex's instrumentation as HydraWebCallEvent and HydraWebResultEvent.
    """

    def __init__(
        self,
        web_tools: WebTools,
        definition: ToolDefinition,
        *,
        metadata: ToolMetadata | None = None,
        citable: bool = False,
    ) -> None:
        self._web_tools = web_tools
        self._tool = definition.name
        self._citable = citable
        if metadata is None:
            metadata = HydraWebToolMetadata(
                definition.description, definition.name, definition.args_model, parameters=definition.json_schema
            )
        super().__init__(fn=self._text, async_fn=self._atext, metadata=metadata)

    @property
    def tool(self) -> str:
        """The name of the tool in `WebTools`; the metadata's name, what the model sees, may be another."""
        return self._tool

    def call(self, /, *args: Any, **kwargs: Any) -> ToolOutput:
        """Runs the tool, from synchronous code."""
        arguments = self._begin(args, kwargs)
        return self._end(arguments, self._web_tools.sync.call(self._tool, arguments))

    async def acall(self, /, *args: Any, **kwargs: Any) -> ToolOutput:
        """Runs the tool."""
        arguments = self._begin(args, kwargs)
        return self._end(arguments, await self._web_tools.call(self._tool, arguments))

    def _text(self, /, **kwargs: Any) -> str:
        return self.call(**kwargs).content

    async def _atext(self, /, **kwargs: Any) -> str:
        return (await self.acall(**kwargs)).content

    def _begin(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
        schema = self.metadata.fn_schema
        names = schema.model_fields if schema is not None else ()
        arguments = {**self.partial_params, **dict(zip(names, args, strict=False)), **kwargs}
        card = self._web_tools.present_call(self._tool, arguments)
        _dispatcher.event(HydraWebCallEvent(tool=self._tool, card=card))
        return arguments

    def _end(self, arguments: dict[str, Any], outcome: ToolOutcome) -> ToolOutput:
        raw_output = outcome.to_json_dict()
        card = self._web_tools.present_result(self._tool, arguments, outcome)
        _dispatcher.event(HydraWebResultEvent(tool=self._tool, card=card, error=raw_output["error"]))
        blocks: list[ContentBlock] = [TextBlock(text=outcome.text)]
        if self._citable and outcome.value is not None and self._tool == "web_fetch":
            url, body = outcome.value["url"], outcome.value["body"]
            blocks.append(CitableBlock(title=url, source=url, content=body["content"]))
        return ToolOutput(
            tool_name=self.metadata.get_name(),
            blocks=blocks,
            raw_input={"args": [], "kwargs": arguments},
            raw_output=raw_output,
            is_error=outcome.is_error,
        )


class HydraWebToolSpec(BaseToolSpec):
    """The enabled tools over one `WebTools`: one budget, one cache, one record of what was read.

    With `citable=True` a fetched page comes with a citable block after its text, which only
    Anthropic's models understand; others refuse it.
    """

    spec_functions: list[SPEC_FUNCTION_TYPE]

    def __init__(self, web_tools: WebTools | None = None, *, citable: bool = False) -> None:
        if web_tools is not None and not isinstance(web_tools, WebTools):
            raise ConfigError(f"web_tools must be a WebTools, not {type(web_tools).__name__}")
        self.web_tools = web_tools or WebTools()
        self.spec_functions = [definition.name for definition in self.web_tools.definitions()]
        self._citable = citable

    def to_tool_list(
        self,
        spec_functions: list[SPEC_FUNCTION_TYPE] | None = None,
        func_to_metadata_mapping: dict[str, ToolMetadata] | None = None,
    ) -> list[FunctionTool]:
        """The tools, search before fetch; `spec_functions` picks some of them by name."""
        wanted = self.spec_functions if spec_functions is None else spec_functions
        metadata = func_to_metadata_mapping or {}
        return [
            HydraWebTool(self.web_tools, definition, metadata=metadata.get(definition.name), citable=self._citable)
            for definition in self.web_tools.definitions()
            if definition.name in wanted
        ]
