"""Local search: how fast pages are indexed and found, and how many of the right ones come back.

Two corpora: one made up here from a fixed seed, and the manual pages of this system in whatever languages
they are installed (left out, and said so, where there are none). The truth for a query is a plain scan of
the texts. Beside ours: the same SQLite index without our folding (unicode61 alone), and trigrams.

    python benchmarks/local_search.py [PAGES]
"""

import gzip
import random
import re
import sqlite3
import statistics
import sys
import tempfile
import time
import unicodedata
from collections.abc import Callable
from pathlib import Path

from hydra_web.store import IndexedPage, SqliteStore

Corpus = list[tuple[str, str]]
Search = Callable[[str], list[str]]
LIMIT = 10
QUERIES = 60
MANUALS = Path("/usr/share/man")
VIETNAMESE = "đường nước người việt nam cơ sở dữ liệu tìm kiếm trang mạng tiếng học máy tính".split()  # noqa: SIM905


def generated(count: int) -> Corpus:
    chance = random.Random(7)
    english = ["".join(chance.choices("bcdfglmnprst", k=1) + chance.choices("aeiou", k=1)) * 2 for _ in range(40)]
    english += [f"{a}{b}" for a in english[:40] for b in ("ness", "ing", "er", "al", "tion")]
    chinese = "数据库网络搜索语言模型页面文本中国经济发展技术系统软件学习机器人工智能开放"
    japanese = "データベース検索言語モデルページ文書日本語処理システム学習機械技術情報"
    pages = []
    for number in range(count):
        match number % 4:
            case 0:
                text = " ".join(chance.choices(english, k=300))
            case 1:
                text = " ".join(chance.choices(VIETNAMESE, k=300))
            case 2:
                text = "".join(chance.choices(chinese + "，。", k=600))
            case _:
                text = "".join(chance.choices(japanese + "、。のはがを", k=600))
        pages.append((f"http://bench.example/{number}", text))
    return pages


def manuals(count: int) -> Corpus:
    files = sorted(MANUALS.glob("man[158]/*.gz")) + sorted(MANUALS.glob("*/man[158]/*.gz"))
    random.Random(3).shuffle(files)
    pages = []
    for file in files[:count]:
        try:
            source = gzip.decompress(file.read_bytes()).decode()
        except (OSError, ValueError):
            continue
        text = re.sub(r"^[.'].*?(?: |$)|\\f.|\\-|\\&", " ", source, flags=re.MULTILINE)
        pages.append((f"http://bench.example{file}", text))
    return pages


def marks_removed(text: str) -> str:
    plain = unicodedata.normalize("NFD", text.replace("đ", "d").replace("Đ", "D"))
    return "".join(character for character in plain if not "\u0300" <= character <= "\u036f")


def queries(corpus: Corpus) -> dict[str, list[str]]:
    """Passages of the corpus by kind; each is looked for as it stands, or without its marks."""
    chance = random.Random(11)
    patterns = {
        "latin, 3 words": r"(?<![^\W_])[a-z]{4,}(?: [a-z]{4,}){2}(?![^\W_])",
        "marked phrase": r"(?<![^\W_])[a-zà-ỹđ]*[à-ỹđ][a-zà-ỹđ]* [a-zà-ỹđ]+ [a-zà-ỹđ]+(?![^\W_])",
        "han, 2 characters": r"[\u4e00-\u9fff]{2}",
        "kana, 4 characters": r"[\u30a1-\u30fa]{4}",
        "hangul word": r"(?<![^\W_])[가-힣]{2,4}(?![^\W_])",
    }
    found = {}
    for name, pattern in patterns.items():
        passages = [match for _, text in corpus for match in re.findall(pattern, text)[:40]]
        if len(passages) >= QUERIES:
            found[name] = chance.sample(passages, QUERIES)
    if "marked phrase" in found:
        found["the same, no marks"] = [marks_removed(query) for query in found["marked phrase"]]
    return found


def ours(corpus: Corpus, folder: str) -> Search:
    store = SqliteStore(f"{folder}/ours.sqlite3")
    store.add_pages(
        IndexedPage(url=url, title=None, kind="text", content=text, text=text, fetched_at="2026-01-01")
        for url, text in corpus
    )
    return lambda query: [hit.url for hit in store.search_pages(query, LIMIT)]


def plain_fts(tokenizer: str) -> Callable[[Corpus, str], Search]:
    def build(corpus: Corpus, folder: str) -> Search:
        connection = sqlite3.connect(f"{folder}/{tokenizer.split(maxsplit=1)[0]}.sqlite3")
        connection.execute(f"CREATE VIRTUAL TABLE pages USING fts5 (url UNINDEXED, text, tokenize='{tokenizer}')")
        connection.executemany("INSERT INTO pages VALUES (?, ?)", corpus)
        connection.commit()

        def search(query: str) -> list[str]:
            words = " AND ".join(f'"{word}"' for word in query.split())
            rows = connection.execute(
                "SELECT url, snippet(pages, 1, '', '', '…', 40) FROM pages WHERE pages MATCH ? ORDER BY rank LIMIT ?",
                (words, LIMIT),
            )
            return [url for url, _ in rows]

        return search

    return build


def run(name: str, corpus: Corpus) -> None:
    characters = sum(len(text) for _, text in corpus)
    print(f"\n{name}: {len(corpus)} pages, {characters / 1e6:.1f} million characters")
    asked = queries(corpus)
    folded = [(url, marks_removed(text).lower()) for url, text in corpus]
    engines = {
        "hydra-web": ours,
        "unicode61 alone": plain_fts("unicode61 remove_diacritics 2"),
        "trigram": plain_fts("trigram"),
    }
    for engine, build in engines.items():
        with tempfile.TemporaryDirectory() as folder:
            started = time.perf_counter()
            search = build(corpus, folder)
            print(f"  {engine}: indexed in {time.perf_counter() - started:.2f} s")
            for kind, passages in asked.items():
                print(f"    {kind:20} {score(search, passages, folded)}")


def score(search: Search, passages: list[str], folded: Corpus) -> str:
    recalls, precisions, times = [], [], []
    for query in passages:
        plain = marks_removed(query).lower()
        truth = {url for url, text in folded if plain in text}
        started = time.perf_counter()
        hits = search(query)
        times.append((time.perf_counter() - started) * 1000)
        recalls.append(len(truth & set(hits)) / min(LIMIT, len(truth)))
        precisions.append(len(truth & set(hits)) / len(hits) if hits else 0.0)
    return (
        f"recall@{LIMIT} {statistics.mean(recalls):.2f}  precision {statistics.mean(precisions):.2f}"
        f"  {statistics.median(times):6.2f} ms median {max(times):6.2f} ms worst"
    )


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 2000
    run("generated", generated(count))
    real = manuals(count)
    if real:
        run("manual pages of this system", real)
    else:
        print(f"\nno manual pages in {MANUALS}: that part is left out")


main()
