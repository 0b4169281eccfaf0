"""The tools over the real fetch provider, a search API on the loopback interface, the real ledger and converter."""

import asyncio
import json
from contextlib import asynccontextmanager

import pytest
from markdown_it import MarkdownIt

from hydra_web.errors import WebError
from hydra_web.evidence import EvidenceLedger, verify_citations
from hydra_web.net import HttpFetch
from hydra_web.providers import ExaSearch
from hydra_web.runtime import WebRuntime
from hydra_web.tools import WebTools, WebToolsConfig
from hydra_web.types import WebFetchRequest

PAGES = {
    "/hello": (200, "text/html; charset=utf-8", "<h1>Hello</h1><p>World of <b>pages</b>.</p>"),
    "/text": (200, "text/plain", "plain *text*"),
    "/search": (
        200,
        "application/json",
        json.dumps({"results": [{"url": "https://result.test", "title": "Result", "highlights": ["A passage."]}]}),
    ),
}


@asynccontextmanager
async def site(pages):
    """Serves pages; `/away` redirects to another origin and `/never` does not answer."""

    async def answer(reader, writer):
        path = (await reader.readuntil(b"\r\n\r\n")).split(b" ", 2)[1].decode()
        if path == "/never":
            await reader.read()
            writer.close()
            return
        status, kind, body = pages.get(path, (404, "text/plain", "Not found"))
        extra = ""
        if path == "/away":
            status, extra = 302, "Location: http://127.0.0.1:9/elsewhere\r\n"
        data = body.encode()
        head = f"HTTP/1.1 {status} X\r\nContent-Type: {kind}\r\nContent-Length: {len(data)}\r\n{extra}Connection: close"
        writer.write(f"{head}\r\n\r\n".encode() + data)
        await writer.drain()
        writer.close()
        await writer.wait_closed()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    async with server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"


@asynccontextmanager
async def tools_over(*, granted=True, timeout_ms=30_000, **config):
    async with site(PAGES) as origin, WebRuntime() as web:
        web.register_fetch_provider(HttpFetch(allowed_origins=[origin] if granted else [], timeout_ms=timeout_ms))
        web.register_search_provider(ExaSearch(api_key="k", base_url=origin))
        yield WebTools(web, WebToolsConfig(**config)), origin


async def test_a_page_is_fetched_and_shown_with_a_grant():
    async with tools_over() as (tools, origin):
        outcome = await tools.call("web_fetch", {"url": f"{origin}/hello"})
        assert outcome.text.startswith(f"Fetched {origin}/hello (HTTP 200)\nSource: {outcome.value['sourceId']}\n\n")
        html = MarkdownIt("commonmark").render(outcome.value["body"]["content"])
        assert html == "<h1>Hello</h1>\n<p>World of <strong>pages</strong>.</p>\n"
        assert outcome.meta["details"]["charset"] == "utf-8"


async def test_without_a_grant_the_loopback_interface_is_out_of_reach():
    async with tools_over(granted=False) as (tools, origin):
        outcome = await tools.call("web_fetch", {"url": f"{origin}/hello"})
        assert (outcome.is_error, outcome.error.code) == (True, "WEB_BLOCKED_URL")


async def test_a_missing_page_is_a_result():
    async with tools_over() as (tools, origin):
        outcome = await tools.call("web_fetch", {"url": f"{origin}/nothing"})
        assert not outcome.is_error
        assert "(HTTP 404)" in outcome.text


@pytest.mark.parametrize(
    ("url", "code"), [("ftp://a.test/x", "WEB_INVALID_URL"), ("{origin}/away", "WEB_REDIRECT_BLOCKED")]
)
async def test_refusals_of_the_provider_are_structured(url, code):
    async with tools_over() as (tools, origin):
        outcome = await tools.call("web_fetch", {"url": url.format(origin=origin)})
        assert (outcome.is_error, outcome.error.name, outcome.error.code) == (True, "WebError", code)


async def test_a_search_shows_its_sources():
    async with tools_over() as (tools, _):
        outcome = await tools.call("web_search", {"queries": ["q"]})
        assert "- [Result](https://result.test) — A passage." in outcome.text


async def test_the_tools_time_out_comes_before_the_providers():
    async with tools_over(fetch_timeout_ms=50) as (tools, origin):
        outcome = await tools.call("web_fetch", {"url": f"{origin}/never"})
        assert outcome.error.code == "TOOL_TIMEOUT"
        assert "timed out after 50ms" in outcome.text


async def test_a_provider_called_directly_has_its_own_time_out():
    async with tools_over(timeout_ms=50) as (tools, origin):
        with pytest.raises(WebError) as caught:
            await tools.web.fetch(WebFetchRequest(url=f"{origin}/never"))
        assert caught.value.code == "WEB_FETCH_TIMEOUT"


async def test_what_was_fetched_can_be_cited():
    ledger = EvidenceLedger()
    async with tools_over() as (tools, origin):
        outcome = await WebTools(tools.web, evidence=ledger).call("web_fetch", {"url": f"{origin}/hello"})
    source = outcome.value["sourceId"]
    report = verify_citations(f'[a](hydra-cite://{source} "Hello") [b](hydra-cite://{source} "invented")', ledger)
    assert [citation.verified for citation in report.citations] == [True, False]
    transcript = EvidenceLedger()
    transcript.record_tool_text("web_fetch", outcome.text)
    assert list(transcript.fetches()) == [source]


async def test_text_pages_pass_through():
    async with tools_over() as (tools, origin):
        outcome = await tools.web_fetch(f"{origin}/text")
        assert outcome.value["body"] == {"kind": "text", "content": "plain *text*"}


async def test_a_link_into_a_page_shows_its_section(fakes):
    html = "<h1>Top</h1><p>intro</p><h2 id='m'>Menu</h2><p>tea</p><h2>Far end</h2><p>bye</p>"
    made = fakes.make(None, fakes.page(html=html, url="https://a.test/"), content="full")
    for fragment, part in (("m", "## Menu\n\ntea"), ("far-end", "## Far end\n\nbye")):
        outcome = await made.tools.web_fetch(f"https://a.test/#{fragment}")
        assert outcome.text.endswith(f"\n\n{part}")
        assert outcome.value["url"] == f"https://a.test/#{fragment}"


HOSTILE = {
    "nested": "<div>" * 20_000 + "deep" + "</div>" * 20_000,
    "comments": "<div><!-- </div> --></span>" * 600,
    "open tags": "<a" * 100_000,
    "wide cell": "<table><tr><th colspan=1000000>A</th></tr><tr><td>B</td></tr></table>",
    "unfinished comment": "<p>x<!-- never",
    "unfinished script": "<script>let a",
    "empty": "",
}


@pytest.mark.parametrize("html", HOSTILE.values(), ids=HOSTILE)
async def test_hostile_pages_stay_within_bounds(fakes, html):
    made = fakes.make(None, fakes.page(html=html), content="full")
    outcome = await made.tools.call("web_fetch", {"url": "https://a.test"})
    assert not outcome.is_error
    assert len(outcome.text) <= 200_000
    assert ("deep" in outcome.text) == ("deep" in html)
