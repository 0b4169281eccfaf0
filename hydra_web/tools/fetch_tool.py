"""One call of `web_fetch`, from checked arguments to an outcome."""

import asyncio
from dataclasses import dataclass

from hydra_web.errors import WebError
from hydra_web.protocols import JsonObject
from hydra_web.signals import AbortSignal, run_abortable
from hydra_web.tools._access import Evidence, Web
from hydra_web.tools.arguments import FetchCall
from hydra_web.tools.config import WebToolsConfig
from hydra_web.tools.outcome import ToolOutcome
from hydra_web.tools.page_text import PageText, Render, read_page
from hydra_web.tools.pages import PageCache
from hydra_web.tools.present import fetch_meta
from hydra_web.tools.render import render_fetch, shown_url
from hydra_web.tools.scope import Scope
from hydra_web.tools.sections import url_fragment
from hydra_web.types import WebFetchRequest, WebFetchResult

__all__ = ["FetchTool"]


@dataclass(frozen=True, slots=True, kw_only=True)
class FetchTool:
    """Everything one fetch needs."""

    web: Web
    """Fetches the page."""
    pages: PageCache
    """Pages kept from earlier fetches."""
    config: WebToolsConfig
    """The operator's settings."""
    scope: Scope
    """The operator's domain lists, and what has been seen."""
    evidence: Evidence
    """Records what was read."""
    render: Render | None = None
    """The HTML converter; None is `hydra_web.content.render`."""

    async def run(self, call: FetchCall, signal: AbortSignal | None) -> ToolOutcome:
        """Fetches, converts, records and renders. Raises what the provider raises."""
        result = await self.pages.fetch(self.web, WebFetchRequest(url=call.url), signal)
        url = shown_url(result.url)
        if url is None:
            raise WebError("web fetch failed", "WEB_PROVIDER_ERROR")
        self.scope.check_domain(url)
        page = await run_abortable(read_page(result, self.config, self.render, url_fragment(call.url)), signal)
        if page.section:
            url = f"{url.partition('#')[0]}#{page.section}"
        identity = await self._record(url, result, page)
        self._remember(call.url, url, page)
        return self._outcome(url, result, page, identity)

    async def _record(self, url: str, result: WebFetchResult, page: PageText) -> str:
        fetched_at = result.meta.get("fetchedAt")
        return await asyncio.to_thread(
            self.evidence.record_fetch,
            url=url,
            status_code=result.status_code,
            text=page.text,
            page_text=page.page_text,
            fetched_at=fetched_at if isinstance(fetched_at, str) else None,
        )

    def _remember(self, asked: str, url: str, page: PageText) -> None:
        self.scope.add_urls((asked, url))
        if page.links is None:
            self.scope.add_text(page.text)
        else:
            self.scope.add_urls(page.links)

    def _outcome(self, url: str, result: WebFetchResult, page: PageText, identity: str) -> ToolOutcome:
        truncated = result.truncated or page.truncated
        value: JsonObject = {
            "url": url,
            "statusCode": result.status_code,
            "body": {"kind": "text", "content": page.text},
            "truncated": truncated,
            "sourceId": identity,
        }
        cap = self.config.fetch_max_output_chars
        text, shortened = render_fetch(url, result.status_code, page.text, identity, truncated, cap)
        details = {**result.meta, **page.details}
        if shortened and page.outline:
            details["outline"] = list(page.outline)
        return ToolOutcome(text=text, value=value, meta={**fetch_meta(value, shortened), "details": details})
