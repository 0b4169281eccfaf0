"""What a page says about itself: title, author, date, kind, and where its Markdown lives."""

import re
from dataclasses import dataclass
from itertools import islice
from typing import Final
from urllib.parse import urlsplit

from hydra_web.content._tree import Node, select
from hydra_web.text import one_line

__all__ = ["Facts", "page_facts"]

_TYPE: Final = re.compile(r'"@type"\s{0,9}:\s{0,9}\[?\s{0,9}"(?:https?://schema\.org/)?(\w{1,60})"')
_STATED: Final = re.compile(r'"(datePublished|dateModified|headline)"\s{0,9}:\s{0,9}"((?:[^"\\]|\\.){1,400})"')
_AUTHOR: Final = re.compile(
    r'"author"\s{0,9}:\s{0,9}\[?\s{0,9}(?:\{[^{}]{0,400}?"name"\s{0,9}:\s{0,9})?"((?:[^"\\]|\\.){1,200})"'
)
_ESCAPE: Final = re.compile(r"\\u([0-9a-fA-F]{4})|\\(.)")
_META: Final = select("descendant::meta[@content]")
_MARKDOWN_LINK: Final = select("descendant::link[@rel='alternate' and @href]")
_JSON_LD: Final = select("descendant::script[contains(@type, 'ld+json')]")
_ARTICLE: Final = frozenset(
    (
        "Article",
        "NewsArticle",
        "BlogPosting",
        "ReportageNewsArticle",
        "OpinionNewsArticle",
        "AnalysisNewsArticle",
        "TechArticle",
        "Report",
        "ScholarlyArticle",
    )
)
_FORUM: Final = frozenset(("DiscussionForumPosting", "QAPage"))
_FORUM_URL: Final = re.compile(
    r"/(?:forums?|threads?|topic|t|questions?|viewtopic|showthread|discussions?|community)[/.?-]"
    r"|^https?://(?:forums?|community|discuss|discourse)\.",
    re.IGNORECASE,
)
_ARTICLE_URL: Final = re.compile(
    r"/(?:(?:19|20)\d\d/\d\d?|blogs?|news|articles?|story|stories|posts?)/.", re.IGNORECASE
)
_FORUM_SOFTWARE: Final = re.compile(
    r"discourse|phpbb|vbulletin|xenforo|mybb|smf|flarum|nodebb|invision|vanilla", re.IGNORECASE
)
_TITLE_NAMES: Final = ("og:title", "twitter:title", "dc.title", "citation_title")
_DATE_NAMES: Final = (
    "article:published_time",
    "datepublished",
    "date",
    "dc.date",
    "citation_publication_date",
    "pubdate",
)
_MIN_TITLE: Final = 8
_MOST_HEADLINES: Final = 8
_AUTHOR_NAMES: Final = ("author", "article:author", "dc.creator", "citation_author")


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """Statements of the page about itself, none of them verified."""

    title: str | None
    """The title on one line."""
    author: str | None
    """Who wrote it."""
    published: str | None
    """When it was published, as the page wrote it."""
    kind: str
    """`article`, `forum` or `other`, from schema.org types, Open Graph, generator and address."""
    alternate_markdown: str | None
    """The address of a Markdown version, as the page wrote it."""


def page_facts(root: Node, url: str) -> Facts:
    """Reads the head of the page; must run before scripts are taken out."""
    metas: dict[str, str] = {}
    for meta in _META(root):
        name = (meta.get("property") or meta.get("name") or meta.get("itemprop") or "").lower()
        metas.setdefault(name, one_line(meta.get("content", "")[:1000]))
    types, stated = _structured(root)
    return Facts(
        title=_title(root, metas),
        author=_first(metas, _AUTHOR_NAMES, stated.get("author")),
        published=_first(metas, _DATE_NAMES, stated.get("datePublished")),
        kind=_kind(types, metas, url),
        alternate_markdown=_alternate(root),
    )


def _structured(root: Node) -> tuple[set[str], dict[str, str]]:
    types: set[str] = set()
    stated: dict[str, str] = {}
    for script in _JSON_LD(root):
        source = (script.text or "")[:200_000]
        types.update(_TYPE.findall(source))
        for key, value in _STATED.findall(source):
            stated.setdefault(key, _unescape(value))
        author = _AUTHOR.search(source)
        if author:
            stated.setdefault("author", _unescape(author.group(1)))
    return types, stated


def _unescape(text: str) -> str:
    return one_line(_ESCAPE.sub(lambda m: chr(int(m.group(1), 16)) if m.group(1) else m.group(2), text))


def _first(metas: dict[str, str], names: tuple[str, ...], otherwise: str | None) -> str | None:
    for name in names:
        if metas.get(name):
            return metas[name][:200]
    return otherwise or None


def _title(root: Node, metas: dict[str, str]) -> str | None:
    """The `title` element, without the site's name where the shared title shows which part that is."""
    element = next((title for title in root.iter("title") if title.getparent().tag != "svg"), None)
    title = one_line("".join(element.itertext())[:2000]) if element is not None else ""
    shared = _first(metas, _TITLE_NAMES, None) or ""
    if not title or (len(shared) >= _MIN_TITLE and shared in title):
        title = shared
    return (_headline(root, title) or title)[:300] or None


def _headline(root: Node, title: str) -> str:
    """The page's main heading where the title is that with the site's name before or after it."""
    headings = [one_line("".join(heading.itertext())[:1000]) for heading in islice(root.iter("h1"), _MOST_HEADLINES)]
    longest = max((heading for heading in headings if heading in title), key=len, default="")
    return longest if 2 * len(longest) >= len(title) else ""


def _kind(types: set[str], metas: dict[str, str], url: str) -> str:
    address = urlsplit(url)
    place = f"{address.scheme}://{address.netloc}{address.path}"
    if types & _FORUM or _FORUM_SOFTWARE.search(metas.get("generator", "")) or _FORUM_URL.search(place):
        return "forum"
    if types & _ARTICLE or metas.get("og:type", "").lower().startswith("article"):
        return "article"
    return "article" if _ARTICLE_URL.search(address.path) else "other"


def _alternate(root: Node) -> str | None:
    for link in _MARKDOWN_LINK(root):
        if "markdown" in (link.get("type") or "").lower():
            return str(link.get("href"))
    return None
