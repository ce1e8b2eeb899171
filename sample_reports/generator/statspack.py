"""What the Statspack layouts share: I/O, undo, caches, and the style of their pages."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from .awr import efficiency_pairs, shared_pool
from .awr_memory import pga_summary, work_areas
from .awr_memory import pga_target as awr_pga_target
from .awr_other import latch_misses, latch_rows, library_rows, parameters
from .derived import Derived, tablespaces
from .figures import percent, plain, ratio
from .layout import Layout, Row, Section
from .model import DataFile, Sql
from .text_pages import TextStyle, line_of, print_section

LINE_WIDTH = 80


def style_9(d: Derived) -> TextStyle:
    """Titles of 8i and 9i: ``Wait Events for DB: X  Instance: y  Snaps: 1 -11``."""

    def title(section: Section, feed: str) -> str:
        return feed + long_title(d, section)[:LINE_WIDTH]

    return TextStyle(title, 60, sql_width=64, sql_lines=5, prints_empty=False)


def style_11(d: Derived, snap_width: int = 0) -> TextStyle:
    """Titles of 10g and later: ``Wait Events  DB/Inst: X/y  Snaps: 1-11``."""

    def title(section: Section, feed: str) -> str:
        if section.title == "SQL ordered by Elapsed time":  # kept its old title
            return feed + long_title(d, section)[:LINE_WIDTH]
        w = d.workload
        begin, end = (f"{snap.snap_id:>{snap_width}}" for snap in (w.begin, w.end))
        snaps = f"End Snap: {end}" if section.at_end_snapshot else f"Snaps: {begin}-{end}"
        database = f"DB/Inst: {w.database.name}/{w.database.instance}"
        gap = " " if section.title == "Wait Events (fg and bg)" else "  "
        return feed + f"{section.title}{gap}{database}  {snaps}"[:LINE_WIDTH]

    return TextStyle(title, 60, sql_width=64, sql_lines=5, prints_empty=False)


def long_title(d: Derived, section: Section) -> str:
    """Return the title with database and instance in words."""
    w = d.workload
    snaps = f"Snaps: {w.begin.snap_id} -{w.end.snap_id}"
    if section.at_end_snapshot:
        snaps = f"End Snap: {w.end.snap_id}"
    return f"{section.title} for DB: {w.database.name}  Instance: {w.database.instance}  {snaps}"


GETS = Layout(
    """
                                                     CPU      Elapsd
  Buffer Gets    Executions  Gets per Exec  %Total Time (s)  Time (s) Hash Value
--------------- ------------ -------------- ------ -------- --------- ----------
""",
    "i i d1 p1 p2 p2 n",
)
READS = Layout(
    """
                                                     CPU      Elapsd
 Physical Reads  Executions  Reads per Exec %Total Time (s)  Time (s) Hash Value
--------------- ------------ -------------- ------ -------- --------- ----------
""",
    "i i d1 p1 p2 p2 n",
)
EXECUTIONS = Layout(
    """
                                                CPU per    Elap per
 Executions   Rows Processed   Rows per Exec    Exec (s)   Exec (s)  Hash Value
------------ --------------- ---------------- ----------- ---------- ----------
""",
    "i i d1 d2 d2 n",
)
PARSES = Layout(
    """
                           % Total
 Parse Calls  Executions   Parses  Hash Value
------------ ------------ -------- ----------
""",
    "i i p2 n",
)
ACTIVITY = Layout(
    """
Statistic                                      Total     per Second    per Trans
--------------------------------- ------------------ -------------- ------------
""",
    "s i d1 d1",
)
_FILE_NUMBERS = """
                 Av      Av     Av                    Av        Buffer Av Buf
         Reads Reads/s Rd(ms) Blks/Rd       Writes Writes/s      Waits Wt(ms)
-------------- ------- ------ ------- ------------ -------- ---------- ------
"""
BY_TABLESPACE = Layout(
    "\nTablespace\n------------------------------" + _FILE_NUMBERS, "s i i p1 p1 i i i p1"
)
FILE_NAMES = (
    "\nTablespace               Filename"
    "\n------------------------ ----------------------------------------------------"
)
BY_FILE = Layout(
    FILE_NAMES + _FILE_NUMBERS,
    "s s i i p1 p1 i i i p1",
    repeats_blank=True,
    blank_after_group=True,
)
BUFFER_WAITS = Layout(
    """
Class                        Waits Total Wait Time (s) Avg Time (ms)
---------------------- ----------- ------------------- -------------
""",
    "s i i i",
)
PGA_SUMMARY = Layout(
    """
PGA Cache Hit % W/A MB Processed Extra W/A MB Read/Written
--------------- ---------------- -------------------------
""",
    "p1 i i",
)
PGA_TARGET = Layout(
    """
                                             %PGA  %Auto   %Man
  PGA Aggr  Auto PGA   PGA Mem    W/A PGA    W/A    W/A    W/A   Global Mem
  Target(M) Target(M)  Alloc(M)   Used(M)    Mem    Mem    Mem    Bound(K)
