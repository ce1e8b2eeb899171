"""Statspack report of 9.2."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .awr_memory import LIBRARY_CACHE_NOTE, recovery_rows, undo_rows, undo_summary
from .awr_other import dictionary_rows, latch_sleeps, sga_breakdown, sga_regions
from .derived import SIZE_FACTORS, Derived, Release, by_time, combined, read_factor
from .figures import KIB, MIB, grouped, percent, plain, ratio
from .layout import Layout, Row, Section, number
from .statspack import (
    BUFFER_WAITS,
    BY_FILE,
    DICTIONARY,
    EXECUTIONS,
    GETS,
    PARSES,
    READS,
    activity,
    buffer_wait_rows,
    execution_row,
    file_row,
    files_by_name,
    init_parameters,
    latch_activity,
    latch_miss_sources,
    lib_cache,
    ordered,
    parse_row,
    print_pages,
    resource_row,
    snapshot_lines,
    style_9,
    tablespace_io,
)
from .statspack_until_10 import load_profile, pga_sections, seen_by, wait_events, wait_row
from .text_pages import END_RULE, join, wrap

if TYPE_CHECKING:
    from .model import Event, Sql, Workload

RELEASE = Release("9.2.0.8.0", lambda w: w.elapsed_whole_s)
LOAD_HEAD = (
    "Load Profile",
    "~~~~~~~~~~~~                            Per Second       Per Transaction",
    "                                   ---------------       ---------------",
)
EFFICIENCY = "Instance Efficiency Percentages (Target 100%)"

EVENTS = Layout(
    """
                                                                   Avg
                                                     Total Wait   wait    Waits
Event                               Waits   Timeouts   Time (s)   (ms)     /txn
---------------------------- ------------ ---------- ---------- ------ --------
""",
    "s i i i n d1",
)
SHARABLE = Layout(
    """
Sharable Mem (b)  Executions  % Total  Hash Value
---------------- ------------ ------- ------------
""",
    "i i p1 n",
)
BUFFER_POOL = Layout(
    """
                                                           Free    Write  Buffer
     Number of Cache      Buffer    Physical   Physical  Buffer Complete    Busy
P      Buffers Hit %        Gets       Reads     Writes   Waits    Waits   Waits
--- ---------- ----- ----------- ----------- ---------- ------- --------  ------
""",
    "s i p1 i i i i i i",
)
RECOVERY = Layout(
    """
  Targt Estd                                    Log File   Log Ckpt   Log Ckpt
  MTTR  MTTR   Recovery    Actual     Target      Size     Timeout    Interval
   (s)   (s)   Estd IOs  Redo Blks  Redo Blks  Redo Blks  Redo Blks  Redo Blks
- ----- ----- ---------- ---------- ---------- ---------- ---------- ----------
""",
    "s n n n n n n n n",
)
POOL_ADVISORY = Layout(
    """
        Size for  Size      Buffers for  Est Physical          Estimated
P   Estimate (M) Factr         Estimate   Read Factor     Physical Reads
--- ------------ ----- ---------------- ------------- ------------------
""",
    "s i h1 i p2 i",
)
CLASS_WAITS = Layout(
    """
                                 Tot Wait    Avg
Class                    Waits   Time (s) Time (ms)
------------------ ----------- ---------- ---------
""",
    BUFFER_WAITS.formats,
)
ENQUEUES = Layout(
    """
                                                        Avg Wt         Wait
Eq     Requests    Succ Gets Failed Gets       Waits   Time (ms)     Time (s)
-- ------------ ------------ ----------- ----------- ------------- ------------
""",
    "s i i i i d2 i",
)
ROLLBACK = Layout(
    """
        Trans Table       Pct   Undo Bytes
RBS No      Gets        Waits     Written        Wraps  Shrinks  Extends
------ -------------- ------- --------------- -------- -------- --------
""",
    "n d1 p2 i i i i",
)
ROLLBACK_STORAGE = Layout(
    """
