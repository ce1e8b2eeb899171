"""``awrlens recovery plan`` and ``samples``: the plan of a crash test, and its samples.

Source: Fast-Start Checkpointing Best Practices, "Determine the MTTR Achieved".
"""

from __future__ import annotations

import re
from datetime import datetime
from itertools import groupby, pairwise
from math import ceil
from pathlib import PurePath
from typing import TYPE_CHECKING, Final

import click

from awrlens.advice import mttr
from awrlens.cli import output
from awrlens.cli.options import PART, formats
from awrlens.errors import EXIT_OK, UnreadableError
from awrlens.lab.mttr_command import ESTIMATED_MTTR, advised
from awrlens.lazy import NamedTuple, beside, regex
from awrlens.model.plain import plain
from awrlens.render.blocks import Block, Code, Heading, Page, Paragraph, Row, Table, columns
from awrlens.render.first_screen import subject
from awrlens.render.wording import count, dash_seconds, seconds, short
from awrlens.units import parse_number

if TYPE_CHECKING:
    from collections.abc import Sequence

    from awrlens.lab.advisor import Advice
    from awrlens.lab.alert_log import Episodes
    from awrlens.model import Fact


_LINE: Final = regex(r"^AWRLENS_(SAMPLE|CRASH);([^;\n]{19});([^;\n]*)(?:;([^\n]*))?$", re.M)
_FIELDS: Final = (
    "target_mttr", "estimated_mttr", "dirty_blocks", "redo_blocks", "target_redo_blocks", "writes",
    "waits", "waited_cs", "target_set",
)  # fmt: skip
#: The writes of both halves differ by less: the load is steady.
_STEADY: Final = 0.2
#: Between the samples of one run, less than this many usual intervals pass; `sample.sql` takes
#: longer than usual while the instance waits.
_GAP: Final = 10
#: TARGET_MTTR follows FAST_START_MTTR_TARGET only roughly: a larger step is another target.
_OTHER_TARGET: Final = 0.1

_Sample = tuple[datetime, dict[str, float]]


class Spread(NamedTuple):
    """How even a rate is: its mean, its highest value, both as a ratio, the standard deviation."""

    mean: float
    highest: float
    peak_ratio: float
    #: Standard deviation in percent of the mean: 0 is perfectly even.
    spread_pct: float


class Run(NamedTuple):
    """The samples of one instance up to a crash or to the end."""

    instance: str
    begin: str
    seconds: float
    samples: int
    writes: Spread | None
    estimated_mttr_s: tuple[float, float] | None
    target_mttr_s: float | None
    write_ms: float | None
    steady: bool | None
    crashed: bool


def read(text: str, source: str) -> list[Run]:
    """The runs in a file of samples; UnreadableError if it has none."""
    runs: list[Run] = []
    rows: dict[str, list[_Sample]] = {}
    for kind, at, instance, rest in _LINE.findall(text):
        try:
            when = datetime.fromisoformat(at)
        except ValueError:
            continue
        if kind == "CRASH":
            runs += _runs(instance, rows.pop(instance, []), crashed=True)
            continue
        numbers = map(parse_number, rest.split(";"))
        fields = {name: float(value) for name, value in zip(_FIELDS, numbers, strict=False)
                  if value is not None}  # fmt: skip
        rows.setdefault(instance, []).append((when, fields))
    for instance, left in rows.items():
        runs += _runs(instance, left, crashed=False)
    if not runs:
        raise UnreadableError(
            "There are no samples: two lines that begin with AWRLENS_SAMPLE are needed.",
            source=source,
            hint="`awrlens recovery plan --script sample` prints the script that writes them.",
        )
    return runs


def _runs(instance: str, rows: list[_Sample], *, crashed: bool) -> list[Run]:
    """The runs in the samples before a crash or the end: a changed target or a gap ends one."""
    from statistics import median_low

    passed = [(other[0] - one[0]).total_seconds() for one, other in pairwise(rows)]
    gap_s = _GAP * median_low([passed_s for passed_s in passed if passed_s > 0] or [0.0])
    parts = [rows[:1]]
    for passed_s, one, other in zip(passed, rows, rows[1:], strict=False):
        if passed_s > gap_s or _other_target(one[1], other[1]):
            parts.append([])
        parts[-1].append(other)
    last = len(parts) - 1
    runs = [_run(instance, part, crashed=crashed and n == last) for n, part in enumerate(parts)]
    return [run for run in runs if run is not None]


