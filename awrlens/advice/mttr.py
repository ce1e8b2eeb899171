"""FAST_START_MTTR_TARGET: the value to set, for a single instance and in RAC.

Source: Fast-Start Checkpointing Best Practices, "Determining FAST_START_MTTR_TARGET in a RAC
Environment", "Upper and Lower Bounds on MTTR" and "Determining a Proper FAST_START_MTTR_TARGET
Value for Your Environment".
"""

from __future__ import annotations

import math
from typing import Any, Final, Literal

from awrlens.errors import UsageError
from awrlens.records import NamedTuple

#: Maximum value of the parameter, in seconds.
#: # Fast-Start Checkpointing Best Practices, "Upper and Lower Bounds on MTTR"
HIGHEST_S: Final = 3600
#: Minimum number of dirty blocks that Oracle assumes for recovery.
#: # Fast-Start Checkpointing Best Practices, "Lower Bound on MTTR"
LEAST_DIRTY_BLOCKS: Final = 1000
_US_PER_S: Final = 1_000_000


class Request(NamedTuple):
    """The caller's requirements and known values; None is not known.

    Times of X$ESTIMATED_MTTR (``init_time_avg_us``, ``fopen_time_avg_us``) are microseconds.
    ``fixed_s`` is the sum of start-up and file opening, if a report has only the sum.
    ``highest_mttr_s`` is the target above which nothing changes.
    """

    desired_mttr_s: float | None = None
    rac: bool = False
    init_time_avg_us: float | None = None
    fopen_time_avg_us: float | None = None
    datafiles: int | None = None
    lowest_mttr_s: float | None = None
    highest_mttr_s: float | None = None
    fixed_s: float | None = None
    estimated_mttr_s: float | None = None


class Remark(NamedTuple):
    """A sentence on how a target is calculated, and what it is about."""

    kind: Literal["not-critical", "offset", "advised-offset", "unknown-offset", "maximum",
                  "reset", "start-up", "no-effect", "spool"]  # fmt: skip
    text: str


class Target(NamedTuple):
    """The value to set and the parts of the recovery time, in seconds; None is not known."""

    fast_start_mttr_target_s: int
    startup_s: float | None
    file_open_s: float | None
    cache_recovery_s: float | None
    notes: tuple[Remark, ...]
    formula: str
    lowest_s: int | None = None
    highest_s: int = HIGHEST_S
    expected_mttr_s: float | None = None

    def to_dict(self) -> dict[str, Any]:
        """Plain data, as `awrlens mttr --format json` prints it."""
        return {
            "fast_start_mttr_target_s": self.fast_start_mttr_target_s,
            "startup_s": _round(self.startup_s),
            "file_open_s": _round(self.file_open_s),
            "cache_recovery_s": _round(self.cache_recovery_s),
            "lowest_s": self.lowest_s,
            "highest_s": self.highest_s,
            "expected_mttr_s": _round(self.expected_mttr_s),
            "formula": self.formula,
            "notes": [note.text for note in self.notes],
        }


def _round(value: float | None) -> float | None:
    return None if value is None else round(value, 3)


def target(request: Request) -> Target:
    """The FAST_START_MTTR_TARGET for a desired recovery time.

    Without a desired time, recovery is not critical and the target is 3600. In RAC, a surviving
    instance is running and has the files open, so both times are added to the desired time.
    Raises UsageError for negative input.
    """
    _check(request)
    startup, opening = seconds(request)
    low, high = bounds(request)
    expected = _expected(request, startup, opening)
    if request.desired_mttr_s is None:
        note = Remark(
            "not-critical",
            "Recovery time is not critical. The maximum, 3600, keeps fast-start checkpointing on; "
            "recovery will be well below an hour, because redo log size and read time limit it "
            "first.",
        )
        return Target(HIGHEST_S, startup, opening, None, (note,), "", low, high, expected)
    desired, offset, formula = request.desired_mttr_s, 0.0, ""
    notes = []
    if request.rac:
        offset = _offset(request, startup, opening)
        formula = _formula(request, desired + offset)
        notes.append(_rac_note(request, startup, opening))
    wanted = round(desired + offset)
    value = max(1, min(wanted, HIGHEST_S))
    if wanted > HIGHEST_S:
        text = f"{wanted} s is above the parameter's maximum; {HIGHEST_S} is used instead."
        notes.append(Remark("maximum", text))
    value = _raise_to_lowest(value, request, startup, opening, notes)
    if value > high:
        text = (
            f"Above {high} s, the parameter has no effect: even with every buffer dirty, recovery "
            f"would take about {high} s."
        )
        notes.append(Remark("no-effect", text))
    cache = _rest(value, startup, opening)
    if request.rac and not _known(request, startup, opening):
        cache = None
    elif request.rac:
        cache = desired if value == wanted else max(0.0, value - offset)
    return Target(value, startup, opening, cache, tuple(notes), formula, low, high, expected)


