"""Links into a page: the section they point to, and what a model learns about the rest."""

import asyncio
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hydra_web.content import Heading, render
from hydra_web.content._outline import outline
from hydra_web.evidence import EvidenceLedger, format_citation, verify_citations
from hydra_web.net import HttpFetch
from hydra_web.runtime import WebRuntime
from hydra_web.store import SqliteStore
from hydra_web.testing import LocalSite
from hydra_web.tools import WebTools, WebToolsConfig
from hydra_web.tools.sections import find_section, outline_facts, outline_text, url_fragment

NOTICE = "\n\n(Content truncated. Fetch a more specific URL or section for the full text.)"
FILLER = "<p>" + "The harbour keeps a list of every ship. " * 8 + "</p>"
GUIDE = f"""<!doctype html><html><head><title>Guide</title></head><body><main>
<h1>Harbour guide</h1><p>Everything about the harbour.</p>{FILLER}
<h2 id="s-17">Opening hours</h2><p>The office opens at nine.</p>{FILLER}
<h2>Giờ mở cửa</h2><p>Văn phòng mở lúc chín giờ.</p>{FILLER}
<h2 id="fares">Fares</h2><p>A crossing costs four euros.</p>{FILLER}
<h3>Children</h3><p>Children travel free.</p>
<h2>Fares</h2><p>Bicycles cost one euro.</p>{FILLER}
</main></body></html>"""
NOTES = (
    "# Notes\n\nFirst words.\n\n## Tea time\n\nTea at four.\n\n```\n## not a heading\n```\n\n## End\n\nLast words.\n"
)
URL = "https://a.test/guide.html"


class Keeping(HttpFetch):
    """Lets pages of the granted loopback site be kept, as pages of the public web are."""

    def cache_key(self, url):
        return url.partition("#")[0]


@pytest.fixture
def site():
    pages = {
        "/guide.html": ("text/html; charset=utf-8", GUIDE.encode()),
        "/notes": ("text/markdown; charset=utf-8", NOTES.encode()),
        "/notes.txt": ("text/plain; charset=utf-8", NOTES.encode()),
    }
    with LocalSite(pages) as served:
        yield served


@pytest.fixture
def make_tools(site):
    def make(store=None, **config):
        web = WebRuntime()
        web.register_fetch_provider(Keeping(allowed_origins=[site.origin]))
        return WebTools(web, WebToolsConfig(**config), EvidenceLedger(), store=store)

    return make


def _content(outcome):
    assert not outcome.is_error, outcome.text
    return outcome.value["body"]["content"]


HEADINGS = tuple(
    Heading(level=2, text=text, anchor=anchor, start=0, size=1)
    for text, anchor in [
        ("Opening hours", "s-17"),
        ("Giờ mở cửa", "giờ-mở-cửa"),
        ("100% sure", "100%25"),
        ("C++ & C#", "c--c"),
        ("Opening hours", "opening-hours-1"),
        ("...", "section"),
    ]
)


@pytest.mark.parametrize(
    ("fragment", "found"),
    [
        ("s-17", 0),
        ("Gio%CC%9B%CC%80 mo%CC%9B%CC%89 cu%CC%9B%CC%89a", 1),  # decomposed, as some systems write it
        ("opening-hours", 0),  # our own spelling finds a heading that has an id of its own
        ("Opening_hours", 0),
        ("Opening%20Hours", 0),
        ("opening-hours-1", 4),
        ("gi%E1%BB%9D-m%E1%BB%9F-c%E1%BB%ADa", 1),
        ("giờ-mở-cửa", 1),
        ("100%25", 2),
        ("c--c", 3),
        ("section", 5),
        ("S-17", None),
        ("opening", None),
        ("%", None),
        ("%FF%FE", None),
        ("", None),
        ("...", None),
    ],
)
def test_a_heading_is_found_by_its_anchor_or_by_its_words(fragment, found):
    assert find_section(HEADINGS, fragment) is (None if found is None else HEADINGS[found])


@given(st.text())
def test_any_fragment_is_answered(fragment):
    find_section(HEADINGS, fragment)
    find_section(HEADINGS, url_fragment(f"https://a.test/#{fragment}"))


@given(st.lists(st.text(st.characters(exclude_categories=["C", "Z"]), min_size=1).map(lambda words: f"## {words}")))
def test_every_anchor_of_an_outline_finds_its_section(lines):
    headings = outline("\n\n".join(lines))
    for heading in headings:
        found = find_section(headings, url_fragment(f"https://a.test/p#{quote(heading.anchor)}"))
        assert found is not None
        assert found.anchor == heading.anchor


