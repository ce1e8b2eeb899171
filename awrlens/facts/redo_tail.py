"""Slow log writes, commits and single-block reads: percentiles and shares above a bound.

An average hides the slowest 1 % of writes. Reports since 10.1 have the number of an event's waits
between two bounds, in one or several sections that refine each other (up to
12.1 `<1ms` to `>1s`, with details to two seconds; from 12.2 on from microseconds to an hour). A
percentile is as exact as the buckets: the fact is the upper bound of its bucket, and the note has
both bounds.

A blank is exactly 0, `.0` is less than 0.05 %, and a second is 1,024 ms (bounds are powers of
two), as the remarks in the sections say.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from awrlens.fact_table import fact
from awrlens.facts.formula import Figure, Missing, add, summed, unavailable
from awrlens.facts.histograms import SECTIONS, Edge, histogram, value
from awrlens.model import Evidence, Fact, Status
from awrlens.units import plain

if TYPE_CHECKING:
    from collections.abc import Callable

    from awrlens.facts.numbers import Figures
    from awrlens.report.table_rows import Cell

_HISTOGRAM: Final = "|".join(SECTIONS)
#: Above this ratio of its bounds a bucket is too wide: the section that refines it is missing.
#: # awrlens: an assumption
_WIDE: Final = 4
#: Shares have one decimal.
_PRINTED: Final = 1e-6

WRITE: Final = "log file parallel write"
SYNC: Final = "log file sync"
READ: Final = "db file sequential read"
CONTROL: Final = "control file parallel write"
DATA: Final = "db file parallel write"
DIRECT: Final = "direct path write"
TEMP: Final = "direct path write temp"
_WHAT: Final = {WRITE: "log writes", SYNC: "commit waits", READ: "single-block reads"}


def percentile_ms(event: str, percent: int) -> Callable[[Figures], Fact]:
    """The time within which a percentage of an event's waits ended: upper bound of the bucket."""

    def fact(f: Figures) -> Fact:
        found = f.once(histogram, event)
        if isinstance(found, Missing):
            return unavailable(found)
        below = 0.0
        for bound, edge in found.edges.items():
            if edge.above_pct <= 100 - percent + _PRINTED:
                proof = () if edge.bucket is None else _evidence(f, (edge.bucket,))
                note = f"between {below:g} and {bound:g} ms"
                status: Status = "estimated" if 0 < below * _WIDE < bound else "derived"
                return Fact("", bound, "", status, proof, "", note)
            below = bound
        why = f"more than {100 - percent} % of `{event}` took longer than {below:g} ms, where the "
        return unavailable(Missing(why + "last bucket begins", SECTIONS))

    what = _WHAT.get(event, f"waits for `{event}`")  # budgets name any event
    fact.__doc__ = f"{percent}th percentile of {what}: upper bound of the histogram's bucket."
    return fact


fact("redo.write_p50_ms", "ms", _HISTOGRAM, kind="level", better="lower")(percentile_ms(WRITE, 50))
fact("redo.write_p95_ms", "ms", _HISTOGRAM, kind="level", better="lower")(percentile_ms(WRITE, 95))
fact("redo.write_p99_ms", "ms", _HISTOGRAM, kind="level", better="lower")(percentile_ms(WRITE, 99))
fact("temp.direct_write_p50_ms", "ms", _HISTOGRAM, kind="level", better="lower")(
    percentile_ms(TEMP, 50)
)
fact("redo.sync_p50_ms", "ms", _HISTOGRAM, kind="level", better="lower")(percentile_ms(SYNC, 50))
fact("redo.sync_p95_ms", "ms", _HISTOGRAM, kind="level", better="lower")(percentile_ms(SYNC, 95))
fact("redo.sync_p99_ms", "ms", _HISTOGRAM, kind="level", better="lower")(percentile_ms(SYNC, 99))


