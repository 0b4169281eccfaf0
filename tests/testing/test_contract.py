"""The contract, run by a provider that is not ours, and by ones that break it."""

from collections.abc import Callable
from typing import Any

import httpx
import pytest

from hydra_web.errors import SearchProviderError, WebError, search_http_error
from hydra_web.providers import ExaSearch
from hydra_web.signals import Aborted, AbortSignal, DeadlineReason, run_abortable
from hydra_web.testing.contract import CANARY, CONTRACT, assert_provider_contract
from hydra_web.types import WebSearchRequest, WebSearchResult, WebSearchSource
from hydra_web.urls import is_http_url


def third_party_answer(sources: Any) -> Any:
    return {"hits": [{"link": entry.get("url"), "name": entry.get("title")} for entry in sources]}


class ThirdParty:
    """A provider as somebody else might write it."""

    id = "third-party"

    def __init__(self, base_url: str, key: str = CANARY, *, follow_redirects: bool = False) -> None:
        self._url = base_url
        self._key: Callable[[], str] = lambda: key
        self._follow_redirects = follow_redirects

    def available(self) -> bool:
        return True

    async def search(self, request: WebSearchRequest, signal: AbortSignal | None = None) -> WebSearchResult:
        failure: WebError
        try:
            return await run_abortable(self._search(request), signal)
        except Aborted as stop:
            late = isinstance(stop.reason, DeadlineReason)
            failure = SearchProviderError(self.id, "TIMEOUT") if late else WebError("aborted", "WEB_ABORTED")
        except (ValueError, LookupError, TypeError, RecursionError):
            failure = SearchProviderError(self.id, "INVALID_RESPONSE")
        except httpx.HTTPError:
            failure = SearchProviderError(self.id, "NETWORK_ERROR")
        except SearchProviderError as error:
            failure = SearchProviderError(self.id, error.code, error.status_code)  # type: ignore[arg-type]
        raise failure

    async def _search(self, request: WebSearchRequest) -> WebSearchResult:
        headers = {"authorization": f"Bearer {self._key()}"}
        async with httpx.AsyncClient(trust_env=False, follow_redirects=self._follow_redirects) as client:
            response = await client.post(self._url, headers=headers, json={"q": request.query})
        if response.is_redirect:
            raise SearchProviderError(self.id, "NETWORK_ERROR")
        if not response.is_success:
            raise search_http_error(self.id, response.status_code)
        hits = [hit for hit in response.json()["hits"] if isinstance(hit["link"], str) and is_http_url(hit["link"])]
        return WebSearchResult(sources=tuple(self._source(hit) for hit in hits), truncated=False)

    def _source(self, hit: Any) -> WebSearchSource:
        title = hit["name"].encode("utf-8", "replace").decode() if isinstance(hit["name"], str) else None
        return WebSearchSource(url="".join(hit["link"].split()), title=title)


async def test_a_provider_of_somebody_else_can_pass() -> None:
    await assert_provider_contract(ThirdParty, third_party_answer)


async def test_a_provider_of_ours_needs_no_shape() -> None:
    await assert_provider_contract(lambda base_url: ExaSearch(api_key=CANARY, base_url=base_url))


async def test_an_unknown_provider_needs_a_shape() -> None:
    with pytest.raises(AssertionError, match="the answers of third-party are not known"):
        await assert_provider_contract(ThirdParty)


class Careless(ThirdParty):
    async def search(self, request: WebSearchRequest, signal: AbortSignal | None = None) -> WebSearchResult:
        return await self._search(request)


class Leaking(ThirdParty):
    def __init__(self, base_url: str) -> None:
        super().__init__(base_url)
        self.key = CANARY


class Deaf(ThirdParty):
    async def search(self, request: WebSearchRequest, signal: AbortSignal | None = None) -> WebSearchResult:
        return await super().search(request)


class Unchecked(ThirdParty):
    def _source(self, hit: Any) -> WebSearchSource:
        return WebSearchSource(url="javascript:alert(1)", title="x")


@pytest.mark.parametrize(
    ("kind", "rule", "words"),
    [
        (Careless, "invalid JSON", None),
        (Leaking, "success", "the key shows"),
        (Unchecked, "success", "no http"),
        (lambda url: ThirdParty(url, follow_redirects=True), "redirect 307", "no SearchProviderError"),
        (Deaf, "aborted before", "no error"),
        (Deaf, "HTTP 404", "breaks nothing"),
    ],
)
async def test_a_provider_that_breaks_a_rule_is_named(kind: Callable[[str], Any], rule: str, words: str | None) -> None:
    if words == "breaks nothing":
        await CONTRACT[rule](kind, third_party_answer)
        return
    with pytest.raises(AssertionError if words else ValueError, match=words):
        await CONTRACT[rule](kind, third_party_answer)
