"""Hot tables and indexes: segments with most reads, writes and waits, tablespaces by read time.

Source: "Write Accelerator", Summary: after redo, temporary and undo writes, "hot indexes and
tables" are next. Statspack collects segment statistics from snapshot level 7 on. Physical reads of
segments are blocks, those of direct path reads included.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from awrlens.facts import tablespaces as ts
from awrlens.facts import temp
from awrlens.facts.answers import Answer, needed, text_fact
from awrlens.facts.figures import Figures, several
from awrlens.facts.formula import Missing, add, is_lost, readable
from awrlens.facts.sections import BLOCK_SIZE, STATS, TABLESPACES
from awrlens.facts.waits import column
from awrlens.lazy import NamedTuple
from awrlens.model.fact_table import fact
from awrlens.units import is_overflow, plain

if TYPE_CHECKING:
    from awrlens.report.table import Row, Table

#: Number of segments that are named.
NAMED: Final = 3
#: A segment below this share is not hot. # awrlens: a tenth
HOT_PCT: Final = 10.0
_NOT_MOVED: Final = "those of SYS and SYSTEM, which are not moved"
READS: Final = "segments_by_physical_reads"
_WRITES: Final = "segments_by_physical_writes"
_BUSY: Final = "segments_by_buffer_busy_waits"
_LOCKED: Final = "segments_by_row_lock_waits"


@several("names", READS)
def hot_segments(
    f: Figures, section: str, column: str, what: str, _not: str = _NOT_MOVED
) -> Answer:
    """Segments with 10 % or more of the {what}, at most 3; not {_not}."""
    table = f.table(section)
    named = [(name_of(row), row) for row in table.rows]
    rows = dict(named)
    different = {(name, row.number(column)) for name, row in named}
    if len(rows) < len(different) or not all(_is_whole(row, column) for row in rows.values()):
        return Missing(f"a row of {table.title} cannot be read, or one is there twice", lost=True)
    ranked = sorted(rows.values(), key=lambda row: -(row.number(column) or 0))
    # neither of Oracle's dictionary nor without a name (`** UNAVAILABLE **`)
    own = [row for row in ranked if row.text("owner").upper() not in _ORACLES]
    own = [row for row in own if not row.text("owner").startswith("**")]
    hot = [row for row in own[:NAMED] if (row.number("total_pct") or 0) >= HOT_PCT]
    if not hot:
        besides = " besides those of SYS and SYSTEM" if len(own) < len(ranked) else ""
        return Missing(f"no segment has {HOT_PCT:g} % of the {what} in {table.title}{besides}")
    proof = f.proof(*(row.cell(name) for row in hot for name in ("object_name", column)))
    shares = "; ".join(f"{name_of(row)}: {row.text('total_pct')} %" for row in hot)
    return text_fact(tuple(map(name_of, hot)), proof, "measured", shares)


#: Owners of Oracle's dictionary.
_ORACLES: Final = ("SYS", "SYSTEM")


def _is_whole(row: Row, column: str) -> bool:
    numbers = (row.number(column), row.number("total_pct"))
    return bool(row.text("owner") and name_of(row)) and None not in numbers


def name_of(row: Row) -> str:
    """Owner, name and partition of a segment; empty without a name."""
    parts = [row.text(column) for column in ("owner", "object_name", "subobject_name")]
    return ".".join(filter(None, parts)) if parts[1] else ""


hot_segments("io.read_segments", READS, "physical_reads", "physical reads")
hot_segments.but(_WRITES)("io.write_segments", _WRITES, "physical_writes", "physical writes")
hot_segments.but(_BUSY)("io.busy_segments", _BUSY, "buffer_busy_waits", "buffer busy waits")
hot_segments.but(_LOCKED)("load.locked_segments", _LOCKED, "row_lock_waits", "row lock waits")


@fact("load.built_index", "name", "segments_by_direct_writes", BLOCK_SIZE)
def built_index(f: Figures) -> Answer:
    """The index with the most direct writes of all segments: it was built or rebuilt.

    No other work writes an index directly, but for a direct load, which writes more to its table.
    """
    row = first(f, "segments_by_direct_writes", "direct_writes")
    share = 0.0 if row is None else row.number("total_pct") or 0.0
    if row is None or "INDEX" not in row.text("object_type") or share < HOT_PCT:
        return Missing(f"no index has the most direct writes and {HOT_PCT:g} %")
    written = f.figure(row.cell("direct_writes"), "blocks", Missing("")) * temp.block_size(f)
    mb = needed(written / 1024 / 1024)
    built = f"index {name_of(row)} of {plain(mb.value)} MB was built"
    return text_fact(name_of(row), mb.evidence, "estimated", built)


def first(f: Figures, section: str, column: str) -> Row | None:
    """The segment with most of something, if it is not one of Oracle's dictionary."""
    table = f.tables.get(section)
    row = max(table or (), key=lambda segment: segment.number(column) or 0.0, default=None)
    if row is None or row.text("owner").upper() in _ORACLES:
        return None
    return row if _is_whole(row, column) else None


#: Maximum share of reads without a time at which the others are still ranked by their times.
_UNTIMED: Final = 0.5
#: The same for reads whose time does not fit its column.
_OVERFLOWING: Final = 0.05


class _Reads(NamedTuple):
    """The read times of one tablespace, in its rows."""

    rows: list[int]
    seconds: float
    #: Reads that are counted with 0 ms or without a time.
    untimed: float
    #: Reads whose time does not fit its column.
    overflowing: float


