"""What another recovery target costs in writes, for the load of a report.

By the report's MTTR Advisory (V$MTTR_TARGET_ADVICE), with straight lines between its rows: writes
fall ever more slowly with the target, so a line rather shows too many. Without the advisory, and
outside its rows, the writes are simulated (awrlens.advice.write_model).

Table 1 of Fast-Start Checkpointing Best Practices, a high-volume OLTP load on a cluster of two
nodes, shows how the cost grows, and what throughput a target cost there. It is not used outside its
range. docs/simulation.md lists where table and text of the paper do not agree.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from awrlens.advice import load_model, write_model
from awrlens.advice.load_model import Curve
from awrlens.errors import UsageError
from awrlens.lazy import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

    from awrlens.advice.write_model import System
    from awrlens.model import Fact


class Measured(NamedTuple):
    """A row of the paper's table 1; ``in_force_s`` is the target that Oracle uses."""

    target_s: int
    in_force_s: int
    estimated_mttr_s: int
    recovery_s: int
    throughput_tps: int
    writes_per_s: int


#: # Fast-Start Checkpointing Best Practices, table 1; target 0 is off, 30 was reset to 71
TABLE_1: Final = (
    Measured(0, 0, 1270, 640, 235, 358), Measured(900, 900, 360, 144, 236, 596),
    Measured(300, 300, 298, 123, 237, 626), Measured(240, 240, 235, 104, 236, 676),
    Measured(180, 180, 174, 97, 236, 722), Measured(120, 120, 112, 71, 233, 820),
    Measured(90, 90, 81, 64, 229, 894), Measured(30, 71, 61, 59, 222, 1145),
)  # fmt: skip
#: The row without fast-start checkpointing, the baseline of all losses.
OFF: Final = TABLE_1[0]
#: Transactions per second by the target in effect.
THROUGHPUT: Final = Curve((row.in_force_s, row.throughput_tps) for row in TABLE_1 if row.target_s)


def throughput_loss_pct(target_s: float) -> float:
    """Throughput lost with a target in the test; 0 if it lost none, or was not tested."""
    if target_s < THROUGHPUT.points[0][0]:
        return 0.0
    return max(0.0, 100 - THROUGHPUT.at(target_s) * 100 / OFF.throughput_tps)


#: The source of the points of a report.
ADVISORY: Final = "MTTR Advisory of the report (V$MTTR_TARGET_ADVICE)"
_TEST: Final = "Fast-Start Checkpointing Best Practices, table 1"
#: Throughput losses above the table's own resolution, about one transaction in 237, are shown.
_WORTH_A_WORD_PCT: Final = 0.5


class Price(NamedTuple):
    """What a target costs: writes of DBWR compared with those of now."""

    factor: float
    extra_writes_per_s: float | None
    advised: bool
    why: str


def advisory(facts: Mapping[str, Fact]) -> Curve | None:
    """Writes from the buffer cache by target, from the MTTR Advisory; None without it."""
    proof = facts["checkpoint.advised_writes"].evidence
    points = {
        float(target.value): float(writes.value)
        for target, writes in zip(proof[::2], proof[1::2], strict=True)
        if isinstance(target.value, int | float) and isinstance(writes.value, int | float)
    }
    return Curve(points.items()) if len(points) > 1 else None


def price(facts: Mapping[str, Fact], target_s: float) -> Price | None:
    """The cost of a target in this report; None if the present recovery time is not known."""
    own, now = advisory(facts), facts["checkpoint.advised_now_s"].number
    if own is not None and now:
        return _price_by_advisory(facts, own, now, target_s)
    estimate = facts["checkpoint.estimated_mttr_high_s"].number
    if estimate is None:
        return None
    if estimate <= target_s:
        why = (
            f"A target of {target_s:.0f} s costs no additional writes under this load: the "
            "estimated recovery time is already lower."
        )
        return Price(1.0, 0.0, advised=False, why=why)
    if (simulated := by_simulation(facts, target_s)) is None:
        return None
    factor, low, high = simulated
    rate = facts["checkpoint.cache_writes_per_s"].number
    if rate is None:
        rate = facts["load.physical_writes_per_s"].number
    extra, more = _more(rate, factor)
    why = (
        "The MTTR Advisory is not in the report. In a simulation of this load, "
        f"a target of {target_s:.0f} s multiplies the writes from the buffer "
        f"cache by {factor:.2f} ({low:.2f} to {high:.2f}){more}."
    )
    return Price(factor, extra, advised=False, why=why)


