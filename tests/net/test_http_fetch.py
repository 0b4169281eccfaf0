"""The fetch provider as its callers see it."""

import asyncio
from typing import Any

import pytest

from hydra_web.errors import WebError
from hydra_web.net import HttpFetch
from hydra_web.signals import AbortSignal
from hydra_web.testing.hostile import HostileServer
from hydra_web.testing.site import LocalSite
from hydra_web.types import HtmlBody, TextBody, WebFetchRequest, WebFetchResult

PAGES = {
    "/text": ("text/plain; charset=utf-8", "chào".encode()),
    "/html": ("text/html; charset=utf-8", b"<p>hi</p>"),
    "/markdown": ("text/markdown", b"# hi"),
    "/latin1": ("text/plain; charset=ISO-8859-1", b"caf\xe9"),
    "/abcd": ("text/plain", b"abcdefgh"),
    "/png": ("image/png", b"\x89PNG"),
    "/cut": ("text/plain; charset=utf-8", "ab\u1ea1".encode()),
    "/shell": ("text/html", b"<div id=app></div><script>" + b"x" * 9000 + b"</script>"),
    "/linked": ("text/html", b'<link rel="alternate" type="text/markdown" href="/page.md"><p>hi'),
    "/big": ("text/html; charset=utf-8", "<p>đ</p>".encode() * 60_000),
}


async def _fetch(path: str, **settings: Any) -> WebFetchResult:
    with LocalSite(PAGES) as site:
        return await HttpFetch(allowed_origins=[site.origin], **settings).fetch(WebFetchRequest(url=site.origin + path))


async def _refusal(fetching: Any) -> WebError:
    with pytest.raises(WebError) as caught:
        await fetching
    assert caught.value.__context__ is None
    assert caught.value.__cause__ is None
    return caught.value


async def test_text_html_and_markdown_arrive_as_their_kinds() -> None:
    assert (await _fetch("/text")).body == TextBody(content="chào")
    assert (await _fetch("/html")).body == HtmlBody(content="<p>hi</p>")
    assert (await _fetch("/markdown")).body == TextBody(content="# hi")


async def test_a_missing_page_is_a_result() -> None:
    result = await _fetch("/nothing")
    assert (result.status_code, result.body) == (404, TextBody(content="Not found\n"))


async def test_what_was_fetched_is_described_in_meta() -> None:
    meta = (await _fetch("/text")).meta
    assert {key: meta[key] for key in ("contentType", "bytes", "charset", "charsetSource")} == {
        "contentType": "text/plain",
        "bytes": 5,
        "charset": "utf-8",
        "charsetSource": "header",
    }
    assert str(meta["fetchedAt"]).endswith("+00:00")
    assert str(meta["etag"]).startswith('"')
    assert (await _fetch("/shell")).meta["jsSuspected"] is True
    assert str((await _fetch("/linked")).meta["alternateMarkdown"]).endswith("/page.md")


async def test_a_page_that_asks_to_wait_or_to_go_away_says_so_in_meta() -> None:
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        head = b'HTTP/1.1 429 Slow Down\r\nContent-Type: text/html\r\nRetry-After: 120\r\nETag: "\x07"\r\n'
        writer.write(head + b"Content-Length: 2\r\n\r\nno")
        writer.close()
        await writer.wait_closed()

    async with await asyncio.start_server(serve, "127.0.0.1", 0) as server:
        origin = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        result = await HttpFetch(allowed_origins=[origin]).fetch(WebFetchRequest(url=origin))
    assert result.status_code == 429
    assert (result.meta["retryAfter"], result.meta["blockedReason"]) == (120, "rate_limited")
    assert "etag" not in result.meta


async def test_the_url_of_a_result_is_the_final_canonical_one() -> None:
    with LocalSite({"/": ("text/plain", b"root")}) as site:
        fetcher = HttpFetch(allowed_origins=[site.origin])
        result = await fetcher.fetch(WebFetchRequest(url=f"  {site.origin}#part "))
        assert result.url == site.origin + "/"


