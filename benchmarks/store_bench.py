"""Speed of a store; ``python benchmarks/store_bench.py [REPORTS]`` prints a table.

With ``growth`` instead of a number, 100, 1,000 and 10,000 reports are analyzed and stored, from
folders and from one archive: the cost of a report and the memory must not grow with their number.
``memory REPORTS`` prints the peak memory in MB of the process that writes so many copies.

Ingest is compared with ``analyze --format jsonl`` on the same generated reports, by CPU time and on
one process. The other lines use a store of REPORTS rows (default: 10,000) that are copies of our
samples with other databases and times, so that the machine analyzes few reports and stores many.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tarfile
import tempfile
import time
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))
import fleet_of
import samples

from awrlens import config
from awrlens.cli.analyze import Asked
from awrlens.fleet import index
from awrlens.fleet.folder import OF_REPORTS, REPORTS, place
from awrlens.fleet.ingest import Writer, ingest
from awrlens.fleet.rows import Job, Piece
from awrlens.fleet.sources import InputFile

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parent.parent
#: Copies of these are stored: calm and slow, text and HTML.
KINDS = ("redo-accelerator.statspack-9.2.lst", "busy-commit.statspack-9.2.lst",
         "redo-disk.awr-11.2.html", "undo-disk.awr-19c.html")  # fmt: skip
#: Reports of a database: two days, hourly.
PER_DATABASE = 50
ANALYZED = 60
BEGIN = datetime(2026, 1, 1)  # noqa: DTZ001 - reports have no zone


def used(*args: str) -> tuple[float, float, int]:
    """Elapsed time, CPU time and peak memory (MB) of a call, all its processes together."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    begin = time.perf_counter()
    command = [sys.executable, "-m", "awrlens", *args]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=environment)
    elapsed = time.perf_counter() - begin
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return elapsed, cpu, after.ru_maxrss // 1024


def said(what: str, found: str, goal: str = "") -> None:
    """A line of the table."""
    print(f"| {what} | {found} | {goal} |", flush=True)


