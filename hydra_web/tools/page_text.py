"""Turning a fetched result into the text a model reads."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, TypeAlias, assert_never

from hydra_web.protocols import JsonObject
from hydra_web.text import one_line, strip_invisible
from hydra_web.tools.config import WebToolsConfig
from hydra_web.tools.outcome import log_redacted
from hydra_web.tools.sections import find_section, outline_facts, outline_text
from hydra_web.types import HtmlBody, PdfBody, TextBody, WebFetchResult

if TYPE_CHECKING:
    from hydra_web.content import Rendered

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
    section: str = ""
    """The fragment of the section that `text` is; empty for the whole page."""


async def read_page(
    result: WebFetchResult, config: WebToolsConfig, render: Render | None = None, fragment: str = ""
) -> PageText:
    """Converts the body once, off the event loop where that takes work.

    Where `fragment` names a heading of an HTML page, only that section is shown.
    """
    cap = config.fetch_max_output_chars
    match result.body:
        case HtmlBody():
            return await asyncio.to_thread(_read_html, result.body.content, result.url, config, render, fragment)
        case TextBody():
            return _cut(strip_invisible(result.body.content[:cap]), cap, cut_before=len(result.body.content) > cap)
        case PdfBody():
            return _cut(_pdf_text(result.body), cap)
        case _:
            assert_never(result.body)


def _read_html(html: str, url: str, config: WebToolsConfig, render: Render | None, fragment: str) -> PageText:
    cap = config.fetch_max_output_chars
    try:
        rendered = (render or _own_render())(html, url, mode=config.content)
    except Exception as error:  # noqa: BLE001 - no page may break a call
        log_redacted("a page could not be converted", error)
        raw = _cut(strip_invisible(html[:cap]), cap, cut_before=len(html) > cap)
        return PageText(text=raw.text, truncated=raw.truncated, details={"conversion": "failed"})
    section = find_section(rendered.outline, fragment)
    text = rendered.text
    if section is not None:
        text = text[section.start : section.start + section.size].strip("\n")
    elif config.outline == "long" and len(text) > cap:
        text = outline_text(rendered.outline, cap // _OUTLINE_SHARE) + text
    cut = _cut(text, cap, cut_before=rendered.meta.get("truncated") is True)
    links = rendered.meta.get("links")
    return PageText(
        text=cut.text,
        page_text=rendered.page_text,
        truncated=cut.truncated,
        details=_details(rendered, cut.truncated),
        links=tuple(link for link in links if isinstance(link, str)) if isinstance(links, list) else None,
        section=fragment if section is not None else "",
    )


def _details(rendered: "Rendered", truncated: bool) -> JsonObject:
    details: JsonObject = {key: value for key, value in rendered.meta.items() if key not in _OWN_KEYS}
    if rendered.title:
        details["title"] = one_line(rendered.title)
    if truncated and rendered.outline:
        details["outline"] = outline_facts(rendered.outline)
    return details


def _own_render() -> Render:
    from hydra_web.content import render  # lxml loads when the first page comes, not before

    return render


def _cut(text: str, cap: int, *, cut_before: bool = False) -> PageText:
    return PageText(text=text[:cap], truncated=cut_before or len(text) > cap)


def _pdf_text(body: PdfBody) -> str:
    numbered = enumerate(body.pages, body.first_page)
    return "\n\n".join(f"## Page {number}\n\n{strip_invisible(page).strip()}" for number, page in numbered)
