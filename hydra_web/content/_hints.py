"""Words in class names, ids and roles that tell what an element is for: data, and how it is matched."""

import re
from functools import lru_cache
from typing import Final

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

_BOILERPLATE: Final = (
    "nav navbar navigation menu submenu megamenu mega-menu breadcrumbs? crumbs? footer foot masthead sidebar side-bar"
    " cookies? cookie-?\\w* consent gdpr onetrust newsletter subscribe subscription signup sign-up login sharing share"
    " sharedaddy social socials addthis related recommend\\w* recirc\\w* read-?more more-stories more-from trending"
    " popular most-?read advert\\w* ads? adsense sponsor\\w* promo promos promoted outbrain taboola popup pop-up modal"
    " overlay lightbox pagination pager paging skip-link skip screen-reader-text sr-only visually-hidden visuallyhidden"
    " toolbar disclaimer copyright legal search searchform search-form topbar top-bar banner language-switcher"
    " lang-switcher back-to-top toc post-nav post-navigation prev-next tags tagcloud tag-list author-bio author-box"
    " about-author byline-bio byline post-meta entry-meta postmeta print printfriendly feedback survey rating-form"
    " noprint vector-menu catlinks mw-jump-link mw-editsection navbox metadata hatnote infobox-nav cta call-to-action"
    " filters? facets? sort wishlist cart minicart basket account store-?locator quick-?view upsell cross-?sell"
    " recently-viewed"
)
_COMMENTS: Final = "comments? commentlist comment-list disqus\\w* respond replies discussion"
_CONTENT: Final = "article|body|content|entry|hentry|h-entry|main|page|post|text|blog|story"


class Hint:
    """What the names of an element speak for: bits of one number, for the speed of it."""

    BOILERPLATE: Final = 1
    COMMENTS: Final = 2
    CONTENT: Final = 4


def _whole_words(words: str) -> re.Pattern[str]:
    return re.compile(rf"(?:^|[\s_-])(?:{'|'.join(words.split())})(?:$|[\s_-])", re.IGNORECASE)


_BOILERPLATE_WORDS: Final = _whole_words(_BOILERPLATE)
_COMMENT_WORDS: Final = _whole_words(_COMMENTS)
_CONTENT_PARTS: Final = re.compile(_CONTENT, re.IGNORECASE)
_CAMEL: Final = re.compile(r"([a-z])([A-Z])")


@lru_cache(maxsize=8192)
def hints(class_names: str, identifier: str) -> int:
    """The hints of a class attribute and an id; an id of many words is a heading's, and names no purpose."""
    if identifier.count("-") + identifier.count("_") > 2:
        identifier = ""
    names = _CAMEL.sub(r"\1-\2", f"{class_names[:300]} {identifier}")
    found = Hint.BOILERPLATE * bool(_BOILERPLATE_WORDS.search(names))
    found |= Hint.COMMENTS * bool(_COMMENT_WORDS.search(names))
    found |= Hint.CONTENT * bool(_CONTENT_PARTS.search(names))
    return found
