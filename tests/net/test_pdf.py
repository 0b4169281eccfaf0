"""PDF documents are read page by page, in a process that can be killed."""

import importlib.util
import subprocess
import sys
import zlib
from pathlib import Path
from typing import Any

import pytest

from hydra_web.errors import WebError
from hydra_web.net import HttpFetch, _pdf
from hydra_web.net._body import RawBody
from hydra_web.net._pdf import read_pdf
from hydra_web.testing.site import LocalSite
from hydra_web.types import PdfBody, WebFetchRequest, WebFetchResult


def _object(number: int, content: bytes) -> bytes:
    return b"%d 0 obj\n" % number + content + b"\nendobj\n"


def _stream(data: bytes, extra: bytes = b"") -> bytes:
    return b"<< /Length %d %b >>\nstream\n" % (len(data), extra) + data + b"\nendstream"


def _document(objects: list[bytes], trailer: bytes = b"") -> bytes:
    data = bytearray(b"%PDF-1.4\n")
    offsets = []
    for number, content in enumerate(objects, 1):
        offsets.append(len(data))
        data += _object(number, content)
    start = len(data)
    data += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    data += b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    data += b"trailer\n<< /Size %d /Root 1 0 R %b >>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, trailer, start)
    return bytes(data)


def _pdf_of(texts: list[str], *, trailer: bytes = b"", content: bytes | None = None, extra: bytes = b"") -> bytes:
    kids = b" ".join(b"%d 0 R" % (4 + 2 * index) for index in range(len(texts)))
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Count %d /Kids [%b] >>" % (len(texts), kids),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    for index, text in enumerate(texts):
        objects.append(
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents %d 0 R "
            b"/Resources << /Font << /F1 3 0 R >> >> >>" % (5 + 2 * index)
        )
        drawn = b"BT /F1 12 Tf 50 700 Td (%b) Tj ET" % text.encode("latin-1")
        objects.append(_stream(drawn if content is None else content, extra))
    return _document(objects, trailer)


def _many_pages(count: int) -> bytes:
    kids = b" ".join([b"3 0 R"] * count)
    return _document(
        [
            b"<< /Type /Catalog /Pages 2 0 R >>",
            b"<< /Type /Pages /Count %d /Kids [%b] >>" % (count, kids),
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] >>",
        ]
    )


async def _fetch(data: bytes, fragment: str = "", **settings: Any) -> WebFetchResult:
    with LocalSite({"/a.pdf": ("application/pdf", data)}) as site:
        fetcher = HttpFetch(allowed_origins=[site.origin], **settings)
        return await fetcher.fetch(WebFetchRequest(url=f"{site.origin}/a.pdf{fragment}"))


async def _reason(data: bytes, fragment: str = "", **settings: Any) -> tuple[str, str | None]:
    with pytest.raises(WebError) as caught:
        await _fetch(data, fragment, **settings)
    assert caught.value.message.isprintable()
    assert caught.value.__context__ is None
    return caught.value.code, caught.value.reason


THREE = _pdf_of(["first page", "second page", "third page"])


async def test_every_page_arrives_with_its_text() -> None:
    result = await _fetch(THREE)
    assert result.body == PdfBody(pages=("first page", "second page", "third page"))
    assert not result.truncated
    assert result.meta["pageCount"] == 3
    assert result.url.endswith("/a.pdf")


@pytest.mark.parametrize("fragment", ["#page=2", "#zoom=50&page=2", "#page=02&view=Fit"])
async def test_a_page_number_in_the_fragment_selects_that_page(fragment: str) -> None:
    result = await _fetch(THREE, fragment)
    assert result.body == PdfBody(pages=("second page",), first_page=2)
    assert result.url.endswith("/a.pdf#page=2")
    assert not result.truncated


async def test_a_page_that_is_not_there_is_an_error() -> None:
    assert await _reason(THREE, "#page=4") == ("WEB_UNSUPPORTED_CONTENT_TYPE", "pdf_no_page")


async def test_characters_are_capped_over_all_pages() -> None:
    result = await _fetch(THREE, max_body_chars=15)
    assert result.body == PdfBody(pages=("first page", "secon"))
    assert result.truncated