async def test_a_body_over_the_byte_cap_is_cut_and_one_exactly_at_it_is_not(hostile: HostileServer) -> None:
    fetcher = HttpFetch(allowed_origins=[hostile.origin], max_response_bytes=4)
    cut = await fetcher.fetch(WebFetchRequest(url=hostile.origin + "/body-forever"))
    assert (cut.body, cut.truncated) == (HtmlBody(content="aaaa"), True)
    whole = await _fetch("/abcd", max_response_bytes=8)
    assert (whole.body, whole.truncated) == (TextBody(content="abcdefgh"), False)


async def test_a_declared_length_over_the_cap_is_too_large() -> None:
    error = await _refusal(_fetch("/abcd", max_response_bytes=7))
    assert (error.code, error.message) == ("WEB_FETCH_TOO_LARGE", "response exceeds the maximum of 7 bytes")


async def test_a_body_over_the_character_cap_is_cut() -> None:
    result = await _fetch("/abcd", max_body_chars=4)
    assert (result.body, result.truncated) == (TextBody(content="abcd"), True)
    assert not (await _fetch("/abcd", max_body_chars=8)).truncated


async def test_half_a_character_at_the_byte_cap_is_dropped(hostile: HostileServer) -> None:
    data = "ab\u1ea1".encode()
    reply = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\n" + data

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(reply)
        writer.close()
        await writer.wait_closed()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    async with server:
        origin = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        fetcher = HttpFetch(allowed_origins=[origin], max_response_bytes=4)
        result = await fetcher.fetch(WebFetchRequest(url=origin))
    assert (result.body, result.truncated) == (TextBody(content="ab"), True)


async def test_large_pages_are_decoded_beside_the_event_loop() -> None:
    result = await _fetch("/big")
    assert result.body == HtmlBody(content="<p>đ</p>" * 60_000)


async def test_content_that_is_not_read_is_refused(hostile: HostileServer) -> None:
    error = await _refusal(_fetch("/png"))
    assert (error.code, error.message) == ("WEB_UNSUPPORTED_CONTENT_TYPE", 'unsupported content type "image/png"')
    fetcher = HttpFetch(allowed_origins=[hostile.origin])
    error = await _refusal(fetcher.fetch(WebFetchRequest(url=hostile.origin + "/no-content-type")))
    assert (error.code, error.message) == ("WEB_UNSUPPORTED_CONTENT_TYPE", 'unsupported content type "unknown"')


async def test_charsets() -> None:
    assert (await _fetch("/latin1")).body == TextBody(content="café")
    assert (await _fetch("/latin1")).meta["charset"] == "windows-1252"


async def test_an_unknown_charset_is_refused_and_the_connection_closed(hostile: HostileServer) -> None:
    fetcher = HttpFetch(allowed_origins=[hostile.origin])
    error = await _refusal(fetcher.fetch(WebFetchRequest(url=hostile.origin + "/unknown-charset")))
    assert (error.code, error.message) == ("WEB_UNSUPPORTED_CONTENT_TYPE", 'unsupported charset "klingon"')


def _redirect(location: str) -> str:
    from urllib.parse import quote

    return f"/location/{quote(location, safe='')}"


async def test_a_redirect_on_the_same_origin_is_followed_and_the_final_url_reported(hostile: HostileServer) -> None:
    fetcher = HttpFetch(allowed_origins=[hostile.origin])
    for location in ("/ok", hostile.origin + "/ok", "../ok?x=1#y"):
        result = await fetcher.fetch(WebFetchRequest(url=hostile.origin + _redirect(location)))
        assert result.url.startswith(hostile.origin + "/ok")


