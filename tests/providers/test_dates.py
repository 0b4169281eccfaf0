from datetime import UTC, date, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hydra_web.providers._dates import days_of, parse_date
from hydra_web.providers._hints import fit_query, google_dates, over_limit

NOW = datetime(2026, 11, 30, 14, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("printed", "iso"),
    [
        ("2026-10-12", "2026-10-12"),
        (" 2026-10-12 ", "2026-10-12"),
        ("2023-11-16T01:36:32.547Z", "2023-11-16T01:36:32.547Z"),
        ("2026-10-20T08:00:00+07:00", "2026-10-20T08:00:00+07:00"),
        ("2026-10-20T08:00:00+0530", "2026-10-20T08:00:00+05:30"),
        ("2024-12-31T17:09:03", "2024-12-31"),
        ("2026-11-02 08:30:00", "2026-11-02"),
        ("3 days ago", "2026-11-27"),
        ("3 ngày trước", "2026-11-27"),
        ("3天前", "2026-11-27"),
        ("３天前", "2026-11-27"),
        ("3 日前", "2026-11-27"),
        ("3일 전", "2026-11-27"),
        ("il y a 2 jours", "2026-11-28"),
        ("vor 3 Tagen", "2026-11-27"),
        ("hace 1 semana", "2026-11-23"),
        ("há 3 dias", "2026-11-27"),
        ("3 giorni fa", "2026-11-27"),
        ("5 дней назад", "2026-11-25"),
        ("3 gün önce", "2026-11-27"),
        ("3 dagen geleden", "2026-11-27"),
        ("3 hari yang lalu", "2026-11-27"),
        ("3 วันที่แล้ว", "2026-11-27"),
        ("๓ วันที่แล้ว", "2026-11-27"),
        ("منذ ٣ أيام", "2026-11-27"),
        ("2 hours ago", "2026-11-30T12:00:00Z"),
        ("2 小时前", "2026-11-30T12:00:00Z"),
        ("10 phút trước", "2026-11-30T13:50:00Z"),
        ("an hour ago", "2026-11-30T13:00:00Z"),
        ("il y a un mois", "2026-10-31"),
        ("2か月前", "2026-10-01"),
        ("3 năm trước", "2023-12-01"),
        ("yesterday", "2026-11-29"),
        ("hôm qua", "2026-11-29"),
        ("昨天", "2026-11-29"),
        ("Today", "2026-11-30"),
        ("Mar 3, 2023", "2023-03-03"),
        ("March 30, 2018", "2018-03-30"),
        ("3 thg 3, 2023", "2023-03-03"),
        ("ngày 3 tháng 3 năm 2023", "2023-03-03"),
        ("2023年3月3日", "2023-03-03"),
        ("2023. 3. 3.", "2023-03-03"),
        ("2023/03/04", "2023-03-04"),
        ("3 mars 2023", "2023-03-03"),
        ("3. März 2023", "2023-03-03"),
        ("3 de mar. de 2023", "2023-03-03"),
        ("12 ago 2023", "2023-08-12"),
        ("03.04.2023", "2023-04-03"),
        ("Fri, 03 Mar 2023 10:00:00 GMT", "2023-03-03"),
    ],
)
def test_dates_as_engines_print_them(printed: str, iso: str) -> None:
    assert parse_date(printed, NOW) == iso


@pytest.mark.parametrize(
    "printed",
    [
        None, 5, True, "", "  ", "soon", "03/04/2023", "2026-02-30", "2026-13-01T00:00:00Z", "2026-01-01T25:00:00Z",
        "9999 years ago", "3 parsecs ago", "days ago", "3 or 4 days ago", "March 2023", "Mar 99, 2023", "3 mars 1023",
        "in 3 days", "x" * 200,
    ],
)  # fmt: skip
def test_what_cannot_be_told_for_certain_is_left_out(printed: object) -> None:
    assert parse_date(printed, NOW) is None


def test_relative_dates_count_from_the_request_in_utc() -> None:
    local = datetime(2026, 11, 30, 3, 0, tzinfo=timezone(timedelta(hours=7)))
    assert parse_date("yesterday", local) == "2026-11-28"


@given(st.text(max_size=90))
def test_any_text_gives_iso_or_nothing(text: str) -> None:
    parsed = parse_date(text, NOW)
    if parsed is not None:
        datetime.fromisoformat(parsed)


@given(st.dates(date(1900, 1, 1), date(2999, 12, 31)))
def test_an_iso_day_stays_itself(day: date) -> None:
    assert parse_date(day.isoformat(), NOW) == day.isoformat()
    assert parse_date(day.strftime("%B %d, %Y"), NOW) == day.isoformat()


@pytest.mark.parametrize(
    ("wanted", "days"),
    [
        ("day", (date(2026, 11, 29), None)),
        ("week", (date(2026, 11, 23), None)),
        ("2026-01-01/2026-02-01", (date(2026, 1, 1), date(2026, 2, 1))),
        ("2026-01-01/..", (date(2026, 1, 1), None)),
        ("../2026-02-01", (None, date(2026, 2, 1))),
    ],
)
def test_a_wanted_date_is_a_first_and_a_last_day(wanted: str, days: tuple[date | None, date | None]) -> None:
    assert days_of(wanted, NOW.date()) == days


@pytest.mark.parametrize(
    ("wanted", "tbs"),
    [
        ("month", "qdr:m"),
        ("2026-01-02/2026-02-03", "cdr:1,cd_min:01/02/2026,cd_max:02/03/2026"),
        ("2026-01-02/..", "cdr:1,cd_min:01/02/2026"),
        ("../2026-02-03", "cdr:1,cd_max:02/03/2026"),
    ],
)
def test_google_dates(wanted: str, tbs: str) -> None:
    assert google_dates(wanted, NOW.date()) == tbs


def test_a_query_and_a_count_within_bounds_stay_as_they_are() -> None:
    assert fit_query("x", "a  b", most_characters=9, most_words=9) == ("a  b", ())
    assert over_limit("x", 20, 20) == over_limit("x", None, 20) == ()


def test_a_query_and_a_count_beyond_bounds_are_cut_and_said() -> None:
    assert fit_query("x", "a b c", most_characters=9, most_words=2) == ("a b", ("the query was cut to fit x",))
    assert fit_query("x", "abcdef", most_characters=3, most_words=2)[0] == "abc"
    assert over_limit("x", 21, 20) == ("at most 20 results are supported by x",)
