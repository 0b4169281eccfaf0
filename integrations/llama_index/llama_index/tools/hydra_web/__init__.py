"""LlamaIndex's native forms of the hydra-web tools: no policy and no I/O of their own.

Everything goes through `hydra_web.tools.WebTools`.
"""

from llama_index.tools.hydra_web.guidance import guidance_prompt
from llama_index.tools.hydra_web.ledger import ledger_from_messages
from llama_index.tools.hydra_web.reader import HydraWebReader
from llama_index.tools.hydra_web.tools import (
    HydraWebCallEvent,
    HydraWebResultEvent,
    HydraWebTool,
    HydraWebToolSpec,
)

from hydra_web._version import __version__

__all__ = [
    "HydraWebCallEvent",
    "HydraWebReader",
    "HydraWebResultEvent",
    "HydraWebTool",
    "HydraWebToolSpec",
    "__version__",
    "guidance_prompt",
    "ledger_from_messages",
]
