"""Speed in one run; `make bench` prints it.

The timing of our machines varies. Runs therefore alternate, results are medians, and every result
is compared with a reference measured within the same minute.
"""

from __future__ import annotations

import io
import os
import re
import statistics
import subprocess
import sys
import tarfile
import time
import zipfile
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

from selectolax.lexbor import LexborHTMLParser

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))
import pumps
from against import timed

from awrlens import api, rules
from awrlens.cli.console import collect_rarely
from awrlens.policy import Policy
from awrlens.render.json import document

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = Path(__file__).parent.parent
SAMPLES = ROOT / "sample_reports"
COLD_RUNS = 15
WARM_MB = 100
#: The goals of the project.
COLD_GOAL = 9.0
PAGE_GOAL = 3.0
#: Milliseconds of CPU time a report: facts and findings of HTML and of text; the JSON line of HTML.
HTML_GOAL_MS = 5.0
TEXT_GOAL_MS = 3.0
JSONL_GOAL_MS = 12.0
#: Sizes for which time and memory are compared; each is twice the previous one.
SIZES = (2**18, 2**19, 2**20, 2**21)


def one_megabyte() -> Path:
    """A report of about 1 MB: a real report, or our largest sample padded with its SQL text."""
    near = min(timed("HTML"), key=lambda p: abs(p.stat().st_size - 2**20))
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
    """Elapsed time of one process."""
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    begin = time.perf_counter()
    subprocess.run(command, check=True, capture_output=True, env=environment)
    return time.perf_counter() - begin


def cold() -> None:
    """Compare `awrlens analyze` of a 1 MB report with starting Python."""
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
    print(f"  starting Python {empty_ms:.0f} ms")


def page() -> None:
    """Compare the HTML page of a 1 MB report with the text analysis."""
    report = one_megabyte()
    plain = [str(Path(sys.executable).parent / "awrlens"), "analyze", str(report)]
    seconds([*plain, "--format", "html"])
    pairs = [(seconds(plain), seconds([*plain, "--format", "html"])) for _ in range(COLD_RUNS)]
    ratio = statistics.median(b / a for a, b in pairs)
    print(f"page: awrlens analyze --format html / awrlens analyze: {ratio:.1f} times")
    print(f"  (goal: below {PAGE_GOAL:.0f})")


