"""``awrlens mttr``: the recovery target, with or without a report, and the cost of targets."""

from __future__ import annotations

import re
from itertools import groupby
from pathlib import PurePath
from typing import TYPE_CHECKING, Final

import click

from awrlens.advice import mttr as recovery_target
from awrlens.advice.load_model import Curve
from awrlens.advice.write_cost import OFF, TABLE_1, THROUGHPUT
from awrlens.cli import output
from awrlens.cli.analyze_command import MTTR_OPTIONS
from awrlens.cli.options import PART, formats, part_of, redacted, several
from awrlens.errors import UnreadableError, UsageError
from awrlens.lab import mttr_document as documents
from awrlens.lazy import NamedTuple, regex
from awrlens.model.fact import rounded
from awrlens.model.plain import plain
from awrlens.oracle.checkpoints import LEAST_DIRTY_BLOCKS
from awrlens.policy import cite
from awrlens.render import blocks as b
from awrlens.render.first_screen import subject
from awrlens.render.wording import dash_seconds, seconds, short, size
from awrlens.units import parse_number

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from awrlens.advice.mttr import Target
    from awrlens.lab.advisor import Advice, Row
    from awrlens.model import Analysis, Recommendation
    from awrlens.redact.names import Names
    from awrlens.report.report import Report


_LINE: Final = regex(r"^[ \t]*+AWRLENS\|(\w+)\|([\w$]+)\|([^\n]*+)", re.M)
_NOT_READ: Final = (
    "X$ESTIMATED_MTTR was not read: run the script as SYS to get start-up and file open."
)


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

    def points(self) -> list[documents.AdvisedPoint]:
        """The rows of V$MTTR_TARGET_ADVICE, with their writes compared with the target in force."""
        now = self.target_mttr_s or self.parameters.get("fast_start_mttr_target")
        base: float | None = None
        if now and self.advised:
            base = min(self.advised, key=lambda row: abs(row[0] - now))[2]
        return [
            {"target_s": target, "dirty_blocks": dirty, "cache_writes": writes,
             "factor": None if base is None else round(writes / base, 3), "printed": True}
            for target, dirty, writes in self.advised
        ]  # fmt: skip


def read(text: str, source: str) -> Spool:
    """The first run of a spool file; UnreadableError if the script did not write it."""
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
    numbers = {key: float(number) for key, text in values.items()
               if (number := parse_number(text)) is not None and number >= 0}  # fmt: skip
    files = numbers.get(("datafiles", "count"))
    # target, dirty blocks and writes
    cells = ([*row.split(";"), "", "", ""][:3] for row in rows.get("mttr_advice", []))
    advised = [[None if (n := parse_number(cell)) is None else float(n) for cell in row]
               for row in cells]  # fmt: skip
    # the targets with the minimum number of dirty blocks
    lowest = [target for target, dirty, _ in advised
              if target is not None and dirty and 0 < dirty <= LEAST_DIRTY_BLOCKS]  # fmt: skip
    advice = {target: (dirty, writes) for target, dirty, writes in advised
             if target and writes and target > 0 and writes > 0}  # fmt: skip
    return Spool(
        None if parallel is None else parallel.upper() in ("YES", "TRUE"),
        numbers.get(("estimated_mttr", "init_time_avg_us")),
        numbers.get(("estimated_mttr", "fopen_time_avg_us")),
        None if files is None else int(files),
        min(lowest, default=None),
        numbers.get(("instance_recovery", "target_mttr_s")) or None,
        numbers.get(("instance_recovery", "estimated_mttr_s")),
        () if ("estimated_mttr", "init_time_avg_us") in numbers else (_NOT_READ,),
        {name: number for (section, name), number in numbers.items() if section == "parameter"},
        tuple((target, *advice[target]) for target in sorted(advice)),
    )  # fmt: skip


#: The values of X$ESTIMATED_MTTR.
ESTIMATED_MTTR: Final = several(
    *MTTR_OPTIONS[1:3],
    click.option("--datafiles", type=int, metavar="N", help="Number of data files."),
)
#: Findings after which DBWR's capacity does not hold for more writes: the storage is slow for
#: them, or sessions wait for DBWR.
_SLOW_WRITES: Final = ("REDO014", "CKPT005", "CKPT008")


