"""Load on `awrlens serve`: many clients upload reports of 1 MB for some seconds.

    python benchmarks/serve_load.py --clients 200 --seconds 60

Starts a server of its own in a temporary folder, uploads with asyncio, waits until all accepted
reports are analyzed, then runs `awrlens analyze --format jsonl` on as many reports for comparison.
Prints a table for docs/serve.md. Client and server share the machine.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import NamedTuple

import httpx

ROOT = Path(__file__).parent.parent
SAMPLE = ROOT / "sample_reports" / "redo-disk.awr-19c.html"
MB = 2**20


class Load(NamedTuple):
    """What the clients saw."""

    statuses: Counter[int]
    seconds: list[float]
    peak_kb: int


def report(number: int) -> bytes:
    """A report of 1 MB that is not stored twice: a sample and a remark."""
    data = SAMPLE.read_bytes()
    filler = f"<!-- {number:08d} -->\n".encode()
    return data + filler + b"<!-- -->\n" * ((MB - len(data) - len(filler)) // 9)


async def client(http: httpx.AsyncClient, number: int, end: float, load: Load) -> None:
    """Uploads until the end; waits as long as the server says."""
    count = 0
    while time.monotonic() < end:
        began = time.monotonic()
        try:
            found = await http.post(
                "/api/reports", params={"redact": "false"}, content=report(number * 100_000 + count)
            )
        except httpx.HTTPError as problem:
            print(type(problem).__name__, problem, file=sys.stderr)
            load.statuses[0] += 1
            continue
        count += 1
        load.statuses[found.status_code] += 1
        if found.is_success:
            load.seconds.append(time.monotonic() - began)
        else:
            await asyncio.sleep(float(found.headers.get("retry-after", 1)))


def memory_kb(pid: int) -> int:
    """Resident memory of a process and those below it."""
    parents, sizes = {}, {}
    for each in Path("/proc").iterdir():
        if each.name.isdigit():
            try:
                stat = (each / "stat").read_text(encoding="utf-8").rpartition(")")[2].split()
            except OSError:
                continue
            parents[int(each.name)], sizes[int(each.name)] = int(stat[1]), int(stat[21]) * 4
    below = {pid}
    while more := {each for each, parent in parents.items() if parent in below} - below:
        below |= more
    return sum(sizes.get(each, 0) for each in below)


async def run(url: str, pid: int, clients: int, seconds: float) -> tuple[Load, float]:
    """The load, and the seconds until everything is analyzed."""
    statuses: Counter[int] = Counter()
    load = Load(statuses, [], 0)
    limits = httpx.Limits(max_connections=clients)
    began = time.monotonic()
    peak = 0
    async with httpx.AsyncClient(base_url=url, timeout=120, limits=limits) as http:
        end = began + seconds
        tasks = [asyncio.create_task(client(http, n, end, load)) for n in range(clients)]
        while not all(task.done() for task in tasks):
            peak = max(peak, memory_kb(pid))
            await asyncio.sleep(1)
        while True:
            metrics = (await http.get("/metrics")).text
            waiting = next(
                line for line in metrics.splitlines() if line.startswith("awrlens_waiting_uploads")
            )
            if float(waiting.split()[1]) == 0:
                break
            await asyncio.sleep(0.2)
    return load._replace(peak_kb=peak), time.monotonic() - began


def analyze(count: int, folder: Path) -> float:
    """Reports per second of `awrlens analyze --format jsonl`."""
    folder.mkdir()
    for number in range(count):
        (folder / f"{number}.html").write_bytes(report(number))
    began = time.monotonic()
    subprocess.run(
        [sys.executable, "-m", "awrlens", "analyze", str(folder), "--format", "jsonl"],
        check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    return count / (time.monotonic() - began)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--clients", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--reports", type=int, default=200, help="for the comparison")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "log"
        command = [sys.executable, "-m", "awrlens", "serve", "--port", "0", "--rate", "1000000",
                   "--data", f"{folder}/data"]  # fmt: skip
        with log.open("wb") as stderr:
            server = subprocess.Popen(command, stderr=stderr)
        while not (
            ready := [x for x in log.read_text().splitlines() if x.startswith("awrlens: h")]
        ):
            time.sleep(0.1)
        try:
            load, total = asyncio.run(
                run(ready[0].split()[1], server.pid, asked.clients, asked.seconds)
            )
        finally:
            server.terminate()
            server.wait()
        alone = analyze(asked.reports, Path(folder) / "reports")
    times = sorted(load.seconds)
    done = load.statuses[201] / total
    busy = load.statuses[429] + load.statuses[503]
    other = sum(load.statuses.values()) - load.statuses[201] - busy
    print("| measure | value |\n|---|---|")
    print(f"| machine | {os.cpu_count()} CPUs, load {os.getloadavg()[0]:.1f} at the end |")
    print(f"| clients, seconds | {asked.clients}, {asked.seconds:g} |")
    print(f"| accepted uploads of 1 MB | {load.statuses[201]:,} |")
    print(f"| refused with 429 or 503 | {busy:,} |")
    print(f"| other answers and errors | {other:,} |")
    print(f"| p50, p99 of accepted uploads | {times[len(times) // 2]:.2f} s, "
          f"{times[len(times) * 99 // 100]:.2f} s |")  # fmt: skip
    print(f"| accepted and analyzed per second | {done:.1f} |")
    print(f"| `analyze --format jsonl` alone, per second | {alone:.1f} |")
    print(f"| share | {100 * done / alone:.0f} % |")
    print(f"| peak memory of all server processes | {load.peak_kb / 1024:,.0f} MB |")


if __name__ == "__main__":
    main()
