"""The demonstration's steps, in order."""

import asyncio
import shlex
import shutil
import sys
from collections.abc import Awaitable, Callable
from importlib.metadata import EntryPoint, entry_points
from importlib.util import find_spec
from pathlib import Path
from typing import Final, TextIO

from hydra_web.demo.local_web import LocalWeb, open_local_web
from hydra_web.demo.scenario import SCENARIO, AgentRun, Scenario
from hydra_web.demo.stage import DemoFailureError, Stage
from hydra_web.evidence import EvidenceLedger, render_citations, verify_citations
from hydra_web.tools import WebTools

__all__ = ["run_demo"]

AgentStep = Callable[[WebTools, Scenario], Awaitable[AgentRun]]
"""What the entry points of the group `hydra_web.demo` name."""

_PRIVATE_URL: Final = "http://169.254.169.254/latest/meta-data/"
_FRAMEWORKS: Final = {
    "langchain": ("LangChain", 'pip install "langchain-hydra-web[agents]"'),
    "llama_index": ("LlamaIndex", "pip install llama-index-tools-hydra-web"),
}
_INTRODUCTION: Final = (
    "You are about to see an agent's two tools, web_search and web_fetch, at work on a small invented web.",
    "Its pages come from a server on this machine. There is no key, no network, and every model is scripted.",
)
_NEXT: Final = (
    ('{command} index add ./docs && {command} search "your question"', "your own documents, still without a key"),
    ("{command} fetch https://example.com/", "one page of the web, through the guarded door"),
    ('EXA_API_KEY=... {command} search "your question"', "the live web; docs/providers.md lists the keys"),
)


def run_demo(out: TextIO, width: int | None = None) -> int:
    """Shows the main job on a small web shipped with the package; needs no key and no network.

    `width` is in columns, by default the terminal's. Returns the exit code: 0 when every step showed what it
    should, else 1.
    """
    stage = Stage(out, width)
    for line in _INTRODUCTION:
        stage.tell(line)
    asyncio.run(_show(stage))
    stage.say("")
    stage.say("Try next:")
    for line, purpose in _NEXT:
        stage.say(f"  {line.format(command=_command())}")
        stage.say(f"      {purpose}")
    return 1 if stage.failures else 0


def _command() -> str:
    """The command as it can be typed here, whether the virtual environment is active or not."""
    folder = Path(sys.executable).parent
    own = shutil.which("hydra-web", path=str(folder))
    if own is None or shutil.which("hydra-web") == own:
        return "hydra-web"
    return shlex.quote(str(Path(own).relative_to(Path.cwd()) if Path(own).is_relative_to(Path.cwd()) else own))


async def _show(stage: Stage) -> None:
    async with open_local_web() as local:
        with stage.step("One call, several queries, three languages"):
            await _search(stage, local)
        with stage.step("One page, over real HTTP, through the guarded door"):
            await _fetch(stage, local)
        with stage.step("A private address that was not granted is refused"):
            await _refuse(stage, local)
        found = {point.name: point for point in entry_points(group="hydra_web.demo")}
        for name, (title, install) in _FRAMEWORKS.items():
            with stage.step(f"The whole loop in a {title} agent, its model scripted"):
                if name in found and find_spec(name) is not None:
                    await _run_agent(stage, local, found[name])
                else:
                    stage.say(f"not installed: {install}")


async def _search(stage: Stage, local: LocalWeb) -> None:
    outcome = await WebTools(local.runtime).call("web_search", {"queries": list(SCENARIO.queries)})
    stage.tell(f"web_search {list(SCENARIO.queries)}")
    stage.show(outcome.text)
    for folder in ("/ferry-", "/vi/", "/zh/"):
        stage.expect(f"{local.origin}{folder}" in outcome.text, f"a result under {folder}")


async def _fetch(stage: Stage, local: LocalWeb) -> None:
    url = f"{local.origin}{SCENARIO.page}"
    stage.tell(
        f"The demonstration's own server, {local.origin}, is on a private address too: the operator granted it,"
        " and nothing else, with HttpFetch(allowed_origins=[...])."
    )
    outcome = await WebTools(local.runtime).call("web_fetch", {"url": url})
    stage.say(f"web_fetch {url}")
    stage.show(outcome.text)
    stage.expect(SCENARIO.quote in " ".join(outcome.text.split()), "the page's text")
    stage.expect("| 21:05 |" in outcome.text, "the page's table")
    stage.expect(SCENARIO.page in local.requests, "a request at the site")


async def _refuse(stage: Stage, local: LocalWeb) -> None:
    outcome = await WebTools(local.runtime).call("web_fetch", {"url": _PRIVATE_URL})
    stage.say(f"web_fetch {_PRIVATE_URL}")
    stage.show(outcome.text)
    code = outcome.error.code if outcome.error is not None else None
    stage.expect(code == "WEB_BLOCKED_URL", "the refusal")


async def _run_agent(stage: Stage, local: LocalWeb, point: EntryPoint) -> None:
    ledger = EvidenceLedger()
    try:
        play: AgentStep = point.load()
        run = await play(WebTools(local.runtime, evidence=ledger), SCENARIO)
    except (ImportError, LookupError) as error:
        raise DemoFailureError(str(error)) from None
    stage.tell(f"question: {SCENARIO.question}")
    for call in run.calls:
        stage.tell(f"called: {call}")
    report = verify_citations(run.answer, ledger)
    stage.say("answer, with its citations checked:")
    stage.show(render_citations(run.answer, ledger, style="markdown"))
    for citation in report.citations:
        mark = "verified" if citation.verified else "rejected"
        stage.tell(f'{mark}: "{citation.quote}" ({citation.explanation})')
    if not report.ok:
        stage.tell("The words of a rejected quote's claim stay in the answer; its link is removed.")
    stage.expect([citation.verified for citation in report.citations] == [True, False], "one true and one false quote")
