"""``awrlens mttr``: the recovery target without a report, and the write cost of targets."""

from __future__ import annotations

from pathlib import PurePath
from typing import TYPE_CHECKING, Final

import click

from awrlens.advice import mttr as advice
from awrlens.cli import output
from awrlens.cli.facts import PART, part_of
from awrlens.cli.options import redacted
from awrlens.errors import EXIT_OK, UsageError
from awrlens.render.json import document

if TYPE_CHECKING:
    from awrlens.model import Analysis
    from awrlens.model.mttr_document import AdviceDocument, OfSpool
    from awrlens.recovery.advisor_values import Advice
    from awrlens.recovery.spool import Spool
    from awrlens.redact.names import Names
    from awrlens.render.blocks import Page

#: Findings after which DBWR's capacity does not hold for more writes: the storage is slow for
#: them, or sessions wait for DBWR.
_SLOW_WRITES: Final = ("REDO014", "CKPT005", "CKPT008")


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
    "--write-capacity",
    type=click.FloatRange(0, min_open=True),
    metavar="N",
    help="Data blocks per second that DBWR can write [default: from REPORT].",
)
@click.option(
    "--alert-log", metavar="FILE", help="Alert log to take start-up, opening and rates from."
)
@PART
@click.option(
    "--curve",
    is_flag=True,
    help="Without REPORT, print the published recovery times and writes per target.",
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
@redacted
def mttr(
    report: str | None, desired_mttr: float | None, rac: bool, init_time_avg: float | None,
    fopen_time_avg: float | None, datafiles: int | None, lowest_mttr: float | None,
    estimated_mttr: float | None, spool: str | None, write_capacity: float | None,
    alert_log: str | None, part: str | None, curve: bool, format_: str, names: Names | None,
) -> int:  # fmt: skip
    """Calculate FAST_START_MTTR_TARGET for a recovery time; with REPORT, what every target costs.

    For a report, the writes, the recovery time and DBWR's load are those of the MTTR Advisory, or
    of a simulation of the report's load.

    \b
    Examples:
      awrlens mttr --desired-mttr 120
      awrlens mttr --desired-mttr 120 --rac \\
          --init-time-avg 50200342 --fopen-time-avg 20120 --datafiles 500
      awrlens mttr --from awrlens_recovery.lst --desired-mttr 120
      awrlens mttr awrrpt_1_100_101.html --desired-mttr 60 --alert-log alert.log
    """  # noqa: D301 - \b is for click
    request = advice.Request(
        desired_mttr, rac, init_time_avg, fopen_time_avg, datafiles, lowest_mttr,
        estimated_mttr_s=estimated_mttr,
    )  # fmt: skip
    found = None
    if spool is not None:
        request, found = _with_spool(request, spool)
    if report is not None:
        return _of_report(report, part, request, (write_capacity, alert_log), format_, names)
    if write_capacity is not None or alert_log is not None:
        raise UsageError("--write-capacity and --alert-log need a report.", hint="Give REPORT.")
    if curve:
        return _print_curve(desired_mttr, format_)
    target = advice.target(request)
    extra: OfSpool = {} if found is None else _extra(found, everywhere=request.rac)
    if found is not None:
        notes = (advice.Remark("spool", text) for text in found.notes)
        target = target._replace(notes=(*target.notes, *notes))
    if format_ == "json":
        click.echo(document({**target.to_dict(), **extra}))
    else:
        from awrlens.render import mttr_page  # noqa: PLC0415 - not for JSON

        _show(mttr_page.target(target, extra, everywhere=request.rac))
    return EXIT_OK


def _of_report(
    path: str, part: str | None, request: advice.Request,
    given: tuple[float | None, str | None], format_: str, names: Names | None,
) -> int:  # fmt: skip
    """What every target costs in a report, and the target that `analyze` recommends."""
    found, analysis = advised(path, part, request, given, names)
    target_s = analysis.verdicts.fast_start_mttr_target_s
    items = [each for each in analysis.recommendations if each.id.endswith("mttr-target")]
    if format_ == "json":
        data: AdviceDocument = {
            "target_s": target_s, "recommendations": [each.to_dict() for each in items],
            **found.to_dict(),
        }  # fmt: skip
        click.echo(document(data))
        return EXIT_OK
    from awrlens.render import mttr_page  # noqa: PLC0415 - not for JSON

    _show(mttr_page.advice(found, items, target_s))
    return EXIT_OK


def advised(
    path: str, part: str | None, request: advice.Request,
    given: tuple[float | None, str | None] = (None, None), names: Names | None = None,
) -> tuple[Advice, Analysis]:  # fmt: skip
    """The targets of a report, and its analysis; ``given`` is DBWR's capacity and an alert log."""
    from awrlens import api  # noqa: PLC0415 - reads a report
    from awrlens.advice import features  # noqa: PLC0415
    from awrlens.cli.logs import alert_log as log_of  # noqa: PLC0415
    from awrlens.model import with_parts  # noqa: PLC0415
    from awrlens.policy import Policy  # noqa: PLC0415
    from awrlens.recovery import advisor, advisor_values  # noqa: PLC0415
    from awrlens.render.present import safe  # noqa: PLC0415

    report = part_of(path, part, names)
    if report.instances:
        raise UsageError(
            "The report covers a cluster, but the load of one instance is needed.",
            hint="Use --part N.",
        )
    if refused := features.refused(api.facts_of(report)):
        raise UsageError(refused)
    capacity, alert_log = given
    rac = request.rac or bool(report.identity.rac)
    request = request._replace(rac=rac)
    analysis = api.analyze(report, request=request)
    target_s = analysis.verdicts.fast_start_mttr_target_s
    asked = advisor_values.Asked(
        request.desired_mttr_s, rac, request.startup_s, request.file_open_s, capacity, target_s,
        None if alert_log is None else log_of(alert_log, names),
        any(each.id in _SLOW_WRITES for each in with_parts(analysis.findings)),
        any(each.id == "enlarge-redo-logs" for each in analysis.actions),
    )  # fmt: skip
    name = "a report" if names is not None else safe(PurePath(path).name)
    try:
        found = advisor.advise(analysis.facts, name, report.identity.block_size, asked, Policy())
    except UsageError as error:  # a report without redo or writes
        hint = "Without REPORT, `awrlens mttr --desired-mttr S` calculates a target."
        raise UsageError(error.message, hint=hint) from None
    return found, analysis


def _with_spool(request: advice.Request, path: str) -> tuple[advice.Request, Spool]:
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
    return asked, found


def _extra(found: Spool, *, everywhere: bool) -> OfSpool:
    """What else is in a spool: parameters that are in the way, and the advice on other targets."""
    from awrlens.advice import recovery_target as parameters  # noqa: PLC0415 - only --from needs it
    from awrlens.checkpoints import PARAMETERS  # noqa: PLC0415

    now = {name: found.parameters.get(name.lower(), 0.0) for name in PARAMETERS}
    now = {name: value for name, value in now.items() if value > 0}
    commands, rollback = parameters.commands_for(now, " SID='*'" if everywhere else "")
    return {
        "in_the_way": [
            {"parameter": name, "value": value, "why": parameters.WHY[name]}
            for name, value in now.items()
        ],
        "commands": list(commands),
        "rollback": list(rollback),
        "points": found.points(),
    }


def _first(given: float | None, found: float | None) -> float | None:
    return found if given is None else given


def _print_curve(desired_s: float | None, format_: str) -> int:
    from awrlens.advice import write_cost  # noqa: PLC0415 - only --curve needs it

    found = write_cost.prices(desired_s)
    if format_ == "json":
        click.echo(document(found.to_dict()))
        return EXIT_OK
    from awrlens.render import mttr_page  # noqa: PLC0415 - not for JSON

    _show(mttr_page.curve(found))
    return EXIT_OK


def _show(page: Page) -> None:
    from awrlens.render import as_lines  # noqa: PLC0415 - not for JSON

    output.show(as_lines.lines(page, output.width()))
