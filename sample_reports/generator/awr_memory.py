"""AWR: buffer pool, checkpoints, advisories, buffer and enqueue waits, undo."""

from __future__ import annotations

from .derived import SIZE_FACTORS, Derived, read_factor
from .figures import KIB, MIB, grouped, percent, plain, ratio
from .layout import Group, Layout, Row, Section

BUFFER_POOL = Layout(
    """
                                                            Free   Writ   Buffer
     Number of Pool       Buffer     Physical    Physical   Buff   Comp     Busy
P      Buffers Hit%         Gets        Reads      Writes   Wait   Wait    Waits
--- ---------- ---- ------------ ------------ ----------- ------ ------ --------
""",
    "s i i i i i i i i",
    "P|Number of Buffers|Pool Hit%|Buffer Gets|Physical Reads|Physical Writes|Free Buff Wait|"
    "Writ Comp Wait|Buffer Busy Waits",
    "This table displays buffer pool statistics for different types of buffers, such as default, "
    "keep, and recycle. Statistics include number of buffers, % Pool hit, buffer gets, physical "
    "reads, physical writes, free buffer wait, etc.",
)
CHECKPOINT = Layout(
    """
                                          Other    Autotune      Thread
       MTTR    Log Size    Log Ckpt    Settings        Ckpt        Ckpt
     Writes      Writes      Writes      Writes      Writes      Writes
----------- ----------- ----------- ----------- ----------- -----------
""",
    "i i i i i i",
    "MTTR Writes|Log Size Writes|Log Ckpt Writes|Other Settings Writes|Autotune Ckpt Writes|"
    "Thread Ckpt Writes",
    "This table displays checkpoint activity statistics. Statistics include MTTR writes, log "
    "size writes, autotune checkpoint writes, etc.",
    scope_column=None,
)
RECOVERY = Layout(
    """
                                                                            Estd
  Targt  Estd                                     Log Ckpt Log Ckpt    Opt   RAC
  MTTR   MTTR Recovery  Actual   Target   Log Sz   Timeout Interval    Log Avail
   (s)    (s) Estd IOs RedoBlks RedoBlks RedoBlks RedoBlks RedoBlks  Sz(M)  Time
- ----- ----- -------- -------- -------- -------- -------- -------- ------ -----
""",
    "s n n n n n n n n? n? n?",
    "|Targt MTTR  (s) |Estd MTTR (s)|Recovery Estd IOs|Actual  RedoBlks|Target  RedoBlks|"
    "Log Sz  RedoBlks|Log Ckpt Timeout RedoBlks|Log Ckpt Interval RedoBlks|Opt Log Sz(M)|"
    "Estd RAC Avail Time",
    "This table displays instance recovery statistics at begin and end snapshot. It displays "
    "target MTTR, estimated MTTR, recovery estimated IO per second, redo blocks, target redo "
    "blocks, etc.",
)
_MTTR_SUMMARY = (
    "This table displays MTTR advisory. It displays size for estimate, dirty limit, estimated "
    "cache writes, estimated cache write factor, estimated total write, estimated total IO per "
    "second, etc."
)
MTTR_ADVISORY = Layout(
    """
                                   Est                 Est                 Est
                            Est  Cache          Est  Total          Est  Total
Size fo      Dirty        Cache  Write        Total  Write        Total     IO
Est (s)      Limit       Writes   Fctr       Writes   Fctr          IOs   Fctr
------- ---------- ------------ ------ ------------ ------ ------------ ------
""",
    "i i i d1 i d1 i d1",
    "Size for Est (s)|Dirty Limit|Est Cache Writes|Est Cache Write Fctr|Est Total Writes|"
    "Est Total Write Fctr|Est Total IOs|Est Total IO Fctr",
    _MTTR_SUMMARY,
    scope_column=None,
)
POOL_ADVISORY = Layout(
    """
                                    Est
                                   Phys      Estimated                  Est
    Size for   Size      Buffers   Read     Phys Reads     Est Phys %DBtime
P    Est (M) Factor  (thousands) Factor    (thousands)    Read Time for Rds
--- -------- ------ ------------ ------ -------------- ------------ -------
""",
    "s i b1 i d1 i i e1",
    "P|Size for Est (M)|Size Factor|Buffers (thousands)|Est Phys Read Factor|"
    "Estimated Phys Reads (thousands)|Est Phys Read Time|Est %DBtime for Rds",
    _MTTR_SUMMARY,  # older releases label this table so, and so does the real report
    scope_column=None,
)
PGA_SUMMARY = Layout(
    """
PGA Cache Hit %   W/A MB Processed  Extra W/A MB Read/Written
--------------- ------------------ --------------------------
""",
    "d1 i i",
    "PGA Cache Hit %|W/A MB Processed|Extra W/A MB Read/Written",
    "This table displays PGA aggregate summary. It includes PGA cache hits, total wait time, "
    "average time for each class of buffer wait and WorkArea data processed.",
    scope_column=None,
)
PGA_TARGET = Layout(
    """
                                                %PGA  %Auto   %Man
    PGA Aggr   Auto PGA   PGA Mem    W/A PGA     W/A    W/A    W/A Global Mem
   Target(M)  Target(M)  Alloc(M)    Used(M)     Mem    Mem    Mem   Bound(K)
- ---------- ---------- ---------- ---------- ------ ------ ------ ----------
""",
    "s i i d1 d1 b1 b1 b1 i",
    "|PGA Aggr Target(M)|Auto PGA Target(M)|PGA Mem  Alloc(M) |W/A PGA  Used(M) |%PGA W/A Mem|"
    "%Auto W/A Mem|%Man W/A Mem|Global Mem Bound(K)",
    "This table displays PGA aggregate target statistics for begin and end snapshot. Statistics "
    "include PGA aggregate target, auto PGA target, PGA memory allocation, etc.",
)
PGA_HISTOGRAM = Layout(
    """
  Low     High
Optimal Optimal    Total Execs  Optimal Execs 1-Pass Execs M-Pass Execs
------- ------- -------------- -------------- ------------ ------------
""",
    "r r i i i i",
    "  Low Optimal|  High Optimal|Total Execs|Optimal Execs|1-Pass Execs|M-Pass Execs",
    "This table displays PGA aggregate target histograms.",
    scope_column=None,
)
PGA_ADVISORY = Layout(
    """
                                       Estd Extra    Estd P Estd PGA
PGA Target    Size           W/A MB   W/A MB Read/    Cache Overallo    Estd
  Est (MB)   Factr        Processed Written to Disk   Hit %    Count    Time
---------- ------- ---------------- ---------------- ------ -------- -------
""",
    "i d1 d1 d1 d1 i i",
    "PGA Target Est (MB)|Size Factr|W/A MB Processed|"
    "Estd Extra    W/A MB Read/   Written to Disk |Estd PGA Cache Hit %|"
    "Estd PGA Overalloc Count|Estd Time",
    "This table displays PGA memory advisory for different estimated PGA target sizes. It "
    "displays size factor, Workarea MB processed, estimated PGA cache hit, estimated extra "
    "Workarea MB read written to disk, etc., for each target size.",
)
SHARED_POOL_ADVISORY = Layout(
    """
                                       Est LC Est LC  Est LC Est LC
  Shared    SP   Est LC                  Time   Time    Load   Load       Est LC
    Pool  Size     Size       Est LC    Saved  Saved    Time   Time      Mem Obj
 Size(M) Factr      (M)      Mem Obj      (s)  Factr     (s)  Factr     Hits (K)
-------- ----- -------- ------------ -------- ------ ------- ------ ------------
""",
    "i b1 i i i d1 i d1 i",
    "Shared Pool Size(M)|SP Size Factr|Est LC Size (M)|Est LC Mem Obj|Est LC Time Saved (s)|"
    "Est LC Time Saved Factr|Est LC Load Time (s)|Est LC Load Time Factr|Est LC Mem Obj Hits (K)",
    "This table displays shared pool advisory. Size factor, estimated library cache size, "
    "estimated library cache memory object and other info is displayed for different shared pool "
    "sizes",
)
BUFFER_WAITS = Layout(
    """
Class                    Waits Total Wait Time (s)  Avg Time (ms)
------------------ ----------- ------------------- --------------
""",
    "s i i i",
    "Class|Waits|Total Wait Time (s)|Avg Time (ms)",
    "This table displays buffer wait statistics. Statistics include waits, total wait time and "
    "average time for each class of buffer wait.",
)
ENQUEUES = Layout(
    """
Enqueue Type (Request Reason)
------------------------------------------------------------------------------
    Requests    Succ Gets Failed Gets       Waits  Wt Time (s) Av Wt Time(ms)
------------ ------------ ----------- ----------- ------------ --------------
""",
    "s i i i i i d2",
    "Enqueue Type (Request Reason)|Requests|Succ Gets|Failed Gets|Waits|Wt Time (s)|Av Wt Time(ms)",
    "This table displays enqueue activity statistics. Requests, success gets, failed gets, "
    "waits, wait time and average wait time are displayed for each enqueue type.",
)
UNDO_SUMMARY = Layout(
    """
Undo   Num Undo       Number of  Max Qry   Max Tx Min/Max   STO/     uS/uR/uU/
 TS# Blocks (K)    Transactions  Len (s) Concurcy TR (mins) OOS      eS/eR/eU
---- ---------- --------------- -------- -------- --------- ----- --------------
""",
    "n d1 i i i s s s",
    "Undo TS#|Num Undo Blocks (K)|Number of Transactions|Max Qry Len (s)|Max Tx Concurcy|"
    "Min/Max TR (mins)|STO/ OOS|   uS/uR/uU/    eS/eR/eU",
    "This table displays undo segment summary. It displays undo tablespace number, number of "
    "undo blocks, number of transactions, max query length, etc.",
)
UNDO_STATS = Layout(
    """
                Num Undo    Number of Max Qry  Max Tx Tun Ret STO/    uS/uR/uU/
End Time          Blocks Transactions Len (s)   Concy  (mins) OOS     eS/eR/eU
------------ ----------- ------------ ------- ------- ------- ----- ------------
""",
    "s i i i i i s s",
    "End Time|Num Undo Blocks|Number of Transactions|Max Qry Len (s)|Max Tx Concy|"
    "Tun Ret (mins)|STO/ OOS|  uS/uR/uU/   eS/eR/eU",
    "This table displays the 35 most recent Undostat rows.",
)
NO_REUSE = "0/0/0/0/0/0"
LIBRARY_CACHE_NOTE = (
    "Note there is often a 1:Many correlation between a single logical object\n"
    "in the Library Cache, and the physical number of memory objects associated\n"
    "with it.  Therefore comparing the number of Lib Cache objects (e.g. in\n"
    "v$librarycache), with the number of Lib Cache Memory Objects is invalid"
)


