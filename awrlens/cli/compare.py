"""``awrlens compare``: changes beyond noise between two sides."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from awrlens import api, config
from awrlens.cli import output, stored
from awrlens.cli.console import complain
from awrlens.cli.options import HTML, configured, formats, redacted
from awrlens.errors import EXIT_OK, NotAReportError, UnreadableError, UsageError, reason
from awrlens.render import wording

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from awrlens.model.comparison import Reading
    from awrlens.policy import Policy
    from awrlens.redact.names import Names
    from awrlens.render.blocks import Block
    from awrlens.report.report import Report

_INTERVAL: Final = (
    "db_name", "db_id", "container", "instance", "begin_snap", "end_snap", "begin_time",
)  # fmt: skip


@click.command()
@click.argument("sides", nargs=-1, required=True, metavar="BEFORE AFTER")
@formats("text", "json", "markdown", "html")
@HTML
@click.option("--expect", metavar="FILE",
              help="Earlier output of `awrlens analyze --format json`: check whether its advice "
              "worked.")  # fmt: skip
@click.option("-v", "--verbose", is_flag=True,
              help="Show all changes with formulas, parameters and limits (text and Markdown)."
)  # fmt: skip
@stored.option(f"Compare reports of a store: {stored.NAMED}.")
@configured
@redacted
def compare(
    sides: tuple[str, ...], format_: str, html_file: str | None, expect: str | None, verbose: bool,
    store_file: str | None, options: config.Options, names: Names | None,
) -> int:  # fmt: skip
    """Show what changed from BEFORE to AFTER, and whether they are comparable.

    A side is a report, or a folder, a quoted pattern or an archive with one or more reports.
    One compare-period report has both sides. Amounts are compared per second, or per transaction
    if the load differs. Differences within noise are not reported as changes.

    \b
    Examples:
      awrlens compare before.html after.html
      awrlens compare 'monday/*.html' 'tuesday/*.html' --format markdown
      awrlens compare awrddrpt_1_100_101.html
      awrlens compare before.html after.html --expect analysis.json
      awrlens compare ORCL@2026-03-02 ORCL@2026-03-09 --store fleet.duckdb
    """  # noqa: D301 - \b is for click
    if len(sides) > 2:  # noqa: PLR2004
        raise UsageError(
            f"{len(sides)} inputs given, but only two sides can be compared.",
            hint="Quote patterns: awrlens compare 'before/*.html' 'after/*.html'.",
        )
    stored.check(store_file, sides, names)
    output.check((html_file,), sides)
    loaded = config.load("-" if store_file else sides[0], options)
    earlier = _earlier(expect) if expect else ()
    if store_file:
        (before, after), status = stored.store().sides(store_file, sides), EXIT_OK
    else:
        before, after, status = _read(sides, loaded.policy, names)
    changes = api.compare(before, after, loaded.policy, earlier)
    from awrlens.render import handover
    from awrlens.render.compare_page import page

    def actions() -> tuple[Block, ...]:
        """Of a compare-period report, as `awrlens analyze` has them."""
        if store_file or len(sides) > 1:
            return ()
        report = api.load(sides[0], names=names)
        return tuple(handover.todo(api.analyze(report, loaded.policy)))

    if format_ != "html":
        output.either(format_, changes, lambda: page(changes, brief=not verbose, actions=actions()))
    if format_ == "html" or html_file:
        from awrlens.render import pages as as_html

        extras = output.extras(loaded, bare=names is not None)
        output.deliver(as_html.text(page(changes, actions=actions()), extras) + "\n", html_file)
    return status


def _earlier(path: str) -> Sequence[Mapping[str, Any]]:
    from awrlens.series.recommendations import documents

    try:
        return documents(json.loads(Path(path).read_text(encoding="utf-8")))
    except OSError as problem:
        why = f"{path} cannot be read: {reason(problem)}."
        raise UsageError(why, hint="Check --expect.") from None
    except ValueError:
        raise UsageError(
            f"{path} is not JSON.", hint="--expect takes the output of `analyze --format json`."
        ) from None


def _read(
    sides: tuple[str, ...], policy: Policy, names: Names | None
) -> tuple[list[Reading], list[Reading], int]:
    """Both sides, and the exit status: the highest of the reports that could not be read."""
    if len(sides) == 1:
        report = api.load(sides[0], names=names)
        if not report.periods:
            raise UsageError(
                f"{report.source} is one report, but a comparison needs two sides.",
                hint="Give another report, or a compare-period report (awrddrpt).",
            )
        first, second = api.periods(report, policy)
        return [first], [second], EXIT_OK
    from awrlens.cli import batch
    from awrlens.source.open import inputs

    def reading(report: Report, _: str) -> Reading:
        if report.periods:
            raise NotAReportError(
                "A compare-period report has two sides.",
                source=report.source,
                hint="Compare it alone: awrlens compare REPORT.",
            )
        return api.read(report, policy)

    both: list[list[Reading]] = []
    status = EXIT_OK
    for side in sides:
        readings = []
        for result in batch.run(inputs((side,)), batch.Work(reading, names), 1):
            if result.problem is None:
                readings.append(result.value)
            elif not result.skipped:
                complain(result.problem)
                status = max(status, result.problem.exit_code)
        if not readings:
            named = names.file(side) if names else side
            raise UnreadableError("No report of this side can be read.", source=named)
        readings.sort(key=lambda reading: str(reading.report["begin_time"] or ""))
        both.append(_each_once(readings))
    return both[0], both[1], status


def _each_once(readings: list[Reading]) -> list[Reading]:
    """Drop duplicate intervals (text and HTML of one report), with a message."""
    by_interval: dict[tuple[Any, ...], Reading] = {}
    for number, reading in enumerate(readings):
        who = reading.report
        key = tuple(who[name] for name in _INTERVAL) if who["begin_snap"] is not None else (number,)
        if key in by_interval:
            first = wording.safe(str(by_interval[key].report["source"]))
            source = wording.safe(str(who["source"]))
            click.echo(
                f"awrlens: {source} has the same interval as {first} and is ignored", err=True
            )
        else:
            by_interval[key] = reading
    return list(by_interval.values())
