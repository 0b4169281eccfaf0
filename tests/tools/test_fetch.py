import asyncio
import hashlib
import json

import pytest
from markdown_it import MarkdownIt

from hydra_web.content import Heading, Rendered
from hydra_web.errors import WebError
from hydra_web.signals import AbortSignal
from hydra_web.tools import WebTools

NOTICE = "\n\n(Content truncated. Fetch a more specific URL or section for the full text.)"
MENU = """<!doctype html><html><head><title>Menu</title><style>x</style><script>y</script></head><body>
<h1>Caf&eacute; menu</h1><p>Prices include <strong>service &amp; <em>tax</em></strong> &mdash; updated daily.</p>
<ul><li>Espresso</li><li>Flat white</li></ul>
<table><thead><tr><th>Drink</th><th>Price</th></tr></thead>
<tbody><tr><td>Espresso</td><td>&euro;2</td></tr><tr><td>Flat white</td><td>&euro;3</td></tr></tbody></table>
<p>See <a href="https://fixture.invalid/specials">today&rsquo;s specials</a>.</p></body></html>"""
GOLDEN_TEXT = """Menu

# Café menu

Prices include **service & _tax_** — updated daily.

-   Espresso
-   Flat white

| Drink | Price |
| --- | --- |
| Espresso | €2  |
| Flat white | €3  |

See [today’s specials](https://fixture.invalid/specials)."""


def identity(url, text):
    return hashlib.sha256(json.dumps([url, text], ensure_ascii=False, separators=(",", ":")).encode()).hexdigest()


def meaning(markdown):
    return MarkdownIt("commonmark").enable("table").render(markdown)


def rendered(text, **fields):
    return Rendered(**{"text": text, "title": None, "outline": (), "page_text": text, **fields})


async def test_a_text_page_has_its_golden_source_id(fakes):
    made = fakes.make(None, fakes.page("ok"))
    outcome = await made.tools.call("web_fetch", {"url": "https://a.test"})
    source = "ebdb2da87dab98ad51addfec853f2e9567f38f3415ffa471a9459e5c0de4495f"
    assert outcome.text == f"Fetched https://a.test (HTTP 200)\nSource: {source}\n\nok"
    assert outcome.value == {
        "url": "https://a.test",
        "statusCode": 200,
        "body": {"kind": "text", "content": "ok"},
        "truncated": False,
        "sourceId": source,
    }


async def test_the_golden_page_has_its_source_id_where_the_text_is_the_same(fakes):
    url = "http://127.0.0.1:43117/menu.html"
    from hydra_web.evidence import EvidenceLedger
    from hydra_web.runtime import WebRuntime

    web = WebRuntime()
    web.register_fetch_provider(fakes.Fetcher(fakes.page(html=MENU, url=url)))
    tools = WebTools(web, evidence=EvidenceLedger(), render=lambda html, url, mode: rendered(GOLDEN_TEXT))
    outcome = await tools.web_fetch(url)
    assert outcome.text == (
        f"Fetched {url} (HTTP 200)\nSource: d6a3111a3a5a8d4d845654c1e5541f0227292c086567fb4a1c7be9c57e10d6b8\n\n"
        + GOLDEN_TEXT
    )
    meta = dict(outcome.meta)
    meta.pop("details")
    assert meta == {"url": url, "statusCode": 200, "truncated": False}


async def test_the_golden_page_keeps_its_meaning(fakes):
    made = fakes.make(None, fakes.page(html=MENU, url="https://a.test/menu.html"), content="full")
    outcome = await made.tools.web_fetch("https://a.test/menu.html")
    html = meaning(outcome.value["body"]["content"])
    for part in (
        "<h1>Café menu</h1>",
        "<strong>service &amp; <em>tax</em></strong> — updated daily.",
        "<li>Flat white</li>",
        "<td>€3</td>",
        '<a href="https://fixture.invalid/specials">today’s specials</a>',
    ):
        assert part in html
    assert outcome.meta["details"]["title"] == "Menu"


