"""Load: sessions, DB time and what uses it, CPU, buffer cache, parses, calls, data reads.

Source: Oracle Database Reference, "Statistics Descriptions" and V$SYS_TIME_MODEL (`DB CPU`). A
statistic has more digits than the Load Profile's rate, which is `0.0` for rare events.
"""

from __future__ import annotations

from datetime import datetime
from functools import lru_cache, partial
from itertools import islice
from math import inf
from typing import TYPE_CHECKING, Final

from awrlens.facts import figures
from awrlens.facts.answers import Answer, needed, text_fact
from awrlens.facts.counters import BEYOND, SINCE_10G, kept
from awrlens.facts.figures import Figures, formula, several
from awrlens.facts.formula import Figure, Missing, Number, add, joined, readable, value_of
from awrlens.facts.host import DATA_READS, DATABASE, TIMED_PCT, cpus, timed_pct
from awrlens.facts.redo import timed
from awrlens.facts.sections import (
    BG,
    BLOCK_SIZE,
    DB_TIME,
    ELAPSED,
    FG,
    PARAMETERS,
    RESPONSE,
    STATS,
)
from awrlens.facts.sections import CPU as SECTIONS_CPU
from awrlens.facts.sql import is_block
from awrlens.facts.temp import block_size
from awrlens.facts.wait_event import BACKUP, CUT, OF_PROCESSES, OUTSIDE, Event
from awrlens.facts.waits import busy_rows, column, events, is_idle, wait_ms, waited_s
from awrlens.facts.whole_lists import none_of_background, torn
from awrlens.lazy import NamedTuple
from awrlens.model import Overview, Share
from awrlens.model.analysis import BACKGROUND, DOUBTED, OTHERS
from awrlens.model.fact_table import fact
from awrlens.units import listed, plain

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from awrlens.model import Fact
    from awrlens.report.table import Row


#: Prefixes of event names, the part of the write path that waits for them, and the name of the
#: group. The first match counts.
PARTS: Final[tuple[tuple[str, str, str], ...]] = (
    ("log file switch", "redo", "log switches"),
    ("log file sync", "redo", "commits"),
    ("log buffer space", "redo", "log buffer space"),
    ("flashback log file sync", "redo", "flashback logs"),
    ("flashback buf free by RVWR", "redo", "flashback logs"),
    ("direct path read temp", "temp", "temp I/O"),
    ("direct path write temp", "temp", "temp I/O"),
    ("enq: US", "undo", "undo segments"),
    ("undo segment", "undo", "undo segments"),
    ("free buffer waits", "checkpoint", "free buffers"),
    ("write complete waits", "checkpoint", "block writes"),
    ("checkpoint completed", "checkpoint", "checkpoints"),
    ("enq: KO", "checkpoint", "object checkpoints"),
    ("enq: RO", "checkpoint", "object checkpoints"),
    ("enq: CR", "checkpoint", "object checkpoints"),
    ("local write wait", "checkpoint", "object checkpoints"),
)
#: All that sessions and background processes of the write path wait for.
EVENTS: Final = (
    *(prefix for prefix, _, _ in PARTS), *OUTSIDE, "direct path write", "control file",
)  # fmt: skip


CPU: Final = "CPU"
CPU_ROWS: Final = ("DB CPU", "CPU time", "CPU Time")


@kept
def _largest(f: Figures) -> tuple[str, Figure] | Missing:
    """The largest consumer of DB time outside the write path, and its seconds."""
    table = f.table(figures.TOP)
    spent: list[tuple[str, Figure]] = []
    times = column(f, table, table.rows, "total_wait_s", "s")
    for name, figure in zip(map(str.strip, table.keys()), times, strict=True):
        if not name or name.startswith(EVENTS) or is_idle(f, name):
            continue
        if isinstance(figure, Figure):
            spent.append((CPU if name in CPU_ROWS else name, figure))
        elif figure.lost:
            return figure
    cpu = f.cpu
    if isinstance(cpu, Missing) and cpu.lost:
        return cpu
    if not spent:
        return Missing(f"{table.title} has no time of another event")
    lacks_cpu = all(name != CPU for name, _ in spent)
    if isinstance(cpu, Figure) and lacks_cpu:
        spent.append((CPU, cpu.noted("")))  # some releases' lists have waits only
    largest = max(spent, key=lambda consumer: min(consumer[1].value, _most_s(f, consumer[0])))
    if isinstance(cpu, Missing) and lacks_cpu:
        whole = f.response  # CPU may have taken more, unless this event took half of all
        if isinstance(whole, Missing) or largest[1].value * 2 < whole.value:
            return cpu
    return largest


@fact("load.largest_consumer", "name", "top_events")
def largest_consumer(f: Figures) -> Answer:
    """The largest consumer of DB time outside the write path: an event, or CPU."""
    name, seconds = needed(_largest(f))
    return text_fact(name, seconds.evidence, "measured")


formula("load.largest_consumer_pct", "%", ("top_events", RESPONSE),
    "Share of DB time that went to the largest consumer outside the write path.",
    lambda f: needed(_largest(f))[1] * 100 / f.response)  # fmt: skip


