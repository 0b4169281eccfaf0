"""Outcomes as HTML for notebooks: escaped, without scripts, asking nothing of the network."""

from typing import Any, Final

from hydra_web.protocols import JsonObject
from hydra_web.text import escape_html, one_line
from hydra_web.tools.render import shown_url

__all__ = ["outcome_html"]

_SHOWN_CHARS: Final = 20_000


def outcome_html(text: str, value: JsonObject | None) -> str:
    """A list of sources for a search, header and text for a page, the message for an error."""
    if value is None:
        return f'<p style="color:#b00020">{_line(text)}</p>'
    if "sources" in value:
        return _search(value)
    return _page(value)


def _search(value: JsonObject) -> str:
    answer = f"<pre style='white-space:pre-wrap'>{_shown(value['content'])}</pre>" if "content" in value else ""
    items = "".join(f"<li>{_source(source)}</li>" for source in value["sources"])
    note = "<p><small>There is more.</small></p>" if value["truncated"] else ""
    return f"{answer}<ol>{items}</ol>{note}" if items or answer else "<p>No results found.</p>"


def _source(source: dict[str, Any]) -> str:
    title = _link(source["url"], source.get("title") or source["url"])
    remarks = [_line(source[key]) for key in ("snippet", "publishedAt") if source.get(key)]
    return title + "".join(f"<br><small>{remark}</small>" for remark in remarks)


def _page(value: JsonObject) -> str:
    note = ", cut" if value["truncated"] else ""
    head = f"{_link(value['url'], value['url'])} (HTTP {value['statusCode']}{note})"
    source = f"<small>Source: <code>{value['sourceId']}</code></small>"
    body = _shown(value["body"]["content"])
    return f'<p>{head}<br>{source}</p><pre style="white-space:pre-wrap;max-height:30em;overflow:auto">{body}</pre>'


def _link(url: str, label: str) -> str:
    target = shown_url(url)
    if target is None:
        return _line(label)
    return f'<a href="{escape_html(target)}" rel="noopener noreferrer nofollow" target="_blank">{_line(label)}</a>'


def _line(text: str) -> str:
    return escape_html(one_line(text))


def _shown(text: str) -> str:
    return escape_html(text if len(text) <= _SHOWN_CHARS else f"{text[:_SHOWN_CHARS]}…")