async def test_redirects_elsewhere_are_refused_and_the_connection_is_closed(hostile: HostileServer) -> None:
    fetcher = HttpFetch(allowed_origins=[hostile.origin])
    error = await _refusal(fetcher.fetch(WebFetchRequest(url=hostile.origin + _redirect("https://example.com/x"))))
    assert error.code == "WEB_REDIRECT_BLOCKED"
    assert error.message == (
        "cross-origin redirect to https://example.com is not followed automatically; retry against that URL directly"
    )
    with_credentials = hostile.origin.replace("//", "//user:pw@") + "/ok"
    error = await _refusal(fetcher.fetch(WebFetchRequest(url=hostile.origin + _redirect(with_credentials))))
    assert (error.code, error.message) == ("WEB_BLOCKED_URL", "credentials in URLs are not allowed")
    error = await _refusal(fetcher.fetch(WebFetchRequest(url=hostile.origin + "/redirect-without-location")))
    assert error.code == "WEB_PROVIDER_ERROR"


async def test_exactly_the_allowed_redirects_are_followed(hostile: HostileServer) -> None:
    twice = _redirect(_redirect("/ok"))
    fetcher = HttpFetch(allowed_origins=[hostile.origin], max_redirects=2)
    hostile.forget()
    assert (await fetcher.fetch(WebFetchRequest(url=hostile.origin + twice))).status_code == 200
    assert hostile.requests.total() == 3
    error = await _refusal(fetcher.fetch(WebFetchRequest(url=hostile.origin + "/hop/1")))
    assert (error.code, error.message) == ("WEB_REDIRECT_BLOCKED", "exceeded the maximum of 2 redirects")


async def test_a_hop_over_the_limit_is_reported_as_that_wherever_it_points(hostile: HostileServer) -> None:
    fetcher = HttpFetch(allowed_origins=[hostile.origin], max_redirects=0)
    error = await _refusal(fetcher.fetch(WebFetchRequest(url=hostile.origin + _redirect("https://example.com/"))))
    assert error.message == "exceeded the maximum of 0 redirects"
    assert (await fetcher.fetch(WebFetchRequest(url=hostile.origin + "/ok"))).status_code == 200


async def test_invalid_and_blocked_urls() -> None:
    fetcher = HttpFetch()
    for url, code in (
        ("ftp://example.com/", "WEB_INVALID_URL"),
        ("nonsense", "WEB_INVALID_URL"),
        ("https://example.com/" + "a" * 3000, "WEB_INVALID_URL"),
        ("https://user:pw@example.com/", "WEB_BLOCKED_URL"),
        ("http://127.0.0.1/", "WEB_BLOCKED_URL"),
    ):
        assert (await _refusal(fetcher.fetch(WebFetchRequest(url=url)))).code == code


async def test_a_signal_thrown_before_or_during_the_fetch_aborts_it(hostile: HostileServer) -> None:
    fetcher = HttpFetch(allowed_origins=[hostile.origin])
    thrown = AbortSignal()
    thrown.abort()
    hostile.forget()
    for url in (hostile.origin + "/ok", "ftp://example.com/"):
        error = await _refusal(fetcher.fetch(WebFetchRequest(url=url), thrown))
        assert (error.code, error.message) == ("WEB_ABORTED", "web fetch aborted")
    assert hostile.requests.total() == 0
    signal = AbortSignal()
    asyncio.get_running_loop().call_later(0.05, signal.abort)
    error = await _refusal(fetcher.fetch(WebFetchRequest(url=hostile.origin + "/silence"), signal))
    assert error.code == "WEB_ABORTED"


async def test_the_deadline_covers_the_answer_and_the_body(hostile: HostileServer) -> None:
    fetcher = HttpFetch(allowed_origins=[hostile.origin], timeout_ms=80)
    for path in ("/silence", "/slow-body"):
        error = await _refusal(fetcher.fetch(WebFetchRequest(url=hostile.origin + path)))
        assert (error.code, error.message) == ("WEB_FETCH_TIMEOUT", "web fetch timed out")


