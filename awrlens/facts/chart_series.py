"""Data for charts: latencies, tablespaces, undo over time."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Final

from awrlens.facts import tablespace_tables, tablespaces
from awrlens.facts.formula import Missing
from awrlens.facts.histograms import histogram
from awrlens.facts.redo_tail import SYNC, WRITE
from awrlens.model.chart_data import Bucket, Latencies, TablespaceIO, UndoSlice

if TYPE_CHECKING:
    from awrlens.facts.numbers import Figures

#: Events whose waits are shown by duration.
EVENTS: Final = (
    WRITE, SYNC, "direct path read temp", "direct path write temp", "db file sequential read",
    "cell single block physical read", "db file parallel write",
)  # fmt: skip


def latencies(f: Figures) -> tuple[Latencies, ...]:
    """Waits of the write path's events by duration, for those in the report."""
    found = []
    for event in EVENTS:
        shares = f.once(histogram, event)
        if isinstance(shares, Missing):
            continue
        bounds = list(shares.edges)
        above = [100.0, *(edge.above_pct for edge in shares.edges.values())]
        buckets = [
            Bucket(begin, end, more - less)
            for (begin, end), (more, less) in zip(
                pairwise([0.0, *bounds]), pairwise(above), strict=True
            )
        ]
        if above[-1] > 0:
            buckets.append(Bucket(bounds[-1], None, above[-1]))
        proof = next((edge.bucket for edge in shares.edges.values() if edge.bucket), None)
        found.append(Latencies(event, tuple(buckets), f.evidence(proof).line if proof else None))
    return tuple(found)


def tablespace_io(f: Figures) -> tuple[TablespaceIO, ...]:
    """Reads and writes of every tablespace, the busiest first; none if a figure cannot be read.

    Each column comes from the table that is reliable for it, as in the facts.
    """
    columns: dict[str, dict[str, float]] = {"reads": {}, "writes": {}}
    for column, sums in columns.items():
        table = tablespace_tables.table_for(f, column)
        if table is None or tablespace_tables.unfit(f, table, column):
            return ()
        owners = tablespace_tables.owners(f, table)
        for name, amount in zip(owners, table.numbers(column), strict=True):
            sums[name] = sums.get(name, 0) + amount
    spaces = f.tables.get("tablespace_io")
    times = {row.key: row.number("read_ms") for row in spaces.rows} if spaces is not None else {}
    kinds = {each.name: "temp" for each in tablespaces.temporary(f)}
    kinds |= {each.name: "undo" for each in tablespaces.undo(f)}
    reads, writes = columns.values()
    found = [
        TablespaceIO(
            name, reads.get(name, 0), writes.get(name, 0), times.get(name), kinds.get(name, "")
        )
        for name in dict.fromkeys([*reads, *writes])
        if name
    ]
    return tuple(sorted(found, key=lambda each: -(each.reads + each.writes)))


def undo_slices(f: Figures) -> tuple[UndoSlice, ...]:
    """Undo over time, the earliest first (in the report, the latest is first)."""
    table = f.tables.get("undo_stats")
    found = [
        UndoSlice(row.text("end_time"), blocks, row.number("transactions"),
                  row.number("max_query_s"))
        for row in (table.rows if table is not None else ())
        if (blocks := row.number("undo_blocks")) is not None
    ]  # fmt: skip
    return tuple(reversed(found))