def buffer_pool_group(d: Derived) -> Group:
    """Buffer Pool Statistics and Checkpoint Activity."""
    checkpoint = d.workload.checkpoint
    return Group(
        "Buffer Pool Statistics",
        25,
        (
            Section(
                "Buffer Pool Statistics",
                BUFFER_POOL,
                [buffer_pool(d)],
                (
                    "Standard block size Pools  D: default,  K: keep,  R: recycle",
                    "Default Pools for other block sizes: 2k, 4k, 8k, 16k, 32k",
                ),
                1900,
                new_page=True,
            ),
            Section(
                "Checkpoint Activity",
                CHECKPOINT,
                [
                    (
                        checkpoint.mttr_writes,
                        checkpoint.log_size_writes,
                        checkpoint.log_setting_writes,
                        checkpoint.other_setting_writes,
                        checkpoint.autotune_writes,
                        checkpoint.thread_writes,
                    )
                ],
                (f"Total Physical Writes: {d['physical writes']:28,d}",),
                1910,
            ),
        ),
    )


def buffer_pool(d: Derived) -> Row:
    """Return the default pool."""
    w = d.workload
    gets = d["session logical reads"] - d["physical reads direct"]
    reads = d["physical reads cache"]
    return (
        "D",
        w.memory.buffer_cache_bytes // w.database.block_bytes,
        100 - percent(reads, gets),
        gets,
        reads,
        d["physical writes from cache"],
        0,
        0,
        sum(waits for waits, _ in w.buffer_waits.values()),
    )


