"""Temporary tablespaces: their I/O, its latency, the waits for it, and the SQL that waits.

Source: "Write Accelerator", "Temporary Tablespace Writes and Reads": the I/O of the temporary
tablespaces is the only reliable sign; `sorts (disk)` may be 0 while they are the busiest. SQL is in
samples of Active Session History ("Top SQL with Top Events", "… Row Sources", AWR since 12c).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from awrlens.facts import tablespaces as ts
from awrlens.facts.answers import Answer, needed, summed, text_fact
from awrlens.facts.counters import SINCE_10G, kept
from awrlens.facts.figures import Figures, formula, several
from awrlens.facts.formula import Figure, Missing, Number, add, readable
from awrlens.facts.sections import BLOCK_SIZE, ELAPSED, FG, PARAMETERS, STATS, TABLESPACES
from awrlens.facts.wait_event import Event, no_event
from awrlens.facts.waits import average, wait_count, wait_ms, waited, waited_s
from awrlens.lazy import NamedTuple
from awrlens.model.fact_table import fact
from awrlens.units import BLOCK_SIZES

if TYPE_CHECKING:
    from awrlens.report.table import Row


_TEMP_IO: Final = f"{TABLESPACES}|io_by_filetype"

KIND = "temporary"
#: Blocks of direct temporary I/O (10g and later).
_READ_BLOCKS: Final = "physical reads direct temporary tablespace"
_WRITTEN_BLOCKS: Final = "physical writes direct temporary tablespace"
#: Events have whole seconds.
ROUNDED_S: Final = 1.0


formula("temp.tablespaces", "names", (TABLESPACES, PARAMETERS),
    "Temporary tablespaces and how each was recognised.",
    lambda f: ts.names_fact(f, KIND))  # fmt: skip


@several("count", _TEMP_IO, kind="total")
def operations(f: Figures, column: str, _what: str) -> Answer:
    """{_what} temporary tablespaces."""
    if not _listed(f):
        return (_by_filetype(f, _requests(column)) * f.elapsed).estimated(_instead(f))
    return summed(_total(f, column), ts.source_note(f, (column,)))


operations("temp.reads", "reads", "Reads from")
operations("temp.writes", "writes", "Writes to")


def _total(f: Figures, *columns: str, label: str = "") -> Number:
    return ts.total(f, KIND, columns, label or columns[0])


@kept
def _listed(f: Figures) -> bool:
    """Whether the list of tablespaces has the temporary ones; that of a container may lack them."""
    if not ts.has_data(f):
        return False
    for column in ("reads", "writes"):
        listed = _total(f, column)
        rate = f.row_figure("io_by_filetype", "Temp File", _requests(column), "requests/s")
        if isinstance(rate, Missing) or isinstance(f.elapsed, Missing):
            database = f.tables.get("database") if f.complete else None
            if database is not None and any(row.text("cdb") == "YES" for row in database):
                return False
            continue
        if isinstance(listed, Missing):
            return listed.lost or not rate.value
        count, least = listed.value, (rate.value - _RATE_STEP) * f.elapsed.value
        if least > count * _MOST_OFF:
            return False
    return True


#: The rates by file type have two decimals, and are printed for the same interval as the list:
#: a list with half of their requests lacks tablespaces.
_RATE_STEP: Final = 0.01
_MOST_OFF: Final = 2.0


def _requests(column: str) -> str:
    return f"{column.removesuffix('s')}_requests_per_s"


@several("1/s", _TEMP_IO, ELAPSED)
def per_second(f: Figures, what: str) -> Answer:
    """{what} of temporary tablespaces per second."""
    column = what.lower()
    if not _listed(f):
        return _by_filetype(f, _requests(column)).estimated(_instead(f))
    return (_total(f, column) / f.elapsed).noted(ts.source_note(f, (column,)))


per_second.but(title="Temp reads")("temp.reads_per_s", "Reads")
per_second("temp.writes_per_s", "Writes")


def _by_filetype(
    f: Figures, column: str, row: str = "Temp File", label: str = "requests/s"
) -> Number:
    """A figure of file type Temp File; for reports without I/O by tablespace."""
    number = f.row_figure("io_by_filetype", row, column, label)
    return number if isinstance(number, Figure) else f.missing("tablespace_io", "io_by_filetype")


_LACKING: Final = "Tablespace IO Stats lacks temporary tablespaces, as those of pluggable databases"


def lacking(f: Figures) -> Missing | None:
    """Why a figure of temporary tablespaces is unknown although some are listed."""
    return Missing(_LACKING) if ts.has_data(f) and not _listed(f) else None


def _instead(f: Figures) -> str:
    """The source of a figure if the list of tablespaces has none."""
    why = _LACKING if ts.has_data(f) else "Tablespace IO Stats has no data"
    return f"{why}: estimated from IOStat by Filetype"


@fact("temp.io_share_pct", "%", _TEMP_IO, STATS, better="lower over time", title="Temp in all I/O")
def io_share_pct(f: Figures) -> Answer:
    """Share of temporary I/O in all I/O, by size; by requests without Instance Activity Stats.

    One request has up to 1 MB: in real reports, the share of requests is up to nine times smaller.
    """
    every = f.stat("physical reads", "blocks read") + f.stat("physical writes", "written")
    temp, data = (
        _by_filetype(f, "read_data_b_per_s", row, "B/s")
        + _by_filetype(f, "write_data_b_per_s", row, "B/s")
        for row in ("Temp File", "Data File")
    )
    requests = _total(f, "reads", "writes", label="temp I/Os")
    listed = requests * 100 / ts.every(f, ("reads", "writes"), "I/Os of all tablespaces")
    by_blocks = _with_others(f, (blocks_read(f) + _blocks_written(f)) * 100 / every)
    by_bytes = (temp * 100 / (temp + data)).estimated("by bytes of the types of files")
    by_size = by_blocks.otherwise(by_bytes)
    if f.tables.get("instance_activity") is not None and isinstance(listed, Figure):
        return by_size
    return by_size.otherwise(lacking(f) or listed.estimated(_BY_REQUESTS))


#: Largest write of one request. # Oracle Database Reference, DB_FILE_MULTIBLOCK_READ_COUNT (1 MB)
_MOST_B: Final = 2**20
#: A rule names requests where this note does.
_BY_REQUESTS: Final = "by requests: the report has no sizes"


def blocks_read(f: Figures) -> Number:
    """Blocks read from temporary tablespaces: the statistic, before 10g by their reads."""
    counted = f.stat(_READ_BLOCKS, "blocks read")
    if isinstance(counted, Figure) or not _listed(f):
        return counted
    mean = ts.weighted_ms(f, KIND, "blocks_per_read", "reads")
    per_read = mean if isinstance(mean, Missing) else Figure(mean.ms, "blocks", mean.evidence)
    return _total(f, "reads") * per_read


def _blocks_written(f: Figures) -> Number:
    """Blocks written to temporary tablespaces: the statistic, before 10g direct writes."""
    if isinstance(counted := f.stat(_WRITTEN_BLOCKS, "written"), Figure):
        return counted
    direct = f.stat("physical writes direct", "written directly")
    writes, read = _total(f, "writes", label="temp writes"), f.stat(_READ_BLOCKS, "blocks read")
    whole = f.complete and ts.has_data(f) and not ts.torn(f, "tablespace_io")
    if whole and isinstance(writes, Missing) and not writes.lost and read.value == 0:
        return Figure(0, "written", read.evidence)  # a whole list without them
    most = writes * Figure(_MOST_B, "B at most", ()) / block_size(f) if _listed(f) else direct
    less = isinstance(direct, Figure) and isinstance(most, Figure) and most.value < direct.value
    # with reads counted apart, the row of the writes is missing
    return most if less else counted if isinstance(read, Figure) else direct


def _with_others(f: Figures, number: Number) -> Number:
    """A number of blocks written: an estimate where other direct writes are in it."""
    separate = f.stat(_WRITTEN_BLOCKS, "written")
    if separate.lost:
        return separate
    return number if separate.value is not None else number.estimated(_TOGETHER)


formula("temp.block_write_pct", "%", STATS,
    "Share of direct temporary writes in all blocks written (10g and later).",
    lambda f: f.stat(_WRITTEN_BLOCKS, "temp blocks") * 100 / f.stat("physical writes", "blocks"),
    better="lower over time")  # fmt: skip


@fact("temp.read_ms", "ms", _TEMP_IO, title="Temp read time")
def read_ms(f: Figures) -> Answer:
    """Read latency of temporary tablespaces, weighted by reads; 0 ms in the report means untimed.

    They are read by direct I/O, which several releases and platforms do not time.
    """
    if not _listed(f):
        return _by_filetype(f, "small_read_ms").estimated(f"{_instead(f)}, small reads")
    return ts.weighted_fact(f, KIND, "read_ms", "reads", timed=False)


@kept
def _read_average(f: Figures) -> ts.Average | Missing:
    return ts.weighted_ms(f, KIND, "read_ms", "reads", timed=False)


@fact("temp.timed", "name", TABLESPACES, FG)
def timed(f: Figures) -> Answer:
    """Whether the report has times of temporary I/O: without, requests and blocks are all it has.

    All reads with 0 ms, and waits that took no time at all, are reads that were not timed: an
    estimate, as the list of waits has only the events that it can show.
    """
    count = needed(_total(f, "reads"))
    if not count.value:
        return Missing("no temporary tablespace was read")
    none = ts.untimed(count.value, "reads")
    waited_s, mean = direct_wait_s(f), _read_average(f)
    if isinstance(mean, ts.Average) or mean.why != none or waited_s.number:
        return text_fact("yes", count.evidence, "derived")
    return waited_s if waited_s.value is None else text_fact("no", count.evidence, "estimated")


@fact("temp.direct_wait_s", "s", FG, title="Waits for temp I/O")
def direct_wait_s(f: Figures) -> Answer:
    """Seconds waited for direct temporary I/O; 9i and earlier have only all direct I/O."""
    if f.tables.get("foreground_events") is None and has_old_events(f):
        return summed(f.of_sessions("s", *_PLAIN).estimated(), _TOGETHER)
    return waited(f, *_EVENTS)


@kept
def has_old_events(f: Figures) -> bool:
    """Whether the list is from before 10g: it has the plain events and no `temp` ones."""
    table = f.tables.get("wait_events")
    keys = [row.key for row in table.begins(_PLAIN)] if table else []
    modern = any(key.startswith(_EVENTS) for key in keys)
    if (f.release or (0, 0)) >= SINCE_10G or f.tables.get("time_model") is not None:
        return False
    return any(key in _PLAIN for key in keys) and not modern


_PLAIN: Final = ("direct path read", "direct path write")
_EVENTS: Final = ("direct path read temp", "direct path write temp")


formula("temp.sorts_disk", "count", STATS, "Sorts that went to disk.",
    lambda f: f.stat("sorts (disk)", "sorts"), kind="total", better="lower over time")  # fmt: skip


@fact("temp.disk_sort_mb", "MB", STATS, BLOCK_SIZE, kind="none")
def disk_sort_mb(f: Figures) -> Answer:
    """MB written to temporary tablespaces per disk sort."""
    written = _blocks_written(f) * block_size(f) / 1024 / 1024
    return _with_others(f, written / f.stat("sorts (disk)", "disk sorts"))


formula("temp.sorts_disk_pct", "%", STATS, "Share of sorts that went to disk.",
    lambda f: (disk := f.stat("sorts (disk)", "sorts on disk")) * 100
    / (disk + f.stat("sorts (memory)", "in memory")), better="lower over time")  # fmt: skip


@fact("temp.io_rank", "count", TABLESPACES, kind="none")
def io_rank(f: Figures) -> Answer:
    """Rank of the busiest temporary tablespace among all by reads and writes; 1 is the busiest."""
    needed(lacking(f))
    return ts.rank_fact(f, KIND, ("reads", "writes"))


@fact("temp.read_time_share_pct", "%", TABLESPACES, better="lower over time")
def read_time_share_pct(f: Figures) -> Answer:
    """Share of temporary tablespaces in the read time of all tablespaces.

    In figure 6 of "Write Accelerator" the temporary tablespace is third by number of I/Os, with
    6 % of those shown, and first by time: 648 s of 2,224 s. Not available if sessions waited longer
    for direct path reads than all tablespaces' reads took: those then lack direct reads.
    """
    needed(lacking(f))
    mean = needed(_read_average(f))
    temp = Figure(mean.ms * mean.amount, "ms of temporary reads", mean.evidence)
    whole = ts.read_time(f, "ms of all reads")
    direct = f.of_sessions("s", "direct path read")
    if isinstance(whole, Figure) and isinstance(direct, Figure):
        whole_s = whole.value / 1000
        if direct.value > whole_s + ROUNDED_S:
            return Missing(
                f"sessions waited {direct.value:,.0f} s for direct path reads, but the reads of "
                f"all tablespaces took {whole_s:,.0f} s: they lack direct reads"
            )
    notes = filter(None, (mean.note, ts.source_note(f, ("reads",))))
    return (temp * 100 / whole).noted("; ".join(notes))


_TOGETHER: Final = "this release counts direct I/O of temporary and other segments together"


@fact("temp.write_ms", "ms", TABLESPACES)
def write_ms(f: Figures) -> Answer:
    """Write latency of temporary tablespaces, weighted by writes, if it is in the report."""
    needed(lacking(f))
    return ts.weighted_fact(f, KIND, "write_ms", "writes")


def _event(f: Figures, name: str) -> Event:
    """An event that separates temporary from other direct I/O (10g and later)."""
    event = f.foreground(name)
    if isinstance(event.total_s, Missing) and has_old_events(f):
        return no_event(Missing(_TOGETHER))
    return event


@several("s", FG)
def event_s(f: Figures, name: str) -> Answer:
    """Seconds that sessions waited for `{name}`."""
    total_s = _event(f, name).total_s
    unlisted = isinstance(total_s, Missing) and not has_old_events(f)
    return waited(f, name) if unlisted else total_s


@several("ms", FG)
def event_ms(f: Figures, name: str) -> Answer:
    """Average wait of sessions for `{name}`: total / waits."""
    return _event(f, name).each_ms


event_s("temp.direct_read_wait_s", "direct path read temp")
event_s("temp.direct_write_wait_s", "direct path write temp")
event_ms.but(title="Temp read")("temp.direct_read_ms", "direct path read temp")
event_ms.but(title="Temp write")("temp.direct_write_ms", "direct path write temp")


@fact("temp.direct_ms", "ms", FG, title="Temp read and write")
def direct_ms(f: Figures) -> Answer:
    """Average wait in ms for direct temporary I/O, reads and writes."""
    old = f.tables.get("foreground_events") is None and has_old_events(f)
    return average(f, *(_PLAIN if old else _EVENTS))


wait_count("temp.direct_waits", "for direct temporary I/O, reads and writes", *_EVENTS)
formula("temp.direct_b", "B", (STATS, FG, BLOCK_SIZE),
    "Average bytes per wait for direct temporary I/O, reads and writes.",
    lambda f: _direct_blocks(f) * block_size(f) / f.of_sessions("waits", *_EVENTS))  # fmt: skip


@several("B", STATS, FG, BLOCK_SIZE)
def bytes_per_wait(f: Figures, kind: str) -> Answer:
    """Average bytes per wait for a direct temporary {kind}."""
    statistic = {"read": _READ_BLOCKS, "write": _WRITTEN_BLOCKS}[kind]
    return (
        f.stat(statistic, "blocks") * block_size(f) / f.foreground(f"direct path {kind} temp").waits
    )


bytes_per_wait("temp.direct_read_b", "read")
bytes_per_wait("temp.direct_write_b", "write")


direct_mb = formula("temp.direct_mb", "MB", (STATS, BLOCK_SIZE),
    "MB read from and written to temporary tablespaces by direct I/O.",
    lambda f: _direct_blocks(f) * block_size(f) / 1024 / 1024, kind="total")  # fmt: skip
formula("temp.blocks_at_most", "count", STATS,
    "Blocks of all direct I/O, a maximum for that of temporary segments.",
    lambda f: f.stat("physical reads direct", "read") + f.stat("physical writes direct", "written"),
    kind="total")  # fmt: skip


def _direct_blocks(f: Figures) -> Number:
    return f.stat(_READ_BLOCKS, "blocks read") + f.stat(_WRITTEN_BLOCKS, "written")


def block_size(f: Figures) -> Number:
    """The database's block size in bytes."""
    printed = f.row_figure("cache_sizes", "block_size", "value", "B per block")
    size = f.setting("db_block_size", "B per block")
    same = size is None or size.value == printed.value
    if isinstance(printed, Figure) and printed.value in BLOCK_SIZES and same:
        return printed
    if size and size.value in BLOCK_SIZES:
        return size
    if isinstance(printed, Figure):
        return Missing(f"a block size of {printed.digits} bytes is not possible", lost=True)
    return f.missing("cache_sizes", "parameters")


