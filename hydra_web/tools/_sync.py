"""The tools for synchronous callers."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from hydra_web.portal import run_sync
from hydra_web.signals import AbortSignal
from hydra_web.tools.outcome import ToolOutcome

if TYPE_CHECKING:
    from hydra_web.tools.suite import WebTools

__all__ = ["SyncWebTools"]


class SyncWebTools:
    """What `WebTools` does, for callers that cannot await; safe in notebooks and from many threads."""

    def __init__(self, tools: "WebTools") -> None:
        self._tools = tools

    def call(self, name: str, arguments: object, signal: AbortSignal | None = None) -> ToolOutcome:
        """Runs one tool call; see `WebTools.call`."""
        return run_sync(self._tools.call(name, arguments, signal))

    def web_search(
        self,
        queries: str | Sequence[str],
        country: str | None = None,
        language: str | None = None,
        signal: AbortSignal | None = None,
    ) -> ToolOutcome:
        """Searches; see `WebTools.web_search`."""
        return run_sync(self._tools.web_search(queries, country, language, signal))

    def web_fetch(self, url: str, signal: AbortSignal | None = None) -> ToolOutcome:
        """Fetches a page; see `WebTools.web_fetch`."""
        return run_sync(self._tools.web_fetch(url, signal))
