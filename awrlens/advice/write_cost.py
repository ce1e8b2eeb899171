"""What another recovery target costs in writes, for the load of a report.

By the report's MTTR Advisory (V$MTTR_TARGET_ADVICE), with a curve between its rows. Without it, and
outside its rows, the writes are simulated (awrlens.simulate.sweep).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from awrlens.advice.curve import Curve
from awrlens.advice.table_1 import throughput_loss_pct
from awrlens.records import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from awrlens.model import Evidence, Fact
    from awrlens.simulate.sweep import System

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
    points = dict(_pairs(proof))
    return Curve(points.items()) if len(points) > 1 else None


def _pairs(proof: tuple[Evidence, ...]) -> Iterable[tuple[float, float]]:
    for target, writes in zip(proof[::2], proof[1::2], strict=True):
        if isinstance(target.value, int | float) and isinstance(writes.value, int | float):
            yield float(target.value), float(writes.value)


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
    found = by_simulation(facts, target_s)
    if found is None:
        return None
    factor, low, high = found
    rate = facts["checkpoint.cache_writes_per_s"].number
    if rate is None:
        rate = facts["load.physical_writes_per_s"].number
    extra, more = _more(rate, factor)
    why = (
        "The MTTR Advisory is not in the report. In a simulation of this load "
        f"(docs/simulation.md), a target of {target_s:.0f} s multiplies the writes from the buffer "
        f"cache by {factor:.2f} ({low:.2f} to {high:.2f}){more}."
    )
    return Price(factor, extra, advised=False, why=why)


def _price_by_advisory(facts: Mapping[str, Fact], own: Curve, now: float, target_s: float) -> Price:
    """The cost of a target by the report's own advisory."""
    inside = own.points[0][0] <= target_s <= own.points[-1][0]
    factor, low, high = by_advisory(own, now, target_s, () if inside else _systems(facts))
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
    if rate is None:
        return None, ""
    extra = rate * (factor - 1)
    if not rate:
        return extra, ""
    if abs(extra) < 1:  # less than one write per second is not significant
        return extra, f", as many writes as now ({rate:,.0f} per second)"
    word = "more" if extra >= 0 else "fewer"
    words = f"{abs(extra):,.0f} {word} writes per second than the {rate:,.0f} of this report"
    return extra, f", {words}"


def by_simulation(facts: Mapping[str, Fact], target_s: float) -> tuple[float, float, float] | None:
    """Writes at a target compared with now, and their range; None without redo or writes."""
    from awrlens.simulate import report_load, sweep  # noqa: PLC0415 - only without MTTR Advisory

    present = report_load.writes_per_s(facts) or 1.0
    found = [max(1.0, sweep.factor(each, present, sweep.at(each, target_s)))
             for each in _systems(facts)]  # fmt: skip
    return (found[0], min(found), max(found)) if found else None


def lowest_target(facts: Mapping[str, Fact]) -> tuple[float, float] | None:
    """Start-up with opening, and the lowest achievable target, in the model of a report's load.

    The lowest target is at most the highest estimate of the report.
    """
    systems = _systems(facts)
    if not systems:
        return None
    from awrlens.simulate import cache  # noqa: PLC0415 - only if a recovery time is required

    load, rates = systems[0].load, systems[0].rates
    lowest_s = cache.lowest_target_s(load, rates)
    high_s = facts["checkpoint.estimated_mttr_high_s"].number
    return rates.fixed_s, lowest_s if high_s is None else min(lowest_s, high_s)


def _systems(facts: Mapping[str, Fact]) -> tuple[System, ...]:
    """The load of a report with the usual, least and most exponent; empty without redo or writes.

    DBWR's capacity does not matter for the writes that a target needs.
    """
    from awrlens.errors import UsageError  # noqa: PLC0415 - only for a simulation
    from awrlens.simulate import load, report_load  # noqa: PLC0415

    found = []
    try:
        for exponent in (load.EXPONENT, load.LEAST_EXPONENT, load.MOST_EXPONENT):
            preset = report_load.of_report(facts, "the report", None, exponent)
            system = report_load.system_of(facts, preset)
            found.append(system._replace(rates=system.rates._replace(writes_per_s=None)))
    except UsageError:
        return ()
    return tuple(found)


def by_advisory(
    own: Curve, now: float, target_s: float, systems: tuple[System, ...]
) -> tuple[float, float, float]:
    """Writes compared with now by the MTTR Advisory; outside its rows, continued by simulation.

    ``systems`` have the usual, least and most exponent; without them, the nearest row is used.
    """
    first, last = own.points[0][0], own.points[-1][0]
    if first <= target_s <= last or not systems:
        factor = own.at(target_s) / own.at(now)
        return factor, factor, factor
    from awrlens.simulate import sweep  # noqa: PLC0415 - only outside the rows

    end = first if 0 < target_s < first else last
    found = [own.at(end) / own.at(now) * sweep.ratio(each, target_s, end) for each in systems]
    return found[0], min(found), max(found)
