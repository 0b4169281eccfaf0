"""Web pages as documents."""

from collections.abc import AsyncIterator, Iterator, Sequence

from langchain_core.document_loaders import BaseLoader
from langchain_core.documents import Document

from hydra_web.tools import ToolOutcome, WebTools
from langchain_hydra_web._values import value_of

__all__ = ["HydraWebLoader"]


class HydraWebLoader(BaseLoader):
    """Fetches pages through the guarded door, each as one document in Markdown.

    A page that cannot be fetched raises the tool's error as WebError, or is left out when
    `continue_on_failure` is set.
    """

    def __init__(
        self, urls: str | Sequence[str], *, web_tools: WebTools | None = None, continue_on_failure: bool = False
    ) -> None:
        self._urls = [urls] if isinstance(urls, str) else list(urls)
        self._web_tools = web_tools or WebTools()
        self._continue_on_failure = continue_on_failure

    def lazy_load(self) -> Iterator[Document]:
        """The documents, one fetch at a time."""
        for url in self._urls:
            yield from self._documents(self._web_tools.sync.call("web_fetch", {"url": url}))

    async def alazy_load(self) -> AsyncIterator[Document]:
        """The documents, one fetch at a time, in asynchronous code."""
        for url in self._urls:
            for document in self._documents(await self._web_tools.call("web_fetch", {"url": url})):
                yield document

    def _documents(self, outcome: ToolOutcome) -> list[Document]:
        if outcome.is_error and self._continue_on_failure:
            return []
        page = value_of(outcome)
        metadata = {"source": page["url"], "status_code": page["statusCode"], "truncated": page["truncated"]}
        return [Document(page["body"]["content"], id=page["sourceId"], metadata=metadata)]
