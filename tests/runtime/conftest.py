"""What the tests of the runtime share."""

import pytest


@pytest.fixture(autouse=True)
def _no_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HYDRA_WEB_SEARCH_PROVIDER", raising=False)
    monkeypatch.delenv("HYDRA_WEB_FETCH_PROVIDER", raising=False)