- --------- --------- ---------- ---------- ------ ------ ------ ----------
""",
    "s i i d1 d1 h1 h1 h1 i",
)
PGA_HISTOGRAM = Layout(
    """
    Low    High
Optimal Optimal    Total Execs Optimal Execs 1-Pass Execs M-Pass Execs
------- ------- -------------- ------------- ------------ ------------
""",
    "R R i i i i",
)
LATCHES = Layout(
    """
                                           Pct    Avg   Wait                 Pct
                              Get          Get   Slps   Time       NoWait NoWait
Latch                       Requests      Miss  /Miss    (s)     Requests   Miss
------------------------ -------------- ------ ------ ------ ------------ ------
""",
    "s i p1 p1 i i p1",
)
LATCH_MISSES = Layout(
    """
                                                     NoWait              Waiter
Latch Name               Where                       Misses     Sleeps   Sleeps
------------------------ -------------------------- ------- ---------- --------
""",
    "s s i i i",
)
DICTIONARY = Layout(
    """
                                   Get    Pct    Scan   Pct      Mod      Final
Cache                         Requests   Miss    Reqs  Miss     Reqs      Usage
------------------------- ------------ ------ ------- ----- -------- ----------
""",
    "s i p1 i p1 i i",
)
LIBRARY = Layout(
    """
                         Get  Pct        Pin        Pct               Invali-
Namespace           Requests  Miss     Requests     Miss     Reloads  dations
--------------- ------------ ------ -------------- ------ ---------- --------
""",
    "s i p1 i p1 i i",
)
PARAMETERS = Layout(
    """
                                                                  End value