def _price_by_advisory(
    facts: Mapping[str, Fact], own: Curve, now: float, target_s: float
) -> Price | None:
    inside = own.points[0][0] <= target_s <= own.points[-1][0]
    simulated = () if inside else systems(facts)
    if not inside and not simulated:
        return None
    factor, low, high = by_advisory(own, now, target_s, simulated)
    extra, more = _more(facts["checkpoint.cache_writes_per_s"].number, factor)
    total = facts["load.physical_writes_per_s"].number
    if more and total and extra is not None and extra >= 1:  # including those that bypass the cache
        more += f" ({extra * 100 / total:.0f} % of all {total:,.0f} physical writes)"
    beyond = "" if inside else " (continued by simulation)"
    span = f" ({low:.2f} to {high:.2f})" if low < high else ""
    loss = throughput_loss_pct(target_s)
    why = (
        f"MTTR Advisory{beyond}: a target of {target_s:.0f} s multiplies the writes from the "
        f"buffer cache by {factor:.2f}{span}{more}."
    )
    if factor > 1 and loss >= _WORTH_A_WORD_PCT:
        why += (
            f" In Oracle's test ({_TEST}), a target of {target_s:.0f} s cost {loss:.1f} % of the "
            "throughput."
        )
    return Price(factor, extra, advised=True, why=why)


def _more(rate: float | None, factor: float) -> tuple[float | None, str]:
    """Additional writes per second at a factor of the present rate, and in words."""
    extra = None if rate is None else rate * (factor - 1)
    if not rate or extra is None:
        return extra, ""
    if abs(extra) < 1:  # less than one write per second is not significant
        return extra, f", as many writes as now ({rate:,.0f} per second)"
    word = "more" if extra >= 0 else "fewer"
    words = f"{abs(extra):,.0f} {word} writes per second than the {rate:,.0f} of this report"
    return extra, f", {words}"


def by_simulation(facts: Mapping[str, Fact], target_s: float) -> tuple[float, float, float] | None:
    """Writes at a target compared with now, and their range; None without redo or writes."""
    present = write_model.writes_per_s(facts) or 1.0
    factors = [max(1.0, write_model.factor(system, present, write_model.at(system, target_s)))
               for system in systems(facts)]  # fmt: skip
    return (factors[0], min(factors), max(factors)) if factors else None


def lowest_target_s(facts: Mapping[str, Fact]) -> float | None:
    """The lowest achievable target in the model of a report's load; None without redo or writes.

    If start-up and opening are not known, they are not part of it.
    """
    variants = systems(facts)
    return write_model.lowest_target_s(variants[0].load, variants[0].rates) if variants else None


def systems(facts: Mapping[str, Fact]) -> tuple[System, ...]:
    """A report's load with the usual, least and most exponent; empty without redo or writes."""
    exponents = (load_model.EXPONENT, load_model.LEAST_EXPONENT, load_model.MOST_EXPONENT)
    try:
        presets = [write_model.of_report(facts, "the report", None, power) for power in exponents]
    except UsageError:
        return ()
    return tuple(write_model.system_of(facts, preset) for preset in presets)


def by_advisory(
    own: Curve, now: float, target_s: float, systems: tuple[System, ...]
) -> tuple[float, float, float]:
    """Writes compared with now by the MTTR Advisory; outside its rows, continued by simulation.

    ``systems`` have the usual, least and most exponent.
    """
    first, last = own.points[0][0], own.points[-1][0]
    if first <= target_s <= last:
        factor = own.at(target_s) / own.at(now)
        return factor, factor, factor
    end = first if 0 < target_s < first else last
    needed = [[write_model.at(model, x).writes_per_s for x in (target_s, end)] for model in systems]
    factors = [own.at(end) / own.at(now) * writes / at_end for writes, at_end in needed]
    return factors[0], min(factors), max(factors)