@given(st.lists(st.text()), st.integers(0, 500))
def test_an_outline_keeps_to_its_room_and_to_one_line_a_heading(texts, room):
    headings = [Heading(level=3, text=text, anchor="a", start=0, size=1) for text in texts]
    shown = outline_text(headings, room)
    assert len(shown) <= room + len("Outline:\n\n")
    assert len(outline_facts(headings * 300)) <= 200
    listed = shown.strip().split("\n")[1:]
    assert len(listed) <= len(texts)
    assert all("- " in line and line.endswith("(#a, 1 characters)") for line in listed)


@pytest.mark.parametrize(
    ("fragment", "heading", "holds", "lacks"),
    [
        ("s-17", "Opening hours", "opens at nine", "chín giờ"),
        ("opening-hours", "Opening hours", "opens at nine", "chín giờ"),
        ("giờ-mở-cửa", "Giờ mở cửa", "lúc chín giờ", "opens at nine"),
        ("gi%E1%BB%9D-m%E1%BB%9F-c%E1%BB%ADa", "Giờ mở cửa", "lúc chín giờ", "opens at nine"),
        ("fares", "Fares", "Children travel free", "Bicycles"),
        ("children", "Children", "travel free", "four euros"),
        ("harbour-guide", "Harbour guide", "Bicycles", "no such words"),
    ],
)
async def test_a_link_into_a_page_shows_its_section(make_tools, site, fragment, heading, holds, lacks):
    tools = make_tools()
    outcome = await tools.web_fetch(f"{site.origin}/guide.html#{fragment}")
    content = _content(outcome)
    assert content.lstrip("# ").startswith(heading)
    assert holds in content
    assert lacks not in content
    assert outcome.meta["details"]["section"] == heading
    shown = f"{site.origin}/guide.html#{quote(fragment, safe='%-')}"
    assert outcome.text.startswith(f"Fetched {shown} (HTTP 200)\nSource: {outcome.value['sourceId']}\n\n")
    loaded = EvidenceLedger()
    loaded.record_tool_text("web_fetch", outcome.text)
    assert loaded.fetches()[outcome.value["sourceId"]].url == shown


@pytest.mark.parametrize("fragment", ["nowhere", "caf%C3%A9", "%3Cscript%3E"])
async def test_an_unknown_section_gives_the_whole_page_and_says_so(make_tools, site, fragment):
    tools = make_tools()
    whole = await tools.web_fetch(f"{site.origin}/guide.html")
    outcome = await tools.web_fetch(f"{site.origin}/guide.html#{fragment}")
    assert outcome.text == whole.text
    assert outcome.meta["details"]["sectionNotFound"] == fragment
    assert not {"section", "sectionNotFound"} & whole.meta["details"].keys()


async def test_the_whole_page_and_its_sections_take_one_download(make_tools, site):
    tools = make_tools(fetch_max_output_chars=700)
    whole = await tools.web_fetch(f"{site.origin}/guide.html")
    assert whole.text.endswith(NOTICE)
    anchors = [entry["anchor"] for entry in whole.meta["details"]["outline"]]
    assert anchors == ["harbour-guide", "s-17", "giờ-mở-cửa", "fares", "children", "fares-1"]
    sections = [await tools.web_fetch(f"{site.origin}/guide.html#{anchor}") for anchor in (*anchors, "nowhere")]
    assert site.requests == ["/guide.html"]
    assert all(section.meta["details"]["fromCache"] for section in sections)
    assert len({section.value["sourceId"] for section in (whole, *sections)}) == 7  # the unknown one is the page again
    assert "Bicycles cost one euro." in sections[5].text


async def test_sections_asked_for_at_once_take_one_download(make_tools, site):
    tools = make_tools()
    outcomes = await asyncio.gather(
        *(tools.web_fetch(f"{site.origin}/guide.html{end}") for end in ("", "#fares", "#s-17", "#nowhere"))
    )
    assert site.requests == ["/guide.html"]
    assert [outcome.is_error for outcome in outcomes] == [False] * 4


async def test_a_kept_page_serves_the_sections_of_another_process(make_tools, site, tmp_path):
    for fragment in ("", "#fares", "#children"):
        store = SqliteStore(tmp_path / "pages.db")
        assert not (await make_tools(store).web_fetch(f"{site.origin}/guide.html{fragment}")).is_error
        store.close()
    assert site.requests == ["/guide.html"]


