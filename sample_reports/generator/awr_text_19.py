"""AWR reports of 12.2 and later as text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .awr import (
    cpu_shares,
    groups,
    io_lines,
    load_profile,
    share,
    top_events,
    top_time,
    wait_classes,
)
from .awr_html import RELEASE_19
from .awr_text import caches, efficiency, instance, memory, pool, report, snapshots, titled
from .derived import Derived
from .figures import MIB, duration, grouped, plain
from .text_pages import FORM_FEED, TextStyle

if TYPE_CHECKING:
    from .layout import Section
    from .model import Workload

RELEASE = RELEASE_19


def style(w: Workload) -> TextStyle:
    """A form feed has a line of its own, and the rule at a section's end is at the right."""

    def title(section: Section, feed: str) -> str:
        return (feed and f"{feed}\n") + titled(w, section, section.title)

    return TextStyle(
        title, page_lines=72, sql_width=80, sql_lines=4, end_rule=" " * 26 + "-" * 54
    )  # fmt: skip


def write(w: Workload) -> str:
    """Write the 19c report."""
    d = Derived(w, RELEASE)
    sections = [section for group in groups(d) for section in group.sections]
    return report([*header(d), *summary(d), *host(d)], sections, style(w))


def header(d: Derived) -> list[str]:
    """Database, instance, host, snapshots."""
    db = d.workload.database
    memory_gb = plain(db.memory_bytes / MIB / 1024, 2)
    return [
        "",
        "WORKLOAD REPOSITORY report for",
        "",
        "DB Name         DB Id    Unique Name DB Role          Edition Release    RAC CDB",
        "------------ ----------- ----------- ---------------- ------- ---------- --- ---",
        (
            f"{db.name:<12} {db.db_id:>11} {db.name:<11} {'PRIMARY':<16} {'EE':<7} "
            f"{d.release.number:<10} NO  NO"
        ),
        "",
        "Instance     Inst Num Startup Time",
        "------------ -------- ---------------",
        f"{db.instance:<12} {db.instance_number:>8} {db.startup:%d-%b-%y %H:%M}",
        "",
        "Host Name        Platform                         CPUs Cores Sockets Memory(GB)",
        "---------------- -------------------------------- ---- ----- ------- ----------",
        (
            f"{db.host:<16} {db.platform:<32} {db.cpus:>4} {db.cores:>5} {db.sockets:>7} "
            f"{memory_gb:>10}"
        ),
        "",
        *snapshots(d),
    ]


def summary(d: Derived) -> list[str]:
    """Load profile, efficiency, top events, wait classes."""
    lines = [
        "Load Profile                    Per Second   Per Transaction  Per Exec  Per Call",
        "~~~~~~~~~~~~~~~            ---------------   --------------- --------- ---------",
        *(
            f"{line.label:>24}{line.per_second:>18}{line.per_transaction:>18}"
            f"{line.per_execution:>10}{line.per_call:>10}".rstrip()
            for line in load_profile(d)
        ),
        "",
        *efficiency(d),
        f"{'Flash Cache Hit %:':>28}{'0.00':>8}",
        "",
        "Top 10 Foreground Events by Total Wait Time",
        "~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~",
        "                                           Total Wait       Avg   % DB Wait",
        "Event                                Waits Time (sec)      Wait   time Class",
        "------------------------------ ----------- ---------- --------- ------ --------",
    ]
    for event in top_events(d, 10):
        waits = "" if event.waits is None else grouped(event.waits)
        average = "" if event.average_us is None else duration(event.average_us)
        lines.append(
            f"{event.name[:30]:<30} {waits:>11} {top_time(event.time_s):>10} {average:>9} "
            f"{share(event.db_time_pct):>6} {event.wait_class[:8]}".rstrip()
        )
    return [
        *lines,
        FORM_FEED,
        "Wait Classes by Total Wait Time",
        "~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~",
        "                                                          Avg             Avg",
        "                                        Total Wait       Wait   % DB   Active",
        "Wait Class                  Waits       Time (sec)       Time   time Sessions",
        "---------------- ---------------- ---------------- ---------- ------ --------",
        *(
            f"{name:<16} {waits:>16} {time:>16} {average:>10} {part:>6} {sessions:>8}"
            for name, waits, time, average, part, sessions in wait_classes(d)
        ),
        "",
    ]


def host(d: Derived) -> list[str]:
    """Host CPU, instance CPU, I/O, memory, caches."""
    w = d.workload
    db, cpu = w.database, cpu_shares(d)
    return [
        "Host CPU",
        "~~~~~~~~                  Load Average",
        " CPUs Cores Sockets     Begin       End     %User   %System      %WIO     %Idle",
        "----- ----- ------- --------- --------- --------- --------- --------- ---------",
        (
            f"{db.cpus:5} {db.cores:5} {db.sockets:7} {w.begin.load_average:9.2f} "
            f"{w.end.load_average:9.2f} {cpu.user:9.1f} {cpu.system:9.1f} {cpu.iowait:9.1f} "
            f"{cpu.idle:9.1f}"
        ),
        "",
        *instance(d),
        "IO Profile                  Read+Write/Second     Read/Second    Write/Second",
        "~~~~~~~~~~                  ----------------- --------------- ---------------",
        *(
            f"{label:>27}{both:>18}{read:>16}{written:>16}"
            for label, both, read, written in io_lines(d)
        ),
        "",
        *memory(d, "                                 ------------ ------------"),
        *caches(
            d,
            "Cache Sizes                       Begin        End",
            "~~~~~~~~~~~                  ---------- ----------",
        ),
        *pool(d, "~"),
    ]
