"""Samples of a crash test: how even the writes are, and whether the load is steady.

The lines are those of `sample.sql`. A run ends with a crash, with a change of the target, with a
gap between two samples, or with the last line.
"""

from __future__ import annotations

import re
from datetime import datetime
from itertools import pairwise
from statistics import fmean, median_low, pstdev
from typing import Any, Final

from awrlens.errors import UnreadableError
from awrlens.lazy import regex
from awrlens.records import NamedTuple
from awrlens.units import parse_number

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
