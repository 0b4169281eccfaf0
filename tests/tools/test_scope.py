import pytest
from hypothesis import given
from hypothesis import strategies as st

from hydra_web.tools.scope import canonical_url, urls_in_text


def reason(outcome):
    return outcome.meta["details"].get("reason"), outcome.error.code if outcome.error else None


ALLOWED = {"allowed_domains": ["example.com", "python.org"]}


@pytest.mark.parametrize(
    ("options", "url", "expected"),
    [
        (ALLOWED, "https://example.com/x", None),
        (ALLOWED, "https://Docs.Python.ORG./3", None),
        (ALLOWED, "https://notexample.com/", "domain_not_allowed"),
        (ALLOWED, "https://example.com.evil.test/", "domain_not_allowed"),
        (ALLOWED, "https://evil.test/?example.com", "domain_not_allowed"),
        (ALLOWED, "https://example.com@evil.test/", "domain_not_allowed"),
        (ALLOWED, "no url", "domain_not_allowed"),
        ({"blocked_domains": ["example.com"]}, "https://a.example.com/", "domain_blocked"),
        ({"blocked_domains": ["example.com"]}, " https://EXAMPLE.com./ ", "domain_blocked"),
        ({"blocked_domains": ["example.com"]}, "https://example.com.test/", None),
        ({"blocked_domains": ["example.com"]}, "example.com/x", "domain_blocked"),
        ({"blocked_domains": ["bücher.example"]}, "https://xn--bcher-kva.example/", "domain_blocked"),
        ({**ALLOWED, "blocked_domains": ["docs.python.org"]}, "https://docs.python.org/", "domain_blocked"),
        ({**ALLOWED, "blocked_domains": ["docs.python.org"]}, "https://python.org/", None),
    ],
)
async def test_domain_lists_decide_before_anything_is_fetched(fakes, options, url, expected):
    made = fakes.make(None, fakes.page("ok", url=url.strip()), **options)
    outcome = await made.tools.web_fetch(url)
    assert reason(outcome) == ((expected, "WEB_BLOCKED_URL") if expected else (None, None))
    assert bool(made.fetcher.requests) == (expected is None)
    if expected:
        assert "the operator's policy" in outcome.text


async def test_the_final_url_is_checked_again(fakes):
    made = fakes.make(None, fakes.page("ok", url="https://evil.test/"), allowed_domains=["example.com"])
    assert reason(await made.tools.web_fetch("https://example.com/")) == ("domain_not_allowed", "WEB_BLOCKED_URL")
    assert made.ledger.fetches == []


async def test_results_outside_the_lists_are_dropped_with_a_notice(fakes):
    result = fakes.found("https://a.blocked.test/x", "https://ok.test/y", "https://blocked.test/z", notices=("n",))
    made = fakes.make(result, blocked_domains=["blocked.test"])
    outcome = await made.tools.web_search("q")
    assert [source["url"] for source in outcome.value["sources"]] == ["https://ok.test/y"]
    assert outcome.meta["details"]["notices"] == ["n", "2 sources left out by the operator's domain policy"]
    outcome = await fakes.make(result, allowed_domains=["a.blocked.test", "ok.test"]).tools.web_search("q")
    assert len(outcome.value["sources"]) == 2
    assert outcome.meta["details"]["notices"][1] == "1 source left out by the operator's domain policy"


SEEN = {"fetch_scope": "seen"}


async def test_only_seen_urls_may_be_fetched(fakes):
    made = fakes.make(fakes.found("https://found.test/a"), fakes.page("ok"), **SEEN)
    outcome = await made.tools.web_fetch("https://found.test/a")
    assert reason(outcome) == ("url_not_seen", "WEB_BLOCKED_URL")
    assert made.fetcher.requests == []
    await made.tools.web_search("q")
    assert not (await made.tools.web_fetch("https://FOUND.test:443/a#part")).is_error
    assert (await made.tools.web_fetch("https://found.test/b")).is_error


async def test_links_of_fetched_pages_count_as_seen(fakes):
    html = "<p>Read <a href='/next_(1)'>on</a> or <a href='https://b.test/x'>there</a>.</p>"
    made = fakes.make(None, fakes.page(html=html, url="https://a.test/"), **SEEN)
    made.tools.add_seen_text("Please read <https://a.test/>.")
    assert not (await made.tools.web_fetch("https://a.test/")).is_error
    for url in ("https://a.test/next_%281%29", "https://b.test/x"):
        assert not (await made.tools.web_fetch(url)).is_error
    made = fakes.make(None, fakes.page("see https://c.test/y.", url="https://a.test/"), **SEEN)
    made.tools.add_seen_text("https://a.test/")
    await made.tools.web_fetch("https://a.test/")
    assert not (await made.tools.web_fetch("https://c.test/y")).is_error


async def test_the_operators_text_counts_as_seen_only_where_that_matters(fakes):
    made = fakes.make(None, fakes.page("ok"))
    made.tools.add_seen_text("https://x.test/")
    assert made.tools._scope._seen == {}


def test_the_oldest_seen_urls_are_forgotten(fakes, monkeypatch):
    monkeypatch.setattr("hydra_web.tools.scope._MOST_SEEN", 2)
    made = fakes.make(**SEEN)
    made.tools.add_seen_text("https://1.test https://2.test https://3.test")
    assert list(made.tools._scope._seen) == ["https://2.test/", "https://3.test/"]


@pytest.mark.parametrize(
    ("text", "urls"),
    [
        ("plain https://a.test/x, and more", ["https://a.test/x"]),
        ("[t](https://a.test/x_(y)) end", ["https://a.test/x_(y)"]),
        ('[t](https://a.test "title")[u](HTTP://b.test)', ["https://a.test", "HTTP://b.test"]),
        ("[t](https://a.test/a)[u](https://b.test)", ["https://a.test/a", "https://b.test"]),
        ("(see https://a.test/[1]/b.)", ["https://a.test/[1]/b"]),
        ("<https://a.test> | https://b.test|", ["https://a.test", "https://b.test"]),
        ("**https://a.test**!", ["https://a.test"]),
        ("ftp://a.test no", []),
    ],
)
def test_urls_are_found_without_the_punctuation_around_them(text, urls):
    assert urls_in_text(text) == urls


def test_text_that_is_no_url_is_its_own_canonical_form():
    assert canonical_url("no url") == "no url"


@given(st.text("ht ps:/.()[]ab\n", max_size=80))
def test_finding_urls_never_raises(text):
    for url in urls_in_text(text):
        assert canonical_url(canonical_url(url)) == canonical_url(url)