#: Waits for extents of the sort segment: other instances have cached them, or SMON creates it.
_SEGMENT: Final = ("enq: SS - contention", "sort segment request")


waited_s("temp.segment_wait_s", "for space in a sort segment (`enq: SS - contention`)", *_SEGMENT)
wait_ms("temp.segment_wait_ms", "of sessions for space in a sort segment in ms", *_SEGMENT)


_ASH: Final = "top_sql_events|top_sql_row_sources"
_SECTIONS = tuple(_ASH.split("|"))
_NO_SHARE = Missing("the list of top SQL has no share of the event")


class _Spill(NamedTuple):
    """An SQL statement and its samples in temporary I/O."""

    sql_id: str
    rows: tuple[Row, ...]
    samples_pct: float


@kept
def _spills(f: Figures) -> list[_Spill] | Missing:
    """SQL with samples in temporary I/O, most first."""
    if all(f.tables.get(name) is None for name in _SECTIONS):
        return f.missing(*_SECTIONS)
    spills: dict[str, _Spill] = {}
    for name in _SECTIONS:
        table = f.tables.get(name)
        by_sql: dict[str, list[Row]] = {}
        for number, event in enumerate(table.texts("event") if table else ()):
            if table is not None and event.startswith(_EVENTS):
                row = table.rows[number]
                by_sql.setdefault(row.text("sql_id"), []).append(row)
        for sql_id, rows in by_sql.items():
            # both sections count the same samples: the second adds SQL, not samples
            cells = (f.figure(row.cell("event_pct"), "%", _NO_SHARE) for row in rows)
            share = float(sum(figure.value for figure in needed(readable(cells))))
            spills.setdefault(sql_id, _Spill(sql_id, tuple(rows), share))
    spills.pop("", None)
    return sorted(spills.values(), key=lambda spill: -spill.samples_pct)


@fact("temp.spilling_sql", "names", _ASH)
def statements(f: Figures) -> Answer:
    """SQL IDs with samples that waited for temporary I/O, most samples first."""
    spills = needed(_spills(f))
    proof = f.proof(*(row.cell("event_pct") for spill in spills for row in spill.rows))
    note = "; ".join(map(_described, spills))
    none = "no top SQL was sampled in temporary I/O"
    return text_fact(tuple(spill.sql_id for spill in spills), proof, "measured", note or none)


def _described(spill: _Spill) -> str:
    sources = dict.fromkeys(row.text("row_source") for row in spill.rows)
    activity = f"{spill.sql_id}: {spill.samples_pct:.2f} % of activity"
    return ", ".join(filter(None, (activity, *sources)))


@fact("temp.spilling_sql_pct", "%", _ASH)
def statements_pct(f: Figures) -> Answer:
    """Share of all sampled activity that this SQL spent in temporary I/O."""
    rows = (row for spill in needed(_spills(f)) for row in spill.rows)
    cells = [f.figure(row.cell("event_pct"), "%", _NO_SHARE) for row in rows]
    return summed(add([cell for cell in cells if isinstance(cell, Figure)], "%"))
