"""Files, folders and web pages into the page index of a store.

HTML goes through the same content pipeline as fetched pages, text and Markdown are kept as they are.
What cannot be used is named in the report and skipped; the rest is indexed.
"""

import asyncio
import os
import re
import stat
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, Literal, Protocol, TypeAlias, assert_never
from urllib.parse import quote_from_bytes

from hydra_web.charset import decode
from hydra_web.errors import ConfigError, WebError
from hydra_web.protocols import WebFetchProvider
from hydra_web.store.pages import IndexedPage
from hydra_web.store.sqlite import SqliteStore
from hydra_web.text import one_line
from hydra_web.types import HtmlBody, PdfBody, TextBody, WebFetchBody, WebFetchRequest
from hydra_web.urls import is_http_url

__all__ = ["DEFAULT_BASE_URL", "IndexReport", "Progress", "Skipped", "file_url", "index_paths"]

DEFAULT_BASE_URL: Final = "http://local.hydra-web.invalid/"
"""Where files stand for a model when the operator names no other base; the name can never be a real host."""

_BATCH: Final = 64
_HTML_SUFFIXES: Final = frozenset({".html", ".htm", ".xhtml"})
_TEXT_SUFFIXES: Final = frozenset({"", ".txt", ".text", ".md", ".markdown", ".mdown", ".rst", ".adoc", ".org", ".asc"})
_HTML_START: Final = re.compile(r"\s*(?:<!--.{0,2000}?-->\s*)?<(?:!doctype\s+html|html)\b", re.IGNORECASE | re.DOTALL)
_HEADING: Final = re.compile(
    r"^\#{1,6}[ \t]+(?P<atx>\S.{0,300}?)[ \t#]*$"
    r"|^(?P<underlined>[^\s#=~-].{0,300})\n(?P<line>[=~-])(?P=line){2,300}[ \t]*$",
    re.MULTILINE,
)
_HEADING_WINDOW: Final = 4000
_PDF_START: Final = b"%PDF-"
_CONTROL: Final = re.compile("[\x00-\x07\x0e-\x1a\x1c-\x1f]")

Progress: TypeAlias = Callable[[int, int, str], None]
"""Told after each document: how many are done, how many there are, and which one it was."""


class Render(Protocol):
    """Turns HTML into text, as `hydra_web.content.render` does."""

    def __call__(self, html: str, url: str, mode: Literal["main", "full"]) -> "RenderedPage":
        """The page's title and text."""
        ...


class RenderedPage(Protocol):
    """What indexing needs of a rendered page."""

    @property
    def title(self) -> str | None:
        """The title on one line."""
        ...

    @property
    def page_text(self) -> str:
        """The plain text of the whole page."""
        ...


@dataclass(frozen=True, slots=True)
class Skipped:
    """Something that was not indexed."""

    target: str
    """The file or URL."""
    reason: str
    """Why, in a few words."""


@dataclass(frozen=True, slots=True)
class IndexReport:
    """What became of the targets."""

    indexed: int
    """How many documents were indexed."""
    skipped: tuple[Skipped, ...]
    """Documents that should have been indexed and could not be."""
    ignored: int
    """Files inside folders that are no documents: images, programs, hidden and empty files."""
    ignored_kinds: tuple[tuple[str, int], ...] = ()
    """How many of these there were by suffix in lower case, the most first; without one they count as ``."""


@dataclass(frozen=True, slots=True)
class _File:
    path: Path
    url: str
    is_named_text: bool
    """Whether its name, or the caller's naming it, says that it is text."""


def file_url(path: Path, base_url: str | None = None, folder: Path | None = None) -> str:
    """The address under which a file is indexed.

    Under the default base it is the file's absolute path, so that it is the same however the file was
    named; under a base of the operator's, the path below the folder that was indexed.
    """
    if base_url is None:
        # Path.resolve raises for links that lead in a circle, which realpath leaves as they are.
        base_url, tail = DEFAULT_BASE_URL, Path(os.path.realpath(path)).as_posix()
    else:
        tail = path.relative_to(folder).as_posix() if folder is not None else path.name
    return base_url.rstrip("/") + "/" + quote_from_bytes(os.fsencode(tail.lstrip("/")), safe="/")


async def index_paths(
    store: SqliteStore,
    targets: Sequence[str | Path],
    *,
    fetch: WebFetchProvider | None = None,
    render: Render | None = None,
    progress: Progress | None = None,
    base_url: str | None = None,
    max_bytes: int = 5_000_000,
) -> IndexReport:
    """Indexes files, folders with everything below them, and http(s) URLs, in batches of one transaction each.

    URLs are read through `fetch`. Files get the address `file_url` gives them. Raises ConfigError for a
    wrong `base_url`, and WebError `WEB_STORE_ERROR` when the store cannot be written.
    """
    if base_url is not None and not is_http_url(base_url):
        raise ConfigError(f"base_url must be an http or https URL, not {base_url!r}")
    run = _Run(store, render or _content_render(), progress, max_bytes)
    await asyncio.to_thread(run.collect, targets, base_url)
    for start in range(0, len(run.files), _BATCH):
        await asyncio.to_thread(run.index_files, run.files[start : start + _BATCH])
    for url in run.urls:
        await run.index_url(url, fetch)
    return IndexReport(run.indexed, tuple(run.skipped), run.ignored.total(), tuple(run.ignored.most_common()))


def _content_render() -> Render:
    from hydra_web.content import render

    return render


