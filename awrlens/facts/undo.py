"""Undo: its share of writes, what rollbacks and queries apply, waits for segments, retention.

Sources: "Write Accelerator", "Undo Tablespace Writes" (figures 11 to 21); V$UNDOSTAT in Oracle
Database Reference. The article says that figure 20 shows the US enqueue, but its enqueues are CF,
JS, KO and PV with 17 waits in all, as in figure 15.
"""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING, Final

from awrlens.facts import checkpoint
from awrlens.facts import tablespaces as ts
from awrlens.facts.answers import Answer, as_input, needed, summed, text_fact
from awrlens.facts.counters import kept
from awrlens.facts.figures import Figures, formula, several
from awrlens.facts.formula import Figure, Missing, Number, add, no_column, readable, value_of
from awrlens.facts.sections import BLOCK_SIZE, CPU, ELAPSED, FG, PARAMETERS, STATS, TABLESPACES
from awrlens.facts.temp import block_size
from awrlens.facts.waits import average, column, waited, waited_s
from awrlens.model.fact_table import fact
from awrlens.units import plain, show

if TYPE_CHECKING:
    from collections.abc import Sequence

    from awrlens.model import Fact
    from awrlens.report.table import Row


_BUFFER_WAITS: Final = f"{TABLESPACES}|buffer_waits"

_KIND = "undo"


@fact("undo.block_write_pct", "%", STATS, better="lower over time", title="Undo in DBWR's writes")
def block_write_pct(f: Figures) -> Answer:
    """Share of undo blocks in DBWR's writes from the cache.

    "Write Accelerator" divides by all physical writes ("35.4 DBWR undo block writes per second
    out of 38.1"): the note has that share, too.
    """
    undo = f.stat("DBWR undo block writes", "undo block writes")
    return checkpoint.share_of_written(f, undo, _of_all_writes(f, undo))


def _of_all_writes(f: Figures, undo: Number) -> str:
    """The share of undo blocks in all physical writes, if it differs."""
    every, written = f.stat("physical writes", "physical writes"), checkpoint.written(f).value
    share = (undo * 100 / every).value
    if isinstance(every, Missing) or share is None or written in (None, every.value):
        return ""
    return f"{show(share)} % of all {every.digits} physical writes, direct ones included"


formula("undo.tablespaces", "names", (TABLESPACES, PARAMETERS),
    "Undo tablespaces and how each was recognised.",
    lambda f: ts.names_fact(f, _KIND))  # fmt: skip


@several("count", TABLESPACES, PARAMETERS, kind="total")
def operations(f: Figures, kind: str, _what: str) -> Answer:
    """{_what} undo tablespaces."""
    return summed(ts.total(f, _KIND, (kind,), kind), ts.source_note(f, (kind,)))


operations("undo.tablespace_reads", "reads", "Reads from")
operations("undo.tablespace_writes", "writes", "Writes to")


@fact("undo.tablespace_write_pct", "%", TABLESPACES, PARAMETERS)
def tablespace_write_pct(f: Figures) -> Answer:
    """Share of undo tablespaces in the writes to all tablespaces."""
    undo = ts.total(f, _KIND, ("writes",), "undo writes")
    every = ts.every(f, ("writes",), "writes to all tablespaces")
    return (undo * 100 / every).noted(ts.source_note(f, ("writes",)))


@fact("undo.read_ms", "ms", TABLESPACES, PARAMETERS, title="Undo read")
def read_ms(f: Figures) -> Answer:
    """Read latency of undo tablespaces, weighted by reads; not that of backups."""
    needed(_read_by_backups(f))
    return ts.weighted_fact(f, _KIND, "read_ms", "reads")


@fact("undo.buffer_wait_ms", "ms", _BUFFER_WAITS, PARAMETERS)
def buffer_wait_ms(f: Figures) -> Answer:
    """Average wait for an undo block or header."""
    if _is_by_class(f):
        waited, waits = _by_class(f, "total_wait_s", "s"), _by_class(f, "waits", "waits")
        return (waited * 1000 / waits).noted(_CLASSES)
    return _of_files(f, ts.weighted_fact(f, _KIND, "buffer_wait_ms", "buffer_waits"))


