"""Helpers of the content tests."""

import re
from collections.abc import Callable
from typing import Any

import lxml.html
import pytest
from markdown_it import MarkdownIt

from hydra_web.content._links import Links, base_url
from hydra_web.content._markdown import to_markdown
from hydra_web.content._sanitise import sanitise
from hydra_web.content._tree import parse_html
from hydra_web.content._weigh import weigh

PAGE_URL = "https://site.test/docs/page.html"
_RENDERER = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])


@pytest.fixture
def convert() -> Callable[..., str]:
    """HTML to Markdown by the walk alone, pictures with their addresses."""

    def run(html: str, *, images: bool = True) -> str:
        root = parse_html(html)
        if root is None:
            return ""
        body = root.find("body")
        body = root if body is None else body
        sanitise(body)
        weigh(body, references=True)
        return to_markdown(body, Links(base_url(root, PAGE_URL)), images=images).text

    return run


@pytest.fixture
def rendered() -> Callable[[str], Any]:
    """Markdown rendered to an HTML tree, as a Markdown viewer would."""

    def run(markdown: str) -> Any:
        return lxml.html.fragment_fromstring(_RENDERER.render(markdown), create_parent="body")

    return run


@pytest.fixture
def meaning(rendered: Callable[[str], Any]) -> Callable[[str], list[str]]:
    """What a Markdown text means: its elements and texts in order, white space collapsed."""

    def run(markdown: str) -> list[str]:
        out: list[str] = []

        def visit(element: Any) -> None:
            if element.tag not in ("body", "p"):
                out.append(f"<{element.tag} {element.get('href') or element.get('src') or ''}>")
            for text in (element.text,):
                out.extend(re.findall(r"\S+", text or ""))
            for child in element:
                visit(child)
                out.extend(re.findall(r"\S+", child.tail or ""))
            if element.tag not in ("body", "p"):
                out.append(f"</{element.tag}>")

        visit(rendered(markdown))
        return out

    return run