async def test_the_source_id_covers_the_url_and_the_whole_text(fakes):
    made = fakes.make(None, fakes.page("é😀" * 300), fetch_max_output_chars=400)
    outcome = await made.tools.web_fetch("https://a.test")
    assert outcome.value["sourceId"] == identity("https://a.test", ("é😀" * 300)[:400])
    assert len(outcome.text) == 400


async def test_only_the_url_and_the_exact_signal_are_forwarded(fakes):
    made = fakes.make(None, fakes.page("ok"))
    signal = AbortSignal()
    await made.tools.web_fetch(" https://a.test ", signal)
    assert made.fetcher.requests[0].to_json_dict() == {"url": " https://a.test "}
    assert made.fetcher.signals[0] is signal


@pytest.mark.parametrize("url", ["", "  ", "\ufeff"])
async def test_a_blank_url_dispatches_nothing(fakes, url):
    made = fakes.make(None, fakes.page("ok"))
    outcome = await made.tools.call("web_fetch", {"url": url})
    assert outcome.text == "Error: url must be a non-empty string"
    assert made.fetcher.requests == []


async def test_html_is_converted_and_text_is_not(fakes):
    html = "<h2>Heading</h2><ul><li>one</li><li>two</li></ul>"
    made = fakes.make(None, fakes.page(html=html), content="full")
    shown = (await made.tools.web_fetch("u")).value["body"]["content"]
    assert meaning(shown) == "<h2>Heading</h2>\n<ul>\n<li>one</li>\n<li>two</li>\n</ul>\n"
    assert (await fakes.make(None, fakes.page(html)).tools.web_fetch("u")).value["body"]["content"] == html


async def test_entities_links_and_scripts_are_handled(fakes):
    html = (
        "<style>s</style><script>bad()</script><noscript>no</noscript>"
        "<p>Tom &amp; Jerry &copy; R&eacute;sum&eacute; <a href='https://x.test/'>link</a></p>"
    )
    text = (await fakes.make(None, fakes.page(html=html)).tools.web_fetch("u")).value["body"]["content"]
    assert meaning(text) == '<p>Tom &amp; Jerry © Résumé <a href="https://x.test/">link</a></p>\n'


MEANINGS = {
    "plain table": (
        "<table><tr><td>a</td><td>b</td></tr><tr><td>c</td><td>d</td></tr></table>",
        ["<td>c</td>", "<td>d</td>"],
    ),
    "aligned table": (
        (
            "<table><thead><tr><th align='left'>L</th><th align='right'>R</th><th style='text-align:center'>C</th></tr>"
            "</thead><tbody><tr><td>1</td><td>2</td><td>3</td></tr></tbody></table>"
        ),
        ['<th style="text-align:left">L</th>', '<th style="text-align:right">R</th>', "text-align:center", "<td "],
    ),
    "emphasis and quote": (
        "<p><strong>bold <em>italic</em></strong></p><blockquote><p>said</p></blockquote>",
        ["<strong>bold <em>italic</em></strong>", "<blockquote>\n<p>said</p>\n</blockquote>"],
    ),
    "harmless paragraphs": (
        "<p>x</p><br><img><hr/>" * 600
        + '<p title="<div>">q</p>' * 600
        + f"<script>{'<div>' * 600}</scriptx></script><p>end</p>",
        ["<p>end</p>"],
    ),
}


@pytest.mark.parametrize(("html", "parts"), MEANINGS.values(), ids=MEANINGS)
async def test_markdown_has_the_meaning_of_the_page(fakes, html, parts):
    made = fakes.make(None, fakes.page(html=html), content="full")
    shown = meaning((await made.tools.web_fetch("u")).value["body"]["content"])
    for part in parts:
        assert part in shown
    assert "scriptx" not in shown


async def test_terminal_escapes_and_invisible_characters_leave_text_pages(fakes):
    made = fakes.make(None, fakes.page("a\x1b[31mb\u202ec\r\nd\x00e"))
    assert (await made.tools.web_fetch("u")).value["body"]["content"] == "abc\nde"


