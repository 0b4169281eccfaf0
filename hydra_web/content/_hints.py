"""Words in class names, ids and roles that tell what an element is for: data, and how it is matched."""

import re
from functools import lru_cache
from itertools import pairwise
from typing import Final

from hydra_web.content._names import word_set

__all__ = ["BOILERPLATE_ROLES", "Hint", "hints"]

BOILERPLATE_ROLES: Final = frozenset(
    [
        "navigation",
        "banner",
        "contentinfo",
        "complementary",
        "search",
        "dialog",
        "alertdialog",
        "menu",
        "menubar",
        "toolbar",
        "alert",
    ]
)
"""ARIA roles of what stands around the content."""

_BOILERPLATE: Final = word_set(
    "nav navbar navigation menu submenu megamenu breadcrumb breadcrumbs crumb crumbs footer foot masthead "
    "sidebar cookie cookies consent gdpr onetrust newsletter subscribe subscription signup login sharing "
    "share sharedaddy social socials addthis related readmore trending popular mostread ad ads adsense promo "
    "promos promoted outbrain taboola popup modal overlay lightbox pagination pager paging skip "
    "visuallyhidden toolbar disclaimer copyright legal search searchform topbar banner toc tags tagcloud "
    "byline postmeta print printfriendly feedback survey noprint catlinks navbox metadata hatnote cta filter "
    "filters facet facets sort wishlist cart minicart basket account storelocator quickview upsell crosssell "
    "mega-menu side-bar sign-up read-more more-stories more-from most-read pop-up skip-link sr-only "
    "visually-hidden search-form top-bar language-switcher lang-switcher post-nav post-navigation prev-next "
    "tag-list author-bio author-box about-author byline-bio post-meta entry-meta rating-form vector-menu "
    "infobox-nav store-locator quick-view cross-sell recently-viewed call-to back-to screen-reader jump-link "
    "mw-editsection relatedarticles relatedcontent relatednews relatedstories relatedproducts relatedlinks "
    "next-prev nextprev prevnext sharebar sharethis sharebuttons sharelinks socialshare socialmedia socialicons "
    "signature user-details user-extras user-title cell-user message-attribution reputation likes tooltip"
)
_BOILERPLATE_STARTS: Final = ("recommend", "recirc", "advert", "sponsor", "cookie", "relatedpost", "newsletter")
_COMMENTS: Final = word_set("comment comments commentlist respond replies discussion comment-list")
_CONTENT: Final = ("article", "body", "content", "entry", "main", "page", "post", "text", "blog", "story")


class Hint:
    """What the names of an element speak for: bits of one number, for the speed of it."""

    BOILERPLATE: Final = 1
    COMMENTS: Final = 2
    CONTENT: Final = 4
    CAPTION: Final = 8


_CAMEL: Final = re.compile(r"(?<=[a-z])(?=[A-Z])")
_BETWEEN: Final = re.compile(r"[\s_-]+")


@lru_cache(maxsize=8192)
def hints(class_names: str, identifier: str) -> int:
    """The hints of a class attribute and an id; an id of many words is a heading's, and names no purpose."""
    if identifier.count("-") + identifier.count("_") > 2:
        identifier = ""
    names = _CAMEL.sub("-", f"{class_names[:300]} {identifier}").lower()
    words = _BETWEEN.split(names)
    terms = {*words, *map("-".join, pairwise(words))}
    found = 0
    if not terms.isdisjoint(_BOILERPLATE) or any(word.startswith(_BOILERPLATE_STARTS) for word in words):
        found = Hint.BOILERPLATE
    if not terms.isdisjoint(_COMMENTS) or any(word.startswith("disqus") for word in words):
        found |= Hint.COMMENTS
    if "caption" in names:
        found |= Hint.CAPTION
    if any(part in names for part in _CONTENT):
        found |= Hint.CONTENT
    return found
