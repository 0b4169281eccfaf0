"""What all search APIs share: settings, credentials, one guarded call, one reading of the answer."""

import asyncio
import weakref
from abc import ABC, abstractmethod
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field, fields, replace
from datetime import UTC, datetime
from typing import Any, ClassVar, Final, Self

from hydra_web.errors import ConfigError, SearchProviderError, WebError, search_http_error
from hydra_web.protocols import SettingsSource
from hydra_web.providers._http import ApiCall, Operation, Reply, Transmission, exchange, operate, parse_json
from hydra_web.providers._locale import Locale, Vocabularies
from hydra_web.providers._options import check_endpoint, check_integer, check_optional_integer, check_proxy, origin_of
from hydra_web.providers._reading import Failure, Found
from hydra_web.providers._secret import Secret, echoes
from hydra_web.providers.credentials import CredentialStore, EnvironmentCredentials, check_reference
from hydra_web.signals import AbortSignal
from hydra_web.types import (
    WEB_SEARCH_CAPABILITIES,
    SearchConfigField,
    WebSearchCapabilities,
    WebSearchProviderDescriptor,
    WebSearchRequest,
    WebSearchResult,
)

__all__ = ["Authorisation", "SearchApi"]

_READING_ERRORS: Final = (ValueError, TypeError, LookupError, AttributeError, RecursionError)
_abandoned: Final[set["asyncio.Task[str | None]"]] = set()


@dataclass(frozen=True, slots=True)
class Authorisation:
    """The credentials of one search."""

    headers: Mapping[str, str | Secret]
    """The headers that carry them."""
    secrets: tuple[Secret, ...] = ()
    """What no result may echo."""


