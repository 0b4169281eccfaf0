"""The loopback site other tests and the demonstration stand on."""

import urllib.error
import urllib.request

import pytest

from hydra_web.testing.site import LocalSite

PAGES = {"/": ("text/html; charset=utf-8", "<p>chào</p>".encode()), "/data.json": ("application/json", b"{}")}


def _get(url: str, **headers: str) -> tuple[int, str, bytes]:
    request = urllib.request.Request(url, headers=headers)
    with urllib.request.urlopen(request) as response:
        return response.status, response.headers["Content-Type"], response.read()


def test_pages_are_served_under_their_paths_with_their_types() -> None:
    with LocalSite(PAGES) as site:
        assert _get(site.origin + "/?q=1") == (200, "text/html; charset=utf-8", "<p>chào</p>".encode())
        assert _get(site.origin + "/data.json") == (200, "application/json", b"{}")
        assert site.requests == ["/?q=1", "/data.json"]


def test_an_unknown_path_is_not_found() -> None:
    with LocalSite(PAGES) as site, pytest.raises(urllib.error.HTTPError) as caught:
        _get(site.origin + "/nothing")
    assert caught.value.code == 404
    caught.value.close()


def test_a_known_page_answers_not_modified() -> None:
    with LocalSite(PAGES) as site:
        with urllib.request.urlopen(site.origin + "/") as response:
            etag = response.headers["ETag"]
        with pytest.raises(urllib.error.HTTPError) as caught:
            _get(site.origin + "/", **{"If-None-Match": etag})
    assert caught.value.code == 304
    caught.value.close()


def test_head_gives_the_length_and_no_body() -> None:
    with LocalSite(PAGES) as site:
        request = urllib.request.Request(site.origin + "/", method="HEAD")
        with urllib.request.urlopen(request) as response:
            assert (response.headers["Content-Length"], response.read()) == ("12", b"")


async def test_an_async_with_block_serves_too_and_the_origin_ends_with_it() -> None:
    site = LocalSite(PAGES)
    async with site:
        assert site.origin.startswith("http://127.0.0.1:")
    with pytest.raises(RuntimeError, match="with block"):
        _ = site.origin
