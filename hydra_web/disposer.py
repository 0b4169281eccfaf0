"""The handle that undoes one registration."""

from collections.abc import Callable
from types import TracebackType
from typing import Self

__all__ = ["Disposer"]


class Disposer:
    """Call it, or leave its `with` block, to undo; doing so twice does nothing more."""

    def __init__(self, undo: Callable[[], None]) -> None:
        self._undo: Callable[[], None] | None = undo

    def __call__(self) -> None:
        """Undoes the registration."""
        undo, self._undo = self._undo, None
        if undo is not None:
            undo()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self()
