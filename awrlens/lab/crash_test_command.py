"""``awrlens recovery plan`` and ``samples``: a crash test, from its plan to its samples."""

from __future__ import annotations

from pathlib import PurePath
from typing import TYPE_CHECKING

import click

from awrlens.advice import mttr
from awrlens.cli import output
from awrlens.cli.options import PART
from awrlens.errors import EXIT_OK
from awrlens.render.blocks import Block, Code, Column, Heading, Page, Paragraph, Row, Table
from awrlens.render.json import document
from awrlens.render.wording import seconds, short

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from awrlens.lab.crash_test import Plan, Run


_FORMAT = click.option(
    "-f", "--format", "format_", default="text", show_default=True,
    type=click.Choice(["text", "json"]), help="Output format.",
)  # fmt: skip


@click.command()
@click.argument("report", required=False, metavar="[REPORT]")
@click.option(
    "--desired-mttr", type=click.FloatRange(min=0, min_open=True), metavar="S",
    help="Desired maximum recovery time in seconds.",
)  # fmt: skip
@click.option("--target", type=click.IntRange(0, mttr.HIGHEST_S), metavar="S",
              help="FAST_START_MTTR_TARGET to test [default: for the desired time].")  # fmt: skip
@click.option("--rac", is_flag=True, help="RAC: another instance recovers.")
@click.option("--init-time-avg", type=float, metavar="US",
              help="X$ESTIMATED_MTTR.INIT_TIME_AVG in microseconds.")  # fmt: skip
@click.option("--fopen-time-avg", type=float, metavar="US",
              help="X$ESTIMATED_MTTR.FOPEN_TIME_AVG in microseconds.")  # fmt: skip
@click.option("--datafiles", type=int, metavar="N", help="Number of data files.")
@click.option("--runs", type=click.IntRange(1), default=4, show_default=True, metavar="N",
              help="Number of crashes.")  # fmt: skip
@click.option("--script", type=click.Choice(["sample", "crash"]),
              help="Print only this script: sample.sql or crash_test.sh.")  # fmt: skip
@click.option("--alert-log", metavar="FILE",
              help="Alert log to take the lowest possible target from.")  # fmt: skip
@PART
@_FORMAT
def plan(
    report: str | None, desired_mttr: float | None, target: int | None, rac: bool,
    init_time_avg: float | None,
    fopen_time_avg: float | None, datafiles: int | None, runs: int, script: str | None,
    alert_log: str | None, part: str | None, format_: str,
) -> int:  # fmt: skip
    """Print the plan of a crash test, with its scripts; awrlens runs none of them.

    With REPORT or --alert-log, the plan says if the target is below the lowest one that can be met.

    \b
    Examples:
      awrlens recovery plan --desired-mttr 120
      awrlens recovery plan awrrpt.html --desired-mttr 30 --alert-log alert.log
      awrlens recovery plan --script crash > crash_test.sh
    """  # noqa: D301 - \b is for click
    from awrlens.lab import crash_test as plans
    from awrlens.lab.alert_log import alert_log as log_of
    from awrlens.lab.mttr_command import advised

    if script is not None:
        click.echo(plans.script(script), nl=False)
        return EXIT_OK
    request = mttr.Request(desired_mttr, rac, init_time_avg, fopen_time_avg, datafiles)
    advice = log = None
    if report is not None:
        advice, _ = advised(report, part, request, (None, alert_log))
        request = request._replace(rac=advice.rac)
    if alert_log is not None:
        log = log_of(alert_log)
    found = plans.plan(request, target, runs, plans.lowest_of(advice, log))
    if format_ == "json":
        click.echo(document(found.to_dict()))
        return EXIT_OK
    from awrlens.render import as_lines

    output.show(as_lines.lines(plan_page(found), output.width()))
    return EXIT_OK


@click.command()
@click.argument("files", nargs=-1, required=True, metavar="SAMPLES...")
@_FORMAT
def samples(files: tuple[str, ...], format_: str) -> int:
    """Show how even the writes of a crash test were, and whether the load was steady.

    SAMPLES are files of `awrlens recovery plan --script crash`, for example one with the target and
    one without.
    """
    from awrlens.lab import crash_test as reader
    from awrlens.source.open import read

    found = [(path, run) for path in files for run in reader.read(read(path).text, path)]
    if format_ == "json":
        click.echo(document({"runs": [{"file": path, **run.to_dict()} for path, run in found]}))
        return EXIT_OK
    from awrlens.render import as_lines

    output.show(as_lines.lines(samples_page(found), output.width()))
    return EXIT_OK


def plan_page(found: Plan) -> Page:
    """The steps in their order, with their commands."""
    wanted = "" if found.desired_s is None else f" for a recovery of {seconds(found.desired_s)}"
    kind = "RAC" if found.rac else "single instance"
    return Page(
        "Plan of a crash test", (kind, f"{found.runs} runs"),
        f"Test FAST_START_MTTR_TARGET={found.target_s}{wanted}.", "info",
        (*(Paragraph(each) for each in found.notes), *_steps(found)),
    )  # fmt: skip


def _steps(found: Plan) -> Iterator[Block]:
    for number, step in enumerate(found.steps, start=1):
        yield Heading(f"{number}. {step.title}")
        yield Paragraph(step.text)
        if step.commands:
            yield Code("", step.commands)


def samples_page(found: Sequence[tuple[str, Run]]) -> Page:
    """One row for every run; the headline compares the most even with the least even."""
    rows = tuple(Row(_row(path, run)) for path, run in found)
    columns = (
        Column("file", "name"), Column("target", "number"), Column("writes/s", "number"),
        Column("peak / mean", "number"), Column("spread", "number"), Column("write", "number"),
        Column("steady"), Column("crash"),
    )  # fmt: skip
    return Page(
        "Samples of a crash test", (f"{len(found)} {'run' if len(found) == 1 else 'runs'}",),
        _headline(found), "info",
        (
            Table("Writes of every run", columns, rows),
            Paragraph("Spread is the standard deviation of the writes per second in percent of "
                      "their mean: 0 is perfectly even.", "dim"),
        ),
    )  # fmt: skip


def _row(path: str, run: Run) -> tuple[str, ...]:
    target, writes = run.target_mttr_s, run.writes
    return (
        PurePath(path).name, "-" if target is None else seconds(target),
        *(("-",) * 3 if writes is None else (
            short(writes.mean), f"{writes.peak_ratio:.2f}", f"{writes.spread_pct:.0f} %")),
        "-" if run.write_ms is None else f"{run.write_ms:.1f} ms",
        {True: "yes", False: "no", None: "-"}[run.steady], "yes" if run.crashed else "no",
    )  # fmt: skip


def _headline(found: Sequence[tuple[str, Run]]) -> str:
    known = [run for _, run in found if run.writes is not None]
    if not known:
        return "Nothing was written while the samples were taken."
    spreads = [run.writes.spread_pct for run in known if run.writes is not None]
    if len(known) < 2:  # noqa: PLR2004 - one is not compared
        return f"The writes spread by {spreads[0]:.0f} % of their mean."
    return f"The writes spread by {min(spreads):.0f} to {max(spreads):.0f} % of their mean."
