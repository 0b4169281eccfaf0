import asyncio
import gc

import pytest

from hydra_web.errors import ConfigError, WebError
from hydra_web.research import ResearchSession, current_session


def test_a_session_without_parent_is_its_own_root() -> None:
    assert ResearchSession("a").root_id == "a"
    assert ResearchSession().root_id != ResearchSession().root_id


def test_descendants_share_the_root() -> None:
    root = ResearchSession("root")
    grandchild = root.child("child").child("grandchild")

    assert grandchild.root_id == "root"
    assert grandchild.parent_id == "child"


def test_a_working_child_keeps_its_parents_alive() -> None:
    grandchild = ResearchSession("gone-root").child().child()
    gc.collect()

    assert grandchild.root_id == "gone-root"


def test_a_closed_parent_fails_its_children() -> None:
    root = ResearchSession("dead")
    child = root.child()
    root.close()
    root.close()

    with pytest.raises(WebError, match=r"^delegation budget requires the live parent session$") as caught:
        _ = child.root_id
    assert caught.value.code == "BUDGET_ANCESTRY_UNAVAILABLE"


def test_an_unknown_parent_fails_closed() -> None:
    with pytest.raises(WebError, match="live parent session"):
        _ = ResearchSession(parent_id="elsewhere").root_id


@pytest.mark.parametrize("names", [("c1",), ("c1", "c2"), ("c1", "c2", "c3")])
def test_a_circle_of_parents_fails_closed(names: tuple[str, ...]) -> None:
    sessions = [ResearchSession(name, parent_id=names[(index + 1) % len(names)]) for index, name in enumerate(names)]

    with pytest.raises(WebError, match=r"^cyclic delegation ancestry$") as caught:
        _ = sessions[0].root_id
    assert caught.value.code == "BUDGET_ANCESTRY_UNAVAILABLE"


def test_closing_an_older_session_leaves_the_resumed_one() -> None:
    old, new = ResearchSession("same"), ResearchSession("same")
    child = new.child()
    old.close()

    assert child.root_id == "same"


@pytest.mark.parametrize("arguments", [{"id": ""}, {"id": 3}, {"parent_id": ""}])
def test_a_wrong_id_is_refused(arguments: dict[str, object]) -> None:
    with pytest.raises(ConfigError, match="must be non-empty text"):
        ResearchSession(**arguments)  # type: ignore[arg-type]


async def test_the_current_session_is_inherited_by_tasks_and_threads() -> None:
    async def seen() -> ResearchSession | None:
        return current_session()

    with ResearchSession() as outer:
        with outer.child() as inner:
            assert current_session() is inner
        assert await asyncio.create_task(seen()) is outer
        assert await asyncio.to_thread(current_session) is outer
    assert current_session() is None


def test_leaving_the_block_does_not_end_the_session() -> None:
    with ResearchSession("follow-up") as session:
        pass

    assert session.child().root_id == "follow-up"
