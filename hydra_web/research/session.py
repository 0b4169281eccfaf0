"""Sessions: an agent at work on a task, and the sub-agents it starts."""

import uuid
import weakref
from contextvars import ContextVar
from types import TracebackType
from typing import Final, Self

from hydra_web.errors import ConfigError, WebError

__all__ = ["ResearchSession", "current_session"]

_LIVE: "Final[weakref.WeakValueDictionary[str, ResearchSession]]" = weakref.WeakValueDictionary()
_ACTIVE: "Final[ContextVar[tuple[ResearchSession, ...]]]" = ContextVar("hydra_web_research_sessions", default=())


class ResearchSession:
    """One agent's part of a research task.

    A session without a parent is the root of its task; its descendants share what the task may
    spend. Inside a `with` block it is the current session of everything that runs there, tasks and
    `asyncio.to_thread` included. Leaving the block does not end it: a follow-up enters it again, and
    another process resumes it with the same `id`. `close()` ends it; its children can then spend nothing.
    """

    def __init__(self, id: str | None = None, parent_id: str | None = None) -> None:  # noqa: A002 - the word users know
        for key, value in (("id", id), ("parent_id", parent_id)):
            if value is not None and (not isinstance(value, str) or not value):
                raise ConfigError(f"{key} must be non-empty text, not {value!r}")
        self.id: Final = id if id is not None else uuid.uuid4().hex
        self.parent_id: Final = parent_id
        # A child keeps its parent from being forgotten while it works itself.
        self._parent = _LIVE.get(parent_id) if parent_id is not None else None
        _LIVE[self.id] = self

    def child(self, id: str | None = None) -> "ResearchSession":  # noqa: A002
        """A session for a sub-agent of this one."""
        return ResearchSession(id, parent_id=self.id)

    @property
    def root_id(self) -> str:
        """The id of the task's root session.

        Raises WebError `BUDGET_ANCESTRY_UNAVAILABLE` when the line of parents runs in a circle or
        one of them is not live in this process.
        """
        session, met = self, {self.id}
        while session.parent_id is not None:
            if session.parent_id in met:
                raise WebError("cyclic delegation ancestry", "BUDGET_ANCESTRY_UNAVAILABLE")
            parent = _LIVE.get(session.parent_id)
            if parent is None:
                raise WebError("delegation budget requires the live parent session", "BUDGET_ANCESTRY_UNAVAILABLE")
            met.add(parent.id)
            session = parent
        return session.id

    def close(self) -> None:
        """Ends the session; doing so twice is harmless."""
        if _LIVE.get(self.id) is self:
            del _LIVE[self.id]

    def __enter__(self) -> Self:
        _ACTIVE.set((*_ACTIVE.get(), self))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        _ACTIVE.set(_ACTIVE.get()[:-1])


def current_session() -> ResearchSession | None:
    """The session whose `with` block is running, innermost first."""
    active = _ACTIVE.get()
    return active[-1] if active else None
