"""The pages of an invented harbour town, in English, Vietnamese and Chinese."""

from pathlib import Path

__all__ = ["corpus_pages", "corpus_path"]

_CONTENT_TYPES = {".html": "text/html; charset=utf-8", ".md": "text/markdown; charset=utf-8"}


def corpus_path() -> Path:
    """The folder of the pages."""
    return Path(__file__).with_name("corpus")


def corpus_pages() -> dict[str, tuple[str, bytes]]:
    """The pages as a web site has them: path to content type and content."""
    root = corpus_path()
    return {
        f"/{page.relative_to(root).as_posix()}": (_CONTENT_TYPES[page.suffix], page.read_bytes())
        for page in sorted(root.rglob("*"))
        if page.suffix in _CONTENT_TYPES
    }
