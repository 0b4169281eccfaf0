"""Abort signals: the first cause wins, in any order and from any thread."""

import asyncio
import gc
import threading
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hydra_web.errors import ConfigError
from hydra_web.signals import Aborted, AbortSignal, DeadlineReason, run_abortable


class Clock:
    """A clock that a test turns by hand."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 1000.0
        monkeypatch.setattr("hydra_web.signals.time.monotonic", lambda: self.now)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    return Clock(monkeypatch)


async def hang() -> None:
    await asyncio.Event().wait()


# The switch


def test_a_new_signal_has_no_reason() -> None:
    signal = AbortSignal()
    assert (signal.aborted, signal.reason) == (False, None)


def test_the_first_reason_stays() -> None:
    signal = AbortSignal()
    signal.abort("first")
    signal.abort("second")
    assert (signal.aborted, signal.reason) == (True, "first")


def test_callbacks_run_once() -> None:
    signal, calls = AbortSignal(), list[str]()
    signal.on_abort(lambda: calls.append("kept"))
    signal.on_abort(lambda: calls.append("withdrawn"))()
    with signal.on_abort(lambda: calls.append("left")):
        pass
    signal.abort()
    signal.abort()
    assert calls == ["kept"]
    late = signal.on_abort(lambda: calls.append("late"))
    late()
    assert calls == ["kept", "late"]


@given(st.lists(st.integers(0, 3), min_size=1, max_size=12))
def test_the_first_cause_wins_in_any_order(order: list[int]) -> None:
    sources = [AbortSignal() for _ in range(3)]
    fused = AbortSignal.any(sources)
    outer = AbortSignal.any([fused])
    calls: list[object] = []
    outer.on_abort(lambda: calls.append(outer.reason))
    for step, which in enumerate(order):
        [*sources, fused][which].abort((which, step))
    assert fused.reason == outer.reason == (order[0], 0)
    assert calls == [(order[0], 0)]
    for number, source in enumerate(sources):
        assert source.reason == ((number, order.index(number)) if number in order else None)


@given(st.permutations(["caller", "sibling", "timer"]))
def test_a_signal_made_later_takes_the_earliest_listed_cause(order: list[str]) -> None:
    signals = {name: AbortSignal() for name in order}
    for name, signal in signals.items():
        signal.abort(name)
    assert AbortSignal.any(signals.values()).reason == order[0]


@pytest.mark.parametrize("fuse", [False, True])
def test_the_first_cause_wins_from_many_threads(fuse: bool) -> None:
    for _ in range(20):
        sources = [AbortSignal() for _ in range(8)]
        fused = AbortSignal.any(sources)
        shared = AbortSignal()
        barrier, calls = threading.Barrier(8), list[object]()
        watched = fused if fuse else shared
        watched.on_abort(lambda calls=calls, watched=watched: calls.append(watched.reason))  # type: ignore[misc]

        def abort(number: int, sources: Any = sources, shared: Any = shared, barrier: Any = barrier) -> None:
            barrier.wait(10)
            (sources[number] if fuse else shared).abort(number)

        threads = [threading.Thread(target=abort, args=(number,)) for number in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert calls == [watched.reason]
        assert watched.reason in range(8)


def test_a_fused_signal_does_not_throw_its_sources() -> None:
    sources = [AbortSignal(), AbortSignal()]
    AbortSignal.any(sources).abort()
    assert not any(source.aborted for source in sources)
    assert not AbortSignal.any([]).aborted


def test_a_source_forgets_the_fused_signals_that_are_gone() -> None:
    source = AbortSignal()
    for _ in range(1_000):
        AbortSignal.any([source])
    kept = AbortSignal.any([source])
    assert len(source._followers) <= 2
    source.abort("why")
    assert kept.reason == "why"


def test_a_fused_signal_takes_the_cause_of_its_source_not_the_source_s_later_deadline(clock: Clock) -> None:
    source = AbortSignal.timeout(10)
    source.abort("caller")
    clock.now += 1
    assert AbortSignal.any([source]).reason == "caller"
    assert AbortSignal.any([AbortSignal.timeout(10), source]).reason == "caller"


def test_a_fused_signal_that_is_dropped_while_a_source_is_thrown_is_left_alone() -> None:
    source, kept = AbortSignal(), list[AbortSignal]()
    source.on_abort(kept.clear)
    kept.append(AbortSignal.any([source]))
    source.abort()
    assert kept == []


# Timers


@pytest.mark.parametrize("ms", [0, -1, True, 1.5, "5", None, 2_147_483_648])
def test_a_time_out_has_bounds(ms: Any) -> None:
    with pytest.raises(ConfigError, match="timeout must be an integer from 1 to 2147483647 milliseconds"):
        AbortSignal.timeout(ms)


def test_the_reason_of_a_timer_says_whose_it_was() -> None:
    reason = DeadlineReason("TOOL_TIMEOUT", 30)
    assert (str(reason), reason.code, reason.timeout_ms) == ("TOOL_TIMEOUT after 30ms", "TOOL_TIMEOUT", 30)


def test_a_timer_fires_without_a_loop() -> None:
    signal, fired = AbortSignal.timeout(1, "MINE"), threading.Event()
    signal.on_abort(fired.set)
    assert fired.wait(10)
    assert signal.reason == DeadlineReason("MINE", 1)


async def test_a_timer_fires_in_a_loop() -> None:
    signal, fired = AbortSignal.timeout(1), threading.Event()
    signal.on_abort(fired.set)
    assert await asyncio.to_thread(fired.wait, 10)
    assert signal.reason == DeadlineReason("TIMEOUT", 1)


async def test_a_deadline_made_in_a_loop_fires_while_that_loop_is_blocked() -> None:
    from hydra_web.portal import run_sync

    with pytest.raises(Aborted) as caught:
        run_sync(run_abortable(hang(), AbortSignal.timeout(20)))
    assert caught.value.reason == DeadlineReason("TIMEOUT", 20)


async def test_a_blocked_loop_does_not_hide_that_time_is_over(clock: Clock) -> None:
    signal = AbortSignal.timeout(60_000)
    assert signal.reason is None
    clock.now += 60
    assert signal.reason == DeadlineReason("TIMEOUT", 60_000)


async def test_a_deadline_that_passed_first_is_the_cause(clock: Clock) -> None:
    caller = AbortSignal()
    timer = AbortSignal.timeout(60_000)
    fused = AbortSignal.any([caller, timer])
    clock.now += 60
    caller.abort("caller")
    assert caller.reason == "caller"
    assert fused.reason is timer.reason
    assert timer.reason == DeadlineReason("TIMEOUT", 60_000)


async def test_a_caller_who_was_first_stays_the_cause(clock: Clock) -> None:
    caller = AbortSignal()
    fused = AbortSignal.any([caller, AbortSignal.timeout(60_000)])
    caller.abort("caller")
    clock.now += 60
    assert fused.reason == "caller"


async def test_the_earlier_of_two_deadlines_is_the_cause(clock: Clock) -> None:
    outer, inner = AbortSignal.timeout(90_000, "OUTER"), AbortSignal.timeout(60_000, "INNER")
    fused = AbortSignal.any([outer, inner])
    clock.now += 100
    assert fused.reason == DeadlineReason("INNER", 60_000)


def test_a_deadline_costs_a_thread_only_while_somebody_waits_for_it() -> None:
    before = set(threading.enumerate())
    signal = AbortSignal.timeout(60_000)
    assert set(threading.enumerate()) == before
    stop_watching = signal.on_abort(lambda: None)
    (timer,) = set(threading.enumerate()) - before
    stop_watching()
    timer.join(10)
    assert not timer.is_alive()


def test_a_timer_may_outlive_its_loop() -> None:
    async def make() -> AbortSignal:
        return AbortSignal.timeout(60_000)

    signal = asyncio.run(make())
    assert not signal.aborted
    del signal
    gc.collect()


# Running work under a signal


@pytest.mark.parametrize("signal", [None, AbortSignal()])
async def test_work_that_is_done_gives_its_result(signal: AbortSignal | None) -> None:
    async def work() -> int:
        await asyncio.sleep(0)
        return 42

    assert await run_abortable(work(), signal) == 42


async def test_a_signal_thrown_before_lets_nothing_start() -> None:
    signal, started = AbortSignal(), list[int]()
    signal.abort("why")

    async def work() -> None:
        started.append(1)

    with pytest.raises(Aborted) as caught:
        await run_abortable(work(), signal)
    assert (caught.value.reason, started) == ("why", [])


async def test_a_signal_from_another_thread_cancels_and_waits_until_the_work_has_settled() -> None:
    signal, settled = AbortSignal(), list[int]()

    async def work() -> None:
        threading.Thread(target=signal.abort, args=("why",)).start()
        try:
            await hang()
        finally:
            await asyncio.sleep(0)
            settled.append(1)

    with pytest.raises(Aborted) as caught:
        await run_abortable(work(), signal)
    assert (caught.value.reason, settled) == ("why", [1])
    assert caught.value.__context__ is None
    assert signal._callbacks == {}


@pytest.mark.parametrize("outcome", ["result", "error"])
async def test_what_the_work_makes_of_a_thrown_signal_does_not_count(outcome: str) -> None:
    signal = AbortSignal()

    async def work() -> str:
        signal.abort("why")
        try:
            await hang()
        except asyncio.CancelledError:
            if outcome == "error":
                raise LookupError from None
        return outcome

    with pytest.raises(Aborted) as caught:
        await run_abortable(work(), signal)
    assert caught.value.reason == "why"


async def test_an_error_before_any_signal_is_the_works_own() -> None:
    async def work() -> None:
        raise LookupError("mine")

    with pytest.raises(LookupError, match="mine"):
        await run_abortable(work(), AbortSignal())


async def test_work_that_cancels_itself_stays_cancelled() -> None:
    async def work() -> None:
        raise asyncio.CancelledError

    with pytest.raises(asyncio.CancelledError):
        await run_abortable(work(), AbortSignal())


@pytest.mark.parametrize("thrown", [False, True])
async def test_cancelling_the_caller_stays_a_cancellation_and_reaches_the_work(thrown: bool) -> None:
    signal, started, settled = AbortSignal(), asyncio.Event(), list[int]()

    async def work() -> None:
        started.set()
        try:
            await hang()
        finally:
            settled.append(1)

    caller = asyncio.create_task(run_abortable(work(), signal))
    await started.wait()
    caller.cancel()
    if thrown:
        signal.abort()
    with pytest.raises(asyncio.CancelledError):
        await caller
    assert settled == [1]


def test_a_signal_thrown_after_the_loop_was_closed_does_no_harm() -> None:
    signal, loop = AbortSignal(), asyncio.new_event_loop()
    work = run_abortable(hang(), signal)
    task = loop.create_task(work)
    loop.run_until_complete(asyncio.sleep(0))
    loop.close()
    signal.abort()
    assert not task.done()
    for left in (task, *asyncio.all_tasks(loop)):
        left._log_destroy_pending = False  # type: ignore[attr-defined]


@pytest.mark.parametrize("signal", [None, AbortSignal()])
@pytest.mark.parametrize("outcome", ["result", "error"])
async def test_a_cancelled_caller_is_cancelled_whatever_the_work_makes_of_it(
    outcome: str, signal: AbortSignal | None
) -> None:
    async def work() -> int:
        try:
            await hang()
        except asyncio.CancelledError:
            if outcome == "error":
                raise RuntimeError("turned into something else") from None
        return 1

    running = asyncio.create_task(run_abortable(work(), signal))
    await asyncio.sleep(0.01)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running


def test_a_signal_that_follows_one_thrown_just_now_is_thrown_too() -> None:
    source, follower = AbortSignal(), AbortSignal()
    source.abort("why")
    source._add_follower(follower)
    assert follower.reason == "why"