def repeated(paths: list[Path], megabytes: int) -> tuple[list[bytes], float]:
    """The bytes of reports, repeated up to a size, and their megabytes."""
    inputs = [path.read_bytes() for path in paths]
    inputs *= max(1, megabytes * 2**20 // sum(map(len, inputs)))
    return inputs, sum(map(len, inputs)) / 2**20


def cpu_ms(inputs: list[bytes], work: Callable[[bytes], object]) -> float:
    """Milliseconds of CPU time for an input: the median of three runs over all of them."""
    found = []
    for _ in range(3):
        begin = time.process_time()
        for data in inputs:
            work(data)
        found.append((time.process_time() - begin) * 1000 / len(inputs))
    return statistics.median(found)


def findings(data: bytes) -> object:
    """The measured work: facts and findings of one report."""
    return rules.run(api.facts_of(api.load(data)), Policy())


def json_line(data: bytes) -> object:
    """The work of `analyze --format jsonl`: all facts with evidence, findings, advice."""
    return document(api.analyze(api.load(data), Policy()).to_dict(), compact=True)


_MARK = re.compile(rb"<(/?)(table|h[1-6])\b[^>]*>", re.I)


def index_pass(data: bytes) -> None:
    """The minimum work of any HTML reader: find tables and headings."""
    for _ in _MARK.finditer(data):
        pass


def all_cells(data: bytes) -> None:
    """The work of a reader that first builds a tree, with a parser in C."""
    for cell in LexborHTMLParser(data).css("td"):
        cell.text()


def warm() -> None:
    """State the CPU time of a report, beside simple passes over the same bytes."""
    for name, paths, size, works in (
        (
            "AWR HTML",
            timed("HTML"),
            WARM_MB,
            ((findings, HTML_GOAL_MS), (json_line, JSONL_GOAL_MS)),
        ),
        ("text", timed("text"), WARM_MB // 10, ((findings, TEXT_GOAL_MS),)),
    ):
        inputs, megabytes = repeated(paths, size)
        each_mb = megabytes / len(inputs)
        for data in inputs[: len(paths)]:
            json_line(data)
        collect_rarely()  # as in the command line
        print(f"warm: CPU time of {name}, {len(inputs)} reports of {each_mb:.2f} MB")
        for work, goal in works:
            took = cpu_ms(inputs, work)
            what = "facts and findings" if work is findings else "analyze --format jsonl"
            print(f"  {what}: {took:.1f} ms a report (goal: at most {goal:.0f}),")
            print(f"  {each_mb / took * 1000:.0f} MB/s;")
        if name != "text":
            index, tree = cpu_ms(inputs, index_pass), cpu_ms(inputs, all_cells)
            print(f"  a bare `re` pass over them: {index:.2f} ms;")
            print(f"  a tree and the text of all its cells by lexbor (C): {tree:.1f} ms")


def catalogue() -> None:
    """Compare loading the compiled catalogue with importing its module."""
    code = "from awrlens.grammar import catalogue; catalogue.load()"
    bare = "import awrlens.grammar.catalogue, json"
    pairs = [
        (seconds([sys.executable, "-c", bare]), seconds([sys.executable, "-c", code]))
        for _ in range(COLD_RUNS)
    ]
    extra = statistics.median(b - a for a, b in pairs) * 1000
    print(f"catalogue: {extra:.1f} ms on top of its imports")


#: The script of the separate process of `growth`: seconds of CPU time, and peak memory in kB.
_READ = """
import re, sys, time
from awrlens import api
from awrlens.errors import AwrlensError
data = sys.stdin.buffer.read()
begin = time.process_time()
for found in api.load_inputs(data, "bench"):
    if not isinstance(found, AwrlensError):
        api.analyze(found)
took = time.process_time() - begin
peak = re.search(r"VmHWM:\\s*(\\d+)", open("/proc/self/status").read())
print(took, peak[1])
"""


def _inputs() -> dict[str, Callable[[int], bytes]]:
    """Inputs by name, each with a function that creates one of a given size."""
    text = (SAMPLES / "redo-disk.awr-11.2.txt").read_bytes()
    html = (SAMPLES / "redo-disk.awr-11.2.html").read_bytes()
    log = (ROOT / "tests" / "alertlogs" / "10g.log").read_bytes()
    errorlog = (SAMPLES / "sqlserver-errorlog.log").read_bytes()

    def several(data: bytes, size: int) -> list[bytes]:
        return [data] * max(1, size // len(data))

    def zipped(size: int) -> bytes:
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
            for number, data in enumerate(several(text, size)):
                archive.writestr(f"{number}.txt", data)
        return buffer.getvalue()

    def tarred(size: int) -> bytes:
        buffer = io.BytesIO()
        with tarfile.open(fileobj=buffer, mode="w:gz") as archive:
            for number, data in enumerate(several(html, size)):
                info = tarfile.TarInfo(f"{number}.html")
                info.size = len(data)
                archive.addfile(info, io.BytesIO(data))
        return buffer.getvalue()

    def mail(size: int) -> bytes:
        head = b'MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary="b"\n\n'
        part = b'--b\nContent-Disposition: attachment; filename="a.txt"\n\n'
        return head + b"\n".join(part + data for data in several(text, size)) + b"\n--b--\n"

    def hostile(host: str, lead: str, piece: str) -> Callable[[int], bytes]:
        return lambda size: pumps.grown(host, lead, piece, size)

    return {
        "text reports in a file": lambda size: b"\n".join(several(text, size)),
        "HTML reports in a file": lambda size: b"\n".join(several(html, size)),
        "rows of one HTML table": hostile("between tables", "<table>", "<tr><td>a</td></tr>"),
        "lines of one text table": hostile("row of a text", "", "\nenqueue    1    0    2   1.0"),
        "alert log": lambda size: b"".join(several(log, size)),
        "error log of SQL Server": lambda size: b"".join(several(errorlog, size)),
        "text reports in a zip": zipped,
        "HTML reports in a tar.gz": tarred,
        "text reports in a mail": mail,
        "hostile: colons, no report": hostile("alone", "", ":"),
        "hostile: `<td ` unclosed": hostile("between tables", "", "<td "),
        "hostile: `<th colspan=` and blanks": hostile("heading of a page", "<th colspan=", " "),
        "hostile: comments unclosed": hostile("cell of a page", "", "<!--"),
        "hostile: tables in tables": hostile("between tables", "", "<table><tr><td>"),
        "hostile: ` for DB:` on a line": hostile("line of a text", "", " for DB:"),
        "hostile: figures before a title": hostile("title of a text", "", "1"),
        "hostile: rulers": hostile("line of a text", "", "---- ----\n"),
        "hostile: blanks before a frame": hostile("margin of a text", "", " "),
    }


def growth() -> None:
    """Time and memory by size for each reader and container; ratios near 2 mean linear.

    Sizes are before compression.
    """
    print(
        "growth: | input | " + " | ".join(f"{size / 2**20:g} MB" for size in SIZES) + " | ratios |"
    )
    for name, make in _inputs().items():
        found = []
        for size in SIZES:
            done = subprocess.run(
                [sys.executable, "-c", _READ], input=make(size), check=True, capture_output=True
            )
            took, peak = done.stdout.split()
            found.append((float(took), int(peak) / 1024))
        cells = " | ".join(f"{took:.2f} s, {peak:.0f} MB" for took, peak in found)
        ratios = ", ".join(f"{b / a:.1f}" for (a, _), (b, _) in pairwise(found))
        print(f"| {name} | {cells} | {ratios} |", flush=True)


if __name__ == "__main__":
    for each in (cold, page, warm, catalogue, growth):
        if not sys.argv[1:] or each.__name__ in sys.argv[1:]:
            each()
