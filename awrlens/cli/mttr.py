"""``awrlens mttr``: the recovery target without a report."""

from __future__ import annotations

import click

from awrlens.advice import mttr as advice
from awrlens.errors import EXIT_OK
from awrlens.render.json import document


@click.command()
@click.option(
    "--desired-mttr",
    type=float,
    metavar="S",
    help="Seconds that recovery may take; without it recovery is not critical.",
)
@click.option(
    "--rac",
    is_flag=True,
    help="A surviving instance recovers: add start-up and opening of the files.",
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
    help="Lowest target that the instance can keep (alert log, TARGET_MTTR).",
)
@click.option(
    "-f",
    "--format",
    "format_",
    default="text",
    show_default=True,
    type=click.Choice(["text", "json"]),
    help="How to print the result.",
)
def mttr(
    desired_mttr: float | None, rac: bool, init_time_avg: float | None,
    fopen_time_avg: float | None, datafiles: int | None, lowest_mttr: float | None, format_: str,
) -> int:  # fmt: skip
    """Reckon FAST_START_MTTR_TARGET for a recovery time.

    \b
    Examples:
      awrlens mttr --desired-mttr 120
      awrlens mttr --desired-mttr 120 --rac \\
          --init-time-avg 50200342 --fopen-time-avg 20120 --datafiles 500
    """  # noqa: D301 - \b is for click
    target = advice.target(
        advice.Request(desired_mttr, rac, init_time_avg, fopen_time_avg, datafiles, lowest_mttr)
    )
    if format_ == "json":
        click.echo(document(target.to_dict()))
        return EXIT_OK
    click.echo(f"FAST_START_MTTR_TARGET = {target.fast_start_mttr_target_s}")
    if target.formula:
        click.echo(f"  {target.formula}")
    for label, seconds in (
        ("start-up of the instance", target.startup_s),
        ("opening of the data files", target.file_open_s),
        ("cache recovery (rolling forward)", target.cache_recovery_s),
    ):
        shown = "not known" if seconds is None else f"{seconds:.2f} s"
        click.echo(f"  {label:<34}{shown}")
    for note in target.notes:
        click.echo(click.wrap_text(note, 80, "  ", "  "))
    click.echo(
        f"\nALTER SYSTEM SET fast_start_mttr_target={target.fast_start_mttr_target_s} SCOPE=BOTH;"
    )
    return EXIT_OK