@fact("load.elapsed_s", "s", f"{ELAPSED}|instance_activity|os_statistics", kind="none")
def elapsed_s(f: Figures) -> Answer:
    """Length of the interval, of an excerpt without a header by what it counted.

    A total of Instance Activity Stats over its rate per second, or the busy and idle time of all
    CPUs over their number: in 32 of 36 real reports, this is within 3 % of the elapsed
    time; the others are up to 21 % apart.
    """
    if f.header.elapsed_s is not None or isinstance(f.elapsed, Missing):
        return _header(f.elapsed)
    how = "busy and idle time of the CPUs in OS statistics over their number"
    if isinstance(f.elapsed_by_rates, Figure):
        how = "a total of Instance Activity Stats over its rate"
    return f.elapsed.noted(f"the header has no elapsed time: {how}")


formula("load.sessions", "count", ELAPSED, "Sessions logged on, the mean of both snapshots.",
    lambda f: (f.row_figure(ELAPSED, "begin_snap", "sessions", "")
               + f.row_figure(ELAPSED, "end_snap", "sessions", "")) / 2)  # fmt: skip


@fact("load.held_sessions", "count", ELAPSED, DB_TIME)
def held_sessions(f: Figures) -> Answer:
    """Sessions added in the interval, if half as many again, and if more than CPUs were active.

    Then calls that wait hold them, and their pool opens others: AWR 12.1.0.2.0_01, 522 to 1,544.
    """
    snaps = (f.row_figure(ELAPSED, f"{at}_snap", "sessions", "sessions") for at in ("begin", "end"))
    begin, end = map(needed, snaps)
    active = needed(f.db_time / f.elapsed)
    if end.value < _PEAK * begin.value or active.value <= needed(cpus(f)).value:
        return Missing("few sessions were added, or not more than the CPUs were active")
    return end - begin


db_time_s = formula("load.db_time_s", "s", DB_TIME, "DB time of the interval (10g and later).",
    lambda f: _header(f.db_time), kind="total", better="lower", title="DB time")  # fmt: skip


formula("load.ended_calls_s", "s", STATS,
    "DB time of the calls that ended: statistic `DB time`, which a call adds at its end.",
    lambda f: f.stat("DB time", "cs") / 100, kind="total")  # fmt: skip


@fact("load.average_active_sessions", "ratio", RESPONSE, ELAPSED, better="lower over time",
      title="Average active sessions")  # fmt: skip
def average_active_sessions(f: Figures) -> Answer:
    """DB time over elapsed time; before 10g an estimate: CPU and waits of sessions over it."""
    both = f.db_time / f.elapsed
    if f.release is not None and f.release < SINCE_10G and isinstance(f.db_time, Missing):
        timed = timed_pct(f).number
        if timed is not None and not TIMED_PCT <= timed <= 4 * TIMED_PCT:
            return Missing(f"`pmon timer` waits {timed:.0f} % of the interval")
        if why := torn(f, "wait_events") or torn(f, "background_events"):
            return Missing(why)
        needed(f.read("s", "background_events", ("",)))  # none that is lost is 0
        if not consumers(f).complete:
            return Missing("the waits of sessions are not all known")
        own = f.response - Figure(sum(share.seconds for share in _of_background(f)), "s", ())
        return (own / f.elapsed).estimated("CPU and waits of sessions, as top events imply")
    if f.complete:
        return both
    return both.otherwise(f.row_figure("load_profile", "db_time", "per_second", "sessions"))


#: A peak has this many times the average: # awrlens: half as much again
_PEAK: Final = 1.5
#: A peak of fewer active sessions per CPU needs no work. # awrlens: a quarter
_PEAK_PER_CPU: Final = 0.25
#: Lengths of a task over those of an interval that are equal to the minute. # awrlens: a fifth
_EQUAL: Final = (0.8, 1.2)


@fact("load.addm_peak", "name", "addm_findings", DB_TIME, ELAPSED)
def addm_peak(f: Figures) -> Answer:
    """The snapshots with most active sessions in the list of ADDM, if these are a peak.

    They are found by their time, as snapshots are at equal intervals.
    """
    average, head = needed(f.db_time / f.elapsed).value, f.header
    none = Missing("no task of ADDM has more active sessions than the average, with its time")
    tasks = f.table("addm_findings").rows
    row = max(tasks, key=lambda task: task.number("active_sessions") or 0.0, default=None)
    if row is None or (most := row.number("active_sessions") or 0.0) < _PEAK * average:
        return none
    texts = (head.begin_time, head.end_time, row.value("begin_time"), row.value("end_time"))
    if not all(texts) or not head.begin_snap or not head.end_snap:
        return none
    first, last, begin, end = (datetime.fromisoformat(str(text)) for text in texts)
    interval = (last - first) / max(head.end_snap - head.begin_snap, 1)
    if not interval or not _EQUAL[0] < (end - begin) / interval < _EQUAL[1]:
        return Missing("the snapshots are not at equal intervals")
    if most < _PEAK_PER_CPU * (cpus(f).value or 0.0):
        when = f"{begin:%Y-%m-%d %H:%M} to {end:%H:%M}"
        said = (
            f"even the busiest time that ADDM shows, {when}, had only {plain(most)} active sessions"
        )
        return text_fact(None, (), "unavailable", said, "low peak")
    number = head.begin_snap + round((end - first) / interval)
    said = f"{plain(most)} active sessions from {begin:%Y-%m-%d %H:%M} to {end:%H:%M}"
    proof = f.proof(row.cell("active_sessions"))
    return text_fact(f"snapshots {number - 1}-{number}", proof, "estimated", said)


