"""What DB time changed by: the events, or CPU, whose time explains its change."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from awrlens.model import Reason
from awrlens.model.comparison import CHANGED
from awrlens.policy import Policy, Threshold
from awrlens.series.response import OTHER_WAITS
from awrlens.series.words import signed
from awrlens.units import listed

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from awrlens.model.comparison import Basis, DbTime, Moved, MovedEvent

PART_PCT: Final = Threshold(
    "compare.part_pct", 10.0, "%",
    "share of the DB time change above which an event is named as a reason",
    "awrlens: smaller parts do not explain a change",
)  # fmt: skip

#: Number of events named as reasons of a DB time change.
_PARTS: Final = 3
_RESPONSE: Final = "load.response_s"
_CPU: Final = "CPU"


def causes(
    facts: Sequence[Moved],
    events: Sequence[MovedEvent],
    whole: DbTime | None,
    basis: Basis,
    policy: Policy,
) -> tuple[Reason, ...]:
    """The events or CPU with most of the change of DB time; none if it changed within noise.

    Without lists of wait events they are the consumers of DB time that both sides show.
    """
    found = response(facts, basis)
    if found is None:
        return ()
    change = found.after - found.before
    parts = _events(facts, events, found) if events else _consumers(whole)
    reasons = [
        Reason(name, is_event, before, after, basis.per, (after - before) * 100 / change)
        for name, is_event, before, after in parts
    ]
    reasons.sort(key=lambda each: -abs(each.after_ms - each.before_ms))
    return tuple(each for each in reasons if each.pct_of_change >= policy[PART_PCT])[:_PARTS]


def response(facts: Sequence[Moved], basis: Basis) -> Moved | None:
    """DB time per unit, if it changed beyond noise."""
    return next(
        (e for e in facts if e.fact == _RESPONSE and e.per == basis.per and e.verdict in CHANGED),
        None,
    )


def _events(
    facts: Sequence[Moved], events: Sequence[MovedEvent], found: Moved
) -> Iterator[tuple[str, bool, float, float]]:
    for each in events:
        if each.significant and each.verdict in CHANGED:
            yield each.event, True, each.before.total_ms, each.after.total_ms
    for share in facts:
        if share.fact == "integrity.cpu_pct":
            yield _CPU, False, share.before * found.before / 100, share.after * found.after / 100


def _consumers(whole: DbTime | None) -> Iterator[tuple[str, bool, float, float]]:
    for each in () if whole is None else whole.parts:
        if each.part and each.name != OTHER_WAITS:
            yield each.name, each.part == "other", each.before_ms, each.after_ms


def because(reasons: Sequence[Reason], change_ms: float) -> str:
    """``: +1.2 ms in `db file sequential read` and +0.4 ms in CPU (total +1.7 ms)``."""
    if not reasons:
        return ""
    shown = [
        f"{signed(each.after_ms - each.before_ms)} in "
        + (f"`{each.name}`" if each.is_event else each.name)
        for each in reasons
    ]
    return f": {listed(shown)} (total {signed(change_ms)})"
