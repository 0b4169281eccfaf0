"""What happens inside the process that reads PDF documents."""

import importlib
import io
import json
import sys
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest


class _PdfiumError(Exception):
    pass


class _Document(list[str]):
    def __getitem__(self, index: Any) -> Any:
        text = super().__getitem__(index)
        if isinstance(text, Exception):
            raise text
        return SimpleNamespace(get_textpage=lambda: SimpleNamespace(get_text_bounded=lambda: text))


@pytest.fixture
def worker(monkeypatch: pytest.MonkeyPatch) -> Any:
    library = ModuleType("pypdfium2")
    library.PdfiumError = _PdfiumError  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "pypdfium2", library)
    monkeypatch.delitem(sys.modules, "hydra_web.net._pdf_worker", raising=False)
    module = importlib.import_module("hydra_web.net._pdf_worker")
    monkeypatch.delitem(sys.modules, "hydra_web.net._pdf_worker")
    monkeypatch.setattr(module, "limit_resources", lambda memory, seconds: None)
    return module


def _answer(worker: Any, opened: Any, monkeypatch: pytest.MonkeyPatch, **order: Any) -> dict[str, Any]:
    def open_document(data: bytes) -> Any:
        assert data == b"%PDF"
        if isinstance(opened, Exception):
            raise opened
        return opened

    worker.pypdfium2.PdfDocument = open_document
    full = {"page": None, "maxPages": 5, "maxChars": 100, "memory": 1, "seconds": 1} | order
    question = io.BytesIO(json.dumps(full).encode() + b"\n%PDF")
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=question))
    out = io.StringIO()
    monkeypatch.setattr(sys, "stdout", out)
    worker.main()
    answer: dict[str, Any] = json.loads(out.getvalue())
    return answer


@pytest.mark.parametrize(
    ("order", "expected"),
    [
        ({}, {"pages": ["a\nb", "c\nd", "e"], "pageCount": 3, "truncated": False}),
        ({"page": 2}, {"pages": ["c\nd"], "pageCount": 3, "truncated": False}),
        ({"page": 4}, {"failure": "no-page"}),
        ({"maxPages": 1}, {"pages": ["a\nb"], "pageCount": 3, "truncated": True}),
        ({"maxChars": 4}, {"pages": ["a\nb", "c"], "pageCount": 3, "truncated": True}),
        ({"maxChars": 7}, {"pages": ["a\nb", "c\nd", "e"], "pageCount": 3, "truncated": False}),
    ],
)
def test_answers(worker: Any, monkeypatch: pytest.MonkeyPatch, order: Any, expected: Any) -> None:
    assert _answer(worker, _Document(["a\r\nb", "c\rd", "e"]), monkeypatch, **order) == expected


@pytest.mark.parametrize(
    ("error", "failure"),
    [
        (_PdfiumError("Failed to load document (PDFium: Incorrect password error)."), "encrypted"),
        (_PdfiumError("Failed to load document (PDFium: Data format error)."), "unreadable"),
        (MemoryError(), "limits"),
        (RecursionError(), "limits"),
    ],
)
def test_failures(worker: Any, monkeypatch: pytest.MonkeyPatch, error: Exception, failure: str) -> None:
    assert _answer(worker, error, monkeypatch) == {"failure": failure}


def test_a_page_that_cannot_be_read_spoils_the_document(worker: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: Any = _Document(["a"])
    opened.append(_PdfiumError("page"))
    assert _answer(worker, opened, monkeypatch) == {"failure": "unreadable"}


def test_limits_are_set_where_the_platform_has_them(monkeypatch: pytest.MonkeyPatch) -> None:
    resource = pytest.importorskip("resource", reason="limits are set through the resource module")
    from hydra_web.net import _pdf_worker

    calls: list[tuple[int, tuple[int, int]]] = []

    def setrlimit(kind: int, bounds: tuple[int, int]) -> None:
        calls.append((kind, bounds))
        if kind == resource.RLIMIT_CPU:
            raise ValueError

    monkeypatch.setattr(resource, "setrlimit", setrlimit)
    monkeypatch.delattr(resource, "RLIMIT_CORE")
    _pdf_worker.limit_resources(1000, 20)
    assert calls == [
        (resource.RLIMIT_AS, (1000, 1000)),
        (resource.RLIMIT_CPU, (20, 20)),
        (resource.RLIMIT_FSIZE, (0, 0)),
    ]
    monkeypatch.setitem(sys.modules, "resource", None)
    _pdf_worker.limit_resources(1000, 20)
    assert len(calls) == 3
