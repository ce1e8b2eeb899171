"""Statspack report of 10.2: the load of 9.2, all waits in one list, and otherwise that of 11.2."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from . import statspack_11
from .awr_waits import TIMEOUTS, host_statistics, timeout_pct
from .derived import Derived, Release
from .front_pages import Pages
from .layout import Row, Section, Tables
from .statspack import init_parameters, print_pages, snapshot_lines, style_11, tablespace_io
from .statspack_until_10 import LEAST_US, load_profile, pga_sections, seen_by, wait_events, wait_row
from .text_pages import join

if TYPE_CHECKING:
    from .model import Event, Workload

PAGES = Pages("statspack_10")


TABLES = Tables("statspack_10")

RELEASE = Release("10.2.0.3.0", lambda w: w.elapsed_whole_s)
LOAD_HEAD = (
    "Load Profile                            Per Second       Per Transaction",
    "~~~~~~~~~~~~                       ---------------       ---------------",
)
EFFICIENCY = "Instance Efficiency Percentages"
SNAP_WIDTH = 9
"""Titles hold the snapshots in columns."""

#: Where a section of statements differs from that of 11.2.
SQL = {"SQL ordered by Reads": TABLES.BY_READS, "SQL ordered by Parse Calls": TABLES.BY_PARSE_CALLS}
PLSQL_NOTE = (
    "Resources reported for PL/SQL code includes the resources used by all SQL\n"
    "statements called by the code."
)
PLSQL_NOTED = ("SQL ordered by CPU", "SQL ordered by Elapsed", "SQL ordered by Gets")


def write(w: Workload) -> str:
    """Write the report."""
    d = Derived(seen_by(RELEASE, w), RELEASE)
    lines = [
        *header(d),
        *load_profile(d, LOAD_HEAD, EFFICIENCY),
        *statspack_11.top_events(d),
        *host(d),
        *print_pages(sections(d), style_11(d, SNAP_WIDTH)),
    ]
    return join([*lines, "", f"End of Report ( {w.slug}.statspack-10.2.lst )", ""])


def header(d: Derived) -> list[str]:
    """Database, host, snapshots, cache sizes."""
    return PAGES.fill("header", d, snapshot_lines=snapshot_lines(d, 11))


def host(d: Derived) -> list[str]:
    """Host CPU, instance CPU, memory."""
    return PAGES.fill(
        "host",
        d,
        host_cpu=statspack_11.host_cpu(d, f"CPUs: {d.workload.database.cpus}"),
        memory=statspack_11.memory(d),
    )


def sections(d: Derived) -> list[Section]:
    """All sections in printing order."""
    return [
        replace(statspack_11.time_model(d), layout=TABLES.TIME_MODEL),
        *wait_sections(d),
        statspack_11.histogram(d),
        *sql_sections(d),
        *statspack_11.activity_sections(d),
        os_statistics(d),
        tablespace_io(d),
        *file_sections(d),
        *buffer_sections(d),
        *pga_sections(d, "identified"),
        statspack_11.pga_sections(d)[-1],
        *statspack_11.undo_sections(d),
        *statspack_11.latch_sections(d),
        *statspack_11.segment_sections(d),
        *statspack_11.cache_sections(d),
        *statspack_11.memory_sections(d),
        init_parameters(d, continued=False),
    ]


def wait_sections(d: Derived) -> list[Section]:
    """All waits, and those of background processes once more."""
    notes = (
        TIMEOUTS.replace(": ", ":  ", 1),
        "Only events with Total Wait Time (s) >= .001 are shown",
        "ordered by Total Wait Time desc, Waits desc (idle events last)",
    )
    units = "s - second, cs - centisecond,  ms - millisecond, us - microsecond"

    def row(event: Event) -> Row:
        return wait_row(d, event, timeout_pct(event) or 0, 1e6)

    return wait_events(d, TABLES.EVENTS, row, (units, *notes), notes, LEAST_US)


def sql_sections(d: Derived) -> list[Section]:
    """Those of 11.2 under 10.2's titles, with its note on PL/SQL."""
    found = []
    for section in statspack_11.sql_sections(d):
        title = section.title.removesuffix(" time")
        notes = (PLSQL_NOTE, *section.notes) if title in PLSQL_NOTED else section.notes
        layout = SQL.get(title, section.layout)
        found.append(replace(section, title=title, layout=layout, notes=notes))
    return found


def os_statistics(d: Derived) -> Section:
    """Operating system statistics, with the load that grew, and nothing of the network."""
    w = d.workload
    rows: list[Row] = [
        (name, total)
        for name, total, _ in host_statistics(d)
        if not name.startswith(("GLOBAL", "TCP")) and name != "LOAD"
    ]
    if w.end.load_average >= w.begin.load_average:
        rows.insert(6, ("LOAD", w.end.load_average))
    return replace(statspack_11.os_sections(d)[0], rows=rows)


def file_sections(d: Derived) -> list[Section]:
    """File I/O and the histogram of single-block reads, which says nothing of tempfiles."""
    files, histogram = statspack_11.file_sections(d)
    notes = tuple(note for note in histogram.notes if "Tempfiles" not in note)
    return [files, replace(histogram, notes=notes)]


def buffer_sections(d: Derived) -> list[Section]:
    """Buffer pool, recovery, advice, buffer waits."""
    recovery, _, advice, pool, waits = statspack_11.recovery_sections(d)
    return [
        replace(pool, new_page=True, preamble=()),
        replace(recovery, new_page=False, preamble=("",)),
        advice,
        waits,
    ]
