"""Fits the `oltp` preset of `recovery simulate` to published measurements and prints the errors.

The measurements are table 1 of "Fast-Start Checkpointing Best Practices".

Seven numbers are fitted to five rows; the rows for 300, 180 and 90 are only compared. The formulas
are the steady state of the simulation: a dirty block is written at an age that follows from the
recovery target or the redo log size. ``python tools/fit_table1.py`` takes about one minute.
``--cross-validate`` fits to all rows but one, eight times, and prints what is predicted for the row
that is left out; this takes about five minutes.
"""

from __future__ import annotations

import sys
from math import exp, inf, log
from typing import TYPE_CHECKING, Final, NamedTuple

from awrlens.advice.load_model import Load
from awrlens.advice.write_cost import TABLE_1
from awrlens.lab.simulated_instance import zipf
from awrlens.oracle.checkpoints import LEAST_DIRTY_BLOCKS, SMALLEST

if TYPE_CHECKING:
    from collections.abc import Callable

FITTED: Final = (0, 900, 240, 120, 30)
#: Seconds of redo in 90 % of a redo log, and number of redo logs. The first is only a time scale:
#: with another value, the fit is equally good with proportionally more blocks. Of 4, 6, 7 and 8
#: redo logs, 7 fit best.
AGE_OF_LOG_S: Final = 100.0
LOGS: Final = 7
#: Estimates count less than measurements.
ESTIMATE_WEIGHT: Final = 0.3
_STEPS: Final = 1500
_HALVINGS: Final = 50
Point = list[float]


class Fit(NamedTuple):
    """The seven numbers; times are per second of redo or per block."""

    blocks: float
    exponent: float
    changes_per_s: float
    estimate_redo_s: float
    estimate_block_s: float
    constant_s: float
    recovery_redo_s: float


class Steady(NamedTuple):
    """The steady state for a target."""

    estimated_mttr_s: float
    recovery_s: float
    writes_per_s: float


def steady(fit: Fit) -> dict[int, Steady]:
    """The rows of the table by target."""
    kinds = zipf(fit.blocks, fit.exponent, fit.changes_per_s)
    load = Load(
        1.0, kinds, cache_blocks=10**9, log_bytes=AGE_OF_LOG_S / SMALLEST.share, log_groups=LOGS
    )
    least_s = load.age_s(LEAST_DIRTY_BLOCKS)

    def growing_s(age_s: float) -> float:
        dirty = load.block_writes_per_s(age_s) * age_s
        return age_s * fit.estimate_redo_s + dirty * fit.estimate_block_s

    fixed_s = 71 - growing_s(least_s)  # startup and opening: 71 is the lowest target
    found = {}
    for row in TABLE_1:
        age_s = (LOGS - 1) * load.log_bytes
        if row.target_s:
            low, age_s = least_s, AGE_OF_LOG_S
            for _ in range(_HALVINGS):
                middle = (low + age_s) / 2
                if fixed_s + growing_s(middle) > row.in_force_s:
                    age_s = middle
                else:
                    low = middle
            if fixed_s + growing_s(AGE_OF_LOG_S) <= row.in_force_s:
                age_s = AGE_OF_LOG_S
        found[row.target_s] = Steady(
            fixed_s + growing_s(age_s),
            fit.constant_s + fit.recovery_redo_s * age_s,
            load.block_writes_per_s(age_s),
        )
    return found


def misfit(point: Point, fitted: tuple[int, ...] = FITTED) -> float:
    """Sum of squares of relative errors over the fitted rows."""
    try:
        found = steady(Fit(*map(exp, point)))
    except (OverflowError, ValueError, ZeroDivisionError):
        return inf
    whole = 0.0
    for row in TABLE_1:
        if row.target_s in fitted:
            got = found[row.target_s]
            whole += log(got.recovery_s / row.recovery_s) ** 2
            whole += log(got.writes_per_s / row.writes_per_s) ** 2
            estimate_s = max(got.estimated_mttr_s, 1.0)
            whole += ESTIMATE_WEIGHT * log(estimate_s / row.estimated_mttr_s) ** 2
    return whole


def smallest(of: Callable[[Point], float], start: Point, step: float) -> Point:
    """The method of Nelder and Mead (1965)."""
    simplex = [start] + [
        [x + (step if n == m else 0.0) for m, x in enumerate(start)] for n in range(len(start))
    ]
    ranked = sorted((of(point), point) for point in simplex)
    for _ in range(_STEPS):
        worst = ranked[-1][1]
        centre = [sum(p[n] for _, p in ranked[:-1]) / len(start) for n in range(len(start))]

        def towards(
            factor: float, centre: Point = centre, worst: Point = worst
        ) -> tuple[float, Point]:
            point = [c + factor * (w - c) for c, w in zip(centre, worst, strict=True)]
            return of(point), point

        new = towards(-1.0)
        if new < ranked[0]:
            new = min(new, towards(-2.0))
        elif new >= ranked[-2]:
            new = towards(0.5)
        if new < ranked[-1]:
            ranked[-1] = new
        else:
            best = ranked[0][1]
            shrunk = [[(b + x) / 2 for b, x in zip(best, p, strict=True)] for _, p in ranked[1:]]
            ranked[1:] = [(of(point), point) for point in shrunk]
        ranked.sort()
    return ranked[0][1]


def fit_to(fitted: tuple[int, ...], start: Point) -> Point:
    """The numbers that fit the rows of these targets best, from a rough estimate."""
    for step in (0.3, 0.1, 0.1):
        start = smallest(lambda point: misfit(point, fitted), start, step)
    return start


def cross_validate(start: Point) -> None:
    """Every row as it is predicted by a fit to the others."""
    targets = tuple(row.target_s for row in TABLE_1)
    print("\nleft out  recovery         writes/s")
    for row in TABLE_1:
        others = tuple(each for each in targets if each != row.target_s)
        got = steady(Fit(*map(exp, fit_to(others, start))))[row.target_s]
        print(
            f"{row.target_s:>8}{got.recovery_s:>8.1f} {got.recovery_s / row.recovery_s - 1:>+6.1%}"
            f"{got.writes_per_s:>10.0f} {got.writes_per_s / row.writes_per_s - 1:>+6.1%}",
            flush=True,
        )


def main() -> None:
    """Fit from a rough estimate, and print the numbers and the errors."""
    start = fit_to(FITTED, [log(x) for x in (500_000, 0.9, 1300, 0.3, 0.004, 55, 0.9)])
    fit = Fit(*map(exp, start))
    for name, value in fit._asdict().items():
        print(f"{name:<20}{value:>14,.4f}")
    print(f"sum of squares {misfit(start):.4f}\n\ntarget  recovery         writes/s")
    for row in TABLE_1:
        got = steady(fit)[row.target_s]
        print(
            f"{row.target_s:>6}{got.recovery_s:>8.1f} {got.recovery_s / row.recovery_s - 1:>+6.1%}"
            f"{got.writes_per_s:>10.0f} {got.writes_per_s / row.writes_per_s - 1:>+6.1%}"
            f"{'' if row.target_s in FITTED else '  not fitted'}"
        )
    if "--cross-validate" in sys.argv:
        cross_validate(start)


if __name__ == "__main__":
    main()