def _header(figure: Number) -> Fact:
    fact = figure.fact()
    in_minutes = any("min" in x.text or "(min" in x.column for x in fact.evidence[:1])
    if fact.number is None or not in_minutes:
        return fact
    return fact._replace(status="derived", formula=f"{fact.number / 60:,.10g} min × 60")


@several("%", "time_model", DB_TIME)
def parsing_pct(f: Figures, row: str, _what: str) -> Answer:
    """Share of DB time that went to {_what}."""
    return f.row_figure("time_model", row, "time_s", "s") * 100 / f.db_time


parsing_pct("load.parse_pct", "parse time elapsed", "parsing")
parsing_pct("load.hard_parse_pct", "hard parse elapsed time",
    "hard parses, a part of load.parse_pct")  # fmt: skip


@fact("load.hard_parse_cause", "name", "time_model", "parameters", "shared_pool_statistics", STATS,
      ELAPSED, "addm_findings")  # fmt: skip
def hard_parse_cause(f: Figures) -> Answer:
    """Why SQL is parsed hard: cursors that cannot be shared, literals, or unknown.

    ADDM's finding counts if it has most of these parses. Without it, literals are probable if most
    SQL in the shared pool has been executed once.
    """
    hard, apart = (f.row_figure("time_model", row, "time_s", "s") for row in _HARD_PARSES)
    share, sharing = apart * 100 / hard, f.parameter("cursor_sharing")
    if (share.value or 0.0) >= _MOSTLY_PCT:
        return text_fact("sharing", share.evidence, "derived")
    for name, cause in _BY_ADDM.items():
        part = f.row_figure("addm_findings", name, "activity_pct", "%")
        if ((part * f.db_time / hard).value or 0.0) >= _MOSTLY_PCT:
            note = f"ADDM: {name}, {part.value:.0f} %"
            return text_fact(cause, part.evidence, "measured", note)
    many = needed(f.stat("parse count (hard)", "hard parses") / f.elapsed)
    if many.value < 1 or (sharing is not None and sharing[0].upper() != "EXACT"):
        return Missing("few hard parses, or CURSOR_SHARING replaces literals")
    again = f.row_figure("shared_pool_statistics", "sql_executed_repeatedly_pct", "end_value", "%")
    once = again.value is not None and again.value < _MOSTLY_PCT
    cause = "literals" if once else "unknown"
    return text_fact(cause, (*many.evidence, *again.evidence), "estimated")


_HARD_PARSES: Final = ("hard parse elapsed time", "hard parse (sharing criteria) elapsed time")
#: # Oracle Database Reference, DBA_ADVISOR_FINDING_NAMES
_BY_ADDM: Final = {
    "Hard Parse Due to Literal Usage": "literals", "Hard Parse Due to Sharing Criteria": "sharing",
}  # fmt: skip
_MOSTLY_PCT: Final = 50.0
parsing_pct.but(beyond=True, kind="none")("load.sql_pct", "sql execute elapsed time",
    "the execution of SQL")  # fmt: skip
parsing_pct("load.plsql_pct", "PL/SQL execution elapsed time",
    "PL/SQL, without the SQL that it calls")  # fmt: skip
parsing_pct("load.failed_parse_pct", "failed parse elapsed time",
    "parses that failed, a part of load.parse_pct")  # fmt: skip
parsing_pct("load.sequence_pct", "sequence load elapsed time",
    "loading the next numbers of sequences from the dictionary")  # fmt: skip


@fact("load.response_s", "s", RESPONSE, kind="total", better="lower", title="DB time")
def response_s(f: Figures) -> Answer:
    """The base of shares: DB time, or before 10g the CPU and waits that top events imply."""
    if isinstance(f.db_time, Figure):
        doubt = (DOUBTED, "two clocks") if f.two_clocks() else ("", "")
        return db_time_s(f)._replace(note=doubt[0], about=doubt[1])
    note = "no DB time before 10g: time × 100 / share of the largest top event, minus idle events"
    return f.response.noted(note)


@several("name", DATABASE, kind="setting")
def of_database(f: Figures, column: str) -> Answer:
    """The database's {column}, from the first page of the report."""
    for name in ("database", "database_summary"):
        table = f.tables.get(name)
        cell = table.rows[0].cell(column) if table is not None and table.rows else None
        if cell is not None and cell.text:
            return text_fact(cell.text, (f.evidence(cell),), "measured")
    return Missing(f"the {column} is not in the report")


of_database("database.role", "role")
of_database("database.cdb", "cdb")
of_database("database.edition", "edition")


@fact("database.release", "name", DATABASE, kind="setting")
def release(f: Figures) -> Answer:
    """The Oracle release of the report."""
    printed, of_header = of_database.function(f, "release"), f.header.release
    if of_header is None and not isinstance(printed, Missing):
        return Missing("the text at its place is not a release")
    if isinstance(printed, Missing) and of_header:
        return text_fact(of_header, (), "measured", "from the heading of the report")
    return printed


