"""AWR of 10.2: what it prints otherwise than 11.2, and what it does not print yet."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from .awr_activity import BY_FILE, BY_TABLESPACE
from .awr_memory import pga_advice, pool_advice, recovery_rows, shared_pool_advice
from .awr_other import latch_sleeps
from .awr_sql import DB_TIME_NOTE, PLSQL_NOTE
from .awr_waits import host_statistics, timeout_pct
from .derived import Derived, by_class, by_time, combined
from .figures import percent, ratio
from .layout import Group, Layout, Row, Section, Tables, number
from .records import Records

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from .model import Event, Sql

    Change = Callable[[Derived, Section], Section]

RECORDS = Records("releases")

TABLES = Tables("awr_10")

_FILE_NUMBERS = """
                 Av      Av     Av                       Av     Buffer Av Buf
         Reads Reads/s Rd(ms) Blks/Rd       Writes Writes/s      Waits Wt(ms)
-------------- ------- ------ ------- ------------ -------- ---------- ------
"""
FILES = replace(BY_FILE, heading="\n".join(BY_FILE.lines[:2]) + _FILE_NUMBERS)
TABLESPACES = replace(BY_TABLESPACE, heading="\n".join(BY_TABLESPACE.lines[:2]) + _FILE_NUMBERS)
TIME_UNITS = (
    "s  - second",
    "cs - centisecond -     100th of a second",
    "ms - millisecond -    1000th of a second",
    "us - microsecond - 1000000th of a second",
)
BY_TIME = "ordered by wait time desc, waits desc"
#: What 11 brought.
LATER = frozenset(RECORDS.names("AWR sections since 11"))
#: What follows the waits.
LAST = ("Operating System Statistics", "Service Statistics", "Service Wait Class Stats")
LEVELS = ("session cursor cache count", "opened cursors current", "logons current")


def groups(d: Derived, of_11: Sequence[Group]) -> Iterator[Group]:
    """11.2's groups without what came later; a group of one section has no list of its own."""
    for group in of_11:
        found = [
            CHANGES[section.title](d, section) if section.title in CHANGES else section
            for section in group.sections
            if section.title not in LATER
        ]
        sections = tuple(sorted(found, key=lambda section: section.title in LAST))
        if len(sections) == 1:
            yield Group(group.title, sections[0].anchor, sections, flat=True)
        elif sections:
            yield replace(group, sections=sections)


def event_rows(d: Derived, events: Sequence[Event]) -> list[Row]:
    """Rows of wait classes and events; a share of timeouts that is 0 is printed."""
    return [
        (
            event.name,
            event.waits,
            timeout_pct(event) or 0,
            event.time_us / 1e6,
            event.average_us / 1e3,
            d.per_transaction(event.waits),
        )
        for event in events
    ]


def wait_class(d: Derived, section: Section) -> Section:
    """Wait classes of all processes."""
    rows = event_rows(d, by_class(d.workload.events))
    notes = (*TIME_UNITS, BY_TIME)
    return replace(
        section, title="Wait Class", layout=TABLES.WAIT_CLASS, rows=rows, notes=notes, anchor=200
    )


def wait_events(d: Derived, section: Section) -> Section:
    """One list of all processes: the waits of background processes are in both lists."""
    rows = event_rows(d, by_time(combined(d.workload.events)))
    notes = (*TIME_UNITS, f"{BY_TIME} (idle events last)")
    return replace(section, title="Wait Events", layout=TABLES.EVENTS, rows=rows, notes=notes)


def background_events(d: Derived, section: Section) -> Section:
    """Background events, the class Other in one line."""
    own = [event for event in d.workload.background if event.wait_class != "Other"]
    others = [event for event in d.workload.background if event.wait_class == "Other"]
    own += [replace(e, name="events in waitclass Other") for e in by_class(others)]
    rows = event_rows(d, by_time(own))
    return replace(section, layout=TABLES.EVENTS, rows=rows, notes=section.notes[:1])


def os_statistics(d: Derived, section: Section) -> Section:
    """One value of each, and nothing of the network."""
    rows: list[Row] = [
        (name, value if end is None else end)
        for name, value, end in host_statistics(d)
        if not name.startswith(("GLOBAL", "TCP"))
    ]
    return replace(section, layout=TABLES.OS_STATISTICS, rows=rows, notes=())


def services(_: Derived, section: Section) -> Section:
    """Reads are not yet in thousands."""
    rows = [(*row[:3], *(number(cell) * 1_000 for cell in row[3:])) for row in section.rows]
    return replace(section, layout=TABLES.SERVICES, rows=rows)


def service_waits(_: Derived, section: Section) -> Section:
    """Times in centiseconds."""
    rows = [
        tuple(number(v) * 100 if at and at % 2 == 0 else v for at, v in enumerate(row))
        for row in section.rows
    ]
    unit = "Time Waited (Wt Time) in centisecond (100th of a second)"
    return replace(section, rows=rows, notes=(*section.notes[:-1], unit))


