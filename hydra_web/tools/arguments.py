"""Arguments as a model sent them, checked in a fixed order and with fixed words."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeVar

from pydantic import BaseModel, ValidationError

from hydra_web.errors import WebError
from hydra_web.tools.schemas import FetchArguments, QueriesArguments, QueryArguments

__all__ = ["FetchCall", "SearchCall", "check_fetch", "check_search", "invalid", "parse_fetch", "parse_search"]

# What ECMAScript's String.prototype.trim takes away; str.strip() differs in both directions.
_SPACE: Final = (
    "\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000\ufeff"
)
_COUNTRY: Final = re.compile(r"[a-z]{2}")
_LANGUAGE: Final = re.compile(r"[a-z]{2,3}(?:-[a-z0-9]{2,8})*")
_LONGEST_LANGUAGE: Final = 35
_RULES: Final = {"queries": "must be a list of strings"}
_Model = TypeVar("_Model", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class SearchCall:
    """A checked call of `web_search`."""

    queries: tuple[str, ...]
    """The distinct queries, in the order given."""
    country: str | None = None
    """The country hint, lower case."""
    language: str | None = None
    """The language hint, lower case."""


@dataclass(frozen=True, slots=True)
class FetchCall:
    """A checked call of `web_fetch`."""

    url: str
    """The address, untouched."""


def invalid(field: str, rule: str) -> WebError:
    """The error for arguments of the wrong shape. It never repeats the input."""
    return WebError(f"invalid arguments: {field}: {rule}", "INVALID_ARGS")


def parse_search(arguments: object, *, single: bool, max_queries: int) -> SearchCall:
    """Reads the arguments of `web_search`; `single` is the first generation's form. Raises WebError."""
    if single:
        query = _parse(QueryArguments, arguments).query
        if not query.strip(_SPACE):
            raise WebError("query must be a non-empty string", "INVALID_ARGS")
        return SearchCall((query,))
    parsed = _parse(QueriesArguments, arguments)
    return check_search(parsed.queries, parsed.country, parsed.language, max_queries)


def parse_fetch(arguments: object) -> FetchCall:
    """Reads the arguments of `web_fetch`. Raises WebError."""
    return check_fetch(_parse(FetchArguments, arguments).url)


def check_search(queries: Sequence[str], country: str | None, language: str | None, max_queries: int) -> SearchCall:
    """Applies the limits and normalises the hints. Raises WebError for the first rule that is broken."""
    if not queries:
        raise WebError("queries must contain at least one query", "INVALID_ARGS")
    if len(queries) > max_queries:
        noun = "query" if max_queries == 1 else "queries"
        raise WebError(f"queries must contain at most {max_queries} {noun}", "INVALID_ARGS")
    if not all(query.strip(_SPACE) for query in queries):
        raise WebError("each query must be a non-empty string", "INVALID_ARGS")
    return SearchCall(tuple(dict.fromkeys(queries)), _country(country), _language(language))


def check_fetch(url: str) -> FetchCall:
    """Refuses a blank address with a WebError; everything else is the provider's to judge."""
    if not url.strip(_SPACE):
        raise WebError("url must be a non-empty string", "INVALID_ARGS")
    return FetchCall(url)


def _country(value: str | None) -> str | None:
    if value is None:
        return None
    code = value.strip(_SPACE).lower()
    if not _COUNTRY.fullmatch(code):
        raise WebError("country must be a two-letter country code, or omitted", "INVALID_ARGS")
    return code


def _language(value: str | None) -> str | None:
    if value is None:
        return None
    code = value.strip(_SPACE).lower()
    if len(code) > _LONGEST_LANGUAGE or not _LANGUAGE.fullmatch(code):
        raise WebError("language must be a language code such as vi, en, or zh-cn, or omitted", "INVALID_ARGS")
    return code


def _parse(model: type[_Model], arguments: object) -> _Model:
    if not isinstance(arguments, Mapping):
        raise invalid("arguments", "must be a JSON object")
    try:
        return model.model_validate(dict(arguments))
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False, include_input=False)[0]
    field = str(first["loc"][0])
    rule = "is required" if first["type"] == "missing" else _RULES.get(field, "must be a string")
    raise invalid(field, rule)
