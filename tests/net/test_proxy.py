"""An operator's proxy is used when it is named, and then enforces egress itself."""

import base64
import contextlib
import socket
import socketserver
import ssl
import threading
from collections.abc import Iterator
from typing import Any

import pytest
import trustme

from hydra_web.errors import WebError
from hydra_web.net import HttpFetch

PAGE = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n\r\nok"


@contextlib.contextmanager
def _proxy(reply: bytes, tls: ssl.SSLContext | None = None) -> Iterator[tuple[int, list[bytes]]]:
    heads: list[bytes] = []

    class Handler(socketserver.BaseRequestHandler):
        request: socket.socket

        def handle(self) -> None:
            self.request.settimeout(10)
            try:
                talk = tls.wrap_socket(self.request, server_side=True) if tls else self.request
            except ssl.SSLError:
                return
            with talk:
                heads.append(talk.recv(8192))
                talk.sendall(reply)

    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.02,))
        thread.start()
        try:
            yield server.server_address[1], heads
        finally:
            server.shutdown()
            thread.join()


def _never(host: str) -> list[str]:
    raise AssertionError(host)


async def test_pages_come_through_the_proxy_and_names_are_left_to_it(get: Any) -> None:
    with _proxy(PAGE) as (port, heads):
        fetcher = HttpFetch(proxy=f"http://user:pass@127.0.0.1:{port}", resolver=_never)
        assert (await get(fetcher, "http://example.com/x?y")).body.content == "ok"
    lines = heads[0].split(b"\r\n")
    assert lines[0] == b"GET http://example.com/x?y HTTP/1.1"
    assert b"Proxy-Authorization: Basic " + base64.b64encode(b"user:pass") in lines


async def test_https_goes_through_a_tunnel_and_a_refusal_is_a_fixed_failure(get: Any) -> None:
    with _proxy(b"HTTP/1.1 403 \x1b[31mNo\r\nContent-Length: 0\r\n\r\n") as (port, heads):
        fetcher = HttpFetch(proxy=f"http://127.0.0.1:{port}", resolver=_never)
        with pytest.raises(WebError) as caught:
            await get(fetcher, "https://example.com/")
    assert heads[0].startswith(b"CONNECT example.com:443 ")
    assert (caught.value.code, caught.value.reason) == ("WEB_PROVIDER_ERROR", "proxy")
    assert caught.value.message == "web fetch failed: the proxy did not open a connection"


async def test_a_proxy_may_be_reached_over_tls(get: Any) -> None:
    authority = trustme.CA()
    server_context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("127.0.0.1").configure_cert(server_context)
    trust = ssl.create_default_context()
    authority.configure_trust(trust)
    with _proxy(PAGE, server_context) as (port, heads):
        fetcher = HttpFetch(proxy=f"https://127.0.0.1:{port}", ssl_context=trust, resolver=_never)
        assert (await get(fetcher, "http://example.com/")).body.content == "ok"
        with pytest.raises(WebError) as caught:
            await get(HttpFetch(proxy=f"https://127.0.0.1:{port}"), "http://example.com/")
    assert caught.value.reason == "tls_certificate"
    assert len(heads) == 1


async def test_url_policy_and_literal_addresses_are_judged_before_the_proxy(get: Any) -> None:
    with _proxy(PAGE) as (port, heads):
        fetcher = HttpFetch(proxy=f"http://127.0.0.1:{port}", extra_blocked_networks=["8.8.8.0/24"])
        for url in ("http://127.0.0.1/", "http://localhost/", "http://8.8.8.8/"):
            with pytest.raises(WebError) as caught:
                await get(fetcher, url)
            assert caught.value.code == "WEB_BLOCKED_URL"
        assert (await get(fetcher, "http://1.1.1.1/")).status_code == 200
        assert len(heads) == 1


async def test_a_proxy_that_is_not_there_is_a_failure(get: Any) -> None:
    with _proxy(PAGE) as (port, _):
        pass
    with pytest.raises(WebError) as caught:
        await get(HttpFetch(proxy=f"http://127.0.0.1:{port}"), "http://example.com/")
    assert (caught.value.code, caught.value.reason) == ("WEB_PROVIDER_ERROR", "connect_failed")
