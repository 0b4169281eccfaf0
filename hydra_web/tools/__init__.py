"""The model-facing tools.

What may live here: everything between a model's arguments and the text it reads. Configuration, schemas and guidance,
argument checks, running and merging queries, kept pages, the operator's scope, rendering, result cards, and the suite
that ties them together. All access to the web goes through a runtime; no provider is named here, and no framework.
"""

from hydra_web.tools.config import WebToolsConfig
from hydra_web.tools.outcome import ToolError, ToolOutcome
from hydra_web.tools.schemas import ToolDefinition
from hydra_web.tools.suite import WebTools

__all__ = ["ToolDefinition", "ToolError", "ToolOutcome", "WebTools", "WebToolsConfig"]
