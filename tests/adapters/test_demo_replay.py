"""The demonstration's agent runs, recorded once over real HTTP and repeated with every socket forbidden."""

import importlib
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

from hydra_web.demo import SCENARIO, AgentRun, open_local_web
from hydra_web.evidence import EvidenceLedger, render_citations, verify_citations
from hydra_web.replay import recording_stream
from hydra_web.research import summarize_run
from hydra_web.runtime import WebRuntime
from hydra_web.store import MemoryStore, SqliteStore
from hydra_web.tools import WebTools

STEPS = {"langchain": "langchain_hydra_web._demo", "llama_index": "llama_index.tools.hydra_web._demo"}
_forbidden: list[bool] = []


def _refuse_sockets(event: str, arguments: tuple[object, ...]) -> None:
    if _forbidden and event.startswith("socket."):
        raise AssertionError(f"{event} {arguments!r} during a replay")


sys.addaudithook(_refuse_sockets)


@contextmanager
def _sockets_forbidden() -> Iterator[None]:
    _forbidden.append(True)
    try:
        yield
    finally:
        _forbidden.clear()


async def _play(framework: str, web: WebRuntime, ledger: EvidenceLedger) -> AgentRun:
    run: AgentRun = await importlib.import_module(STEPS[framework]).run_agent(WebTools(web, evidence=ledger), SCENARIO)
    return run


@pytest.mark.parametrize("framework", STEPS)
async def test_a_whole_agent_run_replays_without_a_socket(framework: str, tmp_path: Path) -> None:
    path = tmp_path / "run.db"
    with closing(SqliteStore(path)) as store:
        async with open_local_web() as local:
            async with WebRuntime.recording(store, web=local.runtime) as recording:
                recorded = await _play(framework, recording, EvidenceLedger(store))
            assert local.requests == [SCENARIO.page]

    with closing(SqliteStore(path)) as store, _sockets_forbidden():
        before, reread = EvidenceLedger(store), EvidenceLedger(MemoryStore())
        async with WebRuntime.replaying(store) as replaying:
            replayed = await _play(framework, replaying, reread)

        assert replayed == recorded
        reports = [verify_citations(replayed.answer, ledger) for ledger in (before, reread)]
        assert reports[0] == reports[1]
        assert [citation.verified for citation in reports[1].citations] == [True, False]
        pages = [render_citations(replayed.answer, ledger, style="footnotes") for ledger in (before, reread)]
        assert pages[0] == pages[1]
        summary = summarize_run(record for _, record in store.read(recording_stream("default")))
        assert [(tool.tool, tool.calls, tool.errors) for tool in summary.tools] == [
            ("web_search", len(SCENARIO.queries), 0),
            ("web_fetch", 1, 0),
        ]


@pytest.mark.parametrize(("recorder", "player"), [("langchain", "llama_index"), ("llama_index", "langchain")])
async def test_a_run_of_one_framework_replays_in_the_other(recorder: str, player: str) -> None:
    store = MemoryStore()
    async with (
        open_local_web() as local,
        WebRuntime.recording(store, web=local.runtime) as recording,
    ):
        recorded = await _play(recorder, recording, EvidenceLedger())
    with _sockets_forbidden():
        async with WebRuntime.replaying(store) as replaying:
            assert (await _play(player, replaying, EvidenceLedger())).answer == recorded.answer


async def test_an_agent_that_strays_from_the_recording_is_told_and_goes_on(face: Any, make_web: Any) -> None:
    store, url = MemoryStore(), "https://lindmoor.example/ferry.html"
    async with WebRuntime.recording(store, web=make_web().tools.web) as recording:
        await face.run_agent(WebTools(recording), ("web_fetch", {"url": url}))
    with _sockets_forbidden():
        async with WebRuntime.replaying(store) as replaying:
            calls = [
                ("web_fetch", {"url": f"{url}x"}),
                ("web_search", {"queries": ["ferry"]}),
                ("web_fetch", {"url": url}),
            ]
            stray, search, known = (await face.run_agent(WebTools(replaying), *calls))[0]
    assert (stray.is_error, search.is_error, known.is_error) == (True, True, False)
    assert stray.data["error"]["code"] == search.data["error"]["code"] == "WEB_REPLAY_MISS"
    assert stray.text == f'Error: this page was not recorded; the nearest recording is "{url}"'
    assert search.text == "Error: this search was not recorded; the recording holds no search at all"


async def test_the_guard_against_sockets_is_awake() -> None:
    import socket

    with _sockets_forbidden(), pytest.raises(AssertionError, match="during a replay"):
        socket.create_connection(("127.0.0.1", 9))