_CLASSES: Final = "Buffer Wait Statistics, undo classes"
#: Seconds by which the classes, which are whole seconds, may differ from the tablespaces.
_ROUNDED_S: Final = 1.0


@kept
def _is_by_class(f: Figures) -> bool:
    """Whether undo's buffer waits are those of its classes in Buffer Wait Statistics.

    Buffer waits of a tablespace include those for the headers of its files, and may lack undo. They
    are more exact than whole seconds, and count if both agree or the report has no classes. The
    classes do not need the names of undo tablespaces, which some reports do not show.
    """
    if isinstance(classes := _by_class(f, "total_wait_s", "s"), Missing):
        return classes.lost or not ts.has_data(f)
    if not ts.has_data(f):
        return True
    files = _time_s(f, "buffer_wait_ms", "buffer_waits")
    return isinstance(files, Missing) or abs(files.value - classes.value) > _ROUNDED_S


def _of_files(f: Figures, answer: Answer) -> Fact:
    """Buffer waits of undo tablespaces, with what they count if there is no list of classes."""
    fact = answer.fact()
    if fact.value is None or f.tables.get("buffer_waits") is not None:
        return fact
    if f.complete and f.of_sessions("waits", "buffer busy waits").value:
        return f.missing("buffer_waits").fact()  # the classes may have what tablespaces lack
    note = "buffer waits of undo tablespaces, which may include headers of their files"
    return fact._replace(note="; ".join(filter(None, (fact.note, note))))


@kept
def _by_class(f: Figures, name: str, label: str) -> Number:
    if (table := f.tables.get("buffer_waits")) is None:
        return f.missing("tablespace_io", "buffer_waits")
    rows = [row for row in table.rows if "undo" in row.key]
    kinds = ("undo", "system undo", "save undo")
    if table.unread(kinds) or (not rows and not f.complete):
        return Missing(f"{table.title} may lack a line of undo")
    needed(_lacking_classes(f) if f.complete else None)
    return add(needed(readable(column(f, table, rows, name, label))), label)


formula("undo.rollbacks_per_1000_executes", "ratio", STATS,
    'User rollbacks per 1,000 executions ("Write Accelerator" expects about 1 at most).',
    lambda f: f.stat("user rollbacks", "rollbacks") * 1000 / f.stat("execute count", "executions"),
    better="lower", title="Rollbacks per 1,000 executions")  # fmt: skip


_BY_ROLLBACKS: Final = "rollback changes - undo records applied"
_BY_QUERIES: Final = "data blocks consistent reads - undo records applied"
_FOR_COMMITS: Final = "transaction tables consistent reads - undo records applied"


@several("count", STATS, kind="total")
def records(f: Figures, statistic: str, _by: str) -> Answer:
    """Undo records that {_by}."""
    return f.stat(statistic, "records")


records("undo.rollback_records_applied", _BY_ROLLBACKS, "rollbacks applied")


@fact("undo.records_per_rollback", "count", STATS)
def records_per_rollback(f: Figures) -> Answer:
    """Undo records applied per transaction that was rolled back.

    `transaction rollbacks` counts those that applied undo, `user rollbacks` every call. "Write
    Accelerator" has 48,219,732 / 48,268 = 999: its procedure counts from 1 to 1000.
    """
    undone = f.stat("transaction rollbacks", "transactions rolled back")
    # every release counts both: the second is 1 to 10 times the first
    if isinstance(undone, Missing) and not undone.lost and (undone.never or not f.complete):
        undone = f.stat("user rollbacks", "rollbacks")
    return f.stat(_BY_ROLLBACKS, "records") / undone


