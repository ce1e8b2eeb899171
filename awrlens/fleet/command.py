"""``awrlens ingest``, ``watch``, ``fleet``, ``query``, ``store``: reports into a store, and out."""

from __future__ import annotations

import os
import re
import time
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from awrlens import config
from awrlens.cli import analyze, batch, output
from awrlens.cli.console import complain
from awrlens.cli.options import TARGET, configured, formats
from awrlens.cli.options import jobs as jobs_of
from awrlens.errors import EXIT_OK, EXIT_UNREADABLE, UsageError
from awrlens.fleet import export as tables
from awrlens.fleet import from_store, index, overview, require
from awrlens.fleet import ingest as core
from awrlens.fleet.folder import BusyError, Place, place
from awrlens.fleet.page import page
from awrlens.fleet.rows import Job, Piece
from awrlens.fleet.sources import Arrivals, InputFile
from awrlens.fleet.sources import sources as listed
from awrlens.lazy import regex
from awrlens.render import as_lines, blocks
from awrlens.render import pages as as_html
from awrlens.render.wording import count, safe

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

_NAMED: Final = 20
_SIZE: Final = regex(r"(?P<number>\d+(?:\.\d+)?)\s*(?:(?P<unit>[MGT])(?:i?B)?)?", re.I)
_GB: Final = {"M": 1 / 1024, "G": 1.0, "T": 1024.0}

STORE = click.option("--store", "store_file", required=True, metavar="FILE",
                     help="The store: NAME.duckdb.")  # fmt: skip


@click.command()
@click.argument("sources", nargs=-1, required=True, metavar="SOURCE...")
@STORE
@jobs_of("Read up to N files")
@click.option("--shard", default="1/1", metavar="I/N",
              help="Only part I of N of the files; `awrlens store merge` joins the stores."
)  # fmt: skip
@click.option("--scheduler", metavar="ADDRESS", help="Analyze on a Dask cluster: tcp://host:8786.")
@click.option("--batch", "batch_size", type=click.IntRange(1), metavar="N",
              help="Reports per Parquet file [default: 1000].")  # fmt: skip
@click.option("--again", is_flag=True, help="Analyze unchanged files again, too.")
@click.option("--no-documents", is_flag=True,
              help="Keep the tables only: smaller, but without check, compare and html."
)  # fmt: skip
@configured
def ingest(
    sources: tuple[str, ...], store_file: str, jobs: int | None, shard: str,
    scheduler: str | None, batch_size: int | None, again: bool, no_documents: bool,
    options: config.Options,
) -> int:  # fmt: skip
    """Add reports to a store.

    SOURCE is a report, a folder, a pattern, an archive or an address of an object store. Files
    that the store has are skipped. If only thresholds, rules or advice have changed, they are
    judged again without reading them. An interrupted call loses nothing: call it again.
    Unreadable files are kept with their reason. `awrlens watch` goes on with what arrives, and
    `awrlens store` rebuilds, merges, judges and exports.

    \b
    Examples:
      awrlens ingest reports/ --store fleet.duckdb
      awrlens ingest s3://reports/2026/ --store fleet.duckdb
      awrlens ingest reports/ --store part-1.duckdb --shard 1/4
    """  # noqa: D301 - \b is for click
    require("cluster" if scheduler else "store")
    config.load("-" if "://" in sources[0] else sources[0], options)
    number, _, of = shard.partition("/")
    if not (number.isdecimal() and of.isdecimal() and 1 <= int(number) <= int(of)):
        raise UsageError(f"{shard!r} is not a shard.", hint="For example --shard 1/4.")
    here, part = place(store_file), (int(number), int(of))
    ours = (here.folder, here.index)
    job = Job(analyze.Asked(options), not no_documents)
    with here.lock():

        def files() -> int | None:
            if any("://" in source for source in sources):
                return None
            return sum(1 for _ in listed(sources, ours, part))

        inputs = listed(sources, ours, part)
        with progress(files) as told:
            if scheduler:
                from awrlens.fleet.cluster import runner

                run = runner(scheduler)
            else:
                run = local(jobs)
            summary = core.ingest(here, inputs, job, run, batch_size or core.BATCH, again, told)
    tell(summary, store_file)
    return EXIT_UNREADABLE if summary.unreadable or summary.lost else EXIT_OK


