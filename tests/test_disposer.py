"""A disposer undoes once."""

from hydra_web.disposer import Disposer


def test_undoes_once() -> None:
    undone: list[int] = []
    dispose = Disposer(lambda: undone.append(1))
    with dispose as entered:
        assert entered is dispose
        assert undone == []
    dispose()
    assert undone == [1]