def statements(layout: Layout, row: Callable[[Derived, Sql], Row], *notes: str) -> Change:
    """Statements with the columns of 10.2; two notes say how much of the whole is captured."""

    def change(d: Derived, section: Section) -> Section:
        rows = [(*row(d, sql), sql.sql_id) for sql in section.statements]
        captured = () if DB_TIME_NOTE in notes else section.notes[-2:]
        return replace(section, layout=layout, rows=rows, notes=(*notes, *captured))

    return change


def with_rows(layout: Layout, rows: Callable[[Derived], Sequence[Row]]) -> Change:
    """A section with the columns of 10.2 and other rows."""

    def change(d: Derived, section: Section) -> Section:
        notes = tuple(note.replace("Snapshot", "snapshot") for note in section.notes)
        return replace(section, layout=layout, rows=rows(d), notes=notes)

    return change


def with_layout(layout: Layout) -> Change:
    """A section with other widths."""
    return lambda _, section: replace(section, layout=layout)


def small_snap(_: Derived, section: Section) -> Section:
    """The first note writes "snap" small."""
    first, *notes = section.notes
    return replace(section, notes=(first.replace(" Snap", " snap"), *notes))


def per_execution(time_us: int, sql: Sql) -> float:
    """Seconds an execution."""
    return ratio(time_us / 1e6, sql.executions)


def of_db_time(d: Derived, sql: Sql) -> float:
    """Elapsed time as a share of DB time."""
    return percent(sql.elapsed_us, d.workload.time.db_time_us)


#: By title of 11.2.
CHANGES: dict[str, Change] = {
    "Foreground Wait Class": wait_class,
    "Foreground Wait Events": wait_events,
    "Background Wait Events": background_events,
    "Operating System Statistics": os_statistics,
    "Service Statistics": services,
    "Service Wait Class Stats": service_waits,
    "SQL ordered by Elapsed Time": statements(
        TABLES.ELAPSED,
        lambda d, s: (
            s.elapsed_us / 1e6, s.cpu_us / 1e6, s.executions, per_execution(s.elapsed_us, s),
            of_db_time(d, s),
        ),
        PLSQL_NOTE, DB_TIME_NOTE,
    ),
    "SQL ordered by CPU Time": statements(
        TABLES.CPU,
        lambda d, s: (
            s.cpu_us / 1e6, s.elapsed_us / 1e6, s.executions, per_execution(s.cpu_us, s),
            of_db_time(d, s),
        ),
        PLSQL_NOTE, DB_TIME_NOTE,
    ),
    "SQL ordered by Gets": statements(
        TABLES.GETS,
        lambda d, s: (
            s.gets, s.executions, ratio(s.gets, s.executions),
            percent(s.gets, d["session logical reads"]), s.cpu_us / 1e6, s.elapsed_us / 1e6,
        ),
        PLSQL_NOTE,
    ),
    "SQL ordered by Reads": statements(
        TABLES.READS,
        lambda d, s: (
            s.reads, s.executions, ratio(s.reads, s.executions),
            percent(s.reads, d["physical reads"]), s.cpu_us / 1e6, s.elapsed_us / 1e6,
        ),
    ),
    "SQL ordered by Executions": statements(
        TABLES.EXECUTIONS,
        lambda _, s: (
            s.executions, s.rows, ratio(s.rows, s.executions), per_execution(s.cpu_us, s),
            per_execution(s.elapsed_us, s),
        ),
    ),
    "Instance Activity Stats": lambda _, section: replace(section, notes=()),
    "Instance Activity Stats - Absolute Values": lambda _, section: replace(
        section, rows=[row for name in LEVELS for row in section.rows if row[0] == name]
    ),
    "Tablespace IO Stats": with_layout(TABLESPACES),
    "File IO Stats": with_layout(FILES),
    "Buffer Pool Statistics": with_layout(TABLES.BUFFER_POOL),
    "Instance Recovery Stats": with_rows(
        TABLES.RECOVERY, lambda d: [row[:9] for row in recovery_rows(d)]
    ),
    "Buffer Pool Advisory": with_rows(
        TABLES.POOL_ADVISORY,
        lambda d: [
            (*row[:3], number(row[3]) * 1_000, row[4], number(row[5]) * 1_000)
            for row in pool_advice(d)
        ],
    ),
    "PGA Aggr Target Stats": small_snap,
    "PGA Memory Advisory": with_rows(TABLES.PGA_ADVISORY, lambda d: [r[:6] for r in pga_advice(d)]),
    "Shared Pool Advisory": with_rows(
        TABLES.SHARED_POOL_ADVISORY,
        lambda d: [(*r[:-1], number(r[-1]) * 1_000) for r in shared_pool_advice(d)],
    ),
    "Latch Sleep Breakdown": with_rows(
        TABLES.LATCH_SLEEPS, lambda d: [(*row, 0, 0, 0) for row in latch_sleeps(d)]
    ),
    "Process Memory Summary": small_snap,
    "Buffered Queue Subscribers": lambda _, section: replace(
        section, title="Buffered Subscribers"
    ),
}  # fmt: skip