formula("undo.rollback_pct", "%", STATS, "Share of user rollbacks in all transactions that ended.",
    lambda f: (rolled_back := f.stat("user rollbacks", "rollbacks")) * 100
    / (rolled_back + f.stat("user commits", "commits")), better="lower")  # fmt: skip


records("undo.consistent_read_records_applied", _BY_QUERIES,
    "queries applied to data blocks for consistent reads")  # fmt: skip
records("undo.transaction_table_records_applied", _FOR_COMMITS,
    "queries applied to transaction tables to find the time of a commit")  # fmt: skip


@kept
def _applied(f: Figures) -> Number:
    """Undo records applied by rollbacks and for consistent reads."""
    applied = f.stat(_BY_QUERIES, "by queries") + f.stat(_BY_ROLLBACKS, "by rollbacks")
    tables = f.stat(_FOR_COMMITS, "for commits")
    table = f.tables.get("instance_activity")
    is_cut = table is not None and (table.width("statistic") or inf) < len(_FOR_COMMITS)
    if isinstance(tables, Figure) or (tables.lost and not is_cut):
        return applied + tables
    return applied.estimated("without those for transaction tables")


applied_read_pct = formula("undo.applied_read_pct", "%", STATS,
    "Undo records applied per 100 logical reads: each is work in memory, as a logical read is.",
    lambda f: _applied(f) * 100 / f.stat("session logical reads", "logical reads"),
    better="lower over time", beyond=True)  # fmt: skip


formula("undo.apply_cpu_s", "s", (STATS, CPU),
    "CPU seconds that undo records took if each takes as long as a logical read.",
    lambda f: (as_input(applied_read_pct(f), "%") * f.cpu / 100).estimated(
        "CPU in proportion to logical reads"), kind="none")  # fmt: skip


formula("undo.records_per_cr_block", "count", STATS,
    "Undo records applied per block that queries rebuilt as of an earlier time.",
    lambda f: f.stat(_BY_QUERIES, "records") / f.stat("CR blocks created", "blocks"),
    kind="none")  # fmt: skip
formula("undo.io_rank", "count", (TABLESPACES, PARAMETERS),
    "Rank of the busiest undo tablespace among all by writes; 1 has the most writes.",
    lambda f: ts.rank_fact(f, _KIND, ("writes",)), kind="none")  # fmt: skip
formula("undo.write_ms", "ms", (TABLESPACES, PARAMETERS),
    "Write latency of undo tablespaces, weighted by writes, if it is in the report.",
    lambda f: ts.weighted_fact(f, _KIND, "write_ms", "writes"))  # fmt: skip


@fact("undo.blocks_per_write", "ratio", STATS, TABLESPACES, PARAMETERS)
def blocks_per_write(f: Figures) -> Answer:
    """Undo blocks per write of DBWR.

    "Write Accelerator" calls undo writes "usually single block writes"; its figures 15 and 16 give
    437,496 blocks / 34,298 writes = 12.8.
    """
    return f.stat("DBWR undo block writes", "undo blocks") / ts.total(
        f, _KIND, ("writes",), "writes"
    )


formula("undo.vector_bytes_per_s", "B/s", (STATS, ELAPSED), "Bytes of undo generated per second.",
    lambda f: f.stat("undo change vector size", "B") / f.elapsed)  # fmt: skip


formula("undo.redo_pct", "%", STATS,
    "Share of the redo that is undo: DML on temporary tables generates redo for undo only.",
    lambda f: f.stat("undo change vector size", "B undo") * 100
    / f.stat("redo size", "B redo"))  # fmt: skip


@fact("undo.buffer_wait_s", "s", _BUFFER_WAITS, PARAMETERS, title="Waits for undo buffers")
def buffer_wait_s(f: Figures) -> Answer:
    """Seconds waited for undo blocks and headers."""
    if _is_by_class(f):
        return summed(_by_class(f, "total_wait_s", "s"), _CLASSES)
    return _of_files(f, _time_s(f, "buffer_wait_ms", "buffer_waits"))


