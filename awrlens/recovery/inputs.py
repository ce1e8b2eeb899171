"""Inputs of a prediction: amounts from a report, times and rates from an alert log or a paper."""

from __future__ import annotations

from typing import TYPE_CHECKING

from awrlens.records import NamedTuple
from awrlens.recovery import amounts, defaults, judge
from awrlens.recovery.defaults import Range
from awrlens.recovery.episodes import REDO_BLOCK_BYTES

if TYPE_CHECKING:
    from collections.abc import Mapping

    from awrlens.model import Fact
    from awrlens.recovery.amounts import Rate
    from awrlens.recovery.episodes import Episodes


class Inputs(NamedTuple):
    """Inputs of the model; None is not known."""

    startup: Range
    file_open: Range
    file_open_formula: str
    redo_bytes: Range | None
    blocks: float | None
    scan: Range
    apply: Range
    apply_blocks: Range | None
    reconfiguration: Range
    #: ESTIMATED_MTTR, unless the alert log has the time of the second pass; and its part for
    #: start-up and opening, by the MTTR Advisory.
    estimate_s: float | None
    fixed_s: float | None
    #: ESTIMATED_MTTR as the upper limit of start-up, opening and passes together; None if each is
    #: known.
    shared_s: float | None
    why: str = ""


def gather(facts: Mapping[str, Fact], log: Episodes | None) -> Inputs:
    """Amounts from the report, times and rates from the alert log or the papers."""
    rates: Mapping[str, Rate | None] = amounts.rates(log) if log is not None else {}
    lengths = [r.seconds for r in log.reconfigurations if r.seconds is not None] if log else []
    redo = _redo(facts) or _redo_before(log)
    scan = _measured(rates.get("scan_bytes"), defaults.SCAN_BYTES_PER_S)
    scan = scan or defaults.SCAN_BYTES_PER_S
    apply = _measured(rates.get("apply_bytes"), defaults.APPLY_BYTES_PER_S)
    apply = apply or defaults.APPLY_BYTES_PER_S
    timed = any(rate is not None and rate.value is not None
                for name, rate in rates.items() if name.startswith("apply"))  # fmt: skip
    passes = redo.value / scan.value + redo.value / apply.value if redo is not None else 0.0
    startup, opening, formula = _start(facts, log, passes)
    return Inputs(
        startup, opening, formula, redo, facts["checkpoint.estimated_ios"].number, scan, apply,
        _measured(rates.get("apply_blocks"), None),
        defaults.between("s of reconfiguration", "alert log", *lengths)
        if lengths
        else defaults.RECONFIGURATION,
        None if timed else facts["checkpoint.estimated_mttr_s"].number,
        facts["checkpoint.fixed_mttr_s"].number,
        None if timed or "ESTIMATED_MTTR" not in startup.source
        else facts["checkpoint.estimated_mttr_s"].number,
        facts["checkpoint.actual_redo_blocks"].note,
    )  # fmt: skip


def _redo(facts: Mapping[str, Fact]) -> Range | None:
    """Redo that recovery would read: at the end snapshot, and at most by the limits."""
    actual = facts["checkpoint.actual_redo_blocks"].number
    if actual is None:
        return None
    bounds = [facts[f"checkpoint.{name}_redo_blocks"].number for name in ("target", "log_size")]
    known = [each for each in bounds if each]
    # the target in effect limits it; without one, the smallest redo log does
    bound = known[0] if known else actual
    blocks = Range(actual, min(actual, bound), max(actual, bound), "", "")
    source = "ACTUAL_REDO_BLKS at the end snapshot, up to TARGET_REDO_BLKS"
    return blocks.scaled(REDO_BLOCK_BYTES, "B of redo")._replace(source=source)


def _redo_before(log: Episodes | None) -> Range | None:
    """Redo of the recoveries in an alert log, if Recovery Stats is not in the report."""
    if log is None:
        return None
    redo = [recovery.redo_kb * 1024 for recovery in log.recoveries if recovery.redo_kb]
    return defaults.between("B of redo", "recoveries in the alert log", *redo) if redo else None


def _measured(rate: Rate | None, default: Range | None) -> Range | None:
    """A rate from the alert log; None if it has none, or if its clock is too coarse."""
    if rate is None:
        return None
    source = f"alert log, {len(rate.of)} recover{'y' if len(rate.of) == 1 else 'ies'}"
    if rate.value is None:
        if default is not None and rate.low > default.high:
            return Range(rate.low, rate.low, rate.low, default.label, f"{source}: at least")
        return None
    high = rate.high if rate.high is not None else rate.value * 2
    return Range(rate.value, rate.low, high, "per second", source)


def _spread(value: float, seconds: list[float], step: float, label: str, source: str) -> Range:
    """Times of a log; begin and end are as exact as the resolution of its clock."""
    return Range(value, max(0.0, min(seconds) - step), max(seconds) + step, label, source)


def _start(
    facts: Mapping[str, Fact], log: Episodes | None, passes_s: float
) -> tuple[Range, Range, str]:
    """Start-up and opening of the files, from the best source.

    In this order: the starts in an alert log; the MTTR Advisory, which has the sum; ESTIMATED_MTTR
    minus ``passes_s``; the example in Fast-Start Checkpointing Best Practices.
    """
    if log is not None:
        numbers = range(len(log.starts))
        known = judge.offsets(log)
        inits = [s for n in numbers if (s := judge.init_s(n, log)) is not None]
        opens = [s for n in numbers if (s := judge.open_s(n, log)) is not None]
        if known.init_s is not None and known.open_s is not None:
            source = f"alert log, median of {len(inits)}"
            return (
                _spread(known.init_s, inits, log.log.resolution_s, "s of start-up", source),
                _spread(known.open_s, opens, log.log.resolution_s, "s of opening", source), "",
            )  # fmt: skip
    files = facts["checkpoint.datafiles"].number
    count = files if files is not None else defaults.DATAFILES
    opening = defaults.FILE_OPEN_S.scaled(count, "s of opening")
    formula = f"{count:,.0f} files × {defaults.FILE_OPEN_S.value * 1e6:,.0f} us"
    fixed = facts["checkpoint.fixed_mttr_s"].number
    if fixed is not None and fixed > 0:
        source = "MTTR Advisory: the estimate for 0 dirty blocks"
        opening = _at_most(opening, fixed)
        rest = fixed - opening.value
        return Range(rest, 0.0, fixed, "s of start-up", source), opening, formula
    estimate = facts["checkpoint.estimated_mttr_s"].number
    if not estimate:
        return defaults.STARTUP_S, opening, formula
    left = max(0.0, estimate - passes_s)
    opening = _at_most(opening, left)
    startup = _at_most(defaults.STARTUP_S, max(0.0, left - opening.value))
    source = f"{startup.source}; limited by ESTIMATED_MTTR ({estimate:.0f} s)"
    low = min(startup.low, startup.value / 2)
    return startup._replace(low=low, high=left, source=source), opening, formula


def _at_most(seconds: Range, bound: float) -> Range:
    """A time, limited to the time left for it."""
    value, low, high = (min(each, bound) for each in seconds[:3])
    return seconds._replace(value=value, low=low, high=high)