@fact("load.buffer_cache_mb", "MB", "cache_sizes|cache_sizes_by_instance|parameters")
def buffer_cache_mb(f: Figures) -> Answer:
    """Buffer cache at the begin of the interval; 8i shows its number of blocks."""
    buffers = f.row_figure("cache_sizes", "db_block_buffers", "value", "buffers")
    if isinstance(buffers, Figure):
        return buffers * block_size(f) / 1024 / 1024
    cache = f.row_figure("cache_sizes", "buffer_cache", "value", "B of buffer cache")
    size = f.setting("__db_cache_size", "B of buffer cache", "B")
    if isinstance(cache, Missing) and not cache.lost and size and size.value:
        cache = size
    if isinstance(cache, Missing) and not cache.lost:
        return f.of_instance("cache_sizes_by_instance", "db_cache_mb", "MB", cache)
    return cache / 1024 / 1024


@fact("load.block_b", "B", BLOCK_SIZE)
def block_b(f: Figures) -> Number:
    """Bytes of a database block (DB_BLOCK_SIZE)."""
    return block_size(f)


@fact("io.scan_read_b", "B", PARAMETERS, BLOCK_SIZE, kind="setting")
def scan_read_b(f: Figures) -> Answer:
    """What a full scan reads at a time: DB_FILE_MULTIBLOCK_READ_COUNT, if it is set."""
    count = f.setting("db_file_multiblock_read_count", "blocks")
    size = needed((count or Missing("it is not set")) * block_size(f))
    return size if size.value <= _MOST_SCAN_B else Missing("no system reads so much at a time")


#: # awrlens: systems limit a read to 1 MB, some to 32 MB
_MOST_SCAN_B: Final = 32 * 2.0**20


@fact("io.data_read_ms", "ms", FG)
def data_read_ms(f: Figures) -> Answer:
    """Average time of a single-block read of a data file that sessions waited for."""
    if f.session_list is None and f.tables.get("top_events") is None:
        return f.missing("foreground_events")
    return timed(f, _single_block(f).each_ms)


def _single_block(f: Figures) -> Event:
    """Single-block reads: of Exadata, where a report has them."""
    cell = f.foreground("cell single block physical read")
    return cell if isinstance(cell.waits, Figure) else f.foreground("db file sequential read")


formula("io.data_read_waits", "count", FG,
    "Single-block reads of data files that sessions waited for.",
    lambda f: _single_block(f).waits, kind="total")  # fmt: skip


@fact("io.reads_per_session", "ratio", "io_by_filetype", FG, DB_TIME)
def reads_per_session(f: Figures) -> Answer:
    """Reads of data files in flight for every active session, by IOStat's service time.

    Not where this is shorter than a wait for one (AWR 11.2.0.4.0 RAC 01: 1.58 and 24 ms): it is not
    the time of all of them.
    """
    of_files = partial(f.row_figure, "io_by_filetype", "Data File")
    # blank for a size that was not read
    sizes = (of_files(f"{size}_read_ms", "ms") for size in ("small", "large"))
    times = [time for time in sizes if isinstance(time, Figure) and time.value]
    service = min(times, key=value_of, default=f.missing("io_by_filetype"))
    if needed(service).value < needed(f.foreground("direct path read").each_ms).value:
        return Missing("a direct read waits longer than IOStat's service time")
    return of_files("read_requests_per_s", "reads/s") * service / 1000 * f.elapsed / f.db_time


_RMAN_SINCE: Final = (11, 2)
_BEFORE: Final = (0, 0)


@fact("io.backup_sessions", "ratio", BG, ELAPSED)
def backup_sessions(f: Figures) -> Answer:
    """Average number of RMAN's processes that wait for I/O (11.2 and later)."""
    name = "RMAN backup & recovery I/O"
    waited = f.background(name).total_s
    if isinstance(waited, Missing) and not waited.lost and (f.release or _BEFORE) >= _RMAN_SINCE:
        table = f.tables.get("background_events")
        if table is not None and f.complete:
            return none_of_background(f, f"`{name}` is not in {table.title}", name)
    return waited / f.elapsed


@fact("io.backup_pct", "%", "io_by_function")
def backup_pct(f: Figures) -> Answer:
    """Share of RMAN in the bytes that all functions read and wrote (11g and later)."""
    table = f.table("io_by_function")
    totals = [row for row in table if row.key.upper().startswith("TOTAL")]
    rows = [row for row in table if not row.key.upper().startswith("TOTAL")]
    amounts = [row.number(column) for row in rows for column in _BYTES]
    if None in amounts:
        why = f"{table.title} has no figure in a row, so that its sum is not known"
        return Missing(why, lost=True)
    printed = sum(row.number(column) or 0 for row in totals for column in _BYTES)
    if f.complete and sum(amount or 0 for amount in amounts) < printed * _OF_TOTAL:
        return Missing(f"{table.title} is torn: its functions have less than its total", lost=True)
    cells = [f.row_figure("io_by_function", "RMAN", column, "B by RMAN") for column in _BYTES]
    whole = Figure(sum(amount or 0 for amount in amounts), "B by all functions")
    return add(needed(readable(cells)), "B by RMAN") * 100 / whole


