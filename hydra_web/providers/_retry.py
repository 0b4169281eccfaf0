"""Which failures may pass by themselves, and how long to wait for that. Pure."""

import re
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Final, Protocol

__all__ = ["parse_retry_after", "retry_delay"]

_FIRST_DELAY_SECONDS: Final = 0.5
_LONGEST_DELAY_SECONDS: Final = 8.0
# A 429 may also mean that paid units are used up; the error's code says so where the API makes the difference.
_ERROR_CODE: Final = re.compile(rb'"(?:code|tag|type|error_code)"\s*:\s*"([^"]{0,100})"')
_USED_UP: Final = re.compile(rb"quota|credit|insufficient|budget|billing|funds", re.IGNORECASE)


class _Answer(Protocol):
    @property
    def status_code(self) -> int: ...
    @property
    def body(self) -> bytes | None: ...
    @property
    def retry_after(self) -> str | None: ...


def retry_delay(reply: _Answer | None, attempt: int, now: datetime | None = None) -> float | None:
    """Seconds to wait after a failed try, or None when trying again is no use.

    408, 429 for too high a rate, 500 and above, and failed connections (`reply` None) may pass;
    used-up quota, a bad key and everything else do not. `Retry-After` (RFC 9110, 10.2.3) goes before our own delay.
    """
    backoff = min(_FIRST_DELAY_SECONDS * 2.0 ** (attempt - 1), _LONGEST_DELAY_SECONDS)
    if reply is None:
        return backoff
    if reply.status_code not in (408, 429) and reply.status_code < 500:
        return None
    if reply.status_code == 429 and any(_USED_UP.search(code) for code in _ERROR_CODE.findall(reply.body or b"")):
        return None
    wanted = parse_retry_after(reply.retry_after, now or datetime.now(UTC))
    return backoff if wanted is None else wanted


def parse_retry_after(value: str | None, now: datetime) -> float | None:
    """The header's seconds or date as seconds from now, never negative; None when absent or malformed."""
    if value is None:
        return None
    value = value.strip()
    if re.fullmatch(r"[0-9]{1,9}", value):
        return float(value)
    try:
        at = parsedate_to_datetime(value)
    except (ValueError, OverflowError):
        return None
    if at.tzinfo is None:
        at = at.replace(tzinfo=UTC)
    return max(0.0, (at - now).total_seconds())
