"""One page through the whole pipeline."""

import json
import time
from contextlib import suppress
from typing import Any, Final, Literal

from pydantic import JsonValue

from hydra_web.content._choose import Choice, choose_main
from hydra_web.content._escape import escape_text, finish_inline
from hydra_web.content._facts import Facts, page_facts
from hydra_web.content._guard import Guarded, guard
from hydra_web.content._images import described_images
from hydra_web.content._links import Links, base_url
from hydra_web.content._markdown import Markdown, to_markdown
from hydra_web.content._markdownify import convert_markdownify
from hydra_web.content._outline import heading_words, outline
from hydra_web.content._plain import escape_plain, plain_text, strip_tags
from hydra_web.content._rendered import Heading, Rendered
from hydra_web.content._sanitise import invisible_references, sanitise
from hydra_web.content._tree import Node, drop, parse_html
from hydra_web.content._weigh import weigh
from hydra_web.text import strip_invisible

__all__ = ["render"]

MAX_LINKS: Final = 2000
MAX_TAGS: Final = 250_000
_FIRST_LINES: Final = 8


def render(
    html: str,
    url: str,
    mode: Literal["main", "full"] = "main",
    *,
    images: bool = False,
    front_matter: bool = False,
    converter: Any = None,
    max_chars: int = 2_000_000,
    deadline_ms: int = 10_000,
) -> Rendered:
    """The page as Markdown, its outline and its plain text; never raises for anything a page holds.

    `mode="full"` shows the whole cleaned page instead of its main content. `images` shows the addresses of pictures and
    the titles of links. `front_matter` puts title, author and date in front. `converter`, a markdownify
    `MarkdownConverter` or a subclass, writes the Markdown in place of our own walk. Source past `max_chars` code points
    is cut; a walk still running after `deadline_ms` ends with what is ready. Both are said in `meta["truncated"]`.
    """
    deadline = time.monotonic() + deadline_ms / 1000
    source = guard(html, max_chars)
    with suppress(Exception):  # whatever was not foreseen, the text of the page is shown
        root = parse_html(source.html)
        if root is not None:
            options = {"images": images, "deadline": deadline}
            return _render_tree(root, source, url, mode, converter, options, front_matter=front_matter)
    text = strip_tags(source.html)
    meta: dict[str, JsonValue] = {
        "candidate": "body",
        "share": 1.0,
        "hiddenRemoved": 0,
        "truncated": source.truncated,
        "links": [],
    }
    if text:
        meta["fallback"] = "text"
    return Rendered(text=escape_plain(text), title=None, outline=(), page_text=text, meta=meta)


def _render_tree(
    root: Node,
    source: Guarded,
    url: str,
    mode: str,
    converter: Any,
    options: dict[str, Any],
    *,
    front_matter: bool,
) -> Rendered:
    facts = page_facts(root, url)
    links = Links(base_url(root, url))
    body = root.find("body")
    body = root if body is None else body
    hidden = sanitise(body)
    page_links = _page_links(body, links)
    if len(source.html) > MAX_TAGS and source.html.count("<") > MAX_TAGS:
        page_text = strip_invisible(plain_text(body))
        whole, choice, fallback = len(page_text), Choice(body, length=len(page_text)), "text"
        markdown = Markdown(escape_plain(page_text), {}, complete=True)
    else:
        sizes, page_text = weigh(body, references=invisible_references(source.html))
        whole = sizes[body][0]
        choice = Choice(body, length=whole)
        if mode == "main":
            choice = choose_main(body, sizes, facts.kind, pictures=options["images"])
            options["once"] = facts.kind == "article"
            options["described"] = described_images(choice.node, choice.skip, choice.length, page_text)
        markdown, fallback = _convert(choice, links, converter, options)
    text, headings = _with_title(markdown, facts, front_matter=front_matter)
    meta: dict[str, JsonValue] = {
        "candidate": choice.candidate,
        "share": round(min(1.0, choice.length / whole), 3) if whole else 1.0,
        "hiddenRemoved": len(hidden),
        "truncated": source.truncated or not markdown.complete,
        "links": list[JsonValue](page_links),
    }
    if fallback:
        meta["fallback"] = fallback
    if facts.alternate_markdown and links.absolute(facts.alternate_markdown):
        meta["alternateMarkdown"] = links.absolute(facts.alternate_markdown)
    hidden_text = strip_invisible("\n".join(plain_text(element) for element in hidden))
    return Rendered(
        text=text, title=facts.title, outline=headings, page_text=page_text, hidden_text=hidden_text, meta=meta
    )


def _convert(choice: Choice, links: Links, converter: Any, options: dict[str, Any]) -> tuple[Markdown, str]:
    """The choice as Markdown, and what had to stand in for the converter that was asked for."""
    if converter is None:
        with suppress(Exception):
            return to_markdown(choice.node, links, skip=choice.skip, **options), ""
    for element in choice.skip:
        drop(element)
    with suppress(Exception):
        text = convert_markdownify(choice.node, links, converter, images=options["images"])
        return Markdown(text, {}, complete=True), "" if converter else "markdownify"
    return Markdown(escape_plain(plain_text(choice.node)), {}, complete=True), "text"


def _page_links(body: Node, links: Links) -> list[str]:
    references = dict.fromkeys([anchor.get("href", "#").partition("#")[0] for anchor in body.iter("a")])
    addresses = dict.fromkeys([links.absolute(reference) for reference in references if reference])
    return [address for address in addresses if address.startswith("http")][:MAX_LINKS]


def _with_title(markdown: Markdown, facts: Facts, *, front_matter: bool) -> tuple[str, tuple[Heading, ...]]:
    """The text under its title, below what the page states; and its outline.

    A text with a heading of its own needs no title. One of the first lines that is the title already becomes the
    heading instead.
    """
    text, headings = markdown.text, outline(markdown.text, markdown.anchors)
    if facts.title and text and not headings:
        lines = text.split("\n", _FIRST_LINES)
        found = [at for at, line in enumerate(lines[:_FIRST_LINES]) if heading_words(line) == facts.title]
        if found:
            lines[found[0]] = f"# {lines[found[0]]}"
        else:
            lines[:0] = [f"# {finish_inline(escape_text(facts.title))}", ""]
        text = "\n".join(lines)
    stated = {"title": facts.title, "author": facts.author, "published": facts.published}
    lines = [f"{key}: {json.dumps(value, ensure_ascii=False)}" for key, value in stated.items() if value]
    if front_matter and lines:
        text = "\n".join(["---", *lines, "---", "", text])
    return text, headings if text == markdown.text else outline(text, markdown.anchors)
