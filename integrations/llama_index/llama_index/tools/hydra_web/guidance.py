"""What a model should know about the tools, for a system prompt."""

from hydra_web.tools import WebTools

__all__ = ["guidance_prompt"]


def guidance_prompt(web_tools: WebTools | None = None, system_prompt: str = "") -> str:
    """The system prompt with the guidance of the tools after it."""
    guidance = (web_tools or WebTools()).guidance()
    return f"{system_prompt}\n\n{guidance}" if system_prompt else guidance
