import pytest

from hydra_web.domains import Domains
from hydra_web.errors import WebError


@pytest.mark.parametrize(
    ("host", "reason"),
    [
        ("good.test", None),
        ("below.good.test", None),
        ("ungood.test", "domain_not_allowed"),
        ("bad.good.test", "domain_blocked"),
        ("worse.bad.good.test", "domain_blocked"),
        ("", "domain_blocked"),
    ],
)
def test_a_name_stands_for_itself_and_for_what_is_below_it(host: str, reason: str | None) -> None:
    domains = Domains(frozenset({"good.test"}), frozenset({"bad.good.test"}))
    refusal = domains.refusal(host)
    assert (refusal and refusal.reason) == reason
    if refusal is None:
        domains.check(host)
        return
    with pytest.raises(WebError, match="web fetch refused: the operator's policy") as caught:
        domains.check(host)
    assert (caught.value.code, caught.value.reason) == ("WEB_BLOCKED_URL", reason)


def test_without_lists_every_host_passes() -> None:
    assert Domains(None, frozenset()).refusal("") is None
