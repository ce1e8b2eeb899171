"""``awrlens recovery plan`` and ``samples``: a crash test, from its plan to its samples."""

from __future__ import annotations

import click

from awrlens.advice import mttr
from awrlens.cli import output
from awrlens.cli.facts import PART
from awrlens.errors import EXIT_OK
from awrlens.render.json import document

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
    from awrlens.cli.logs import alert_log as log_of  # noqa: PLC0415 - when it is called
    from awrlens.cli.mttr import advised  # noqa: PLC0415
    from awrlens.recovery import plan as plans  # noqa: PLC0415

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
    from awrlens.render import as_lines, crash_test_page  # noqa: PLC0415 - not for JSON

    output.show(as_lines.lines(crash_test_page.plan(found), output.width()))
    return EXIT_OK


@click.command()
@click.argument("files", nargs=-1, required=True, metavar="SAMPLES...")
@_FORMAT
def samples(files: tuple[str, ...], format_: str) -> int:
    """Show how even the writes of a crash test were, and whether the load was steady.

    SAMPLES are files of `awrlens recovery plan --script crash`, for example one with the target and
    one without.
    """
    from awrlens.recovery import samples as reader  # noqa: PLC0415 - when it is called
    from awrlens.source.open import read  # noqa: PLC0415

    found = [(path, run) for path in files for run in reader.read(read(path).text, path)]
    if format_ == "json":
        click.echo(document({"runs": [{"file": path, **run.to_dict()} for path, run in found]}))
        return EXIT_OK
    from awrlens.render import as_lines, crash_test_page  # noqa: PLC0415 - not for JSON

    output.show(as_lines.lines(crash_test_page.samples(found), output.width()))
    return EXIT_OK
