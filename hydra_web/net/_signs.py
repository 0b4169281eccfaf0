"""Signs on a fetched page that save an agent a wasted turn. Pure."""

import re
from collections.abc import Sequence
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Final

from hydra_web.errors import WebError
from hydra_web.net._targets import Target, check_url, join

__all__ = ["alternate_markdown", "blocked_reason", "looks_like_script_only", "retry_after_seconds"]

_BLOCKED_STATUSES: Final = {
    401: "login_required",
    402: "payment_required",
    403: "forbidden",
    407: "login_required",
    429: "rate_limited",
    451: "legal",
}
_CHALLENGES: Final = re.compile(
    r"<title>\s*(?:just a moment|attention required|access denied|ddos-guard|are you a robot|verify you are human)",
    re.IGNORECASE,
)
_MOST_RETRY_SECONDS: Final = 7 * 24 * 3600
_LARGE_PAGE: Final = 4_000
_LITTLE_TEXT: Final = 250
_MOST_TAGS: Final = 20_000
_HEAD: Final = 65_536
_LINK_TAG: Final = re.compile(r"<link\b[^<>]{0,2000}>", re.IGNORECASE)
_ATTRIBUTE: Final = re.compile(r"([a-z]{1,16})\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s\"'<>]+))", re.IGNORECASE)
_LINK_HEADER: Final = re.compile(r"<([^<>]{1,2000})>([^<]{0,500})")
_SILENT_ELEMENT: Final = re.compile(r"<(script|style|noscript|template|svg|head)(?=[>\s/])")


def retry_after_seconds(header: str | None, now: datetime) -> int | None:
    """How long a server asks to wait (RFC 9110 10.2.3), in seconds, at most a week; None when it does not say."""
    text = (header or "").strip()
    if text.isascii() and text.isdigit():
        return min(int(text[:9]), _MOST_RETRY_SECONDS)
    try:
        then = parsedate_to_datetime(text)
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
    then = then.replace(tzinfo=UTC) if then.tzinfo is None else then
    return max(0, min(int((then - now).total_seconds()), _MOST_RETRY_SECONDS))


def blocked_reason(status: int, headers: Sequence[tuple[str, str]], html: str) -> str | None:
    """Why a page is not the one asked for: `bot_challenge`, `login_required`, `rate_limited` and so on, or None."""
    if ("cf-mitigated", "challenge") in headers:
        return "bot_challenge"
    if status in (403, 429, 503) and _CHALLENGES.search(html[:_HEAD]):
        return "bot_challenge"
    return _BLOCKED_STATUSES.get(status)


def looks_like_script_only(html: str) -> bool:
    """Whether a large page has next to no text of its own, as pages drawn by scripts do. Linear."""
    if len(html) < _LARGE_PAGE:
        return False
    lower = html.lower()
    if len(lower) != len(html):  # a few capitals have longer lower-case forms
        lower = html
    seen = position = 0
    for _ in range(_MOST_TAGS):
        if seen >= _LITTLE_TEXT or position >= len(html):
            return seen < _LITTLE_TEXT
        opening = html.find("<", position)
        end = len(html) if opening < 0 else opening
        seen += len("".join(html[position : min(end, position + 4 * _LITTLE_TEXT)].split()))
        position = len(html) if opening < 0 else _after_markup(lower, opening)
    return False


def _after_markup(lower: str, opening: int) -> int:
    """Where text may go on after the markup that opens here; elements that show no text are skipped whole."""
    if lower.startswith("<!--", opening):
        return _end(lower, "-->", opening)
    silent = _SILENT_ELEMENT.match(lower, opening)
    return _end(lower, ">" if silent is None else f"</{silent[1]}", opening)


def _end(text: str, mark: str, start: int) -> int:
    found = text.find(mark, start)
    return len(text) if found < 0 else found + len(mark)


def alternate_markdown(target: Target, links: Sequence[str], html: str) -> str | None:
    """The URL of the page's Markdown form, from a Link header or a `<link rel="alternate">`, if policy allows it."""
    for header in links:
        for reference, parameters in _LINK_HEADER.findall(header[:8_000]):
            words = parameters.lower()
            if "alternate" in words and "text/markdown" in words:
                return _allowed(target, reference)
    for tag in _LINK_TAG.findall(html[:_HEAD]):
        attributes = {name.lower(): a or b or c for name, a, b, c in _ATTRIBUTE.findall(tag)}
        is_alternate = "alternate" in attributes.get("rel", "").lower().split()
        if is_alternate and attributes.get("type", "").strip().lower() == "text/markdown":
            return _allowed(target, attributes.get("href", ""))
    return None


def _allowed(target: Target, reference: str) -> str | None:
    url = join(target.url, reference)
    try:
        return check_url(url, [str(target.origin)] if target.granted else ()).url if url else None
    except WebError:
        return None
