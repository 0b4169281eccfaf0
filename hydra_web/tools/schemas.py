"""The tools as a model sees them: names, descriptions, argument models and JSON schemas."""

import json
from dataclasses import dataclass
from typing import Annotated, ClassVar, Final

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field
from pydantic.json_schema import SkipJsonSchema

from hydra_web.protocols import JsonObject
from hydra_web.tools import guidance
from hydra_web.tools.config import WebToolsConfig

__all__ = [
    "FETCH_OUTPUT_SCHEMA",
    "SEARCH_OUTPUT_SCHEMA",
    "FetchArguments",
    "QueriesArguments",
    "QueryArguments",
    "ToolDefinition",
    "define_tools",
]


def _bare(schema: JsonObject) -> None:
    """Takes away what pydantic adds for people: titles, and the class's own docstring."""
    schema.pop("title", None)
    schema.pop("description", None)
    for member in schema["properties"].values():
        member.pop("title", None)


def _listed(value: object) -> object:
    """One string as a list of one, and a list that arrives as JSON text as that list."""
    if isinstance(value, tuple):
        return list(value)
    if not isinstance(value, str):
        return value
    try:
        decoded = json.loads(value)
    except (ValueError, RecursionError):
        return [value]
    return decoded if isinstance(decoded, list) else [value]


class _Arguments(BaseModel):
    model_config: ClassVar[ConfigDict] = ConfigDict(
        frozen=True, strict=True, extra="ignore", hide_input_in_errors=True, json_schema_extra=_bare
    )


class QueriesArguments(_Arguments):
    """Arguments of `web_search`."""

    queries: Annotated[list[str], BeforeValidator(_listed)] = Field(description=guidance.QUERIES_DESCRIPTION)
    """What to look for."""
    country: str | SkipJsonSchema[None] = Field(default_factory=lambda: None, description=guidance.COUNTRY_DESCRIPTION)
    """Where the search is about."""
    language: str | SkipJsonSchema[None] = Field(
        default_factory=lambda: None, description=guidance.LANGUAGE_DESCRIPTION
    )
    """The language to search in."""


class QueryArguments(_Arguments):
    """Arguments of the first generation's `web_search`."""

    query: str = Field(description=guidance.QUERY_DESCRIPTION)
    """What to look for."""


class FetchArguments(_Arguments):
    """Arguments of `web_fetch`."""

    url: str = Field(description=guidance.URL_DESCRIPTION)
    """The page's address."""


_TEXT: Final[JsonObject] = {"type": "string"}
_NUMBER: Final[JsonObject] = {"type": "number"}


def _closed(properties: JsonObject, required: list[str]) -> JsonObject:
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


def _body(kind: str) -> JsonObject:
    return _closed({"kind": {"type": "string", "const": kind}, "content": _TEXT}, ["kind", "content"])


SEARCH_OUTPUT_SCHEMA: Final = _closed(
    {
        "content": _TEXT,
        "sources": {
            "type": "array",
            "items": _closed(
                {
                    "url": _TEXT,
                    "title": _TEXT,
                    "snippet": _TEXT,
                    "publishedAt": _TEXT,
                    "provider": _TEXT,
                    "position": _NUMBER,
                    "score": _NUMBER,
                },
                ["url"],
            ),
        },
        "truncated": {"type": "boolean"},
    },
    ["sources", "truncated"],
)
"""The JSON schema of a search's value."""

FETCH_OUTPUT_SCHEMA: Final = _closed(
    {
        "url": _TEXT,
        "statusCode": {"type": "integer"},
        "body": {"oneOf": [_body("html"), _body("text")]},
        "truncated": {"type": "boolean"},
        "sourceId": _TEXT,
    },
    ["url", "statusCode", "body", "truncated", "sourceId"],
)
"""The JSON schema of a fetch's value."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolDefinition:
    """One tool, ready to be offered to a model."""

    name: str
    """`web_search` or `web_fetch`."""
    description: str
    """What the model reads about it."""
    args_model: type[BaseModel]
    """The pydantic model of its arguments."""
    json_schema: JsonObject
    """The JSON schema of its arguments."""
    output_schema: JsonObject
    """The JSON schema of its value."""
    guidance: str
    """Its part of the system prompt."""
    timeout_ms: int
    """How long one call may take, in milliseconds."""
    parallel: bool = True
    """Whether calls may run side by side."""


def define_tools(config: WebToolsConfig, search_timeout_ms: int) -> tuple[ToolDefinition, ...]:
    """The enabled tools, search first. They depend on the configuration alone, never on providers."""
    single = config.search_arguments == "query"
    search_model = QueryArguments if single else QueriesArguments
    tools = []
    if config.search:
        tools.append(
            ToolDefinition(
                name="web_search",
                description=guidance.SINGLE_SEARCH_DESCRIPTION if single else guidance.SEARCH_DESCRIPTION,
                args_model=search_model,
                json_schema=_arguments_schema(search_model, config),
                output_schema=SEARCH_OUTPUT_SCHEMA,
                guidance=guidance.search_guidance(config),
                timeout_ms=search_timeout_ms,
            )
        )
    if config.fetch:
        tools.append(
            ToolDefinition(
                name="web_fetch",
                description=guidance.FETCH_DESCRIPTION,
                args_model=FetchArguments,
                json_schema=_arguments_schema(FetchArguments, config),
                output_schema=FETCH_OUTPUT_SCHEMA,
                guidance=guidance.fetch_guidance(config),
                timeout_ms=config.fetch_timeout_ms,
            )
        )
    return tuple(tools)


_KEY_ORDER: Final = ("type", "description", "items", "properties", "required")


def _arguments_schema(model: type[BaseModel], config: WebToolsConfig) -> JsonObject:
    schema: JsonObject = _ordered(model.model_json_schema())
    schema["properties"] = {name: _ordered(member) for name, member in schema["properties"].items()}
    if config.schema_style == "strict":
        for name, member in schema["properties"].items():
            if name not in schema["required"]:
                member["type"] = [member["type"], "null"]
        schema["required"] = list(schema["properties"])
        schema["additionalProperties"] = False
    return schema


def _ordered(schema: JsonObject) -> JsonObject:

    return {key: schema[key] for key in sorted(schema, key=_KEY_ORDER.index)}