Parameter Name                Begin value                       (if different)
----------------------------- --------------------------------- --------------
""",
    "s s s",
)

Resource = Callable[[Sql], int]


def ordered(d: Derived, resource: Resource, least_pct: float, total: float) -> list[Sql]:
    """Statements with at least a share of the total, by resource descending."""
    used = [sql for sql in d.workload.statements if percent(resource(sql), total) >= least_pct]
    return sorted((sql for sql in used if resource(sql)), key=lambda sql: -resource(sql))


def resource_row(sql: Sql, amount: int, total: float) -> Row:
    """Amount, executions, amount a run, share, CPU and elapsed seconds, hash value."""
    return (
        amount,
        sql.executions,
        ratio(amount, sql.executions),
        percent(amount, total),
        sql.cpu_us / 1e6,
        sql.elapsed_us / 1e6,
        sql.hash_value,
    )


def execution_row(sql: Sql) -> Row:
    """Return executions, rows, CPU and elapsed time a run."""
    return (
        sql.executions,
        sql.rows,
        ratio(sql.rows, sql.executions),
        ratio(sql.cpu_us / 1e6, sql.executions),
        ratio(sql.elapsed_us / 1e6, sql.executions),
        sql.hash_value,
    )


def parse_row(d: Derived, sql: Sql) -> Row:
    """Parse calls and their share."""
    share = percent(sql.parses, d["parse count (total)"])
    return (sql.parses, sql.executions, share, sql.hash_value)


def activity(d: Derived) -> Section:
    """Instance Activity Stats."""
    rows: list[Row] = [
        (name, total, d.per_second(total), d.per_transaction(total))
        for name, total in d.printed_statistics()
    ]
    return Section("Instance Activity Stats", ACTIVITY, rows, new_page=True)


def file_numbers(d: Derived, file: DataFile) -> Row:
    """Numbers of a tablespace."""
    return (
        file.reads,
        d.per_second(file.reads),
        ratio(file.read_us, file.reads) / 1_000,
        ratio(file.blocks_read, file.reads),
        file.writes,
        d.per_second(file.writes),
        file.buffer_waits,
        ratio(file.buffer_wait_us, file.buffer_waits) / 1_000,
    )


def files_by_name(d: Derived) -> list[DataFile]:
    """Files by tablespace and name."""
    return sorted(d.workload.files, key=lambda file: (file.tablespace, file.name))


def tablespace_io(d: Derived) -> Section:
    """Tablespace IO Stats."""
    rows: list[Row] = [
        (total.tablespace, *file_numbers(d, total)) for total in tablespaces(d.workload.files)
    ]
    notes = ("ordered by IOs (Reads + Writes) desc",)
    return Section(
        "Tablespace IO Stats", BY_TABLESPACE, rows, notes, new_page=True, tight_notes=True
    )


def file_row(d: Derived, file: DataFile) -> Row:
    """Numbers of a file: no time is printed where nothing waited."""
    *numbers, wait_ms = file_numbers(d, file)
    return (*numbers, wait_ms if file.buffer_waits else None)


def pga_target(d: Derived, notes: tuple[str, ...]) -> Section:
    """PGA Aggr Target Stats: the summary stands above the table, under one title."""
    summary = line_of(pga_summary(d), PGA_SUMMARY.column_formats, PGA_SUMMARY.rulers[0])
    return Section(
        "PGA Aggr Target Stats",
        PGA_TARGET,
        awr_pga_target(d),
        notes,
        new_page=True,
        intro=(*PGA_SUMMARY.lines, summary),
    )


def pga_notes(area: str, manual: str, identified: str) -> tuple[str, ...]:
    """Return the notes of PGA Aggr Target Stats, whose spelling changed over the releases."""
    return (
        (
            f"B: Begin snap   E: End snap (rows {identified} with B or E contain data\n"
            "which is absolute i.e. not diffed over the interval)"
        ),
        "PGA cache hit % - percentage of W/A (WorkArea) data processed only in-memory",
        "Auto PGA Target - actual workarea memory target",
        f"W/A PGA Used    - amount of memory used for all {area}s (manual + auto)",
        f"%PGA W/A Mem    - percentage of PGA memory allocated to {area.lower()}s",
        "%Auto W/A Mem   - percentage of workarea memory controlled by Auto Mem Mgmt",
        f"%Man W/A Mem    - percentage of workarea memory under {manual} control",
    )


def pga_histogram(d: Derived) -> Section:
    """PGA Aggr Target Histogram."""
    notes = ("Optimal Executions are purely in-memory operations",)
    return Section("PGA Aggr Target Histogram", PGA_HISTOGRAM, work_areas(d), notes, preamble=("",))


def latch_activity(d: Derived) -> Section:
    """Latch Activity."""
    notes = (
        (
            '"Get Requests", "Pct Get Miss" and "Avg Slps/Miss" are statistics for\n'
            "willing-to-wait latch get requests"
        ),
        '"NoWait Requests", "Pct NoWait Miss" are for no-wait latch get requests',
        '"Pct Misses" for both should be very close to 0.0',
    )
    return Section("Latch Activity", LATCHES, latch_rows(d), notes, new_page=True, tight_notes=True)


def latch_miss_sources(d: Derived) -> Section:
    """Latch Miss Sources."""
    notes = ("only latches with sleeps are shown", "ordered by name, sleeps desc")
    return Section("Latch Miss Sources", LATCH_MISSES, latch_misses(d), notes, new_page=True)


def buffer_wait_rows(d: Derived) -> list[Row]:
    """Return waits by block class, by time."""
    classes = sorted(d.workload.buffer_waits.items(), key=lambda item: -item[1][1])
    return [(name, waits, us / 1e6, ratio(us / 1e3, waits)) for name, (waits, us) in classes]


def lib_cache(d: Derived) -> Section:
    """Library Cache Activity."""
    notes = ('"Pct Misses"  should be very low',)
    return Section(
        "Library Cache Activity",
        LIBRARY,
        library_rows(d),
        notes,
        preamble=("", ""),
        tight_notes=True,
    )


def parameter_rows(d: Derived, *, continued: bool) -> list[Row]:
    """Parameters; long values go on in further lines, or are cut in 9.2."""
    rows: list[Row] = []
    for name, value in parameters(d).items():
        parts = [value[at : at + 33] for at in range(0, max(len(value), 1), 33)]
        if not continued:
            parts = parts[:1]
        rows += [(name if at == 0 else None, part, None) for at, part in enumerate(parts)]
    return rows


def init_parameters(d: Derived, *, continued: bool) -> Section:
    """init.ora Parameters."""
    rows = parameter_rows(d, continued=continued)
    return Section("init.ora Parameters", PARAMETERS, rows, new_page=True)


def snapshot_lines(d: Derived, width: int) -> list[str]:
    """Begin and end snapshot."""
    snaps = (("Begin Snap:", d.workload.begin), ("End Snap:", d.workload.end))
    return [
        f"{label:>11}{snap.snap_id:>{width}} {snap.taken:%d-%b-%y %H:%M:%S} {snap.sessions:>8} "
        f"{plain(snap.cursors_per_session, 1):>9}"
        for label, snap in snaps
    ]


def efficiency_lines(d: Derived, second_label: str, second: float) -> list[str]:
    """Instance efficiency, with the release's second right-hand value."""
    lines = []
    pairs = efficiency_pairs(d)
    left, a, _, _ = pairs[1]
    pairs[1] = (left, a, second_label, plain(second, 2))
    for left, a, right, b in pairs:
        lines.append(f"{left:>28}{a:>8} {right:>20}{b:>8}")
    return lines


def shared_pool_lines(d: Derived) -> list[str]:
    """Shared pool statistics."""
    return [
        " Shared Pool Statistics        Begin   End",
        "                               ------  ------",
        *(f"{label:>28}{begin:>8}{end:>8}" for label, begin, end in shared_pool(d)),
    ]


def print_pages(sections: Iterable[Section], style: TextStyle) -> list[str]:
    """Print sections one after the other; blank lines between them are theirs."""
    return [line for section in sections for line in print_section(section, style)]
