"""A crash test: its plan, and its samples.

The plan shows whether an instance recovers in the desired time. Source: Fast-Start Checkpointing
Best Practices, "Determine the MTTR Achieved". The samples are lines of `sample.sql`: they show how
even the writes are, and whether the load is steady. A run ends with a crash, with a change of the
target, with a gap between two samples, or with the last line.
"""

from __future__ import annotations

import re
from datetime import datetime
from itertools import pairwise
from math import ceil
from pathlib import Path
from statistics import fmean, median_low, pstdev
from typing import TYPE_CHECKING, Any, Final

from awrlens.advice import mttr, write_model
from awrlens.errors import UnreadableError
from awrlens.lab import judge
from awrlens.lab.measure import ENOUGH
from awrlens.lazy import regex
from awrlens.records import NamedTuple
from awrlens.units import parse_number

if TYPE_CHECKING:
    from awrlens.lab.advisor import Advice
    from awrlens.lab.alert_log import Episodes


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

#: One sample: its time and its numbers.
_Sample = tuple[datetime, dict[str, float | None]]


class Spread(NamedTuple):
    """How even a rate is: its mean, its highest value, both as a ratio, the standard deviation."""

    mean: float
    highest: float
    peak_ratio: float
    #: Standard deviation in percent of the mean: 0 is perfectly even.
    spread_pct: float


def spread(values: list[float]) -> Spread | None:
    """The spread of rates; None without any or if all are 0."""
    mean = fmean(values) if values else 0.0
    if not mean:
        return None
    return Spread(mean, max(values), max(values) / mean, 100 * pstdev(values) / mean)


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

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return self._asdict() | {"writes": self.writes and self.writes._asdict()}


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
        numbers = [parse_number(each) for each in rest.split(";")]
        fields = {name: None if value is None else float(value)
                  for name, value in zip(_FIELDS, numbers, strict=False)}  # fmt: skip
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
    """The runs in the samples before a crash or the end; only the last one ends with the crash."""
    passed = [(other[0] - one[0]).total_seconds() for one, other in pairwise(rows)]
    gap_s = _GAP * median_low([each for each in passed if each > 0] or [0.0])
    parts = [rows[:1]]
    for seconds, one, other in zip(passed, rows, rows[1:], strict=False):
        if seconds > gap_s or _other_target(one[1], other[1]):
            parts.append([])
        parts[-1].append(other)
    last = len(parts) - 1
    found = [_run(instance, part, crashed=crashed and n == last) for n, part in enumerate(parts)]
    return [each for each in found if each is not None]


def _other_target(one: dict[str, float | None], other: dict[str, float | None]) -> bool:
    """Whether FAST_START_MTTR_TARGET changed; older samples have only TARGET_MTTR."""
    before, after = one.get("target_set"), other.get("target_set")
    if before is not None and after is not None:
        return before != after
    before, after = one.get("target_mttr") or 0.0, other.get("target_mttr") or 0.0
    return abs(after - before) > _OTHER_TARGET * max(before, after)


def _run(instance: str, rows: list[_Sample], *, crashed: bool) -> Run | None:
    rates, waited, waits = [], 0.0, 0.0
    for (before, one), (after, other) in pairwise(rows):
        passed = (after - before).total_seconds()
        first, last = one.get("writes"), other.get("writes")
        if passed <= 0 or first is None or last is None or last < first:
            continue  # the clock went back, or the instance was started again
        rates.append((last - first) / passed)
        waited += max(0.0, (other.get("waited_cs") or 0.0) - (one.get("waited_cs") or 0.0))
        waits += max(0.0, (other.get("waits") or 0.0) - (one.get("waits") or 0.0))
    if not rates:
        return None
    estimates = [each for _, row in rows if (each := row.get("estimated_mttr")) is not None]
    half = len(rates) // 2
    steady = None
    if half and (whole := fmean(rates)):
        steady = abs(fmean(rates[half:]) - fmean(rates[:half])) <= _STEADY * whole
    return Run(
        instance, rows[0][0].isoformat(), (rows[-1][0] - rows[0][0]).total_seconds(), len(rows),
        spread(rates), (min(estimates), max(estimates)) if estimates else None,
        _target(rows[-1][1]), 10 * waited / waits if waits else None, steady, crashed,
    )  # fmt: skip


def _target(row: dict[str, float | None]) -> float | None:
    """TARGET_MTTR; 0 if FAST_START_MTTR_TARGET is 0, whatever Oracle aims at by itself."""
    return 0.0 if row.get("target_set") == 0 else row.get("target_mttr")


#: Scripts by name, and their files.
SCRIPTS: Final = {"sample": "sample.sql", "crash": "crash_test.sh"}
#: Seconds of sampling before a crash: the load is steady by then.
_SAMPLING_S: Final = 600

_PARAMETERS: Final = (
    "SELECT name, value FROM v$parameter WHERE name LIKE 'fast_start%target' "
    "OR name LIKE 'log_checkpoint_%';"
)


class Step(NamedTuple):
    """One step: what to do, why, and its commands."""

    title: str
    text: str
    commands: tuple[str, ...] = ()


