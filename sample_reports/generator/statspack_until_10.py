"""What Statspack prints up to 10g and not later: two columns of load, all waits in one list."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from .awr_memory import pga_advice
from .derived import by_time, combined, efficiency
from .layout import Layout, Row, Section, Tables, Value
from .profile_10 import profile_lines
from .statspack import efficiency_lines, pga_histogram, pga_notes, pga_target, shared_pool_lines

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from .derived import Derived, Release
    from .model import Event, Workload

TABLES = Tables("statspack_until_10")


#: Events by the first release that counts them.
EVENT_SINCE = {"os thread startup": 10, "DIAG idle wait": 11, "Space Manager: slave idle wait": 11}
#: Events that 9.2 counts under another name, by how their names begin.
OLD_NAMES = {
    "direct path read temp": "direct path read",
    "direct path write temp": "direct path write",
    "latch: ": "latch free",
    "enq: ": "enqueue",
}
#: Idle events of background processes stand in the list of these only.
BACKGROUND_ONLY = frozenset({"pmon timer", "smon timer", "rdbms ipc message"})
#: Events of less than .001 s are not printed by 10.2.
LEAST_US = 1_000


def old_name(name: str) -> str:
    """Name an event as 9.2 does."""
    return next((old for new, old in OLD_NAMES.items() if name.startswith(new)), name)


def seen_by(release: Release, w: Workload) -> Workload:
    """Return the workload with the events that the release counts, under its names."""
    known = [e for e in w.events if EVENT_SINCE.get(e.name, 0) <= release.major]
    if release.major < 10:
        known = [replace(e, name=old_name(e.name)) for e in known]
    return replace(w, events=tuple(known))


def load_profile(d: Derived, head: Sequence[str], title: str) -> list[str]:
    """Load profile with two decimals, efficiency percentages, shared pool."""
    return [
        *head,
        *profile_lines(d),
        "",
        title,
        "~" * len(title),
        *efficiency_lines(d, "In-memory Sort %:", efficiency(d).in_memory_sort),
        "",
        *shared_pool_lines(d),
        "",
    ]


def wait_row(d: Derived, event: Event, timeouts: Value, unit_us: float) -> Row:
    """Event, waits, timeouts, time in the release's unit, milliseconds a wait, waits a commit."""
    return (
        event.name,
        event.waits,
        timeouts,
        event.time_us / unit_us,
        event.average_us / 1_000,
        d.per_transaction(event.waits),
    )


def wait_events(
    d: Derived,
    layout: Layout,
    row: Callable[[Event], Row],
    notes: tuple[str, ...],
    background_notes: tuple[str, ...],
    least_us: int = 0,
) -> list[Section]:
    """All waits, and those of background processes once more."""

    def rows(events: Sequence[Event]) -> list[Row]:
        return [row(event) for event in by_time(combined(events)) if event.time_us >= least_us]

    w = d.workload
    listed = [event for event in w.events if event.name not in BACKGROUND_ONLY]
    return [
        TABLES.section("Wait Events", rows(listed), layout=layout, notes=notes),
        TABLES.section(
            "Background Wait Events", rows(w.background), layout=layout, notes=background_notes
        ),
    ]


def pga_sections(d: Derived, identified: str) -> list[Section]:
    """PGA target, histogram and advice."""
    return [
        pga_target(d, pga_notes("Workarea", "manual", identified)),
        pga_histogram(d),
        TABLES.section("PGA Memory Advisory", [row[:6] for row in pga_advice(d)]),
    ]