def _other_target(one: dict[str, float], other: dict[str, float]) -> bool:
    """Whether FAST_START_MTTR_TARGET changed; older samples have only TARGET_MTTR."""
    for name, share in (("target_set", 0.0), ("target_mttr", _OTHER_TARGET)):
        if name in one and name in other:
            return abs(other[name] - one[name]) > share * max(one[name], other[name])
    return False


def _run(instance: str, rows: list[_Sample], *, crashed: bool) -> Run | None:
    from statistics import fmean, pstdev

    rates, waited, waits = [], 0.0, 0.0
    for (before, one), (after, other) in pairwise(rows):
        passed = (after - before).total_seconds()
        grown = {name: other[name] - one[name] for name in one.keys() & other.keys()}
        if passed <= 0 or grown.get("writes", -1.0) < 0:
            continue  # the clock went back, or the instance was started again
        rates.append(grown["writes"] / passed)
        if "waited_cs" in grown and "waits" in grown:
            waited += max(0.0, grown["waited_cs"])
            waits += max(0.0, grown["waits"])
    if not rates:
        return None
    estimates = [row["estimated_mttr"] for _, row in rows if "estimated_mttr" in row]
    last_row = rows[-1][1]
    # 0 if FAST_START_MTTR_TARGET is 0, whatever Oracle aims at by itself
    target_s = 0.0 if last_row.get("target_set") == 0 else last_row.get("target_mttr")
    half, mean = len(rates) // 2, fmean(rates)
    spread = steady = None
    if mean:
        spread = Spread(mean, max(rates), max(rates) / mean, 100 * pstdev(rates) / mean)
    if mean and half:
        steady = abs(fmean(rates[half:]) - fmean(rates[:half])) <= _STEADY * mean
    return Run(
        instance, rows[0][0].isoformat(), (rows[-1][0] - rows[0][0]).total_seconds(), len(rows),
        spread, (min(estimates), max(estimates)) if estimates else None,
        target_s, 10 * waited / waits if waits else None, steady, crashed,
    )  # fmt: skip


SCRIPTS: Final = {"sample": "sample.sql", "crash": "crash_test.sh"}
#: # Fast-Start Checkpointing Best Practices: "Rerun the test 3 or 4 times"
RUNS: Final = 4
#: Seconds of sampling before a crash: the load is steady by then.
_SAMPLING_S: Final = 600


class Step(NamedTuple):
    """One step: what to do, why, and its commands."""

    title: str
    text: str
    commands: tuple[str, ...] = ()


class Lowest(NamedTuple):
    """The lowest target that can be met, and where it is known from."""

    seconds: float
    origin: str
    #: Without start-up, which is not known, it is only a bound.
    at_least: bool = False


class Plan(NamedTuple):
    """The steps of a crash test."""

    target_s: int
    desired_s: float | None
    rac: bool
    runs: int
    steps: tuple[Step, ...]
    #: What is known of the target before the test, for example that Oracle will reset it.
    notes: tuple[str, ...] = ()


def script_text(name: str) -> str:
    """The text of a script."""
    return beside(__file__, SCRIPTS[name])


def lowest_of(advice: Advice | None, log: Episodes | None, printed: Fact | None) -> Lowest | None:
    """The highest of the lower bounds that a report and an alert log show; None without any."""
    from awrlens.lab.judge import offsets

    bounds = []
    if advice is not None:
        own = printed is not None and printed.number is not None and printed.evidence[0].section
        unknown = not own and not advice.split.start_known
        of = "without" if unknown else "with"
        blocks = f"1,000 dirty blocks, {of} start-up and opening of the files, by {advice.name}"
        origin = f"by {own} of {advice.name}" if own else blocks
        bounds += [Lowest(limit.recovery_s, origin, unknown)
                   for limit in advice.limits if limit.name == "1,000 blocks"]  # fmt: skip
    if log is not None:
        if (fixed_s := offsets(log).total_s) > 0:
            bounds.append(Lowest(fixed_s, "start-up and opening of the files in the alert log"))
        origin = "`out of the valid MTTR range` in the alert log"
        bounds += [Lowest(float(event.values["used"]), origin) for event in log.ranges[-1:]]
    return max(bounds, default=None)


