"""What the Statspack layouts share: I/O, undo, caches, and the style of their pages."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from .awr import efficiency_pairs, shared_pool
from .awr_memory import pga_summary, work_areas
from .awr_memory import pga_target as awr_pga_target
from .awr_other import latch_misses, latch_rows, library_rows, parameters
from .derived import Derived, tablespaces
from .figures import percent, plain, ratio
from .layout import Row, Section, Tables
from .model import DataFile, Sql
from .text_pages import TextStyle, line_of, print_section

TABLES = Tables("statspack")

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


GETS = TABLES.GETS
READS = TABLES.READS
EXECUTIONS = TABLES.EXECUTIONS
PARSES = TABLES.PARSES
_FILE_NUMBERS = """
                 Av      Av     Av                    Av        Buffer Av Buf
         Reads Reads/s Rd(ms) Blks/Rd       Writes Writes/s      Waits Wt(ms)
-------------- ------- ------ ------- ------------ -------- ---------- ------
"""
BY_FILE = TABLES.BY_FILE
BUFFER_WAITS = TABLES.BUFFER_WAITS
DICTIONARY = TABLES.DICTIONARY

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
    return TABLES.section("Instance Activity Stats", rows)


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
    return TABLES.section("Tablespace IO Stats", rows)


def file_row(d: Derived, file: DataFile) -> Row:
    """Numbers of a file: no time is printed where nothing waited."""
    *numbers, wait_ms = file_numbers(d, file)
    return (*numbers, wait_ms if file.buffer_waits else None)


def pga_target(d: Derived, notes: tuple[str, ...]) -> Section:
    """PGA Aggr Target Stats: the summary stands above the table, under one title."""
    summary = line_of(
        pga_summary(d), TABLES.PGA_SUMMARY.column_formats, TABLES.PGA_SUMMARY.rulers[0]
    )
    return TABLES.section(
        "PGA Aggr Target Stats",
        awr_pga_target(d),
        notes=notes,
        intro=(*TABLES.PGA_SUMMARY.lines, summary),
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
    return TABLES.section("PGA Aggr Target Histogram", work_areas(d))


def latch_activity(d: Derived) -> Section:
    """Latch Activity."""
    return TABLES.section("Latch Activity", latch_rows(d))


def latch_miss_sources(d: Derived) -> Section:
    """Latch Miss Sources."""
    return TABLES.section("Latch Miss Sources", latch_misses(d))


def buffer_wait_rows(d: Derived) -> list[Row]:
    """Return waits by block class, by time."""
    classes = sorted(d.workload.buffer_waits.items(), key=lambda item: -item[1][1])
    return [(name, waits, us / 1e6, ratio(us / 1e3, waits)) for name, (waits, us) in classes]


def lib_cache(d: Derived) -> Section:
    """Library Cache Activity."""
    return TABLES.section("Library Cache Activity", library_rows(d))


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
    return TABLES.section("init.ora Parameters", rows)


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