def advisory_group(d: Derived) -> Group:
    """Advisory Statistics."""
    return Group(
        "Advisory Statistics",
        26,
        (
            Section(
                "Instance Recovery Stats",
                RECOVERY,
                recovery_rows(d),
                ("B: Begin Snapshot,  E: End Snapshot",),
                2000,
            ),
            Section(
                "MTTR Advisory",
                MTTR_ADVISORY,
                mttr_advice(d),
                (
                    "Only rows at end snap are displayed",
                    "Estimated Writes and I/Os are in thousands",
                ),
                2010,
                at_end_snapshot=True,
            ),
            Section(
                "Buffer Pool Advisory",
                POOL_ADVISORY,
                pool_advice(d),
                (
                    "Only rows with estimated physical reads >0 are displayed",
                    "ordered by Block Size, Buffers For Estimate",
                ),
                2100,
                at_end_snapshot=True,
            ),
            *pga_sections(d),
            Section(
                "Shared Pool Advisory",
                SHARED_POOL_ADVISORY,
                shared_pool_advice(d),
                (
                    "SP: Shared Pool     Est LC: Estimated Library Cache   Factr: Factor",
                    LIBRARY_CACHE_NOTE + ".",
                ),
                5500,
                new_page=True,
                at_end_snapshot=True,
            ),
            Section("SGA Target Advisory", anchor=6900, at_end_snapshot=True),
            Section("Streams Pool Advisory", anchor=7100, at_end_snapshot=True),
            Section("Java Pool Advisory", anchor=5700, at_end_snapshot=True),
        ),
    )