def plan(
    request: mttr.Request, target_s: int | None = None, runs: int = RUNS,
    lowest: Lowest | None = None, more_notes: tuple[str, ...] = (),
) -> Plan:  # fmt: skip
    """The steps with a target, or with the one for the desired time; ``more_notes`` come last."""
    goal = mttr.target(request)
    value = goal.fast_start_mttr_target_s if target_s is None else target_s
    notes = [note.text for note in goal.notes] if target_s is None else []
    if lowest is not None and 0 < value < lowest.seconds:
        notes.append(
            f"{value} s is below the lowest target that the instance can meet: "
            f"{'at least ' * lowest.at_least}{ceil(lowest.seconds)} s ({lowest.origin}). Recovery "
            f"will take longer than {value} s."
        )
    desired = request.desired_mttr_s
    words = {
        "target": value, "runs": runs, "sampling_s": _SAMPLING_S,
        "who": "all instances" if request.rac else "the instance",
        "sid": " SID='*'" if request.rac else "",
        "recovery": "Another instance detects the failure and recovers; its alert log has the "
        "recovery." if request.rac else "Start the instance again (STARTUP): it recovers, and its "
        "alert log has the recovery.",
        "judged": "" if desired is None else f" --desired-mttr {desired:g}",
    }  # fmt: skip
    import tomllib

    steps = tuple(
        Step(
            step["title"].format(**words), step["text"].format(**words),
            tuple(command.format(**words) for command in step.get("commands", ())),
        )
        for step in tomllib.loads(beside(__file__, "plan.toml"))["step"]
    )  # fmt: skip
    return Plan(value, desired, request.rac, runs, steps, (*notes, *more_notes))


DESIRED_MTTR = click.option(
    "--desired-mttr", type=click.FloatRange(min=0, min_open=True), metavar="S",
    help="Desired maximum recovery time in seconds.",
)  # fmt: skip


@click.command("plan")
@click.argument("report", required=False, metavar="[REPORT]")
@DESIRED_MTTR
@click.option("--target", type=click.IntRange(0, mttr.HIGHEST_S), metavar="S",
              help="FAST_START_MTTR_TARGET to test [default: for the desired time].")  # fmt: skip
@click.option("--rac", is_flag=True, help="RAC: another instance recovers.")
@ESTIMATED_MTTR
@click.option("--runs", type=click.IntRange(1), default=RUNS, show_default=True, metavar="N",
              help="Number of crashes.")  # fmt: skip
@click.option("--script", type=click.Choice(["sample", "crash"]),
              help="Print only this script: sample.sql or crash_test.sh.")  # fmt: skip
@click.option("--alert-log", metavar="FILE",
              help="Alert log to take the lowest possible target from.")  # fmt: skip
