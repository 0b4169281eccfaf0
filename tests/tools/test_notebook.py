import lxml.html
import pytest

from hydra_web.types import WebSearchResult, WebSearchSource

HOSTILE = "<script>x</script>\"'><img src=//evil.test>\u202e"


def parse(html):
    root = lxml.html.fromstring(f"<div>{html}</div>")
    assert {node.tag for node in root.iter()} <= {"div", "ol", "li", "a", "p", "br", "small", "pre", "code"}
    return root


async def test_a_search_shows_its_sources_as_links(fakes):
    source = WebSearchSource(url="https://a.test/?a=1&b=2", title=HOSTILE, snippet=HOSTILE, published_at="2026")
    found = WebSearchResult(sources=(source, WebSearchSource(url="https://b.test/")), truncated=True, content=HOSTILE)
    root = parse((await fakes.make(found).tools.web_search("q"))._repr_html_())
    assert [link.get("href") for link in root.iter("a")] == ["https://a.test/?a=1&b=2", "https://b.test/"]
    assert root.findtext(".//pre") == HOSTILE.replace("\u202e", "")
    assert "There is more." in root.text_content()


@pytest.mark.parametrize("content", [None, "An answer."])
async def test_a_search_without_sources_says_so_or_gives_the_answer(fakes, content):
    html = (await fakes.make(fakes.found(content=content)).tools.web_search("q"))._repr_html_()
    assert (content or "No results found.") in parse(html).text_content()


async def test_a_page_shows_address_source_id_and_text(fakes):
    outcome = await fakes.make(None, fakes.page(HOSTILE + "y" * 30_000, truncated=True)).tools.web_fetch("u")
    root = parse(outcome._repr_html_())
    assert root.findtext(".//code") == outcome.value["sourceId"]
    assert "(HTTP 200, cut)" in root.text_content()
    assert len(root.findtext(".//pre")) == 20_001


async def test_an_error_shows_its_message(fakes):
    html = (await fakes.make().tools.web_fetch("u"))._repr_html_()
    assert parse(html).text_content().startswith("Error: ")


def test_what_is_no_web_page_is_no_link():
    from hydra_web.tools import ToolOutcome

    value = {"sources": [{"url": "javascript:x", "title": "T"}], "truncated": False}
    assert list(parse(ToolOutcome(text="", value=value)._repr_html_()).iter("a")) == []
