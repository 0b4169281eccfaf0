from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hydra_web.providers._http import Reply
from hydra_web.providers._retry import parse_retry_after, retry_delay

NOW = datetime(2026, 11, 30, 14, 0, tzinfo=UTC)


def test_waits_double_up_to_a_bound() -> None:
    assert [retry_delay(None, attempt) for attempt in (1, 2, 3, 9)] == [0.5, 1.0, 2.0, 8.0]


def test_retry_after_goes_first() -> None:
    assert retry_delay(Reply(503, None, "3"), 1, NOW) == 3.0
    assert retry_delay(Reply(429, None, format_datetime(NOW + timedelta(seconds=9), usegmt=True)), 1, NOW) == 9.0
    assert retry_delay(Reply(429, None, "soon"), 1, NOW) == 0.5


def test_a_rate_is_told_from_a_quota() -> None:
    rate = b'{"error": {"code": "RATE_LIMITED", "meta": {"quota_limit": 2000}}}'
    assert retry_delay(Reply(429, rate), 1) == 0.5
    assert retry_delay(Reply(429, b'{"tag": "NO_MORE_CREDITS"}'), 1) is None
    assert retry_delay(Reply(402, None), 1) is None


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        (None, None),
        ("", None),
        ("0", 0.0),
        (" 12 ", 12.0),
        ("-1", None),
        ("1.5", None),
        ("٣", None),
        ("Mon, 30 Nov 2026 13:59:00 GMT", 0.0),
        ("Mon, 30 Nov 2026 14:00:30 -0000", 30.0),
        ("Mon, 30 Nov 2026 14:00:30 +99999999999999999999", None),
    ],
)
def test_retry_after_is_seconds_or_a_date(value: str | None, seconds: float | None) -> None:
    assert parse_retry_after(value, NOW) == seconds


@given(st.text(max_size=40))
def test_any_header_is_survived(value: str) -> None:
    seconds = parse_retry_after(value, NOW)
    assert seconds is None or seconds >= 0
