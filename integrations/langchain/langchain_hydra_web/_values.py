"""The value of a tool's outcome, for callers that expect an exception on failure."""

from typing import Any

from hydra_web.errors import WebError
from hydra_web.tools import ToolOutcome


def value_of(outcome: ToolOutcome) -> dict[str, Any]:
    """The outcome's value; raises its error as WebError."""
    if outcome.error is not None:
        raise WebError(outcome.error.message, outcome.error.code)
    assert outcome.value is not None
    return outcome.value
