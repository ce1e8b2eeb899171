"""``awrlens ingest`` and ``watch``: reports into a store, and a store that follows a folder."""

from __future__ import annotations

import os
import sys
import time
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from awrlens import config
from awrlens.cli import analyze, batch
from awrlens.cli.console import complain, internal
from awrlens.cli.options import configured
from awrlens.errors import EXIT_OK, EXIT_UNREADABLE, UsageError
from awrlens.fleet import require

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from awrlens.errors import InternalError
    from awrlens.fleet.folder import Place
    from awrlens.fleet.ingest import Runner, Summary
    from awrlens.fleet.rows import Job, Kept, Piece
    from awrlens.fleet.sources import Found, Shard
    from awrlens.fleet.watching import News
    from awrlens.model import Analysis
    from awrlens.report.report import Report


#: Unreadable inputs that are named at the end.
_NAMED: Final = 20
#: Seconds between two lines about the progress without a terminal.
_QUIET_S: Final = 60.0

STORE = click.option(
    "--store", "store_file", required=True, metavar="FILE", help="The store: NAME.duckdb."
)


class Analyse:
    """Analyzes reports with the configuration of their folders; it is sent to other processes."""

    def __init__(self, options: config.Options) -> None:
        self._asked = analyze.Asked(options)

    def __call__(self, report: Report, path: str) -> Analysis:
        """The analysis of a report of a path."""
        return self._asked.analyse(report, path).analysis


def internally(problem: Exception, source: str) -> InternalError:
    """The error for a bug of awrlens."""
    return internal(problem, source)


def job_of(options: config.Options, *, documents: bool = True) -> Job:
    """What is done with every input."""
    from awrlens.fleet.rows import Job

    return Job(Analyse(options), internally, options, documents)


@click.command()
@click.argument("sources", nargs=-1, required=True, metavar="SOURCE...")
@STORE
@click.option("-j", "--jobs", type=click.IntRange(1), metavar="N",
              help="Read up to N files at a time [default: one per CPU].")  # fmt: skip
@click.option("--shard", metavar="I/N",
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
    sources: tuple[str, ...], store_file: str, jobs: int | None, shard: str | None,
    scheduler: str | None, batch_size: int | None, again: bool, no_documents: bool,
    options: config.Options,
) -> int:  # fmt: skip
    """Add reports to a store.

    SOURCE is a report, a folder, a pattern, an archive or an address of an object store. Files
    that the store has are skipped. If only thresholds, rules or advice have changed, they are
    judged again without reading them. An interrupted call loses nothing: call it again.
    Unreadable files are kept with their reason.

    \b
    Examples:
      awrlens ingest reports/ --store fleet.duckdb
      awrlens ingest s3://reports/2026/ --store fleet.duckdb
      awrlens ingest reports/ --store part-1.duckdb --shard 1/4
    """  # noqa: D301 - \b is for click
    require("cluster" if scheduler else "store")
    from awrlens.fleet import ingest as core
    from awrlens.fleet.folder import place
    from awrlens.fleet.ingest import BATCH
    from awrlens.fleet.sources import sources as listed

    config.load("-" if "://" in sources[0] else sources[0], options)
    here, part = place(store_file), _shard(shard)
    ours = (here.folder, here.index)
    job = job_of(options, documents=not no_documents)
    with here.lock():

        def count() -> int | None:
            if any("://" in each for each in sources):
                return None
            return sum(1 for _ in listed(sources, ours, part))

        found = listed(sources, ours, part)
        with progress(count) as told:
            run = _cluster(scheduler) if scheduler else local(jobs)
            asked = core.Asked(batch_size or BATCH, again)
            summary = core.ingest(here, found, job, run, asked, told)
    tell(summary)
    return EXIT_UNREADABLE if summary.unreadable else EXIT_OK


def _shard(text: str | None) -> Shard:
    from awrlens.fleet.sources import Shard

    if text is None:
        return Shard()
    number, _, of = text.partition("/")
    if not (number.isdecimal() and of.isdecimal() and 1 <= int(number) <= int(of)):
        raise UsageError(f"{text!r} is not a shard.", hint="For example --shard 1/4.")
    return Shard(int(number), int(of))


def _cluster(scheduler: str) -> Runner:
    from awrlens.fleet.cluster import runner

    return runner(scheduler)


def local(jobs: int | None) -> Runner:
    """Runs on the cores of this host; few inputs in this process."""
    count = jobs or os.cpu_count() or 1

    def run(
        found: Iterator[Found | Kept], job: Job
    ) -> Iterator[tuple[Found | Kept, Iterable[Piece]]]:
        held: list[Found | Kept] = []
        size = 0
        for each in found:
            held.append(each)
            size += each.size or 0
            if size > batch.WORTH_BYTES and count > 1 and len(held) > 1:
                yield from _parallel(chain(held, found), job, count)
                return
            if count == 1:
                yield each, job.pieces(each)
                held.clear()
        for each in held:
            yield each, job.pieces(each)

    return run


def _parallel(
    found: Iterable[Found | Kept], job: Job, count: int
) -> Iterator[tuple[Found | Kept, Iterable[Piece]]]:
    """Inputs in worker processes; a large archive report by report in this one."""
    archives: list[Found | Kept] = []

    def others() -> Iterator[Found | Kept]:
        for each in found:
            if each.is_large_archive:
                archives.append(each)
            else:
                yield each

    for each, piece in batch.stream(others(), job.of, count):
        yield each, [piece if piece is not None else job.killed(each)]
    for each in archives:
        yield each, job.pieces(each)