RBS No    Segment Size      Avg Active    Optimal Size    Maximum Size
------ --------------- --------------- --------------- ---------------
""",
    "n i i i i",
)
UNDO_SUMMARY = Layout(
    """
Undo           Undo        Num  Max Qry     Max Tx Snapshot Out of uS/uR/uU/
 TS#         Blocks      Trans  Len (s)   Concurcy  Too Old  Space eS/eR/eU
---- -------------- ---------- -------- ---------- -------- ------ -------------
""",
    "n i i i i i i s",
)
UNDO_STATS = Layout(
    """
                     Undo      Num Max Qry   Max Tx  Snap   Out of uS/uR/uU/
End Time           Blocks    Trans Len (s)    Concy Too Old  Space eS/eR/eU
------------ ------------ -------- ------- -------- ------- ------ -------------
""",
    "s i i i i i i s",
)
LATCH_SLEEPS = Layout(
    """
                                      Get                            Spin &
Latch Name                       Requests      Misses      Sleeps Sleeps 1->4
-------------------------- -------------- ----------- ----------- ------------
""",
    "s i i i s",
)
SHARED_POOL_ADVISORY = Layout(
    """
                                                          Estd
Shared Pool    SP       Estd         Estd     Estd Lib LC Time
   Size for  Size  Lib Cache    Lib Cache   Cache Time   Saved  Estd Lib Cache
  Estim (M) Factr   Size (M)      Mem Obj    Saved (s)   Factr    Mem Obj Hits
----------- ----- ---------- ------------ ------------ ------- ---------------
""",
    "i h1 i i i p1 i",
)
SGA = Layout(
    """
SGA regions                       Size in Bytes
------------------------------ ----------------
""",
    "s i",
)
SGA_BREAKDOWN = Layout(
    """