async def test_an_outer_deadline_is_an_abort_and_not_the_fetch_s_own_time_out(hostile: HostileServer) -> None:
    fetcher = HttpFetch(allowed_origins=[hostile.origin])
    signal = AbortSignal.timeout(50, "TOOL_TIMEOUT")
    error = await _refusal(fetcher.fetch(WebFetchRequest(url=hostile.origin + "/silence"), signal))
    assert error.code == "WEB_ABORTED"


async def test_the_deadline_covers_the_lookup(internet: Any, get: Any) -> None:
    import threading

    release = threading.Event()
    fetcher = HttpFetch(resolver=lambda host: [str(release.wait(20))], timeout_ms=60)
    error = await _refusal(get(fetcher, "https://stuck.example.org/"))
    release.set()
    assert error.code == "WEB_FETCH_TIMEOUT"


async def test_a_refused_connection_is_a_provider_error() -> None:
    with LocalSite({}) as site:
        origin = site.origin
    error = await _refusal(HttpFetch(allowed_origins=[origin]).fetch(WebFetchRequest(url=origin)))
    assert (error.code, error.reason) == ("WEB_PROVIDER_ERROR", "connection_refused")
    assert error.message == "web fetch failed: the connection was refused"


async def test_a_grant_for_one_port_opens_no_other() -> None:
    with LocalSite(PAGES) as one, LocalSite(PAGES) as other:
        fetcher = HttpFetch(allowed_origins=[one.origin])
        assert (await fetcher.fetch(WebFetchRequest(url=one.origin + "/text"))).status_code == 200
        assert (await _refusal(fetcher.fetch(WebFetchRequest(url=other.origin + "/text")))).code == "WEB_BLOCKED_URL"
        assert other.requests == []


async def test_allowed_ports_hold_at_the_door(get: Any) -> None:
    error = await _refusal(get(HttpFetch(allowed_ports=[443]), "http://example.com/"))
    assert (error.code, error.reason) == ("WEB_BLOCKED_URL", "port")


async def test_guarded_redirects_cross_origins_with_every_hop_checked(internet: Any, get: Any, hostile: Any) -> None:
    port = int(hostile.origin.rsplit(":")[-1])
    internet.routes |= {"93.184.216.34": port, "1.1.1.1": port}
    internet.add("a.example.com", ["93.184.216.34"])
    internet.add("b.example.com", ["1.1.1.1"])
    internet.add("c.example.com", ["10.0.0.1"])
    fetcher = internet.fetcher(redirects="guarded")
    assert (await get(fetcher, "http://a.example.com" + _redirect("http://b.example.com/ok"))).url == (
        "http://b.example.com/ok"
    )
    error = await _refusal(get(fetcher, "http://a.example.com" + _redirect("http://c.example.com/ok")))
    assert error.code == "WEB_BLOCKED_URL"
    assert "10.0.0.1" not in internet.dialled


async def test_domain_lists_hold_for_every_hop(internet: Any, get: Any, hostile: Any) -> None:
    port = int(hostile.origin.rsplit(":")[-1])
    internet.routes |= {"93.184.216.34": port}
    for name in ("a.example.com", "b.example.com", "www.a.example.com", "aa.example.com"):
        internet.add(name, ["93.184.216.34"])
    fetcher = internet.fetcher(
        redirects="guarded", allowed_domains=["A.example.com", "b.example.com."], blocked_domains=["b.example.com"]
    )
    assert (await get(fetcher, "http://www.a.example.com/ok")).status_code == 200
    for url, reason in (
        ("http://b.example.com/ok", "domain_blocked"),
        ("http://aa.example.com/ok", "domain_not_allowed"),
        ("http://a.example.com" + _redirect("http://b.example.com/ok"), "domain_blocked"),
        ("http://a.example.com" + _redirect("http://aa.example.com/ok"), "domain_not_allowed"),
    ):
        error = await _refusal(get(fetcher, url))
        assert (error.code, error.reason) == ("WEB_BLOCKED_URL", reason)
    with pytest.raises(WebError):
        fetcher.cache_key("http://b.example.com/")


