"""Bounded reading of bodies."""

import gzip
from collections.abc import AsyncIterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hydra_web.errors import WebError
from hydra_web.net._body import BodyDecoder, RawBody, check_declared_length, content_encoding, read_body


async def _chunks(data: bytes, size: int) -> AsyncIterator[bytes]:
    for start in range(0, len(data), size):
        yield data[start : start + size]


async def _read(data: bytes, cap: int = 1000, *, gzipped: bool = False, size: int = 7) -> RawBody:
    return await read_body(_chunks(data, size), BodyDecoder(cap, gzipped=gzipped))


async def test_a_plain_body_is_cut_at_the_cap_and_flagged_only_when_there_is_more() -> None:
    assert await _read(b"abcdef", 4) == RawBody(b"abcd", truncated=True)
    assert await _read(b"abcd", 4) == RawBody(b"abcd", truncated=False)
    assert await _read(b"", 4) == RawBody(b"", truncated=False)


async def test_reading_stops_at_the_cap() -> None:
    seen = []

    async def endless() -> AsyncIterator[bytes]:
        while True:
            seen.append(1)
            yield b"x" * 100

    assert (await read_body(endless(), BodyDecoder(250, gzipped=False))).truncated
    assert len(seen) == 3


@pytest.mark.parametrize("size", [1, 2, 3, 1000])
async def test_gzip_of_several_members_is_read_whole_however_it_is_cut_up(size: int) -> None:
    data = gzip.compress(b"hello ") + gzip.compress(b"") + gzip.compress(b"world")
    assert await _read(data, gzipped=True, size=size) == RawBody(b"hello world", truncated=False)


async def test_padding_and_junk_after_gzip_are_ignored() -> None:
    data = gzip.compress(b"hello")
    assert await _read(data + bytes(20), gzipped=True) == RawBody(b"hello", truncated=False)
    assert await _read(data + b"JUNK\x1f\x8b", gzipped=True) == RawBody(b"hello", truncated=False)


async def test_a_gzip_stream_that_breaks_off_keeps_what_it_gave_and_is_flagged() -> None:
    body = await _read(gzip.compress(b"hello " * 50)[:-9], gzipped=True)
    assert body.truncated
    assert body.data.startswith(b"hello")


async def test_gzip_is_bounded_by_its_decoded_size_with_the_exact_cap_whole() -> None:
    data = gzip.compress(bytes(1000))
    assert await _read(data, 1000, gzipped=True) == RawBody(bytes(1000), truncated=False)
    assert await _read(data, 999, gzipped=True) == RawBody(bytes(999), truncated=True)


async def test_a_gzip_stream_that_gives_next_to_nothing_for_its_length_is_cut() -> None:
    endless_file_name = b"\x1f\x8b\x08\x08" + bytes(6) + b"a" * 80_000
    assert await _read(endless_file_name, 10, gzipped=True, size=4096) == RawBody(b"", truncated=True)


@pytest.mark.parametrize("data", [b"hello", gzip.compress(b"") * 1001])
async def test_what_is_not_gzip_is_an_error(data: bytes) -> None:
    with pytest.raises(WebError) as caught:
        await _read(data, gzipped=True)
    assert (caught.value.code, caught.value.reason) == ("WEB_PROVIDER_ERROR", "encoding")
    assert caught.value.__context__ is None


@given(st.lists(st.binary(max_size=60), max_size=6), st.integers(1, 40), st.integers(0, 400))
def test_any_stream_of_members_comes_out_as_it_went_in(parts: list[bytes], size: int, cap: int) -> None:
    plain = b"".join(parts)
    decoder = BodyDecoder(cap, gzipped=True)
    data = b"".join(map(gzip.compress, parts))
    for start in range(0, len(data), size):
        if not decoder.feed(data[start : start + size]):
            break
    assert decoder.result() == RawBody(plain[:cap], truncated=len(plain) > cap)


def test_encodings() -> None:
    assert not content_encoding([])
    assert not content_encoding(["identity", " "])
    assert content_encoding(["GZip"])
    assert content_encoding(["x-gzip, identity"])


@pytest.mark.parametrize(
    ("values", "name"),
    [(["br"], "br"), (["gzip", "gzip"], "stacked"), (["gzip, br"], "stacked"), (["\x1b[0m"], "unknown")],
)
def test_other_encodings_are_refused_by_name(values: list[str], name: str) -> None:
    with pytest.raises(WebError) as caught:
        content_encoding(values)
    assert caught.value.code == "WEB_UNSUPPORTED_CONTENT_TYPE"
    assert caught.value.message == f'unsupported content encoding "{name}"'


def test_a_declared_length_above_the_cap_is_refused_before_reading() -> None:
    check_declared_length(["1000", "-3", "+3000", "x", "²"], 1000)
    with pytest.raises(WebError, match=r"^response exceeds the maximum of 1000 bytes$") as caught:
        check_declared_length(["1001"], 1000)
    assert caught.value.code == "WEB_FETCH_TOO_LARGE"