@fact("undo.foreign_buffer_wait_pct", "%", TABLESPACES, PARAMETERS)
def foreign_buffer_wait_pct(f: Figures) -> Answer:
    """Share of the buffer waits of undo that are for undo of other instances (RAC).

    Sessions read the undo of another instance to see blocks as they were before its transactions.
    Outside a cluster, a second undo tablespace is the instance's own, of before or after a change.
    """
    if not f.header.rac or not f.is_of_one:
        return Missing("the report is not of an instance of a cluster")
    spaces = ts.undo(f)
    others = [space for space in spaces if space.how == ts.BY_NAME]
    if len(others) == len(spaces):
        return Missing("UNDO_TABLESPACE is not in the report")
    columns = ("buffer_waits",)
    theirs: Number = Figure(0, "waits")
    if others:
        theirs = ts.total(f, _KIND, columns, "waits for undo of others", others)
    every = ts.total(f, _KIND, columns, "waits")
    return theirs * 100 / every


@several("count", STATS, kind="total", better="lower over time")
def of_space(f: Figures, statistic: str, label: str, _what: str) -> Answer:
    """{_what}."""
    return f.stat(statistic, label)


of_space("undo.file_extensions", "auto extends on undo tablespace", "extensions",
    "How often a file of an undo tablespace was extended (AUTOEXTEND)")  # fmt: skip
of_space("undo.retention_cuts", "tune down retentions in space pressure", "cuts",
    "How often undo was kept for a shorter time because space ran short")  # fmt: skip
of_space("undo.useless_cuts", "space was not found by tune down", "cuts",
    "How often a shorter retention freed no undo space (undo.retention_cuts)")  # fmt: skip


@fact("undo.read_wait_s", "s", TABLESPACES, PARAMETERS, title="Waits for undo reads")
def read_wait_s(f: Figures) -> Answer:
    """Seconds spent reading undo tablespaces: reads × average."""
    needed(_read_by_backups(f))
    return _time_s(f, "read_ms", "reads")


#: Sessions read undo block by block. # awrlens: real reports have below 3 or above 35 blocks
_BLOCKS_OF_SESSIONS: Final = 8.0


@kept
def _read_by_backups(f: Figures) -> Missing | None:
    """Why reads of undo tablespaces are not those of sessions: they are of many blocks."""
    mean = ts.weighted_ms(f, _KIND, "blocks_per_read", "reads")
    if isinstance(mean, Missing) or mean.ms < _BLOCKS_OF_SESSIONS:
        return None
    return Missing(
        f"a read of undo has {mean.ms:,.0f} blocks on average: a backup reads the tablespace, and "
        "sessions, which read single blocks, do not wait for that"
    )


@kept
def _time_s(f: Figures, column: str, count: str) -> Number:
    total = ts.total(f, _KIND, (count,), count.replace("_", " "))
    if isinstance(total, Figure) and not total.value:
        return Figure(0, "s", total.evidence)
    mean = needed(ts.weighted_ms(f, _KIND, column, count))
    return Figure(mean.ms, "ms", mean.evidence) * total / 1000


_SEGMENTS: Final = "rollback_stats"

#: Oracle's default if the parameter is not set (Oracle Database Reference).
_PER_SEGMENT: Final = 5
#: Undo segments at the start of automatic undo; # Write Accelerator, "Undo Tablespace Writes"
_FIRST_SEGMENTS: Final = 10


@kept
def _has_enqueue_events(f: Figures) -> bool:
    """Whether enqueues are events by type (10g and later); before, all are one event."""
    return f.tables.get("time_model") is not None or any(
        (table := f.tables.get(name)) is not None and table.begins(("enq: ",))
        for name in ("foreground_events", "wait_events")
    )


def _enqueue_s(f: Figures, row: Row) -> Number:
    """The time of an enqueue; from its average where whole seconds are 0."""
    absent = Missing("Enqueue Activity has no time waited")
    total = f.figure(row.cell("total_wait_s"), "s", absent)
    if row.number("total_wait_s") == 0 and row.number("avg_wait_ms"):
        waits = f.figure(row.cell("waits"), "waits", absent)
        total = f.figure(row.cell("avg_wait_ms"), "ms", absent) * waits / 1000
    return total