async def test_operator_headers_go_to_their_origin_only(internet: Any, get: Any, hostile: Any) -> None:
    port = int(hostile.origin.rsplit(":")[-1])
    internet.routes |= {"93.184.216.34": port, "1.1.1.1": port}
    internet.add("a.example.com", ["93.184.216.34"])
    internet.add("b.example.com", ["1.1.1.1"])
    headers = {
        "http://a.example.com": {"X-Key": "alpha", "user-agent": "mine"},
        "http://b.example.com": {"X-Key": "beta"},
    }
    fetcher = internet.fetcher(redirects="guarded", headers_for_origin=headers)
    sent = (await get(fetcher, "http://a.example.com/echo")).body.content
    assert "X-Key: alpha" in sent
    assert [line for line in sent.split("\r\n") if line.lower().startswith("user-agent")] == ["user-agent: mine"]
    crossed = (await get(fetcher, "http://a.example.com" + _redirect("http://b.example.com/echo"))).body.content
    assert "X-Key" not in crossed
    assert fetcher.cache_key("http://a.example.com/echo") is None
    assert fetcher.cache_key("http://c.example.com/echo") == "http://c.example.com/echo"


def test_cache_keys_are_canonical_and_policy_comes_first() -> None:
    fetcher = HttpFetch(allowed_origins=["http://wiki.corp"])
    assert fetcher.cache_key(" HTTPS://Example.com:443/a/../b#part ") == "https://example.com/b"
    assert fetcher.cache_key("https://example.com/a.pdf#page=3") == "https://example.com/a.pdf#page=3"
    assert fetcher.cache_key("http://wiki.corp/x") is None
    with pytest.raises(WebError) as caught:
        fetcher.cache_key("http://127.0.0.1/")
    assert caught.value.code == "WEB_BLOCKED_URL"


async def test_a_page_that_has_not_changed_comes_back_marked_fresh() -> None:
    with LocalSite(dict(PAGES)) as site:
        fetcher = HttpFetch(allowed_origins=[site.origin])
        request = WebFetchRequest(url=site.origin + "/text")
        known = await fetcher.fetch(request)
        again = await fetcher.revalidate(request, known)
        assert again.body == known.body
        assert again.meta["revalidated"] is True
        site.pages["/text"] = ("text/plain; charset=utf-8", b"new")
        changed = await fetcher.revalidate(request, known)
        assert changed.body == TextBody(content="new")
        assert "revalidated" not in changed.meta


async def test_validators_are_sent_only_for_the_page_they_belong_to(hostile: HostileServer) -> None:
    fetcher = HttpFetch(allowed_origins=[hostile.origin])
    meta: dict[str, Any] = {"etag": '"x"', "lastModified": "Mon, 30 Nov 2026 12:01:00 GMT"}
    known = WebFetchResult(
        url=hostile.origin + "/echo", status_code=200, body=TextBody(content=""), truncated=False, meta=meta
    )
    sent = await fetcher.revalidate(WebFetchRequest(url=known.url), known)
    assert isinstance(sent.body, TextBody)
    assert 'If-None-Match: "x"' in sent.body.content
    assert "If-Modified-Since: Mon, 30 Nov 2026" in sent.body.content
    other = await fetcher.revalidate(WebFetchRequest(url=known.url + "?other"), known)
    assert isinstance(other.body, TextBody)
    assert "If-" not in other.body.content


async def test_nothing_is_logged_about_a_fetch(hostile: HostileServer, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO")
    await HttpFetch(allowed_origins=[hostile.origin]).fetch(WebFetchRequest(url=hostile.origin + "/ok"))
    assert caplog.records == []


def test_one_fetcher_serves_several_event_loops() -> None:
    with LocalSite(PAGES) as site:
        fetcher = HttpFetch(allowed_origins=[site.origin])
        for _ in range(3):
            result = asyncio.run(fetcher.fetch(WebFetchRequest(url=site.origin + "/text")))
            assert result.body == TextBody(content="chào")
