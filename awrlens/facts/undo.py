"""Undo: how much of the writing it is, and what rollbacks and long queries ask of it.

Source: document 3, "Undo Tablespace Writes" (figures 11 to 21).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from awrlens.facts import tablespaces as ts
from awrlens.facts.formula import Figure, Missing, add, derive, measured, summed, unavailable

if TYPE_CHECKING:
    from awrlens.facts.figures import Figures
    from awrlens.model import Fact

_KIND = "undo"


def block_write_pct(f: Figures) -> Fact:
    """Undo blocks in all blocks that were written."""
    return derive(
        "undo * 100 / writes",
        undo=f.stat("DBWR undo block writes", "undo block writes"),
        writes=f.stat("physical writes", "physical writes"),
    )


def tablespace_names(f: Figures) -> Fact:
    """Undo tablespaces and how each was recognised."""
    return ts.names_fact(f, ts.undo(f), _KIND)


def tablespace_writes(f: Figures) -> Fact:
    """Writes to undo tablespaces."""
    figure = ts.total(f, ts.undo(f), _KIND, ("writes",), "writes")
    return summed(figure, ts.source_note(f, ("writes",)))


def tablespace_write_pct(f: Figures) -> Fact:
    """Writes to undo tablespaces in those to all tablespaces."""
    return derive(
        "undo * 100 / all",
        ts.source_note(f, ("writes",)),
        undo=ts.total(f, ts.undo(f), _KIND, ("writes",), "undo writes"),
        all=ts.every(f, ("writes",), "writes to all tablespaces"),
    )


def read_ms(f: Figures) -> Fact:
    """Read latency of undo tablespaces, weighted by reads."""
    return ts.weighted_fact(f, ts.undo(f), _KIND, "read_ms", "reads")


def buffer_wait_ms(f: Figures) -> Fact:
    """Average wait for a buffer of an undo tablespace, weighted by buffer waits."""
    if not ts.has_data(f):
        waited, waits = _by_class(f, "total_wait_s", "s"), _by_class(f, "waits", "waits")
        fact = derive("waited * 1000 / waits", _CLASSES, waited=waited, waits=waits)
        return fact._replace(status="estimated") if fact.value is not None else fact
    return ts.weighted_fact(f, ts.undo(f), _KIND, "buffer_wait_ms", "buffer_waits")


_CLASSES = f"{ts.INSTEAD}Buffer Wait Statistics, undo classes"


def _by_class(f: Figures, column: str, label: str) -> Figure | Missing:
    """Buffer waits of undo blocks and headers, for reports without I/O by tablespace."""
    table = f.tables.get("buffer_waits")
    if table is None:
        return f.missing("tablespace_io", "buffer_waits")
    absent = Missing("Buffer Wait Statistics has no such column", ("buffer_waits",))
    cells = [f.figure(row.cell(column), label, absent) for row in table.rows if "undo" in row.key]
    return add([each for each in cells if isinstance(each, Figure)], label)


def rollbacks_per_1000_executes(f: Figures) -> Fact:
    """User rollbacks for every thousand executions (document 3 expects about 1 at most)."""
    return derive(
        "rollbacks * 1000 / executes",
        rollbacks=f.stat("user rollbacks", "rollbacks"),
        executes=f.stat("execute count", "executions"),
    )


def rollback_records_applied(f: Figures) -> Fact:
    """Undo records that rollbacks applied."""
    return measured(f.stat("rollback changes - undo records applied", "records"))


def vector_bytes_per_s(f: Figures) -> Fact:
    """Bytes of undo generated per second."""
    return derive("size / elapsed", size=f.stat("undo change vector size", "B"), elapsed=f.elapsed)


def max_query_s(f: Figures) -> Fact:
    """Longest query in seconds."""
    cells = _summary(f, "max_query_s")
    if isinstance(cells, Missing):
        return unavailable(cells)
    top = max(cells, key=lambda figure: figure.value)
    return measured(top)


def snapshot_too_old(f: Figures) -> Fact:
    """Queries that failed with ORA-01555."""
    return _summary_total(f, "snapshot_too_old")


def out_of_space(f: Figures) -> Fact:
    """Transactions that found no undo space."""
    return _summary_total(f, "out_of_space")


def _summary(f: Figures, column: str) -> list[Figure] | Missing:
    table = f.tables.get("undo_summary")
    if table is None:
        return f.missing("undo_summary")
    absent = Missing("Undo Segment Summary has no column for it", ("undo_summary",))
    found = [f.figure(row.cell(column), "", absent) for row in table.rows]
    figures = [each for each in found if isinstance(each, Figure)]
    if not figures:
        return next((each for each in found if isinstance(each, Missing)), absent)
    return figures


def _summary_total(f: Figures, column: str) -> Fact:
    figures = _summary(f, column)
    if isinstance(figures, Missing):
        return unavailable(figures)
    return summed(add(figures, ""))


def buffer_wait_s(f: Figures) -> Fact:
    """Seconds waited for buffers of undo tablespaces: waits × average."""
    if not ts.has_data(f):
        fact = summed(_by_class(f, "total_wait_s", "s"), _CLASSES)
        return fact._replace(status="estimated") if fact.value is not None else fact
    return _waited(f, "buffer_wait_ms", "buffer_waits")


def read_wait_s(f: Figures) -> Fact:
    """Seconds spent reading undo tablespaces: reads × average."""
    return _waited(f, "read_ms", "reads")


def _waited(f: Figures, column: str, count: str) -> Fact:
    spaces = ts.undo(f)
    found = ts.weighted_ms(f, spaces, _KIND, column, count)
    total = ts.total(f, spaces, _KIND, (count,), count.replace("_", " "))
    if isinstance(found, Missing):
        if isinstance(total, Figure) and total.value == 0:
            return measured(Figure(0, "s", total.evidence))
        return unavailable(found)
    average = Figure(found.ms, "ms", found.evidence)
    return derive("average * count / 1000", average=average, count=total)
