"""`--record FILE` and `--replay FILE`: the web's answers kept in a file, and given again from it."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, closing
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from hydra_web.cli._people import HOW_TO_RECORD, fail, open_store
from hydra_web.evidence import EvidenceLedger
from hydra_web.runtime import WebRuntime
from hydra_web.tools import WebTools

__all__ = ["Recording"]

_COMMANDS: Final = ("search", "fetch")


@dataclass(frozen=True, slots=True)
class Recording:
    """What the two options say."""

    record: Path | None
    """The file that keeps what is asked and answered, and the pages that were read."""
    replay: Path | None
    """The file that answers come from."""

    def check(self, command: str | None) -> None:
        """Ends the command where the options make no sense."""
        if self.record is not None and self.replay is not None:
            fail("--record and --replay exclude each other", 2)
        if command not in _COMMANDS and (self.record is not None or self.replay is not None):
            fail(f"--record and --replay go with {' and '.join(_COMMANDS)}", 2)

    @asynccontextmanager
    async def open_tools(self, make_web: Callable[[], WebRuntime]) -> AsyncIterator[WebTools]:
        """The tools over the recording, or recording over `make_web()`, or over that alone."""
        if self.replay is not None:
            with closing(open_store(self.replay, hint=HOW_TO_RECORD)) as store:
                async with WebRuntime.replaying(store) as web:
                    yield WebTools(web)
        elif self.record is not None:
            with closing(open_store(self.record, create=True)) as store:
                async with WebRuntime.recording(store, web=make_web()) as web:
                    yield WebTools(web, evidence=EvidenceLedger(store))
        else:
            async with make_web() as web:
                yield WebTools(web)