async def test_pages_are_capped() -> None:
    result = await _fetch(_many_pages(3000))
    assert isinstance(result.body, PdfBody)
    assert len(result.body.pages) == 500
    assert result.truncated
    assert result.meta["pageCount"] == 3000


async def test_an_encrypted_document_says_so() -> None:
    encrypted = (
        b"/Encrypt << /Filter /Standard /V 1 /R 2 /O <" + b"41" * 32 + b"> /U <" + b"42" * 32 + b"> /P -44 >> "
        b"/ID [<00112233445566778899aabbccddeeff> <00112233445566778899aabbccddeeff>]"
    )
    assert await _reason(_pdf_of(["secret"], trailer=encrypted)) == ("WEB_UNSUPPORTED_CONTENT_TYPE", "pdf_encrypted")


@pytest.mark.parametrize("data", [b"", b"%PDF-1.7\n", b"not a pdf at all", THREE[:200]])
async def test_what_is_no_document_says_so(data: bytes) -> None:
    assert await _reason(data) == ("WEB_UNSUPPORTED_CONTENT_TYPE", "pdf_unreadable")


async def test_a_document_over_the_byte_cap_is_too_large() -> None:
    assert (await _reason(THREE, max_response_bytes=100))[0] == "WEB_FETCH_TOO_LARGE"
    with pytest.raises(WebError) as caught:
        await read_pdf(RawBody(b"%PDF", truncated=True), page=None, max_chars=10)
    assert (caught.value.code, caught.value.reason) == ("WEB_FETCH_TOO_LARGE", "pdf_cut")


async def test_a_bomb_meets_the_worker_s_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_pdf, "_MOST_MEMORY", 200 << 20)
    compressor = zlib.compressobj(9)
    packed = b"".join(compressor.compress(b" " * (1 << 24)) for _ in range(16)) + compressor.flush()
    bomb = _pdf_of(["x"], content=packed, extra=b"/Filter /FlateDecode")
    try:
        result = await _fetch(bomb)
    except WebError as error:
        outcome = str(error.reason)
    else:
        outcome = "empty" if result.body == PdfBody(pages=("",)) else "text"
    assert outcome in ("pdf_limits", "pdf_unreadable", "empty")


@pytest.mark.parametrize(
    "program",
    [
        "import time\ntime.sleep(60)",
        "import os\nos._exit(9)",
        "print('not json')",
        "import sys\nwhile True: sys.stdout.write('x' * 65536)",
        "import sys\nsys.stdin.close()\nimport time\ntime.sleep(60)",
    ],
    ids=["hangs", "dies", "nonsense", "never stops", "does not listen"],
)
async def test_a_worker_that_misbehaves_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, program: str) -> None:
    worker = tmp_path / "worker.py"
    worker.write_text(program, "utf-8")
    monkeypatch.setattr(_pdf, "_WORKER", worker)
    monkeypatch.setattr(_pdf, "_MOST_SECONDS", 1)
    with pytest.raises(WebError) as caught:
        await read_pdf(RawBody(b"%PDF" * 100_000, truncated=False), page=None, max_chars=1000)
    assert (caught.value.code, caught.value.reason) == ("WEB_UNSUPPORTED_CONTENT_TYPE", "pdf_limits")


async def test_the_fetch_s_deadline_ends_the_worker_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    worker = tmp_path / "worker.py"
    worker.write_text("import time\ntime.sleep(60)", "utf-8")
    monkeypatch.setattr(_pdf, "_WORKER", worker)
    assert (await _reason(THREE, timeout_ms=400))[0] == "WEB_FETCH_TIMEOUT"


async def test_without_the_extra_the_error_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(WebError) as caught:
        await _fetch(THREE)
    assert caught.value.code == "WEB_UNSUPPORTED_CONTENT_TYPE"
    assert caught.value.message.startswith('unsupported content type "application/pdf"')
    assert "hydra-web[pdf]" in caught.value.message


def test_reading_documents_is_left_to_the_worker() -> None:
    program = "import sys, hydra_web.net\nprint('pypdfium2' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout == "False\n"