@dataclass(frozen=True, kw_only=True, eq=False)
class SearchApi(ABC):
    """A search provider that calls an HTTP API.

    A subclass builds the call and reads the answer, both as pure functions of values, and names what it is
    in class attributes. Everything else, from keys to deadlines, happens here.
    """

    id: ClassVar[str]
    display_name: ClassVar[str]
    description: ClassVar[str]
    namespace: ClassVar[str]
    capabilities: ClassVar[WebSearchCapabilities] = WEB_SEARCH_CAPABILITIES
    credential_names: ClassVar[tuple[str, ...]] = ()
    key_required: ClassVar[bool] = True
    needs_setup: ClassVar[bool] = True
    usual_base_url: ClassVar[str] = ""
    base_url_env: ClassVar[str | None] = None
    vocabularies: ClassVar[Vocabularies] = Vocabularies()
    readable_errors: ClassVar[frozenset[int]] = frozenset()
    setting_fields: ClassVar[tuple[SearchConfigField, ...]] = ()
    setting_names: ClassVar[Mapping[str, str]] = {"base_url": "baseURL"}
    hidden_settings: ClassVar[frozenset[str]] = frozenset()
    aborted_text: ClassVar[str] = "Web search aborted"

    base_url: str = ""
    """Where the API is; empty means not configured."""
    api_key: str | Secret | None = None
    """The key itself; it goes before any reference to one."""
    api_key_env: str | None = None
    """The credential to use instead of the provider's usual ones; names it for the given `base_url` too."""
    credentials: CredentialStore = field(default_factory=EnvironmentCredentials, repr=False)
    """Where references are resolved, anew for every search."""
    settings: SettingsSource | None = None
    """Saved settings, read anew for every search; they go before the values given here."""
    timeout_ms: int = 60_000
    """How long one search may take, keys and retries included, in milliseconds, 1 to 600000."""
    max_response_bytes: int = 5_000_000
    """The most bytes of one answer, decoded."""
    proxy: str | Secret | None = None
    """The URL of a proxy; those of the environment are not used."""
    retry: int | None = None
    """The most tries of one search, 2 to 10, where a failure may pass by itself; None tries once."""
    max_concurrency: int = 8
    """The most searches under way at once in one event loop; others wait within their time."""
    _slots: "weakref.WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Semaphore]" = field(
        default_factory=weakref.WeakKeyDictionary, init=False, repr=False
    )

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if "id" in cls.__dict__ and "namespace" not in cls.__dict__:
            cls.namespace = f"web-search-{cls.id}"

    def __post_init__(self) -> None:
        for name in ("api_key", "proxy"):
            value = getattr(self, name)
            if value is not None and not isinstance(value, str | Secret):
                raise ConfigError(f"{name} must be text")
            object.__setattr__(self, name, Secret.of(value))
        self.check()

    def check(self) -> None:
        """Raises ConfigError for an option out of bounds; subclasses add their own."""
        if self.base_url:
            check_endpoint("base_url", self.base_url)
        self.check_limits()

    def check_limits(self) -> None:
        """The part of `check` that holds for every API."""
        if self.api_key_env is not None:
            check_reference("api_key_env", self.api_key_env)
        proxy = Secret.of(self.proxy)
        check_proxy(proxy.reveal() if proxy else None)
        check_integer("timeout_ms", self.timeout_ms, 1, 600_000)
        check_integer("max_response_bytes", self.max_response_bytes, 1)
        check_optional_integer("retry", self.retry, 2, 10)
        check_integer("max_concurrency", self.max_concurrency, 1)

    @abstractmethod
    def build_call(self, request: WebSearchRequest, now: datetime) -> ApiCall:
        """The call for a search, without credentials. Pure."""

    @abstractmethod
    def read_answer(self, answer: Any, now: datetime) -> Found | Failure:
        """Reads the JSON of a success. Pure; any ValueError, TypeError, … is an INVALID_RESPONSE."""

    def auth_headers(self, key: Secret) -> Mapping[str, str | Secret]:
        """The headers that carry the key."""
        return {"authorization": Secret(f"Bearer {key.reveal()}")}

    def read_error(self, status_code: int, answer: Any) -> Found | Failure | None:
        """What one of `readable_errors` means; None for the usual meaning of its status. Pure."""
        del status_code, answer
        return None

    def note_call(self, call: ApiCall) -> None:
        """Hears of the call right before it is sent; what is raised here stops it."""
        del call

    @property
    def shown_name(self) -> str:
        """Its name for people."""
        return self.display_name

    @property
    def descriptor(self) -> WebSearchProviderDescriptor:
        """How it presents itself to people, by what is saved for it now."""
        options = self.usable() or self
        return WebSearchProviderDescriptor(
            id=self.id,
            display_name=options.shown_name,
            description=self.description,
            capabilities=self.capabilities,
            configurable=bool(self.setting_fields),
            settings_ns=self.namespace if self.setting_fields else None,
            credential_ref=options.api_key_env or (self.credential_names[0] if self.credential_names else None),
            fields=self.setting_fields,
        )

    @classmethod
    def address_in(cls, environ: Mapping[str, str]) -> str:
        """The address an environment names, else the usual one. Raises ConfigError naming the variable."""
        named = environ.get(cls.base_url_env or "", "").strip()
        if named:
            check_endpoint(str(cls.base_url_env), named)
        return named or cls.usual_base_url

    def configured(self, section: Mapping[str, Any] | None = None) -> Self:
        """The provider as a settings section makes it, by default the saved one. Raises ConfigError."""
        if section is None:
            section = self.settings.section(self.namespace) if self.settings is not None else {}
        known = {entry.key for entry in self.setting_fields} | self.hidden_settings
        keys = {entry.name: self._setting_key(entry.name) for entry in fields(self) if entry.init}
        values = {name: section[key] for name, key in keys.items() if key in known and key in section}
        for name, value in values.items():
            if isinstance(getattr(self, name), str) and not isinstance(value, str):
                raise ConfigError(f"{keys[name]} must be text")
        return replace(self, **values) if values else self

    def _setting_key(self, name: str) -> str:
        head, *tail = name.split("_")
        return self.setting_names.get(name) or head + "".join(part.capitalize() for part in tail)

    def available(self) -> bool:
        """Whether its options hold and a key can be had, as far as that can be told here and now."""
        options = self.usable()
        return options is not None and options._has_key()

    def usable(self) -> Self | None:
        """The provider as settings have it now, or None where they cannot be read, do not hold or name no endpoint."""
        with suppress(WebError):  # a ConfigError is one
            options = self.configured()
            return options if options.base_url else None
        return None

    def _has_key(self) -> bool:
        if (
            not self.key_required
            or self.api_key is not None
            or not isinstance(self.credentials, EnvironmentCredentials)
        ):
            return True
        return self.key_belongs() and any(self.credentials.has(name) for name in self._references())

    def key_belongs(self) -> bool:
        """Whether the credential may go to `base_url`: the usual one to the usual host, a named one anywhere."""
        return self.api_key_env is not None or origin_of(self.base_url) == origin_of(self.usual_base_url)

    def _references(self) -> tuple[str, ...]:
        return (self.api_key_env,) if self.api_key_env else self.credential_names

    async def search(self, request: WebSearchRequest, signal: AbortSignal | None = None) -> WebSearchResult:
        """Runs one search. Raises SearchProviderError, or WebError `WEB_ABORTED` when the caller stopped it."""
        kind = request.type or "web"
        if not self.capabilities.supports(kind):
            message = f'Provider "{self.id}" does not support {kind} search.'
            raise SearchProviderError(self.id, "CONFIG_ERROR", message=message)
        options = self.usable()  # one snapshot, so that a change in mid-call mixes nothing
        if options is None:
            raise SearchProviderError(self.id, "CONFIG_ERROR")
        return await operate(
            self.id,
            lambda operation: options._run(request, operation, self._slot()),
            signal=signal,
            timeout_ms=options.timeout_ms,
            aborted=self.aborted_text,
        )

    def _slot(self) -> asyncio.Semaphore:
        loop = asyncio.get_running_loop()
        slot = self._slots.get(loop)
        if slot is None:
            for ended in [known for known in list(self._slots) if known.is_closed()]:
                self._slots.pop(ended, None)  # a semaphore that was waited for keeps its loop alive
            slot = self._slots[loop] = asyncio.Semaphore(self.max_concurrency)
        return slot

    async def _run(self, request: WebSearchRequest, operation: Operation, slot: asyncio.Semaphore) -> WebSearchResult:
        async with slot:
            authorisation = await self.authorise()
            operation.checkpoint()
            now = datetime.now(UTC)
            call = self.build_call(request, now)
            self.note_call(call)
            call = replace(call, headers={**call.headers, **authorisation.headers})
            reply = await exchange(self.id, call, self._transmission(), operation)
        found = self._read(reply, now)
        if echoes(_texts(found), authorisation.secrets):
            del found  # error reporters collect local variables
            raise SearchProviderError(self.id, "INVALID_RESPONSE", reply.status_code)
        return WebSearchResult(
            sources=found.sources,
            truncated=False,
            content=found.content,
            status_code=reply.status_code,
            notices=call.notices,
        )

    def _transmission(self) -> Transmission:
        return Transmission(
            max_bytes=self.max_response_bytes,
            proxy=Secret.of(self.proxy),
            tries=self.retry or 1,
            readable_errors=self.readable_errors,
        )

    def _read(self, reply: Reply, now: datetime) -> Found:
        outcome = self._understand(reply, now)
        if isinstance(outcome, Found):
            return outcome
        if isinstance(outcome, Failure):
            raise SearchProviderError(self.id, outcome.code, reply.status_code, outcome.message)
        raise search_http_error(self.id, reply.status_code)

    def _understand(self, reply: Reply, now: datetime) -> Found | Failure | None:
        """What the answer says; None when its status says it all."""
        try:
            if 200 <= reply.status_code < 300:
                return self.read_answer(parse_json(reply.body), now)
            if reply.status_code in self.readable_errors:
                return self.read_error(reply.status_code, _lenient_json(reply.body))
        except _READING_ERRORS:
            return Failure("INVALID_RESPONSE")
        return None

    async def authorise(self) -> Authorisation:
        """Resolves the key. Raises SearchProviderError CONFIG_ERROR when one is needed and there is none."""
        key = Secret.of(self.api_key) or await self._resolve_first()
        if key is None and not self.key_required:
            return Authorisation({})
        if key is None or not key.sendable:
            raise SearchProviderError(self.id, "CONFIG_ERROR")
        return Authorisation(self.auth_headers(key), (key,))

    async def _resolve_first(self) -> Secret | None:
        for name in self._references() if self.key_belongs() else ():
            key = await self.resolve(name)
            if key is not None:
                return key
        return None

    async def resolve(self, reference: str) -> Secret | None:
        """One credential from the store. A store that fails counts as empty; one that hangs is left behind."""
        lookup = asyncio.ensure_future(_ask(self.credentials, reference))
        _abandoned.add(lookup)
        lookup.add_done_callback(_abandoned.discard)
        try:
            await asyncio.wait({lookup})
        finally:
            lookup.cancel()
        return None if lookup.cancelled() else Secret.of(lookup.result())

    def localise(self, request: WebSearchRequest) -> Locale:
        """The search's country and language in the provider's own terms."""
        return self.vocabularies.localise(self.id, request.country, request.language)


async def _ask(credentials: CredentialStore, reference: str) -> str | None:
    try:
        value = await credentials.resolve(reference)
    except Exception:  # noqa: BLE001 - a store is foreign code and may fail in any way
        return None
    return value.strip() if isinstance(value, str) else None


def _lenient_json(body: bytes | None) -> Any:
    try:
        return parse_json(body)
    except ValueError:
        return None


def _texts(found: Found) -> list[str]:
    texts = [found.content or ""]
    for source in found.sources:
        texts += [source.url, source.title or "", source.snippet or "", source.published_at or ""]
    return texts
