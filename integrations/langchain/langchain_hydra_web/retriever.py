"""Search results as documents."""

from typing import Any

from langchain_core.callbacks import AsyncCallbackManagerForRetrieverRun, CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever
from pydantic import Field

from hydra_web.tools import ToolOutcome, WebTools
from langchain_hydra_web._values import value_of

__all__ = ["HydraWebRetriever"]


class HydraWebRetriever(BaseRetriever):
    """Runs one search and gives its sources: the snippet as text, `source` and `title` as metadata.

    Raises the tool's error as WebError: an empty list means that nothing was found.
    """

    web_tools: WebTools = Field(default_factory=WebTools, exclude=True, repr=False)
    """Where every search goes."""
    k: int = Field(default=8, ge=1)
    """The most documents wanted; `search_max_results` of the tools' configuration bounds it too."""
    country: str | None = None
    """Two-letter country code."""
    language: str | None = None
    """Language tag, such as `vi`."""

    def _get_relevant_documents(
        self,
        query: str,
        *,
        run_manager: CallbackManagerForRetrieverRun,  # noqa: ARG002 - LangChain passes it to every retriever
        k: int | None = None,
    ) -> list[Document]:
        return _documents(self.web_tools.sync.call("web_search", self._arguments(query)), k or self.k)

    async def _aget_relevant_documents(
        self,
        query: str,
        *,
        run_manager: AsyncCallbackManagerForRetrieverRun,  # noqa: ARG002 - as above
        k: int | None = None,
    ) -> list[Document]:
        return _documents(await self.web_tools.call("web_search", self._arguments(query)), k or self.k)

    def _arguments(self, query: str) -> dict[str, Any]:
        if self.web_tools.config.search_arguments == "query":
            return {"query": query}
        hints = {"country": self.country, "language": self.language}
        return {"queries": [query], **{name: hint for name, hint in hints.items() if hint is not None}}


def _documents(outcome: ToolOutcome, k: int) -> list[Document]:
    value = value_of(outcome)
    return [
        Document(
            page_content=source.get("snippet") or source.get("title") or source["url"],
            metadata={"source": source["url"], **{key: source[key] for key in source if key not in {"url", "snippet"}}},
        )
        for source in value["sources"][:k]
    ]