@several("s", f"{FG}|enqueues")
def enqueue_wait_s(f: Figures, kind: str) -> Answer:
    """Seconds that sessions waited for {kind} enqueues."""
    if _has_enqueue_events(f):
        return waited(f, f"enq: {kind} -")
    table = f.table("enqueues")
    rows = [row for row in table.rows if row.key == kind or row.key.startswith(f"{kind}-")]
    times = [needed(_enqueue_s(f, row)) for row in rows]
    if not times and table.unread((kind,)):
        return Missing(f"a line of {kind} enqueues cannot be read")
    if not times and not f.complete:
        return Missing(f"the excerpt has no {kind} enqueue")
    note = "" if times else f"no {kind} enqueue is in the list of enqueues with waits"
    return summed(times[0] if len(times) == 1 else add(times, "s"), note)


enqueue_wait_s("undo.us_enqueue_wait_s", "US")
enqueue_wait_s("undo.ko_enqueue_wait_s", "KO")
enqueue_wait_s("undo.ci_enqueue_wait_s", "CI")
enqueue_wait_s("undo.tx_enqueue_wait_s", "TX")
enqueue_wait_s("undo.hw_enqueue_wait_s", "HW")


@several("s", "buffer_waits")
def class_wait_s(f: Figures, name: str) -> Answer:
    """Seconds that sessions waited for buffers of class `{name}`."""
    return _class(f, name, "total_wait_s", "s")


class_wait_s("undo.file_header_wait_s", "file header block")
class_wait_s("undo.header_wait_s", "undo header")
class_wait_s("undo.block_wait_s", "undo block")


@several("ms", "buffer_waits")
def class_wait_ms(f: Figures, name: str) -> Answer:
    """Average wait for a buffer of class `{name}`: total / waits."""
    return _class(f, name, "total_wait_s", "s") * 1000 / _class(f, name, "waits", "waits")


class_wait_ms("undo.file_header_wait_ms", "file header block")
class_wait_ms("undo.header_wait_ms", "undo header")
class_wait_ms("undo.block_wait_ms", "undo block")


#: Events that have the waits of Buffer Wait Statistics, with those for blocks of other instances.
_BUSY: Final = ("buffer busy waits", "read by other session")
_BUSY_IN_ALL: Final = (*_BUSY, "gc buffer busy", "buffer busy global")
#: All classes of the real reports have this share of what tablespaces or events have.
#: # awrlens: an assumption
_OF_OTHERS: Final = 0.98


@kept
def _lacking_classes(f: Figures) -> Missing | None:
    """Why Buffer Wait Statistics lacks classes: tablespaces and events have more waits, or time."""
    table, spaces = f.table("buffer_waits"), ts.by_tablespace(f)
    both = ("foreground_events", "background_events")
    lists = both if f.session_list in both else (f.session_list or "",)  # the one of all waits

    def events(label: str, starts: tuple[str, ...]) -> float:
        parts = (f.read(label, section, starts) for section in lists)
        return sum(one.value for part in parts if not isinstance(part, Missing) for one in part)

    waits, seconds = (sum(table.numbers(name)) for name in ("waits", "total_wait_s"))
    by_space = sum(spaces.numbers("buffer_waits")) if spaces is not None else 0
    least = min(by_space, events("waits", _BUSY_IN_ALL)) * _OF_OTHERS - 1
    least_s = events("s", _BUSY) * _OF_OTHERS - _ROUNDED_S - len(table) * _ROUNDED_S / 2
    own = (row for row in table if "undo" in row.key or row.key == "file header block")
    own_s = sum(row.number("total_wait_s") or 0 for row in own)
    files_s = (_time_s(f, "buffer_wait_ms", "buffer_waits").value or 0) * _OF_OTHERS - _ROUNDED_S
    if waits >= least and seconds >= least_s and own_s >= files_s - _ROUNDED_S:
        return None
    return Missing(f"{table.title} is torn: tablespaces or events have more waits", lost=True)


