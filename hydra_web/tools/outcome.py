"""What one tool call came to."""

import logging
from dataclasses import asdict, dataclass, field
from typing import Any, Final

from hydra_web.errors import SearchProviderError, WebError
from hydra_web.protocols import JsonObject
from hydra_web.redaction import redacted_traceback
from hydra_web.text import one_line
from hydra_web.tools._notebook import outcome_html

__all__ = ["ToolError", "ToolOutcome", "failure", "log_redacted"]

_log: Final = logging.getLogger("hydra_web.tools")


@dataclass(frozen=True, slots=True)
class ToolError:
    """Why a call failed, for programs."""

    name: str
    """The name of the error's class."""
    code: str
    """A stable word such as `WEB_BLOCKED_URL`."""
    message: str
    """The fixed text that stands in the outcome's text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolOutcome:
    """The result of one tool call. An error is a result too."""

    text: str
    """What the model reads."""
    value: JsonObject | None = None
    """The canonical JSON value, as the tool's output schema describes it; None for an error."""
    meta: dict[str, Any] = field(default_factory=dict)
    """What a result card shows, and under `details` what only programs need."""
    is_error: bool = False
    """Whether the call failed."""
    error: ToolError | None = None
    """The failure, when it did."""
    tool: str = ""
    """The name of the tool that was called."""

    def to_json_dict(self) -> JsonObject:
        """Everything but the text as JSON, in the form that frameworks keep beside it; `schema` is its version."""
        return {
            "schema": 1,
            "tool": self.tool,
            "value": self.value,
            "meta": self.meta,
            "error": asdict(self.error) if self.error is not None else None,
        }

    def _repr_html_(self) -> str:
        return outcome_html(self.text, self.value)


def failure(error: WebError, name: str | None = None) -> ToolOutcome:
    """The outcome of a call that ended in an error."""
    message = one_line(error.message)
    details: JsonObject = {}
    if error.reason is not None:
        details["reason"] = error.reason
    if isinstance(error, SearchProviderError):
        details |= {"provider": error.provider, "retryable": error.retryable}
        if error.status_code is not None:
            details["statusCode"] = error.status_code
    return ToolOutcome(
        text=f"Error: {message}",
        meta={"details": details},
        is_error=True,
        error=ToolError(name or error.name, error.code, message),
    )


def log_redacted(what: str, error: BaseException) -> None:
    """Logs where an unexpected error came from, without its message: that may hold anything."""
    _log.error("%s\n%s", what, redacted_traceback(error))
