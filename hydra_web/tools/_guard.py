"""Around every tool call: time-outs by signal, and nothing but an outcome coming out."""

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import replace
from typing import Any, Final, TypeAlias

from hydra_web.errors import WebError
from hydra_web.signals import Aborted, AbortSignal, DeadlineReason, run_abortable
from hydra_web.tools.outcome import ToolOutcome, failure, log_redacted

__all__ = ["run_guarded"]

Work: TypeAlias = Callable[[AbortSignal | None], Coroutine[Any, Any, ToolOutcome]]

_UNEXPECTED: Final = {"web_search": "Search provider failed.", "web_fetch": "web fetch failed"}
_TIMEOUT: Final = "TOOL_TIMEOUT"


async def run_guarded(
    name: str, work: Work, signal: AbortSignal | None = None, timeout_ms: int | None = None
) -> ToolOutcome:
    """Runs one call and turns whatever it raises into an outcome; only the caller's own cancellation passes.

    With `timeout_ms` the work gets a signal of its own that follows the caller's and the clock.
    When that has fired the outcome says which of the two came first, whatever the work made of it.
    """
    return replace(await _run_within(name, work, signal, timeout_ms), tool=name)


async def _run_within(name: str, work: Work, signal: AbortSignal | None, timeout_ms: int | None) -> ToolOutcome:
    if timeout_ms is None:
        return await _settle(name, work(signal))
    deadline = AbortSignal.timeout(timeout_ms, _TIMEOUT)
    tool_signal = AbortSignal.any([deadline] if signal is None else [signal, deadline])
    outcome = await _settle(name, run_abortable(work(tool_signal), tool_signal))
    if not tool_signal.aborted:
        return outcome
    reason = tool_signal.reason
    if reason is deadline.reason and isinstance(reason, DeadlineReason):
        return failure(WebError(f"tool call timed out after {timeout_ms}ms", _TIMEOUT), "ToolTimeoutError")
    return failure(WebError("tool call aborted", "WEB_ABORTED"), "AbortError")


async def _settle(name: str, work: Coroutine[Any, Any, ToolOutcome]) -> ToolOutcome:
    task = asyncio.current_task()
    earlier = task.cancelling() if task else 0
    try:
        return await work
    except asyncio.CancelledError as error:
        if task is not None and task.cancelling() > earlier:
            raise
        log_redacted(f"{name} was cancelled from within", error)
    except Aborted:
        return failure(WebError("tool call aborted", "WEB_ABORTED"), "AbortError")
    except WebError as error:
        return failure(error)
    except Exception as error:  # noqa: BLE001 - a provider's bug must not end an agent's run
        log_redacted(f"{name} failed unexpectedly", error)
    return failure(WebError(_UNEXPECTED.get(name, "tool call failed"), "UNKNOWN"))
