"""The texts a model reads, made from untrusted parts. Pure."""

import re
from collections.abc import Sequence
from typing import Final

from hydra_web.text import one_line, strip_invisible
from hydra_web.types import WebSearchResult, WebSearchSource
from hydra_web.urls import parse_url, url_host

__all__ = ["link_target", "render_fetch", "render_search", "shown_url"]

CITE_REMINDER: Final = "Cite the relevant URLs above as markdown links in your answer."
TRUNCATION_NOTICE: Final = "\n\n(Content truncated. Fetch a more specific URL or section for the full text.)"

# What can start Markdown inside a line of a list item. Underscores within words, lone
# tildes, pipes and exclamation marks cannot, and stay as they are for the reader's sake.
_INLINE: Final = re.compile(
    r"[`*\[\]]|\\(?=[!-/:-@\[-`{-~]|\Z)|<(?=[A-Za-z/!?])|~(?=~)|(?<=~)~|(?<![^\W_])_|_(?![^\W_])"
)
_PLAIN_URL: Final = re.compile(r"[!#-;=?-\[\]_a-~]+")
_DEEPEST: Final = 32
_MOST_TITLE: Final = 500
_MOST_SNIPPET: Final = 4_000
_MOST_ANSWER: Final = 100_000


def shown_url(url: str) -> str | None:
    """The URL as it may be shown, or None unless it is http or https with a host.

    An ordinary URL keeps its spelling; any other is written as the URL standard serialises it,
    with international host names in their ASCII form.
    """
    parsed = parse_url(url)
    if parsed is None or parsed.protocol not in ("http:", "https:") or not parsed.hostname:
        return None
    if url.startswith(("http://", "https://")) and _PLAIN_URL.fullmatch(url):
        return url
    return str(parsed.href)


def link_target(url: str) -> str | None:
    """The shown URL with the characters escaped that would end a Markdown link early."""
    text = shown_url(url)
    if text is None:
        return None
    for character in "\\`<>":
        text = text.replace(character, f"%{ord(character):02X}")
    return text if _balanced(text) else text.replace("(", "%28").replace(")", "%29")


def _balanced(text: str) -> bool:
    depth = 0
    for character in text:
        if character == "(":
            depth += 1
        elif character == ")":
            depth -= 1
        if not 0 <= depth <= _DEEPEST:
            return False
    return depth == 0


def _shortened(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"


def _inline(text: str, most: int) -> str:
    return _INLINE.sub(lambda special: f"\\{special[0]}", _shortened(one_line(text[: 2 * most]), most))


def _source_line(source: WebSearchSource) -> str:
    label = _inline(source.title or "", _MOST_TITLE) or url_host(source.url) or ""
    remarks = [_inline(source.snippet or "", _MOST_SNIPPET)]
    if published := _inline(source.published_at or "", _MOST_TITLE):
        remarks.append(f"({published})")
    tail = " ".join(remark for remark in remarks if remark)
    return f"- [{label}]({link_target(source.url)})" + (f" — {tail}" if tail else "")


def render_search(result: WebSearchResult, failed: Sequence[str] = (), asked: int = 1) -> str:
    """The text of a search: answer, sources, what was left out or failed, and the reminder to cite.

    `failed` holds the error codes of the queries that failed, out of `asked`.
    """
    parts = []
    if content := _shortened(strip_invisible(result.content or ""), _MOST_ANSWER):
        parts.append(content)
    if result.sources:
        parts.append("Sources:\n" + "\n".join(_source_line(source) for source in result.sources))
    elif not content:
        parts.append("No results found.")
    if result.truncated:
        parts.append(f"(Showing the first {len(result.sources)} sources. Refine the query for more.)")
    if failed:
        parts.append(f"({len(failed)} of {asked} searches failed: {', '.join(dict.fromkeys(failed))})")
    parts.append(CITE_REMINDER)
    return "\n\n".join(parts)


def render_fetch(url: str, status_code: int, text: str, identity: str, truncated: bool, cap: int) -> tuple[str, bool]:
    """The text of a fetch within `cap` code points, and whether it says less than the page did."""
    prefix = f"Fetched {url} (HTTP {status_code})\nSource: {identity}\n\n{text}"
    truncated = truncated or len(prefix) > cap
    full = prefix + (TRUNCATION_NOTICE if truncated else "")
    if len(full) <= cap:
        return full, truncated
    room = cap - len(TRUNCATION_NOTICE)
    return (full[:cap] if room < 0 else prefix[:room] + TRUNCATION_NOTICE), truncated