@fact("io.read_tablespaces", "names", TABLESPACES)
def read_tablespaces(f: Figures) -> Answer:
    """Tablespaces with 10 % or more of the read time (reads × Av Rd(ms)), at most 3."""
    table = needed(_with_times(f))
    spaces = _by_tablespace(f, table)
    whole_s = sum(space.seconds for space in spaces.values())
    reads, lost_reads = sum(table.numbers("reads")), sum(space.untimed for space in spaces.values())
    if not whole_s or lost_reads > _UNTIMED * reads:
        why = ts.untimed(lost_reads, "reads") if lost_reads else "no reads are counted there"
        return Missing(why)
    overflowing = sum(space.overflowing for space in spaces.values())
    if overflowing > _OVERFLOWING * reads:  # long times: these tablespaces may be the hottest
        why = f"{table.title} shows `####` for the time of {overflowing:,.0f} reads"
        return Missing(why, lost=True)
    ranked = sorted(spaces, key=lambda name: -spaces[name].seconds)
    hot = [name for name in ranked[:NAMED] if spaces[name].seconds * 100 >= HOT_PCT * whole_s]
    if not hot:
        return Missing(f"no tablespace has {HOT_PCT:g} % of the read time in {table.title}")
    proof = f.proof(*(
        table.rows[number].cell(column)
        for name in hot for number in spaces[name].rows for column in ("reads", "read_ms")
    ))  # fmt: skip
    times = ((name, spaces[name].seconds) for name in hot)
    notes = [", ".join(f"{name}: {s:,.0f} s ({s * 100 / whole_s:.0f} %)" for name, s in times)]
    if overflowing:
        notes.append(f"`####`: the time of {overflowing:,.0f} other reads does not fit its column")
    if lost_reads >= HOT_PCT / 100 * reads:
        notes.append(ts.untimed(lost_reads, "reads"))
    return text_fact(tuple(hot), proof, "derived", "; ".join(notes))


def _with_times(f: Figures) -> Table | Missing:
    """The table of reads and their times, if no figure in it is lost."""
    table = ts.table_of(f, "reads")
    if not f.complete:
        return ts.MAY_LACK
    if table.name == "io_timing":
        return Missing(f"{table.title} is not of the whole interval")
    if not any(table.texts("read_ms")):
        return Missing("read_ms is not in the section")
    needed(ts.unfit(f, table, "reads"))
    width = table.width("tablespace") if table.name == "file_io" else None
    lengths = {len(name) for name in table.texts("tablespace")}
    if f.tables.get("tablespace_io") is None and width in lengths:
        return Missing(f"{table.title} cuts names of tablespaces")
    unread = f"{table.title} has no figure for read_ms in a row with reads"
    for row in () if table.is_plain("read_ms") else table.rows:
        text = row.text("read_ms")
        is_timed = row.value("read_ms") is not None or is_overflow(text)  # `####` is a long time
        if row.number("reads") and not is_timed and (not text or is_lost(text)):
            return Missing(unread, lost=True)
    return table


def _by_tablespace(f: Figures, table: Table) -> dict[str, _Reads]:
    """The read times of every tablespace that is not temporary."""
    temporary = {space.name for space in ts.temporary(f)}
    names = ts.owners(f, table)
    spaces: dict[str, _Reads] = {}
    columns = table.numbers("reads"), table.numbers("read_ms"), table.texts("read_ms")
    for number, (name, reads, ms, text) in enumerate(zip(names, *columns, strict=True)):
        if not reads or name in temporary:
            continue
        # pluggable databases may have tablespaces of one name
        container = table.rows[number].text("pdb_name")
        shown = f"{name} of {container}" if container else name
        had = spaces.get(shown, _Reads([], 0.0, 0.0, 0.0))
        overflows = is_overflow(text)
        spaces[shown] = _Reads(
            [*had.rows, number], had.seconds + reads * ms / 1000,
            had.untimed + (0.0 if ms or overflows else reads),
            had.overflowing + (reads if overflows else 0.0),
        )  # fmt: skip
    return spaces


@fact("io.direct_read_pct", "%", STATS)
def direct_read_pct(f: Figures) -> Answer:
    """Share of direct path reads in the blocks read, without those of temporary segments."""
    direct = f.stat("physical reads direct", "blocks read directly")
    every = f.stat("physical reads", "blocks read")
    temp = f.stat("physical reads direct temporary tablespace", "temporary")
    if temp.lost:
        return temp
    if isinstance(temp, Missing):
        return (direct * 100 / every).estimated("with those of temporary segments")
    if direct.value is not None and direct.value < temp.value:
        return Missing("fewer blocks are read directly than from temporary segments")
    return ((direct - temp) * 100 / (every - temp)).citing(direct, every)


#: AWR lists so many segments, or all; shares are rounded.
_MOST_LISTED: Final = 5
_WHOLE_PCT: Final = 99


@fact("temp.with_pct", "%", "segments_by_block_changes")
def with_pct(f: Figures) -> Answer:
    """Share of materialized WITH subqueries (`SYS_TEMP_…`) in the block changes of segments."""
    table = f.table("segments_by_block_changes")
    if f.complete and len(table) < _MOST_LISTED and sum(table.numbers("total_pct")) < _WHOLE_PCT:
        return Missing(f"{table.title} is torn: it lacks segments", lost=True)
    rows = [row for row in table if row.text("object_name").startswith("SYS_TEMP_")]
    return add(needed(readable(column(f, table, rows, "total_pct", "% SYS_TEMP_…"))), "%")
