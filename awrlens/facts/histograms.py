"""Wait event histograms: the number of waits of an event between two bounds.

Reports since 10.1 have them in one or several sections that refine each other (up to 12.1
`<1ms` to `>1s`, with details to two seconds; from 12.2 on from microseconds to an hour). A blank
is exactly 0, `.0` is less than 0.05 %, and a second is 1,024 ms (bounds are powers of two), as the
remarks in the sections say.
"""

from __future__ import annotations

from functools import cache
from math import inf, log2
from typing import TYPE_CHECKING, Final

from awrlens.facts.answers import Answer, answering, needed, text_fact
from awrlens.facts.formula import Missing, is_lost, unread_line
from awrlens.facts.wait_event import idle
from awrlens.lazy import NamedTuple, regex
from awrlens.units import SECONDS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from awrlens.facts.counters import Counters
    from awrlens.model import Fact
    from awrlens.report.table import Cell, Row, Table

#: Sections, each with the bound from which on it has buckets, in ms.
_HISTOGRAMS: Final = {
    "event_histogram": 0.0,
    "event_histogram_counts": 0.0,
    "event_histogram_32ms": 0.512,
    "event_histogram_2s": 32.0,
    "event_histogram_2min": 2048.0,
}
#: The name of a column with a bucket has its bound.
_BUCKET: Final = regex(r"(lt|le|ge|gt)_(\d+)(us|ms|s|min)(?:_pct)?")
SECTIONS: Final = ("event_histogram", "event_histogram_counts")
#: Shares of all waits have one decimal: they add up to 100 % but for so much each.
_APART: Final = 0.06
#: Lists have events of a thousandth of a second. Those of the real reports have all with so many
#: waits, or seconds, in a histogram, but idle ones. # awrlens: an assumption
_LISTED_WAITS: Final = 2000
_LISTED_S: Final = 0.1
#: Waits of a histogram have two digits (`1.1M`).
_ROUNDED: Final = 0.1
#: A histogram never has so many times the waits of the lists. # awrlens: an assumption
_MANY: Final = 1000
#: `event_histogram_2s` lists the events that have waits from this bound up to two seconds.
_LISTED_FROM_MS: Final = 64


class Edge(NamedTuple):
    """A bound between two buckets: the share above it, and the bucket that ends at it."""

    above_pct: float
    above: tuple[Cell, ...]
    bucket: Cell | None


class Histogram(NamedTuple):
    """An event's waits by duration: every bound that any section has, in ms, ascending."""

    edges: dict[float, Edge]
    #: Number of all waits if the report counts waits; None if it has shares.
    counted: float | None


@answering
def histogram(f: Counters, event: str, upto_ms: float = inf) -> Histogram | Missing:
    """All bounds of an event's histogram, from every section that has some.

    If it has the bound ``upto_ms``, sections that begin there are not read.
    """
    edges: dict[float, Edge] = {}
    counted: float | None = None
    for section, first_ms in _HISTOGRAMS.items():
        if section not in SECTIONS and not _goes_on(edges, first_ms, upto_ms):
            continue
        table = f.tables.get(section)
        if table is None:
            continue
        if (row := table.row(event)) is None:
            if table.unread((event,)):
                return unread_line(table, (event,))
            if section == "event_histogram_2s" and f.complete:
                _add_unlisted(edges)
            continue
        buckets = _buckets(f, table, row, event)
        total = sum(value(cell) for cell, _ in buckets)
        if section == "event_histogram" and total > 0 and abs(total - 100) > _APART * len(buckets):
            why = f"the shares of `{event}` add up to {total:.1f} %"
            return Missing(why, (section,), lost=True)
        if total > 0:
            counts = section == "event_histogram_counts"
            counted = total if counts else counted
            _add_edges(edges, buckets, 100 / total if counts else 1.0)
    if not edges:
        tables = ((name, f.tables.get(name)) for name in SECTIONS)
        listed = (Missing(f"`{event}` is not listed in {table.title}", (name,))
                  for name, table in tables if table is not None)  # fmt: skip
        return next(listed, f.missing("event_histogram"))
    return Histogram(_falling(edges), counted)


