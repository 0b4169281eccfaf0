"""Every misbehaviour of the hostile server gets its answer, in fixed words and in time."""

import asyncio
from typing import Any

import pytest

from hydra_web.errors import WebError
from hydra_web.testing.hostile import BEHAVIOURS, HostileServer

PROTOCOL = ("WEB_PROVIDER_ERROR", "protocol")
CLOSED = ("WEB_PROVIDER_ERROR", "closed_early")
ENCODING = ("WEB_UNSUPPORTED_CONTENT_TYPE", "encoding")
TYPE = ("WEB_UNSUPPORTED_CONTENT_TYPE", "content_type")
TIMEOUT = ("WEB_FETCH_TIMEOUT", "deadline")

REFUSED: dict[str, tuple[str, str]] = {
    "/slow-body": TIMEOUT,
    "/slow-header": TIMEOUT,
    "/silence": TIMEOUT,
    "/silent-body": TIMEOUT,
    "/early-hints-forever": TIMEOUT,
    "/continue-forever": TIMEOUT,
    "/endless-headers": PROTOCOL,
    "/endless-header-line": PROTOCOL,
    "/many-headers": ("WEB_PROVIDER_ERROR", "headers"),
    "/many-cookies": ("WEB_PROVIDER_ERROR", "headers"),
    "/nul-in-header": PROTOCOL,
    "/escape-in-type": TYPE,
    "/space-before-colon": PROTOCOL,
    "/no-content-type": TYPE,
    "/unknown-charset": ("WEB_UNSUPPORTED_CONTENT_TYPE", "charset"),
    "/upgrade": PROTOCOL,
    "/http-0.9": CLOSED,
    "/icy": PROTOCOL,
    "/http-2-preface": PROTOCOL,
    "/tls-alert": PROTOCOL,
    "/status-000": PROTOCOL,
    "/no-content-with-body": TYPE,
    "/close": CLOSED,
    "/random-bytes": PROTOCOL,
    "/chunk-extension": PROTOCOL,
    "/endless-trailers": PROTOCOL,
    "/huge-chunk-size": PROTOCOL,
    "/length-too-long": CLOSED,
    "/two-lengths": PROTOCOL,
    "/negative-length": PROTOCOL,
    "/signed-length": PROTOCOL,
    "/absurd-length": PROTOCOL,
    "/exabyte-length": ("WEB_FETCH_TOO_LARGE", "declared_length"),
    "/gzip-transfer": PROTOCOL,
    "/reset": CLOSED,
    "/multipart-replace": TYPE,
    "/event-stream": TYPE,
    "/not-gzip": ("WEB_PROVIDER_ERROR", "encoding"),
    "/many-gzip-members": ("WEB_PROVIDER_ERROR", "encoding"),
    "/unknown-encoding": ENCODING,
    "/brotli": ENCODING,
    "/zstd": ENCODING,
    "/brotli-forever": ENCODING,
    "/charset-forever": ("WEB_UNSUPPORTED_CONTENT_TYPE", "charset"),
    "/elsewhere-forever": ("WEB_REDIRECT_BLOCKED", "cross_origin"),
    "/nowhere-forever": ("WEB_PROVIDER_ERROR", "no_location"),
    "/deflate": ENCODING,
    "/gzip-twice": ENCODING,
    "/gzip-5000-times": ENCODING,
    "/redirect-without-location": ("WEB_PROVIDER_ERROR", "no_location"),
    "/redirect-empty": ("WEB_PROVIDER_ERROR", "no_location"),
    "/two-locations": ("WEB_REDIRECT_BLOCKED", "ambiguous"),
    "/redirect-loop": ("WEB_REDIRECT_BLOCKED", "too_many"),
    "/redirect-to-metadata": ("WEB_REDIRECT_BLOCKED", "target_blocked"),
    "/redirect-to-file": ("WEB_REDIRECT_BLOCKED", "target_invalid"),
    "/redirect-backslash": ("WEB_REDIRECT_BLOCKED", "ambiguous"),
    "/redirect-bad-port": ("WEB_REDIRECT_BLOCKED", "target_invalid"),
    "/redirect-bad-name": ("WEB_REDIRECT_BLOCKED", "target_invalid"),
    "/redirect-bytes": ("WEB_REDIRECT_BLOCKED", "ambiguous"),
}
READ: dict[str, tuple[str, bool]] = {
    "/long-header": ("ok", False),
    "/escape-in-parameter": ("ok", False),
    "/bidi-in-type": ("ok", False),
    "/folded-header": ("ok", False),
    "/bare-line-feeds": ("ok", False),
    "/refresh-header": ("ok", False),
    "/alt-svc": ("ok", False),
    "/continue-then-ok": ("ok", False),
    "/http-1.0": ("hello", False),
    "/http-2-line": ("ok", False),
    "/status-999": ("ok", False),
    "/escape-in-reason": ("ok", False),
    "/ok": ("ok", False),
    "/empty": ("", False),
    "/chunks-forever": ("a" * 100_000, True),
    "/body-forever": ("a" * 100_000, True),
    "/tiny-chunks": ("a" * 100_000, True),
    "/length-too-short": ("abc", False),
    "/same-length-twice": ("abc", False),
    "/length-and-chunks": ("hello", False),
    "/cut-gzip": ("hello world" * 900, True),
    "/gzip-with-junk": ("hello", False),
    "/gzip-members": ("helloworld", False),
    "/redirect-with-body": ("ok", False),
}


