"""``awrlens watch``: a store that follows a folder."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

import click

from awrlens import config, store
from awrlens.cli import complain
from awrlens.cli.ingest import STORE, job_of, local, tell
from awrlens.cli.options import configured
from awrlens.errors import EXIT_OK, UsageError

if TYPE_CHECKING:
    from awrlens.store.folder import Place
    from awrlens.store.rows import Job
    from awrlens.store.sources import Found
    from awrlens.store.watching import News


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
    store.require()
    from awrlens.store.folder import BusyError, place  # noqa: PLC0415 - not for --help
    from awrlens.store.watching import Arrivals  # noqa: PLC0415

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
    from awrlens.store import ingest as core  # noqa: PLC0415 - not for --help
    from awrlens.store import query, watching  # noqa: PLC0415

    with here.lock():
        summary = core.ingest(here, iter(arrived), job, local(jobs))
    if not (summary.analyzed or summary.moved or summary.judged):
        return
    tell(summary, err=True)
    with query.opened(store_file) as opened:
        for each in watching.news(opened, here, config.load("-", options).policy):
            click.echo(_said(each))


def _said(news: News) -> str:
    from awrlens.render.present import safe  # noqa: PLC0415 - rarely needed

    alert = news.alert
    since = f"{alert.since:%Y-%m-%d %H:%M} " if alert.since else ""
    return f"{since}{alert.severity} {safe(news.who.label)}: {safe(alert.title)} ({alert.id})"
