"""How slow the slow ones are: percentiles and tails of log writes and commits.

An average hides what one write in a hundred does. Reports since 10.1 print for each event how many
of its waits lay between two bounds, in one or several sections that refine each other (up to
12.1 `<1ms` to `>1s`, with details to two seconds; from 12.2 on from microseconds to an hour). A
percentile is known as well as the buckets are: the fact is the upper bound of its bucket, the
note names both.

A blank is truly 0, `.0` is less than 0.05 %, and a second is truly 1,024 ms (bounds are powers of
two), as the sections' own remarks say.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from awrlens.facts.formula import Figure, Missing, add, summed, unavailable
from awrlens.model import Evidence, Fact

if TYPE_CHECKING:
    from collections.abc import Callable

    from awrlens.facts.figures import Figures
    from awrlens.report.table import Cell, Row

#: Sections and their buckets: column, and the bucket's upper bound in ms (None: it has none).
#: A release prints some of the columns, in this order.
_HISTOGRAMS: Final[dict[str, tuple[tuple[str, float | None], ...]]] = {
    "event_histogram": (
        ("lt_1us_pct", 0.001), ("lt_2us_pct", 0.002), ("lt_4us_pct", 0.004),
        ("lt_8us_pct", 0.008), ("lt_16us_pct", 0.016), ("lt_32us_pct", 0.032),
        ("lt_64us_pct", 0.064), ("lt_128us_pct", 0.128), ("lt_256us_pct", 0.256),
        ("lt_512us_pct", 0.512), ("ge_512us_pct", None), ("lt_1ms_pct", 1), ("lt_2ms_pct", 2),
        ("lt_4ms_pct", 4), ("lt_8ms_pct", 8), ("lt_16ms_pct", 16), ("lt_32ms_pct", 32),
        ("lt_64ms_pct", 64), ("lt_128ms_pct", 128), ("lt_256ms_pct", 256), ("lt_512ms_pct", 512),
        ("lt_1s_pct", 1024), ("le_1s_pct", 1024), ("ge_1s_pct", None), ("gt_1s_pct", None),
    ),
    "event_histogram_counts": (
        ("lt_1ms", 1), ("lt_4ms", 4), ("lt_8ms", 8), ("lt_16ms", 16), ("lt_32ms", 32),
        ("ge_32ms", None),
    ),
    "event_histogram_32ms": (
        ("lt_512us_pct", 0.512), ("lt_1ms_pct", 1), ("lt_2ms_pct", 2), ("lt_4ms_pct", 4),
        ("lt_8ms_pct", 8), ("lt_16ms_pct", 16), ("lt_32ms_pct", 32), ("ge_32ms_pct", None),
    ),
    "event_histogram_2s": (
        ("lt_32ms_pct", 32), ("lt_64ms_pct", 64), ("lt_125ms_pct", 128), ("lt_250ms_pct", 256),
        ("lt_500ms_pct", 512), ("lt_1s_pct", 1024), ("lt_2s_pct", 2048), ("ge_2s_pct", None),
    ),
    "event_histogram_2min": (
        ("lt_2s_pct", 2048), ("lt_4s_pct", 4096), ("lt_8s_pct", 8192), ("lt_16s_pct", 16_384),
        ("lt_32s_pct", 32_768), ("lt_1min_pct", 65_536), ("lt_2min_pct", 131_072),
        ("ge_2min_pct", None),
    ),
}  # fmt: skip
_SECTIONS: Final = ("event_histogram", "event_histogram_counts")
#: `event_histogram_2s` lists the events that have waits from this bound on; to two seconds.
_LISTED_FROM_MS: Final = 64
#: Shares are printed with one decimal.
_PRINTED: Final = 1e-6

WRITE: Final = "log file parallel write"
SYNC: Final = "log file sync"


class _Edge(NamedTuple):
    """A bound between two buckets: what lies above it, and the bucket that ends at it."""

    above_pct: float
    above: tuple[Cell, ...]
    bucket: Cell | None


class _Histogram(NamedTuple):
    """An event's waits by duration: every bound that some section prints, in ms, ascending."""

    edges: dict[float, _Edge]
    #: Number of all waits where waits are counted; None where shares are printed.
    counted: float | None


def percentile_ms(event: str, percent: int) -> Callable[[Figures], Fact]:
    """The time within which so many of an event's waits ended: upper bound of their bucket."""

    def fact(f: Figures) -> Fact:
        found = f.once(histogram, event)
        if isinstance(found, Missing):
            return unavailable(found)
        below = 0.0
        for bound, edge in found.edges.items():
            if edge.above_pct <= 100 - percent + _PRINTED:
                proof = () if edge.bucket is None else _evidence(f, (edge.bucket,))
                note = f"between {below:g} and {bound:g} ms"
                return Fact("", bound, "", "derived", proof, "", note)
            below = bound
        why = f"more than {100 - percent} % of `{event}` took longer than {below:g} ms, where the "
        return unavailable(Missing(why + "last printed bucket begins", _SECTIONS))

    what = "log writes" if event == WRITE else "commit waits"
    fact.__doc__ = f"{percent} % of the {what} took less: upper bound of the histogram's bucket."
    return fact