class Lowest(NamedTuple):
    """The lowest target that can be met, and where it is known from."""

    seconds: float
    origin: str


class Plan(NamedTuple):
    """The steps of a crash test."""

    target_s: int
    desired_s: float | None
    rac: bool
    runs: int
    steps: tuple[Step, ...]
    #: What is known of the target before the test, for example that Oracle will reset it.
    notes: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {
            "target_s": self.target_s, "desired_s": self.desired_s, "rac": self.rac,
            "runs": self.runs,
            "steps": [
                {"title": each.title, "text": each.text, "commands": list(each.commands)}
                for each in self.steps
            ],
            "notes": list(self.notes),
        }  # fmt: skip


def script(name: str) -> str:
    """The text of a script."""
    return Path(__file__).with_name(SCRIPTS[name]).read_text(encoding="utf-8")


def lowest_of(advice: Advice | None, log: Episodes | None) -> Lowest | None:
    """The highest of the lower bounds that a report and an alert log show; None without any."""
    found = []
    if advice is not None:
        found += [Lowest(each.recovery_s, "1,000 dirty blocks, start-up and opening of the files, "
                         f"estimated from {advice.name}")
                  for each in advice.limits if each.name == write_model.LEAST_BLOCKS]  # fmt: skip
    if log is not None:
        if (fixed_s := judge.offsets(log).total_s) > 0:
            found.append(Lowest(fixed_s, "start-up and opening of the files in the alert log"))
        said = "`out of the valid MTTR range` in the alert log"
        found += [Lowest(float(each.values["used"]), said) for each in log.ranges[-1:]]
    return max(found, default=None)


def plan(
    request: mttr.Request, target_s: int | None = None, runs: int = ENOUGH + 1,
    lowest: Lowest | None = None,
) -> Plan:  # fmt: skip
    """The steps with a target, or with the one for the desired time."""
    goal = mttr.target(request)
    value = goal.fast_start_mttr_target_s if target_s is None else target_s
    notes = [each.text for each in goal.notes] if target_s is None else []
    if lowest is not None and 0 < value < lowest.seconds:
        notes.append(
            f"{value} s is below the lowest target that the instance can meet: "
            f"{ceil(lowest.seconds)} s ({lowest.origin}). Recovery will take longer than {value} s."
        )
    everywhere = " SID='*'" if request.rac else ""
    desired = request.desired_mttr_s
    judged = f" --desired-mttr {desired:g}" if desired is not None else ""
    with_target = f"ALTER SYSTEM SET fast_start_mttr_target={value} SCOPE=BOTH{everywhere};"
    who = "all instances" if request.rac else "the instance"
    after = (
        "Another instance detects the failure and recovers; its alert log has the recovery."
        if request.rac
        else "Start the instance again (STARTUP): it recovers, and its alert log has the recovery."
    )
    return Plan(value, desired, request.rac, runs, (
        Step(
            "Set the same target",
            f"Use a test system with a backup. Note the parameters, to set them again after the "
            f"test. Set FAST_START_MTTR_TARGET={value} for {who}, and nothing else that limits "
            "checkpoints.",
            (
                _PARAMETERS,
                with_target,
                f"ALTER SYSTEM SET log_checkpoint_interval=0 SCOPE=BOTH{everywhere};",
                f"ALTER SYSTEM SET log_checkpoint_timeout=0 SCOPE=BOTH{everywhere};",
            ),
        ),
        Step(
            "Sample without a crash, with and without the target",
            "Apply the load of the peak. Sample ten minutes with the target, and ten minutes with "
            "FAST_START_MTTR_TARGET=0, each with a Statspack or AWR snapshot before and after; "
            "then set the target again. Every run has its own file of samples. The samples show "
            "how even the writes are, the reports whether the I/O has capacity left.",
            (
                "awrlens recovery plan --script sample > sample.sql",
                "awrlens recovery plan --script crash > crash_test.sh",
                f"sh crash_test.sh {_SAMPLING_S} keep",
                f"ALTER SYSTEM SET fast_start_mttr_target=0 SCOPE=BOTH{everywhere};",
                f"sh crash_test.sh {_SAMPLING_S} keep",
                with_target,
                "awrlens recovery samples awrlens_samples_*.txt",
            ),
        ),
        Step(
            "Crash the instance at peak load",
            "The script kills PMON after the load has become steady. THIS CRASHES THE INSTANCE. "
            f"{after}",
            (f"sh crash_test.sh {_SAMPLING_S}",),
        ),
        Step(
            f"Repeat it: {runs} runs",
            "The same target, the same load. Oracle's estimates become accurate after three or "
            "four runs; the last run decides.",
        ),
        Step(
            "Read the verdict",
            "Within a few seconds of the desired time: nothing else is to do. Too long: either the "
            "lower bound is reached, or there is a bottleneck, which is looked for in the report. "
            "If it is not in the report without the target, the target exceeds the I/O capacity.",
            (
                f"awrlens recovery measure alert*.log{judged} --report on.html --without off.html",
            ),
        ),
    ), tuple(notes))  # fmt: skip
