"""Speed as ratios of one run; `make bench` prints them.

The machines this runs on are noisy: runs alternate, medians are quoted, and every figure stands
beside something well known that was measured in the same minute.
"""

from __future__ import annotations

import os
import re
import statistics
import subprocess
import sys
import time
from pathlib import Path

from selectolax.lexbor import LexborHTMLParser

from awrlens import api, rules
from awrlens.policy import Policy

ROOT = Path(__file__).parent.parent
CORPUS = ROOT.parent / "shared" / "corpus"
SAMPLES = ROOT / "sample_reports"
COLD_RUNS = 15
WARM_MB = 100
#: The goals, as the project states them.
COLD_GOAL = 10.0
WARM_GOAL_MB_S = 100.0


def html_reports() -> list[Path]:
    """AWR HTML reports: real ones where the folder is there, else our samples."""
    real = sorted(CORPUS.glob("awr-html_*")) if CORPUS.is_dir() else []
    return real or sorted(SAMPLES.glob("*.html"))


def one_megabyte() -> Path:
    """A report of about 1 MB: a real one, or our largest sample padded with its own SQL text."""
    near = min(html_reports(), key=lambda p: abs(p.stat().st_size - 2**20))
    if near.stat().st_size > 0.8 * 2**20:
        return near
    text = near.read_text(encoding="utf-8")
    rows = re.findall(r"<tr><td[^>]*><a[^>]*name=[^>]*>.*?</tr>", text, re.S) or ["<p>padding</p>"]
    padding = "".join(rows) * (2**20 // max(1, sum(map(len, rows))))
    target = ROOT / "out" / "bench.html"
    target.parent.mkdir(exist_ok=True)
    target.write_text(text.replace("</body>", f"<table>{padding}</table></body>"), encoding="utf-8")
    return target


def seconds(command: list[str]) -> float:
    """Wall time of one process."""
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    begin = time.perf_counter()
    subprocess.run(command, check=True, capture_output=True, env=environment)
    return time.perf_counter() - begin


def cold() -> None:
    """A whole `awrlens analyze` of a 1 MB report against an empty interpreter."""
    report = one_megabyte()
    empty = [sys.executable, "-c", "pass"]
    command = [str(Path(sys.executable).parent / "awrlens"), "analyze", str(report)]
    seconds(command)
    pairs = [(seconds(empty), seconds(command)) for _ in range(COLD_RUNS)]
    ratio = statistics.median(b / a for a, b in pairs)
    size = report.stat().st_size / 2**20
    print(f"cold: awrlens analyze of {size:.2f} MB AWR HTML / python -c pass")
    print(f"  {ratio:.1f} times (goal: at most {COLD_GOAL:.0f}), median of {COLD_RUNS} pairs;")
    empty_ms = statistics.median(a for a, _ in pairs) * 1000
    print(f"  empty interpreter {empty_ms:.0f} ms")


def warm() -> None:
    """Facts and findings of about 100 MB of AWR HTML, one core, against a bare index pass."""
    inputs = [path.read_bytes() for path in html_reports()]
    total = sum(map(len, inputs))
    inputs *= max(1, WARM_MB * 2**20 // total)
    megabytes = sum(map(len, inputs)) / 2**20

    def work() -> None:
        for data in inputs:
            report = api.load(data)
            rules.run(api.facts_of(report), Policy())

    mark = re.compile(rb"<(/?)(table|h[1-6])\b[^>]*>", re.I)
    for data in inputs[:10]:
        rules.run(api.facts_of(api.load(data)), Policy())
    rates, passes, trees = [], [], []
    for _ in range(3):
        begin = time.process_time()
        work()
        rates.append(megabytes / (time.process_time() - begin))
        begin = time.process_time()
        for data in inputs:
            for _match in mark.finditer(data):
                pass
        passes.append(megabytes / (time.process_time() - begin))
        begin = time.process_time()
        for data in inputs:
            for cell in LexborHTMLParser(data).css("td"):
                cell.text()
        trees.append(megabytes / (time.process_time() - begin))
    rate, index, tree = map(statistics.median, (rates, passes, trees))
    print(f"warm: facts and findings of {megabytes:.0f} MB AWR HTML, {len(inputs)} reports")
    print(f"  {rate:.0f} MB/s of CPU time (goal: at least {WARM_GOAL_MB_S:.0f});")
    print(f"  a bare `re` pass over the same bytes: {index:.0f} MB/s, {index / rate:.1f} times;")
    print(f"  a tree of each page and the text of all its cells by lexbor (C): {tree:.0f} MB/s,")
    print(f"  {tree / rate:.2f} times")


def catalogue() -> None:
    """Loading the compiled catalogue, against reading the same bytes."""
    code = "from awrlens.grammar import catalogue; catalogue.load()"
    bare = "import awrlens.grammar.catalogue, json"
    pairs = [
        (seconds([sys.executable, "-c", bare]), seconds([sys.executable, "-c", code]))
        for _ in range(COLD_RUNS)
    ]
    extra = statistics.median(b - a for a, b in pairs) * 1000
    print(f"catalogue: {extra:.1f} ms on top of its imports")


if __name__ == "__main__":
    cold()
    warm()
    catalogue()
