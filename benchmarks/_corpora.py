"""The development corpora: pages with their truth, when the folder is there."""

import gzip
import json
import os
import re
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

FOLDER = Path(os.environ.get("HYDRA_CORPORA", Path(__file__).resolve().parents[2] / "shared" / "corpora"))
KINDS = ("article", "documentation", "service", "forum", "collection", "listing", "product")


@dataclass(frozen=True, slots=True)
class Page:
    """One page of a corpus."""

    html: str
    url: str
    truth: str
    kind: str = ""
    wanted: tuple[str, ...] = ()
    unwanted: tuple[str, ...] = ()


def _read(path: Path) -> str:
    return gzip.decompress(path.read_bytes()).decode("utf-8", "replace")


def wcxb() -> list[Page]:
    pages = []
    for path in sorted((FOLDER / "wcxb-dev" / "html").glob("*.html.gz")):
        truth = json.loads((FOLDER / "wcxb-dev" / "ground-truth" / f"{path.name[:-8]}.json").read_text("utf-8"))
        kind = ((truth.get("_internal") or {}).get("page_type") or {}).get("primary", "article")
        facts = truth["ground_truth"]
        pages.append(
            Page(
                _read(path),
                truth.get("url") or "http://example.com/",
                facts.get("main_content") or "",
                "collection" if kind == "category" else kind,
                tuple(facts.get("with") or ()),
                tuple(facts.get("without") or ()),
            )
        )
    return pages


def articles() -> list[Page]:
    truth: dict[str, Any] = json.loads((FOLDER / "aeb-dev" / "ground-truth.json").read_text("utf-8"))
    return [
        Page(
            _read(FOLDER / "aeb-dev" / "html" / f"{key}.html.gz"),
            truth[key].get("url", "http://example.com/"),
            truth[key].get("articleBody", ""),
        )
        for key in sorted(truth)
    ]


def mozilla() -> list[Page]:
    import lxml.html

    pages = []
    for path in sorted((FOLDER / "mozilla-dev").glob("*.source.html.gz")):
        expected = _read(path.with_name(path.name.replace(".source.", ".expected.")))
        text = " ".join(lxml.html.fromstring(f"<div>{expected}</div>").itertext())
        pages.append(Page(_read(path), "http://fakehost/test/page.html", text))
    return pages


def words(text: str) -> list[str]:
    return re.findall(r"\w+", text.lower())


def bag_f1(found: str, true: str) -> tuple[float, float, float]:
    """Precision, recall and F1 over bags of words."""
    a, b = words(found), words(true)
    if not a or not b:
        same = float(not a and not b)
        return same, same, same
    overlap = sum((Counter(a) & Counter(b)).values())
    precision, recall = overlap / len(a), overlap / len(b)
    return precision, recall, 2 * precision * recall / (precision + recall) if overlap else 0.0


def shingle_shares(found: str, true: str) -> tuple[float, float, float]:
    """True positives, false positives and misses of 4-word shingles, as shares (article-extraction-benchmark)."""
    bags = []
    for text in (found, true):
        tokens = re.findall(r"\w+", text)
        bags.append(Counter(tuple(tokens[i : i + 4]) for i in range(max(1, len(tokens) - 3))) if tokens else Counter())
    hits = sum((bags[0] & bags[1]).values())
    extra, missed = sum(bags[0].values()) - hits, sum(bags[1].values()) - hits
    total = hits + extra + missed
    return (hits / total, extra / total, missed / total) if total else (1.0, 0.0, 0.0)


def without_markup(text: str) -> str:
    """Markdown as the text a reader sees, near enough for counting words; linear whatever the text."""
    text = re.sub(r"!?\[((?:[^\[\]\\]|\\.)*+)\]\((?:[^()\\]|\\.|\([^)]*\))*+\)", r"\1", text)
    text = re.sub(r"(?m)^\s{0,3}(?:#{1,6}|>|[-*+]|\d+[.)])\s+", "", text)
    text = re.sub(r"(?m)^\s*\|?[\s:|-]+\|?\s*$", "", text).replace("|", " ")
    text = re.sub(r"(\*\*|__|~~|`+|(?<!\w)[*_]|[*_](?!\w))", "", text)
    return re.sub(r"\\([\\`*_{}\[\]()#+\-.!~|<>])", r"\1", text)