def local(jobs: int | None) -> core.Runner:
    """Runs on the cores of this host; few inputs, and large archives, in this process."""
    count = jobs or os.cpu_count() or 1

    def run(inputs: Iterator[InputFile], job: Job) -> Iterator[tuple[InputFile, Iterable[Piece]]]:
        held: list[InputFile] = []
        alone: list[InputFile] = []
        size = 0
        for file in inputs if count > 1 else ():
            held.append(file)
            size += file.size or 0
            if size > batch.WORTH_BYTES and len(held) > 1:
                break
        else:
            yield from ((file, job.pieces(file)) for file in chain(held, inputs))
            return

        def others() -> Iterator[InputFile]:
            for file in chain(held, inputs):
                if file.is_large_archive:
                    alone.append(file)
                else:
                    yield file

        for file, piece in batch.stream(others(), job.of, count):
            yield file, [piece if piece is not None else job.killed(file)]
        yield from ((file, job.pieces(file)) for file in alone)

    return run


@contextmanager
def progress(count: Callable[[], int | None]) -> Iterator[Callable[[int, int], None]]:
    """Rate and remaining time on standard error."""
    begun = time.monotonic()

    def words(total: int | None, done: int, reports: int) -> str:
        seconds = time.monotonic() - begun
        rate = reports / seconds if seconds > 0 else 0.0
        of = f" of {total:,}" if total is not None else ""
        left = ""
        if total is not None and done and seconds > 0:
            left = f", {_duration((total - done) * seconds / done)} left"
        return f"{done:,}{of} files, {reports:,} reports, {rate:,.1f} reports/s{left}"

    with output.progress("", count, words) as told:
        yield told


def _duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours} h {minutes:02} min"
    return f"{minutes} min {rest:02} s" if minutes else f"{rest} s"


def tell(summary: core.Summary, store_file: str, *, err: bool = False) -> None:
    """Say what an ingest did, what could not be read first."""
    for source, reason in summary.problems[:_NAMED]:
        click.echo(f"awrlens: {safe(source)}: {safe(reason)}", err=True)
    if summary.unreadable > _NAMED:
        more = summary.unreadable - _NAMED
        click.echo(f"awrlens: {more:,} more could not be read: `awrlens fleet`", err=True)
    counts = [
        count(summary.inputs, "file"),
        count(summary.reports, "new report"),
        *(f"{number:,} {what}" for number, what in (
            (summary.unchanged, "unchanged"), (summary.moved, "moved"),
            (summary.judged, "judged again"), (summary.left, "must be read again"),
            (summary.unreadable, "unreadable"), (summary.skipped, "not reports"),
        ) if number),
    ]  # fmt: skip
    took = f"{summary.seconds:.1f} s; store: {safe(store_file)}"
    click.echo(f"{', '.join(counts)} in {took}", err=err)
    if summary.lost:
        complain(index.loss(summary.lost))


@click.command()
@click.argument("folders", nargs=-1, required=True, metavar="FOLDER...")
@STORE
@click.option("--every", type=click.FloatRange(min=0, min_open=True), default=30.0,
              show_default=True, metavar="S",
              help="Seconds between two looks; a file that changes in between is incomplete."
)  # fmt: skip
@click.option("--rounds", type=click.IntRange(1), metavar="N",
              help="End after N looks [default: never].")  # fmt: skip
@jobs_of("Read up to N files")
@configured
def watch(
    folders: tuple[str, ...], store_file: str, every: float, rounds: int | None, jobs: int | None,
    options: config.Options,
) -> int:  # fmt: skip
    """Add the reports that arrive in folders to a store, and print every new alert once.

    A report is read when its size and time have not changed between two looks. An alert is printed
    when it begins and when it becomes critical, and again if it has ended and comes back.

    \b
    Examples:
      awrlens watch /reports --store fleet.duckdb
      awrlens watch /reports --store fleet.duckdb --every 300 >> alerts.log
    """  # noqa: D301 - \b is for click
    require()
    for folder in folders:
        if not Path(folder).is_dir():
            raise UsageError(f"{folder} is not a folder.", hint="`awrlens ingest` reads files.")
    here, job = place(store_file), Job(analyze.Asked(options))
    arrivals = Arrivals(folders, (here.folder, here.index))
    done: set[InputFile] = set()
    look = 0
    lacks = False
    click.echo(f"awrlens: watching {', '.join(folders)} every {every:g} s", err=True)
    while rounds is None or look < rounds:
        if look:
            time.sleep(every)
        look += 1
        arrived = [file for file in arrivals.complete() if file not in done]
        if not arrived:
            continue
        try:
            lacks = _take(here, store_file, arrived, job, jobs, options)
        except BusyError as problem:  # the next look tries again
            complain(problem)
        else:
            done |= set(arrived)
    return EXIT_UNREADABLE if lacks else EXIT_OK