@kept
def _backup_waits(f: Figures) -> list[Figure]:
    lists = (name for name in ("background_events", "wait_events") if f.tables.get(name))
    events = f.read("s", next(lists, ""), BACKUP)
    return [] if isinstance(events, Missing) else events


@fact("io.backup_s", "s", BG, "time_model", kind="total")
def backup_s(f: Figures) -> Answer:
    """Waits of RMAN and of the media manager, and RMAN's CPU, if there are any."""
    cpu = f.row_figure("time_model", _RMAN_CPU, "time_s", "s of RMAN's CPU")
    spent = [*_backup_waits(f), *([cpu] if isinstance(cpu, Figure) else [])]
    if not any(part.value for part in spent):
        return Missing("the report shows no time of a backup")
    return add(spent, "s")


_RMAN_CPU: Final = "RMAN cpu time (backup/restore)"
_BYTES: Final = ("read_data_b", "write_data_b")
#: Functions, which are rounded, have this share of their total: 98 % or more in the real reports.
#: # awrlens: an assumption
_OF_TOTAL: Final = 0.95


waited_s(
    "load.gc_busy_wait_s",
    "for `gc buffer busy` and `gc current block busy` and `gc cr block busy`",
    "gc buffer busy", "gc current block busy", "gc cr block busy",
)  # fmt: skip
waited_s(
    "load.gc_lost_wait_s",
    "for `gc cr block lost` and `gc current block lost`",
    "gc cr block lost", "gc current block lost",
)  # fmt: skip
waited_s("load.row_lock_wait_s", "for `enq: TX`", "enq: TX")
waited_s("load.index_wait_s", "for `enq: TX - index contention`", "enq: TX - index contention")
waited_s("load.buffer_busy_wait_s", "for `buffer busy waits`", "buffer busy waits")
formula("load.latch_sleep_ms", "ms", FG, "Average wait for a latch (`latch free`).",
    lambda f: f.foreground("latch free").each_ms)  # fmt: skip
formula("load.cpus_used", "ratio", (STATS, ELAPSED),
    "CPUs that sessions used on average: `CPU used by this session` over the elapsed time.",
    lambda f: f.cpu_counter() / f.elapsed, better="lower over time")  # fmt: skip
waited_s("load.data_read_wait_s", "for reads of data files into the buffer cache", *DATA_READS)
waited_s("io.parallel_read_wait_s", "for `db file parallel read`", "db file parallel read")
wait_ms("io.parallel_read_ms", "for `db file parallel read`", "db file parallel read")


#: Before 10g temporary data had no events of its own.
_BEFORE_10G: Final[tuple[tuple[str, str, str], ...]] = (
    ("direct path read", "temp", "temp I/O"), ("direct path write", "temp", "temp I/O"),
)  # fmt: skip
#: Below this share of DB time a consumer outside the write path is not named.
_NAMED_PCT: Final = 2.0
#: A session waits for what its client sends before a call begins, too.
_OF_CLIENT: Final = "SQL*Net more data from client"
#: Backups for which fewer processes wait on average are not named.
_NOTICED_SESSIONS: Final = 0.1
#: At most this many consumers outside the write path are named.
_NAMED: Final = 4


def overview(f: Figures) -> Overview:
    """The load at a glance: active sessions, CPUs, and where DB time went, largest first.

    Shares are percentages of DB time (before 10g, of CPU and waits, as top events imply). The rest
    of 100 % is in no event of the report's list. A consumer that is a little longer than DB time is
    all of it; one that is much longer is not a part of it. If shares exceed DB time, it does not
    contain the waits for what the client sends, unless those are in the elapsed time of statements:
    they are in ``outside``, as are those of backups.
    """
    sessions, shares = average_active_sessions(f).number, consumers(f).shares
    outside = [share for share in shares if share.name.startswith(_OF_CLIENT)]
    if sum(share.pct for share in shares) < BEYOND * 100 or _in_sql(f, shares, outside):
        outside = []
    shares = tuple(share for share in shares if share not in outside)
    cpu = f.row_figure("time_model", _RMAN_CPU, "time_s", "s")
    spent = {"backups": sum(event.value for event in _backup_waits(f))}
    if isinstance(cpu, Figure):
        # RMAN's CPU time is background CPU time
        of_all = (
            cpu * 100 / (f.row_figure("time_model", "background cpu time", "time_s", "s") + f.cpu)
        )
        has_share = isinstance(of_all, Figure)
        part = f" ({of_all.value:.0f} % of instance CPU)" if has_share else ""
        spent[f"RMAN CPU{part}"] = cpu.value
    for name, seconds in spent.items() if shares else ():
        if seconds >= (f.elapsed.value or inf) * _NOTICED_SESSIONS:
            outside.append(Share(name, "other", seconds, 0.0))
    return Overview(
        sessions, f.header.cpus, (*_largest_shares(shares, _unparted_s(f)), *_of_background(f)),
        complete=_is_whole(f),
        outside=tuple(outside),
    )  # fmt: skip


