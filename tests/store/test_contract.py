"""What every backend promises, over all of them."""

import threading
import time
from collections.abc import Callable

import pytest

from hydra_web.errors import ConfigError, WebError
from hydra_web.protocols import Charge, ChargeDecision, ChargeLimits, Store

OpenStore = Callable[[], Store]
NO_LIMITS = ChargeLimits()


def charge(kind: str = "fetch", queries: int = 0, at: float = 1000.5, owner: str = "root") -> Charge:
    return Charge(owner=owner, kind=kind, queries=queries, at=at)


def test_every_backend_is_a_store(store: Store) -> None:
    assert isinstance(store, Store)


def test_records_come_back_in_order_and_numbered_by_stream(store: Store) -> None:
    assert [store.append("a", {"n": n}) for n in range(3)] == [1, 2, 3]
    assert store.append("b/ü \x00", {"text": "é中\ud800\x00"}) == 1
    assert store.read("a") == [(1, {"n": 0}), (2, {"n": 1}), (3, {"n": 2})]
    assert store.read("a", after=2) == [(3, {"n": 2})]
    assert store.read("a", after=3) == store.read("a", after=99) == store.read("none") == []
    assert store.read("a", after=-5) == store.read("a")
    assert store.read("b/ü \x00") == [(1, {"text": "é中\ud800\x00"})]


def test_a_record_is_a_copy(store: Store) -> None:
    record = {"list": [1]}
    store.append("a", record)
    record["list"].append(2)
    store.read("a")[0][1]["list"].append(3)
    assert store.read("a") == [(1, {"list": [1]})]


def test_values_are_kept_replaced_and_absent(store: Store) -> None:
    assert store.get("page") is None
    store.put("page", {"text": "one", "nested": {"null": None, "n": 1.5}})
    assert store.get("page") == {"text": "one", "nested": {"null": None, "n": 1.5}}
    store.put("page", {"text": "two"}, ttl_seconds=60)
    assert store.get("page") == {"text": "two"}


def test_a_value_is_gone_when_its_time_is_over(store: Store) -> None:
    store.put("short", {"x": 1}, ttl_seconds=0.05)
    store.put("long", {"x": 2}, ttl_seconds=60)
    time.sleep(0.08)
    assert store.get("short") is None
    store.put("other", {"x": 3})
    assert store.get("long") == {"x": 2}
    assert store.get("short") is None


@pytest.mark.parametrize("lifetime", [0, -1, float("nan"), float("inf"), True, "60"])
def test_a_wrong_lifetime_is_named(store: Store, lifetime: float) -> None:
    with pytest.raises(ConfigError, match="ttl_seconds must be a positive number"):
        store.put("key", {}, ttl_seconds=lifetime)


@pytest.mark.parametrize("value", [{"x": float("nan")}, {"x": object()}, {"x": b"bytes"}])
def test_only_json_is_kept(store: Store, value: dict[str, object]) -> None:
    with pytest.raises(ConfigError, match="only JSON"):
        store.append("a", value)
    with pytest.raises(ConfigError, match="only JSON"):
        store.put("a", value)


def test_calls_are_counted_by_kind(store: Store) -> None:
    limits = ChargeLimits(max_calls=2)
    assert store.charge("run", charge("search", 3), limits) == ChargeDecision(True, 1, 3, 1000.5)
    assert store.charge("run", charge("fetch", at=1001.25), limits) == ChargeDecision(True, 1, 3, 1000.5)
    assert store.charge("run", charge("search", 1, owner="child"), limits) == ChargeDecision(True, 2, 4, 1000.5)
    assert store.charge("run", charge("search", 1), limits) == ChargeDecision(False, 2, 4, 1000.5)
    assert store.charge("run", charge("fetch"), limits).admitted
    assert store.charge("other", charge("search", 1, at=7.0), limits) == ChargeDecision(True, 1, 1, 7.0)


def test_queries_are_counted_over_all_kinds(store: Store) -> None:
    limits = ChargeLimits(max_queries=4)
    assert store.charge("run", charge("search", 4), limits).admitted
    assert not store.charge("run", charge("search", 1), limits).admitted
    assert store.charge("run", charge("fetch"), limits).admitted
    assert not store.charge("big", charge("search", 5), limits).admitted


def test_time_runs_from_the_first_admitted_charge(store: Store) -> None:
    limits = ChargeLimits(max_calls=9, max_duration_ms=500)
    assert not store.charge("run", charge(at=50.0), ChargeLimits(max_calls=0)).admitted
    assert store.charge("run", charge(at=100.0), limits) == ChargeDecision(True, 1, 0, 100.0)
    assert store.charge("run", charge("search", 1, at=100.25), limits).admitted
    assert store.charge("run", charge(at=100.5), limits) == ChargeDecision(False, 1, 1, 100.0)


def test_no_limits_admit_everything(store: Store) -> None:
    for number in range(1, 6):
        assert store.charge("run", charge(at=time.time()), NO_LIMITS).calls == number


def test_threads_never_pass_a_cap_and_lose_no_record(open_store: OpenStore) -> None:
    shared = open_store()
    admitted: list[bool] = []

    def work() -> None:
        for number in range(15):
            admitted.append(shared.charge("run", charge(), ChargeLimits(max_calls=40)).admitted)
            shared.append("log", {"n": number})

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(admitted) == 40
    assert [number for number, _ in shared.read("log")] == list(range(1, 121))


def test_workers_see_one_truth(open_store: OpenStore) -> None:
    one, two = open_store(), open_store()
    one.append("log", {"from": "one"})
    two.append("log", {"from": "two"})
    one.put("key", {"x": 1})
    assert [record["from"] for _, record in two.read("log")] == ["one", "two"]
    assert two.get("key") == {"x": 1}
    assert one.charge("run", charge(), ChargeLimits(max_calls=1)).admitted
    assert not two.charge("run", charge(), ChargeLimits(max_calls=1)).admitted


def test_a_closed_store_says_so(store: Store) -> None:
    store.append("a", {})
    store.close()
    store.close()
    for use in (
        lambda: store.append("a", {}),
        lambda: store.read("a"),
        lambda: store.put("k", {}),
        lambda: store.get("k"),
        lambda: store.charge("run", charge(), NO_LIMITS),
    ):
        with pytest.raises(WebError) as caught:
            use()
        assert (caught.value.code, caught.value.reason) == ("WEB_STORE_ERROR", "closed")
        assert caught.value.__context__ is None
