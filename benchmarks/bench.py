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
from typing import TYPE_CHECKING

from selectolax.lexbor import LexborHTMLParser

from awrlens import api, rules
from awrlens.cli import collect_rarely
from awrlens.policy import Policy

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = Path(__file__).parent.parent
CORPUS = ROOT.parent / "shared" / "corpus"
SAMPLES = ROOT / "sample_reports"
COLD_RUNS = 15
WARM_MB = 100
#: The goals, as the project states them.
COLD_GOAL = 10.0
WARM_GOAL_MB_S = 100.0
PAGE_GOAL = 3.0
TEXT_GOAL_MB_S = 60.0


def html_reports() -> list[Path]:
    """AWR HTML reports: real ones where the folder is there, else our samples."""
    real = sorted(CORPUS.glob("awr-html_*")) if CORPUS.is_dir() else []
    return real or sorted(SAMPLES.glob("*.html"))


def text_reports() -> list[Path]:
    """Statspack and AWR text: real ones where the folder is there, else our samples."""
    found = [*CORPUS.glob("statspack-text_*"), *CORPUS.glob("awr-text_*")]
    return sorted(found) or sorted([*SAMPLES.glob("*.txt"), *SAMPLES.glob("*.lst")])


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


def page() -> None:
    """The HTML page of a 1 MB report against the plain analysis."""
    report = one_megabyte()
    plain = [str(Path(sys.executable).parent / "awrlens"), "analyze", str(report)]
    seconds([*plain, "--format", "html"])
    pairs = [(seconds(plain), seconds([*plain, "--format", "html"])) for _ in range(COLD_RUNS)]
    ratio = statistics.median(b / a for a, b in pairs)
    print(f"page: awrlens analyze --format html / awrlens analyze: {ratio:.1f} times")
    print(f"  (goal: below {PAGE_GOAL:.0f})")


def repeated(paths: list[Path], megabytes: int) -> tuple[list[bytes], float]:
    """The bytes of some reports, as often as needed, and how many megabytes that is."""
    inputs = [path.read_bytes() for path in paths]
    inputs *= max(1, megabytes * 2**20 // sum(map(len, inputs)))
    return inputs, sum(map(len, inputs)) / 2**20


def throughput(inputs: list[bytes], megabytes: float, work: Callable[[bytes], object]) -> float:
    """Megabytes per second of CPU time, the median of three runs over all inputs."""
    rates = []
    for _ in range(3):
        begin = time.process_time()
        for data in inputs:
            work(data)
        rates.append(megabytes / (time.process_time() - begin))
    return statistics.median(rates)


def findings(data: bytes) -> object:
    """What is measured: facts and findings of one report."""
    return rules.run(api.facts_of(api.load(data)), Policy())


_MARK = re.compile(rb"<(/?)(table|h[1-6])\b[^>]*>", re.I)


def index_pass(data: bytes) -> None:
    """The least that any reader of HTML does: find tables and headings."""
    for _ in _MARK.finditer(data):
        pass


def all_cells(data: bytes) -> None:
    """What a reader does that builds a tree first, by a parser in C."""
    for cell in LexborHTMLParser(data).css("td"):
        cell.text()


def warm() -> None:
    """Facts and findings of HTML and of text, one core, against passes over the same bytes."""
    for name, paths, goal, size in (
        ("AWR HTML", html_reports(), WARM_GOAL_MB_S, WARM_MB),
        ("text", text_reports(), TEXT_GOAL_MB_S, WARM_MB // 10),
    ):
        inputs, megabytes = repeated(paths, size)
        for data in inputs[: len(paths)]:
            findings(data)
        collect_rarely()  # as the command line does
        rate = throughput(inputs, megabytes, findings)
        each = megabytes / rate / len(inputs) * 1000
        print(f"warm: facts and findings of {megabytes:.0f} MB {name}, {len(inputs)} reports")
        print(f"  {rate:.0f} MB/s of CPU time (goal: at least {goal:.0f}), {each:.1f} ms a report;")
        if name != "text":
            index = throughput(inputs, megabytes, index_pass)
            print(f"  a bare `re` pass over them: {index:.0f} MB/s, {index / rate:.1f} times;")
            tree = throughput(inputs, megabytes, all_cells)
            print(f"  a tree and the text of all its cells by lexbor (C): {tree:.0f} MB/s,")
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
    page()
    warm()
    catalogue()
