"""Reads one PDF document from standard input and writes its text to standard output, as JSON.

Run as a script in a process of its own: a hostile document may crash, hang or exhaust this process
and nothing else. The first line of the input is the order, the rest is the document.
"""

import json
import sys
from typing import Any

import pypdfium2  # type: ignore[import-untyped]


def limit_resources(memory: int, seconds: int) -> None:
    """Caps memory and processor time and forbids writing files, where the platform can."""
    try:
        import resource
    except ImportError:
        return
    limits = (("RLIMIT_AS", memory), ("RLIMIT_CPU", seconds), ("RLIMIT_FSIZE", 0), ("RLIMIT_CORE", 0))
    for name, bound in limits:
        kind = getattr(resource, name, None)
        if kind is None:
            continue
        try:
            resource.setrlimit(kind, (bound, bound))
        except (OSError, ValueError):
            continue


def read(document: Any, order: dict[str, Any]) -> dict[str, Any]:
    """The text of the pages that were asked for, within the order's bounds."""
    count = len(document)
    if order["page"] is not None and order["page"] > count:
        return {"failure": "no-page"}
    first, last = (0, count) if order["page"] is None else (order["page"] - 1, order["page"])
    pages: list[str] = []
    room = order["maxChars"]
    for index in range(first, min(last, first + order["maxPages"])):
        text = document[index].get_textpage().get_text_bounded().replace("\r\n", "\n").replace("\r", "\n")
        pages.append(text[:room])
        room -= len(text)
        if room < 0:
            break
    return {"pages": pages, "pageCount": count, "truncated": room < 0 or len(pages) < last - first}


def main() -> None:
    """Answers one order."""
    order = json.loads(sys.stdin.buffer.readline())
    data = sys.stdin.buffer.read()
    limit_resources(order["memory"], order["seconds"])
    try:
        answer = read(pypdfium2.PdfDocument(data), order)
    except pypdfium2.PdfiumError as error:
        answer = {"failure": "encrypted" if "password" in str(error).lower() else "unreadable"}
    except (MemoryError, RecursionError):
        answer = {"failure": "limits"}
    sys.stdout.write(json.dumps(answer))


if __name__ == "__main__":
    main()