@click.command()
@click.argument("report", required=False, metavar="[REPORT]")
@click.option(
    "--desired-mttr", type=float, metavar="S",
    help="Desired maximum recovery time in seconds; without it, recovery time is not critical.",
)  # fmt: skip
@click.option("--rac", is_flag=True,
              help="RAC: add instance startup and file opening to the recovery time.")  # fmt: skip
@ESTIMATED_MTTR
@click.option(
    "--lowest-mttr", type=float, metavar="S",
    help="Lowest target that the instance can meet (alert log, TARGET_MTTR).",
)  # fmt: skip
@click.option(
    "--estimated-mttr", type=float, metavar="S",
    help="V$INSTANCE_RECOVERY.ESTIMATED_MTTR, to estimate the current recovery time.",
)  # fmt: skip
@click.option("--from", "spool", metavar="FILE",
              help="Spool file of `awrlens sql recovery`; other options override its "
              "values.")  # fmt: skip
@click.option(
    "--write-capacity", type=click.FloatRange(0, min_open=True), metavar="N",
    help="Data blocks per second that DBWR can write [default: from REPORT].",
)  # fmt: skip
@click.option("--alert-log", metavar="FILE",
              help="Alert log to take start-up, opening and rates from.")  # fmt: skip
@PART
@click.option(
    "--curve", is_flag=True,
    help="Without REPORT, print the published recovery times and writes per target.",
)  # fmt: skip
@click.option("-v", "--verbose", is_flag=True,
              help="With REPORT, also print what limits recovery, and assumptions.")  # fmt: skip
