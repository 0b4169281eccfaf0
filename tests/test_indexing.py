"""Files, folders and pages into the index; what cannot be used is named, the rest is there."""

import asyncio
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from hydra_web.errors import ConfigError, WebError
from hydra_web.indexing import DEFAULT_BASE_URL, IndexReport, Skipped, file_url, index_paths
from hydra_web.store import SqliteStore
from hydra_web.types import HtmlBody, PdfBody, TextBody, WebFetchRequest, WebFetchResult


@pytest.fixture
def store(tmp_path_factory: pytest.TempPathFactory) -> Any:
    store = SqliteStore(tmp_path_factory.mktemp("store") / "store.sqlite3")
    yield store
    store.close()


def index(store: SqliteStore, *targets: str | Path, **options: Any) -> IndexReport:
    return asyncio.run(index_paths(store, targets, **options))


def titles(store: SqliteStore) -> list[str | None]:
    return [page.title for page in store.pages()]


def test_a_folder_is_indexed_with_everything_below(store: SqliteStore, tmp_path: Path) -> None:
    (tmp_path / "sub" / "deep").mkdir(parents=True)
    (tmp_path / "a.md").write_text("Intro\n\n## Tea guide ##\n\nGreen tea.\n")
    (tmp_path / "sub" / "b.HTML").write_text("<title>Coffee</title><p>Espresso <b>coffee</b></p><script>x</script>")
    (tmp_path / "sub" / "deep" / "README").write_text("No heading here")
    (tmp_path / "c.rst").write_text("Cocoa\n=====\n\nSweet.\n")
    (tmp_path / "picture.png").write_bytes(b"\x89PNG\r\n\x1a\n\x00\x00")
    (tmp_path / "empty.txt").write_text(" \n")
    (tmp_path / ".hidden.md").write_text("# hidden")
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "x.md").write_text("# hidden")
    report = index(store, tmp_path)
    assert (report.indexed, report.skipped, report.ignored) == (4, (), 3)
    assert sorted(report.ignored_kinds) == [(".md", 1), (".png", 1), (".txt", 1)]
    assert sorted(map(str, titles(store))) == ["Cocoa", "Coffee", "README", "Tea guide"]
    hit = store.search_pages("espresso coffee")[0]
    assert hit.snippet == "Espresso coffee"
    assert hit.url == file_url(tmp_path / "sub" / "b.HTML")
    page = store.page(hit.url)
    assert page is not None
    assert (page.kind, "<script>" in page.content) == ("html", True)
    assert page.modified_at is not None
    assert page.published_at is None


def test_what_cannot_be_used_is_named_and_the_rest_indexed(store: SqliteStore, tmp_path: Path) -> None:
    (tmp_path / "good.txt").write_text("good words")
    (tmp_path / "binary.txt").write_bytes(os.urandom(4000))
    (tmp_path / "big.txt").write_text("x" * 2001)
    (tmp_path / "gone.md").symlink_to(tmp_path / "nowhere")
    (tmp_path / "program").write_bytes(b"\x7fELF\x00\x00\x00" * 100)
    missing = tmp_path / "missing"
    report = index(store, tmp_path, missing, tmp_path / "program", max_bytes=2000 + 2000)
    assert report.indexed == 2
    report = index(store, tmp_path, missing, tmp_path / "program", max_bytes=2000)
    assert report.indexed == 1
    assert set(report.skipped) == {
        Skipped(str(tmp_path / "binary.txt"), "too big: 4000 bytes, the limit is 2000"),
        Skipped(str(tmp_path / "big.txt"), "too big: 2001 bytes, the limit is 2000"),
        Skipped(str(tmp_path / "gone.md"), "no such file or directory"),
        Skipped(str(missing), "no such file or folder"),
        Skipped(str(tmp_path / "program"), "binary"),
    }
    assert report.ignored == 1
    assert Skipped(str(tmp_path / "binary.txt"), "binary") in index(store, tmp_path / "binary.txt").skipped


def test_what_was_passed_over_is_counted_by_kind(store: SqliteStore, tmp_path: Path) -> None:
    for name in ("a.PNG", "b.png", "c.jpg", "program"):
        (tmp_path / name).write_bytes(b"\x00\x01\x02" * 100)
    report = index(store, tmp_path)
    assert report == IndexReport(0, (), 4, ((".png", 2), (".jpg", 1), ("", 1)))


