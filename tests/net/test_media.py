"""What a Content-Type header means."""

import pytest

from hydra_web.errors import WebError
from hydra_web.net._media import Media, read_media


@pytest.mark.parametrize(
    ("header", "kind"),
    [
        ("text/html", "html"),
        ("Text/HTML; charset=utf-8", "html"),
        ("application/xhtml+xml", "html"),
        ("text/plain", "text"),
        ("text/markdown; variant=GFM", "text"),
        ("application/json", "text"),
        ("application/xml", "text"),
        ("application/ld+json", "text"),
        ("application/rss+xml;charset=x", "text"),
        ("application/pdf", "pdf"),
    ],
)
def test_kinds(header: str, kind: str) -> None:
    assert read_media(header).kind == kind


@pytest.mark.parametrize(
    ("header", "shown"),
    [
        ("image/png", "image/png"),
        (None, "unknown"),
        ("", "unknown"),
        ("text", "unknown"),
        ("text/\x1b[31mhtml", "unknown"),
        ("text/html, text/html", "unknown"),
        ("text/" + "a" * 65, "unknown"),
        ("text/event-stream", "text/event-stream"),
        ("multipart/x-mixed-replace; boundary=b", "multipart/x-mixed-replace"),
        ("application/octet-stream", "application/octet-stream"),
    ],
)
def test_what_is_not_read_is_named_only_when_it_is_a_media_type(header: str | None, shown: str) -> None:
    with pytest.raises(WebError) as caught:
        read_media(header)
    assert caught.value.code == "WEB_UNSUPPORTED_CONTENT_TYPE"
    assert caught.value.message == f'unsupported content type "{shown}"'


@pytest.mark.parametrize(
    ("header", "charset"),
    [
        ("text/html; charset=utf-8", "utf-8"),
        ("text/html; CharSet=UTF-8", "utf-8"),
        ('text/html; charset="ISO-8859-1"', "iso-8859-1"),
        ("text/html; charset = gbk ; x=y", "gbk"),
        ("text/html; charset='utf-8'", "utf-8"),
        ("text/html; charset=utf-8, text/html", "utf-8"),
        ("text/html; x=y", None),
        ("text/html", None),
    ],
)
def test_charset_parameter(header: str, charset: str | None) -> None:
    assert read_media(header) == Media("text/html", "html", charset)


def test_a_charset_that_is_no_label_is_not_quoted() -> None:
    with pytest.raises(WebError, match=r'^unsupported charset "unknown"$') as caught:
        read_media("text/html; charset=<script>")
    assert caught.value.reason == "charset"