#: Waits that the share of I/O in the elapsed time of a statement has.
_OF_IO: Final = ("db file", "direct path", "temp I/O", "read by other", "cell ", "Disk file")
_HALF: Final = 0.5


def _in_sql(f: Figures, shares: Sequence[Share], client: list[Share]) -> bool:
    """Whether statements have most of these waits: time without CPU, I/O and all other waits."""
    table = f.tables.get("sql_by_elapsed")
    left_s = sum(
        (row.number("elapsed_s") or 0.0) * max(0.0, 100 - cpu - io) / 100 for row in table or ()
        if (cpu := row.number("cpu_pct")) is not None and (io := row.number("io_pct")) is not None
        and not is_block(row)
    )  # fmt: skip
    others = (share for share in shares if share.part != "cpu" and share not in client)
    left_s -= sum(share.seconds for share in others if not share.name.startswith(_OF_IO))
    return left_s > _HALF * sum(share.seconds for share in client)


def _of_background(f: Figures) -> Iterator[Share]:
    """Waits of background processes, which the base of shares has before 10g."""
    whole, listed = f.response, consumers(f)
    if isinstance(f.db_time, Figure) or isinstance(whole, Missing) or not listed.complete:
        return
    waited = sum(row.number("total_wait_s") or 0.0 for row in busy_rows(f, "background_events"))
    rest = whole.value - sum(share.seconds for share in listed.shares)
    if (seconds := min(waited, rest)) > 0:
        yield Share(BACKGROUND, "other", seconds, seconds * 100 / whole.value)


def _is_whole(f: Figures) -> bool:
    """Whether what no share has is neither CPU nor a wait of sessions."""
    cpu = f.cpu
    if isinstance(f.db_time, Missing) or isinstance(cpu, Missing) or f.session_list is None:
        return False
    # `DB CPU` is a part of DB time by definition
    has_all = cpu.label == figures.DB_CPU and not cpu.note and consumers(f).complete
    return has_all and (not f.sum_note or f.is_compared)


def _most_s(f: Figures, name: str) -> float:
    """The most that sessions can have of an event that background processes wait for, too.

    10.2 lists background waits of the class Other as one sum. The rest of the class is that of
    sessions: 6 s of the 15 s of `DFS lock handle` in AWR 10.2.0.4.0 RAC 04.
    """
    row, top = f.tables.row("wait_classes", "Other"), f.tables.row(figures.TOP, name)
    if row is None or top is None or top.text("wait_class") != "Other" or not _unparted_s(f):
        return inf
    return max(0.0, (row.number("total_wait_s") or inf) - _unparted_s(f))


def _unparted_s(f: Figures) -> float:
    """Waits of background processes that the list of all waits has under other names (10.2)."""
    if f.session_list != "wait_events":
        return 0.0
    return next((row.number("total_wait_s") or 0.0 for row in busy_rows(f, "background_events")
                 if row.key.strip() == _UNPARTED), 0.0)  # fmt: skip


#: The sum of the events of a class that the list of background waits does not show one by one.
_UNPARTED: Final = "events in waitclass Other"


def _largest_shares(shares: Sequence[Share], unparted_s: float) -> tuple[Share, ...]:
    others = [wait for wait in shares if wait.part == "other" and wait.pct >= _NAMED_PCT][:_NAMED]
    named = [share for share in shares if share.part != "other" or share in others]
    rest = [share for share in shares if share not in named]
    seconds, pct = sum(share.seconds for share in rest), sum(share.pct for share in rest)
    if seconds > unparted_s:
        left = 1 - unparted_s / seconds
        named.append(Share(OTHERS, "other", seconds * left, pct * left))
    return tuple(named)


class Consumers(NamedTuple):
    """All consumers of DB time, the largest first.

    ``complete``: an event that is missing had no waits. Top events are not complete.
    """

    shares: tuple[Share, ...] = ()
    complete: bool = False


@kept
def consumers(f: Figures) -> Consumers:
    """Every consumer of DB time that the report shows."""
    whole = f.response
    if isinstance(whole, Missing) or whole.value <= 0 or not f.complete:
        return Consumers()
    seconds: dict[tuple[str, str], float] = {}
    events_s = list(_times(f, "foreground_events")) or list(_of_sessions(f))
    events_s = events_s or [(wait.name, wait.total_s) for wait in events(f) if not wait.background]
    for name, part, time_s in _named(f, events_s or _top(f)):
        seconds[name, part] = seconds.get((name, part), 0.0) + time_s
    most_s = whole.value * BEYOND
    rest_s, shares = _besides_cpu(f), list[Share]()
    for (name, part), spent in seconds.items():
        two_clocks = part == "cpu" or spent <= rest_s * BEYOND
        least = min(spent, whole.value if two_clocks else rest_s)
        if 0 < spent <= most_s:
            shares.append(Share(name, part, least, least * 100 / whole.value))
    shares.sort(key=lambda share: -share.seconds)
    complete = bool(events_s) and max(seconds.values(), default=0.0) <= most_s
    return Consumers(tuple(shares), complete)