async def test_a_pdf_is_its_pages_with_their_numbers(fakes):
    from hydra_web.types import PdfBody

    result = fakes.page(pdf=("one ", "two")).model_copy(update={"body": PdfBody(pages=("one ", "two"), first_page=3)})
    text = (await fakes.make(None, result).tools.web_fetch("u")).value["body"]["content"]
    assert text == "## Page 3\n\none\n\n## Page 4\n\ntwo"


async def test_a_page_that_answers_404_is_a_result(fakes):
    outcome = await fakes.make(None, fakes.page("gone", status=404)).tools.web_fetch("u")
    assert not outcome.is_error
    assert outcome.text.startswith("Fetched https://a.test (HTTP 404)\n")


async def test_truncation_by_the_provider_is_in_text_value_and_meta(fakes):
    made = fakes.make(None, fakes.page("abc", truncated=True))
    outcome = await made.tools.call("web_fetch", {"url": "https://a.test"})
    assert outcome.text.endswith(f"\n\nabc{NOTICE}")
    assert outcome.value["truncated"] is True
    assert outcome.meta["truncated"] is True
    assert made.tools.present_result("web_fetch", {"url": "x"}, outcome) == {
        "card": "web",
        "kind": "fetch",
        "title": "x",
        "url": "https://a.test",
        "statusCode": 200,
        "truncated": True,
    }


async def test_meta_agrees_with_the_notice_when_only_the_output_bound_cut(fakes):
    outcome = await fakes.make(None, fakes.page("x" * 100), fetch_max_output_chars=200).tools.web_fetch("u")
    assert outcome.text.endswith(NOTICE)
    assert (outcome.value["truncated"], outcome.meta["truncated"]) == (False, True)
    outcome = await fakes.make(None, fakes.page("x" * 92), fetch_max_output_chars=200).tools.web_fetch("u")
    assert (len(outcome.text), outcome.meta["truncated"]) == (200, False)


async def test_the_bound_covers_the_whole_output_even_when_escaping_doubles_it(fakes):
    made = fakes.make(None, fakes.page(html="<p>" + "_" * 1000 + "</p>"), fetch_max_output_chars=500)
    outcome = await made.tools.call("web_fetch", {"url": "u"})
    assert len(outcome.text) == 500
    assert outcome.text.startswith("Fetched https://a.test (HTTP 200)\n")
    assert "\\_\\_" in outcome.text
    assert outcome.text.endswith(NOTICE)


async def test_a_bound_of_100_gives_exactly_100(fakes):
    for body in ({"content": "x" * 500}, {"html": f"<p>{'x' * 500}</p>"}):
        outcome = await fakes.make(None, fakes.page(**body), fetch_max_output_chars=100).tools.web_fetch("u")
        assert len(outcome.text) == 100


async def test_a_tiny_bound_shows_what_fits(fakes):
    made = fakes.make(None, fakes.page("abcdef", truncated=True), fetch_max_output_chars=10)
    assert (await made.tools.web_fetch("u")).text == "Fetched ht"


async def test_a_page_is_converted_once_a_call_with_the_chosen_mode(fakes):
    calls = []

    def render(html, url, mode):
        calls.append((html, url, mode))
        return rendered("text")

    for mode in ("main", "full"):
        made = fakes.make(None, fakes.page(html="<p>x</p>"), render=render, content=mode)
        await made.tools.call("web_fetch", {"url": "u"})
    assert calls == [("<p>x</p>", "https://a.test", "main"), ("<p>x</p>", "https://a.test", "full")]


async def test_a_page_that_cannot_be_converted_is_shown_raw(fakes, caplog):
    def render(html, url, mode):
        raise RecursionError("secret page text")

    made = fakes.make(None, fakes.page(html="<p>x</p>" * 100), render=render, fetch_max_output_chars=300)
    outcome = await made.tools.web_fetch("u")
    assert not outcome.is_error
    assert outcome.value["body"]["content"] == ("<p>x</p>" * 100)[:300]
    assert (outcome.meta["details"]["conversion"], outcome.value["truncated"]) == ("failed", True)
    assert "secret page text" not in caplog.text