def slower_pct(event: str, bound_ms: int) -> Callable[[Figures], Fact]:
    """Share of an event's waits that took longer than a bound, if a bucket ends there."""

    def fact(f: Figures) -> Fact:
        found = f.once(histogram, event)
        if isinstance(found, Missing):
            return unavailable(found)
        edges = found.edges
        edge = edges.get(bound_ms)
        if edge is not None:
            return _share(f, edge, found.counted)
        below = [each for bound, each in edges.items() if bound < bound_ms]
        if below and not any(cell.text for cell in below[-1].above):
            return _share(f, below[-1], found.counted)._replace(
                note="the buckets above it have no waits"
            )
        beyond = [each.above_pct for bound, each in edges.items() if bound > bound_ms]
        most = below[-1].above_pct if below else 100
        why = (
            f"no bucket of `{event}` ends at {bound_ms} ms: between "
            f"{plain(max(beyond, default=0))} and {plain(most)} % took longer"
        )
        return unavailable(Missing(why, SECTIONS))

    what = _WHAT.get(event, f"waits for `{event}`")
    fact.__doc__ = f"Share of the {what} that took longer than {bound_ms} ms."
    return fact


fact("redo.write_slower_1ms_pct", "%", _HISTOGRAM, kind="level", better="lower")(
    slower_pct(WRITE, 1)
)
fact("redo.write_slower_4ms_pct", "%", _HISTOGRAM, kind="level", better="lower")(
    slower_pct(WRITE, 4)
)
fact("redo.write_slower_16ms_pct", "%", _HISTOGRAM, kind="level", better="lower")(
    slower_pct(WRITE, 16)
)
fact("redo.write_slower_64ms_pct", "%", _HISTOGRAM, kind="level", better="lower")(
    slower_pct(WRITE, 64)
)
fact("redo.sync_slower_4ms_pct", "%", _HISTOGRAM, kind="level", better="lower")(slower_pct(SYNC, 4))
fact("redo.sync_slower_16ms_pct", "%", _HISTOGRAM, kind="level", better="lower")(
    slower_pct(SYNC, 16)
)
fact("redo.sync_slower_64ms_pct", "%", _HISTOGRAM, kind="level", better="lower")(
    slower_pct(SYNC, 64)
)
fact("io.data_read_slower_1ms_pct", "%", _HISTOGRAM, kind="level", better="lower")(
    slower_pct(READ, 1)
)
fact("io.control_write_slower_1ms_pct", "%", _HISTOGRAM, kind="level", better="lower")(
    slower_pct(CONTROL, 1)
)
fact("checkpoint.data_write_slower_1ms_pct", "%", _HISTOGRAM, kind="level", better="lower")(
    slower_pct(DATA, 1)
)
fact("io.direct_write_slower_1ms_pct", "%", _HISTOGRAM, kind="level", better="lower")(
    slower_pct(DIRECT, 1)
)
fact("temp.direct_write_slower_1ms_pct", "%", _HISTOGRAM, kind="level", better="lower")(
    slower_pct(TEMP, 1)
)


def _share(f: Figures, edge: Edge, counted: float | None) -> Fact:
    """The share above a bound, as a sum of cells."""
    label = "waits" if counted else "%"
    cells = [cell for cell in edge.above if cell.text]
    figures = [
        Figure(value(cell), label, _evidence(f, (cell,)), f"{value(cell):,g}") for cell in cells
    ]
    if not figures and edge.bucket is not None and edge.bucket.text:
        # nothing above it: the last bucket with waits is the evidence
        figures = [Figure(0, label, _evidence(f, (edge.bucket,)), "0")]
    total = add(figures, label)
    if not counted:
        return summed(total)
    text = f"({total.digits})" if total.is_sum else total.digits
    return Fact("", edge.above_pct, "", "derived", total.evidence,
                f"{text} waits × 100 / {counted:,.0f} waits")  # fmt: skip


def _evidence(f: Figures, cells: tuple[Cell, ...]) -> tuple[Evidence, ...]:
    return tuple(f.evidence(cell) for cell in cells if cell.text)