@fact("load.lock_wait_s", "s", FG, RESPONSE)
def lock_wait_s(f: Figures) -> Answer:
    """Waits for locks of rows, of tables, or of the application, which the note names.

    Until 9i, all locks are one event. Below a tenth of the largest, one is neither added nor named.
    """
    waited = [f.foreground(name).total_s.noted(name) for name in _LOCKS]
    waited.sort(key=lambda wait: -(wait.value or 0.0))
    most_s = waited[0].value or 0.0
    large = [wait for wait in waited if isinstance(wait, Figure) and wait.value * 10 > most_s > 0]
    return add(large, "s").noted("`, `".join(wait.note for wait in large)) if large else waited[0]


_LOCKS: Final = (
    "enq: TX - row lock contention", "enq: TM - contention", "enq: UL - contention", "enqueue",
)  # fmt: skip


def _besides_cpu(f: Figures) -> float:
    """What `DB CPU` leaves of DB time for any event of a list that has other waits, too."""
    cpu, whole = f.cpu, f.response
    mixed = f.session_list is not None and not f.is_of_sessions(f.session_list)
    if not mixed or isinstance(cpu, Missing) or isinstance(whole, Missing) or f.is_compared:
        return inf
    return whole.value - cpu.value if 0 < cpu.value < whole.value else inf


@fact("host.demand_per_cpu", "ratio", DB_TIME, "host", better="lower over time")
def demand_per_cpu(f: Figures) -> Answer:
    """DB time that is CPU or in no event, per CPU: above 1, sessions waited for CPU.

    Only if the lists of waits are whole.
    """
    shown, section = consumers(f), f.session_list
    if not shown.complete or section is None:
        return f.missing("foreground_events")
    together = not (f.is_of_sessions(section) or f.is_compared)
    if why := torn(f, section) or (together and torn(f, "background_events")):
        return Missing(why, lost=True)
    waits = sum(share.seconds for share in shown.shares if share.part != "cpu")
    rest = f.db_time - Figure(waits, "s of waits", (), "", "estimated")
    if isinstance(rest, Figure) and rest.value < 0:
        return Missing("waits take longer than DB time")
    return rest / f.elapsed / cpus(f)


@kept
def _top(f: Figures) -> list[tuple[str, float]]:
    """The top events of sessions if the report lists them apart, and CPU."""
    return list(_times(f, figures.TOP_OF_SESSIONS)) or list(_times(f, figures.TOP))


def _named(f: Figures, events_s: list[tuple[str, float]]) -> Iterator[tuple[str, str, float]]:
    """CPU and waits with the part of the write path to which they belong."""
    if not events_s:
        return
    cpu = f.cpu
    if isinstance(cpu, Figure):
        yield CPU, "cpu", cpu.value
    else:
        top = ((CPU, "cpu", s) for name, s in _top(f) if name in CPU_ROWS)
        yield from islice(top, 1)
    is_old = f.release is not None and f.release < SINCE_10G
    for name, spent in events_s:
        if of := _part_of(name.strip("* "), is_old):
            called, part = of
            yield _whole_name(f, called, events_s) if part == "other" else called, part, spent


@lru_cache(maxsize=4096)
def _part_of(event: str, is_old: bool) -> tuple[str, str] | None:  # noqa: FBT001 - cached
    """Name and part of a consumer; None for CPU, and for waits outside DB time."""
    if event in CPU_ROWS or event.startswith(OUTSIDE):
        return None
    parts = (*PARTS, *_BEFORE_10G) if is_old else PARTS
    of = ((called, part) for begin, part, called in parts if event.startswith(begin))
    return next(of, (event, "other"))


def _whole_name(f: Figures, name: str, events_s: list[tuple[str, float]]) -> str:
    """A name cut to its text column, as the top events, whose column is wider, have it."""
    if len(name) < CUT:
        return name
    longer = [other for other, _ in _top(f) if other.startswith(name)]
    if len(longer) != 1 or longer[0] == name:
        return name
    return name if sum(other.startswith(name) for other, _ in events_s) > 1 else longer[0]


def _of_sessions(f: Figures) -> Iterator[tuple[str, float]]:
    """The events of a list of all processes, without the waits of background processes.

    Of events that only the sum of their class bounds, more than one is that sum together.
    """
    others = f.tables.get("background_events")
    bounded: list[tuple[str, float]] = []
    most_s = inf
    for row in busy_rows(f, "wait_events"):
        name = row.key.strip()
        if row.text("wait_class") == OF_PROCESSES:
            continue
        # an event that their own list does not have is of sessions alone
        if others is not None and others.row(row.key) is None and not others.unread((row.key,)):
            times = [*_time(name, f.event_of(row, "wait_events"))]
            if (bound_s := _most_s(f, name)) < inf:
                bounded, most_s = [*bounded, *times], bound_s
            else:
                yield from times
        else:
            yield from _time(name, f.foreground(name))
    if sum(spent for _, spent in bounded) > most_s:
        bounded = [(bounded[0][0] if len(bounded) == 1 else _CLASS, most_s)]
    yield from bounded


_CLASS: Final = "class Other"


def _times(f: Figures, section: str) -> Iterator[tuple[str, float]]:
    """Events and seconds of a list without waits of background processes."""
    for row in busy_rows(f, section):
        yield from _time(row.key.strip(), f.event_of(row, section))