def analysis(folder: Path) -> None:
    """Ingest beside ``analyze --format jsonl``, and its memory by the number of reports."""
    tree = fleet_of.tree(folder / "small", 4, ANALYZED // 4)
    for number in range(ANALYZED // 2):
        text = samples.path(KINDS[2 + number % 2]).read_text(encoding="utf-8")
        changed = text.replace("AULTDB", f"DB{number:04}")
        (tree / f"awr_{number:03}.html").write_text(changed, encoding="utf-8")
    files = [each for each in tree.rglob("*") if each.is_file()]
    megabytes = sum(each.stat().st_size for each in files) / 2**20
    mean = f"{len(files)} reports, {megabytes / len(files):.2f} MB each"
    one = str(files[0])  # what a call costs without the reports
    _, start, _ = used("analyze", one, "-f", "jsonl", "-j", "1")
    _, jsonl, _ = used("analyze", str(tree), "-f", "jsonl", "-j", "1")
    _, begin, _ = used("ingest", one, "--store", str(folder / "one.duckdb"), "-j", "1")
    _, stored, few = used("ingest", str(tree), "--store", str(folder / "a.duckdb"), "-j", "1")
    each_jsonl = (jsonl - start) * 1000 / (len(files) - 1)
    each_stored = (stored - begin) * 1000 / (len(files) - 1)
    said(f"`analyze --format jsonl`, {mean}", f"{each_jsonl:.1f} ms CPU a report")
    said("`ingest`, the same", f"{each_stored:.1f} ms CPU a report")
    said("rate of ingest / rate of jsonl", f"{100 * each_jsonl / each_stored:.0f} %", "≥ 70 %")
    fleet_of.tree(folder / "more", 4, ANALYZED)
    _, _, many = used(
        "ingest", str(folder / "more"), "--store", str(folder / "b.duckdb"), "-j", "1"
    )
    said(f"peak memory, {len(files)} and {4 * ANALYZED} reports", f"{few} and {many} MB", "flat")


def growth(folder: Path) -> None:
    """CPU time a report and memory of an ingest by the number of reports."""
    one = fleet_of.tree(folder / "one", 1, 1)
    _, begin, _ = used("ingest", str(one), "--store", str(folder / "one.duckdb"), "-j", "2")
    first: dict[str, tuple[float, int]] = {}
    for count in (100, 1_000, 10_000):
        tree = fleet_of.tree(folder / f"{count}", count // 10, 10)
        packed = folder / f"{count}.tar.gz"
        with tarfile.open(packed, "w:gz", compresslevel=1) as archive:
            archive.add(tree, "reports")
        for kind, source in (("files", tree), ("in one archive", packed)):
            store = str(folder / f"{count}-{kind[:2]}.duckdb")
            _, cpu, memory = used("ingest", str(source), "--store", store, "-j", "2")
            each = (cpu - begin) * 1000 / (count - 1)
            base, small = first.setdefault(kind, (each, memory))
            said(f"{count:,} reports, {kind}",
                 f"{each:.1f} ms CPU a report ({100 * each / base:.0f} %), "
                 f"{memory} MB ({100 * memory / small:.0f} %)", "≤ 110 %, ≤ 120 %")  # fmt: skip


def pieces() -> list[Piece]:
    """The rows of the samples."""
    job = Job(Asked(config.Options()))
    found = []
    for name in KINDS:
        path = samples.path(name)
        found.append(job.of(InputFile(str(path), path.stat().st_size, "0")))
    return found


def copy(piece: Piece, number: int, file: Path) -> Piece:
    """The rows of a report as those of another database and time."""
    key, (database, hour) = f"{number:024x}", divmod(number, PER_DATABASE)
    begin = BEGIN + timedelta(hours=hour)
    rows: dict[str, list[Any]] = {}
    for table in OF_REPORTS:
        rows[table.name] = [(key, *row[1:]) for row in piece.rows[table.name]]
    changed = dict(zip(REPORTS.names, rows["reports"][0], strict=True))
    changed |= {
        "document": key, "db_name": f"DB{database:05}", "db_id": str(database),
        "instance": f"db{database:05}", "begin_time": begin,
        "end_time": begin + timedelta(hours=1),
    }  # fmt: skip
    rows["reports"] = [tuple(changed.values())]
    about = file.stat()
    (known,) = piece.rows["files"]
    row = (str(file), key, about.st_size, str(about.st_mtime_ns), *known[4:])
    rows["files"] = [row]
    rows["sources"] = [(str(file), key, key, str(file))]
    rows["documents"] = [(key, content) for _, content in piece.rows["documents"]]
    return Piece(rows)


def copies(folder: Path, count: int) -> Iterator[Piece]:
    """So many copies, each with an empty file that stands for its report."""
    kinds = pieces()
    for number in range(count):
        top = folder / f"DB{number // PER_DATABASE:05}"
        if number % PER_DATABASE == 0:
            top.mkdir(parents=True)
        file = top / f"{number % PER_DATABASE:03}.lst"
        file.touch()
        yield copy(kinds[number // PER_DATABASE % len(kinds)], number, file)


def memory(folder: Path, count: int) -> int:
    """The peak memory (MB) of this process, which writes so many reports and their index."""
    here, job, kinds = place(str(folder / "fleet.duckdb")), Job(Asked(config.Options())), pieces()
    file = folder / "report.lst"
    file.touch()

    def run(found: Iterator[InputFile], _: Job) -> Iterator[tuple[InputFile, list[Piece]]]:
        for number, each in enumerate(found):
            piece = copy(kinds[number // PER_DATABASE % len(kinds)], number, file)
            piece.rows["files"] = [(each.path, *piece.rows["files"][0][1:])]
            yield each, [piece]

    with here.lock():
        ingest(here, (InputFile(f"{number}", 0, "0") for number in range(count)), job, run)
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024


def stored(folder: Path, count: int) -> None:
    """Writing, reading and finding out that nothing has changed, with many reports."""
    here = place(str(folder / "fleet.duckdb"))
    with here.lock():
        writer = Writer(here, here.create())
        begin = time.process_time()
        for piece in copies(folder / "tree", count):
            writer.add(piece)
        writer.commit()
        written = time.process_time() - begin
        begin = time.process_time()
        index.refresh(here, writer.manifest)
        indexed = time.process_time() - begin
    sizes = {
        name: sum(e.stat().st_size for e in here.batches.glob(f"*/{name}.parquet")) / count
        for name in ("facts", "waits", "documents", "*")
    }
    print(f"| **{count:,} reports, {count // PER_DATABASE:,} databases** | | |")
    said("writing Parquet batches", f"{1000 * written / count:.2f} ms CPU a report")
    said("the index anew", f"{1000 * indexed / count:.2f} ms CPU a report")
    said("Parquet", f"{sizes['*'] / 1024:.2f} KB a report")
    said("of it documents", f"{sizes['documents'] / 1024:.2f} KB a report")
    said("index", f"{here.index.stat().st_size / 1024 / count:.2f} KB a report")
    store = ("--store", str(here.index))
    again, cpu, _ = used("ingest", str(folder / "tree"), *store)
    said(f"`ingest` of {count:,} unchanged files", f"{again:.2f} s, CPU {cpu:.2f} s",
         "< 2 s for 10,000")  # fmt: skip
    sql = (
        "SELECT begin_time, redo_write_ms, redo_sync_ms FROM intervals WHERE db_name = 'DB00007' "
        "ORDER BY 1"
    )
    start, cpu, _ = used("query", "SELECT 1", *store)
    said("`query` of nothing: starting Python and opening", f"{start:.2f} s, CPU {cpu:.2f} s")
    trend, cpu, _ = used("query", sql, *store, "-f", "csv")
    said("`query` for the trend of a database", f"{trend:.2f} s, CPU {cpu:.2f} s")
    with index.opened(here.index, read_only=True) as database:
        begin, used_before = time.perf_counter(), time.process_time()
        database.execute(sql).fetchall()
        took, cpu = time.perf_counter() - begin, time.process_time() - used_before
        said("the query alone", f"{1000 * took:.0f} ms, CPU {1000 * cpu:.0f} ms",
             "< 300 ms for 10,000")  # fmt: skip
    elapsed, cpu, memory = used("fleet", *store, "-f", "json")
    said("`fleet`", f"{elapsed:.2f} s, CPU {cpu:.2f} s, {memory} MB", "< 2 s for 100,000")


def main() -> None:
    """Print the table."""
    if sys.argv[1:2] == ["memory"]:
        with tempfile.TemporaryDirectory() as folder:
            print(memory(Path(folder), int(sys.argv[2])))
        return
    print("| what | measured | goal |\n|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        if sys.argv[1:] == ["growth"]:
            growth(Path(folder))
            return
        count = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
        analysis(Path(folder))
        stored(Path(folder), count)


if __name__ == "__main__":
    main()