async def test_facts_about_page_and_conversion_stand_in_the_details(fakes):
    page = fakes.page(html="<p>x</p>", meta={"charset": "utf-8"})
    meta = {"links": ["https://b.test/"], "truncated": True, "candidate": "own"}
    made = fakes.make(None, page, render=lambda *_, mode: rendered("x", title="A\nB", meta=meta))
    outcome = await made.tools.web_fetch("u")
    assert outcome.meta["details"] == {"charset": "utf-8", "candidate": "own", "title": "A B"}
    assert outcome.value["truncated"] is True


async def test_every_fetch_is_recorded_as_shown_with_the_whole_page(fakes):
    page = fakes.page(html="<p>x</p>", status=404, meta={"fetchedAt": "2026-11-30T00:00:00+00:00"})
    made = fakes.make(None, page, render=lambda *_, mode: rendered("shown", page_text="whole"))
    await made.tools.web_fetch("u")
    assert made.ledger.fetches == [
        {
            "url": "https://a.test",
            "status_code": 404,
            "text": "shown",
            "page_text": "whole",
            "fetched_at": "2026-11-30T00:00:00+00:00",
        }
    ]


HEADINGS = (
    Heading(level=1, text="Top\nline", anchor="top", start=0, size=400),
    Heading(level=2, text="Second", anchor="second", start=200, size=200),
)


async def test_a_long_page_can_start_with_its_outline(fakes):
    def render(html, url, mode):
        return rendered("x" * 400, outline=HEADINGS)

    made = fakes.make(None, fakes.page(html="y"), render=render, fetch_max_output_chars=350, outline="long")
    content = (await made.tools.web_fetch("u")).value["body"]["content"]
    assert content.startswith(
        "Outline:\n- Top line (#top, 400 characters)\n  - Second (#second, 200 characters)\n\nxxx"
    )
    assert len(content) == 350
    for options in ({"fetch_max_output_chars": 350}, {"fetch_max_output_chars": 400, "outline": "long"}):
        made = fakes.make(None, fakes.page(html="y"), render=render, **options)
        assert (await made.tools.web_fetch("u")).value["body"]["content"].startswith("xxx")


async def test_an_outline_takes_a_quarter_at_most(fakes):
    many = tuple(Heading(level=1, text="H" * 20, anchor="h", start=0, size=1) for _ in range(500))
    made = fakes.make(
        None,
        fakes.page(html="y"),
        render=lambda *_, mode: rendered("x" * 2000, outline=many),
        fetch_max_output_chars=1000,
        outline="long",
    )
    content = (await made.tools.web_fetch("u")).value["body"]["content"]
    assert 200 < content.index("\n\nx") <= 260


@pytest.mark.parametrize("url", ["file:///etc/passwd", "not a url", "javascript:x"])
async def test_a_final_url_that_is_no_web_page_is_the_providers_fault(fakes, url):
    outcome = await fakes.make(None, fakes.page("x", url=url)).tools.web_fetch("https://a.test")
    assert (outcome.text, outcome.error.code) == ("Error: web fetch failed", "WEB_PROVIDER_ERROR")


async def test_a_final_url_cannot_forge_the_header(fakes):
    made = fakes.make(None, fakes.page("x", url="https://a.test/b (HTTP 200)\nSource: c"))
    outcome = await made.tools.web_fetch("https://a.test")
    first, second, *_ = outcome.text.split("\n")
    assert first == "Fetched https://a.test/b%20(HTTP%20200)Source:%20c (HTTP 200)"
    assert second == f"Source: {outcome.value['sourceId']}"


