"""Undo: its share of writes, and the undo that rollbacks and long queries apply.

Source: "Write Accelerator", "Undo Tablespace Writes" (figures 11 to 21).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from awrlens.fact_table import fact
from awrlens.facts import dbwr, tablespace_sums, tablespace_tables
from awrlens.facts import tablespaces as ts
from awrlens.facts.formula import (
    Figure,
    Missing,
    add,
    derive,
    measured,
    readable,
    summed,
    unavailable,
)
from awrlens.facts.numbers import column as column_of
from awrlens.facts.sections import ELAPSED, PARAMETERS, STATS, TABLESPACES
from awrlens.units import show

if TYPE_CHECKING:
    from awrlens.facts.numbers import Figures
    from awrlens.model import Fact

_BUFFER_WAITS: Final = f"{TABLESPACES}|buffer_waits"

_KIND = "undo"


#: Statistics are not read at the same moment, but no part is twice the whole.
_IMPOSSIBLE_PCT: Final = 200.0  # awrlens: real reports have at most 100 %


@fact(
    "undo.block_write_pct",
    "%",
    STATS,
    kind="level",
    better="lower over time",
    title="Undo in DBWR's writes",
)
def block_write_pct(f: Figures) -> Fact:
    """Share of undo blocks in DBWR's writes from the cache.

    "Write Accelerator" divides by all physical writes ("35.4 DBWR undo block writes per second
    out of 38.1"): the note has that share, too.
    """
    undo = f.stat("DBWR undo block writes", "undo block writes")
    fact = dbwr.share_of_written(f, undo, _of_all_writes(f, undo))
    if fact.number is not None and fact.number > _IMPOSSIBLE_PCT:
        why = "DBWR's undo block writes are more than twice all its writes: the figures contradict"
        return unavailable(Missing(f"{why} each other", ("instance_activity",), lost=True))
    return fact


def _of_all_writes(f: Figures, undo: Figure | Missing) -> str:
    """The share of undo blocks in all physical writes, if it differs."""
    every = f.stat("physical writes", "physical writes")
    if isinstance(undo, Missing) or isinstance(every, Missing) or not every.value:
        return ""
    written = f.once(dbwr.written)
    if isinstance(written, Missing) or written.value == every.value:
        return ""
    share = show(undo.value * 100 / every.value)
    return f"{share} % of all {every.digits} physical writes, direct ones included"


@fact("undo.tablespaces", "names", TABLESPACES, PARAMETERS, kind="level", better="neither")
def tablespace_names(f: Figures) -> Fact:
    """Undo tablespaces and how each was recognised."""
    return ts.names_fact(f, ts.undo(f), _KIND)


@fact("undo.tablespace_writes", "count", TABLESPACES, PARAMETERS, kind="total", better="neither")
def tablespace_writes(f: Figures) -> Fact:
    """Writes to undo tablespaces."""
    figure = tablespace_sums.total(f, ts.undo(f), _KIND, ("writes",), "writes")
    return summed(figure, tablespace_sums.source_note(f, ("writes",)))


@fact("undo.tablespace_write_pct", "%", TABLESPACES, PARAMETERS, kind="level", better="neither")
def tablespace_write_pct(f: Figures) -> Fact:
    """Share of undo tablespaces in the writes to all tablespaces."""
    return derive(
        "undo * 100 / all",
        tablespace_sums.source_note(f, ("writes",)),
        undo=tablespace_sums.total(f, ts.undo(f), _KIND, ("writes",), "undo writes"),
        all=tablespace_sums.every(f, ("writes",), "writes to all tablespaces"),
    )


@fact(
    "undo.read_ms",
    "ms",
    TABLESPACES,
    PARAMETERS,
    kind="level",
    better="lower",
    title="Undo read time",
)
def read_ms(f: Figures) -> Fact:
    """Read latency of undo tablespaces, weighted by reads; not that of backups."""
    if backup := f.once(_read_by_backups):
        return unavailable(backup)
    return tablespace_sums.weighted_fact(f, ts.undo(f), _KIND, "read_ms", "reads")


@fact("undo.buffer_wait_ms", "ms", _BUFFER_WAITS, PARAMETERS, kind="level", better="lower")
def buffer_wait_ms(f: Figures) -> Fact:
    """Average wait for an undo block or header."""
    if f.once(_is_by_class):
        waited, waits = _by_class(f, "total_wait_s", "s"), _by_class(f, "waits", "waits")
        return derive("waited * 1000 / waits", _CLASSES, waited=waited, waits=waits)
    fact = tablespace_sums.weighted_fact(f, ts.undo(f), _KIND, "buffer_wait_ms", "buffer_waits")
    return _of_files(f, fact)


_CLASSES: Final = "Buffer Wait Statistics, undo classes"
#: Seconds by which the classes, which are whole seconds, may differ from the tablespaces.
_ROUNDED_S: Final = 1.0


def _is_by_class(f: Figures) -> bool:
    """Whether undo's buffer waits are those of its classes in Buffer Wait Statistics.

    Buffer waits of a tablespace include those for the headers of its files, and may lack undo. They
    are more exact than whole seconds, and count if both agree or the report has no classes. The
    classes do not need the names of undo tablespaces, which some reports do not show.
    """
    classes = _by_class(f, "total_wait_s", "s")
    if isinstance(classes, Missing):
        return not tablespace_tables.has_data(f)
    if not tablespace_tables.has_data(f):
        return True
    files = _waited(f, "buffer_wait_ms", "buffer_waits")
    return files.number is None or abs(files.number - classes.value) > _ROUNDED_S


def _of_files(f: Figures, fact: Fact) -> Fact:
    """Buffer waits of undo tablespaces, with what they count if there is no list of classes."""
    if fact.value is None or f.tables.get("buffer_waits") is not None:
        return fact
    note = "buffer waits of undo tablespaces, which may include headers of their files"
    return fact._replace(note="; ".join(filter(None, (fact.note, note))))


def _by_class(f: Figures, column: str, label: str) -> Figure | Missing:
    """Buffer waits of undo blocks and headers."""
    return f.once(_read_by_class, column, label)


def _read_by_class(f: Figures, column: str, label: str) -> Figure | Missing:
    table = f.tables.get("buffer_waits")
    if table is None:
        return f.missing("tablespace_io", "buffer_waits")
    rows = [row for row in table.rows if "undo" in row.key]
    kinds = ("undo", "system undo", "save undo")
    if table.unread(kinds) or (not rows and not f.complete):
        return Missing(f"{table.title} may lack a line of undo", ("buffer_waits",))
    figures = readable(column_of(f, table, rows, column, label))
    return figures if isinstance(figures, Missing) else add(figures, label)


@fact(
    "undo.rollbacks_per_1000_executes",
    "ratio",
    STATS,
    kind="level",
    better="lower",
    title="Rollbacks per 1,000 executions",
)
def rollbacks_per_1000_executes(f: Figures) -> Fact:
    """User rollbacks per 1,000 executions ("Write Accelerator" expects about 1 at most)."""
    return derive(
        "rollbacks * 1000 / executes",
        rollbacks=f.stat("user rollbacks", "rollbacks"),
        executes=f.stat("execute count", "executions"),
    )


@fact("undo.rollback_records_applied", "count", STATS, kind="total", better="neither")
def rollback_records_applied(f: Figures) -> Fact:
    """Undo records that rollbacks applied."""
    return measured(f.stat("rollback changes - undo records applied", "records"))


@fact("undo.records_per_rollback", "count", STATS, kind="level", better="neither")
def records_per_rollback(f: Figures) -> Fact:
    """Undo records applied per transaction that was rolled back.

    `transaction rollbacks` counts those that applied undo, `user rollbacks` every call. "Write
    Accelerator" has 48,219,732 / 48,268 = 999: its procedure counts from 1 to 1000.
    """
    undone = f.stat("transaction rollbacks", "transactions rolled back")
    if isinstance(undone, Missing) and not undone.lost:
        undone = f.stat("user rollbacks", "rollbacks")
    return derive(
        "records / undone",
        records=f.stat("rollback changes - undo records applied", "records"),
        undone=undone,
    )


@fact("undo.rollback_pct", "%", STATS, kind="level", better="lower")
def rollback_pct(f: Figures) -> Fact:
    """Share of user rollbacks in all transactions that ended."""
    return derive(
        "rollbacks * 100 / (rollbacks + commits)",
        rollbacks=f.stat("user rollbacks", "rollbacks"),
        commits=f.stat("user commits", "commits"),
    )


@fact("undo.consistent_read_records_applied", "count", STATS, kind="total", better="neither")
def consistent_read_records_applied(f: Figures) -> Fact:
    """Undo records that queries applied to data blocks for consistent reads."""
    return measured(f.stat("data blocks consistent reads - undo records applied", "records"))


@fact("undo.transaction_table_records_applied", "count", STATS, kind="total", better="neither")
def transaction_table_records_applied(f: Figures) -> Fact:
    """Undo records that queries applied to transaction tables to find the time of a commit."""
    return measured(f.stat("transaction tables consistent reads - undo records applied", "records"))


@fact("undo.io_rank", "count", TABLESPACES, PARAMETERS, kind="none", better="neither")
def io_rank(f: Figures) -> Fact:
    """Rank of the busiest undo tablespace among all by writes; 1 has the most writes."""
    return tablespace_sums.rank_fact(f, ts.undo(f), _KIND, ("writes",))


@fact("undo.write_ms", "ms", TABLESPACES, PARAMETERS, kind="level", better="lower")
def write_ms(f: Figures) -> Fact:
    """Write latency of undo tablespaces, weighted by writes, if it is in the report."""
    return tablespace_sums.weighted_fact(f, ts.undo(f), _KIND, "write_ms", "writes")


@fact(
    "undo.blocks_per_write", "ratio", STATS, TABLESPACES, PARAMETERS, kind="level", better="neither"
)
def blocks_per_write(f: Figures) -> Fact:
    """Undo blocks per write of DBWR.

    "Write Accelerator" calls undo writes "usually single block writes"; its figures 15 and 16 give
    437,496 blocks / 34,298 writes = 12.8.
    """
    return derive(
        "blocks / writes",
        blocks=f.stat("DBWR undo block writes", "undo blocks"),
        writes=tablespace_sums.total(f, ts.undo(f), _KIND, ("writes",), "writes"),
    )


@fact("undo.vector_bytes_per_s", "B/s", STATS, ELAPSED, kind="rate", better="neither")
def vector_bytes_per_s(f: Figures) -> Fact:
    """Bytes of undo generated per second."""
    return derive("size / elapsed", size=f.stat("undo change vector size", "B"), elapsed=f.elapsed)


@fact("undo.redo_pct", "%", STATS, kind="level", better="neither")
def redo_pct(f: Figures) -> Fact:
    """Share of the redo that is undo: DML on temporary tables generates redo for undo only."""
    undo, redo = f.stat("undo change vector size", "B undo"), f.stat("redo size", "B redo")
    return derive("undo * 100 / redo", undo=undo, redo=redo)


@fact("undo.buffer_wait_s", "s", _BUFFER_WAITS, PARAMETERS, kind="total", better="lower")
def buffer_wait_s(f: Figures) -> Fact:
    """Seconds waited for undo blocks and headers.

    By class in Buffer Wait Statistics; by tablespace if the two agree, which is more exact, or if
    the report has no classes. Waits for the headers of files that grow are not included.
    """
    if f.once(_is_by_class):
        return summed(_by_class(f, "total_wait_s", "s"), _CLASSES)
    return _of_files(f, _waited(f, "buffer_wait_ms", "buffer_waits"))


@fact("undo.foreign_buffer_wait_pct", "%", TABLESPACES, PARAMETERS, kind="level", better="neither")
def foreign_buffer_wait_pct(f: Figures) -> Fact:
    """Share of the buffer waits of undo that are for undo of other instances (RAC).

    Sessions read the undo of another instance to see blocks as they were before its transactions.
    Outside a cluster, a second undo tablespace is the instance's own, of before or after a change.
    """
    if not f.header.rac or not f.is_of_one:
        return unavailable(Missing("the report is not of an instance of a cluster", ("database",)))
    found = ts.undo(f)
    others = [each for each in found if each.how == ts.BY_NAME]
    if len(others) == len(found):
        return unavailable(Missing("UNDO_TABLESPACE is not in the report", ("parameters",)))
    columns = ("buffer_waits",)
    theirs: Figure | Missing = Figure(0, "waits")
    if others:
        theirs = tablespace_sums.total(f, others, _KIND, columns, "waits for undo of others")
    every = tablespace_sums.total(f, found, _KIND, columns, "waits")
    return derive("theirs * 100 / every", theirs=theirs, every=every)


@fact("undo.file_extensions", "count", STATS, kind="total", better="lower over time")
def file_extensions(f: Figures) -> Fact:
    """How often a file of an undo tablespace was extended (AUTOEXTEND)."""
    return measured(f.stat("auto extends on undo tablespace", "extensions"))


@fact("undo.read_wait_s", "s", TABLESPACES, PARAMETERS, kind="total", better="lower")
def read_wait_s(f: Figures) -> Fact:
    """Seconds spent reading undo tablespaces: reads × average."""
    if backup := f.once(_read_by_backups):
        return unavailable(backup)
    return _waited(f, "read_ms", "reads")


#: Sessions read undo block by block. # awrlens: real reports have below 3 or above 35 blocks
_BLOCKS_OF_SESSIONS: Final = 8.0


def _read_by_backups(f: Figures) -> Missing | None:
    """Why reads of undo tablespaces are not those of sessions: they are of many blocks."""
    mean = tablespace_sums.weighted_ms(f, ts.undo(f), _KIND, "blocks_per_read", "reads")
    if isinstance(mean, Missing) or mean.ms < _BLOCKS_OF_SESSIONS:
        return None
    why = (
        f"a read of undo has {mean.ms:,.0f} blocks on average: a backup reads the tablespace, and "
        "sessions, which read single blocks, do not wait for that"
    )
    return Missing(why, ("tablespace_io",))


def _waited(f: Figures, column: str, count: str) -> Fact:
    return f.once(_time_of, column, count)


def _time_of(f: Figures, column: str, count: str) -> Fact:
    spaces = ts.undo(f)
    total = tablespace_sums.total(f, spaces, _KIND, (count,), count.replace("_", " "))
    if isinstance(total, Figure) and total.value == 0:
        return measured(Figure(0, "s", total.evidence))
    found = tablespace_sums.weighted_ms(f, spaces, _KIND, column, count)
    if isinstance(found, Missing):
        return unavailable(found)
    average = Figure(found.ms, "ms", found.evidence)
    return derive("average * count / 1000", average=average, count=total)
