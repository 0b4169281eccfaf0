"""Web pages as documents."""

from collections.abc import Iterable, Sequence
from typing import Any

from llama_index.core.bridge.pydantic import Field
from llama_index.core.readers.base import BasePydanticReader
from llama_index.core.schema import Document

from hydra_web.errors import WebError
from hydra_web.tools import ToolOutcome, WebTools

__all__ = ["HydraWebReader"]


class HydraWebReader(BasePydanticReader):
    """Fetches pages through the guarded door, each as one document in Markdown.

    A page that cannot be fetched raises the tool's error as WebError, or is left out when
    `continue_on_failure` is set.
    """

    is_remote: bool = True
    """Pages come from the web."""
    web_tools: WebTools = Field(default_factory=WebTools, exclude=True, repr=False)
    """Where every fetch goes."""
    continue_on_failure: bool = False
    """Whether a page that cannot be fetched is left out."""

    @classmethod
    def class_name(cls) -> str:
        """The name under which the reader is serialised."""
        return "HydraWebReader"

    def lazy_load_data(self, urls: str | Sequence[str], **load_kwargs: Any) -> Iterable[Document]:  # noqa: ARG002 - a base method
        """The documents, one fetch at a time."""
        for url in _listed(urls):
            yield from self._documents(self.web_tools.sync.call("web_fetch", {"url": url}))

    async def aload_data(self, urls: str | Sequence[str], **load_kwargs: Any) -> list[Document]:  # noqa: ARG002 - a base method
        """The documents, one fetch at a time, in asynchronous code."""
        documents: list[Document] = []
        for url in _listed(urls):
            documents += self._documents(await self.web_tools.call("web_fetch", {"url": url}))
        return documents

    async def alazy_load_data(self, urls: str | Sequence[str], **load_kwargs: Any) -> Iterable[Document]:  # noqa: ARG002 - a base method
        """As `aload_data`."""
        return await self.aload_data(urls)

    def _documents(self, outcome: ToolOutcome) -> list[Document]:
        if outcome.error is not None:
            if self.continue_on_failure:
                return []
            raise WebError(outcome.error.message, outcome.error.code)
        page = outcome.value
        assert page is not None
        metadata = {"url": page["url"], "status_code": page["statusCode"], "truncated": page["truncated"]}
        return [Document(text=page["body"]["content"], metadata=metadata, id_=page["sourceId"])]


def _listed(urls: str | Sequence[str]) -> Sequence[str]:
    return [urls] if isinstance(urls, str) else urls
