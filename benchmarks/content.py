"""HTML to Markdown: quality, speed and hostile input, with peers side by side in the same run.

    python benchmarks/content.py [quality] [speed] [hostile] [--every N]

The corpora are looked for beside the project (`../shared/corpora`) or in the folder HYDRA_CORPORA names. Peers that are
not installed are named and left out. Times are processor time; read the ratios.
"""

import argparse
import gc
import math
import resource
import statistics
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

import _corpora as corpora
from _hostile import AFTER, BEFORE, FAMILIES, hostile_page
from _peers import Convert, peers

from hydra_web.content import render
from hydra_web.content._tree import parse_html


def ours(html: str, url: str) -> str:
    return render(html, url).text


def ours_untitled(html: str, url: str) -> str:
    """Without the title line that a text without headings is given: no corpus counts it as content."""
    page = render(html, url)
    titled = len(page.outline) == 1 and page.text.startswith("# ")
    return page.text.partition("\n")[2] if titled else page.text


def _texts(convert: Convert, pages: Sequence[corpora.Page]) -> list[str]:
    texts = []
    for page in pages:
        try:
            texts.append(corpora.without_markup(convert(page.html, page.url)))
        except Exception:
            texts.append("")
    return texts


def quality(converters: dict[str, Convert], every: int) -> None:
    wcxb, articles, mozilla = (load()[::every] for load in (corpora.wcxb, corpora.articles, corpora.mozilla))
    print(f"\nMain content, F1: {len(wcxb)} WCXB pages, {len(articles)} articles, {len(mozilla)} Mozilla pages")
    header = [
        "WCXB",
        "P",
        "R",
        "lost half",
        "with",
        "without",
        *[kind[:7] for kind in corpora.KINDS],
        "articles",
        "Mozilla",
    ]
    print(f"{'':18}" + " ".join(f"{name:>9}" for name in header))
    for name, convert in converters.items():
        texts = _texts(convert, wcxb)
        scores = [corpora.bag_f1(text, page.truth) for text, page in zip(texts, wcxb, strict=True)]
        kinds = defaultdict(list)
        for page, score in zip(wcxb, scores, strict=True):
            kinds[page.kind].append(score[2])
        row = [statistics.mean(score[i] for score in scores) for i in (2, 0, 1)]
        row.append(sum(score[1] < 0.5 for score in scores) / len(scores))
        row.append(_snippets(texts, [page.wanted for page in wcxb]))
        row.append(_snippets(texts, [page.unwanted for page in wcxb]))
        row += [statistics.mean(kinds[kind] or [0.0]) for kind in corpora.KINDS]
        row.append(_article_f1(convert, articles))
        truths = [page.truth for page in mozilla]
        row.append(
            statistics.mean(corpora.bag_f1(*pair)[2] for pair in zip(_texts(convert, mozilla), truths, strict=True))
        )
        print(f"{name:18}" + " ".join(f"{value:9.3f}" for value in row), flush=True)


def _snippets(texts: list[str], snippets: list[tuple[str, ...]]) -> float:
    shares = [
        sum(snippet.lower() in text.lower() for snippet in wanted) / len(wanted)
        for text, wanted in zip(texts, snippets, strict=True)
        if wanted
    ]
    return statistics.mean(shares or [0.0])


def _article_f1(convert: Convert, pages: Sequence[corpora.Page]) -> float:
    shares = [
        corpora.shingle_shares(text, page.truth) for text, page in zip(_texts(convert, pages), pages, strict=True)
    ]
    precision = statistics.mean(hit / (hit + extra) for hit, extra, _ in shares if hit + extra)
    recall = statistics.mean(hit / (hit + missed) for hit, _, missed in shares if hit + missed)
    return 2 * precision * recall / (precision + recall)