def slower_pct(event: str, bound_ms: int) -> Callable[[Figures], Fact]:
    """Share of an event's waits that took longer, where a bucket ends there."""

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
                note="no wait is in a bucket above it"
            )
        beyond = [each.above_pct for bound, each in edges.items() if bound > bound_ms]
        most = below[-1].above_pct if below else 100
        why = (
            f"no bucket of `{event}` ends at {bound_ms} ms: between {max(beyond, default=0):.4g} "
            f"and {most:.4g} % took longer"
        )
        return unavailable(Missing(why, _SECTIONS))

    what = "log writes" if event == WRITE else "commit waits"
    fact.__doc__ = f"Share of the {what} that took longer than {bound_ms} ms."
    return fact


def _share(f: Figures, edge: _Edge, counted: float | None) -> Fact:
    """What lies above a bound, as a sum of cells."""
    label = "waits" if counted else "%"
    cells = [cell for cell in edge.above if cell.text]
    figures = [
        Figure(_value(cell), label, _evidence(f, (cell,)), f"{_value(cell):,g}") for cell in cells
    ]
    if not figures and edge.bucket is not None and edge.bucket.text:
        # nothing above it: the last bucket that holds waits is the proof
        figures = [Figure(0, label, _evidence(f, (edge.bucket,)), "0")]
    total = add(figures, label)
    if not counted:
        return summed(total)
    text = f"({total.digits})" if total.is_sum else total.digits
    return Fact("", edge.above_pct, "", "derived", total.evidence,
                f"{text} waits × 100 / {counted:,.0f} waits")  # fmt: skip


def _evidence(f: Figures, cells: tuple[Cell, ...]) -> tuple[Evidence, ...]:
    return tuple(f.evidence(cell) for cell in cells if cell.text)


def histogram(f: Figures, event: str) -> _Histogram | Missing:
    """All bounds of an event's histogram, out of every section that has some."""
    edges: dict[float, _Edge] = {}
    counted: float | None = None
    for section, columns in _HISTOGRAMS.items():
        if section not in _SECTIONS and not _goes_on(edges, columns[0][1] or 0):
            continue
        table = f.tables.get(section)
        row = table.row(event) if table is not None else None
        if row is None:
            if section == "event_histogram_2s" and table is not None and f.complete:
                _add_unlisted(edges)
            continue
        buckets = _buckets(row, columns)
        total = sum(_value(cell) for cell, _ in buckets)
        if total <= 0:
            continue
        unit = 1.0
        if section == "event_histogram_counts":
            counted, unit = total, 100 / total
        for number, (cell, bound) in enumerate(buckets):
            above = tuple(each for each, _ in buckets[number + 1 :])
            if bound is not None and bound not in edges:
                edges[bound] = _Edge(sum(map(_value, above)) * unit, above, cell)
    if not edges:
        return _absent(f, event)
    return _Histogram(_falling(edges), counted)


def _goes_on(edges: dict[float, _Edge], first: float) -> bool:
    """Whether a detail has more to tell: there are waits above its first bound.

    Without the first section there is nothing to detail: details leave out the quick waits.
    """
    below = [bound for bound in edges if bound <= first]
    return bool(below) and any(cell.text for cell in edges[max(below)].above)


def _buckets(
    row: Row, columns: tuple[tuple[str, float | None], ...]
) -> list[tuple[Cell, float | None]]:
    cells = ((row.cell(column), bound) for column, bound in columns)
    return [(cell, bound) for cell, bound in cells if cell is not None]


def _value(cell: Cell) -> float:
    """A bucket's figure; a blank is truly 0."""
    return float(cell.value) if isinstance(cell.value, int | float) else 0.0


def _add_unlisted(edges: dict[float, _Edge]) -> None:
    """The details print every event that waited from 64 ms to 2 s; this one is not among them."""
    below = [bound for bound in edges if bound < _LISTED_FROM_MS]
    if not below or _LISTED_FROM_MS in edges:
        return
    beyond = [bound for bound in edges if bound > _LISTED_FROM_MS]
    last = edges[max(below)]
    bucket = last.above[0] if last.above else None
    if beyond:
        edges[_LISTED_FROM_MS] = edges[min(beyond)]._replace(bucket=bucket)
    else:
        edges[_LISTED_FROM_MS] = _Edge(0.0, (), bucket)


def _falling(edges: dict[float, _Edge]) -> dict[float, _Edge]:
    """Bounds in ascending order, whose shares do not rise where rounding would have it."""
    found: dict[float, _Edge] = {}
    least = 100.0
    for bound in sorted(edges):
        least = min(least, edges[bound].above_pct)
        found[bound] = edges[bound]._replace(above_pct=least)
    return found


def _absent(f: Figures, event: str) -> Missing:
    for section in _SECTIONS:
        table = f.tables.get(section)
        if table is not None:
            return Missing(f"`{event}` is not listed in {table.title}", (section,))
    return f.missing("event_histogram")