def recovery_rows(d: Derived) -> list[Row]:
    """Begin and end of Instance Recovery Stats; the interval setting is not in use."""
    return [
        (
            row.label,
            row.target_mttr_s,
            row.estimated_mttr_s,
            row.estimated_ios,
            row.actual_redo_blocks,
            row.target_redo_blocks,
            row.log_size_redo_blocks,
            row.timeout_redo_blocks,
            None,
            row.optimal_log_mb,
            row.rac_available_s,
        )
        for row in d.workload.recovery
    ]


def mttr_advice(d: Derived) -> list[Row]:
    """Return writes and I/Os, in thousands, at other targets."""
    w = d.workload
    present = next((row for row in w.mttr_advice if row.cache_writes_factor == 1.0), None)
    if present is None:
        return []
    other_writes = d["physical writes direct"] // 1_000
    reads = d["physical reads"] // 1_000
    rows: list[Row] = []
    for row in w.mttr_advice:
        writes = row.cache_writes + other_writes
        now = present.cache_writes + other_writes
        rows.append(
            (
                row.target_s,
                row.dirty_limit,
                row.cache_writes,
                row.cache_writes_factor,
                writes,
                ratio(writes, now),
                writes + reads,
                ratio(writes + reads, now + reads),
            )
        )
    return rows


def pool_advice(d: Derived) -> list[Row]:
    """Estimated physical reads of buffer caches of other sizes."""
    w = d.workload
    size_mb = w.memory.buffer_cache_bytes // MIB
    reads = d["physical reads cache"]
    read_s = sum(file.read_us for file in w.files) / 1e6
    rows: list[Row] = []
    for factor in SIZE_FACTORS:
        more = read_factor(factor)
        buffers = size_mb * factor * MIB / w.database.block_bytes
        rows.append(
            (
                "D",
                size_mb * factor,
                factor,
                buffers / 1_000,
                more,
                reads * more / 1_000,
                read_s * more,
                percent(read_s * more, d.db_time_s),
            )
        )
    return rows


