"""LangChain's native forms of the hydra-web tools: no policy and no I/O of their own.

Everything goes through `hydra_web.tools.WebTools`. `HydraWebMiddleware` needs the extra
`[agents]` and is imported on first use, because importing `langchain` is slow.
"""

from typing import TYPE_CHECKING, Any

from hydra_web._version import __version__
from langchain_hydra_web.ledger import ledger_from_messages
from langchain_hydra_web.loader import HydraWebLoader
from langchain_hydra_web.retriever import HydraWebRetriever
from langchain_hydra_web.tools import HydraWebFetch, HydraWebSearch, HydraWebToolkit

if TYPE_CHECKING:
    from langchain_hydra_web.middleware import HydraWebMiddleware

__all__ = [
    "HydraWebFetch",
    "HydraWebLoader",
    "HydraWebMiddleware",
    "HydraWebRetriever",
    "HydraWebSearch",
    "HydraWebToolkit",
    "__version__",
    "ledger_from_messages",
]


def __getattr__(name: str) -> Any:
    if name == "HydraWebMiddleware":
        from langchain_hydra_web.middleware import HydraWebMiddleware

        return HydraWebMiddleware
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
