"""Politeness towards one host."""

import asyncio
import itertools

from hydra_web.net import _pace
from hydra_web.net._pace import Pace


async def test_a_host_is_visited_by_a_few_at_a_time_and_hosts_do_not_wait_for_one_another() -> None:
    pace = Pace(2, 0)
    inside: list[str] = []
    most: list[int] = []

    async def visit(host: str) -> None:
        async with pace.turn(host):
            inside.append(host)
            most.append(inside.count("a"))
            await asyncio.sleep(0.005)
            inside.remove(host)

    await asyncio.gather(*(visit("a") for _ in range(7)), visit("b"))
    assert max(most) == 2


async def test_visits_of_one_host_start_apart() -> None:
    pace = Pace(8, 20)
    loop = asyncio.get_running_loop()
    starts: list[float] = []

    async def visit() -> None:
        async with pace.turn("a"):
            starts.append(loop.time())

    await asyncio.gather(*(visit() for _ in range(4)))
    gaps = [later - earlier for earlier, later in itertools.pairwise(starts)]
    assert min(gaps) > 0.015


async def test_idle_hosts_are_forgotten() -> None:
    pace = Pace(1, 0)
    for number in range(_pace._MOST_IDLE_HOSTS + 50):
        async with pace.turn(f"host{number}"):
            pass
    assert len(pace._loops[asyncio.get_running_loop()].gates) <= _pace._MOST_IDLE_HOSTS + 1


def test_each_event_loop_keeps_its_own_count() -> None:
    pace, visits = Pace(1, 0), []

    async def visit() -> None:
        async with pace.turn("a"):
            visits.append(asyncio.get_running_loop())
            await asyncio.sleep(0)

    for _ in range(2):
        asyncio.run(visit())
    assert len({id(loop) for loop in visits}) == 2


async def test_many_fetches_begun_at_once_go_on_a_few_at_a_time() -> None:
    pace = Pace(100, 0)
    loop = asyncio.get_running_loop()
    steps: list[int] = []
    step = 0

    def count() -> None:
        nonlocal step
        step += 1
        if len(steps) < 60:
            loop.call_soon(count)

    async def visit() -> None:
        await pace.start()
        steps.append(step)

    loop.call_soon(count)
    await asyncio.gather(*(visit() for _ in range(60)))
    assert max(map(steps.count, steps)) <= _pace._STARTS_AT_ONCE
