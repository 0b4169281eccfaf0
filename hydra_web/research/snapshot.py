"""How much of a budget is used, as a value for people and user interfaces."""

from dataclasses import dataclass

from hydra_web.text import escape_html

__all__ = ["BudgetSnapshot", "Usage"]


@dataclass(frozen=True, slots=True)
class Usage:
    """One thing a budget counts."""

    used: int
    """How much was used."""
    limit: int | None
    """How much may be used; None is no limit."""

    @property
    def share(self) -> float:
        """The used part of the limit, 0.0 without one."""
        return self.used / self.limit if self.limit else 0.0

    def __str__(self) -> str:
        return f"{self.used} of {self.limit}" if self.limit is not None else f"{self.used}"


@dataclass(frozen=True, slots=True, kw_only=True)
class BudgetSnapshot:
    """What a task has used of its budget at one moment."""

    root_id: str
    """The id of the task's root session."""
    search_calls: Usage
    """Calls of web search."""
    queries: Usage
    """Distinct queries over all searches."""
    fetches: Usage
    """Pages asked for."""
    browser_calls: Usage
    """Calls of browser tools."""
    duration_ms: Usage
    """Milliseconds since the first call."""

    @property
    def share(self) -> float:
        """The largest used part of any limit; from 1.0 on some kind of call is refused."""
        return max(usage.share for _, usage in self._rows())

    @property
    def remaining_ms(self) -> int | None:
        """How long calls are still admitted, in milliseconds; None without a limit."""
        limit = self.duration_ms.limit
        return None if limit is None else max(0, limit - self.duration_ms.used)

    def _rows(self) -> list[tuple[str, Usage]]:
        return [
            ("search calls", self.search_calls),
            ("queries", self.queries),
            ("fetches", self.fetches),
            ("browser calls", self.browser_calls),
            ("milliseconds", self.duration_ms),
        ]

    def _repr_markdown_(self) -> str:
        return "\n".join(["| budget | used |", "| --- | --- |", *(f"| {name} | {use} |" for name, use in self._rows())])

    def _repr_html_(self) -> str:
        rows = "".join(f"<tr><td>{name}</td><td>{escape_html(str(use))}</td></tr>" for name, use in self._rows())
        return f"<table><tr><th>budget</th><th>used</th></tr>{rows}</table>"