def bounds(request: Request) -> tuple[int | None, int]:
    """The lowest achievable target (None if not known) and the highest that has an effect."""
    startup, opening = seconds(request)
    lowest = request.lowest_mttr_s
    if lowest is None and (startup is not None or opening is not None):
        lowest = (startup or 0.0) + (opening or 0.0)
    low = None if lowest is None else min(HIGHEST_S, max(1, math.ceil(lowest)))
    high = min(HIGHEST_S, round(request.highest_mttr_s or HIGHEST_S))
    return low, max(high, low or 1)


def _expected(request: Request, startup: float | None, opening: float | None) -> float | None:
    """Estimated recovery time; in RAC, without start-up and opening of the files.

    # Fast-Start Checkpointing Best Practices, "Monitoring MTTR in a RAC Environment"
    """
    if request.estimated_mttr_s is None:
        return None
    if not request.rac:
        return request.estimated_mttr_s
    if not _known(request, startup, opening):
        return None
    return max(0.0, request.estimated_mttr_s - _offset(request, startup, opening))


def _offset(request: Request, startup: float | None, opening: float | None) -> float:
    """Start-up and opening of the files: as given, else their sum from the report."""
    if startup is None and opening is None:
        return max(0.0, request.fixed_s or 0.0)
    return (startup or 0.0) + (opening or 0.0)


def _known(request: Request, startup: float | None, opening: float | None) -> bool:
    """Whether start-up and opening are known, both or their sum."""
    return (startup is not None and opening is not None) or request.fixed_s is not None


def _check(request: Request) -> None:
    for name, value in request._asdict().items():
        if value is not None and value < 0:
            raise UsageError(f"{name} is {value:g}; it must not be negative.")
    if request.desired_mttr_s == 0:
        raise UsageError(
            "A desired MTTR of 0 s is not achievable.",
            hint="Give the seconds that recovery may take; 0 would turn fast-start "
            "checkpointing off.",
        )


def seconds(request: Request) -> tuple[float | None, float | None]:
    """Start-up and opening of all files in seconds."""
    startup = opening = None
    if request.init_time_avg_us is not None:
        startup = request.init_time_avg_us / _US_PER_S
    if request.fopen_time_avg_us is not None and request.datafiles is not None:
        opening = request.fopen_time_avg_us / _US_PER_S * request.datafiles
    return startup, opening


def _formula(request: Request, total: float) -> str:
    parts = [f"{request.desired_mttr_s:g}"]
    if request.init_time_avg_us is not None:
        parts.append(f"{request.init_time_avg_us:,.0f} / 1,000,000")
    if request.fopen_time_avg_us is not None and request.datafiles is not None:
        parts.append(f"{request.fopen_time_avg_us:,.0f} / 1,000,000 × {request.datafiles}")
    if len(parts) == 1 and request.fixed_s is not None:
        parts.append(f"{max(0.0, request.fixed_s):.1f} s of start-up and opening")
    return f"{' + '.join(parts)} = {total:.2f} s"


def _rac_note(request: Request, startup: float | None, opening: float | None) -> Remark:
    if startup is None and opening is None and request.fixed_s is not None:
        return Remark(
            "advised-offset",
            "By the MTTR Advisory, start-up and opening of the files take "
            f"{max(0.0, request.fixed_s):.1f} s, which a surviving instance does not need. "
            "INIT_TIME_AVG and FOPEN_TIME_AVG in X$ESTIMATED_MTTR (as SYS) are the exact times.",
        )
    lacking = []
    if startup is None:
        lacking.append("INIT_TIME_AVG")
    if opening is None:
        lacking.append("FOPEN_TIME_AVG and the number of data files")
    if not lacking:
        return Remark(
            "offset",
            "In RAC, a surviving instance performs the recovery. It is running and has the files "
            "open, so start-up and opening are added to the desired time.",
        )
    return Remark(
        "unknown-offset",
        f"Without {' and '.join(lacking)}, the target is too strict by that time. Both averages "
        "are in X$ESTIMATED_MTTR (as SYS).",
    )


def _rest(desired: float, startup: float | None, opening: float | None) -> float | None:
    """The time left for rolling forward; None if start-up or opening is not known."""
    if startup is None or opening is None:
        return None
    return max(0.0, desired - startup - opening)


def _raise_to_lowest(
    value: int, request: Request, startup: float | None, opening: float | None, notes: list[Remark]
) -> int:
    """Oracle's reset of a value below the lowest achievable recovery time."""
    lowest, floor = request.lowest_mttr_s, (startup or 0.0) + (opening or 0.0)
    if lowest is not None and value < lowest:
        reset = math.ceil(lowest)
        text = (
            f"{value} s is below the lowest achievable recovery time ({LEAST_DIRTY_BLOCKS:,} dirty "
            "blocks, start-up and opening of the files). Oracle resets it and writes to the alert "
            f"log: FAST_START_MTTR_TARGET {value} is out of the valid MTTR range, use {reset} "
            "instead."
        )
        notes.append(Remark("reset", text))
        return reset
    if value < floor:
        text = (
            f"Start-up and opening of the files take {floor:.1f} s, longer than {value} s. Oracle "
            "will reset the target to at least this time plus the recovery of "
            f"{LEAST_DIRTY_BLOCKS:,} dirty blocks, with a message in the alert log."
        )
        notes.append(Remark("start-up", text))
    return value
