"""AWR report of 10.2 as text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .awr import groups, top_calls
from .awr_text import caches, efficiency, pool, report, snapshots, style
from .derived import Derived, Release
from .figures import bare, grouped, plain
from .front_pages import Pages
from .profile_10 import profile_lines
from .statspack_until_10 import seen_by
from .text_pages import END_RULE

if TYPE_CHECKING:
    from .model import Workload

PAGES = Pages("awr_text_10")


RELEASE = Release("10.2.0.4.0", lambda w: w.elapsed_s)


def write(w: Workload) -> str:
    """Write the report."""
    d = Derived(seen_by(RELEASE, w), RELEASE)
    sections = [section for group in groups(d) for section in group.sections]
    return report([*header(d), *summary(d)], sections, style(w))


def header(d: Derived) -> list[str]:
    """Database with its host, snapshots."""
    return PAGES.fill("header", d, snapshots=snapshots(d))


def summary(d: Derived) -> list[str]:
    """Caches, load profile, efficiency, shared pool, top events."""
    lines = PAGES.fill(
        "summary",
        d,
        caches=caches(
            d,
            "Cache Sizes",
            "~~~~~~~~~~~                       Begin        End",
            "                             ---------- ----------",
        ),
        profile_lines=profile_lines(d),
        efficiency=efficiency(d),
        pool=pool(d),
    )
    for event in top_calls(d, 5):
        waits = "" if event.waits is None else grouped(event.waits)
        average = "" if event.average_us is None else plain(event.average_us / 1_000)
        lines.append(
            f"{event.name[:30]:<30} {waits:>12} {grouped(event.time_s):>11} {average:>6} "
            f"{bare(event.db_time_pct, 1):>6} {event.wait_class[:10]:>10}".rstrip()
        )
    return [*lines, END_RULE]
