"""The main content is found, and a page whose main content cannot be told apart is shown whole."""

import pytest

from hydra_web.content import render
from hydra_web.content._choose import choose_main
from hydra_web.content._hints import Hint, hints
from hydra_web.content._readability import readability_node
from hydra_web.content._sanitise import text_length
from hydra_web.content._tree import parse_html
from hydra_web.content._weigh import weigh

SENTENCE = (
    "The committee met on Tuesday, heard three reports, and agreed to publish its findings before the end of May. "
)
PROSE = "".join(f"<p>{n}. {SENTENCE * 3}</p>" for n in range(6))
FRAME = (
    "<header><a href='/'>Home</a></header><nav><ul><li><a href='/a'>Alpha</a><li><a href='/b'>Beta</a></ul></nav>{}"
    "<aside class='related'><h3>Related</h3><ul><li><a href='/c'>Gamma story</a><li><a href='/d'>Delta story</a>"
    "<li><a href='/e'>Epsilon story</a></ul></aside><footer>Copyright Example</footer>"
)
ARTICLE = '<meta property="og:type" content="article">'


def page(content: str, head: str = "") -> str:
    return f"<html><head><title>T</title>{head}</head><body>{FRAME.format(content)}</body></html>"


def test_an_article_is_shown_without_its_frame():
    shown = render(page(f"<article><h1>Findings</h1>{PROSE}</article>", ARTICLE), "https://news.test/x")
    assert shown.meta["candidate"] == "article"
    assert shown.text.count("committee") == 18
    for word in ("Home", "Alpha", "Gamma", "Copyright"):
        assert word not in shown.text
        assert word in shown.page_text
    assert 0.5 < shown.meta["share"] < 1


def test_the_whole_page_is_shown_in_full_mode():
    shown = render(page(f"<article>{PROSE}</article>"), "https://news.test/x", "full")
    assert shown.meta["candidate"] == "body"
    assert shown.meta["share"] == 1.0
    assert "[Alpha](https://news.test/a)" in shown.text


def test_cards_of_a_listing_are_all_shown():
    cards = "".join(f"<div class=card><h3>Item {n}</h3><p>Short description {n}</p></div>" for n in range(12))
    shown = render(page(cards), "https://shop.test/list")
    assert all(f"Item {n}" in shown.text for n in range(12))


def test_comments_are_left_out_of_an_article_and_kept_in_a_forum():
    comments = f"<div class='comments'>{'<div><p>A reader writes a short remark here, with words.</p></div>' * 3}</div>"
    html = page(f"<article><h1>Findings</h1>{PROSE}</article>{comments}", ARTICLE)
    assert "A reader" not in render(html, "https://news.test/x").text
    assert "A reader" in render(page(f"<div>{PROSE}</div>{comments}"), "https://site.test/forum/thread-1").text


def test_refinement_drops_labels_and_link_boxes_from_an_article():
    boxes = "<div class=x><a href='/1'>One more story</a> <a href='/2'>Another</a></div><div>Share this</div>"
    shown = render(
        page(f"<article><h1>F</h1>{PROSE}{boxes}<div><pre>code</pre></div></article>", ARTICLE), "https://n.test/"
    )
    assert "One more" not in shown.text
    assert "Share this" not in shown.text
    assert "code" in shown.text


@pytest.mark.parametrize(
    "html",
    [
        "<p>Short.</p>",
        "<nav><a href='/a'>Only navigation</a></nav>",
        "<footer>Only a footer</footer>",
        "<div class='sidebar menu'>" + "words and words " * 60 + "</div>",
        "<form><p>" + "A long form text, all of the page. " * 20 + "</p></form>",
        "<div role=dialog>" + "All in a dialog, so it is. " * 40 + "</div>",
    ],
)
def test_a_page_with_text_never_comes_out_empty(html):
    shown = render(html, "https://site.test/")
    assert len(shown.text) >= 0.5 * len(shown.page_text) > 0


def test_rules_are_relaxed_when_names_would_leave_almost_nothing():
    blocks = "".join(f"<div class='sidebar'><p>{n} {SENTENCE * 2}</p></div>" for n in range(9))
    assert render(f"<body>{blocks}</body>", "https://site.test/").text.count("committee") == 18


def test_data_left_in_the_page_is_no_content():
    data = '[{"type":"refinement","text":"Deals"},' * 40
    shown = render(page(f"<article>{PROSE}</article><div>{data}</div>"), "https://site.test/")
    assert "refinement" not in shown.text


def test_a_heading_less_text_gets_the_title_and_front_matter_is_optional():
    head = '<meta name="author" content="Ann"><meta property="article:published_time" content="2024-05-01">'
    html = f"<html><head><title>My page</title>{head}</head><body>{PROSE}</body></html>"
    assert render(html, "https://site.test/").text.startswith("# My page\n\n")
    front = render(html, "https://site.test/", front_matter=True)
    assert front.text.startswith('---\ntitle: "My page"\nauthor: "Ann"\npublished: "2024-05-01"\n---\n\n# My page\n')
    assert front.text[front.outline[0].start :].startswith("# My page")
    assert render("<p>a</p>", "https://site.test/", front_matter=True).text == "a"


