"""Points of an advisory, and values of a curve between them."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

from awrlens.lazy import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence


class PgaPoint(NamedTuple):
    """PGA Memory Advisory: for a target, MB read and written, and over-allocations."""

    target_mb: float
    extra_mb: float
    over_allocations: float | None
    is_now: bool


def between(points: Sequence[tuple[float, float]], at: float) -> float | None:
    """A value of a curve, linear between its points; None outside them."""
    for (x0, y0), (x1, y1) in itertools.pairwise(points):
        if x0 <= at <= x1:
            return y0 if x1 == x0 else y0 + (y1 - y0) * (at - x0) / (x1 - x0)
    return points[0][1] if len(points) == 1 and points[0][0] == at else None
