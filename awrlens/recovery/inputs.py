"""What a prediction computes with: amounts of a report, times and rates of a log or a document."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from awrlens.recovery import amounts, defaults, judge
from awrlens.recovery.defaults import Range
from awrlens.recovery.episodes import REDO_BLOCK_BYTES

if TYPE_CHECKING:
    from collections.abc import Mapping

    from awrlens.model import Fact
    from awrlens.recovery.amounts import Rate
    from awrlens.recovery.episodes import Episodes


class Inputs(NamedTuple):
    """What the model computes with; None is not known."""

    startup: Range
    file_open: Range
    file_open_formula: str
    redo_bytes: Range | None
    blocks: float | None
    scan: Range
    apply: Range
    apply_blocks: Range | None
    reconfiguration: Range | None
    #: ESTIMATED_MTTR, unless an alert log tells how long the second pass takes; and what of it is
    #: start-up and opening, by MTTR Advisory.
    estimate_s: float | None
    fixed_s: float | None
    #: ESTIMATED_MTTR where it bounds start-up, opening and passes together; None where each is
    #: known by itself.
    shared_s: float | None
    why: str = ""


def gather(facts: Mapping[str, Fact], log: Episodes | None) -> Inputs:
    """Amounts of the report, times and rates of the alert log or the documents."""
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
        defaults.between("s of reconfiguration", "alert log", *lengths) if lengths else None,
        None if timed else facts["checkpoint.estimated_mttr_s"].number,
        facts["checkpoint.fixed_mttr_s"].number,
        None if timed or "ESTIMATED_MTTR" not in startup.source
        else facts["checkpoint.estimated_mttr_s"].number,
        facts["checkpoint.actual_redo_blocks"].note,
    )  # fmt: skip


def _redo(facts: Mapping[str, Fact]) -> Range | None:
    """Redo that recovery would read: at the end snapshot, and as far as the limits let it grow."""
    actual = facts["checkpoint.actual_redo_blocks"].number
    if actual is None:
        return None
    bounds = [facts[f"checkpoint.{name}_redo_blocks"].number for name in ("target", "log_size")]
    known = [each for each in bounds if each]
    # the target in force bounds it; where none is printed the smallest log does
    bound = known[0] if known else actual
    blocks = Range(actual, min(actual, bound), max(actual, bound), "", "")
    source = "ACTUAL_REDO_BLKS at the end snapshot, up to TARGET_REDO_BLKS"
    return blocks.scaled(REDO_BLOCK_BYTES, "B of redo")._replace(source=source)


def _redo_before(log: Episodes | None) -> Range | None:
    """Redo of the recoveries in an alert log, where the report does not print Recovery Stats."""
    if log is None:
        return None
    redo = [recovery.redo_kb * 1024 for recovery in log.recoveries if recovery.redo_kb]
    return defaults.between("B of redo", "recoveries in the alert log", *redo) if redo else None


def _measured(rate: Rate | None, default: Range | None) -> Range | None:
    """A rate of the alert log; None where it has none, or none that its clock can tell."""
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
    """Times of a log: a begin and an end are each known to a step of its clock."""
    return Range(value, max(0.0, min(seconds) - step), max(seconds) + step, label, source)


def _start(
    facts: Mapping[str, Fact], log: Episodes | None, passes_s: float
) -> tuple[Range, Range, str]:
    """Start-up and opening of the files, by the best that there is.

    An alert log's starts; MTTR Advisory, which has both together; what ESTIMATED_MTTR leaves when
    the ``passes_s`` are taken off; document 1's example.
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
        source = "MTTR Advisory: what it estimates with no dirty block"
        opening = _at_most(opening, fixed)
        rest = fixed - opening.value
        return Range(rest, 0.0, fixed, "s of start-up", source), opening, formula
    estimate = facts["checkpoint.estimated_mttr_s"].number
    if not estimate:
        return defaults.STARTUP_S, opening, formula
    left = max(0.0, estimate - passes_s)
    opening = _at_most(opening, left)
    startup = _at_most(defaults.STARTUP_S, max(0.0, left - opening.value))
    source = f"{startup.source}; no more than ESTIMATED_MTTR ({estimate:.0f} s) leaves"
    low = min(startup.low, startup.value / 2)
    return startup._replace(low=low, high=left, source=source), opening, formula


def _at_most(seconds: Range, bound: float) -> Range:
    """A time that cannot be longer than what is left for it."""
    value, low, high = (min(each, bound) for each in seconds[:3])
    return seconds._replace(value=value, low=low, high=high)