def _take(
    here: Place, store_file: str, arrived: list[InputFile], job: Job, jobs: int | None,
    options: config.Options,
) -> bool:  # fmt: skip
    """Ingest files, then print what is new; whether the store has lost some."""
    with here.lock():
        summary = core.ingest(here, iter(arrived), job, local(jobs))
    if not (summary.analyzed or summary.moved or summary.judged or summary.lost):
        return False
    tell(summary, store_file, err=True)
    with index.opened_store(store_file) as opened:
        for who, alert in overview.news(opened, config.load("-", options).policy):
            since = f"{alert.since:%Y-%m-%d %H:%M} " if alert.since else ""
            what = f"{safe(who.full)}: {safe(alert.title)} ({alert.id})"
            click.echo(f"{since}{alert.severity} {what}")
    return bool(summary.lost)


@click.command()
@STORE
@formats("text", "markdown", "json", "html")
@click.option("--html", "html_file", metavar="FILE", help="Also write an HTML page to FILE.")
@click.option("--last", type=click.IntRange(1), default=24, show_default=True, metavar="N",
              help="Intervals of every instance that count.")  # fmt: skip
@click.option("--capacity", metavar="SIZE",
              help="Low-latency storage to distribute, e.g. 500GB or 2TB.")  # fmt: skip
@click.option("--recovery-time", "level", type=click.FloatRange(min=0, min_open=True), metavar="S",
              help="Recovery time that every instance must keep "
              "[default: its FAST_START_MTTR_TARGET].")  # fmt: skip
@click.option("-v", "--verbose", is_flag=True, help="Print all rows.")
@configured
def fleet(
    store_file: str, format_: str, html_file: str | None, last: int, capacity: str | None,
    level: float | None, verbose: bool, options: config.Options,
) -> None:  # fmt: skip
    """Show all databases of a store, the worst first, and what changed.

    Findings of a rule family are one alert. An alert is new, worse, lasting, improved or gone; it
    needs two of three intervals to begin, and three without findings to end.

    \b
    Examples:
      awrlens fleet --store fleet.duckdb
      awrlens fleet --store fleet.duckdb --html fleet.html
      awrlens fleet --store fleet.duckdb --capacity 2TB --recovery-time 120
    """  # noqa: D301 - \b is for click
    require()
    output.check((html_file,))
    loaded = config.load("-", options)
    with from_store.opened(store_file) as opened:
        result = overview.fleet(
            opened, loaded.policy, last=last, level_s=level, capacity_gb=_gigabytes(capacity)
        )
    if format_ != "html":
        output.either(format_, result, lambda: page(result, brief=not verbose))
    if format_ == "html" or html_file:
        whole = as_html.text(page(result), output.extras(loaded, satellites=True))
        output.deliver(f"{whole}\n", html_file)


def _gigabytes(text: str | None) -> float | None:
    """A size in GB: ``500GB``, ``2 TB``, ``500``; powers of 1024, as Oracle's."""
    if text is None:
        return None
    match = _SIZE.fullmatch(text.strip())
    if match is None or not float(match["number"]) > 0:
        raise UsageError(f"Invalid size {text!r}.", hint="For example --capacity 500GB.")
    return float(match["number"]) * _GB[(match["unit"] or "G").upper()]


@click.command()
@click.argument("sql", metavar="SQL")
@STORE
@formats("text", "json", "jsonl", "csv")
def query(sql: str, store_file: str, format_: str) -> None:
    """Run SQL on the tables of a store. It can read the store and nothing else.

    \b
    Examples:
      awrlens query --store fleet.duckdb \\
        "SELECT db_name, max(redo_sync_ms) FROM intervals GROUP BY 1"
      awrlens query "FROM unreadable" --store fleet.duckdb --format csv
      awrlens query "SHOW TABLES" --store fleet.duckdb
    """  # noqa: D301 - \b is for click
    require()
    with from_store.opened(store_file) as opened:
        answer = index.ask(opened, sql)
    if format_ == "text":

        def shown(value: object) -> str:
            value = tables.plain(value)
            if isinstance(value, float):
                return f"{value:.6g}"
            if isinstance(value, list):
                return ", ".join(map(str, value))
            return "" if value is None else str(value)

        numbers = [
            all(isinstance(row[at], int | float) or row[at] is None for row in answer.rows)
            for at in range(len(answer.columns))
        ]
        columns = tuple(
            blocks.Column(name, "number" if number and answer.rows else "text")
            for name, number in zip(answer.columns, numbers, strict=True)
        )
        rows = tuple(blocks.Row(tuple(map(shown, row))) for row in answer.rows)
        output.show(as_lines.printed(blocks.Table("", columns, rows), output.width()))
        click.echo(count(len(rows), "row"), err=True)
    else:
        click.echo(tables.text_of(answer, format_), nl=False)