def pga_sections(d: Derived) -> tuple[Section, ...]:
    """PGA use and advice."""
    return (
        Section(
            "PGA Aggr Summary",
            PGA_SUMMARY,
            [pga_summary(d)],
            ("PGA cache hit % - percentage of W/A (WorkArea) data processed only in-memory",),
            2400,
            new_page=True,
        ),
        Section(
            "PGA Aggr Target Stats",
            PGA_TARGET,
            pga_target(d),
            (
                (
                    "B: Begin Snap   E: End Snap (rows dentified with B or E contain data\n"
                    "which is absolute i.e. not diffed over the interval)"
                ),
                "Auto PGA Target - actual workarea memory target",
                "W/A PGA Used    - amount of memory used for all Workareas (manual + auto)",
                "%PGA W/A Mem    - percentage of PGA memory allocated to workareas",
                "%Auto W/A Mem   - percentage of workarea memory controlled by Auto Mem Mgmt",
                "%Man W/A Mem    - percentage of workarea memory under manual control",
            ),
            2600,
        ),
        Section(
            "PGA Aggr Target Histogram",
            PGA_HISTOGRAM,
            work_areas(d),
            ("Optimal Executions are purely in-memory operations",),
            2700,
        ),
        Section(
            "PGA Memory Advisory",
            PGA_ADVISORY,
            pga_advice(d),
            (
                (
                    "When using Auto Memory Mgmt, minimally choose a pga_aggregate_target value\n"
                    "where Estd PGA Overalloc Count is 0"
                ),
            ),
            2800,
            at_end_snapshot=True,
        ),
    )


def pga_summary(d: Derived) -> Row:
    """Cache hit, megabytes processed, extra megabytes."""
    w = d.workload
    processed, extra = w.work_area_bytes, w.work_area_extra_bytes
    return (percent(processed, processed + extra), processed / MIB, extra / MIB)


def pga_target(d: Derived) -> list[Row]:
    """Return the target and what is used of it; no work area was active at a snapshot."""
    memory = d.workload.memory
    return [
        (
            label,
            memory.pga_target_bytes / MIB,
            memory.pga_auto_target_bytes / MIB,
            snapshot.pga_bytes / MIB,
            0,
            0,
            0,
            0,
            memory.pga_bound_bytes / KIB,
        )
        for label, snapshot in (("B", d.workload.begin), ("E", d.workload.end))
    ]


def work_areas(d: Derived) -> list[Row]:
    """Return executions by size."""
    return [
        (area.low, area.high, area.executions, area.optimal, area.onepass, area.multipass)
        for area in d.workload.work_areas
    ]


PGA_FACTORS = (0.125, 0.25, 0.5, 0.75, 1.0, 1.4, 2.0, 4.0, 8.0)


def pga_advice(d: Derived) -> list[Row]:
    """Extra megabytes at other targets."""
    w = d.workload
    target_mb = w.memory.pga_target_bytes / MIB
    processed = w.work_area_bytes / MIB
    rows: list[Row] = []
    for factor in PGA_FACTORS:
        extra = w.work_area_extra_bytes / MIB * (min(factor, 4.0) ** -0.5 if factor < 6 else 0)
        overallocated = 4 if factor < 0.25 else 0
        hit = percent(processed, processed + extra)
        rows.append(
            (
                target_mb * factor, factor, processed, extra, hit, overallocated,
                (processed + extra) * 700,
            )
        )  # fmt: skip
    return rows


