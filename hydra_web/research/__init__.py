"""One research task: who works on it, what it may spend, and how two runs of it compare.

Here live sessions (a task and the sub-agents it starts), the budget they share, and the report
over recorded runs. Charges are kept in a store; nothing here opens a socket.
"""

from hydra_web.research.budget import CallKind, ResearchBudget, call_kind
from hydra_web.research.comparison import RunSummary, ToolSummary, summarize_run
from hydra_web.research.session import ResearchSession, current_session
from hydra_web.research.snapshot import BudgetSnapshot
from hydra_web.research.spending import run_within_budget

__all__ = [
    "BudgetSnapshot",
    "CallKind",
    "ResearchBudget",
    "ResearchSession",
    "RunSummary",
    "ToolSummary",
    "call_kind",
    "current_session",
    "run_within_budget",
    "summarize_run",
]
