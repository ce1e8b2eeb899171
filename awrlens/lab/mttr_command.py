"""``awrlens mttr``: the recovery target, with or without a report, and the write cost of targets.

Its input may be the spool file of `awrlens sql recovery`.
"""

from __future__ import annotations

import re
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, Final

import click

from awrlens.advice import mttr as advice
from awrlens.cli import output
from awrlens.cli.options import PART, part_of, redacted
from awrlens.errors import EXIT_OK, UnreadableError, UsageError
from awrlens.lazy import regex
from awrlens.records import NamedTuple
from awrlens.render.json import document
from awrlens.units import parse_number

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from awrlens.lab.advisor import Advice
    from awrlens.model import Analysis
    from awrlens.model.mttr_document import AdviceDocument, AdvisedPoint, OfSpool
    from awrlens.redact.names import Names
    from awrlens.render.blocks import Page


_LINE: Final = regex(r"^[ \t]*+AWRLENS\|(\w+)\|([\w$]+)\|([^\n]*+)", re.M)
#: The low limit of dirty blocks. # Fast-Start Checkpointing Best Practices, "Lower Bound on MTTR"
_LEAST_DIRTY: Final = 1000


def schema() -> dict[str, Any]:
    """The JSON Schema of ``awrlens mttr``: a target, the targets of a report, or the curve."""
    from awrlens.cli.schema import of_document
    from awrlens.model import mttr_document as known

    return of_document("mttr", known.TargetDocument | known.AdviceDocument | known.CurveDocument)


class Spool(NamedTuple):
    """The values of one run of the script; None is a value that it could not read."""

    rac: bool | None
    init_time_avg_us: float | None
    fopen_time_avg_us: float | None
    datafiles: int | None
    lowest_mttr_s: float | None
    target_mttr_s: float | None
    estimated_mttr_s: float | None
    notes: tuple[str, ...]
    #: Parameters by name, and the rows of V$MTTR_TARGET_ADVICE: target, dirty blocks, writes.
    parameters: Mapping[str, float]
    advised: tuple[tuple[float, float | None, float], ...]

    def points(self) -> list[AdvisedPoint]:
        """The rows of V$MTTR_TARGET_ADVICE, with their writes compared with the target in force."""
        now = self.target_mttr_s or self.parameters.get("fast_start_mttr_target") or 0.0
        if not self.advised:
            return []
        base = min(self.advised, key=lambda row: abs(row[0] - now))[2]
        return [
            {"target_s": target, "dirty_blocks": dirty, "cache_writes": writes,
             "factor": round(writes / base, 3), "printed": True}
            for target, dirty, writes in self.advised
        ]  # fmt: skip


def read(text: str, source: str) -> Spool:
    """The values of a spool file; of the first run if there are several.

    Raises UnreadableError if the script did not write it.
    """
    values: dict[tuple[str, str], str] = {}
    rows: dict[str, list[str]] = {}
    for section, name, value in _LINE.findall(text):
        if name == "row":
            rows.setdefault(section, []).append(value.rstrip())
        else:
            values.setdefault((section, name), value.rstrip())
    if not values and not rows:
        raise UnreadableError(
            "This is not a spool file of `awrlens sql recovery`: no line begins with AWRLENS|.",
            source=source,
            hint="Run the script that `awrlens sql recovery` prints, and give its spool file.",
        )
    parallel = values.get(("instance", "parallel")) or values.get(("parameter", "cluster_database"))
    files = _number(values, "datafiles", "count")
    return Spool(
        None if parallel is None else parallel.upper() in ("YES", "TRUE"),
        _number(values, "estimated_mttr", "init_time_avg_us"),
        _number(values, "estimated_mttr", "fopen_time_avg_us"),
        None if files is None else int(files),
        _lowest(rows.get("mttr_advice", [])),
        _number(values, "instance_recovery", "target_mttr_s") or None,
        _number(values, "instance_recovery", "estimated_mttr_s"),
        tuple(_notes(values)),
        _parameters(values),
        tuple(_advised(rows.get("mttr_advice", []))),
    )


def _number(values: Mapping[tuple[str, str], str], section: str, name: str) -> float | None:
    found = parse_number(values.get((section, name), ""))
    return None if found is None or found < 0 else float(found)


def _lowest(rows: list[str]) -> float | None:
    """The target in V$MTTR_TARGET_ADVICE with the minimum number of dirty blocks."""
    targets = []
    for row in rows:
        target, dirty, *_ = [*row.split(";"), "", ""]
        seconds, blocks = parse_number(target), parse_number(dirty)
        if seconds is not None and blocks is not None and 0 < blocks <= _LEAST_DIRTY:
            targets.append(float(seconds))
    return min(targets, default=None)


def _parameters(values: Mapping[tuple[str, str], str]) -> dict[str, float]:
    found = {name: parse_number(text) for (section, name), text in values.items()
             if section == "parameter"}  # fmt: skip
    return {name: float(number) for name, number in found.items() if number is not None}


def _advised(rows: list[str]) -> Iterator[tuple[float, float | None, float]]:
    """Rows with a target and writes, each target once, in ascending order."""
    seen = {}
    for row in rows:
        target, dirty, writes, *_ = (parse_number(each) for each in [*row.split(";"), "", "", ""])
        if target and writes and target > 0 and writes > 0:
            seen[float(target)] = (None if dirty is None else float(dirty), float(writes))
    yield from ((target, *rest) for target, rest in sorted(seen.items()))


def _notes(values: Mapping[tuple[str, str], str]) -> list[str]:
    if _number(values, "estimated_mttr", "init_time_avg_us") is not None:
        return []
    return ["X$ESTIMATED_MTTR was not read: run the script as SYS to get start-up and file open."]


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
        from awrlens.lab import mttr_page

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
    from awrlens.lab import mttr_page

    _show(mttr_page.advice(found, items, target_s))
    return EXIT_OK


def advised(
    path: str, part: str | None, request: advice.Request,
    given: tuple[float | None, str | None] = (None, None), names: Names | None = None,
) -> tuple[Advice, Analysis]:  # fmt: skip
    """The targets of a report, and its analysis; ``given`` is DBWR's capacity and an alert log."""
    from awrlens import api
    from awrlens.advice import features
    from awrlens.lab import advisor
    from awrlens.lab import advisor as advisor_values
    from awrlens.lab.alert_log import alert_log as log_of
    from awrlens.model import with_parts
    from awrlens.policy import Policy
    from awrlens.render.wording import safe

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
    from awrlens.source import open as source

    found = read(source.read(path).text, path)
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
    from awrlens.advice import recovery_target as parameters
    from awrlens.oracle.checkpoints import PARAMETERS

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
    from awrlens.advice import write_cost

    found = write_cost.prices(desired_s)
    if format_ == "json":
        click.echo(document(found.to_dict()))
        return EXIT_OK
    from awrlens.lab import mttr_page

    _show(mttr_page.curve(found))
    return EXIT_OK


def _show(page: Page) -> None:
    from awrlens.render import as_lines

    output.show(as_lines.lines(page, output.width()))