Pool   Name                                Begin value        End value  % Diff
------ ------------------------------ ---------------- ---------------- -------
""",
    "s s i i p2",
)


def write(w: Workload) -> str:
    """Write the report."""
    d = Derived(seen_by(RELEASE, w), RELEASE)
    lines = [*header(d), *load_profile(d, LOAD_HEAD, EFFICIENCY), *top_events(d)]
    lines += print_pages(sections(d), style_9(d))
    return join([*lines, "", "End of Report", ""])


def header(d: Derived) -> list[str]:
    """Database, snapshots, cache sizes."""
    w = d.workload
    db, memory = w.database, w.memory
    return [
        "",
        "STATSPACK report for",
        "",
        "DB Name         DB Id    Instance     Inst Num Release     Cluster Host",
        "------------ ----------- ------------ -------- ----------- ------- ------------",
        (
            f"{db.name:<12} {db.db_id:>11} {db.instance:<12} {db.instance_number:>8} "
            f"{RELEASE.number:<11} {'NO':<7} {db.host}"
        ),
        "",
        "            Snap Id     Snap Time      Sessions Curs/Sess Comment",
        "            ------- ------------------ -------- --------- -------------------",
        *snapshot_lines(d, 8),
        f"   Elapsed: {grouped(d.elapsed_s / 60, 2):>24} (mins)",
        "",
        "Cache Sizes (end)",
        "~~~~~~~~~~~~~~~~~",
        (
            f"               Buffer Cache: {grouped(memory.buffer_cache_bytes / MIB) + 'M':>10}"
            f"      Std Block Size: {str(db.block_bytes // KIB) + 'K':>10}"
        ),
        (
            f"           Shared Pool Size: {grouped(memory.shared_pool_bytes / MIB) + 'M':>10}"
            f"          Log Buffer: {grouped(memory.log_buffer_bytes / KIB) + 'K':>10}"
        ),
        "",
    ]


def top_events(d: Derived) -> list[str]:
    """Top 5 Timed Events: all waits and CPU time."""
    cpu_s = d["CPU used by this session"] / 100
    events = [e for e in by_time(combined(d.workload.events)) if not e.idle]
    whole_s = cpu_s + sum(event.time_us for event in events) / 1e6
    rows = [(e.name, grouped(e.waits), e.time_us / 1e6) for e in events]
    rows.append(("CPU time", "", cpu_s))
    rows.sort(key=lambda row: -row[2])
    return [
        "Top 5 Timed Events",
        "~~~~~~~~~~~~~~~~~~                                                     % Total",
        "Event                                               Waits    Time (s) Ela Time",
        "-------------------------------------------- ------------ ----------- --------",
        *(
            f"{name[:44]:<44} {waits:>12} {grouped(seconds):>11} "
            f"{plain(percent(seconds, whole_s), 2):>8}"
            for name, waits, seconds in rows[:5]
        ),
        END_RULE,
    ]


def sections(d: Derived) -> list[Section]:
    """All sections in printing order."""
    return [
        *wait_sections(d),
        *sql_sections(d),
        activity(d),
        tablespace_io(d),
        file_io(d),
        *buffer_sections(d),
        *pga_sections(d, "dentified"),
        enqueues(d),
        *rollback_sections(d),
        *undo_sections(d),
        latch_activity(d),
        *latch_sections(d),
        *cache_sections(d),
        *memory_sections(d),
        init_parameters(d, continued=False),
    ]


def wait_sections(d: Derived) -> list[Section]:
    """All waits, and those of background processes once more."""
    order = "ordered by wait time desc, waits desc (idle events last)"
    units = (
        "s  - second",
        "cs - centisecond -     100th of a second",
        "ms - millisecond -    1000th of a second",
        "us - microsecond - 1000000th of a second",
    )

    def row(event: Event) -> Row:
        return wait_row(d, event, event.timeouts, 1e6)

    return wait_events(d, EVENTS, row, (*units, order), (order,))


def sql_sections(d: Derived) -> list[Section]:
    """Build SQL ordered by gets, reads, executions, parse calls, memory."""
    gets, reads = d["session logical reads"], d["physical reads"]

    def by_gets(sql: Sql) -> int:
        return sql.gets

    def by_reads(sql: Sql) -> int:
        return sql.reads

    top_gets = ordered(d, by_gets, 0, gets)
    top_reads = ordered(d, by_reads, 0, reads)
    runs = ordered(d, lambda sql: sql.executions, 0, 1)
    parses = ordered(d, lambda sql: sql.parses, 0, 1)
    large = [sql for sql in d.workload.statements if sql.sharable_bytes > MIB]
    pool = d.workload.memory.shared_pool_bytes
    plsql = (
        "End Buffer Gets Threshold:   10000",
        (
            "Note that resources reported for PL/SQL includes the resources used by\n"
            "all SQL statements called within the PL/SQL code.  As individual SQL\n"
            "statements are also reported, it is possible and valid for the summed\n"
            "total % to exceed 100"
        ),
    )
    return [
        Section(
            "SQL ordered by Gets",
            GETS,
            [resource_row(sql, sql.gets, gets) for sql in top_gets],
            plsql,
            new_page=True,
            statements=top_gets,
        ),
        Section(
            "SQL ordered by Reads",
            READS,
            [resource_row(sql, sql.reads, reads) for sql in top_reads],
            ("End Disk Reads Threshold:    1000",),
            new_page=True,
            statements=top_reads,
        ),
        Section(
            "SQL ordered by Executions",
            EXECUTIONS,
            [execution_row(sql) for sql in runs],
            ("End Executions Threshold:     100",),
            new_page=True,
            statements=runs,
        ),
        Section(
            "SQL ordered by Parse Calls",
            PARSES,
            [parse_row(d, sql) for sql in parses],
            ("End Parse Calls Threshold:      1000",),
            new_page=True,
            statements=parses,
        ),
        Section(
            "SQL ordered by Sharable Memory",
            SHARABLE,
            [
                (
                    sql.sharable_bytes,
                    sql.executions,
                    percent(sql.sharable_bytes, pool),
                    sql.hash_value,
                )
                for sql in large
            ],
            ("End Sharable Memory Threshold:   1048576",),
            new_page=True,
            statements=large,
        ),
    ]


def file_io(d: Derived) -> Section:
    """File IO Stats."""
    rows: list[Row] = [
        (file.tablespace, file.name, *file_row(d, file)) for file in files_by_name(d)
    ]
    notes = ("ordered by Tablespace, File",)
    return Section("File IO Stats", BY_FILE, rows, notes, new_page=True, tight_notes=True)


def buffer_sections(d: Derived) -> list[Section]:
    """Buffer pool, recovery, advice, buffer waits."""
    w = d.workload
    size_mb = w.memory.buffer_cache_bytes / MIB
    buffers = w.memory.buffer_cache_bytes // w.database.block_bytes
    gets = d["session logical reads"] - d["physical reads direct"]
    reads = d["physical reads cache"]
    pool: Row = (
        "D",
        buffers,
        100 - percent(reads, gets),
        gets,
        reads,
        d["physical writes from cache"],
        0,
        0,
        sum(waits for waits, _ in w.buffer_waits.values()),
    )
    advice: list[Row] = [
        (
            "D",
            size_mb * factor,
            factor,
            buffers * factor,
            read_factor(factor),
            reads * read_factor(factor),
        )
        for factor in SIZE_FACTORS
    ]
    return [
        Section(
            "Buffer Pool Statistics",
            BUFFER_POOL,
            [pool],
            (
                "Standard block size Pools  D: default,  K: keep,  R: recycle",
                "Default Pools for other block sizes: 2k, 4k, 8k, 16k, 32k",
            ),
            new_page=True,
        ),
        Section(
            "Instance Recovery Stats",
            RECOVERY,
            [row[:9] for row in recovery_rows(d)],
            ("B: Begin snapshot,  E: End snapshot",),
            preamble=("",),
        ),
        Section(
            "Buffer Pool Advisory",
            POOL_ADVISORY,
            advice,
            (
                "Only rows with estimated physical reads >0 are displayed",
                "ordered by Block Size, Buffers For Estimate",
            ),
            at_end_snapshot=True,
            preamble=("",),
        ),
        Section(
            "Buffer wait Statistics",
            CLASS_WAITS,
            buffer_wait_rows(d),
            ("ordered by wait time desc, waits desc",),
            preamble=("", ""),
        ),
    ]


def enqueues(d: Derived) -> Section:
    """Enqueue activity, by two-letter type."""
    rows: list[Row] = [
        (
            e.kind,
            e.requests,
            e.gets,
            e.requests - e.gets,
            e.waits,
            ratio(e.wait_us / 1e3, e.waits),
            e.wait_us / 1e6,
        )
        for e in sorted(d.workload.enqueues, key=lambda e: -e.wait_us)
    ]
    notes = (
        "Enqueue stats gathered prior to 9i should not be compared with 9i data",
        "ordered by Wait Time desc, Waits desc",
    )
    return Section("Enqueue activity", ENQUEUES, rows, notes, new_page=True)


def rollback_sections(d: Derived) -> list[Section]:
    """Rollback segments: activity and storage."""
    segments = d.workload.rollback_segments
    return [
        Section(
            "Rollback Segment Stats",
            ROLLBACK,
            [
                (
                    s.number,
                    s.gets,
                    percent(s.waits, s.gets),
                    s.bytes_written,
                    s.wraps,
                    s.shrinks,
                    s.extends,
                )
                for s in segments
            ],
            (
                'A high value for "Pct Waits" suggests more rollback segments may be required',
                (
                    "RBS stats may not be accurate between begin and end snaps when using Auto "
                    "Undo\nmanagment, as RBS may be dynamically created and dropped as needed"
                ),
            ),
            new_page=True,
            tight_notes=True,
        ),
        Section(
            "Rollback Segment Storage",
            ROLLBACK_STORAGE,
            [(s.number, s.size_bytes, s.active_bytes, None, s.high_water_bytes) for s in segments],
            ("Optimal Size should be larger than Avg Active",),
            new_page=True,
            tight_notes=True,
        ),
    ]


def undo_sections(d: Derived) -> list[Section]:
    """Undo: one line for the tablespace, then ten-minute rows."""
    number, _, transactions, query_s, concurrency, *_ = undo_summary(d)
    reuse = "0/0/0/0/0/0"
    return [
        Section(
            "Undo Segment Summary",
            UNDO_SUMMARY,
            [(number, d.undo_blocks, transactions, query_s, concurrency, 0, 0, reuse)],
            (
                "Undo segment block stats:",
                "uS - unexpired Stolen,   uR - unexpired Released,   uU - unexpired reUsed",
                "eS - expired   Stolen,   eR - expired   Released,   eU - expired   reUsed",
            ),
            new_page=True,
        ),
        Section(
            "Undo Segment Stats",
            UNDO_STATS,
            [(*row[:5], 0, 0, reuse) for row in undo_rows(d)],
            ("ordered by Time desc",),
            preamble=("", ""),
        ),
    ]


def latch_sections(d: Derived) -> list[Section]:
    """Sleeps and where they were."""
    rows: list[Row] = []
    for *numbers, spins in latch_sleeps(d):
        # spins and the first, second, third and fourth sleep, broken at the column
        first, *others = wrap(f"{spins}/{numbers[-1]}/0/0/0", 12, 5)
        rows.append((*numbers, first))
        rows += [(None, None, None, None, part) for part in others]
    notes = ("ordered by misses desc",)
    return [
        Section("Latch Sleep breakdown", LATCH_SLEEPS, rows, notes, new_page=True),
        latch_miss_sources(d),
    ]


def cache_sections(d: Derived) -> list[Section]:
    """Build Dictionary and library cache, shared pool advice."""
    size_mb = d.workload.memory.shared_pool_bytes / MIB
    saved_s = d["execute count"] / 2_100
    advice: list[Row] = []
    for step in range(8, 21, 2):
        factor = step / 10
        cache_mb = max(8.0, size_mb * (factor - 0.62))
        advice.append(
            (
                size_mb * factor,
                factor,
                cache_mb,
                cache_mb * 38,
                saved_s * factor**0.01,
                factor**0.01,
                d["execute count"] * factor**0.001,
            )
        )
    return [
        Section(
            "Dictionary Cache Stats",
            DICTIONARY,
            dictionary_rows(d),
            (
                '"Pct Misses"  should be very low (< 2% in most cases)',
                '"Cache Usage" is the number of cache entries being used',
                '"Pct SGA"     is the ratio of usage to allocated size for that cache',
            ),
            new_page=True,
            tight_notes=True,
        ),
        lib_cache(d),
        Section(
            "Shared Pool Advisory",
            SHARED_POOL_ADVISORY,
            advice,
            (LIBRARY_CACHE_NOTE,),
            new_page=True,
            at_end_snapshot=True,
        ),
    ]


def memory_sections(d: Derived) -> list[Section]:
    """SGA regions and their breakdown, in bytes."""
    breakdown: list[Row] = []
    for pool, name, begin_mb, end_mb, difference in sga_breakdown(d):
        if name != "ASH buffers":
            sizes = (number(begin_mb) * MIB, number(end_mb) * MIB)
            breakdown.append((pool, name, *sizes, difference))
    return [
        Section(
            "SGA Memory Summary",
            SGA,
            [row[:2] for row in sga_regions(d)],
            new_page=True,
            footer=(" " * 31 + "-" * 16, f"sum{d.workload.memory.sga_bytes:44,d}"),
        ),
        Section("SGA breakdown difference", SGA_BREAKDOWN, breakdown, preamble=("", "")),
    ]
