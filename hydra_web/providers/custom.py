"""Any JSON search API ("Other"), described by a mapping instead of code."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, ClassVar, Final

from hydra_web.errors import SearchProviderError
from hydra_web.protocols import JsonObject
from hydra_web.providers._base import Authorisation, SearchApi
from hydra_web.providers._custom_fields import AUTH_STYLES, CUSTOM_FIELDS, METHODS
from hydra_web.providers._custom_rules import check_custom_endpoint, check_header_name, header_references, static_body
from hydra_web.providers._http import ApiCall
from hydra_web.providers._locale import unsupported
from hydra_web.providers._mapping import ResultMapping, parse_path, read_results, write_path
from hydra_web.providers._options import check_choice, check_integer
from hydra_web.providers._reading import Found
from hydra_web.providers._secret import Secret
from hydra_web.types import SearchConfigField, WebSearchRequest

__all__ = ["CustomSearch"]

_UNNAMED: Final = "My Search Provider"


@dataclass(frozen=True, kw_only=True, eq=False)
class CustomSearch(SearchApi):
    """Search with an API of your own. Paths are dotted names, such as `data.items`; an empty one is left out.

    One result that does not fit the mapping makes the whole answer invalid.
    """

    id: ClassVar[str] = "custom"
    display_name: ClassVar[str] = "Other"
    description: ClassVar[str] = "Any JSON search API, by a mapping."
    credential_names: ClassVar[tuple[str, ...]] = ("CUSTOM_SEARCH_API_KEY",)
    setting_names: ClassVar[Mapping[str, str]] = {"base_url": "endpoint", "name": "displayName"}
    setting_fields: ClassVar[tuple[SearchConfigField, ...]] = CUSTOM_FIELDS
    hidden_settings: ClassVar[frozenset[str]] = frozenset({"positionField"})

    base_url: str = ""
    """The endpoint, whole; it may have a query without secrets."""
    name: str = _UNNAMED
    """What people call it."""
    method: str = "POST"
    """`POST` sends a JSON body, `GET` its top-level entries as query parameters."""
    auth: str = "api_key_header"
    """`none`, `bearer`, `api_key_header` or `custom_header`; the last two put the key into `auth_header`."""
    auth_header: str = "X-API-KEY"
    """The header for the key."""
    query_field: str = "q"
    """Where the query goes."""
    limit_field: str = "num"
    """Where the number of results goes."""
    country_field: str = ""
    """Where the country goes."""
    language_field: str = ""
    """Where the language goes."""
    type_field: str = ""
    """Where the kind of search goes."""
    date_field: str = ""
    """Where the date goes, in our own grammar."""
    results_path: str = "results"
    """Where the list of results is."""
    title_field: str = "title"
    """Where a result's title is."""
    url_field: str = "url"
    """Where its address is."""
    snippet_field: str = "snippet"
    """Where its snippet is."""
    published_at_field: str = ""
    """Where its date of publication is."""
    score_field: str = ""
    """Where its relevance is."""
    position_field: str = ""
    """Where its rank is."""
    header_refs: str | Mapping[str, str] = "{}"
    """More headers, each with the credential that fills it: a mapping or its JSON."""
    static_body: str | Mapping[str, Any] = "{}"
    """What every request holds, without secrets: a mapping or its JSON."""
    max_results: int = 8
    """The most results of one search, 1 to 100."""

    def check(self) -> None:
        """Raises ConfigError for an option out of bounds."""
        if self.base_url:
            check_custom_endpoint(self.base_url)
        self.check_limits()
        check_integer("max_results", self.max_results, 1, 100)
        check_choice("method", self.method, METHODS)
        check_choice("auth", self.auth, AUTH_STYLES)
        if self.auth in ("api_key_header", "custom_header"):
            check_header_name(self.auth_header)
        header_references(self.header_refs)
        static_body(self.static_body)
        self._mapping()
        for path in (self.limit_field, self.country_field, self.language_field, self.type_field, self.date_field):
            parse_path(path)
        parse_path(self.query_field, required=True)

    @property
    def shown_name(self) -> str:
        """The name it was given."""
        return self.display_name if self.name == _UNNAMED else self.name

    def available(self) -> bool:
        """Whether an endpoint is set and the mapping holds."""
        return self.usable() is not None

    def key_belongs(self) -> bool:
        """Always: its key has no other use."""
        return True

    async def authorise(self) -> Authorisation:
        """Resolves the extra headers, then the key. Raises SearchProviderError CONFIG_ERROR where one is missing."""
        headers: dict[str, str | Secret] = {}
        secrets = []
        for name, reference in header_references(self.header_refs).items():
            secret = await self.resolve(reference)
            if secret is None or not secret.sendable:
                raise SearchProviderError(self.id, "CONFIG_ERROR")
            headers[name.lower()] = secret
            secrets.append(secret)
        if self.auth == "none":
            return Authorisation(headers, tuple(secrets))
        own = await super().authorise()
        return Authorisation({**headers, **own.headers}, (*secrets, *own.secrets))

    def auth_headers(self, key: Secret) -> Mapping[str, str | Secret]:
        """`Authorization: Bearer`, or the key in the chosen header."""
        return super().auth_headers(key) if self.auth == "bearer" else {self.auth_header.lower(): key}

    def build_call(self, request: WebSearchRequest, now: datetime) -> ApiCall:
        """The static body, the query, and every hint that has a field."""
        del now
        body: JsonObject = static_body(self.static_body)
        write_path(body, parse_path(self.query_field), request.query)
        limit = min(request.max_results or self.max_results, self.max_results)
        write_path(body, parse_path(self.limit_field), limit)
        notices = []
        hints = (
            ("country", self.country_field, request.country),
            ("language", self.language_field, request.language),
            ("date", self.date_field, request.date),
        )
        for kind, field, value in hints:
            if value is not None and field:
                write_path(body, parse_path(field), value)
            elif value is not None:
                notices.append(unsupported(kind, value, self.id))
        write_path(body, parse_path(self.type_field), request.type or "web")
        if self.method == "POST":
            return ApiCall(method="POST", url=self.base_url, body=body, notices=tuple(notices))
        params = tuple((name, _parameter(value)) for name, value in body.items())
        headers = {"content-type": "application/json"}
        return ApiCall(method="GET", url=self.base_url, params=params, headers=headers, notices=tuple(notices))

    def read_answer(self, answer: Any, now: datetime) -> Found:
        """The results where the mapping says they are."""
        return read_results(answer, self._mapping(), now)

    def _mapping(self) -> ResultMapping:
        return ResultMapping(
            results=parse_path(self.results_path, required=True),
            url=parse_path(self.url_field, required=True),
            title=parse_path(self.title_field),
            snippet=parse_path(self.snippet_field),
            published=parse_path(self.published_at_field),
            position=parse_path(self.position_field),
            score=parse_path(self.score_field),
        )


def _parameter(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, separators=(",", ":"))
