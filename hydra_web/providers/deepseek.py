"""DeepSeek (https://api-docs.deepseek.com): a model that searches by itself, or its Search API."""

import logging
import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, ClassVar, Final

from hydra_web.errors import ConfigError
from hydra_web.protocols import JsonObject
from hydra_web.providers import _deepseek_messages as messages
from hydra_web.providers import _deepseek_search as search_api
from hydra_web.providers._base import SearchApi
from hydra_web.providers._fields import BASE_URL, CREDENTIAL
from hydra_web.providers._http import ApiCall
from hydra_web.providers._options import check_choice, check_integer, origin_of
from hydra_web.providers._reading import Failure, Found
from hydra_web.providers._secret import Secret
from hydra_web.providers.credentials import EnvironmentCredentials, WritableCredentialStore
from hydra_web.types import SearchConfigField, WebSearchRequest

__all__ = ["DeepSeekSearch"]

_logger: Final = logging.getLogger("web-search")
_MODES: Final = ("messages", "search")
_MIGRATED_REFERENCE: Final = "HYDRA_DEEPSEEK_SEARCH_API_KEY"
_USUAL_BASE_URL: Final = "https://api.deepseek.com/anthropic/v1"
_BASE_URL_VARIABLE: Final = "DEEPSEEK_SEARCH_BASE_URL"
_SEARCH_BASE_URL: Final = "https://api.deepseek.com/v1"


def _environment_base_url() -> str:
    return DeepSeekSearch.address_in(os.environ)


@dataclass(frozen=True, kw_only=True, eq=False)
class DeepSeekSearch(SearchApi):
    """Search with DeepSeek: `mode="messages"` has a model search, `mode="search"` calls the Search API.

    The model's results have a snippet only where it quoted them. The Search API's are dated and scored.
    """

    id: ClassVar[str] = "deepseek-official"
    display_name: ClassVar[str] = "DeepSeek"
    namespace: ClassVar[str] = "web-search-deepseek"
    description: ClassVar[str] = "A DeepSeek model that searches, or DeepSeek's Search API."
    credential_names: ClassVar[tuple[str, ...]] = ("DEEPSEEK_API_KEY",)
    aborted_text: ClassVar[str] = "DeepSeek search aborted"
    setting_fields: ClassVar[tuple[SearchConfigField, ...]] = (
        SearchConfigField(key="model", label="Search Model", kind="text"),
        SearchConfigField(key="maxUses", label="Max Server Searches", kind="number"),
        SearchConfigField(key="maxTokens", label="Max Output Tokens", kind="number"),
        BASE_URL,
        CREDENTIAL,
    )
    hidden_settings: ClassVar[frozenset[str]] = frozenset({"apiKey", "apiVersion", "mode", "timeoutMs"})
    usual_base_url: ClassVar[str] = _USUAL_BASE_URL
    base_url_env: ClassVar[str | None] = _BASE_URL_VARIABLE

    base_url: str = field(default_factory=_environment_base_url)
    """Where the API is; by default `DEEPSEEK_SEARCH_BASE_URL` of the environment, else DeepSeek's own."""
    mode: str = "messages"
    """`messages` or `search`."""
    model: str = "deepseek-v4-flash"
    """The model that searches."""
    api_version: str = "2023-06-01"
    """The `anthropic-version` header."""
    max_tokens: int = 4096
    """The longest answer of the model; it is not used."""
    max_uses: int = 5
    """How often the model may search in one call."""
    record_request: Callable[[JsonObject], None] | None = None
    """Hears of `{endpoint, apiVersion, body}` right before each call to the model; what it raises stops the call."""

    def check(self) -> None:
        """Raises ConfigError for an option out of bounds."""
        super().check()
        check_choice("mode", self.mode, _MODES)
        check_integer("max_tokens", self.max_tokens, 1)
        check_integer("max_uses", self.max_uses, 1)
        if re.fullmatch("[!-~]+", self.api_version) is None:
            raise ConfigError(f"api_version must be plain ASCII without spaces, not {self.api_version!r}")

    def key_belongs(self) -> bool:
        """As everywhere, and to the host that the environment names beside the key."""
        named = (
            self.credentials.read(_BASE_URL_VARIABLE) if isinstance(self.credentials, EnvironmentCredentials) else None
        )
        return super().key_belongs() or (named is not None and origin_of(self.base_url) == origin_of(named))

    def auth_headers(self, key: Secret) -> Mapping[str, str | Secret]:
        """`Authorization: Bearer`, and for the model `x-api-key` as well."""
        bearer = super().auth_headers(key)
        return bearer if self.mode == "search" else {"x-api-key": key, **bearer}

    def build_call(self, request: WebSearchRequest, now: datetime) -> ApiCall:
        """`POST /messages` or `POST /tools/search`."""
        base = self.base_url.rstrip("/")
        if self.mode == "search":
            base = _SEARCH_BASE_URL if base == _USUAL_BASE_URL else base
            body, notices = search_api.build_body(request, self.id, now.date())
            return ApiCall(method="POST", url=f"{base}/tools/search", body=body, notices=notices)
        body, notices = messages.build_body(
            request, self.id, model=self.model, max_tokens=self.max_tokens, max_uses=self.max_uses
        )
        headers = {"anthropic-version": self.api_version}
        return ApiCall(method="POST", url=f"{base}/messages", headers=headers, body=body, notices=notices)

    def note_call(self, call: ApiCall) -> None:
        """Records a call to the model, without its headers."""
        if self.record_request is not None and self.mode == "messages":
            self.record_request({"endpoint": call.url, "apiVersion": self.api_version, "body": call.body})

    def read_answer(self, answer: Any, now: datetime) -> Found | Failure:
        """The results of the searches made."""
        read = search_api.read_answer if self.mode == "search" else messages.read_answer
        return read(answer, now)

    @property
    def has_own_settings(self) -> bool:
        """Whether a person or a program configured it, in saved settings or here."""
        saved = self.settings is not None and bool(self.settings.section(self.namespace))
        usual = (_USUAL_BASE_URL, "deepseek-v4-flash", "2023-06-01", 4096, 5)
        own = (self.base_url, self.model, self.api_version, self.max_tokens, self.max_uses)
        return saved or own != usual or self.api_key is not None or self.api_key_env is not None

    async def migrate_saved_key(self) -> bool:
        """Moves a key that an old version saved among the settings into the credential store, and tells whether it did.

        The store takes it in before the settings let it go; when either fails the settings keep it.
        """
        saved = self.settings.section(self.namespace).get("apiKey") if self.settings is not None else None
        if self.settings is None or not isinstance(saved, str) or not saved.strip() or not self.settings.writable:
            return False
        if not isinstance(self.credentials, WritableCredentialStore):
            return False
        try:
            await self.credentials.store(_MIGRATED_REFERENCE, saved)
            if self.settings.section(self.namespace).get("apiKey") != saved:  # changed meanwhile: the next time
                return False
            self.settings.update(self.namespace, {"apiKeyEnv": _MIGRATED_REFERENCE, "apiKey": None})
        except Exception:  # noqa: BLE001 - both are foreign code; their words may hold the key
            _logger.warning(
                "DeepSeek search credential migration could not finish; the existing configuration is retained."
            )
            return False
        return True