def test_structured_data_states_author_and_date():
    data = '{"@type":"NewsArticle","author":[{"@type":"Person","name":"B\\u00e9a"}],"datePublished":"2024-01-02"}'
    html = f'<script type="application/ld+json">{data}</script><p>a</p>'
    assert 'author: "Béa"\npublished: "2024-01-02"' in render(html, "https://s.test/", front_matter=True).text


def test_picture_descriptions_are_shown_where_they_add_something():
    pictures = "<img src=a alt='A view of the harbour'><a href=/x><img src=b alt=Teaser></a>"
    html = page(f"<article><h1>F</h1>{PROSE}{pictures}</article>")
    text = render(html, "https://site.test/").text
    assert "[image: A view of the harbour]" in text
    assert "Teaser" not in text
    told = "<img src=a alt='Findings published before Tuesday'><img src=b alt='Photographed by harbour police'>"
    text = render(page(f"<article><h1>F</h1>{PROSE}{told}</article>"), "https://site.test/").text
    assert "Findings published" not in text
    assert "by harbour police" in text
    gallery = "".join(f"<img src={n} alt='A long description of picture number {n}'>" for n in range(30))
    assert "[image:" not in render(page(f"<article>{PROSE}{gallery}</article>"), "https://site.test/").text
    assert "[image:" not in render(page(f"<article>{PROSE}{'<img alt=a>' * 600}</article>"), "https://site.test/").text


def test_a_repeated_caption_of_an_article_is_written_once():
    caption = "<p>The committee in front of the harbour office, photographed on Tuesday morning.</p>"
    content = f"<article><h1>F</h1>{caption}{PROSE}{caption}<p>Short.</p><p>Short.</p></article>"
    text = render(page(content, ARTICLE), "https://n.test/").text
    assert text.count("harbour office") == 1
    assert text.count("Short.") == 2
    assert render(page(content), "https://n.test/").text.count("harbour office") == 2


def test_links_and_a_markdown_version_are_reported():
    head = '<link rel="alternate" type="text/markdown" href="/x.md">'
    meta = render(page("<a href='/a#x'>a</a><a href='mailto:a@b.test'>m</a>", head), "https://site.test/x").meta
    assert meta["alternateMarkdown"] == "https://site.test/x.md"
    assert meta["links"][0] == "https://site.test/"
    assert len(meta["links"]) == len(set(meta["links"])) == 6
    many = "".join(f"<a href='/{n}'>x</a>" for n in range(3000))
    assert len(render(many, "https://site.test/").meta["links"]) == 2000


@pytest.mark.parametrize(
    ("names", "identifier", "expected"),
    [
        ("site-nav", "", Hint.BOILERPLATE),
        ("megaMenu", "", Hint.BOILERPLATE),
        ("navBar", "", Hint.BOILERPLATE),
        ("recommended-items", "", Hint.BOILERPLATE),
        ("", "comments", Hint.COMMENTS),
        ("disqus_thread", "", Hint.COMMENTS),
        ("article-body", "", Hint.CONTENT),
        ("", "sharing-with-a-single-developer", 0),
        ("plain", "", 0),
    ],
)
def test_hints(names, identifier, expected):
    assert hints(names, identifier) == expected


def _chosen(html: str, kind: str):
    body = parse_html(html).find("body")
    return choose_main(body, weigh(body)[0], kind)


def test_readability_gives_a_second_opinion_where_our_article_is_in_doubt():
    scattered = "".join(f"<section><div><p>{SENTENCE * 2}</p></div></section>" for _ in range(12))
    choice = _chosen(f"<body><div>{scattered}</div></body>", "article")
    assert choice.candidate in ("article", "readability", "pruned")
    assert choice.length > 0


def test_readability_works_on_our_tree():
    """Holds the contract with readability-lxml: `_parse` and `get_clean_html` are where its subclass hooks in."""
    root = parse_html(page(f"<article>{PROSE}</article>"))
    skip = {root.find(".//nav")}
    node = readability_node(root, skip)
    assert text_length(node) > 1500
    assert "Alpha" not in "".join(node.itertext())
    assert "data-hydra-skip" not in root.find(".//nav").attrib
    assert root.find(".//article") is not None


def test_readability_leaves_large_pages_and_failures_alone(monkeypatch):
    assert readability_node(parse_html("<p>x</p>" * 15_001)) is None

    def fail(*args, **kwargs):
        raise ValueError

    monkeypatch.setattr("hydra_web.content._readability._SharedDocument.summary", fail)
    assert readability_node(parse_html("<p>x</p>")) is None


@pytest.mark.parametrize(
    "heading",
    [
        '<h2 id="Cafe_menu">Café menu</h2>',
        '<h2><span id="Café_menu">Café menu</span></h2>',
        '<div class="mw-heading"><h2 id="Café_menu">Café menu</h2></div>',
    ],
)
def test_the_id_of_a_heading_names_its_section_and_no_purpose(heading: str):
    shown = render(page(f"<article><h1>Town</h1>{PROSE}{heading}{PROSE}</article>", ARTICLE), "https://news.test/x")
    assert "## Café menu" in shown.text.splitlines()