def test_a_pdf_is_named_whatever_its_suffix(store: SqliteStore, tmp_path: Path) -> None:
    (tmp_path / "real.pdf").write_bytes(b"%PDF-1.7\n%words")
    (tmp_path / "named.txt").write_bytes(b"%PDF-1.4\nplain words")
    reason = "a PDF; text, Markdown and HTML can be indexed"
    assert index(store, tmp_path) == IndexReport(0, (Skipped(str(tmp_path / "named.txt"), reason),), 1, ((".pdf", 1),))
    assert index(store, tmp_path / "real.pdf").skipped == (Skipped(str(tmp_path / "real.pdf"), reason),)


def test_links_in_a_circle_are_named_and_the_rest_indexed(store: SqliteStore, tmp_path: Path) -> None:
    (tmp_path / "good.md").write_text("# Good")
    (tmp_path / "a.md").symlink_to(tmp_path / "b.md")
    (tmp_path / "b.md").symlink_to(tmp_path / "a.md")
    (tmp_path / "folder").symlink_to(tmp_path, target_is_directory=True)
    (tmp_path / "self").symlink_to(tmp_path / "self")
    loop = "too many levels of symbolic links"
    report = index(store, tmp_path)
    assert (report.indexed, {skipped.target for skipped in report.skipped}) == (
        1,
        {str(tmp_path / name) for name in ("a.md", "b.md", "self")},
    )
    assert all(skipped.reason.startswith(loop) for skipped in report.skipped)
    (skipped,) = index(store, tmp_path / "self").skipped
    assert skipped.reason.startswith(loop)


def test_text_in_no_known_encoding_is_named(store: SqliteStore, tmp_path: Path) -> None:
    (tmp_path / "x.html").write_bytes(b"<meta charset=utf-8>" + b"\xff\xfe\xfd words " * 50)
    assert index(store, tmp_path).skipped == (Skipped(str(tmp_path / "x.html"), "not text in any known encoding"),)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes on this system")
