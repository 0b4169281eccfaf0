"""What may be logged about an exception that a stranger's code raised."""

import traceback
from typing import Final

__all__ = ["redacted_traceback"]

_MOST_CAUSES: Final = 8


def redacted_traceback(error: BaseException) -> str:
    """Where an exception and its causes came from, without their messages, which may hold anything, or source lines."""
    lines: list[str] = []
    cause: BaseException | None = error
    for _ in range(_MOST_CAUSES):
        if cause is None:
            break
        lines.append(f"{type(cause).__qualname__}: (message left out)")
        lines += [
            f'  File "{frame.filename}", line {frame.lineno}, in {frame.name}'
            for frame in traceback.extract_tb(cause.__traceback__)
        ]
        cause = cause.__cause__ or (None if cause.__suppress_context__ else cause.__context__)
    return "\n".join(lines)
