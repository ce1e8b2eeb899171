"""``awrlens mttr``: the recovery target without a report, and the write cost of targets."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from awrlens.advice import mttr as advice
from awrlens.cli import output
from awrlens.errors import EXIT_OK, UsageError
from awrlens.render.json import document

if TYPE_CHECKING:
    from awrlens.render.blocks import Page


@click.command()
@click.argument("report", required=False, metavar="[REPORT]")
@click.option(
    "--desired-mttr",
    type=float,
    metavar="S",
    help="Desired maximum recovery time in seconds; without it, recovery time is not critical.",
)
@click.option(
    "--rac",
    is_flag=True,
    help="RAC: add instance startup and file opening to the recovery time.",
)
@click.option(
    "--init-time-avg",
    type=float,
    metavar="US",
    help="X$ESTIMATED_MTTR.INIT_TIME_AVG in microseconds.",
)
@click.option(
    "--fopen-time-avg",
    type=float,
    metavar="US",
    help="X$ESTIMATED_MTTR.FOPEN_TIME_AVG in microseconds.",
)
@click.option("--datafiles", type=int, metavar="N", help="Number of data files.")
@click.option(
    "--lowest-mttr",
    type=float,
    metavar="S",
    help="Lowest target that the instance can meet (alert log, TARGET_MTTR).",
)
@click.option(
    "--estimated-mttr",
    type=float,
    metavar="S",
    help="V$INSTANCE_RECOVERY.ESTIMATED_MTTR, to estimate the current recovery time.",
)
@click.option(
    "--from",
    "spool",
    metavar="FILE",
    help="Spool file of `awrlens sql recovery`; other options override its values.",
)
@click.option(
    "--curve",
    is_flag=True,
    help="Print the writes per target, from REPORT's MTTR Advisory or from published figures.",
)
@click.option(
    "-f",
    "--format",
    "format_",
    default="text",
    show_default=True,
    type=click.Choice(["text", "json"]),
    help="Output format.",
)
def mttr(
    report: str | None, desired_mttr: float | None, rac: bool, init_time_avg: float | None,
    fopen_time_avg: float | None, datafiles: int | None, lowest_mttr: float | None,
    estimated_mttr: float | None, spool: str | None, curve: bool, format_: str,
) -> int:  # fmt: skip
    """Calculate FAST_START_MTTR_TARGET for a recovery time, or the writes per target.

    \b
    Examples:
      awrlens mttr --desired-mttr 120
      awrlens mttr --desired-mttr 120 --rac \\
          --init-time-avg 50200342 --fopen-time-avg 20120 --datafiles 500
      awrlens mttr --from awrlens_recovery.lst --desired-mttr 120
      awrlens mttr --curve awrrpt_1_100_101.html --desired-mttr 60
    """  # noqa: D301 - \b is for click
    if report is not None and not curve:
        raise UsageError(
            "A report can only be used with --curve.",
            hint=f"`awrlens analyze {report} --desired-mttr S` calculates the target for a report.",
        )
    request = advice.Request(
        desired_mttr, rac, init_time_avg, fopen_time_avg, datafiles, lowest_mttr,
        estimated_mttr_s=estimated_mttr,
    )  # fmt: skip
    notes: tuple[str, ...] = ()
    if spool is not None:
        request, notes = _with_spool(request, spool)
    if curve:
        _print_curve(report, request, format_)
        return EXIT_OK
    target = advice.target(request)
    target = target._replace(notes=(*target.notes, *notes))
    if format_ == "json":
        click.echo(document(target.to_dict()))
    else:
        from awrlens.render import mttr_page  # noqa: PLC0415 - not for JSON

        _show(mttr_page.target(target, everywhere=request.rac))
    return EXIT_OK


def _with_spool(request: advice.Request, path: str) -> tuple[advice.Request, tuple[str, ...]]:
    """The request, completed with values of the spool file."""
    from awrlens.recovery import spool  # noqa: PLC0415 - only --from needs it
    from awrlens.source.open import read  # noqa: PLC0415

    found = spool.read(read(path).text, path)
    asked = request._replace(
        rac=request.rac or bool(found.rac),
        init_time_avg_us=_first(request.init_time_avg_us, found.init_time_avg_us),
        fopen_time_avg_us=_first(request.fopen_time_avg_us, found.fopen_time_avg_us),
        datafiles=found.datafiles if request.datafiles is None else request.datafiles,
        lowest_mttr_s=_first(request.lowest_mttr_s, found.lowest_mttr_s),
        estimated_mttr_s=_first(request.estimated_mttr_s, found.estimated_mttr_s),
    )
    return asked, found.notes


def _first(given: float | None, found: float | None) -> float | None:
    return found if given is None else given


def _print_curve(report: str | None, request: advice.Request, format_: str) -> None:
    from awrlens.advice import prices  # noqa: PLC0415 - only --curve needs it

    if report is None:
        found = prices.published(request.desired_mttr_s)
    else:
        from awrlens import api  # noqa: PLC0415 - reads a report

        found = prices.of_report(api.facts_of(api.load(report)), request.desired_mttr_s)
    if format_ == "json":
        click.echo(document(found.to_dict()))
        return
    from awrlens.render import mttr_page  # noqa: PLC0415 - not for JSON

    _show(mttr_page.curve(found))


def _show(page: Page) -> None:
    from awrlens.render import as_lines  # noqa: PLC0415 - not for JSON

    output.show(as_lines.lines(page, output.width()))