@pytest.fixture
def fetcher(internet: Any, hostile: HostileServer) -> Any:
    internet.routes["93.184.216.34"] = int(hostile.origin.rsplit(":")[-1])
    return internet.fetcher


URL = "http://93.184.216.34"


def test_every_behaviour_has_an_expected_answer() -> None:
    assert REFUSED.keys() | READ.keys() == BEHAVIOURS.keys()
    assert len(BEHAVIOURS) >= 65


@pytest.mark.parametrize("path", REFUSED)
async def test_a_hostile_reply_is_refused(fetcher: Any, get: Any, path: str) -> None:
    slow = REFUSED[path] == TIMEOUT
    with pytest.raises(WebError) as caught:
        await get(fetcher(timeout_ms=300 if slow else 20_000, max_response_bytes=1_000_000), URL + path)
    error = caught.value
    assert (error.code, error.reason) == REFUSED[path]
    assert error.message.isprintable()
    assert error.message.isascii()
    assert error.__context__ is None
    assert error.__cause__ is None


@pytest.mark.parametrize("path", READ)
async def test_an_odd_but_readable_reply_is_read(fetcher: Any, get: Any, path: str) -> None:
    result = await get(fetcher(max_response_bytes=100_000), URL + path)
    text, truncated = READ[path]
    assert result.truncated == truncated
    assert result.body.content.startswith(text) if truncated else result.body.content == text
    assert len(result.body.content) <= 100_000


async def test_a_server_sees_a_cancelled_fetch_leave_at_once(hostile: HostileServer, fetcher: Any, get: Any) -> None:
    for path in ("/silence", "/slow-body", "/silent-body"):
        hostile.forget()
        fetching = asyncio.create_task(get(fetcher(), URL + path))
        assert await asyncio.to_thread(hostile.wait_for_request, path, 5.0)
        fetching.cancel()
        with pytest.raises(asyncio.CancelledError):
            await fetching
        assert await asyncio.to_thread(hostile.wait_for_departure, path, 1.0)


@pytest.mark.parametrize(
    "path", ["/elsewhere-forever", "/nowhere-forever", "/multipart-replace", "/brotli-forever", "/charset-forever"]
)
async def test_a_server_sees_a_refused_reply_leave(hostile: HostileServer, fetcher: Any, get: Any, path: str) -> None:
    hostile.forget()
    with pytest.raises(WebError):
        await get(fetcher(), URL + path)
    assert await asyncio.to_thread(hostile.wait_for_departure, path, 5.0)


async def test_a_redirect_chain_without_end_makes_one_request_more_than_allowed(
    hostile: HostileServer, fetcher: Any, get: Any
) -> None:
    hostile.forget()
    with pytest.raises(WebError) as caught:
        await get(fetcher(max_redirects=2), URL + "/hop/1")
    assert caught.value.message == "exceeded the maximum of 2 redirects"
    assert [path for path in hostile.requests if path.startswith("/hop")] == ["/hop/1", "/hop/2", "/hop/3"]


async def test_only_our_own_headers_are_sent(fetcher: Any, get: Any) -> None:
    text = (await get(fetcher(user_agent="tests/1 (+mailto:a@example.com)"), URL + "/echo")).body.content
    lines = dict(line.split(": ", 1) for line in text.strip().split("\r\n")[1:])
    assert set(lines) == {"Host", "User-Agent", "Accept", "Accept-Encoding"}
    assert lines["Host"] == "93.184.216.34"
    assert lines["User-Agent"] == "tests/1 (+mailto:a@example.com)"
    assert lines["Accept"].startswith("text/markdown,text/html")
    assert lines["Accept-Encoding"] == "gzip"