async def test_citations_of_a_section_are_checked_against_that_section(make_tools, site):
    tools = make_tools()
    outcome = await tools.web_fetch(f"{site.origin}/guide.html#fares")
    source, content = outcome.value["sourceId"], _content(outcome)
    answer = " ".join(
        format_citation("so", source, words)
        for words in ("A crossing costs four euros.", "The office opens at nine.", "A crossing costs nine euros.")
    )
    inside, elsewhere, invented = verify_citations(answer, tools.evidence).citations
    assert (inside.verified, inside.scope, inside.url) == (True, "shown", f"{site.origin}/guide.html#fares")
    assert content[inside.start : inside.end] == "A crossing costs four euros."
    assert (elsewhere.verified, elsewhere.scope) == (True, "page")
    assert not invented.verified


async def test_a_section_that_is_too_long_is_cut_like_a_page(make_tools, site):
    outcome = await make_tools(fetch_max_output_chars=400).web_fetch(f"{site.origin}/guide.html#fares")
    assert len(outcome.text) == 400
    assert outcome.text.endswith(NOTICE)
    assert outcome.meta["truncated"] is True
    assert "children" in [entry["anchor"] for entry in outcome.meta["details"]["outline"]]


async def test_a_page_cut_only_by_its_header_tells_its_outline_too(make_tools, site):
    size = len(_content(await make_tools().web_fetch(f"{site.origin}/guide.html")))
    outcome = await make_tools(fetch_max_output_chars=size + 10).web_fetch(f"{site.origin}/guide.html")
    assert outcome.text.endswith(NOTICE)
    assert len(outcome.meta["details"]["outline"]) == 6


async def test_a_page_the_provider_cut_tells_its_outline(fakes):
    made = fakes.make(None, fakes.page(html=GUIDE, url=URL, truncated=True))
    outcome = await made.tools.web_fetch(URL)
    assert outcome.text.endswith(NOTICE)
    assert len(outcome.meta["details"]["outline"]) == 6
    whole = await fakes.make(None, fakes.page(html=GUIDE, url=URL)).tools.web_fetch(URL)
    assert "outline" not in whole.meta["details"]


async def test_a_long_outline_stands_in_the_text_and_leads_to_the_sections(make_tools, site):
    options = {"fetch_max_output_chars": 1200, "outline": "long"}
    tools = make_tools(**options)
    outcome = await tools.web_fetch(f"{site.origin}/guide.html")
    content = _content(outcome)
    assert content.startswith("Outline:\n- Harbour guide (#harbour-guide, ")
    assert "\n  - Opening hours (#s-17, " in content
    assert "\n\n# Harbour guide\n\nEverything" in content
    record = tools.evidence.fetches()[outcome.value["sourceId"]]
    assert record.text == content
    plain = await make_tools(fetch_max_output_chars=1200).web_fetch(f"{site.origin}/guide.html")
    assert _content(plain).startswith("# Harbour guide")
    assert plain.value["sourceId"] != outcome.value["sourceId"]
    section = await tools.web_fetch(f"{site.origin}/guide.html#s-17")
    assert _content(section).startswith("## Opening hours")


async def test_a_redirect_keeps_the_fragment(fakes):
    made = fakes.make(None, fakes.page(html=GUIDE, url="https://b.test/moved"))
    outcome = await made.tools.web_fetch(f"{URL}#fares")
    assert outcome.value["url"] == "https://b.test/moved#fares"


async def test_a_section_of_a_seen_page_may_be_fetched(fakes):
    made = fakes.make(None, fakes.page(html=GUIDE, url=URL), fetch_scope="seen")
    made.tools.add_seen_text(f"see {URL}")
    assert (await made.tools.web_fetch(f"{URL}#fares")).value["url"] == f"{URL}#fares"


@pytest.mark.parametrize("fragment", ["tea-time", "Tea%20time"])
async def test_markdown_has_sections_too(make_tools, site, fragment):
    tools = make_tools()
    outcome = await tools.web_fetch(f"{site.origin}/notes#{fragment}")
    assert _content(outcome) == "## Tea time\n\nTea at four.\n\n```\n## not a heading\n```"
    assert outcome.value["url"] == f"{site.origin}/notes#{fragment}"
    checked = verify_citations(format_citation("x", outcome.value["sourceId"], "Last words."), tools.evidence)
    assert checked.citations[0].scope == "page"
    unknown = await tools.web_fetch(f"{site.origin}/notes#not-a-heading")
    assert (_content(unknown), unknown.meta["details"]["sectionNotFound"]) == (NOTES, "not-a-heading")
    assert _content(await tools.web_fetch(f"{site.origin}/notes")) == NOTES