def _buckets(f: Counters, table: Table, row: Row, event: str) -> list[tuple[Cell, float | None]]:
    """The buckets of an event, if the report has the figures of all of them."""
    names = [c.name for c in table.columns if c.name and _BUCKET.fullmatch(c.name)]
    buckets = [(cell, _bound(name)) for name in names if (cell := row.cell(name)) is not None]
    for cell, _ in buckets:
        if value(cell) < 0 or (cell.value is None and is_lost(cell.text)):
            why = f"{cell.section}, {event} {cell.column} shows `{cell.text}`"
            needed(Missing(why, (str(table.name),), lost=True))
    lists = filter(None, map(f.tables.get, ("wait_events", "background_events")))
    listed = sum(row.number("waits") or 0 for listing in lists for row in listing.begins((event,)))
    if table.name == SECTIONS[1] and sum(value(cell) for cell, _ in buckets) > listed * _MANY > 0:
        needed(Missing(f"{table.title} has more waits for `{event}` than the lists", lost=True))
    return buckets


@cache
def _bound(column: str) -> float | None:
    """The upper bound in ms of the bucket in a column; None if it has none."""
    sign, digits, unit = _BUCKET.fullmatch(column).groups()  # type: ignore[union-attr]
    ms = int(digits) * SECONDS[unit] * 1000
    # bounds from 1 ms on are powers of two, also where headings have 1/8 s
    bound = round(ms, 3) if ms < 1 else 2 ** round(log2(ms))
    return bound if sign in ("lt", "le") else None


def _add_edges(
    edges: dict[float, Edge], buckets: list[tuple[Cell, float | None]], unit: float
) -> None:
    """Add the bounds of one section that no section before it has."""
    cells = tuple(cell for cell, _ in buckets)
    values = list(map(value, cells))
    for number, (cell, bound) in enumerate(buckets, 1):
        if bound is not None and bound not in edges:
            edges[bound] = Edge(sum(values[number:]) * unit, cells[number:], cell)


def _goes_on(edges: dict[float, Edge], first: float, upto_ms: float) -> bool:
    """Whether a detail section refines something: there are waits above its first bound."""
    if upto_ms in edges and upto_ms <= first:
        return False
    below = [bound for bound in edges if bound <= first]
    return bool(below) and any(cell.text for cell in edges[max(below)].above)


def value(cell: Cell) -> float:
    """A bucket's figure; a blank is exactly 0."""
    return float(cell.value) if isinstance(cell.value, int | float) else 0.0


def _add_unlisted(edges: dict[float, Edge]) -> None:
    """Details list every event with waits from 64 ms to 2 s; this event is not among them."""
    below = [bound for bound in edges if bound < _LISTED_FROM_MS]
    if not below or _LISTED_FROM_MS in edges:
        return
    beyond = [bound for bound in edges if bound > _LISTED_FROM_MS]
    bucket = next(iter(edges[max(below)].above), None)
    next_edge = edges[min(beyond)] if beyond else Edge(0.0, (), None)
    edges[_LISTED_FROM_MS] = next_edge._replace(bucket=bucket)


def _falling(edges: dict[float, Edge]) -> dict[float, Edge]:
    """Bounds in ascending order; their shares never rise, even if rounded shares do."""
    falling: dict[float, Edge] = {}
    least = 100.0
    for bound in sorted(edges):
        least = min(least, edges[bound].above_pct)
        falling[bound] = edges[bound]._replace(above_pct=least)
    return falling


def _counted(
    f: Counters, starts: tuple[str, ...], upto_ms: float = inf
) -> Iterator[tuple[str, Histogram, float, str] | Missing]:
    """Every matching event once: its name, histogram, waits, and the section that has them.

    For an event whose figures cannot be read, the reason instead.
    """
    seen = set()
    for section in SECTIONS:
        table = f.tables.get(section)
        if table is not None and table.unread(starts):
            yield unread_line(table, starts)
        for row in table.begins(starts) if table is not None else ():
            shares = histogram(f, row.key, upto_ms)
            if isinstance(waits := _waits(f, row, shares, section), Missing):
                yield waits
            elif not isinstance(shares, Missing) and waits and row.key not in seen:
                seen.add(row.key)
                yield row.key, shares, waits, section


def is_listed(f: Counters, starts: tuple[str, ...]) -> bool:
    """Whether a section of histograms has an event with one of some prefixes, read or not."""
    tables = filter(None, map(f.tables.get, SECTIONS))
    return any(table.begins(starts) or table.unread(starts) for table in tables)


