"""What another recovery target costs in writes: a curve through reported or published points.

Reported points come from the MTTR Advisory (V$MTTR_TARGET_ADVICE) and describe the report's own
load. Without it, the writes are simulated (awrlens.simulate.sweep). Table 1 of Fast-Start
Checkpointing Best Practices is a high-volume OLTP load on a cluster of two nodes: it shows how the
cost grows, and what throughput a target cost there; it is not used outside its range.

Between points the curve is the monotone cubic of Fritsch and Carlson (1980), known as PCHIP: it
passes through every point, rises and falls only where the points do, and stays within the range of
its neighbours. Outside the points it keeps the value of the nearest end; nothing is extrapolated.

The paper's table and text do not agree in all parts:

- "Only 6 % throughput degradation" is 5.5 % of the throughput without fast-start checkpointing
  (222 of 235) and 6.3 % of the best (222 of 237).
- By the text, ESTIMATED_MTTR contains start-up and opening of the files. Both are constant, so it
  should exceed the measured recovery by the same time in every row. It exceeds it by 630, 216, 175,
  131, 77, 41, 17 and 2 s: the estimate is too high if there is much to recover. It is an upper
  limit of what recovery would take now.
- A target of 30 is reset to 71, "the lowest that can be achieved"; the row of that target has an
  estimate of 61 s.
- A target of 900 has an estimate of 360: redo log size or read time limits it ("Upper Bound on
  MTTR").
- The legend of figure 2 calls the line without fast-start checkpointing the more linear one; the
  text says that fast-start checkpointing is smoother.
"""

from __future__ import annotations

from bisect import bisect_right
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from awrlens.policy import cite
from awrlens.records import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from awrlens.model import Evidence, Fact
    from awrlens.simulate.sweep import System

#: Throughput losses above the table's own resolution, about one transaction in 237, are shown.
_WORTH_A_WORD_PCT: Final = 0.5
#: How values between points are calculated, as shown to the user.
METHOD: Final = "monotone cubic (Fritsch-Carlson)"
#: The source of reported points.
ADVISORY: Final = "MTTR Advisory of the report (V$MTTR_TARGET_ADVICE)"
_TEST: Final = "Fast-Start Checkpointing Best Practices, table 1"


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
    Measured(0, 0, 1270, 640, 235, 358),
    Measured(900, 900, 360, 144, 236, 596),
    Measured(300, 300, 298, 123, 237, 626),
    Measured(240, 240, 235, 104, 236, 676),
    Measured(180, 180, 174, 97, 236, 722),
    Measured(120, 120, 112, 71, 233, 820),
    Measured(90, 90, 81, 64, 229, 894),
    Measured(30, 71, 61, 59, 222, 1145),
)
#: The row without fast-start checkpointing, the baseline of all losses.
OFF: Final = TABLE_1[0]


class Curve:
    """A monotone cubic through points; outside them, the value of the nearest end."""

    def __init__(self, points: Iterable[tuple[float, float]]) -> None:
        """Sort the points by their first coordinate; ValueError if two have the same one."""
        self.points = tuple(sorted(points))
        self._xs = [x for x, _ in self.points]
        if not self.points or len(set(self._xs)) < len(self._xs):
            raise ValueError("a curve needs points with different first coordinates")
        self._slopes = _slopes(self.points)

    def at(self, x: float) -> float:
        """The curve's value."""
        if x <= self._xs[0]:
            return self.points[0][1]
        if x >= self._xs[-1]:
            return self.points[-1][1]
        index = bisect_right(self._xs, x) - 1
        (x0, y0), (x1, y1) = self.points[index], self.points[index + 1]
        width = x1 - x0
        t = (x - x0) / width
        rise = y1 - y0
        # the cubic of Hermite in powers of t, written around y0 so that y0 stays exact
        begin, end = self._slopes[index] * width, self._slopes[index + 1] * width
        return y0 + t * (begin + t * ((3 * rise - 2 * begin - end) + t * (begin + end - 2 * rise)))


def _slopes(points: tuple[tuple[float, float], ...]) -> list[float]:
    """Slope at every point: 0 at a turn, else the harmonic mean of both sides by their widths."""
    widths = [x1 - x0 for (x0, _), (x1, _) in pairwise(points)]
    sides = [(y1 - y0) / (x1 - x0) for (x0, y0), (x1, y1) in pairwise(points)]
    if len(sides) < 2:  # noqa: PLR2004 - a straight line, or one point
        return sides * 2 or [0.0]
    inner = []
    for (h0, h1), (d0, d1) in zip(pairwise(widths), pairwise(sides), strict=True):
        if d0 * d1 <= 0:
            inner.append(0.0)
            continue
        w0, w1 = 2 * h1 + h0, h1 + 2 * h0
        inner.append((w0 + w1) / (w0 / d0 + w1 / d1))
    return [
        _end_slope(widths[0], widths[1], sides[0], sides[1]),
        *inner,
        _end_slope(widths[-1], widths[-2], sides[-1], sides[-2]),
    ]


def _end_slope(h0: float, h1: float, d0: float, d1: float) -> float:
    """Slope at an end from three points, limited so that the curve stays monotone."""
    slope = ((2 * h0 + h1) * d0 - h0 * d1) / (h0 + h1)
    if slope * d0 <= 0:
        return 0.0
    if d0 * d1 <= 0 and abs(slope) > 3 * abs(d0):
        return 3 * d0
    return slope


