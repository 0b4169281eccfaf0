"""TLS stays on the host name, is verified every time, and fails in fixed words."""

import contextlib
import socket
import socketserver
import ssl
import threading
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any, TypeAlias

import pytest
import trustme

from hydra_web.errors import WebError
from hydra_web.net import _transport

REPLY = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n\r\nok"
NOW = datetime.now(UTC)
DAY = timedelta(days=1)
Talk: TypeAlias = Callable[[socket.socket], None]


@pytest.fixture(scope="module")
def authority() -> trustme.CA:
    return trustme.CA()


@pytest.fixture
def trust(authority: trustme.CA) -> ssl.SSLContext:
    context = ssl.create_default_context()
    authority.configure_trust(context)
    return context


@contextlib.contextmanager
def _server(talk: "Talk") -> Iterator[int]:
    class Handler(socketserver.BaseRequestHandler):
        def handle(self) -> None:
            self.request.settimeout(10)
            with contextlib.suppress(OSError, ssl.SSLError):
                talk(self.request)

    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.02,))
        thread.start()
        try:
            yield server.server_address[1]
        finally:
            server.shutdown()
            thread.join()


def _tls(certificate: trustme.LeafCert, names: list[str | None], *, old: bool = False) -> Talk:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    certificate.configure_cert(context)
    context.sni_callback = lambda connection, name, _: names.append(name)
    if old:
        context.set_ciphers("ALL:@SECLEVEL=0")
        with pytest.warns(DeprecationWarning, match="TLSv1 is deprecated"):
            context.minimum_version = context.maximum_version = ssl.TLSVersion.TLSv1

    def talk(raw: socket.socket) -> None:
        with context.wrap_socket(raw, server_side=True) as connection:
            connection.recv(4096)
            connection.sendall(REPLY)

    return talk


async def _refusal(fetching: Any) -> WebError:
    with pytest.raises(WebError) as caught:
        await fetching
    assert caught.value.__context__ is None
    return caught.value


async def test_the_certificate_and_the_server_name_belong_to_the_host_name(
    internet: Any, get: Any, authority: trustme.CA, trust: ssl.SSLContext
) -> None:
    names: list[str | None] = []
    internet.add("good.example.com", ["93.184.216.34"])
    internet.add("xn--mnchen-3ya.example.com", ["93.184.216.34"])
    certificate = authority.issue_cert("good.example.com", "xn--mnchen-3ya.example.com")
    with _server(_tls(certificate, names)) as port:
        internet.routes["93.184.216.34"] = port
        fetcher = internet.fetcher(ssl_context=trust)
        for url in ("https://good.example.com/", "https://münchen.example.com/"):
            assert (await get(fetcher, url)).body.content == "ok"
    assert names == ["good.example.com", "xn--mnchen-3ya.example.com"]
    assert internet.dialled == ["93.184.216.34"] * 2


async def test_the_same_address_under_another_name_is_verified_again(
    internet: Any, get: Any, authority: trustme.CA, trust: ssl.SSLContext
) -> None:
    names: list[str | None] = []
    for name in ("good.example.com", "bank.example.com"):
        internet.add(name, ["93.184.216.34"])
    with _server(_tls(authority.issue_cert("good.example.com"), names)) as port:
        internet.routes["93.184.216.34"] = port
        fetcher = internet.fetcher(ssl_context=trust)
        await get(fetcher, "https://good.example.com/")
        error = await _refusal(get(fetcher, "https://bank.example.com/"))
    assert (error.code, error.reason) == ("WEB_PROVIDER_ERROR", "tls_certificate")
    assert names == ["good.example.com", "bank.example.com"]


@pytest.mark.parametrize("kind", ["wrong host", "expired", "not yet valid", "self-signed"])
async def test_a_certificate_that_does_not_hold_is_refused_in_fixed_words_and_never_retried(
    internet: Any, get: Any, authority: trustme.CA, trust: ssl.SSLContext, kind: str
) -> None:
    name = "good.example.com"
    certificate = {
        "wrong host": lambda: authority.issue_cert("internal-db.corp.example"),
        "expired": lambda: authority.issue_cert(name, not_before=NOW - 30 * DAY, not_after=NOW - DAY),
        "not yet valid": lambda: authority.issue_cert(name, not_before=NOW + 3 * DAY, not_after=NOW + 30 * DAY),
        "self-signed": lambda: trustme.CA().issue_cert(name),
    }[kind]()
    names: list[str | None] = []
    internet.add(name, ["93.184.216.34"])
    with _server(_tls(certificate, names)) as port:
        internet.routes["93.184.216.34"] = port
        error = await _refusal(get(internet.fetcher(ssl_context=trust), f"https://{name}/"))
    assert error.message == "web fetch failed: the server's TLS certificate could not be verified"
    assert error.reason == "tls_certificate"
    assert names == [name]