def unlisted(f: Counters, section: str, starts: tuple[str, ...]) -> str:
    """Why a list lacks an event with one of some prefixes: its histogram has more than others."""
    own = f.tables.get(section)
    others = {f.session_list or section, "background_events"} - {section}
    tables = filter(None, map(f.tables.get, SECTIONS))
    keys = dict.fromkeys(row.key for table in tables for row in table.begins(starts))
    # few lists lack any: the histograms of those that are listed are not read
    open_ = tuple(key for key in keys if not idle(key) and not (own and own.begins((key,))))
    for counted in _counted(f, open_) if open_ else ():
        if isinstance(counted, Missing) or counted[0] not in open_:
            continue
        name, shares, waits, _ = counted
        tables = filter(None, map(f.tables.get, others))
        rows = (row for table in tables for row in table.begins((name,)))
        more = waits - sum(row.number("waits") or 0 for row in rows)
        least_s = _least_s(shares, waits) * more / waits
        if more > waits * _ROUNDED and (more > _LISTED_WAITS or least_s >= _LISTED_S):
            return f"the list of waits lacks `{name}`, which its histogram has"
    return ""


def at_least(f: Counters, starts: tuple[str, ...]) -> Fact | None:
    """Minimum time of some events by the lower bounds of their buckets; None without histogram."""
    least_s, names = 0.0, []
    for counted in _counted(f, starts):
        if isinstance(counted, Missing):
            return counted.fact()
        name, shares, waits, _ = counted
        names.append(name)
        least_s += _least_s(shares, waits)
    if not names:
        return None
    listed = ", ".join(f"`{name}`" for name in names)
    note = f"{listed}: not in the list of waits; minimum from the histogram's buckets"
    return text_fact(round(least_s, 3), (), "estimated", note)


def _least_s(shares: Histogram, waits: float) -> float:
    least, below_pct, lower = 0.0, 100.0, 0.0
    for bound, edge in shares.edges.items():
        least += (below_pct - edge.above_pct) / 100 * waits * lower / 1000
        below_pct, lower = edge.above_pct, bound
    return least + below_pct / 100 * waits * lower / 1000


def may_exceed(f: Counters, event: str, waits: float) -> bool:
    """Whether an event's histogram may have more than some waits."""
    row = f.row(SECTIONS[0], event)
    printed = None if row is None else row.value("waits")
    return printed > waits if isinstance(printed, int | float) else is_listed(f, (event,))


def counted_and_least(f: Counters, event: str, beyond: float) -> tuple[float, float] | None:
    """Waits of all processes for an event and their minimum time in s, by its histogram."""
    for counted in _counted(f, (event,)) if may_exceed(f, event, beyond) else ():
        if not isinstance(counted, Missing) and counted[0] == event and counted[2] > beyond:
            return counted[2], _least_s(counted[1], counted[2])
    return None


def _waits(
    f: Counters, row: Row, shares: Histogram | Missing, section: str
) -> float | Missing | None:
    """Number of waits in an event's histogram; the reason if it cannot be read."""
    printed = f.figure(row.cell("waits"), "waits", Missing("", (section,)))
    for source in (shares, printed):
        if isinstance(source, Missing) and source.lost:
            return source
    if not isinstance(printed, Missing) and printed.value:
        return printed.value
    return None if isinstance(shares, Missing) else shares.counted


def slower_than(f: Counters, starts: tuple[str, ...], bound_ms: float) -> Answer:
    """Number of waits of some events that took longer than a bound of their histograms."""
    slow, names = 0.0, []
    for counted in _counted(f, starts, bound_ms):
        if isinstance(counted, Missing):
            return counted
        name, shares, waits, section = counted
        edge = shares.edges.get(bound_ms)
        if edge is None:
            lower = [edge for bound, edge in shares.edges.items() if bound < bound_ms]
            if not lower or lower[-1].above_pct > 0:
                return Missing(f"no bucket of `{name}` ends at {bound_ms:g} ms", (section,))
            edge = lower[-1]
        names.append(name)
        slow += edge.above_pct / 100 * waits
    if not names:
        return Missing(f"the report has no histogram of `{starts[0]}`", SECTIONS)
    listed = ", ".join(f"`{name}`" for name in names)
    return text_fact(round(slow), (), "estimated", f"from the histograms of {listed}")