@formats("text", "json", "markdown", "html")
@redacted
def mttr(
    report: str | None, desired_mttr: float | None, rac: bool, init_time_avg: float | None,
    fopen_time_avg: float | None, datafiles: int | None, lowest_mttr: float | None,
    estimated_mttr: float | None, spool: str | None, write_capacity: float | None,
    alert_log: str | None, part: str | None, curve: bool, verbose: bool, format_: str,
    names: Names | None,
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
    request = recovery_target.Request(
        desired_mttr, rac, init_time_avg, fopen_time_avg, datafiles, lowest_mttr,
        estimated_mttr_s=estimated_mttr,
    )  # fmt: skip
    values = None
    if spool is not None:
        from awrlens.source import open as source

        values = read(source.read(spool).text, spool)
        names_of = ("init_time_avg_us", "fopen_time_avg_us", "datafiles", "lowest_mttr_s",
                    "estimated_mttr_s")  # fmt: skip
        missing = {name: getattr(values, name) for name in names_of
                   if getattr(request, name) is None}  # fmt: skip
        request = request._replace(rac=rac or bool(values.rac), **missing)
    if report is not None:
        advice, analysis = advised(report, part, request, write_capacity, alert_log, names)
        target_s = analysis.verdicts.fast_start_mttr_target_s
        items = [item for item in analysis.recommendations if item.id.endswith("mttr-target")]
        data: documents.AdviceDocument = {
            "target_s": target_s, "recommendations": plain(tuple(items)),
            **advice.to_dict(),
        }  # fmt: skip
        return output.either(format_, data, lambda: advice_page(
            advice, items, target_s, desired_mttr, subject(analysis.report),
            verbose=verbose or format_ != "text",
        ))  # fmt: skip
    if write_capacity is not None or alert_log is not None:
        raise UsageError("--write-capacity and --alert-log need a report.", hint="Give REPORT.")
    if curve:
        published = prices(desired_mttr)
        return output.either(format_, published, lambda: _curve_page(published))
    target = recovery_target.target(request)
    extra: documents.OfSpool = {}
    if values is not None:
        extra = _extra(values, everywhere=request.rac)
        notes = (recovery_target.Remark(text) for text in values.notes)
        target = target._replace(notes=(*target.notes, *notes))
    return output.either(format_, {**target_document(target), **extra}, lambda: _target_page(
        target, extra, everywhere=request.rac, desired=request.desired_mttr_s
    ))  # fmt: skip


def target_document(target: Target) -> documents.TargetDocument:
    """Plain data, as `awrlens mttr --format json` prints it."""
    names = ("startup_s", "file_open_s", "cache_recovery_s", "expected_mttr_s")
    return {
        **target._asdict(),  # type: ignore[typeddict-item]
        **{name: rounded(getattr(target, name), 3) for name in names},
        "notes": [note.text for note in target.notes],
    }


def instance_of(report: str, part: str | None, names: Names | None = None) -> Report:
    """A report of one instance; UsageError for a cluster without a part."""
    loaded = part_of(report, part, names)
    if loaded.instances:
        raise UsageError(
            "The report covers a cluster, but the load of one instance is needed.",
            hint="Use --part N.",
        )
    return loaded


def advised(
    path: str, part: str | None, request: recovery_target.Request,
    write_capacity: float | None = None, alert_log: str | None = None, names: Names | None = None,
) -> tuple[Advice, Analysis]:  # fmt: skip
    """The targets of a report, and its analysis."""
    from awrlens import api, config
    from awrlens.advice import features
    from awrlens.lab import advisor
    from awrlens.lab.alert_log import alert_log as log_of
    from awrlens.model import with_parts
    from awrlens.render.wording import safe

    report = instance_of(path, part, names)
    if refused := features.refused(api.facts_of(report)):
        raise UsageError(refused)
    rac = request.rac or bool(report.identity.rac)
    request = request._replace(rac=rac)
    policy = config.load(path).policy
    analysis = api.analyze(report, policy, request)
    given = advisor.Asked(
        rac, request.startup_s, request.file_open_s, write_capacity,
        analysis.verdicts.fast_start_mttr_target_s or request.desired_mttr_s,
        None if alert_log is None else log_of(alert_log, names),
        any(finding.id in _SLOW_WRITES for finding in with_parts(analysis.findings)),
        any(action.id == "enlarge-redo-logs" for action in analysis.actions),
    )  # fmt: skip
    name = "a report" if names is not None else safe(PurePath(path).name)
    try:
        advice = advisor.advise(analysis.facts, name, report.identity.block_size, given, policy)
    except UsageError as error:  # a report without redo or writes
        hint = "Without REPORT, `awrlens mttr --desired-mttr S` calculates a target."
        raise UsageError(error.message, hint=hint) from None
    return advice, analysis


def _extra(spool: Spool, *, everywhere: bool) -> documents.OfSpool:
    from awrlens.advice import recovery_target as parameters
    from awrlens.oracle.checkpoints import PARAMETERS

    limits = {name: spool.parameters.get(name.lower(), 0.0) for name in PARAMETERS}
    limits = {name: value for name, value in limits.items() if value > 0}
    commands, rollback = parameters.commands_for(limits, " SID='*'" if everywhere else "")
    return {
        "in_the_way": [
            {"parameter": name, "value": value, "why": parameters.WHY[name]}
            for name, value in limits.items()
        ],
        "commands": list(commands), "rollback": list(rollback), "points": spool.points(),
    }  # fmt: skip


def _target_page(
    target: Target, extra: documents.OfSpool, *, everywhere: bool, desired: float | None
) -> b.Page:
    setting = f"FAST_START_MTTR_TARGET = {target.fast_start_mttr_target_s}"
    if desired is None:
        setting = (
            "How long may recovery take? Without that time, no target can be calculated: give "
            f"--desired-mttr SECONDS. {setting} is only the default without one."
        )
    return b.Page(
        "The recovery target for a desired recovery time", (), setting,
        "info" if desired is not None else "unknown",
        (*_parts(target, everywhere=everywhere), *_spooled(extra)),
    )  # fmt: skip


def _spooled(extra: documents.OfSpool) -> Iterator[b.Block]:
    if extra.get("in_the_way"):
        yield b.Heading("Conflicting parameters")
        yield b.Items(tuple(
            b.Item(f"{entry['why']}.", f"{entry['parameter']}={entry['value']:.0f}", "warning")
            for entry in extra["in_the_way"]
        ))  # fmt: skip
        yield b.Code("Commands", tuple(extra["commands"]))
        yield b.Code("Rollback", tuple(extra["rollback"]))
    if extra.get("points"):
        yield b.Heading("V$MTTR_TARGET_ADVICE")
        columns = b.columns("#target | #dirty blocks | #writes | #factor")
        rows = tuple(
            b.Row((f"{point['target_s']:,.0f} s",
                 "-" if point["dirty_blocks"] is None else f"{point['dirty_blocks']:,.0f}",
                 f"{point['cache_writes']:,.0f}",
                 "-" if point["factor"] is None else f"{point['factor']:.2f}"))
            for point in extra["points"]
        )  # fmt: skip
        yield b.Table("Writes by target", columns, rows)


def _parts(target: Target, *, everywhere: bool) -> Iterator[b.Block]:
    if target.formula:
        yield b.Paragraph(target.formula, "dim")
    rows = [
        (label, "not known" if spent_s is None else seconds(spent_s))
        for label, spent_s in (
            ("instance startup", target.startup_s),
            ("opening the data files", target.file_open_s),
            ("cache recovery (roll forward)", target.cache_recovery_s),
        )
    ]
    if target.expected_mttr_s is not None:
        label = "recovery by another instance now" if everywhere else "recovery after a crash now"
        rows.append((label, seconds(target.expected_mttr_s)))
    if target.lowest_s is not None:
        rows.append(("lowest achievable, at least", seconds(target.lowest_s)))
    if any(shown != "not known" for _, shown in rows):
        yield b.KeyValues("Parts of the recovery time", tuple(rows))
    for note in target.notes:
        yield b.Paragraph(note.text)
    scope = "SCOPE=BOTH SID='*'" if everywhere else "SCOPE=BOTH"
    value = target.fast_start_mttr_target_s
    yield b.Code("", (f"ALTER SYSTEM SET fast_start_mttr_target={value} {scope};",))


#: How values between points are calculated, as shown to the user.
METHOD: Final = "straight lines"
#: Writes per second by the target in effect.
BY_TARGET: Final = Curve((row.in_force_s, row.writes_per_s) for row in TABLE_1 if row.target_s)
_OFF: Final = (
    "Factor and throughput are relative to the row without fast-start checkpointing (off). In the "
    "row of 71 s, the target was set to 30 and reset by Oracle."
)
_BETWEEN: Final = f"~ is interpolated between reported targets: {METHOD}."


def prices(desired_s: float | None = None) -> documents.CurveDocument:
    """The paper's table 1; ``desired_s`` is interpolated between its rows, never outside them."""

    def point(
        target_s: float, writes: float, tps: float, *printed_s: float
    ) -> documents.PublishedPoint:
        estimated_s, recovery_s = printed_s or (None, None)
        return documents.PublishedPoint(
            target_s, estimated_s, recovery_s, writes, writes / OFF.writes_per_s,
            tps * 100 / OFF.throughput_tps, bool(printed_s),
        )  # fmt: skip

    rows = [
        point(row.in_force_s, row.writes_per_s, row.throughput_tps, row.estimated_mttr_s,
              row.recovery_s)
        for row in TABLE_1
    ]  # fmt: skip
    notes = [_OFF]
    low, high = BY_TARGET.points[0][0], BY_TARGET.points[-1][0]
    if desired_s is not None and not low <= desired_s <= high:
        notes.append(
            f"{desired_s:g} s is outside the targets of the table ({low:g} to {high:g} s): "
            "`awrlens mttr REPORT` simulates it for the load of a report."
        )
    elif desired_s is not None and desired_s not in {row.target_s for row in rows}:
        rows.append(point(desired_s, BY_TARGET.at(desired_s), THROUGHPUT.at(desired_s)))
        notes.append(_BETWEEN)
    rows.sort(key=lambda row: row.target_s or float("inf"))
    source = (
        "Fast-Start Checkpointing Best Practices, table 1: a high-volume OLTP load on a cluster of "
        "two nodes, not your load"
    )
    return documents.CurveDocument(cite(source), METHOD, tuple(rows), tuple(map(cite, notes)))


#: A target that needs as many writes as now.
_AS_NOW: Final = "1.00"


def _writes(rows: Iterable[tuple[str, float]], base: str = "now") -> b.Bars:
    """A picture of the factors by which targets multiply the writes of ``base``."""
    bars = []
    for shown, group in groupby(rows, key=lambda row: f"× {row[1]:.2f}"):
        (name, factor), *others = group
        if others:
            last = others[-1][0]
            name = f"{name} and above" if last == "none" else f"{name} to {last}"
        bars.append(
            b.BarRow(name, (b.Piece(0.0, factor, "info", f"writes, compared with {base}"),), shown)
        )
    most = max(bar.pieces[0].end for bar in bars)
    return b.Bars("Writes by target", most, tuple(bars))


def _curve_page(curve: documents.CurveDocument) -> b.Page:
    bars, rows = [], []
    for row in curve.points:
        name = "off" if row.target_s == 0 else f"{row.target_s:,.0f} s"
        bars.append((f"{name}{'' if row.printed else ' ~'}", row.factor))
        rows.append(b.Row((
            name, dash_seconds(row.estimated_mttr_s), dash_seconds(row.recovery_s),
            short(row.writes_per_s), f"{row.factor:.2f}", f"{row.throughput_pct:.1f} %",
        )))  # fmt: skip
    columns = b.columns("#target | #estimate | #recovery | #writes/s | #factor | #throughput")
    return b.Page(
        "Recovery and writes per recovery target", (curve.source,),
        f"A target of {rows[0].cells[0]} takes {curve.points[0].factor:.2f} times the writes.",
        "info",
        (
            _writes(bars, "no target (off)"),
            b.Table("Writes by target", columns, tuple(rows)),
            *(b.Paragraph(note, "dim") for note in curve.notes),
        ),
    )  # fmt: skip


def advice_page(
    advice: Advice, items: Sequence[Recommendation], target_s: float | None,
    desired_s: float | None = None, whose: str = "", *, verbose: bool = True,
) -> b.Page:  # fmt: skip
    """What every target costs in a report; ``items`` is what is recommended.

    ``whose``: the database and host of the report; ``verbose``: a terminal shows the details, too.
    """
    from awrlens.advice.recovery_target import PRESENT_LOGS

    title = items[0].title if items else "No target is recommended"
    row = advice.row(target_s or desired_s or 0.0)
    said = " ".join(item.action for item in items)
    if desired_s and items and items[0].status == "apply" and _met(advice, row, desired_s):
        recovery = f"{row.bound} {seconds(row.state.recovery_s)}".lstrip()
        title = (
            f"Recovery is {recovery}, within {seconds(desired_s)} now; a target of "
            f"{seconds(row.state.target_s)} only keeps it so"
        )
    logs = PRESENT_LOGS if advice.asked.enlarged else ""
    first = row.cost, advice.surviving(row), advice.borne, logs
    kept = [note for note in advice.notes if note not in said]
    details = (
        *_details(advice, terminal=verbose),
        b.Fold("Assumptions", (b.Items(tuple(map(b.Item, kept))),), "assumptions", verbose),
        *(b.Paragraph(_MORE, "dim"),) * (not verbose),
    )
    return b.Page(
        f"Recovery targets of {advice.name}", (*filter(None, (whose, advice.source)),),
        f"{title}.",
        "warning" if row.bears in ("no", "tight", "tune first") else "info",
        (b.Paragraph(" ".join(filter(None, first))), *_commands(items), *_costs(advice),
         *_why(items, title), *details),
    )  # fmt: skip


#: What a terminal shows only with ``--verbose``.
_MORE: Final = (
    "Redo and ranges of every target, other limits, DBWR's capacity, assumptions: --verbose"
)


def _met(advice: Advice, row: Row, desired_s: float) -> bool:
    """Whether recovery takes no longer than desired without more writes than now."""
    with_start = advice.asked.rac or (row.start_known and row.start_included)
    certain = with_start and not row.unknown and row.bound != "at least"
    return certain and row.state.recovery_s <= desired_s and f"{row.factor:.2f}" == _AS_NOW


def _costs(advice: Advice) -> Iterator[b.Block]:
    cost, bars = [], []
    falls = any(row.state.throughput < 1 for row in advice.rows)
    origins = len({row.origin for row in advice.rows}) > 1
    for row in advice.rows:
        state, writes = row.state, row.writes_per_s
        recovery = f"{row.bound} {seconds(state.recovery_s)}".lstrip()
        bars.append((_name(row), row.factor))
        cost.append(b.Row((
            _name(row), "not known" if row.unknown else recovery,
            f"{writes:,.0f}" if writes >= 100 else short(writes), f"{row.factor:.2f}",  # noqa: PLR2004 - three digits
            "-" if row.busy_pct is None else f"{row.busy_pct:.1f} %", row.bears,
            *((f"{state.throughput * 100:.0f} %",) if falls else ()),
            *((row.origin,) if origins else ()),
        )))  # fmt: skip
    yield b.Heading("Recovery time and cost of every target", anchor="costs")
    heads = ("#target | #recovery | #writes/s | #× now | #of DBWR | #sustained"
             f"{' | #throughput' * falls}{' | by' * origins}")  # fmt: skip
    if len({factor for _, factor in bars}) > 1:
        yield _writes(bars)
    yield b.Table("Cost of every target", b.columns(heads), tuple(cost))
    other = " A surviving instance does not need them." if advice.asked.rac else ""
    yield b.Paragraph(f"Start-up and opening of the files are {_start(advice)}.{other}")


def _name(row: Row) -> str:
    return f"{row.state.target_s:,.0f} s" if row.state.target_s else "none"


def _details(advice: Advice, *, terminal: bool) -> Iterator[b.Block]:
    """What recovery with every target consists of, what limits it besides, DBWR's capacity."""
    parts = []
    for row in advice.rows:
        state, span = row.state, f"{row.low:.2f} to {row.high:.2f}"
        has_parts, fits = not (row.unknown or row.hypothetical), state.fits
        parts.append(b.Row((
            _name(row), "-" if row.low == row.high else span,
            size(state.redo_bytes) if has_parts else "-",
            seconds(state.redo_read_s) if has_parts and fits else "-",
            seconds(state.blocks_s) if has_parts and fits else "-",
            f"{state.dirty_blocks:,.0f}" if has_parts and fits else "-", state.limit,
        )))  # fmt: skip
    heads = "#target | #× now, range | #redo | #redo read | #blocks | #dirty | limited by"
    table = b.Table("Recovery with every target", b.columns(heads), tuple(parts))
    yield b.Fold("Recovery with every target", (table,), "recovery", terminal)
    limits = b.Items(tuple(
        b.Item(f"{size(limit.redo_mb * 2**20)} of redo, {limit.what} {seconds(limit.recovery_s)}: "
             f"{limit.text}.",
             limit.name)
        for limit in advice.limits
    ))  # fmt: skip
    capacity = advice.capacity
    text = "not known"
    if capacity.least_per_s is not None:
        text = f"at least {short(capacity.least_per_s)} blocks per second"
    elif capacity.writes_per_s is not None:
        text = f"{short(capacity.writes_per_s)} blocks per second"
    place = f" (lines {', '.join(map(str, capacity.lines))})" if capacity.lines else ""
    of_dbwr = b.Paragraph(f"DBWR's capacity: {text}: {capacity.formula}{place}.")
    title = "What limits recovery besides the target"
    yield b.Fold(title, (limits, of_dbwr), "limits", terminal)


def _start(advice: Advice) -> str:
    split = advice.split
    if split.by == "not included":
        return "not part of these times: Oracle's estimate does not include them"
    if split.fixed_s is None:
        most = seconds(split.fixed_high_s or 0.0)
        return f"part of these times, but not known apart: at most {most}"
    startup_s, file_open_s = advice.parts["startup_s"], advice.parts["file_open_s"]
    if startup_s is None or file_open_s is None:
        low, high = seconds(split.fixed_low_s), seconds(split.fixed_high_s or split.fixed_s)
        return f"part of every one: {seconds(split.fixed_s)} together ({split.by}; {low} to {high})"
    parts = f"{seconds(startup_s)} and {seconds(file_open_s)}"
    return f"part of every one: {parts} ({split.by})"


def _commands(items: Sequence[Recommendation]) -> Iterator[b.Block]:
    for item in items:
        for label, lines in (("Commands", item.commands), ("Rollback", item.rollback)):
            if lines:
                yield b.Code(label, lines)


def _why(items: Sequence[Recommendation], headline: str) -> Iterator[b.Block]:
    for item in items:
        yield b.Heading("Why" if item.title == headline else item.title, anchor=item.id)
        sentences = map(b.Item, re.split(r"(?<=\.) (?=[A-Z\d])", item.action))
        yield b.Items((*sentences, *(b.Item(check, "Verify") for check in item.validate)))
