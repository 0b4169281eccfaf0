import asyncio

import pytest

from hydra_web.signals import AbortSignal
from hydra_web.tools._guard import run_guarded
from hydra_web.tools.outcome import ToolOutcome

TIMED_OUT = "Error: tool call timed out after 20ms"


def facts(outcome):
    return (outcome.text, outcome.is_error, outcome.error.name, outcome.error.code)


async def test_a_call_sees_a_derived_signal_and_the_callers_stays_as_it_was(fakes):
    made = fakes.make(None, fakes.page("ok"))
    signal = AbortSignal()
    outcome = await made.tools.call("web_fetch", {"url": "u"}, signal)
    assert not outcome.is_error
    assert made.fetcher.signals[0] is not signal
    assert not signal.aborted


async def test_work_without_a_time_out_gets_the_callers_signal():
    signal, seen = AbortSignal(), []

    async def work(own):
        seen.append(own)
        return ToolOutcome(text="ok")

    assert (await run_guarded("x", work, signal)).text == "ok"
    assert seen == [signal]


async def test_the_clock_replaces_an_abort_error(fakes):
    async def wait(signal):
        await asyncio.Event().wait()

    made = fakes.make(wait, wait, search_timeout_ms=20, fetch_timeout_ms=20)
    for name, arguments in (
        ("web_fetch", {"url": "u"}),
        ("web_search", {"queries": ["a"]}),
        ("web_search", {"queries": ["a", "b"]}),
    ):
        outcome = await made.tools.call(name, arguments)
        assert facts(outcome) == (TIMED_OUT, True, "ToolTimeoutError", "TOOL_TIMEOUT")
        assert outcome.error.message == "tool call timed out after 20ms"


async def test_the_clock_replaces_a_result_that_came_after_it(fakes):
    async def cooperate(signal):
        await fakes.until(lambda: signal.aborted)
        return fakes.page("late")

    made = fakes.make(None, cooperate, fetch_timeout_ms=20)
    assert facts(await made.tools.call("web_fetch", {"url": "u"}))[3] == "TOOL_TIMEOUT"


async def test_the_clock_waits_for_the_work_to_settle():
    settled = []

    async def work(own):
        try:
            await asyncio.Event().wait()
        finally:
            await asyncio.sleep(0.01)
            settled.append(True)

    assert facts(await run_guarded("x", work, None, 20))[0] == TIMED_OUT
    assert settled == [True]


@pytest.mark.parametrize("queries", [["a"], ["a", "b"]])
async def test_the_callers_abort_first_is_an_abort(fakes, queries):
    signal = AbortSignal()

    async def wait(own):
        signal.abort("stop")
        await asyncio.Event().wait()

    outcome = await fakes.make(wait).tools.call("web_search", {"queries": queries}, signal)
    assert facts(outcome) == ("Error: tool call aborted", True, "AbortError", "WEB_ABORTED")


async def test_a_signal_thrown_before_the_call_dispatches_nothing(fakes):
    made = fakes.make(None, fakes.page("ok"))
    signal = AbortSignal()
    signal.abort()
    assert facts(await made.tools.call("web_fetch", {"url": "u"}, signal))[2] == "AbortError"
    assert made.fetcher.requests == []


async def test_the_clock_first_and_the_caller_after_is_a_time_out(fakes):
    signal = AbortSignal()

    async def work(own):
        await fakes.until(lambda: own.aborted)
        signal.abort("too late")
        return ToolOutcome(text="x")

    assert facts(await run_guarded("x", work, signal, 20))[3] == "TOOL_TIMEOUT"


async def test_the_callers_own_deadline_reads_as_an_abort():
    signal = AbortSignal.timeout(10, "TOOL_TIMEOUT")

    async def work(own):
        await asyncio.Event().wait()

    assert facts(await run_guarded("x", work, signal, 60_000))[2] == "AbortError"


async def test_an_unexpected_error_of_any_other_tool_has_a_text_too():
    async def work(own):
        raise ValueError("x")

    assert (await run_guarded("x", work)).text == "Error: tool call failed"
