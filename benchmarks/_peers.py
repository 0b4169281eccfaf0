"""Other extractors and converters, each used as its documentation shows; a missing one is left out and named."""

import importlib.util
import io
from collections.abc import Callable

Convert = Callable[[str, str], str]


def _naive(html: str, url: str) -> str:
    from markdownify import markdownify
    from readability import Document

    return markdownify(Document(html, url=url).summary())


def _trafilatura(html: str, url: str) -> str:
    import trafilatura

    return trafilatura.extract(html, url=url, output_format="markdown", include_links=True) or ""


def _markitdown(html: str, _: str) -> str:
    from markitdown import MarkItDown

    return MarkItDown().convert_stream(io.BytesIO(html.encode()), file_extension=".html").text_content


def _html2text(html: str, url: str) -> str:
    import html2text

    return html2text.HTML2Text(baseurl=url, bodywidth=0).handle(html)


def _html_to_markdown(html: str, _: str) -> str:
    import html_to_markdown

    result = html_to_markdown.convert(html)
    return result if isinstance(result, str) else str(getattr(result, "content", result))


def _resiliparse(html: str, _: str) -> str:
    from resiliparse.extract.html2text import extract_plain_text

    return extract_plain_text(html, main_content=True)


_ALL: dict[str, tuple[tuple[str, ...], Convert]] = {
    "naive": (("readability", "markdownify"), _naive),
    "trafilatura": (("trafilatura",), _trafilatura),
    "markitdown": (("markitdown",), _markitdown),
    "html2text": (("html2text",), _html2text),
    "html-to-markdown": (("html_to_markdown",), _html_to_markdown),
    "resiliparse": (("resiliparse",), _resiliparse),
}


def peers() -> tuple[dict[str, Convert], list[str]]:
    """The peers that can be imported here, and the names of those that cannot."""
    found = {
        name: convert
        for name, (modules, convert) in _ALL.items()
        if all(importlib.util.find_spec(module) for module in modules)
    }
    return found, [name for name in _ALL if name not in found]
