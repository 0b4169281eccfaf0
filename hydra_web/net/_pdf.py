"""The text of PDF documents, read in a process of its own that can be killed."""

import asyncio
import contextlib
import importlib.util
import json
import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from hydra_web.errors import WebError
from hydra_web.net._body import RawBody
from hydra_web.net._failures import unsupported

__all__ = ["Document", "check_available", "read_pdf"]

_WORKER: Final = Path(__file__).with_name("_pdf_worker.py")
_MOST_PAGES: Final = 500
_MOST_SECONDS: Final = 20
_MOST_MEMORY: Final = 1 << 30
_ANSWER_OVERHEAD: Final = 1 << 16

_FAILURES: Final = {
    "encrypted": ("the PDF document is encrypted", "pdf-encrypted"),
    "unreadable": ("the PDF document could not be read", "pdf-unreadable"),
    "no-page": ("the PDF document has no page of that number", "pdf-no-page"),
    "limits": ("reading the PDF document took too much time or memory", "pdf-limits"),
    "cut": ("the PDF document is larger than the byte limit", "pdf-cut"),
}


@dataclass(frozen=True, slots=True)
class Document:
    """The text of a document's pages."""

    pages: tuple[str, ...]
    """The text of each page that was read."""
    page_count: int
    """How many pages the document has."""
    truncated: bool
    """Whether pages or characters were left out."""


def check_available() -> None:
    """Raises WebError `WEB_UNSUPPORTED_CONTENT_TYPE` when the extra that reads PDF is not installed."""
    if importlib.util.find_spec("pypdfium2") is None:
        raise unsupported(
            'unsupported content type "application/pdf" (the extra hydra-web[pdf] reads PDF documents)', "pdf-extra"
        )


async def read_pdf(body: RawBody, *, page: int | None, max_chars: int) -> Document:
    """The text of a document, or of one page of it counted from 1.

    At most 500 pages, 20 seconds and (where the platform can limit it) 1 GiB of memory. Raises WebError.
    """
    if body.truncated:
        raise WebError(_FAILURES["cut"][0], "WEB_FETCH_TOO_LARGE", "pdf-cut")
    order = {
        "page": page,
        "maxPages": _MOST_PAGES,
        "maxChars": max_chars,
        "memory": _MOST_MEMORY,
        "seconds": _MOST_SECONDS,
    }
    answer = await _ask_worker(json.dumps(order).encode() + b"\n" + body.data, max_chars * 12 + _ANSWER_OVERHEAD)
    failure = answer.get("failure")
    if failure is not None:
        raise unsupported(*_FAILURES[failure])
    return Document(tuple(answer["pages"]), answer["pageCount"], answer["truncated"])


async def _ask_worker(question: bytes, most_bytes: int) -> dict[str, Any]:
    """The worker's answer; a worker that dies, hangs or says too much has met its limits."""
    environment = {"PYTHONPATH": os.pathsep.join(sys.path), "SYSTEMROOT": os.environ.get("SYSTEMROOT", "")}
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-P",
        str(_WORKER),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
        env=environment,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    feeding = asyncio.create_task(_feed(process.stdin, question))
    try:
        async with asyncio.timeout(_MOST_SECONDS):
            answer = await process.stdout.read(most_bytes)
            while more := await process.stdout.read(most_bytes - len(answer)) if len(answer) < most_bytes else b"":
                answer += more
        found: dict[str, Any] = json.loads(answer)
    except (TimeoutError, ValueError):
        found = {"failure": "limits"}
    finally:
        feeding.cancel()
        await asyncio.gather(feeding, return_exceptions=True)
        await _end(process)
    return found


async def _feed(pipe: asyncio.StreamWriter, question: bytes) -> None:
    try:
        pipe.write(question)
        await pipe.drain()
    except (ConnectionError, BrokenPipeError):
        return
    finally:
        pipe.close()


async def _end(process: asyncio.subprocess.Process) -> None:
    if process.returncode is None:
        with contextlib.suppress(ProcessLookupError):
            process.kill()
    await process.wait()
