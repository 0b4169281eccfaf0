"""The hostile server itself."""

import socket
import urllib.error
import urllib.request
import zlib

import pytest

from hydra_web.testing.hostile import BEHAVIOURS, HostileServer


def test_a_good_page_and_an_echo_for_comparison() -> None:
    with HostileServer() as server:
        with urllib.request.urlopen(server.origin + "/ok") as response:
            assert response.read() == b"ok"
        with urllib.request.urlopen(server.origin + "/echo") as response:
            assert response.read().startswith(b"GET /echo HTTP/1.1\r\n")
        assert server.requests == {"/ok": 1, "/echo": 1}
        server.forget()
        assert server.requests.total() == 0


def test_an_unknown_path_is_not_found() -> None:
    with HostileServer() as server, pytest.raises(urllib.error.HTTPError) as caught:
        urllib.request.urlopen(server.origin + "/nothing")
    assert caught.value.code == 404
    caught.value.close()


def test_a_bomb_is_a_good_gzip_stream_of_zeros() -> None:
    with HostileServer() as server, urllib.request.urlopen(server.origin + "/gzip-bomb/0.1") as response:
        data = response.read()
    assert len(data) < 200_000
    decoder = zlib.decompressobj(31)
    assert decoder.decompress(data, 1 << 20) == bytes(1 << 20)


def test_the_block_ends_while_a_client_is_still_waiting() -> None:
    with HostileServer() as server:
        client = socket.create_connection(("127.0.0.1", int(server.origin.rsplit(":")[-1])), 10)
        client.sendall(b"GET /silence HTTP/1.1\r\n\r\n")
        assert server.wait_for_request("/silence", 10)
    with client:
        assert client.recv(1) == b""


def test_a_client_that_leaves_is_noticed_and_one_that_does_not_is_not() -> None:
    with HostileServer() as server:
        with pytest.raises(TimeoutError):
            urllib.request.urlopen(server.origin + "/silence", timeout=0.2)
        assert server.wait_for_departure("/silence", 10)
        assert not server.wait_for_departure("/ok", 0.01)


def test_every_behaviour_says_what_it_is() -> None:
    assert len(BEHAVIOURS) >= 65
    assert all(path.startswith("/") and what and what.isprintable() for path, what in BEHAVIOURS.items())
