"""An answer with its citations turned into links a person can follow."""

import html
import re
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias, assert_never
from urllib.parse import quote as percent_encode

from hydra_web.errors import ConfigError
from hydra_web.evidence._html import attributes, render_html
from hydra_web.evidence._markdown import Link, ParsedMarkdown, parse_markdown
from hydra_web.evidence.citations import is_citation
from hydra_web.evidence.ledger import EvidenceLedger
from hydra_web.evidence.report import CheckedCitation
from hydra_web.evidence.verification import verify_citations
from hydra_web.text import escape_markdown, one_line
from hydra_web.urls import is_http_url

__all__ = ["CitationStyle", "render_citations", "text_fragment_url"]

CitationStyle: TypeAlias = Literal["markdown", "html", "footnotes", "inert"]
"""How citations are rendered."""

_STYLES: Final = ("markdown", "html", "footnotes", "inert")
_FRAGMENT_WORDS: Final = 4
_FRAGMENT_CHARS: Final = 40
_MARKUP: Final = re.compile(r"\]\([^()\s]*\)|</?[a-z]{1,6} ?/?>|\\([!-/:-@\[-`{-~])|[*`]+|(?<!\w)_+|_+(?!\w)|!?\[")
_FOOTNOTE: Final = re.compile(r"\[\^([0-9]{1,9})\]")
# What Markdown would decode inside an address, such as "&lt;" in "?a&lt;b".
_ENTITY: Final = re.compile(r"(&#?[A-Za-z0-9]{1,31});")
_BLOCK_START: Final = re.compile(
    r"[>=|:<\[]|#{1,6}(?!\S)|[-+*](?!\S)|[-*_](?:[ \t]*[-*_]){1,}|~{3}|`{3}|[0-9]{1,9}(?=[.)])"
)


@dataclass(frozen=True, slots=True)
class _Placed:
    link: Link
    checked: CheckedCitation

    @property
    def url(self) -> str | None:
        """The address to link to; None where the citation does not hold or the page is not on the web."""
        url = self.checked.url
        return url if self.checked.verified and url is not None and is_http_url(url) else None


def render_citations(
    markdown: str,
    ledger: EvidenceLedger,
    style: CitationStyle = "markdown",
    *,
    before: int | None = None,
    strict: bool = False,
) -> str:
    """The answer with every citation that holds turned into a link, and every other one into its label.

    `markdown` links to the passage with a text fragment (WICG Scroll To Text Fragment), `footnotes`
    numbers the passages and lists them with the day they were read, `html` gives the whole answer as
    safe HTML, and `inert` leaves only the labels. Raises ConfigError for any other style.
    """
    if style not in _STYLES:
        raise ConfigError(f"style must be one of {', '.join(_STYLES)}, not {style!r}")
    parsed = parse_markdown(markdown)
    report = verify_citations(markdown, ledger, before, strict)
    links = [link for link in parsed.links if is_citation(link)]
    placed = [_Placed(link, checked) for link, checked in zip(links, report.citations, strict=True)]
    match style:
        case "markdown":
            return _splice(markdown, [_relink(markdown, item) for item in placed])
        case "footnotes":
            return _with_footnotes(markdown, placed, _fence_end(parsed, markdown))
        case "html":
            return _as_html(parsed, placed)
        case "inert":
            return _splice(markdown, [_unlink(markdown, link) for link in links])
        case _:
            assert_never(style)


def _relink(markdown: str, item: _Placed) -> tuple[int, int, str]:
    link = item.link
    if item.url is None:
        return _unlink(markdown, link)
    url = _destination(text_fragment_url(item.url, item.checked.passage or ""))
    return link.start, link.end, f"{markdown[link.start : link.label_end]}]({url})"


def _unlink(markdown: str, link: Link) -> tuple[int, int, str]:
    return link.start, link.end, _bare_label(markdown[link.start + 1 : link.label_end], link)


def _bare_label(label: str, link: Link) -> str:
    """The label in a form that starts no block and no link where the link stood."""
    if not link.line_start:
        return label
    label = label.lstrip()
    if not _BLOCK_START.match(label):
        return label
    cut = len(label) - len(label.lstrip("0123456789"))
    return f"{label[:cut]}\\{label[cut:]}"


