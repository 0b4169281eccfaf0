"""One page through the whole pipeline."""

import json
from typing import Any, Final, Literal

from pydantic import JsonValue

from hydra_web.content._facts import Facts, page_facts
from hydra_web.content._guard import guard
from hydra_web.content._links import Links, base_url
from hydra_web.content._markdownify import convert_markdownify
from hydra_web.content._outline import outline
from hydra_web.content._plain import plain_text, strip_tags
from hydra_web.content._readability import readability_node
from hydra_web.content._rendered import Rendered
from hydra_web.content._sanitise import sanitise
from hydra_web.content._tree import Node, parse_html
from hydra_web.text import escape_markdown

__all__ = ["render"]

MAX_LINKS: Final = 2000


def render(
    html: str,
    url: str,
    mode: Literal["main", "full"] = "main",
    *,
    images: bool = False,
    front_matter: bool = False,
    converter: Any = None,
    max_chars: int = 2_000_000,
) -> Rendered:
    """The page as Markdown, its outline and its plain text; never raises for anything a page holds."""
    guarded = guard(html, max_chars)
    root = parse_html(guarded.html)
    meta: dict[str, JsonValue] = {"truncated": guarded.truncated}
    if root is None:
        text = strip_tags(guarded.html)
        return Rendered(text=text, title=None, outline=(), page_text=text, meta={**meta, "candidate": "none"})
    facts = page_facts(root, url)
    links = Links(base_url(root, url))
    if facts.alternate_markdown and links.absolute(facts.alternate_markdown):
        meta["alternateMarkdown"] = links.absolute(facts.alternate_markdown)
    body = root.find("body")
    body = root if body is None else body
    meta["hiddenRemoved"] = sanitise(body)
    meta["links"] = [*_page_links(body, links)]
    page_text = plain_text(body)
    node, meta["candidate"] = _main_node(root, body, page_text, mode)
    shown = plain_text(node)
    meta["share"] = round(len(shown) / len(page_text), 3) if page_text else 1.0
    text = _convert(node, links, converter, images=images) or shown
    text = _with_title(text, facts, front_matter=front_matter)
    return Rendered(text=text, title=facts.title, outline=outline(text), page_text=page_text, meta=meta)


def _main_node(root: Node, body: Node, page_text: str, mode: str) -> tuple[Node, str]:
    """The element to show and the name of the candidate it comes from; the whole body when too little is left."""
    if mode == "main":
        node = readability_node(root)
        if node is not None and len(plain_text(node)) > 0.4 * len(page_text):
            return node, "readability"
    return body, "body"


def _convert(node: Node, links: Links, converter: Any, *, images: bool) -> str:
    try:
        return convert_markdownify(node, links, converter, images=images)
    except (Exception, RecursionError):  # noqa: BLE001 - the plain text is shown instead
        return ""


def _page_links(body: Node, links: Links) -> list[str]:
    found = (links.absolute(anchor.get("href", "")) for anchor in body.iter("a"))
    addresses = dict.fromkeys(address.partition("#")[0] for address in found if address.startswith("http"))
    return list(addresses)[:MAX_LINKS]


def _with_title(text: str, facts: Facts, *, front_matter: bool) -> str:
    """Puts the title above text that has no heading, and what the page states above that."""
    if facts.title and text and not outline(text):
        text = f"# {escape_markdown(facts.title)}\n\n{text}"
    if not front_matter:
        return text
    stated = {"title": facts.title, "author": facts.author, "published": facts.published}
    lines = [f"{key}: {json.dumps(value, ensure_ascii=False)}" for key, value in stated.items() if value]
    return "\n".join(["---", *lines, "---", "", text]) if lines else text
