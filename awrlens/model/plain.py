"""Small records as plain data: of which database an interval is, and curves point by point."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from awrlens.lazy import NamedTuple


def plain(value: object) -> Any:  # noqa: ANN401 - plain data of any kind
    """Records as dictionaries, sequences as lists, times in ISO 8601; all at any depth."""
    if isinstance(value, tuple) and hasattr(value, "_asdict"):
        return {name: plain(each) for name, each in value._asdict().items()}
    if isinstance(value, tuple):
        return [plain(each) for each in value]
    if isinstance(value, Mapping):
        return {name: plain(each) for name, each in value.items()}
    return value.isoformat() if isinstance(value, datetime) else value


class Who(NamedTuple):
    """Database and instance; ``cluster`` means all instances together."""

    db_name: str | None
    db_id: str | None
    container: str | None
    instance: str | None
    instance_number: str | None
    cluster: bool = False
    #: Whether there is another database of this name.
    same_name: bool = False

    @property
    def database(self) -> str:
        """The name of the database, with its DBID if another one has this name."""
        name = self.db_name or "unknown database"
        name = f"{name}/{self.container}" if self.container else name
        return f"{name} [{self.db_id}]" if self.same_name else name

    @property
    def label(self) -> str:
        """The name of the instance."""
        if self.cluster:
            return "cluster"
        number = f" ({self.instance_number})" if self.instance_number else ""
        return f"{self.instance or 'instance'}{number}"

    @property
    def full(self) -> str:
        """Database and instance."""
        return f"{self.database} {self.label}"


class PgaPoint(NamedTuple):
    """PGA Memory Advisory: for a target, MB read and written, and over-allocations."""

    target_mb: float
    extra_mb: float
    over_allocations: float | None
    is_now: bool


class Curves(NamedTuple):
    """The advisories of one report, by increasing target; empty if one is not in the report.

    The MTTR Advisory is a fact, `checkpoint.advised_writes`: the plan needs it for every report.
    """

    pga: tuple[PgaPoint, ...] = ()


def between(points: list[tuple[float, float]], at: float) -> float | None:
    """A value of a curve, linear between its points; None outside them."""
    for (x0, y0), (x1, y1) in itertools.pairwise(points):
        if x0 <= at <= x1:
            return y0 if x1 == x0 else y0 + (y1 - y0) * (at - x0) / (x1 - x0)
    return points[0][1] if len(points) == 1 and points[0][0] == at else None