class _Run:
    """One call of `index_paths`."""

    def __init__(self, store: SqliteStore, render: Render, progress: Progress | None, max_bytes: int) -> None:
        self._store = store
        self._render = render
        self._progress = progress
        self._max_bytes = max_bytes
        self._done = 0
        self.files: list[_File] = []
        self.urls: list[str] = []
        self.skipped: list[Skipped] = []
        self.indexed = 0
        self.ignored: Counter[str] = Counter()

    def collect(self, targets: Sequence[str | Path], base_url: str | None) -> None:
        """Finds the documents the targets stand for."""
        for target in targets:
            if isinstance(target, str) and re.match(r"https?:", target, re.IGNORECASE):
                self.urls.append(target)
                continue
            path = Path(target)
            if path.is_dir():
                for found in _walk(path, self._skip):
                    suffix = found.suffix.lower()
                    if suffix in _HTML_SUFFIXES | _TEXT_SUFFIXES and not found.name.startswith("."):
                        self.files.append(_File(found, file_url(found, base_url, path), bool(suffix)))
                    else:
                        self.ignored[_kind_of(found)] += 1
            elif os.path.lexists(path):
                self.files.append(_File(path, file_url(path, base_url), True))
            else:
                self._skip(str(target), "no such file or folder")

    def index_files(self, files: Sequence[_File]) -> None:
        """Reads and records a batch of files."""
        pages = []
        for file in files:
            page = self._read(file)
            if page is not None:
                pages.append(page)
            self._advance(str(file.path))
        self._store.add_pages(pages)
        self.indexed += len(pages)

    async def index_url(self, url: str, fetch: WebFetchProvider | None) -> None:
        """Fetches and records one page."""
        if fetch is None:
            self._skip(url, "no fetch provider was given")
        else:
            await self._fetch(url, fetch)
        self._advance(url)

    async def _fetch(self, url: str, fetch: WebFetchProvider) -> None:
        try:
            result = await fetch.fetch(WebFetchRequest(url=url))
        except WebError as error:
            self._skip(url, error.message)
            return
        if not 200 <= result.status_code < 300:
            self._skip(url, f"HTTP {result.status_code}")
            return
        kind, content = _content(result.body)
        page = await asyncio.to_thread(self._page, result.url, kind, content, result.url, None)
        await asyncio.to_thread(self._store.add_page, page)
        self.indexed += 1

    def _read(self, file: _File) -> IndexedPage | None:
        try:
            status = file.path.stat()
            reason = _unfit(status, self._max_bytes)
            data = b"" if reason else file.path.read_bytes()
            if data.startswith(_PDF_START):
                reason = "a PDF; text, Markdown and HTML can be indexed"
        except OSError as error:
            reason, data = _cause(error), b""
        if reason is not None:
            self._skip(str(file.path), reason)
            return None
        if not data.strip():
            self.ignored[_kind_of(file.path)] += 1
            return None
        kind: Literal["html", "text"] = "html" if file.path.suffix.lower() in _HTML_SUFFIXES else "text"
        text = decode(data, declared=None, kind=kind).text
        if kind == "text" and _HTML_START.match(text):
            kind, text = "html", decode(data, declared=None, kind="html").text
        if (reason := _unreadable(text)) is not None:
            if file.is_named_text:
                self._skip(str(file.path), reason)
            else:
                self.ignored[_kind_of(file.path)] += 1
            return None
        modified = datetime.fromtimestamp(status.st_mtime, UTC).isoformat(timespec="seconds")
        return self._page(file.url, kind, text, file.path.name, modified)

    def _page(
        self, url: str, kind: Literal["html", "text"], content: str, name: str, modified: str | None
    ) -> IndexedPage:
        title, text = None, content
        if kind == "html":
            rendered = self._render(content, url, "full")
            title, text = rendered.title, rendered.page_text
        return IndexedPage(
            url=url,
            title=title or _first_heading(text) or one_line(name),
            kind=kind,
            content=content,
            text=text,
            fetched_at=datetime.now(UTC).isoformat(timespec="seconds"),
            modified_at=modified,
        )

    def _skip(self, target: str, reason: str) -> None:
        self.skipped.append(Skipped(target, reason))

    def _advance(self, target: str) -> None:
        self._done += 1
        if self._progress is not None:
            self._progress(self._done, len(self.files) + len(self.urls), target)


def _walk(folder: Path, skip: Callable[[str, str], None]) -> Iterator[Path]:
    def refuse(error: OSError) -> None:
        skip(str(error.filename), _cause(error))

    for place, folders, names in os.walk(folder, onerror=refuse):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(names):
            yield Path(place, name)


def _kind_of(path: Path) -> str:
    return path.suffix.lower()


def _cause(error: OSError) -> str:
    return (error.strerror or "cannot be read").lower()


def _unfit(status: os.stat_result, max_bytes: int) -> str | None:
    if not stat.S_ISREG(status.st_mode):
        return "not a regular file"
    if status.st_size > max_bytes:
        return f"too big: {status.st_size} bytes, the limit is {max_bytes}"
    return None


def _content(body: WebFetchBody) -> tuple[Literal["html", "text"], str]:
    match body:
        case HtmlBody(content=content):
            return "html", content
        case TextBody(content=content):
            return "text", content
        case PdfBody(pages=pages):
            return "text", "\n\n".join(pages)
        case _:
            assert_never(body)


def _unreadable(text: str) -> str | None:
    """Why the text is none, or None when it is."""
    if len(_CONTROL.findall(text)) * 100 > len(text):
        return "binary"
    if text.count("\ufffd") * 20 > len(text):
        return "not text in any known encoding"
    return None


def _first_heading(text: str) -> str | None:
    found = _HEADING.search(text[:_HEADING_WINDOW])
    return one_line(found["atx"] or found["underlined"]) if found else None
