"""Estimated recovery times against a service level."""

from __future__ import annotations

from typing import TYPE_CHECKING

from awrlens.model.fleet import Database, Recovery
from awrlens.records import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


class Estimates(NamedTuple):
    """The estimates of an instance in the order of time, and its target."""

    who: Database
    seconds: Sequence[float]
    target_s: float | None


def recovery(estimates: Iterable[Estimates], level_s: float | None) -> tuple[Recovery, ...]:
    """Recovery times, the longest first; without a level, each against its own target."""
    found = []
    for each in estimates:
        if not each.seconds:
            continue
        level = level_s if level_s is not None else each.target_s or None
        above = sum(level is not None and value > level for value in each.seconds)
        found.append(
            Recovery(
                each.who, max(each.seconds), each.seconds[-1], each.target_s, level, above > 0,
                above, len(each.seconds),
            )
        )  # fmt: skip
    return tuple(sorted(found, key=lambda each: (not each.over, -each.worst_s)))
