"""A search's count and date in the forms that several APIs share. Pure."""

from datetime import date

from hydra_web.providers._dates import PERIOD_DAYS, days_of

__all__ = ["fit_query", "google_dates", "over_limit", "us_date"]


def over_limit(provider: str, wanted: int | None, most: int) -> tuple[str, ...]:
    """A notice when more results are wanted than the provider can give."""
    return (f"at most {most} results are supported by {provider}",) if wanted is not None and wanted > most else ()


def us_date(day: date) -> str:
    """The day as MM/DD/YYYY."""
    return day.strftime("%m/%d/%Y")


def google_dates(wanted: str, today: date) -> str:
    """Google's `tbs` for a search's date: a period up to now, or a range of days."""
    if wanted in PERIOD_DAYS:
        return f"qdr:{wanted[0]}"
    first, last = days_of(wanted, today)
    bounds = [f"cd_min:{us_date(first)}"] if first else []
    bounds += [f"cd_max:{us_date(last)}"] if last else []
    return ",".join(["cdr:1", *bounds])


def fit_query(provider: str, query: str, *, most_characters: int, most_words: int) -> tuple[str, tuple[str, ...]]:
    """The query within an API's bounds, and a notice when that cost a part of it."""
    words = query.split()
    fitting = query if len(words) <= most_words else " ".join(words[:most_words])
    fitting = fitting[:most_characters]
    return fitting, () if fitting == query else (f"the query was cut to fit {provider}",)