@click.group()
def store() -> None:
    """Rebuild, merge, judge, compact or export a store.

    A store is a folder of Parquet files, NAME.parquet, which has the data, and an index,
    NAME.duckdb.
    """
    require()


@contextmanager
def _locked(store_file: str) -> Iterator[Place]:
    here = place(store_file)
    here.manifest()
    with here.lock():
        yield here


@store.command()
@STORE
@click.option("--forget", is_flag=True, help="Give up what is lost with missing files.")
def rebuild(store_file: str, forget: bool) -> None:
    """Rebuild the index from the Parquet files."""
    with _locked(store_file) as here:
        index.refresh(here, here.manifest(), anew=True)
        manifest = here.whole(here.manifest())
        if forget:
            here.put(manifest)
    with from_store.opened(store_file) as opened:
        reports = opened.rows("SELECT count(*) FROM reports")[0][0]
    click.echo(f"{here.index}: {len(manifest.batches):,} batches, {reports:,} rows of reports")


@store.command()
@click.argument("others", nargs=-1, required=True, metavar="OTHER...")
@STORE
def merge(others: tuple[str, ...], store_file: str) -> None:
    """Add the reports of other stores, for example of shards. A report is added once.

    \b
    Example:
      awrlens store merge part-1.duckdb part-2.duckdb --store fleet.duckdb
    """  # noqa: D301 - \b is for click
    here, places = place(store_file), [place(other) for other in others]
    with here.lock():
        added = core.merge(here, places)
    click.echo(f"{here.index}: {added:,} batches added")
    with from_store.opened(store_file) as opened:
        for other in places:  # what they have lost, and this store does not have
            from_store.say_lost(index.lost(opened.database, other, other.manifest()))


@store.command()
@STORE
@jobs_of("Judge up to N files")
@configured
def judge(store_file: str, jobs: int | None, options: config.Options) -> int:
    """Judge the stored reports again by other thresholds, rules or advice.

    No file is opened, so the reports need not be there any more. Reports that another awrlens
    has read, and those under budgets or plugins, must be read: `awrlens ingest` does it.

    \b
    Example:
      awrlens store judge --store fleet.duckdb --set redo.slow_write_ms=5
    """  # noqa: D301 - \b is for click
    config.load("-", options)
    with _locked(store_file) as here, progress(lambda: None) as told:
        summary = core.ingest(here, None, Job(analyze.Asked(options)), local(jobs), progress=told)
    tell(summary, store_file)
    return EXIT_UNREADABLE if summary.lost else EXIT_OK


@store.command()
@STORE
def compact(store_file: str) -> None:
    """Join small Parquet files, and drop rows that later ones replace."""
    with _locked(store_file) as here:
        before = here.manifest()
        manifest = core.compact(here, before)
        index.refresh(here, manifest)
        here.tidy(manifest)
    click.echo(f"{here.index}: {len(before.batches):,} batches became {len(manifest.batches):,}")
    with from_store.opened(store_file):
        pass  # says what is lost


@store.command()
@click.argument("table", default="intervals")
@STORE
@formats("csv", "json", "jsonl", "parquet", "openmetrics",
         more="; openmetrics has the latest facts")  # fmt: skip
@TARGET
def export(table: str, store_file: str, format_: str, target: str | None) -> None:
    """Write a table or view, or the latest facts for Prometheus.

    \b
    Examples:
      awrlens store export findings --store fleet.duckdb
      awrlens store export waits --store fleet.duckdb -o waits.parquet \\
        --format parquet
      awrlens store export --store fleet.duckdb -o awrlens.prom \\
        --format openmetrics
    """  # noqa: D301 - \b is for click
    if format_ == "parquet" and target is None:
        raise UsageError("parquet is binary: give a file with --output.")
    output.check((target,), (store_file,))
    with from_store.opened(store_file) as opened:
        if format_ == "parquet":
            tables.to_parquet(opened, table, str(target))
            output.said_written(str(target))
            return
        if format_ == "openmetrics":
            text = tables.openmetrics(opened)
        else:
            text = tables.text_of(tables.table(opened, table), format_)
    output.deliver(text, target)
