"""An answer as safe HTML: raw HTML shown as text, pictures as their description, only web and mail links."""

import html
from collections.abc import Mapping, Sequence
from typing import Any, Final

from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markdown_it.utils import EnvType, OptionsDict

from hydra_web.evidence._markdown import ParsedMarkdown, parser
from hydra_web.urls import is_http_url

__all__ = ["attributes", "render_html"]

_READY: Final = "hydra_ready"


class _SafeRenderer(RendererHTML):
    def image(self, tokens: Sequence[Token], idx: int, _options: OptionsDict, _env: EnvType) -> str:
        return html.escape(tokens[idx].content)

    def html_inline(self, tokens: Sequence[Token], idx: int, _options: OptionsDict, _env: EnvType) -> str:
        return html.escape(tokens[idx].content)

    def html_block(self, tokens: Sequence[Token], idx: int, _options: OptionsDict, _env: EnvType) -> str:
        return f"<p>{html.escape(tokens[idx].content)}</p>\n"

    def hydra_ready(self, tokens: Sequence[Token], idx: int, _options: OptionsDict, _env: EnvType) -> str:
        return tokens[idx].content


def attributes(pairs: Mapping[str, object]) -> str:
    """HTML attributes with their values escaped."""
    return " ".join(f'{name}="{html.escape(str(value))}"' for name, value in pairs.items())


def render_html(parsed: ParsedMarkdown, anchors: Mapping[int, str]) -> str:
    """The answer as HTML.

    `anchors` gives, by the start of a link in the source, the opening tag to use; an empty one leaves
    the label without a link. Other links keep theirs when they are http, https or mailto.
    """
    opening_tags = {id(link.token): anchors[link.start] for link in parsed.links if link.start in anchors}
    for block in parsed.tokens:
        tag = ""
        for child in block.children or ():
            if child.type == "link_open":
                tag = opening_tags.get(id(child), _plain_anchor(child))
                child.type, child.content = _READY, tag
            elif child.type == "link_close":
                child.type, child.content = _READY, "</a>" if tag else ""
    markdown = parser()
    return str(_SafeRenderer(markdown).render(parsed.tokens, markdown.options, {}))


def _plain_anchor(link: Token) -> str:
    target: Any = link.attrs.get("href", "")
    if not is_http_url(target) and not target.lower().startswith("mailto:"):
        return ""
    return f"<a {attributes({'href': target, 'target': '_blank', 'rel': 'noopener noreferrer nofollow'})}>"
