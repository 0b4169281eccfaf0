"""From a response that was read to the result a caller gets."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final, Literal

from pydantic import JsonValue

from hydra_web import charset
from hydra_web.errors import WebError
from hydra_web.net import _pdf, _signs
from hydra_web.net._body import RawBody
from hydra_web.net._failures import unsupported
from hydra_web.net._media import Media
from hydra_web.net._targets import Target
from hydra_web.types import HtmlBody, PdfBody, TextBody, WebFetchResult

__all__ = ["Page", "check_charset", "compose", "mark_fresh"]

_LARGE_BODY: Final = 200_000
_LONGEST_VALIDATOR: Final = 256


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """A response whose body has been read."""

    target: Target
    """Where it came from, after redirects."""
    status: int
    """The HTTP status."""
    headers: tuple[tuple[str, str], ...]
    """Names in lower case and values, in order."""
    media: Media
    """What kind of content it is."""
    body: RawBody
    """Its bytes."""

    def header(self, name: str) -> str | None:
        """The first value of a header, or None."""
        return next(iter(self.values(name)), None)

    def values(self, name: str) -> list[str]:
        """Every value of a header."""
        return [value for key, value in self.headers if key == name]


def check_charset(media: Media) -> None:
    """Raises WebError `WEB_UNSUPPORTED_CONTENT_TYPE` when the declared charset cannot be read."""
    refusal: WebError | None = None
    if media.charset is not None:
        try:
            charset.check_label(media.charset)
        except WebError as error:
            refusal = error
    if refusal is not None:
        raise unsupported(refusal.message, "charset")


async def compose(page: Page, *, max_chars: int, pdf_page: int | None) -> WebFetchResult:
    """The result for a page: decoded, cut to `max_chars`, with what is worth knowing in `meta`."""
    meta = _facts(page)
    if page.media.kind == "pdf":
        document = await _pdf.read_pdf(page.body, page=pdf_page, max_chars=max_chars)
        url = page.target.url if pdf_page is None else f"{page.target.url}#page={pdf_page}"
        body = PdfBody(pages=document.pages, first_page=pdf_page or 1)
        meta["pageCount"] = document.page_count
        return WebFetchResult(url=url, status_code=page.status, body=body, truncated=document.truncated, meta=meta)
    decoded = await _decode(page)
    meta |= {"charset": decoded.charset, "charsetSource": decoded.source}
    text = decoded.text[:max_chars]
    if page.body.truncated and text.endswith("\ufffd"):
        text = text[:-1]  # half a character at the cut
    _add_signs(meta, page, text)
    return WebFetchResult(
        url=page.target.url,
        status_code=page.status,
        body=HtmlBody(content=text) if page.media.kind == "html" else TextBody(content=text),
        truncated=page.body.truncated or len(decoded.text) > max_chars,
        meta=meta,
    )


def mark_fresh(known: WebFetchResult, headers: Sequence[tuple[str, str]]) -> WebFetchResult:
    """A known page that the server says has not changed, with the time and the validators of that answer."""
    meta = known.meta | _validators(headers) | {"fetchedAt": _now().isoformat(timespec="seconds"), "revalidated": True}
    return known.model_copy(update={"meta": meta})


async def _decode(page: Page) -> charset.Decoded:
    kind: Literal["html", "text"] = "html" if page.media.kind == "html" else "text"
    if len(page.body.data) > _LARGE_BODY:
        return await asyncio.to_thread(charset.decode, page.body.data, declared=page.media.charset, kind=kind)
    return charset.decode(page.body.data, declared=page.media.charset, kind=kind)


def _facts(page: Page) -> dict[str, JsonValue]:
    meta: dict[str, JsonValue] = {
        "contentType": page.media.type,
        "bytes": len(page.body.data),
        "fetchedAt": _now().isoformat(timespec="seconds"),
        **_validators(page.headers),
    }
    wait = _signs.retry_after_seconds(page.header("retry-after"), _now())
    if wait is not None:
        meta["retryAfter"] = wait
    return meta


def _add_signs(meta: dict[str, JsonValue], page: Page, text: str) -> None:
    html = text if page.media.kind == "html" else ""
    reason = _signs.blocked_reason(page.status, page.headers, html)
    if reason is not None:
        meta["blockedReason"] = reason
    if html and _signs.looks_like_script_only(html):
        meta["jsSuspected"] = True
    alternate = _signs.alternate_markdown(page.target, page.values("link"), html)
    if alternate is not None:
        meta["alternateMarkdown"] = alternate


def _validators(headers: Sequence[tuple[str, str]]) -> dict[str, JsonValue]:
    """What a later request needs to ask whether the page has changed (RFC 9110 8.8)."""
    named = {"etag": "etag", "last-modified": "lastModified"}
    return {
        named[name]: value
        for name, value in headers
        if name in named and len(value) <= _LONGEST_VALIDATOR and value.isascii() and value.isprintable()
    }


def _now() -> datetime:
    return datetime.now(UTC)