def test_a_heading_whose_class_names_a_purpose_is_left_out():
    boxed = page(f'<article><h1>Town</h1>{PROSE}<h2 class="related">More</h2>{PROSE}</article>', ARTICLE)
    assert "## More" not in render(boxed, "https://news.test/x").text


FIGURE = "<figure><img src=a alt='A view of the harbour'><figcaption>The harbour on Tuesday</figcaption></figure>"


def test_captions_are_shown_with_their_pictures_only():
    html = page(f"<article><h1>F</h1>{PROSE}{FIGURE}<div class=caption><h2>Kept</h2></div></article>", ARTICLE)
    alone = render(html, "https://n.test/").text
    assert "The harbour" not in alone
    assert "A view" not in alone
    assert "Kept" in alone
    pictured = render(html, "https://n.test/", images=True).text
    assert "A view of the harbour" in pictured
    assert "The harbour on Tuesday" in pictured
    assert "The harbour" in render(page(f"<article>{PROSE}{FIGURE}</article>"), "https://site.test/").text


TEASER = "<p>Read more: <a href=/{0}>What came before the meeting {0}</a></p>"


def test_a_few_teasers_are_left_out_of_an_article_and_a_list_of_them_is_kept():
    listed = f"<p>Missed<br>{' <br>'.join(f'<a href=/{n}>Another story of note</a>' for n in range(4))}</p>"
    few = f"<article><h1>F</h1>{PROSE}{TEASER.format(1)}{listed}<p>See: <a href=/x>Minutes</a></p></article>"
    text = render(page(few, ARTICLE), "https://n.test/").text
    assert "What came" not in text
    assert "Another story" not in text
    assert "Minutes" in text
    teasers = "".join(TEASER.format(n) for n in range(6))
    text = render(page(f"<article><h1>F</h1>{PROSE}{teasers}</article>", ARTICLE), "https://n.test/").text
    assert text.count("What came") == 6


def test_an_article_is_cut_close_to_its_prose():
    head = "<div><h1>Findings</h1><span>Ann Example, staff</span> <span>Tuesday, the second of May</span></div>"
    html = page(f"<article>{head}<div class=text>{PROSE}</div></article>", ARTICLE)
    text = render(html.replace("<title>T", "<title>Findings - News"), "https://n.test/").text
    assert text.startswith("# Findings")
    assert "staff" not in text


def test_the_title_goes_without_the_name_of_the_site():
    def title(head: str, body: str) -> str | None:
        return render(f"<title>{head}</title>{body}<p>{SENTENCE}</p>", "https://s.test/").title

    assert title("The committee's findings - Example News", "<h1>The committee's findings</h1>") == (
        "The committee's findings"
    )
    assert title("Example: the committee's findings", "<h1>Example</h1>") == "Example: the committee's findings"


def test_questions_and_answers_of_a_page_make_no_forum():
    data = '<script type="application/ld+json">[{"@type":"FAQPage"},{"@type":"Question"}]</script>'
    comments = f"<div class='comments'>{'<p>A reader writes a short remark here, with words.</p>' * 3}</div>"
    html = page(f"<article><h1>F</h1>{PROSE}</article>{comments}", data)
    assert "A reader" not in render(html, "https://site.test/x").text
    assert "A reader" not in render(html, "https://site.test/blog/topics/x").text


def test_the_larger_choice_is_shown_where_pruning_leaves_little_unless_it_adds_links_only():
    def text(promoted: str) -> str:
        short = f"<main><p>{SENTENCE * 3}</p></main>"
        boxes = "".join(f"<div class=promo>{promoted * 4}</div>" for _ in range(6))
        return render(f"<body>{short}{boxes}</body>", "https://site.test/").text

    assert "Item" in text("<p>Item of a long list, with a word or two about what it is good for.</p>")
    assert "Item" not in text("<p><a href=/x>Item of a long list, with a word or two about it.</a></p>")


def test_a_line_is_no_article():
    line = f"<div><p>{SENTENCE}</p></div>"
    cards = "".join(f"<div class=card><h3>Item {n}</h3><p>Short note {n}</p></div>" for n in range(12))
    assert "Item 11" in render(page(line + cards, ARTICLE), "https://n.test/").text


def test_readability_is_asked_where_our_article_is_a_small_part():
    broken = "<br><br>".join(f"{n}. {SENTENCE}" for n in range(8))
    html = page(f"<div class=entry>{broken}<div><p>{SENTENCE * 2}</p></div></div>", ARTICLE)
    assert render(html, "https://n.test/").text.count("committee") == 10


def test_a_title_among_the_first_lines_becomes_the_heading():
    text = render(f"<title>My page</title><p>By Ann</p><p>My page</p>{PROSE}", "https://site.test/").text
    assert text.startswith("By Ann\n\n# My page\n\n")
    assert text.count("My page") == 1
