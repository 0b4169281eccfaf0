"""Decompression bombs cost time and traffic, never memory."""

import subprocess
import sys

import pytest

from hydra_web.testing.hostile import HostileServer

_PROGRAM = """
import asyncio, resource, sys
from hydra_web.errors import WebError
from hydra_web.net import HttpFetch
from hydra_web.types import WebFetchRequest

def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1 << 20 if sys.platform == "darwin" else 1 << 10)

async def fetch(url):
    origin = url.rsplit("/", url.count("/") - 2)[0]
    try:
        result = await HttpFetch(allowed_origins=[origin]).fetch(WebFetchRequest(url=url))
    except WebError as error:
        return f"{error.code} {error.reason}"
    return f"{result.status_code} {len(result.body.content)} {result.truncated}"

asyncio.run(fetch(sys.argv[1]))
before = peak()
outcome = asyncio.run(fetch(sys.argv[2]))
print(outcome)
print(peak() - before)
"""

pytest.importorskip("resource", reason="peak memory is read through the resource module")


@pytest.mark.parametrize(
    ("path", "outcome"),
    [
        ("/gzip-bomb/10", "200 2000000 True"),
        ("/redirect-bomb", "200 2 False"),
        ("/redirect-with-body", "200 2 False"),
        ("/chunks-forever", "200 2000000 True"),
        ("/body-forever", "200 2000000 True"),
        ("/gzip-twice", "WEB_UNSUPPORTED_CONTENT_TYPE encoding"),
        ("/gzip-5000-times", "WEB_UNSUPPORTED_CONTENT_TYPE encoding"),
        ("/brotli", "WEB_UNSUPPORTED_CONTENT_TYPE encoding"),
        ("/zstd", "WEB_UNSUPPORTED_CONTENT_TYPE encoding"),
        ("/endless-header-line", "WEB_PROVIDER_ERROR protocol"),
        ("/many-gzip-members", "WEB_PROVIDER_ERROR encoding"),
    ],
)
def test_a_bomb_grows_the_process_by_at_most_64_mib(hostile: HostileServer, path: str, outcome: str) -> None:
    arguments = [sys.executable, "-c", _PROGRAM, hostile.origin + "/ok", hostile.origin + path]
    done = subprocess.run(arguments, capture_output=True, text=True, timeout=60, check=True)
    shown, growth = done.stdout.split("\n")[:2]
    assert shown == outcome
    assert float(growth) <= 64
