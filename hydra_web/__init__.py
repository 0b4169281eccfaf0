"""hydra-web: web search and guarded web fetch for LLM agents, with citations that can be checked."""

from hydra_web._version import __version__

__all__ = ["__version__"]
