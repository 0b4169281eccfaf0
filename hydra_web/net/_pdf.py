"""The text of PDF documents, read in a process of its own that can be killed."""

import asyncio
import contextlib
import importlib.util
import json
import os
import subprocess
import sys
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Final

from hydra_web.errors import WebError
from hydra_web.net._body import RawBody
from hydra_web.net._failures import unsupported
from hydra_web.net._threads import DaemonThreads

__all__ = ["Document", "check_available", "read_pdf"]

_WORKER: Final = Path(__file__).with_name("_pdf_worker.py")
_MOST_PAGES: Final = 500
_MOST_SECONDS: Final = 20
_MOST_MEMORY: Final = 1 << 30
_ANSWER_OVERHEAD: Final = 1 << 16

_THREADS: Final = DaemonThreads(4)

_FAILURES: Final = {
    "encrypted": ("the PDF document is encrypted", "pdf_encrypted"),
    "unreadable": ("the PDF document could not be read", "pdf_unreadable"),
    "no-page": ("the PDF document has no page of that number", "pdf_no_page"),
    "limits": ("reading the PDF document took too much time or memory", "pdf_limits"),
    "cut": ("the PDF document is larger than the byte limit", "pdf_cut"),
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
            'unsupported content type "application/pdf" (the extra hydra-web[pdf] reads PDF documents)', "pdf_extra"
        )


async def read_pdf(body: RawBody, *, page: int | None, max_chars: int) -> Document:
    """The text of a document, or of one page of it counted from 1.

    At most 500 pages, 20 seconds and (where the platform can limit it) 1 GiB of memory. Raises WebError.
    """
    if body.truncated:
        raise WebError(_FAILURES["cut"][0], "WEB_FETCH_TOO_LARGE", "pdf_cut")
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
    worker = _Worker()
    try:
        async with asyncio.timeout(_MOST_SECONDS):
            answer = await _THREADS.run(lambda: worker.ask(question, most_bytes))
        found: dict[str, Any] = json.loads(answer)
    except (TimeoutError, ValueError):
        found = {"failure": "limits"}
    finally:
        worker.stop()
    return found


class _Worker:
    """One process that reads one document; it can be stopped at any moment, before it has started too."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._stopped = False

    def ask(self, question: bytes, most_bytes: int) -> bytes:
        """Blocks until the worker has answered, said more than allowed or was stopped."""
        with self._lock:
            if self._stopped:
                return b""
            process = self._process = subprocess.Popen(  # noqa: S603 - our own script under our own interpreter
                [sys.executable, "-P", str(_WORKER)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env={"PYTHONPATH": os.pathsep.join(sys.path), "SYSTEMROOT": os.environ.get("SYSTEMROOT", "")},
            )
        assert process.stdin is not None
        assert process.stdout is not None
        feeder = threading.Thread(target=_feed, args=(process.stdin, question), daemon=True)
        feeder.start()
        answer = process.stdout.read(most_bytes)
        process.kill()
        feeder.join()
        process.stdout.close()
        process.wait()
        return answer

    def stop(self) -> None:
        """Ends the process, if it has not ended."""
        with self._lock:
            self._stopped = True
            if self._process is not None:
                self._process.kill()


def _feed(pipe: IO[bytes], question: bytes) -> None:
    with contextlib.suppress(OSError):
        pipe.write(question)
    with contextlib.suppress(OSError):
        pipe.close()
