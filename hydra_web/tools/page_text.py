"""Turning a fetched result into the text a model reads."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, TypeAlias, assert_never

from hydra_web.protocols import JsonObject
from hydra_web.text import one_line, strip_invisible
from hydra_web.tools.config import WebToolsConfig
from hydra_web.tools.outcome import log_redacted
from hydra_web.types import HtmlBody, PdfBody, TextBody, WebFetchResult

if TYPE_CHECKING:
    from hydra_web.content import Heading, Rendered

__all__ = ["PageText", "Render", "read_page"]

Render: TypeAlias = Callable[..., "Rendered"]
"""A converter of HTML, called as `render(html, url, mode=...)` in a worker thread."""

_OUTLINE_SHARE: Final = 4
_OWN_KEYS: Final = ("links", "truncated")


@dataclass(frozen=True, slots=True, kw_only=True)
class PageText:
    """A page as the model will read it."""

    text: str
    """The text, cut to the operator's bound."""
    page_text: str | None = None
    """The whole page in plain text, where that is more than `text`."""
    truncated: bool = False
    """Whether something was cut."""
    details: JsonObject = field(default_factory=dict)
    """Facts about the conversion."""
    links: tuple[str, ...] | None = None
    """Where the page links to, where the converter tells."""


async def read_page(result: WebFetchResult, config: WebToolsConfig, render: Render | None = None) -> PageText:
    """Converts the body once, off the event loop where that takes work."""
    cap = config.fetch_max_output_chars
    match result.body:
        case HtmlBody():
            return await asyncio.to_thread(_read_html, result.body.content, result.url, config, render)
        case TextBody():
            return _cut(strip_invisible(result.body.content[:cap]), cap, cut_before=len(result.body.content) > cap)
        case PdfBody():
            return _cut(_pdf_text(result.body), cap)
        case _:
            assert_never(result.body)


def _read_html(html: str, url: str, config: WebToolsConfig, render: Render | None) -> PageText:
    cap = config.fetch_max_output_chars
    try:
        rendered = (render or _own_render())(html, url, mode=config.content)
    except Exception as error:  # noqa: BLE001 - no page may break a call
        log_redacted("a page could not be converted", error)
        raw = _cut(strip_invisible(html[:cap]), cap, cut_before=len(html) > cap)
        return PageText(text=raw.text, truncated=raw.truncated, details={"conversion": "failed"})
    text = rendered.text
    if config.outline == "long" and len(text) > cap:
        text = _outline_text(rendered.outline, cap // _OUTLINE_SHARE) + text
    details = {key: value for key, value in rendered.meta.items() if key not in _OWN_KEYS}
    if rendered.title:
        details["title"] = one_line(rendered.title)
    links = rendered.meta.get("links")
    return PageText(
        text=text[:cap],
        page_text=rendered.page_text,
        truncated=len(text) > cap or rendered.meta.get("truncated") is True,
        details=details,
        links=tuple(link for link in links if isinstance(link, str)) if isinstance(links, list) else None,
    )


def _own_render() -> Render:
    from hydra_web.content import render  # lxml loads when the first page comes, not before

    return render


def _cut(text: str, cap: int, *, cut_before: bool = False) -> PageText:
    return PageText(text=text[:cap], truncated=cut_before or len(text) > cap)


def _pdf_text(body: PdfBody) -> str:
    numbered = enumerate(body.pages, body.first_page)
    return "\n\n".join(f"## Page {number}\n\n{strip_invisible(page).strip()}" for number, page in numbered)


def _outline_text(outline: "Sequence[Heading]", room: int) -> str:
    lines = ["Outline:"]
    for heading in outline:
        line = f"{'  ' * (heading.level - 1)}- {one_line(heading.text)} (#{heading.anchor}, {heading.size} characters)"
        room -= len(line) + 1
        if room < 0:
            break
        lines.append(line)
    return "\n".join(lines) + "\n\n" if len(lines) > 1 else ""