def _destination(url: str) -> str:
    url = _ENTITY.sub(r"\1%3B", url)
    return re.sub(r"[\s()<>\\|]", lambda match: percent_encode(match.group(), safe=""), url)


def text_fragment_url(url: str, passage: str) -> str:
    """The address that opens a page at a passage, where the browser can find the words."""
    words = [line.split() for line in _plain(passage).split("\n") if line.split()]
    if not words:
        return url
    first, last = words[0], words[-1]
    whole = " ".join(first)
    if len(words) == 1 and len(first) <= 2 * _FRAGMENT_WORDS and len(whole) <= 2 * _FRAGMENT_CHARS:
        directive = _encode(whole)
    else:
        start = " ".join(first[:_FRAGMENT_WORDS])[:_FRAGMENT_CHARS]
        end = " ".join(last[-_FRAGMENT_WORDS:])[-_FRAGMENT_CHARS:]
        directive = f"{_encode(start)},{_encode(end)}"
    return f"{url}{'' if '#' in url else '#'}:~:text={directive}"


def _plain(passage: str) -> str:
    return html.unescape(_MARKUP.sub(lambda mark: mark.group(1) or "", passage))


def _encode(text: str) -> str:
    return percent_encode(text.strip(), safe="", errors="replace").replace("-", "%2D")


def _fence_end(parsed: ParsedMarkdown, markdown: str) -> str:
    """What closes a fence that an answer broke off in, lest the notes become code."""
    last = parsed.tokens[-1] if parsed.tokens else None
    if last is None or last.type != "fence" or last.map is None:
        return ""
    end = re.split(r"[\r\n]", markdown.rstrip())[-1].strip()
    closed = last.map[1] - last.map[0] > 1 and end.startswith(last.markup) and not end.strip(last.markup[0])
    return "" if closed else f"\n{last.markup}"


def _with_footnotes(markdown: str, placed: list[_Placed], fence_end: str) -> str:
    taken = {int(number) for number in _FOOTNOTE.findall(markdown)}
    numbers: dict[tuple[str, str], int] = {}
    notes: list[str] = []
    replaced: list[tuple[int, int, str]] = []
    for item in placed:
        start, end, label = _unlink(markdown, item.link)
        if item.url is not None:
            key = (item.url, item.checked.quote)
            if key not in numbers:
                numbers[key] = max(taken, default=0) + 1
                taken.add(numbers[key])
                notes.append(_footnote(numbers[key], item))
            label += f"[^{numbers[key]}]{_gap(markdown, item.link, label)}"
        replaced.append((start, end, label))
    text = _splice(markdown, replaced)
    return f"{text.rstrip()}{fence_end}\n\n" + "\n".join(notes) + "\n" if notes else text


def _gap(markdown: str, link: Link, label: str) -> str:
    """A space where the mark and what follows would make a link, or the definition of a note."""
    return " " if markdown[link.end : link.end + 1] in (("(", "[") if label.strip() else ("(", "[", ":")) else ""


def _footnote(number: int, item: _Placed) -> str:
    read = f" (read {one_line(item.checked.fetched_at)[:10]})" if item.checked.fetched_at else ""
    return f"[^{number}]: “{escape_markdown(item.checked.quote)}” — <{_destination(item.url or '')}>{read}"


def _splice(text: str, replaced: list[tuple[int, int, str]]) -> str:
    parts: list[str] = []
    done = 0
    for start, end, new in replaced:
        parts += [text[done:start], new]
        done = end
    return "".join([*parts, text[done:]])


def _as_html(parsed: ParsedMarkdown, placed: list[_Placed]) -> str:
    anchors = {item.link.start: _anchor(item) for item in placed}
    return render_html(parsed, anchors)


def _anchor(item: _Placed) -> str:
    if item.url is None:
        return ""
    checked = item.checked
    pairs = {
        "href": item.url,
        "title": checked.quote,
        "target": "_blank",
        "rel": "noopener noreferrer",
        "data-source-id": checked.source_id,
        "data-passage-start": checked.start,
        "data-passage-end": checked.end,
        "data-passage-scope": checked.scope,
    }
    return f"<a {attributes(pairs)}>"