@contextmanager
def progress(count: Callable[[], int | None]) -> Iterator[Callable[[int, int], None]]:
    """Rate and remaining time on standard error: a bar on a terminal, else a line a minute.

    The inputs are counted when their number is first shown.
    """
    begun = time.monotonic()
    total: int | None = None
    if not sys.stderr.isatty():
        last = begun

        def line(done: int, reports: int) -> None:
            nonlocal last, total
            if time.monotonic() - last >= _QUIET_S:
                total = count() if last == begun else total
                last = time.monotonic()
                click.echo(f"awrlens: {_said(done, total, reports, last - begun)}", err=True)

        yield line
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn

    total = count()
    columns = BarColumn(), TextColumn("{task.description}")
    with Progress(*columns, console=Console(stderr=True), transient=True) as shown:
        task = shown.add_task("", total=total)

        def bar(done: int, reports: int) -> None:
            words = _said(done, total, reports, time.monotonic() - begun)
            shown.update(task, completed=done, description=words)

        yield bar


def _said(done: int, total: int | None, reports: int, seconds: float) -> str:
    rate = reports / seconds if seconds > 0 else 0.0
    of = f" of {total:,}" if total is not None else ""
    left = ""
    if total is not None and done and seconds > 0:
        left = f", {_duration((total - done) * seconds / done)} left"
    return f"{done:,}{of} files, {reports:,} reports, {rate:,.1f} reports/s{left}"


def _duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours} h {minutes:02} min"
    return f"{minutes} min {rest:02} s" if minutes else f"{rest} s"


def tell(summary: Summary, *, err: bool = False) -> None:
    """Say what an ingest did, what could not be read first."""
    from awrlens.render.wording import safe

    for source, reason in summary.problems[:_NAMED]:
        click.echo(f"awrlens: {safe(source)}: {safe(reason)}", err=True)
    if summary.unreadable > _NAMED:
        more = summary.unreadable - _NAMED
        click.echo(f"awrlens: {more:,} more could not be read: `awrlens fleet`", err=True)
    counts = [
        f"{summary.inputs:,} {'file' if summary.inputs == 1 else 'files'}",
        f"{summary.reports:,} new {'report' if summary.reports == 1 else 'reports'}",
        *(f"{number:,} {what}" for number, what in (
            (summary.unchanged, "unchanged"), (summary.moved, "moved"),
            (summary.judged, "judged again"), (summary.left, "must be read again"),
            (summary.unreadable, "unreadable"), (summary.skipped, "not reports"),
        ) if number),
    ]  # fmt: skip
    click.echo(f"{', '.join(counts)} in {summary.seconds:.1f} s", err=err)


@click.command()
@click.argument("folders", nargs=-1, required=True, metavar="FOLDER...")
@STORE
@click.option("--every", type=click.FloatRange(min=0, min_open=True), default=30.0,
              show_default=True, metavar="S",
              help="Seconds between two looks; a file that changes in between is incomplete."
)  # fmt: skip
@click.option("--rounds", type=click.IntRange(1), metavar="N",
              help="End after N looks [default: never].")  # fmt: skip
@click.option("-j", "--jobs", type=click.IntRange(1), metavar="N",
              help="Read up to N files at a time [default: one per CPU].")  # fmt: skip
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
    from awrlens.fleet.folder import BusyError, place
    from awrlens.fleet.watching import Arrivals

    for each in folders:
        if not Path(each).is_dir():
            raise UsageError(f"{each} is not a folder.", hint="`awrlens ingest` reads files.")
    here, job = place(store_file), job_of(options)
    arrivals = Arrivals(folders, (here.folder, here.index))
    done: set[Found] = set()
    look = 0
    while rounds is None or look < rounds:
        if look:
            time.sleep(every)
        look += 1
        arrived = [each for each in arrivals.complete() if each not in done]
        if not arrived:
            continue
        try:
            _take(here, store_file, arrived, job, jobs, options)
        except BusyError as problem:  # the next look tries again
            complain(problem)
        else:
            done |= set(arrived)
    return EXIT_OK


def _take(
    here: Place, store_file: str, arrived: list[Found], job: Job, jobs: int | None,
    options: config.Options,
) -> None:  # fmt: skip
    """Ingest files, then print what is new."""
    from awrlens.fleet import (
        index,
        watching,
    )
    from awrlens.fleet import ingest as core

    with here.lock():
        summary = core.ingest(here, iter(arrived), job, local(jobs))
    if not (summary.analyzed or summary.moved or summary.judged):
        return
    tell(summary, err=True)
    with index.opened_store(store_file) as opened:
        for each in watching.news(opened, here, config.load("-", options).policy):
            click.echo(_alert_line(each))


def _alert_line(news: News) -> str:
    from awrlens.render.wording import safe

    alert = news.alert
    since = f"{alert.since:%Y-%m-%d %H:%M} " if alert.since else ""
    return f"{since}{alert.severity} {safe(news.who.label)}: {safe(alert.title)} ({alert.id})"