def shared_pool_advice(d: Derived) -> list[Row]:
    """Library cache load time in shared pools of other sizes."""
    size_mb = d.workload.memory.shared_pool_bytes // MIB
    saved_s, load_s = d["execute count"] // 2_100, d.workload.time.hard_parse_us / 1e6
    hits = d["execute count"] // 1_000
    rows: list[Row] = []
    for step in range(8, 21, 2):
        factor = step / 10
        cache_mb = max(8.0, size_mb * factor - size_mb * 0.62)
        more_load = read_factor(factor, 0.8)
        rows.append(
            (
                size_mb * factor,
                factor,
                cache_mb,
                cache_mb * 38,
                saved_s * factor**0.01,
                factor**0.01,
                load_s * more_load,
                more_load,
                hits * factor**0.001,
            )
        )
    return rows


def wait_statistics_group(d: Derived) -> Group:
    """Buffer Wait Statistics and Enqueue Activity."""
    w = d.workload
    classes = sorted(w.buffer_waits.items(), key=lambda item: -item[1][1])
    is_19 = d.release.major >= 19
    return Group(
        "Wait Statistics",
        27,
        (
            Section(
                "Buffer Wait Statistics",
                BUFFER_WAITS,
                [(name, n, us / 1e6, ratio(us / 1e3, n)) for name, (n, us) in classes],
                ("ordered by wait time desc, waits desc",),
                2300,
            ),
            Section(
                "Enqueue Activity",
                ENQUEUES,
                enqueue_rows(d),
                (
                    f"only enqueues with {'requests' if is_19 else 'waits'} are shown",
                    "Enqueue stats gathered prior to 10g should not be compared with 10g data",
                    "ordered by Wait Time desc, Waits desc" + (", Requests desc" if is_19 else ""),
                ),
                3000,
                new_page=True,
            ),
        ),
    )


def enqueue_rows(d: Derived) -> list[Row]:
    """Enqueues by wait time."""
    return [
        (
            f"{row.kind}-{row.description}",
            row.requests,
            row.gets,
            row.requests - row.gets,
            row.waits,
            row.wait_us / 1e6,
            ratio(row.wait_us / 1e3, row.waits),
        )
        for row in sorted(d.workload.enqueues, key=lambda row: -row.wait_us)
    ]


UNDO_NOTES = (
    "Min/Max TR (mins) - Min and Max Tuned Retention (minutes)",
    "STO - Snapshot Too Old count,  OOS - Out of Space count",
    "Undo segment block stats:",
    "uS - unexpired Stolen,   uR - unexpired Released,   uU - unexpired reUsed",
    "eS - expired   Stolen,   eR - expired   Released,   eU - expired   reUsed",
)


def undo_group(d: Derived) -> Group:
    """Undo Statistics."""
    return Group(
        "Undo Statistics",
        28,
        (
            Section(
                "Undo Segment Summary",
                UNDO_SUMMARY,
                [undo_summary(d)],
                UNDO_NOTES,
                3300,
                new_page=True,
            ),
            Section(
                "Undo Segment Stats",
                UNDO_STATS,
                undo_rows(d),
                ("Most recent 35 Undostat rows, ordered by Time desc",),
                3400,
            ),
        ),
    )


def undo_summary(d: Derived) -> Row:
    """One line for the undo tablespace."""
    rows = d.workload.undo
    retention = [row.retention_min for row in rows]
    return (
        d.workload.undo_tablespace_number,
        d.undo_blocks / 1_000,
        sum(row.transactions for row in rows),
        max(row.max_query_s for row in rows),
        max(row.max_concurrency for row in rows),
        d.workload.undo_retention or f"{plain(min(retention))}/{plain(max(retention), 1)}",
        "0/0",
        d.workload.undo_steals,
    )


def undo_rows(d: Derived) -> list[Row]:
    """Ten-minute rows, newest first."""
    return [
        (
            row.ends.strftime("%d-%b %H:%M"),
            row.blocks,
            row.transactions,
            row.max_query_s,
            row.max_concurrency,
            row.retention_min,
            "0/0",
            NO_REUSE,
        )
        for row in d.workload.undo
    ]


def sized(size_bytes: float) -> str:
    """Size of a cache in the header: ``2,360M``."""
    return grouped(size_bytes / MIB) + "M"
