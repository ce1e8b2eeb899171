"""``awrlens trend``: many reports in the order of time, and outliers."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta
from functools import partial
from typing import TYPE_CHECKING

import click

from awrlens import config, errors
from awrlens.cli import batch, intervals, output, stored
from awrlens.cli.console import complain
from awrlens.cli.options import JOBS, TARGET, completes, configured, formats, redacted
from awrlens.errors import EXIT_OK, EXIT_UNREADABLE, UsageError
from awrlens.lazy import NamedTuple
from awrlens.model.trend import LeftOut
from awrlens.series.differences import DEFAULT
from awrlens.units import listed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from awrlens.model.trend import Quantity, Trend, Window
    from awrlens.redact.names import Names
    from awrlens.report.report import Report


def _moment(_: click.Context, parameter: click.Parameter, value: str | None) -> datetime | None:
    """``2026-03-02`` or ``2026-03-02T10:00``, without zone; a day alone is its begin or end."""
    if value is None:
        return None
    try:
        if len(value) > len("2026-03-02"):
            return datetime.fromisoformat(value).replace(tzinfo=None)
        day = datetime.combine(date.fromisoformat(value), time())
    except ValueError:
        problem = f"Invalid time {value!r}; use 2026-03-02 or 2026-03-02T10:00."
        raise click.BadParameter(problem) from None
    return day + timedelta(days=parameter.name == "until")


class _Wanted(NamedTuple):
    db: str | None
    instance: str | None
    since: datetime | None
    until: datetime | None

    def takes(self, window: Window) -> bool:
        """Whether an interval is selected."""
        who = window.who
        named = (who.db_name, who.db_id, who.container)
        if self.db and self.db.lower() not in [(name or "").lower() for name in named]:
            return False
        of_instance = ["cluster"] if who.cluster else [who.instance_number, who.instance]
        if self.instance and self.instance.lower() not in [(n or "").lower() for n in of_instance]:
            return False
        if self.since and window.begin and window.begin < self.since:
            return False
        return not (self.until and window.end and window.end > self.until + _LATE)


#: Snapshots are some seconds late: the interval before midnight ends after midnight.
_LATE = timedelta(minutes=5)


def _windows(
    report: Report, path: str, options: config.Options, names: tuple[str, ...], wanted: _Wanted
) -> tuple[Window, ...]:
    return intervals.windows_of(report, names, config.load(path, options).policy, wanted.takes)


@click.command()
@click.argument("reports", nargs=-1, metavar="REPORT...")
@formats("text", "markdown", "json", "csv", "parquet", "html")
@TARGET
@click.option("--html", "html_file", metavar="FILE", help="Also write an HTML page to FILE.")
@click.option("--fact", "facts", multiple=True, metavar="NAME",
              shell_complete=completes("fact"),
              help="Show this metric or all with this prefix; may be repeated.")  # fmt: skip
@click.option("--all", "all_facts", is_flag=True, help="Show every numeric fact.")
@click.option("-v", "--verbose", "full", is_flag=True,
              help="Print all series, intervals and dropped inputs as text.")  # fmt: skip
@click.option("--db", metavar="NAME", help="Only this database: its name, id or container.")
@click.option("--instance", metavar="N", help="Only this instance: number, name, or `cluster`.")
@click.option(
    "--since", metavar="TIME", callback=_moment, help="Only intervals that begin at TIME or later."
)
@click.option("--until", metavar="TIME", callback=_moment, help="Only intervals that end by TIME.")
@JOBS
@stored.option("Use the intervals of a store instead of reports.")
@configured
@redacted
def trend(
    reports: tuple[str, ...], format_: str, target: str | None, html_file: str | None,
    facts: tuple[str, ...], all_facts: bool, full: bool, db: str | None, instance: str | None,
    since: datetime | None, until: datetime | None, jobs: int | None, store_file: str | None,
    options: config.Options, names: Names | None,
) -> int:  # fmt: skip
    """Show many reports over time: what changed and since when, outliers, the worst intervals.

    REPORT is a report, a folder, a pattern or an archive. Every instance of a database is a
    series. Intervals that span a restart and duplicate intervals are dropped; of overlapping
    intervals the shorter ones are kept. Dropped intervals are listed.

    \b
    Examples:
      awrlens trend reports/
      awrlens trend reports/ --html trend.html
      awrlens trend '*.lst' --fact redo --since 2026-03-02 -f csv -o redo.csv
      awrlens trend --store fleet.duckdb --db ORCL
    """  # noqa: D301 - \b is for click
    if format_ == "parquet" and target is None:
        raise UsageError("parquet is binary: give a file with --output.")
    stored.check(store_file, reports, names, options)
    if store_file and reports:
        raise UsageError("Give reports or --store, not both.", hint="--db selects a database.")
    output.check((target, html_file), reports)
    shown = intervals.quantities(() if all_facts else facts or DEFAULT)
    asked = _Wanted(db, instance, since, until)
    status = EXIT_OK
    if store_file:
        needed = intervals.needed(shown)
        windows, left_out = stored.store().windows(store_file, needed, since, until, db)
    else:
        windows, left_out, status = _collected(reports, shown, asked, jobs, options, names)
    if names:
        db = names.of(db) if db else db
        if instance and not instance.isdecimal() and instance.lower() != "cluster":
            instance = names.of(instance)
        asked = _Wanted(db, instance, since, until)
    named = asked._replace(since=None, until=None)
    if (db or instance) and (windows or store_file) and not any(map(named.takes, windows)):
        databases = sorted({str(window.who.db_name) for window in windows})
        offered = {*databases, *(str(window.who.instance) for window in windows)}
        rest = f"The reports are of {listed(databases)}. `awrlens trend` without it shows all."
        near = errors.hint(db or instance or "", offered, rest if windows else "")
        raise UsageError("No report is of this database and instance.", hint=near)
    wanted = [window for window in windows if asked.takes(window)]
    loaded = config.load(reports[0] if reports else "-", options)
    result = intervals.trend(wanted, shown, loaded.policy, left_out, len(windows) - len(wanted))
    bare = names is not None
    _put(result, format_, target, loaded, bare=bare, full=full)
    if html_file is not None:
        _put(result, "html", html_file, loaded, bare=bare, full=full)
    return status


def _collected(
    reports: tuple[str, ...], shown: Sequence[Quantity], asked: _Wanted, jobs: int | None,
    options: config.Options, names: Names | None,
) -> tuple[list[Window], list[LeftOut], int]:  # fmt: skip
    from awrlens.source.open import inputs

    # reports are redacted while they are read, and the options have the real names
    wanted = asked if names is None else _Wanted(None, None, None, None)
    call = partial(_windows, options=options, names=intervals.needed(shown), wanted=wanted)
    work = batch.Work(call, names)
    windows: list[Window] = []
    left_out: list[LeftOut] = []
    status = EXIT_OK
    skipped: list[str] = []
    for result in batch.run(inputs(reports), work, 1 if names else jobs):
        if result.skipped:
            skipped.append(result.name)
        elif result.problem is not None:
            complain(result.problem)
            left_out.append(LeftOut(result.name, None, None, result.problem.message))
            status = max(status, result.problem.exit_code)
        else:
            windows += result.value
    output.skipped(skipped)
    if skipped and not windows:
        status = max(status, EXIT_UNREADABLE)
    return windows, left_out, status


def _put(
    result: Trend, format_: str, target: str | None, loaded: config.Loaded, *, bare: bool,
    full: bool,
) -> None:  # fmt: skip
    if format_ == "parquet":
        from awrlens.render.trend_html import to_parquet

        to_parquet(result, str(target))
        output.said_written(str(target))
        return
    if format_ in ("text", "markdown"):
        from awrlens.render.trend_page import page

        shown = page(result, full=full)
        if target is None:
            output.page(shown, format_)
            return
        text = output.text_of(shown, format_)
    elif format_ == "json":
        from awrlens.render.json import document

        text = document(result.to_dict())
    elif format_ == "csv":
        from awrlens.render.trend_html import to_csv

        text = to_csv(result)
    else:
        from awrlens.render.trend_html import render

        text = render(result, output.extras(loaded, bare=bare))
    text = text if text.endswith("\n") else f"{text}\n"
    output.deliver(text, target)