def _plain_http(raw: socket.socket) -> None:
    raw.recv(999)
    raw.sendall(b"HTTP/1.1 400 Bad\r\n\r\n")


def _garbage(raw: socket.socket) -> None:
    raw.recv(999)
    raw.sendall(b"\xff" * 200)


def _close(raw: socket.socket) -> None:
    raw.close()


@pytest.mark.parametrize("talk", [_plain_http, _garbage])
async def test_a_server_that_does_not_speak_tls(internet: Any, get: Any, trust: ssl.SSLContext, talk: Any) -> None:
    with _server(talk) as port:
        internet.routes["93.184.216.34"] = port
        error = await _refusal(get(internet.fetcher(ssl_context=trust), "https://93.184.216.34/"))
    assert (error.code, error.reason) == ("WEB_PROVIDER_ERROR", "tls")
    assert error.message == "web fetch failed: no secure TLS connection could be made"


async def test_a_server_that_hangs_up_in_the_handshake(internet: Any, get: Any, trust: ssl.SSLContext) -> None:
    with _server(_close) as port:
        internet.routes["93.184.216.34"] = port
        error = await _refusal(get(internet.fetcher(ssl_context=trust), "https://93.184.216.34/"))
    assert (error.code, error.reason) == ("WEB_PROVIDER_ERROR", "tls")


async def test_a_server_that_hangs_in_the_handshake_meets_the_deadline(
    internet: Any, get: Any, trust: ssl.SSLContext
) -> None:
    left = threading.Event()

    def hang(raw: socket.socket) -> None:
        while raw.recv(999):
            pass
        left.set()

    with _server(hang) as port:
        internet.routes["93.184.216.34"] = port
        error = await _refusal(get(internet.fetcher(ssl_context=trust, timeout_ms=100), "https://93.184.216.34/"))
        assert error.code == "WEB_FETCH_TIMEOUT"
        assert left.wait(5)


async def test_tls_1_0_is_refused(internet: Any, get: Any, authority: trustme.CA, trust: ssl.SSLContext) -> None:
    internet.add("good.example.com", ["93.184.216.34"])
    with _server(_tls(authority.issue_cert("good.example.com"), [], old=True)) as port:
        internet.routes["93.184.216.34"] = port
        error = await _refusal(get(internet.fetcher(ssl_context=trust), "https://good.example.com/"))
    assert (error.code, error.reason) == ("WEB_PROVIDER_ERROR", "tls")


async def test_the_default_trust_is_made_once_and_does_not_know_our_authority(
    internet: Any, get: Any, authority: trustme.CA
) -> None:
    internet.add("good.example.com", ["93.184.216.34"])
    with _server(_tls(authority.issue_cert("good.example.com"), [])) as port:
        internet.routes["93.184.216.34"] = port
        for _ in range(2):
            error = await _refusal(get(internet.fetcher(), "https://good.example.com/"))
            assert error.reason == "tls_certificate"
    assert _transport._default_ssl_context() is _transport._default_ssl_context()
    assert _transport._default_ssl_context().minimum_version >= ssl.TLSVersion.TLSv1_2


async def test_a_certificate_bundle_of_the_operator_is_trusted(
    internet: Any, get: Any, authority: trustme.CA, tmp_path: Any
) -> None:
    bundle = tmp_path / "ca.pem"
    authority.cert_pem.write_to_path(str(bundle))
    internet.add("good.example.com", ["93.184.216.34"])
    with _server(_tls(authority.issue_cert("good.example.com"), [])) as port:
        internet.routes["93.184.216.34"] = port
        assert (await get(internet.fetcher(ca_bundle=bundle), "https://good.example.com/")).status_code == 200