def speed(converters: dict[str, Convert], every: int) -> None:
    pages = [page for load in (corpora.wcxb, corpora.articles, corpora.mozilla) for page in load()[:: 4 * every]]
    stages = {"lxml parse": lambda html, _: str(parse_html(html)), **converters}
    times: dict[str, list[float]] = {name: [] for name in stages}
    gc.freeze()
    for page in pages:
        for name, convert in stages.items():
            best = math.inf
            gc.collect()  # nobody pays for what another left behind
            for _ in range(2):
                started = time.process_time()
                try:
                    convert(page.html, page.url)
                except Exception:
                    print(f"  {name} failed on {page.url}")
                best = min(best, time.process_time() - started)
            times[name].append(best * 1000)
    floor = statistics.median(times["lxml parse"])
    base = statistics.median(times["hydra-web"]), sum(times["hydra-web"])
    print(f"\nSpeed on {len(pages)} pages, each through every converter in turn")
    print(
        f"{'':18}{'median ms':>10}{'p95 ms':>10}{'p95/parse':>10}{'same page':>10}"
        f"{'ours faster, median':>21}{'ours faster, total':>20}"
    )
    for name, values in times.items():
        p95 = _p95(values)
        same = _p95([value / parse for value, parse in zip(values, times["lxml parse"], strict=True)])
        median, total = statistics.median(values), sum(values)
        print(f"{name:18}{median:10.2f}{p95:10.1f}{p95 / floor:10.1f}{same:10.1f}", end="")
        print(f"{median / base[0]:20.2f}x{total / base[1]:19.2f}x")


def _p95(values: list[float]) -> float:
    return sorted(values)[int(0.95 * len(values))]


def hostile(_: dict[str, Convert], every: int) -> None:
    print("\nHostile pages at 0.5, 1 and 2 million characters (each in a process of its own)")
    print(f"{'':22}{'seconds':>24}{'growth':>8}{'MB':>6}  kept before/after")
    for family in list(FAMILIES)[::every]:
        rows = []
        for size in (500_000, 1_000_000, 1_950_000):
            command = [sys.executable, __file__, "--one", family, str(size)]
            try:
                done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
                rows.append([float(word) for word in done.stdout.split()])
            except (subprocess.SubprocessError, ValueError):
                rows.append([math.inf, 0, 0, 0])
        growth = math.log(rows[2][0] / rows[1][0]) / math.log(1.95) if 0.05 < rows[2][0] < math.inf else 1.0
        seconds = " ".join(f"{row[0]:7.2f}" for row in rows)
        kept = f"{rows[2][2]:.0f}/{rows[2][3]:.0f}"
        print(f"{family:22}{seconds:>24}{growth:8.2f}{rows[2][1]:6.0f}  {kept}", flush=True)


def one(family: str, size: int) -> None:
    page = hostile_page(family, size)
    render("<p>warm</p>", "http://example.com/")
    before = _peak_memory()
    started = time.process_time()
    shown = render(page, "http://example.com/", "full", deadline_ms=60_000)
    seconds = time.process_time() - started
    memory = _peak_memory() - before
    print(seconds, memory, int(BEFORE in shown.text), int(AFTER in shown.text))


def _peak_memory() -> float:
    """Megabytes; Linux counts from the start of this program, other systems from its parent's."""
    status = Path("/proc/self/status")
    if status.exists():
        return int(status.read_text("utf-8").split("VmHWM:")[1].split()[0]) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", help="quality, speed, hostile; all by default")
    parser.add_argument("--every", type=int, default=1, help="only every Nth page")
    parser.add_argument("--one", nargs=2, metavar=("FAMILY", "SIZE"), help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.one:
        one(args.one[0], int(args.one[1]))
        return
    others, absent = peers()
    print("Peers not installed here, left out:", ", ".join(absent) or "none")
    converters = {"hydra-web": ours, "ours, no title": ours_untitled, **others}
    parts = {"quality": quality, "speed": speed, "hostile": hostile}
    for name in args.parts or parts:
        if name != "hostile" and not corpora.FOLDER.is_dir():
            print(f"\n{name}: no corpora at {corpora.FOLDER}; set HYDRA_CORPORA")
            continue
        parts[name](converters, args.every)


if __name__ == "__main__":
    main()
