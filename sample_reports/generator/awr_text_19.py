"""AWR reports of 12.2 and later as text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .awr import groups, io_lines, load_profile, share, top_events, top_time, wait_classes
from .awr_html import RELEASE_19
from .awr_text import caches, efficiency, instance, memory, pool, report, snapshots, titled
from .derived import Derived
from .figures import duration, grouped
from .front_pages import Pages
from .text_pages import TextStyle

if TYPE_CHECKING:
    from .layout import Section
    from .model import Workload

PAGES = Pages("awr_text_19")


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
    return PAGES.fill("header", d, snapshots=snapshots(d))


def summary(d: Derived) -> list[str]:
    """Load profile, efficiency, top events, wait classes."""
    lines = PAGES.fill(
        "load_profile",
        d,
        rows=[
            f"{line.label:>24}{line.per_second:>18}{line.per_transaction:>18}"
            f"{line.per_execution:>10}{line.per_call:>10}".rstrip()
            for line in load_profile(d)
        ],
        efficiency=efficiency(d),
    )
    for event in top_events(d, 10):
        waits = "" if event.waits is None else grouped(event.waits)
        average = "" if event.average_us is None else duration(event.average_us)
        lines.append(
            f"{event.name[:30]:<30} {waits:>11} {top_time(event.time_s):>10} {average:>9} "
            f"{share(event.db_time_pct):>6} {event.wait_class[:8]}".rstrip()
        )
    return PAGES.fill(
        "summary",
        d,
        lines=lines,
        rows=[
            f"{name:<16} {waits:>16} {time:>16} {average:>10} {part:>6} {sessions:>8}"
            for name, waits, time, average, part, sessions in wait_classes(d)
        ],
    )


def host(d: Derived) -> list[str]:
    """Host CPU, instance CPU, I/O, memory, caches."""
    return PAGES.fill(
        "host",
        d,
        instance=instance(d),
        rows=[
            f"{label:>27}{both:>18}{read:>16}{written:>16}"
            for label, both, read, written in io_lines(d)
        ],
        memory=memory(d, "                                 ------------ ------------"),
        caches=caches(
            d,
            "Cache Sizes                       Begin        End",
            "~~~~~~~~~~~                  ---------- ----------",
        ),
        pool=pool(d, "~"),
    )