def test_a_pipe_is_not_waited_for(store: SqliteStore, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.txt")
    assert index(store, tmp_path).skipped == (Skipped(str(tmp_path / "pipe.txt"), "not a regular file"),)


def test_an_unreadable_file_is_named(store: SqliteStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(path: Path) -> bytes:
        raise PermissionError(13, "Permission denied", str(path))

    (tmp_path / "locked.txt").write_text("secret")
    monkeypatch.setattr(Path, "read_bytes", refuse)
    assert index(store, tmp_path).skipped == (Skipped(str(tmp_path / "locked.txt"), "permission denied"),)


@pytest.mark.parametrize(
    ("codec", "text"),
    [
        ("koi8-r", "Съешь же ещё этих мягких французских булок, да выпей чаю. "),
        ("shift_jis", "これは日本語の文章です。文字コードの判定を試験します。"),
        ("gb18030", "中国的经济发展很快，人们的生活水平也在不断提高。"),
        ("utf-16", "Plain words with a mark, in two bytes each. "),
        ("iso-8859-1", "Voilà déjà l'été, où les élèves préfèrent être dehors. "),
    ],
)
def test_odd_encodings_are_read(store: SqliteStore, tmp_path: Path, codec: str, text: str) -> None:
    (tmp_path / "page.txt").write_bytes((text * 5).encode(codec))
    index(store, tmp_path)
    page = store.page(file_url(tmp_path / "page.txt"))
    assert page is not None
    assert page.text == text * 5


def test_html_in_a_text_file_is_seen(store: SqliteStore, tmp_path: Path) -> None:
    (tmp_path / "page").write_text("<!-- saved -->\n<!DOCTYPE html><title>Inside</title><p>words</p>")
    index(store, tmp_path)
    assert [(page.title, page.kind) for page in store.pages()] == [("Inside", "html")]


def test_addresses_are_stable_and_quoted(store: SqliteStore, tmp_path: Path) -> None:
    name = "ü %20 #1?.txt"
    (tmp_path / name).write_text("words")
    index(store, tmp_path)
    index(store, tmp_path / name, tmp_path / ".." / tmp_path.name / name)
    (page,) = store.pages()
    assert page.url.startswith(DEFAULT_BASE_URL)
    assert page.url.endswith("/%C3%BC%20%2520%20%231%3F.txt")


def test_a_base_of_the_operators_is_followed_by_the_path_below_the_folder(store: SqliteStore, tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "a.md").write_text("# A")
    index(store, tmp_path, base_url="https://docs.example/v2")
    index(store, tmp_path / "sub" / "a.md", base_url="https://docs.example/one/")
    assert [page.url for page in store.pages()] == ["https://docs.example/one/a.md", "https://docs.example/v2/sub/a.md"]


@pytest.mark.parametrize("base", ["docs", "file:///x", "ftp://x", ""])
def test_a_wrong_base_is_named(store: SqliteStore, tmp_path: Path, base: str) -> None:
    with pytest.raises(ConfigError, match="base_url must be an http or https URL"):
        index(store, tmp_path, base_url=base)


class Pages:
    """A fetch provider over fixed pages."""

    id = "pages"

    def available(self) -> bool:
        return True

    async def fetch(self, request: WebFetchRequest, signal: object = None) -> WebFetchResult:
        bodies: dict[str, Any] = {
            "http://t.example/html": HtmlBody(content="<title>Page</title><p>fetched words</p>"),
            "http://t.example/text": TextBody(content="fetched text"),
            "http://t.example/pdf": PdfBody(pages=("first page", "second page")),
            "http://t.example/404": TextBody(content="not found"),
        }
        if request.url not in bodies:
            raise WebError("web fetch timed out", "WEB_FETCH_TIMEOUT")
        status = 404 if request.url.endswith("404") else 200
        return WebFetchResult(url=request.url, status_code=status, body=bodies[request.url], truncated=False)


def test_pages_are_fetched_and_recorded(store: SqliteStore) -> None:
    urls = [f"http://t.example/{name}" for name in ("html", "text", "pdf", "404", "slow")]
    report = index(store, *urls, fetch=Pages())
    assert report.indexed == 3
    assert report.skipped == (
        Skipped("http://t.example/404", "HTTP 404"),
        Skipped("http://t.example/slow", "web fetch timed out"),
    )
    assert {hit.url for hit in store.search_pages("fetched")} == set(urls[:2])
    page = store.page(urls[2])
    assert page is not None
    assert (page.text, page.modified_at) == ("first page\n\nsecond page", None)


def test_a_url_needs_a_fetch_provider(store: SqliteStore) -> None:
    report = index(store, "http://t.example/html")
    assert report.skipped == (Skipped("http://t.example/html", "no fetch provider was given"),)


def test_progress_counts_every_document(store: SqliteStore, tmp_path: Path) -> None:
    for number in range(3):
        (tmp_path / f"{number}.txt").write_text("words")
    seen: list[tuple[int, int, str]] = []
    index(store, tmp_path, "http://t.example/x", progress=lambda *step: seen.append(step))
    assert [(done, total) for done, total, _ in seen] == [(1, 4), (2, 4), (3, 4), (4, 4)]
    assert seen[-1][2] == "http://t.example/x"


def test_several_hundred_files_come_in_batches(store: SqliteStore, tmp_path: Path) -> None:
    for number in range(300):
        (tmp_path / f"{number}.md").write_text(f"# Page {number}\n\nwords in number {number}\n")
    assert index(store, tmp_path).indexed == 300
    assert index(store, tmp_path).indexed == 300
    assert len(store.pages()) == 300
    assert [hit.title for hit in store.search_pages("page 217")][:1] == ["Page 217"]


def test_a_store_that_fails_ends_the_run(store: SqliteStore, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("words")
    store.close()
    with pytest.raises(WebError) as caught:
        index(store, tmp_path)
    assert caught.value.code == "WEB_STORE_ERROR"


def test_importing_it_loads_no_parser() -> None:
    import subprocess

    code = "import sys, hydra_web.indexing; sys.exit('lxml' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False, cwd=Path(__file__).parents[1]).returncode == 0
