"""Series of numbers that pictures are made of: latencies, tablespaces, undo over time."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Final

from awrlens.exhibits import Bucket, Latencies, TablespaceIO, UndoSlice
from awrlens.facts import tablespaces
from awrlens.facts.formula import Missing
from awrlens.facts.redo_tail import SYNC, WRITE, histogram

if TYPE_CHECKING:
    from awrlens.facts.figures import Figures

#: Events whose waits are shown by duration.
EVENTS: Final = (
    WRITE, SYNC, "direct path read temp", "direct path write temp", "db file sequential read",
    "cell single block physical read", "db file parallel write",
)  # fmt: skip


def latencies(f: Figures) -> tuple[Latencies, ...]:
    """The waits of the write path's events by duration, for those that the report prints."""
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
    """Reads and writes of every tablespace, the busiest first."""
    spaces, files = f.tables.get("tablespace_io"), f.tables.get("file_io")
    table = spaces if spaces is not None else files
    if table is None:
        return ()
    kinds = {each.name: "temp" for each in tablespaces.temporary(f)}
    kinds |= {each.name: "undo" for each in tablespaces.undo(f)}
    found: dict[str, TablespaceIO] = {}
    for row in table.rows:
        name, reads, writes = row.text("tablespace"), row.number("reads"), row.number("writes")
        if not name or (reads is None and writes is None):
            continue
        before = found.get(name)
        found[name] = TablespaceIO(
            name,
            (reads or 0) + (before.reads if before else 0),
            (writes or 0) + (before.writes if before else 0),
            row.number("read_ms") if table is spaces else None,
            kinds.get(name, ""),
        )
    return tuple(sorted(found.values(), key=lambda each: -(each.reads + each.writes)))


def undo_slices(f: Figures) -> tuple[UndoSlice, ...]:
    """Undo over time, the earliest first: Oracle prints the latest first."""
    table = f.tables.get("undo_stats")
    found = [
        UndoSlice(row.text("end_time"), blocks, row.number("transactions"),
                  row.number("max_query_s"))
        for row in (table.rows if table is not None else ())
        if (blocks := row.number("undo_blocks")) is not None
    ]  # fmt: skip
    return tuple(reversed(found))
