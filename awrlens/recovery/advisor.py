"""The MTTR advisor: for any report, what every recovery target costs, and whether DBWR can bear it.

The writes are the report's own MTTR Advisory (V$MTTR_TARGET_ADVICE) where it is printed. Otherwise,
and outside its rows, they are those of the simulated checkpoint queue (awrlens.simulate.sweep).
DBWR's capacity is given by the caller, or it is what DBWR wrote divided by its busy share.
"""

from __future__ import annotations

from math import ceil, exp
from typing import TYPE_CHECKING, Final

from awrlens.advice import write_cost
from awrlens.policy import Threshold, cite
from awrlens.recovery import advisor_limits, amounts, judge
from awrlens.recovery.advisor_values import Advice, Asked, Capacity, Row, capacity_of
from awrlens.simulate import cache, sweep
from awrlens.simulate.load import EXPONENT, LEAST_EXPONENT, MOST_EXPONENT
from awrlens.simulate.report_load import DBWR_LEAST_BUSY_PCT, of_report, system_of, writes_per_s
from awrlens.units import plain

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from awrlens.advice.write_cost import Curve
    from awrlens.model import Fact
    from awrlens.model.mttr_document import Bears, FixedBy, Origin
    from awrlens.policy import Policy
    from awrlens.recovery.episodes import Episodes
    from awrlens.simulate.sweep import System

DBWR_BUSY_PCT = Threshold(
    "recovery.dbwr_busy_pct", 70.0, "%",
    "share of its capacity above which DBWR has little left for peaks",
    "awrlens: in a queue with one server, requests take 3.3 times as long at 70 % and 10 times as "
    "long at 90 % (M/M/1)",
)  # fmt: skip
THRESHOLDS: Final = (DBWR_BUSY_PCT, DBWR_LEAST_BUSY_PCT)
_MB: Final = 2**20
#: Targets of the table, as far as they have an effect, and the maximum of the parameter.
_TARGETS: Final = (15, 30, 60, 90, 120, 180, 300, 600, 900, 1800, 3600)
_HIGHEST_S: Final = 3600
_WHOLE_PCT: Final = 100


def advise(
    facts: Mapping[str, Fact], name: str, block_bytes: int | None, asked: Asked, policy: Policy
) -> Advice:
    """The targets of a report, the strictest first; UsageError without redo and writes."""
    system, assumed = _system(facts, name, block_bytes, asked, policy, EXPONENT)
    spread = [_system(facts, name, block_bytes, asked, policy, exponent)[0]
              for exponent in (LEAST_EXPONENT, MOST_EXPONENT)]  # fmt: skip
    own = write_cost.advisory(facts)
    now = facts["checkpoint.advised_now_s"].number
    present = writes_per_s(facts) or 0.0
    capacity = capacity_of(facts, asked, policy)
    fixed_by = _fixed_by(facts, asked, system)
    values = _assumed(fixed_by, system, facts)

    def row(target_s: float) -> Row:
        factor, low, high, origin = _factor((system, *spread), present, target_s, own, now)
        writes = present * factor
        busy = None if not capacity.writes_per_s else 100 * writes / capacity.writes_per_s
        bears = _bears(busy, policy[DBWR_BUSY_PCT])
        least = capacity.least_per_s
        if least and 100 * writes / least <= policy[DBWR_BUSY_PCT]:
            bears = "yes"
        found = Row(sweep.at(system, target_s), factor, min(low, high), max(low, high), origin,
                    writes, busy, bears, values)  # fmt: skip
        return found._replace(bears="tune first") if asked.slow and found.more else found

    targets = _targets(system, facts, asked, least_s=_least(system, own, fixed_by))
    rows = [row(target_s) for target_s in targets]
    startup_s, file_open_s = _fixed(asked)
    notes = (*_estimates(facts), *_notes(facts, system, asked, capacity, present), assumed)
    return Advice(
        name=name,
        source=f"{write_cost.ADVISORY}, outside its rows simulated"
        if own
        else "simulated checkpoint queue with the load of the report (docs/simulation.md)",
        rows=tuple(rows),
        strictest_s=_strictest(row, rows, _least(system, own, fixed_by)),
        capacity=capacity,
        limits=tuple(advisor_limits.limits(system, facts, asked)),
        startup_s=startup_s,
        file_open_s=file_open_s,
        fixed_s=system.rates.fixed_s,
        fixed_by=fixed_by,
        fixed_most_s=facts["checkpoint.estimated_mttr_low_s"].number
        if fixed_by in ("estimated", "not known")
        else None,
        rac=asked.rac,
        block_ms=1000 * (system.rates.estimate_block_s or 0.0),
        read_mb_per_s=system.rates.scan_bytes_per_s / _MB,
        present_writes_per_s=present,
        notes=tuple(cite(each) for each in notes),
        slow=asked.slow,
        enlarged=asked.enlarged,
    )