def _class(f: Figures, name: str, column: str, label: str) -> Number:
    """A cell of Buffer Wait Statistics, which lists the classes that were waited for."""
    table = f.tables.get("buffer_waits")
    listed = table is not None and (table.row(name) is not None or table.unread((name,)))
    if table is not None and f.complete and not listed:
        return _lacking_classes(f) or Figure(0, label)
    return f.row_figure("buffer_waits", name, column, label)


@several("ms", FG)
def enqueue_wait_ms(f: Figures, kind: str) -> Answer:
    """Average wait for {kind} enqueues in ms."""
    return average(f, f"enq: {kind} -")


enqueue_wait_ms("undo.us_enqueue_wait_ms", "US")
enqueue_wait_ms("undo.ci_enqueue_wait_ms", "CI")


waited_s("undo.segment_growth_wait_s", "while an undo segment was added, extended or shrunk",
    "undo segment ")  # fmt: skip
formula("undo.parallel_rollback_wait_s", "s", FG,
    "Seconds that parallel rollback processes of a dead transaction waited for each other.",
    lambda f: waited(f, "wait for a undo record", "wait for stopper event"))  # fmt: skip


@fact("undo.management", "name", "parameters|rollback_stats", kind="setting")
def management(f: Figures) -> Answer:
    """Whether undo is managed by the instance (``auto``) or as rollback segments (``manual``)."""
    printed = f.parameter("undo_management")
    if printed and printed[0]:
        return text_fact(printed[0].lower(), (printed[1],), "measured")
    named = f.parameter("undo_tablespace")
    if named and named[0]:
        return text_fact("auto", (named[1],), "derived", "undo_tablespace is set")
    if f.tables.get("undo_summary") is not None or f.tables.get("time_model") is not None:
        return Missing("`undo_management` is not in the report")
    cell = next((row.cell("segment") for row in f.tables.get("rollback_stats") or ()), None)
    if cell is None or f.tables.get("parameters") is None:
        return f.missing("parameters", "rollback_stats")
    note = "the report has rollback segments, but no parameter or section of automatic undo"
    return text_fact("manual", (f.evidence(cell),), "estimated", note)


_UNLISTED: Final = "is not listed (non-default parameters only)"


@fact("undo.parallel_rollback", "name", PARAMETERS)
def parallel_rollback(f: Figures) -> Answer:
    """Initialization parameter fast_start_parallel_rollback: degree of parallel rollback."""
    printed = f.parameter("fast_start_parallel_rollback")
    if not printed or not printed[0]:
        return Missing(f"`fast_start_parallel_rollback` {_UNLISTED}")
    return text_fact(printed[0].upper(), (printed[1],), "measured")