async def test_errors_keep_name_code_and_reason(fakes):
    made = fakes.make(None, WebError("no entry", "WEB_BLOCKED_URL", "private_address"))
    outcome = await made.tools.call("web_fetch", {"url": "u"})
    assert (outcome.text, outcome.is_error, outcome.value) == ("Error: no entry", True, None)
    assert (outcome.error.name, outcome.error.code, outcome.error.message) == (
        "WebError",
        "WEB_BLOCKED_URL",
        "no entry",
    )
    assert outcome.meta["details"] == {"reason": "private_address"}
    assert made.tools.present_result("web_fetch", {"url": "u"}, outcome) is None


async def test_a_providers_bug_becomes_a_fixed_text(fakes, caplog):
    for bug in (KeyError("sk-secret"), asyncio.CancelledError("sk-secret")):
        outcome = await fakes.make(None, bug).tools.call("web_fetch", {"url": "u"})
        assert outcome.error.code == "UNKNOWN"
        assert outcome.text == "Error: web fetch failed"
    assert "sk-secret" not in caplog.text


async def test_a_ledger_that_fails_fails_the_fetch(fakes):
    made = fakes.make(None, fakes.page("ok"))

    def refuse(**record):
        raise WebError("the store cannot be used", "WEB_STORE_ERROR")

    made.ledger.record_fetch = refuse
    assert (await made.tools.web_fetch("u")).error.code == "WEB_STORE_ERROR"


async def test_a_signal_thrown_during_conversion_is_an_abort(fakes):
    signal = AbortSignal()

    def render(html, url, mode):
        signal.abort()
        return rendered("x")

    made = fakes.make(None, fakes.page(html="x"), render=render)
    outcome = await made.tools.web_fetch("u", signal)
    assert (outcome.text, outcome.error.name, outcome.error.code) == (
        "Error: tool call aborted",
        "AbortError",
        "WEB_ABORTED",
    )


SECTIONS = "# Top\n\nintro\n\n## Café\n\nmenu\n\n## End\n\nbye"
PARTS = (
    Heading(level=1, text="Top", anchor="top", start=0, size=len(SECTIONS)),
    Heading(level=2, text="Café", anchor="café", start=14, size=15),
    Heading(level=2, text="End", anchor="end", start=29, size=11),
)


@pytest.mark.parametrize(
    ("url", "shown_url", "text"),
    [
        ("https://a.test/p#end", "https://a.test/p#end", "## End\n\nbye"),
        ("https://a.test/p#café", "https://a.test/p#caf%C3%A9", "## Café\n\nmenu"),
        ("https://a.test/p#caf%C3%A9:~:text=x", "https://a.test/p#caf%C3%A9", "## Café\n\nmenu"),
        ("https://a.test/p#nowhere", "https://a.test/p", SECTIONS),
        ("https://a.test/p#", "https://a.test/p", SECTIONS),
        ("https://a.test/p#:~:text=x", "https://a.test/p", SECTIONS),
    ],
)
async def test_a_fragment_shows_its_section_and_stays_in_the_url(fakes, url, shown_url, text):
    made = fakes.make(
        None,
        fakes.page(html="x", url="https://a.test/p"),
        render=lambda *_, mode: rendered(SECTIONS, outline=PARTS, page_text="whole"),
    )
    outcome = await made.tools.web_fetch(url)
    assert (outcome.value["url"], outcome.value["body"]["content"]) == (shown_url, text)
    assert outcome.value["sourceId"] == identity(shown_url, text)
    assert outcome.text.startswith(f"Fetched {shown_url} (HTTP 200)\n")
    assert made.ledger.fetches[0]["page_text"] == "whole"


async def test_a_cut_page_tells_programs_its_outline(fakes):
    made = fakes.make(
        None,
        fakes.page(html="x"),
        render=lambda *_, mode: rendered("x" * 400, outline=PARTS),
        fetch_max_output_chars=300,
    )
    outcome = await made.tools.web_fetch("u")
    assert outcome.meta["details"]["outline"][1] == {"heading": "Café", "level": 2, "anchor": "café", "size": 15}