def _least(system: System, own: Curve | None, fixed_by: FixedBy) -> int:
    """The lowest target of the table.

    Without start-up, the lowest achievable one is not known: then that of the MTTR Advisory, or the
    lowest usual one.
    """
    lowest = ceil(cache.lowest_target_s(system.load, system.rates))
    if fixed_by not in ("not included", "not known"):
        return lowest
    return max(lowest, ceil(own.points[0][0]) if own else _TARGETS[0])


def _assumed(fixed_by: FixedBy, system: System, facts: Mapping[str, Fact]) -> str:
    """The values of the recovery time if the report has no estimate of it; else empty."""
    if fixed_by != "assumed":
        return ""
    block_ms = 1000 * (system.rates.estimate_block_s or 0.0)
    lag = ""
    if not facts["checkpoint.actual_redo_blocks"].number:
        lag = f", {(system.load.lag_bytes or 0.0) / _MB:,.0f} MB of redo after the checkpoint"
    return (
        f"{system.rates.fixed_s:.0f} s for start-up and opening of the files, "
        f"{plain(block_ms, 2)} ms per dirty block{lag}"
    )


def _strictest(row: Callable[[float], Row], rows: list[Row], least_s: int) -> int | None:
    """The strictest target, in seconds, that DBWR bears; None if its capacity is not known."""
    if rows[0].bears == "not known":
        return None
    if rows[0].bears == "yes":
        return max(round(rows[0].state.target_s), least_s)
    borne = next((each for each in rows if each.state.target_s and each.bears == "yes"), None)
    if borne is None:
        return None
    low, high = round(rows[0].state.target_s), round(borne.state.target_s)
    while high - low > 1:
        middle = (low + high) // 2
        if row(middle).bears == "yes":
            high = middle
        else:
            low = middle
    return high


def _system(
    facts: Mapping[str, Fact],
    name: str,
    block_bytes: int | None,
    asked: Asked,
    policy: Policy,
    exponent: float,
) -> tuple[System, str]:
    """The load of the report, with times and rates of the caller and of the alert log."""
    preset = of_report(facts, name, block_bytes, exponent, _sum(_fixed(asked)))
    found = system_of(facts, preset)
    rates = found.rates
    if asked.log is not None:
        measured = amounts.rates(asked.log)
        scan, blocks = measured["scan_bytes"], measured["apply_blocks"]
        if scan is not None and scan.value is not None:
            rates = rates._replace(scan_bytes_per_s=scan.value)
        if blocks is not None and blocks.value is not None:
            rates = rates._replace(estimate_block_s=1 / blocks.value)
    return found._replace(
        rates=rates._replace(writes_per_s=capacity_of(facts, asked, policy).writes_per_s)
    ), preset.note


def _fixed(asked: Asked) -> tuple[float | None, float | None]:
    """Start-up and opening as given, or from the starts of the alert log."""
    known = judge.offsets(asked.log) if asked.log is not None else judge.Offsets(None, None)
    return (
        known.init_s if asked.startup_s is None else asked.startup_s,
        known.open_s if asked.file_open_s is None else asked.file_open_s,
    )


def _fixed_by(facts: Mapping[str, Fact], asked: Asked, system: System) -> FixedBy:
    """Where start-up and opening come from."""
    if asked.startup_s is not None and asked.file_open_s is not None:
        return "given"
    if _sum(_fixed(asked)) is not None:
        return "alert log"
    if facts["checkpoint.mttr_per_block_ms"].number is not None:
        return "MTTR Advisory" if system.rates.fixed_s else "not included"
    if not system.rates.fixed_s:
        return "not known"
    return "estimated" if facts["checkpoint.estimated_mttr_s"].number else "assumed"


def _sum(parts: tuple[float | None, float | None]) -> float | None:
    """The sum; None if a part is not known."""
    startup_s, open_s = parts
    return None if startup_s is None or open_s is None else startup_s + open_s


def _targets(system: System, facts: Mapping[str, Fact], asked: Asked, least_s: int) -> list[float]:
    """Targets between the lowest and the highest with an effect, and the requested ones.

    0 is none. If the target in force drives the checkpoints, the report does not show what they
    would be without it.
    """
    highest = sweep.at(system, _HIGHEST_S)
    top = _HIGHEST_S if highest.limit == sweep.TARGET else ceil(highest.recovery_s)
    own = write_cost.advisory(facts)
    found = {float(each) for each in (least_s, *_TARGETS) if least_s <= each < top}
    found |= {target_s for target_s, _ in own.points} if own else set()
    kept = facts["checkpoint.target_mttr_s"].number
    found |= {float(each) for each in (asked.target_s, kept) if each}
    if own is None:
        found.add(float(min(max(top, least_s), _HIGHEST_S)))
    drives = kept and facts["checkpoint.main_cause"].value == "mttr"
    return sorted(found) if drives else [*sorted(found), 0.0]