@pytest.mark.parametrize("url", ["https://a.test/Notes.MD?x=1", "https://a.test/notes.markdown"])
async def test_markdown_is_known_by_its_name_where_no_type_is_given(fakes, url):
    made = fakes.make(None, fakes.page(NOTES, url=url))
    assert _content(await made.tools.web_fetch(f"{url}#end")) == "## End\n\nLast words."


async def test_long_markdown_tells_its_outline(fakes):
    text = NOTES + "word " * 300
    for outlined, start in (("off", "# Notes"), ("long", "Outline:\n- Notes (#notes, ")):
        page = fakes.page(text, url="https://a.test/n.md")
        made = fakes.make(None, page, fetch_max_output_chars=600, outline=outlined)
        outcome = await made.tools.web_fetch("https://a.test/n.md")
        assert _content(outcome).startswith(start)
        assert [entry["anchor"] for entry in outcome.meta["details"]["outline"]] == ["notes", "tea-time", "end"]


async def test_plain_text_has_no_sections_and_says_so(make_tools, site):
    outcome = await make_tools().web_fetch(f"{site.origin}/notes.txt#end")
    assert (_content(outcome), outcome.value["url"]) == (NOTES, f"{site.origin}/notes.txt")
    assert outcome.meta["details"]["sectionNotFound"] == "end"


async def test_a_page_of_a_pdf_is_no_missing_section(fakes):
    made = fakes.make(None, fakes.page(pdf=("one",), url="https://a.test/x.pdf#page=3"))
    outcome = await made.tools.web_fetch("https://a.test/x.pdf#page=3")
    assert "sectionNotFound" not in outcome.meta["details"]
    assert outcome.value["url"] == "https://a.test/x.pdf#page=3"


async def test_a_page_that_cannot_be_converted_says_that_its_section_is_missing(fakes):
    def render(html, url, mode):
        raise ValueError("x")

    made = fakes.make(None, fakes.page(html="<p>x</p>"), render=render)
    details = (await made.tools.web_fetch("https://a.test/#end")).meta["details"]
    assert details == {"conversion": "failed", "sectionNotFound": "end"}


IDS = [
    ('<h2 id="own">Words</h2>', "own"),
    ('<h2><span id="inner">Words</span></h2>', "inner"),
    ('<h2><a name="named"></a>Words</h2>', "named"),
    ('<section id="around"><h2>Words</h2><p>x</p></section>', "around"),
    ('<div class="section" id="outer"><div><h2>Words</h2></div></div>', "outer"),
    ('<section id="far"><div><div><div><h2>Words</h2></div></div></div></section>', "words"),
    ('<section id="around">before<h2>Words</h2></section>', "words"),
    ('<section id="around"><p>before</p><h2>Words</h2></section>', "words"),
    ('<article id="around"><h2>Words</h2></article>', "words"),
    ('<h2 id="two words">Words</h2>', "words"),
    ('<h2 id="line\n- [forged](http://evil.test)">Words</h2>', "words"),
    (f'<h2 id="{"long" * 60}">Words</h2>', "words"),
    ('<h2 id="hid&#x200b;den">Words</h2>', "words"),
    ('<h2 id="code"><b>Words</b> &amp; <a href="/x">C#</a></h2>', "code"),
]


@pytest.mark.parametrize(("html", "anchor"), IDS)
def test_a_heading_is_named_by_the_id_that_links_jump_to(html, anchor):
    page = render(f"<main>{html}<p>{'text ' * 30}</p></main>", URL, "full")
    (heading,) = page.outline
    assert heading.anchor == anchor


def test_headings_with_the_same_words_keep_their_own_ids():
    html = '<h2>Notes</h2><p>a</p><h2 id="n2">Notes</h2><p>b</p><h2 id="notes">Notes</h2><p>c</p><h2>Notes</h2><p>d</p>'
    page = render(f"<main>{html}</main>", URL, "full")
    assert [heading.anchor for heading in page.outline] == ["notes", "n2", "notes-1", "notes-2"]
    section = find_section(page.outline, "n2")
    assert section is not None
    assert page.text[section.start : section.start + section.size].split() == ["##", "Notes", "b"]


def test_an_outline_cannot_be_forged_by_a_page():
    hostile = Heading(level=1, text="A\n- B", anchor="x\n- [forged](http://evil.test)", start=0, size=1)
    assert outline_text([hostile], 500).count("\n") == 3
