"""The costs of several recovery targets side by side, for `awrlens mttr --curve`.

Source: Fast-Start Checkpointing Best Practices, table 1, and V$MTTR_TARGET_ADVICE (the MTTR
Advisory of a report).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from awrlens.advice import curve
from awrlens.advice.curve import METHOD, OFF, TABLE_1
from awrlens.errors import UsageError
from awrlens.policy import cite

if TYPE_CHECKING:
    from collections.abc import Mapping

    from awrlens.model import Fact

_THROUGHPUT: Final = (
    "Throughput is from Oracle's test (Fast-Start Checkpointing Best Practices, table 1), not from "
    "this report."
)
_OFF: Final = (
    "Factor and throughput are relative to the row without fast-start checkpointing (off). In the "
    "row of 71 s, the target was set to 30 and reset by Oracle."
)
_BETWEEN: Final = f"~ is interpolated between reported targets: {METHOD}."


class Row(NamedTuple):
    """One target: writes per second, their ratio to now, throughput; whether it is reported."""

    target_s: float
    writes_per_s: float | None
    factor: float
    throughput_pct: float | None
    printed: bool

    def to_dict(self) -> dict[str, Any]:
        """Plain data, rounded as shown."""
        rate, throughput = self.writes_per_s, self.throughput_pct
        return {
            "target_s": self.target_s,
            "writes_per_s": None if rate is None else round(rate, 1),
            "factor": round(self.factor, 3),
            "throughput_pct": None if throughput is None else round(throughput, 1),
            "printed": self.printed,
        }


class Prices(NamedTuple):
    """Rows by target, the strictest first, with their source and notes."""

    source: str
    rows: tuple[Row, ...]
    notes: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """Plain data, as `awrlens mttr --curve --format json` prints it."""
        return {
            "source": self.source,
            "interpolation": METHOD,
            "points": [row.to_dict() for row in self.rows],
            "notes": list(self.notes),
        }


def published(desired_s: float | None = None) -> Prices:
    """The paper's table 1; ``desired_s`` is interpolated between its rows."""
    rows = [
        Row(row.in_force_s, row.writes_per_s, row.writes_per_s / OFF.writes_per_s,
            row.throughput_tps * 100 / OFF.throughput_tps, printed=True)
        for row in TABLE_1
    ]  # fmt: skip
    notes = [_OFF]
    if desired_s is not None and desired_s not in {row.target_s for row in rows}:
        writes = curve.BY_TARGET.at(desired_s)
        rows.append(
            Row(desired_s, writes, writes / OFF.writes_per_s,
                curve.THROUGHPUT.at(desired_s) * 100 / OFF.throughput_tps, printed=False)
        )  # fmt: skip
        notes.append(_place(desired_s, curve.BY_TARGET))
    rows.sort(key=lambda row: row.target_s or float("inf"))
    source = (
        "Fast-Start Checkpointing Best Practices, table 1: a high-volume OLTP load on a cluster of "
        "two nodes, not your load"
    )
    return Prices(cite(source), tuple(rows), tuple(cite(note) for note in notes))


def of_report(facts: Mapping[str, Fact], desired_s: float | None = None) -> Prices:
    """A report's own MTTR Advisory; if it has none, the published curve and the reason."""
    if not facts:
        raise UsageError(
            "A compare-period report has two curves, one per period.",
            hint="Use the report of one period.",
        )
    own, now = curve.advisory(facts), facts["checkpoint.advised_now_s"].number
    if own is None or now is None:
        found = published(desired_s)
        why = facts["checkpoint.advised_writes"].note
        return found._replace(notes=(f"The report has no MTTR Advisory: {why}.", *found.notes))
    rate, base = facts["checkpoint.cache_writes_per_s"].number, own.at(now)

    def row(target_s: float, *, printed: bool) -> Row:
        factor = own.at(target_s) / base
        return Row(
            target_s, None if rate is None else rate * factor, factor,
            100 - curve.throughput_loss_pct(target_s), printed,
        )  # fmt: skip

    rows = [row(target_s, printed=True) for target_s, _ in own.points]
    about = f"Writes are those from the buffer cache; {now:,.0f} s is the target in effect."
    notes = [f"{about} {_THROUGHPUT}"]
    if desired_s is not None and desired_s not in {each.target_s for each in rows}:
        rows.append(row(desired_s, printed=False))
        notes.append(_place(desired_s, own))
    rows.sort(key=lambda each: each.target_s)
    source = "MTTR Advisory of the report (V$MTTR_TARGET_ADVICE)"
    return Prices(source, tuple(rows), tuple(cite(note) for note in notes))


def _place(target_s: float, points: curve.Curve) -> str:
    """How the row that is not in the report was calculated."""
    low, high = points.points[0][0], points.points[-1][0]
    if low <= target_s <= high:
        return _BETWEEN
    return f"~ is outside {low:g} to {high:g} s and has the value of the nearest target."