@fact("undo.expected_segments", "count", PARAMETERS)
def expected_segments(f: Figures) -> Answer:
    """Undo segments that Oracle brings online: trunc(processes / transactions per segment).

    At least ten ("Write Accelerator"). `transactions_per_rollback_segment` is 5 if it is not
    listed. With manual undo, Oracle's Reference divides `transactions` instead of `processes`.
    """
    processes = needed(f.setting("processes") or Missing("`processes` is not in the report"))
    per_segment = f.setting("transactions_per_rollback_segment")
    divisor = per_segment if per_segment and per_segment.value > 0 else Figure(_PER_SEGMENT, "")
    count = max(_FIRST_SEGMENTS, int(processes.value // divisor.value))
    note = f"trunc({processes.digits} / {divisor.digits}), at least {_FIRST_SEGMENTS}"
    return text_fact(count, (*processes.evidence, *divisor.evidence), "estimated", note)


@kept
def _segment_rows(f: Figures) -> list[Row] | Missing:
    """The segments but SYSTEM's, 0, which is the first; the list of their sizes has the same."""
    table, sizes = f.table(_SEGMENTS), f.tables.get("rollback_storage")
    listed = set(table.texts("segment"))
    whole = "0" in listed and not table.is_cut
    if f.complete and not (whole and (sizes is None or listed >= set(sizes.texts("segment")))):
        return Missing(f"{table.title} is torn: it lacks segments", lost=True)
    return [row for row in table.rows if row.key != "0"]


def _of_list(f: Figures, fact: Fact) -> Fact:
    """A fact from all segments: an estimate if the list may lack some."""
    if f.complete or fact.value is None:
        return fact
    return fact._replace(status="estimated", note="the excerpt may lack segments")


@fact("undo.rollback_segments", "count", _SEGMENTS)
def segments(f: Figures) -> Answer:
    """Rollback segments online, without SYSTEM's."""
    rows = needed(_segment_rows(f))
    cell = rows[0].cell(f.table(_SEGMENTS).key or "") if rows else None
    if cell is None:
        return Missing("Rollback Segment Stats has no segment")
    return _of_list(f, text_fact(len({row.key for row in rows}), (f.evidence(cell),), "derived"))


@fact("undo.rollback_segment_wait_pct", "%", _SEGMENTS, beyond=True)
def segment_wait_pct(f: Figures) -> Answer:
    """Highest share of waits in the gets of a rollback segment's header."""
    table = f.table(_SEGMENTS)
    figures = needed(readable(column(f, table, needed(_segment_rows(f)), "waits_pct", "%")))
    return _of_list(f, max(needed(figures or no_column(table)), key=value_of).fact())


#: A row of V$UNDOSTAT covers ten minutes (Oracle Database Reference).
_SLICE_S: Final = 600


formula("undo.max_query_s", "s", "undo_summary", "Longest query in seconds.",
    lambda f: max(_summary(f, "max_query_s"), key=value_of))  # fmt: skip


@several("count", "undo_summary", kind="total", better="lower")
def counts(f: Figures, _what: str, *names: str) -> Answer:
    """{_what}."""
    return summed(add([figure for name in names for figure in _summary(f, name)], ""))


counts("undo.snapshot_too_old", "Queries that failed with ORA-01555", "snapshot_too_old")
counts("undo.out_of_space", "Number of times that a transaction found no undo space",
    "out_of_space")  # fmt: skip


def _summary(f: Figures, name: str) -> list[Figure]:
    """A column of Undo Segment Summary, at least one figure."""
    table = f.table("undo_summary")
    cells = column(f, table, needed(_rows(f)), name, "")
    return needed(readable(cells)) or [needed(cell) for cell in (*cells, no_column(table))]


#: Undo Segment Summary has the most undo of all containers: its blocks are 0.72 of those of
#: `undo change vector size` or more in 44 real reports, but 0.2 or less in three of a CDB's root,
#: whose pluggable databases have undo of their own. # awrlens: half
_OF_ALL_UNDO: Final = 0.5


@kept
def _rows(f: Figures) -> list[Row] | Missing:
    rows = list(f.table("undo_summary").rows)
    written = (f.stat("undo change vector size", "B") / block_size(f)).value
    listed = sum(row.number("undo_blocks") or 0.0 for row in rows)
    if f.complete and listed < _OF_ALL_UNDO * (written or 0.0):
        return Missing(f"Undo Segment Summary has {listed:,.0f} of {written:,.0f} undo blocks: "
                       "as in the root of a CDB, it lacks most of the undo")  # fmt: skip
    if f.complete and written is None and not listed and rows:  # AWR diff 11.2.0.3.0-rac_01
        return Missing("the report does not show whether undo was written")
    used = [tuple(row.names_and_figures[1]) for row in rows if row.number("undo_blocks")]
    if len(set(used)) == len(used):
        return rows
    return Missing("two tablespaces of Undo Segment Summary have the same figures", lost=True)


def _retention(f: Figures) -> Number:
    """Undo retention that is set (initialization parameter undo_retention)."""
    if (printed := f.parameter("undo_retention")) is None:
        return Missing(f"`undo_retention` {_UNLISTED}")
    shown = f"is shown as `{printed[0]}`" if printed[0] else "is blank"
    return f.setting("undo_retention", "s") or Missing(f"`undo_retention` {shown}", lost=True)


fact("undo.retention_s", "s", PARAMETERS)(_retention)


formula("undo.min_tuned_retention_s", "s", "undo_summary",
    "Minimum undo retention in the interval, as tuned by the instance (10g and later).",
    lambda f: min(_summary(f, "min_tuned_retention_min"), key=value_of).labelled("min") * 60,
)  # fmt: skip


@fact("undo.kept_for", "name", "undo_summary", PARAMETERS)
def kept_for(f: Figures) -> Answer:
    """How long undo was kept, where that is shorter than the retention that is set, in words.

    A tablespace of a fixed size keeps undo for as long as it has space, whatever the setting
    (AWR reports 10.2.0.4.0-rac 05 and 06).
    """
    kept = min(_summary(f, "min_tuned_retention_min"), key=value_of)
    wanted, longest = needed(_retention(f)), max(_summary(f, "max_query_s"), key=value_of)
    if not 0 < round(kept.value) < round(wanted.value / 60):  # 0: nothing was tuned
        return Missing("undo is not kept for less than UNDO_RETENTION")
    said = f"kept {plain(kept.value, 3)} min, not the {plain(wanted.value / 60, 3)} min set: "
    said += f"longest query {longest.value:,.0f} s"
    return text_fact(said, (*kept.evidence, *wanted.evidence, *longest.evidence), "derived")


counts("undo.unexpired_steals", "Undo blocks taken before they expired (uS + uR + uU)",
    "unexpired_stolen", "unexpired_released", "unexpired_reused")  # fmt: skip
counts.but(better=None)("undo.expired_steals",
    "Expired undo blocks taken from other segments (eS + eR + eU): normal reuse", "expired_stolen",
    "expired_released", "expired_reused")  # fmt: skip


@kept
def _peak(f: Figures) -> Number:
    table = f.table("undo_stats")
    rows: Sequence[Row] = table.rows
    if not rows:
        return f.missing("undo_stats")
    if table.is_plain("undo_blocks") and not table.disputes:  # no other row needs to be looked at
        blocks = table.numbers("undo_blocks")
        rows = [rows[blocks.index(max(blocks))]]
    cells = column(f, table, rows, "undo_blocks", "undo blocks")
    figures = needed(readable(cells))
    most = max(figures, key=value_of) if figures else cells[0]
    listed = sum(table.numbers("undo_blocks"))
    summary = f.tables.get("undo_summary")
    whole = sum(summary.numbers("undo_blocks")) if summary is not None else 0
    if isinstance(most, Figure) and listed < _MOSTLY * whole:
        # not all of the interval is listed: another ten minutes may have more
        return most.noted("at least: Undo Segment Stats lists a part of the interval")
    return most


#: All ten minutes of an interval have what the summary rounds to tens. # awrlens: nine tenths
_MOSTLY: Final = 0.9


formula("undo.peak_blocks_per_s", "1/s", "undo_stats",
    "Undo blocks per second in the busiest ten minutes (Undo Segment Stats).",
    lambda f: _peak(f) / _SLICE_S)  # fmt: skip


@fact("undo.needed_mb", "MB", "undo_stats", "undo_summary", PARAMETERS, BLOCK_SIZE)
def needed_mb(f: Figures) -> Answer:
    """Undo for the longest query and the retention that is set, at the peak rate of ten minutes."""
    times, retention = _summary(f, "max_query_s"), _retention(f)
    f.table("parameters")
    times += needed(readable([retention]))
    blocks = max(times, key=value_of).labelled("s") * _peak(f) / _SLICE_S
    return blocks * block_size(f) / 1024 / 1024