@PART
@formats("text", "json", "markdown", "html")
def plan_command(
    report: str | None, desired_mttr: float | None, target: int | None, rac: bool,  # noqa: FBT001 - a flag
    init_time_avg: float | None, fopen_time_avg: float | None, datafiles: int | None, runs: int,
    script: str | None, alert_log: str | None, part: str | None, format_: str,
) -> int:  # fmt: skip
    """Print the plan of a crash test, with its scripts; awrlens runs none of them.

    With REPORT or --alert-log, the plan says if the target is below the lowest one that can be met.

    \b
    Examples:
      awrlens recovery plan --desired-mttr 120
      awrlens recovery plan awrrpt.html --desired-mttr 30 --alert-log alert.log
      awrlens recovery plan --script crash > crash_test.sh
    """  # noqa: D301 - \b is for click
    from awrlens.advice.mttr import cluster_words
    from awrlens.lab.alert_log import alert_log as log_of

    if script is not None:
        click.echo(script_text(script), nl=False)
        return EXIT_OK
    request = mttr.Request(desired_mttr, rac, init_time_avg, fopen_time_avg, datafiles)
    advice = log = lowest = None
    if report is not None:
        advice, analysis = advised(report, part, request, None, alert_log)
        lowest = analysis.facts["checkpoint.lowest_mttr_s"]
        request = request._replace(rac=advice.asked.rac)
    if alert_log is not None:
        log = log_of(alert_log)
    notes = () if advice is None else tuple(
        filter(None, (advice.split.words, cluster_words(analysis.facts)))
    )  # fmt: skip
    steps = plan(request, target, runs, lowest_of(advice, log, lowest), notes)
    whose = () if advice is None else (subject(analysis.report),)
    return output.either(format_, steps, lambda: _plan_page(steps, whose))


@click.command()
@click.argument("files", nargs=-1, required=True, metavar="SAMPLES...")
@formats("text", "json", "markdown", "html")
def samples(files: tuple[str, ...], format_: str) -> int:
    """Show how even the writes of a crash test were, and whether the load was steady.

    SAMPLES are files of `awrlens recovery plan --script crash`, for example one with the target and
    one without.
    """
    from awrlens.source import open as source

    runs = [(path, run) for path in files for run in read(source.read(path).text, path)]
    data = {"runs": [{"file": path, **plain(run)} for path, run in runs]}
    return output.either(format_, data, lambda: _samples_page(runs))


def _plan_page(test: Plan, whose: tuple[str, ...] = ()) -> Page:
    wanted = "" if test.desired_s is None else f" for a recovery of {seconds(test.desired_s)}"
    kind = "RAC" if test.rac else "single instance"
    setting = f"Test FAST_START_MTTR_TARGET={test.target_s}{wanted}."
    blocks: list[Block] = [Paragraph(setting, "strong"), *map(Paragraph, test.notes)]
    for number, step in enumerate(test.steps, start=1):
        blocks += Heading(f"{number}. {step.title}"), Paragraph(step.text)
        tools = groupby(step.commands, key=lambda command: command.startswith(("SELECT", "ALTER")))
        blocks += (Code("In SQL*Plus" if sql else "In the shell", tuple(lines))
                   for sql, lines in tools)  # fmt: skip
    return Page(
        "Plan of a crash test", (*whose, kind, count(test.runs, "run")),
        "This test crashes the instance: use a test system.", "warning", tuple(blocks),
    )  # fmt: skip


def _samples_page(runs: Sequence[tuple[str, Run]]) -> Page:
    heads = "`file | #target | #writes/s | #peak / mean | #spread | #write | steady | crash"
    spreads = [run.writes.spread_pct for _, run in runs if run.writes is not None]
    headline = "Nothing was written while the samples were taken."
    if spreads:
        low = "" if len(spreads) == 1 else f"{min(spreads):.0f} to "
        headline = f"The writes spread by {low}{max(spreads):.0f} % of their mean."
    return Page(
        "Samples of a crash test", (count(len(runs), "run"),),
        headline, "info",
        (
            Table("Writes of every run", columns(heads), tuple(Row(_row(*run)) for run in runs)),
            Paragraph("Spread is the standard deviation of the writes per second in percent of "
                      "their mean: 0 is perfectly even.", "dim"),
        ),
    )  # fmt: skip


def _row(path: str, run: Run) -> tuple[str, ...]:
    target, writes = run.target_mttr_s, run.writes
    return (
        PurePath(path).name, dash_seconds(target),
        *(("-",) * 3 if writes is None else (
            short(writes.mean), f"{writes.peak_ratio:.2f}", f"{writes.spread_pct:.0f} %")),
        "-" if run.write_ms is None else f"{run.write_ms:.1f} ms",
        {True: "yes", False: "no", None: "-"}[run.steady], "yes" if run.crashed else "no",
    )  # fmt: skip
