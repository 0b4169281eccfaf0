"""The task that every agent of the demonstration is given, and the script of its model."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

__all__ = ["SCENARIO", "AgentRun", "Scenario"]

_SOURCE_LINE: Final = re.compile(r"^Fetched (\S+) .*\nSource: ([0-9a-f]{64})$", re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Scenario:
    """A question, what the scripted model does about it, and the answer it gives."""

    question: str
    """What the person asks."""
    queries: tuple[str, ...]
    """What the model searches for, in one call."""
    page: str
    """The path, on the demonstration's site, of the page it then reads."""
    claim: str
    """What it says with a true quote."""
    quote: str
    """Words that stand on the page."""
    invented_claim: str
    """What it says with a false quote."""
    invented_quote: str
    """Words that do not stand on the page."""

    def page_url(self, search_text: str) -> str:
        """The address of the page, as the search result gives it."""
        found = re.search(rf"\((\S+{re.escape(self.page)})\)", search_text)
        if found is None:
            raise LookupError(f"the search did not find {self.page}")
        return found.group(1)

    def answer(self, tool_texts: Iterable[str]) -> str:
        """The final answer, citing the page that the tool results show as fetched."""
        for text in tool_texts:
            found = _SOURCE_LINE.search(text)
            if found is not None and found.group(1).endswith(self.page):
                source = f"hydra-cite://{found.group(2)}"
                return (
                    f'[{self.claim}]({source} "{self.quote}").\n'
                    f'[{self.invented_claim}]({source} "{self.invented_quote}").'
                )
        raise LookupError(f"the agent did not fetch {self.page}")


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentRun:
    """What an agent did."""

    calls: tuple[str, ...]
    """Its tool calls, each in one line."""
    answer: str
    """Its final answer, in Markdown with citations."""


SCENARIO: Final = Scenario(
    question="How long does the ferry from Lindmoor to Osprey Island take?",
    queries=("ferry timetable Osprey Island", "phà Lindmoor đảo Osprey", "渡船 时刻表"),
    page="/ferry-timetable.html",
    claim="The crossing takes 35 minutes",
    quote="crosses from Lindmoor to Osprey Island in 35 minutes",
    invented_claim="It also runs every hour of the night",
    invented_quote="a night ferry leaves every hour",
)
