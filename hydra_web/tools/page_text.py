"""Turning a fetched result into the text a model reads."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final, TypeAlias, assert_never

from hydra_web.protocols import JsonObject
from hydra_web.text import one_line, strip_invisible
from hydra_web.tools.config import WebToolsConfig
from hydra_web.tools.outcome import log_redacted
from hydra_web.tools.sections import find_section, outline_facts, outline_text
from hydra_web.types import HtmlBody, PdfBody, TextBody, WebFetchResult

if TYPE_CHECKING:
    from hydra_web.content import Heading, Rendered

__all__ = ["PageText", "Render", "read_page"]

Render: TypeAlias = Callable[..., "Rendered"]
"""A converter of HTML, called as `render(html, url, mode=...)` in a worker thread."""

_OUTLINE_SHARE: Final = 4
_OWN_KEYS: Final = ("links", "truncated")
_MARKDOWN_TYPES: Final = ("text/markdown", "text/x-markdown")
_MARKDOWN_ENDINGS: Final = (".md", ".markdown")


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
    outline: tuple[JsonObject, ...] = ()
    """The headings of the whole page, for programs."""


async def read_page(
    result: WebFetchResult, config: WebToolsConfig, render: Render | None = None, fragment: str = ""
) -> PageText:
    """Converts the body once, off the event loop where that takes work.

    Where `fragment` names a heading of an HTML or Markdown page, only that section is shown.
    """
    cap = config.fetch_max_output_chars
    match result.body:
        case HtmlBody():
            return await asyncio.to_thread(_read_html, result.body.content, result.url, config, render, fragment)
        case TextBody() if _is_markdown(result) and (fragment or len(result.body.content) > cap):
            return await asyncio.to_thread(_read_markdown, result.body.content, config, fragment)
        case TextBody():
            return _cut(strip_invisible(result.body.content[:cap]), cap, len(result.body.content) > cap, fragment)
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
        raw = _cut(strip_invisible(html[:cap]), cap, len(html) > cap, fragment)
        return replace(raw, details={**raw.details, "conversion": "failed"})
    shown = _show(rendered.text, rendered.outline, config, fragment, rendered.meta.get("truncated") is True)
    links = rendered.meta.get("links")
    return replace(
        shown,
        page_text=_whole_text(rendered),
        details={**_facts(rendered), **shown.details},
        links=tuple(link for link in links if isinstance(link, str)) if isinstance(links, list) else None,
    )


def _read_markdown(content: str, config: WebToolsConfig, fragment: str) -> PageText:
    from hydra_web.content._outline import outline

    text = strip_invisible(content)
    shown = _show(text, outline(text), config, fragment)
    return replace(shown, page_text=text) if shown.section else shown


def _show(
    text: str, outline: "Sequence[Heading]", config: WebToolsConfig, fragment: str, cut_before: bool = False
) -> PageText:
    """The section that was asked for, or the whole text, in front of it the outline where that is wanted."""
    cap = config.fetch_max_output_chars
    section = find_section(outline, fragment)
    if section is not None:
        text = text[section.start : section.start + section.size].strip("\n")
        cut = replace(_cut(text, cap, cut_before), section=fragment, details={"section": one_line(section.text)})
    else:
        if config.outline == "long" and len(text) > cap:
            text = outline_text(outline, cap // _OUTLINE_SHARE) + text
        cut = _cut(text, cap, cut_before, fragment)
    return replace(cut, outline=tuple(outline_facts(outline)))


def _whole_text(rendered: "Rendered") -> str:
    """What quotes are checked against beyond the shown text: folded parts of a page can be quoted, too."""
    return f"{rendered.page_text}\n{rendered.hidden_text}" if rendered.hidden_text else rendered.page_text


def _facts(rendered: "Rendered") -> JsonObject:
    facts: JsonObject = {key: value for key, value in rendered.meta.items() if key not in _OWN_KEYS}
    return facts | {"title": one_line(rendered.title)} if rendered.title else facts


def _is_markdown(result: WebFetchResult) -> bool:
    path = result.url.partition("#")[0].partition("?")[0].lower()
    return result.meta.get("contentType") in _MARKDOWN_TYPES or path.endswith(_MARKDOWN_ENDINGS)


def _own_render() -> Render:
    from hydra_web.content import render  # lxml loads when the first page comes, not before

    return render


def _cut(text: str, cap: int, cut_before: bool = False, missing_section: str = "") -> PageText:
    details: JsonObject = {"sectionNotFound": missing_section} if missing_section else {}
    return PageText(text=text[:cap], truncated=cut_before or len(text) > cap, details=details)


def _pdf_text(body: PdfBody) -> str:
    numbered = enumerate(body.pages, body.first_page)
    return "\n\n".join(f"## Page {number}\n\n{strip_invisible(page).strip()}" for number, page in numbered)
