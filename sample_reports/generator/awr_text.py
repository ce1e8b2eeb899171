"""AWR report of 11.2 as text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .awr import (
    cache_sizes,
    efficiency_pairs,
    groups,
    last_section,
    load_profile,
    memory_statistics,
    share,
    shared_pool,
    top_events,
)
from .derived import Derived, Release
from .figures import grouped, plain
from .front_pages import Pages
from .text_pages import TextStyle, join, print_section

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .layout import Section
    from .model import Workload

PAGES = Pages("awr_text")


RELEASE = Release("11.2.0.3.0", lambda w: w.elapsed_s)
TITLE_WIDTH = 78


def titled(w: Workload, section: Section, start: str) -> str:
    """Titles are cut after 78 characters; database and snapshots stand at their right end."""
    database = f"DB/Inst: {w.database.name}/{w.database.instance}"
    snaps = f"Snaps: {w.begin.snap_id}-{w.end.snap_id}"
    if section.at_end_snapshot:
        snaps = f"Snap: {w.end.snap_id}"
    suffix = f"{database}  {snaps}"
    return (start.ljust(TITLE_WIDTH - len(suffix)) + suffix)[:TITLE_WIDTH].rstrip()


def style(w: Workload) -> TextStyle:
    """Pages of 10.2 and 11.2: a form feed stands before the title, on its line."""
    return TextStyle(
        lambda section, feed: titled(w, section, feed + section.title),
        page_lines=72, sql_width=80, sql_lines=4,
    )  # fmt: skip


def write(w: Workload) -> str:
    """Write the report."""
    d = Derived(w, RELEASE)
    sections = [section for group in groups(d) for section in group.sections]
    return report([*header(d), *summary(d), *host(d)], [*sections, last_section()], style(w))


def report(front: Sequence[str], sections: Sequence[Section], pages: TextStyle) -> str:
    """Make a report of its first page and its sections."""
    printed = (line for section in sections for line in (*print_section(section, pages), ""))
    return join((*front, *printed, "End of Report"))


def header(d: Derived) -> list[str]:
    """Database, host, snapshots."""
    return PAGES.fill("header", d, snapshots=snapshots(d))


def snapshots(d: Derived) -> list[str]:
    """The interval, and the time spent in it."""
    w = d.workload
    form = "%d-%b-%y %H:%M:%S"
    return PAGES.fill(
        "snapshots",
        d,
        rows=[
            f"{label:>11} {snap.snap_id:>9} {snap.taken.strftime(form):<19} {snap.sessions:>8} "
            f"{plain(snap.cursors_per_session, 1):>9}"
            for label, snap in (("Begin Snap:", w.begin), ("End Snap:", w.end))
        ],
    )


def caches(d: Derived, *headings: str) -> list[str]:
    """Cache sizes under the headings of the release."""
    return [
        *headings,
        *(
            f"{name:>28} {size:>10} {size:>10} {other:>16} {value:>10}"
            for name, size, other, value in cache_sizes(d)
        ),
        "",
    ]


def efficiency(d: Derived) -> list[str]:
    """Instance efficiency."""
    return [
        "Instance Efficiency Percentages (Target 100%)",
        "~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~",
        *(f"{left:>28}{a:>8} {right:>20}{b:>8}" for left, a, right, b in efficiency_pairs(d)),
    ]


def pool(d: Derived, lead: str = " ") -> list[str]:
    """Shared pool statistics; ``lead`` fills the line under the title."""
    return [
        " Shared Pool Statistics        Begin    End",
        f"{lead * 28}  ------  ------",
        *(f"{label:>28}{begin:>8}{end:>8}" for label, begin, end in shared_pool(d)),
        "",
    ]


def summary(d: Derived) -> list[str]:
    """Cache sizes, load profile, efficiency, shared pool, top events."""
    lines = PAGES.fill(
        "summary",
        d,
        caches=caches(
            d,
            "Cache Sizes                       Begin        End",
            "~~~~~~~~~~~                  ---------- ----------",
        ),
        rows=[
            f"{line.label:>17} {line.per_second:>18} {line.per_transaction:>18} "
            f"{line.per_execution:>10} {line.per_call:>10}".rstrip()
            for line in load_profile(d)
        ],
        efficiency=efficiency(d),
        pool=pool(d),
    )
    for event in top_events(d, 5):
        waits = "" if event.waits is None else grouped(event.waits)
        average = "" if event.average_us is None else plain(event.average_us / 1_000)
        lines.append(
            f"{event.name[:30]:<30} {waits:>12} {grouped(event.time_s):>11} {average:>6} "
            f"{share(event.db_time_pct):>6} {event.wait_class[:10]}".rstrip()
        )
    return lines


def host(d: Derived) -> list[str]:
    """Host CPU, instance CPU, memory."""
    return PAGES.fill("host", d, instance=instance(d), memory=memory(d))


def instance(d: Derived) -> list[str]:
    """Instance CPU."""
    return PAGES.fill("instance", d)


def memory(d: Derived, *ruler: str) -> list[str]:
    """Memory statistics; 12.2 and later rule a line under the headings."""
    return [
        "Memory Statistics",
        "~~~~~~~~~~~~~~~~~                       Begin          End",
        *ruler,
        *(f"{label:>32} {begin:>12} {end:>12}" for label, begin, end in memory_statistics(d)),
        "",
    ]
