"""Dates: what an API prints becomes ISO 8601 or nothing, and what a search asks for becomes days. Pure.

Relative words ("3 days ago", "3 ngày trước", "3天前") count back from the time of the request.
A time without a zone says too little to keep, so only its date stays.
"""

import re
import unicodedata
from datetime import UTC, date, datetime, timedelta
from typing import Any, Final

from hydra_web.providers._date_words import AGO, MONTHS, NAMED_DAYS, ONE, UNITS

__all__ = ["PERIOD_DAYS", "days_of", "parse_date"]

PERIOD_DAYS: Final = {"day": 1, "week": 7, "month": 30, "year": 365}
"""How many days back a period reaches."""

_UNIT_SECONDS: Final = {"second": 1, "minute": 60, "hour": 3600, "day": 86_400, "week": 604_800}
_ISO: Final = re.compile(
    r"(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?)\s?(Z|[+-]\d{2}:?\d{2})?)?", re.ASCII
)
_EAST_ASIAN: Final = re.compile(r"(\d{4})[年년.]\s?(\d{1,2})[月월.]\s?(\d{1,2})[日일.]?", re.ASCII)
_YEAR_FIRST: Final = re.compile(r"(\d{4})/(\d{1,2})/(\d{1,2})", re.ASCII)
_VIETNAMESE: Final = re.compile(r"(?:ngay )?(\d{1,2}) ?(?:thg|thang) ?(\d{1,2})(?:,| nam)? ?(\d{4})", re.ASCII)
_DOTTED: Final = re.compile(r"(\d{1,2})\.(\d{1,2})\.(\d{4})", re.ASCII)
_RFC_TIME: Final = re.compile(r"\s+\d{2}:\d{2}(:\d{2})?(\s+(gmt|utc|[+-]\d{4}))?$", re.ASCII)
_WORD: Final = re.compile(r"[^\W\d_]+")
_NUMBER: Final = re.compile(r"\d{1,4}", re.ASCII)
_LONGEST: Final = 80


def parse_date(value: Any, now: datetime) -> str | None:
    """ISO 8601 from a date as an API prints it, or None where it cannot be told for certain."""
    if not isinstance(value, str) or not value.strip() or len(value) > _LONGEST:
        return None
    text = value.strip()
    iso = _ISO.fullmatch(text)
    if iso is not None:
        return _from_iso(iso)
    folded = _fold(text)
    return _absolute(folded) or _relative(folded, now)


def days_of(wanted: str, today: date) -> tuple[date | None, date | None]:
    """The first and the last day a search's `date` allows; None where that end is open."""
    if wanted in PERIOD_DAYS:
        return today - timedelta(days=PERIOD_DAYS[wanted]), None
    first, _, last = wanted.partition("/")
    return _open_day(first), _open_day(last)


def _open_day(text: str) -> date | None:
    return None if text == ".." else date.fromisoformat(text)


def _from_iso(parts: re.Match[str]) -> str | None:
    day, time, zone = parts.groups()
    try:
        date.fromisoformat(day)
        if time is None or zone is None:
            return str(day)
        datetime.fromisoformat(f"{day}T{time}{zone}")
    except ValueError:
        return None
    return f"{day}T{time}{zone if zone == 'Z' or ':' in zone else f'{zone[:3]}:{zone[3:]}'}"


def _fold(text: str) -> str:
    """Lower case without accents, the digits of every script as plain ones, one space between words."""
    spread = unicodedata.normalize("NFKD", text.casefold().replace("đ", "d").replace("ı", "i"))
    kept = "".join(
        str(unicodedata.decimal(character)) if character.isdecimal() else character
        for character in spread
        if not unicodedata.combining(character)
    )
    return " ".join(unicodedata.normalize("NFC", kept).split())


def _absolute(text: str) -> str | None:
    for pattern, order in ((_EAST_ASIAN, "ymd"), (_YEAR_FIRST, "ymd"), (_VIETNAMESE, "dmy"), (_DOTTED, "dmy")):
        match = pattern.fullmatch(text)
        if match is not None:
            parts = dict(zip(order, (int(part) for part in match.groups()), strict=True))
            return _day(parts["y"], parts["m"], parts["d"])
    return _with_month_name(_RFC_TIME.sub("", text))


def _with_month_name(text: str) -> str | None:
    """Dates such as "mar 3, 2023", "3 de marzo de 2023", "3. märz 2023", "fri, 3 mar 2023"."""
    months = [MONTHS[word] for word in _WORD.findall(text) if word in MONTHS]
    numbers = [int(number) for number in _NUMBER.findall(text)]
    if len(months) != 1 or len(numbers) != 2:
        return None
    year, day = max(numbers), min(numbers)
    return _day(year, months[0], day)


def _day(year: int, month: int, day: int) -> str | None:
    if not 1900 <= year <= 2999:
        return None
    try:
        return date(year, month, day).isoformat()
    except ValueError:
        return None


def _relative(text: str, now: datetime) -> str | None:
    now = now.astimezone(UTC)
    if text in NAMED_DAYS:
        return (now.date() - timedelta(days=NAMED_DAYS[text])).isoformat()
    spoken = frozenset(_WORD.findall(text))
    if not any(_mentions(text, spoken, mark) for mark in _AGO):
        return None
    numbers = _NUMBER.findall(text)
    count = int(numbers[0]) if len(numbers) == 1 else None
    if not numbers and spoken & ONE:
        count = 1
    unit = next((unit for word, unit in _UNIT_WORDS if _mentions(text, spoken, word)), None)
    return None if count is None or unit is None else _before(now, count, unit)


def _mentions(text: str, spoken: frozenset[str], word: str) -> bool:
    """Whether the word occurs; scripts that do not part words, and phrases, are looked for inside the text."""
    return word in spoken or ((not word.isascii() or " " in word) and word in text)


def _before(now: datetime, count: int, unit: str) -> str | None:
    try:
        if unit in _UNIT_SECONDS:
            moment = now - timedelta(seconds=count * _UNIT_SECONDS[unit])
        else:
            moment = now - timedelta(days=count * PERIOD_DAYS[unit])
    except OverflowError:
        return None
    if unit in ("second", "minute", "hour"):
        return moment.strftime("%Y-%m-%dT%H:%M:%SZ")
    return moment.date().isoformat()


_AGO: Final = tuple(_fold(mark) for mark in AGO)
_UNIT_WORDS: Final = tuple(  # where one word is the beginning of another the longer decides
    sorted(((_fold(word), unit) for unit, words in UNITS.items() for word in words), key=lambda pair: -len(pair[0]))
)