def _time(name: str, event: Event) -> Iterator[tuple[str, float]]:
    """Name and seconds of an event; a time that is lost may be longer than any other."""
    if isinstance(event.total_s, Figure):
        yield name, event.total_s.value
    elif event.total_s.lost:
        yield name, inf


@several("1/s", "instance_activity|load_profile", ELAPSED)
def rate(f: Figures, statistic: str, label: str, said: str = "") -> Answer:
    """Statistic `{statistic}` per second."""
    total = f.stat(statistic, label)
    if isinstance(total, Figure) or not said:
        return total / f.elapsed
    printed = f.row_figure("load_profile", said, "per_second", "per second")
    if isinstance(printed, Figure) and not printed.value:
        printed = Missing(f"Load Profile shows {printed.digits} per second, which is rounded")
    return printed if isinstance(printed, Figure) else joined(total, printed)


rate("load.user_calls_per_s", "user calls", "calls", "user_calls")
rate("load.hard_parses_per_s", "parse count (hard)", "hard parses", "hard_parses")
rate("load.failed_parses_per_s", "parse count (failures)", "failed parses")
rate.but(STATS, ELAPSED)("io.read_requests_per_s", "physical read total IO requests", "requests")
rate.but(STATS, ELAPSED)("io.write_requests_per_s", "physical write total IO requests", "requests")


_COUNTED_SINCE: Final = (10, 2)
_ALL_TYPES: Final = "all file types, including redo logs; before 10.2, the blocks"


@several("MB/s", STATS, ELAPSED)
def mb_per_s(f: Figures, kind: str, _of: str = _ALL_TYPES) -> Answer:
    """Statistic `physical {kind} total bytes` in MB per second: {_of}."""
    total, release = f.stat(f"physical {kind} total bytes", "B"), f.release or _COUNTED_SINCE
    if total.value is not None or total.lost or release >= _COUNTED_SINCE:
        return total / 1024 / 1024 / f.elapsed
    blocks = f.stat(f"physical {kind}s", "blocks") * block_size(f)
    return (blocks / 1024 / 1024 / f.elapsed).estimated(_BLOCKS)


_BLOCKS: Final = "blocks of data files and tempfiles: this release does not count all bytes"
mb_per_s("io.read_mb_per_s", "read")
mb_per_s("io.write_mb_per_s", "write")


@fact("load.db_cpu_s", "s", SECTIONS_CPU, kind="total")
def db_cpu_s(f: Figures) -> Answer:
    """CPU seconds of sessions: `DB CPU`, before 10g `CPU used by this session`.

    This is used, too, where `DB CPU` exceeds DB time, unless SQL took more than it has: Statspack
    11.2.0.4.0_01, 524 s, SQL 619 s, `DB CPU` 1,187 s.
    """
    fact = f.cpu.fact()
    model = f.row_figure("time_model", "DB CPU", "time_s", figures.DB_CPU)
    sql_s = sum(row.number("cpu_s") or 0.0 for row in f.tables.get("sql_by_cpu") or ()
                if not is_block(row))  # fmt: skip
    if isinstance(model, Figure) and (fact.number or inf) < sql_s <= model.value:
        return model.noted(f"more than DB time, but SQL took {sql_s:,.0f} s of CPU")
    if fact.evidence and fact.evidence[0].row == figures.STATISTIC:
        return fact._replace(status="derived", formula=f"{fact.evidence[0].text} cs / 100")
    return fact


_LIMITS: Final = "resource_limits"
#: So much of a limit in use leaves few logins. # awrlens: a hundredth
_FULL: Final = 0.99


@fact("load.reached_limits", "names", _LIMITS)
def reached_limits(f: Figures) -> Answer:
    """Limits of processes and sessions that were reached since startup, or are in use (ORA-00020).

    In use: 99 % or more at the end snapshot. Where one was reached, logins have failed already.
    """
    rows = [row for name in ("processes", "sessions") if (row := f.table(_LIMITS).row(name))]
    now = [row for row in rows if (row.number("current") or 0) >= _FULL * _limit(row)]
    full = [row for row in rows if (row.number("maximum") or 0) >= _limit(row)]
    failed = [row for row in now if row in full]
    if not (shown := failed or now or full):
        return Missing("the report shows no reached limit of processes or sessions")
    names = ("current" if now else "maximum", "limit")
    proof = [cell for row in shown for name in names if (cell := row.cell(name))]
    limits = listed([f"{_limit(row):,.0f} {row.key}" for row in shown])
    limit, was = ("limit", "was") if len(shown) == 1 else ("limits", "were")
    note = f"The {limit} of {limits} {was} reached since startup"
    if now and not failed:
        used = [f"{row.number('current'):,.0f} of {_limit(row):,.0f} {row.key}" for row in now]
        note = f"{listed(used)} in use"
    return text_fact(
        tuple(row.key for row in shown), tuple(map(f.evidence, proof)), "measured", note,
        ("refused" if failed else "in use") if now else "",
    )  # fmt: skip


def _limit(row: Row) -> float:
    limit = row.text("limit").replace(",", "").strip()
    return float(limit) if limit.isdigit() and int(limit) else inf