def _factor(
    systems: tuple[System, ...], present: float, target_s: float, own: Curve | None,
    now: float | None,
) -> tuple[float, float, float, Origin]:  # fmt: skip
    """Writes compared with now: by the MTTR Advisory, between its rows, or simulated."""
    if own is not None and now is not None and target_s:
        found = write_cost.by_advisory(own, now, target_s, systems)
        printed = target_s in {each for each, _ in own.points}
        inside = own.points[0][0] <= target_s <= own.points[-1][0]
        origin: Origin = "advisory" if printed else "interpolated" if inside else "simulated"
        return *found, origin
    middle, low, high = (sweep.factor(each, present, sweep.at(each, target_s)) for each in systems)
    return middle, low, high, "simulated"


def _bears(busy: float | None, most: float) -> Bears:
    if busy is None:
        return "not known"
    return "yes" if busy <= most else "tight" if busy <= _WHOLE_PCT else "no"


def _estimates(facts: Mapping[str, Fact]) -> Iterator[str]:
    """Oracle's own estimates at the snapshots, or why they are not used."""
    low, high = (facts[f"checkpoint.estimated_mttr_{end}_s"].number for end in ("low", "high"))
    if not low or high is None:
        why = facts["checkpoint.estimated_mttr_s"].note
        yield f"No estimate of Oracle is used for the recovery time: {why}."
        return
    span = f"{low:.0f} s" if low == high else f"{low:.0f} to {high:.0f} s"
    yield (
        f"Oracle's own estimate at the snapshots is {span}; the table is for the average load of "
        "the interval, in proportion to it."
    )


def _notes(
    facts: Mapping[str, Fact], system: System, asked: Asked, capacity: Capacity, present: float
) -> Iterator[str]:
    if asked.log is not None:
        yield _learned(asked.log)
    elif asked.startup_s is None:
        yield (
            "Start-up, opening and the rate of reading are exact with the alert log (--alert-log) "
            "or the spool of `awrlens sql recovery` (--from)."
        )
    if capacity.writes_per_s is not None and asked.write_capacity is None:
        yield (
            f"The report shows {present:,.0f} blocks per second; what is above it is extrapolated. "
            "Give a measured capacity with --write-capacity."
        )
    yield (
        "Recovery times are for the average load of the interval, with every data block read at "
        "the time in Oracle's estimate. `awrlens recovery predict` is for a crash at the end "
        "snapshot, with its redo at measured or published rates, so its time differs."
    )
    yield _smoothness(facts, system, capacity)


def _smoothness(facts: Mapping[str, Fact], system: System, capacity: Capacity) -> str:
    """How uneven the writes are now, and how uneven checkpoints at log switches would be.

    A checkpoint at every log switch writes what became dirty since the one before, as fast as DBWR
    can; with a target the same queue is written evenly.
    """
    load = system.load
    minutes = facts["redo.minutes_per_switch"].number
    cycle_s = minutes * 60 if minutes else load.log_bytes / load.redo_bytes_per_s
    dirty = load.new_blocks_per_s * cycle_s + sum(
        n * (1 - exp(-each * cycle_s)) for n, each in load.kinds
    )
    bulk = facts["checkpoint.thread_write_pct"].number
    seen = "" if bulk is None else f" Now {bulk:.0f} % of the blocks are written at log switches."
    burst = ""
    if capacity.writes_per_s:
        burst = f", {dirty / capacity.writes_per_s:,.1f} s of DBWR's whole capacity"
    return (
        f"Smoothness: checkpoints only at log switches would write {dirty:,.0f} blocks in bulk "
        f"every {cycle_s:,.0f} s{burst}; a target writes them evenly.{seen}"
    )


def _learned(log: Episodes) -> str:
    """Which rates come from the alert log, and how far the last recovery moved them."""
    found = amounts.rates(log)["scan_bytes"]
    number = len(log.recoveries)
    if found is None or found.value is None:
        return "The alert log has no recovery with both redo and time: rates are published values."
    text = (
        f"Rates are those of {len(found.of)} of {number} recoveries in the alert log, weighted by "
        "their redo"
    )
    moved = amounts.moved_pct(log)
    if moved is None:
        return f"{text}. One is few: the paper measures three or four."
    return f"{text}; the last one changed the rate of reading by {moved:.0f} %."