_SET: Final = [row for row in TABLE_1 if row.target_s]
#: The paper's writes per second by the target in effect.
BY_TARGET: Final = Curve((row.in_force_s, row.writes_per_s) for row in _SET)
#: The paper's transactions per second by the target in effect.
THROUGHPUT: Final = Curve((row.in_force_s, row.throughput_tps) for row in _SET)


def throughput_loss_pct(target_s: float) -> float:
    """Throughput lost with a target in the paper's test; 0 if it lost none, or was not tested."""
    if target_s < THROUGHPUT.points[0][0]:
        return 0.0
    return max(0.0, 100 - THROUGHPUT.at(target_s) * 100 / OFF.throughput_tps)


class Price(NamedTuple):
    """What a target costs: writes of DBWR in addition to those of now, and throughput."""

    factor: float
    extra_writes_per_s: float | None
    throughput_loss_pct: float
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
    own = advisory(facts)
    now = facts["checkpoint.advised_now_s"].number
    if own is not None and now:
        return _advised(facts, own, now, target_s)
    estimate = facts["checkpoint.estimated_mttr_high_s"].number
    rate = facts["checkpoint.cache_writes_per_s"].number
    if rate is None:
        rate = facts["load.physical_writes_per_s"].number
    if estimate is None:
        return None
    if estimate <= target_s:
        why = (
            f"A target of {target_s:.0f} s costs no additional writes under this load: the "
            "estimated recovery time is already lower."
        )
        return Price(1.0, 0.0, 0.0, advised=False, why=cite(why))
    found = simulated(facts, target_s)
    if found is None:
        return None
    factor, low, high = found
    extra = None if rate is None else rate * (factor - 1)
    why = (
        "The MTTR Advisory is not in the report. In a simulation of this load "
        f"(docs/simulation.md), a target of {target_s:.0f} s multiplies the writes from the buffer "
        f"cache by {factor:.2f} ({low:.2f} to {high:.2f})"
        + (f", {_more(extra, rate)}." if extra is not None and rate else ".")
    )
    return Price(factor, extra, 0.0, advised=False, why=cite(why))


def simulated(facts: Mapping[str, Fact], target_s: float) -> tuple[float, float, float] | None:
    """Writes at a target compared with now, and their range; None without redo or writes."""
    from awrlens.simulate import of_report, sweep  # noqa: PLC0415 - only without MTTR Advisory

    present = of_report.writes_per_s(facts) or 1.0
    found = [max(1.0, sweep.factor(each, present, sweep.at(each, target_s)))
             for each in _systems(facts)]  # fmt: skip
    return (found[0], min(found), max(found)) if found else None


def _systems(facts: Mapping[str, Fact]) -> tuple[System, ...]:
    """The load of a report with the usual, least and most exponent; empty without redo or writes.

    DBWR's capacity does not matter for the writes that a target needs.
    """
    from awrlens.errors import UsageError  # noqa: PLC0415 - only for a simulation
    from awrlens.simulate import load, of_report  # noqa: PLC0415

    found = []
    try:
        for exponent in (load.EXPONENT, load.LEAST_EXPONENT, load.MOST_EXPONENT):
            preset = of_report.of_report(facts, "the report", None, exponent)
            system = of_report.system_of(facts, preset)
            found.append(system._replace(rates=system.rates._replace(writes_per_s=None)))
    except UsageError:
        return ()
    return tuple(found)


def advised(
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


def _advised(facts: Mapping[str, Fact], own: Curve, now: float, target_s: float) -> Price:
    """The cost of a target by the report's own advisory."""
    ends = own.points[0][0], own.points[-1][0]
    inside = ends[0] <= target_s <= ends[1]
    factor, low, high = advised(own, now, target_s, () if inside else _systems(facts))
    rate = facts["checkpoint.cache_writes_per_s"].number
    extra = None if rate is None else rate * (factor - 1)
    beyond = "" if inside else " (continued by simulation)"
    span = f" ({low:.2f} to {high:.2f})" if low < high else ""
    loss = throughput_loss_pct(target_s)
    why = (
        f"MTTR Advisory{beyond}: a target of {target_s:.0f} s multiplies the writes from the "
        f"buffer cache by {factor:.2f}{span}"
        + (f", {_more(extra, rate)}{_in_all(facts, extra)}." if extra is not None and rate else ".")
    )
    if factor > 1 and loss >= _WORTH_A_WORD_PCT:
        why += (
            f" In Oracle's test ({_TEST}), a target of {target_s:.0f} s cost {loss:.1f} % of the "
            "throughput."
        )
    return Price(factor, extra, loss, advised=True, why=cite(why))


def _in_all(facts: Mapping[str, Fact], extra: float) -> str:
    """The share of all physical writes, including those that bypass the cache."""
    total = facts["load.physical_writes_per_s"].number
    if not total or extra < 1:
        return ""
    return f" ({extra * 100 / total:.0f} % of all {total:,.0f} physical writes)"


def _more(extra: float, rate: float) -> str:
    word = "more" if extra >= 0 else "fewer"
    if abs(extra) < 1:  # less than one write per second is not significant
        return f"as many writes as now ({rate:,.0f} per second)"
    return f"{abs(extra):,.0f} {word} writes per second than the {rate:,.0f} of this report"
