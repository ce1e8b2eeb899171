"""Wait events of a report, of sessions and of background processes, without idle ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

from awrlens.facts.formula import Figure
from awrlens.facts.idle import OF_PROCESSES, busy_rows
from awrlens.model.comparison import Event
from awrlens.units import half_step

if TYPE_CHECKING:
    from collections.abc import Iterator

    from awrlens.facts import wait_event
    from awrlens.facts.numbers import Figures


def events(f: Figures) -> tuple[Event, ...]:
    """Wait events with a time; none if the report has no list of wait events.

    Top events do not count as a list: an event that they lack may have waits.
    """
    return (*_sessions(f), *_processes(f))


def _sessions(f: Figures) -> Iterator[Event]:
    for section in ("foreground_events", "wait_events"):
        if f.tables.get(section) is None:
            continue
        for row in busy_rows(f, section):
            name = row.key.strip()
            process = row.text("wait_class") == OF_PROCESSES and section == "wait_events"
            found = _event(name, f.foreground(name), background=process)
            if found is not None and (found.total_s or found.waits):
                yield found
        return


def _processes(f: Figures) -> Iterator[Event]:
    for row in busy_rows(f, "background_events"):
        name = row.key.strip()
        found = _event(name, f.background(name), background=True)
        if found is not None:
            yield found


def _event(name: str, found: wait_event.Event, *, background: bool) -> Event | None:
    if not isinstance(found.total_s, Figure):
        return None
    total_s = found.total_s.value
    step_s = sum(half_step(item.text, total_s) for item in found.total_s.evidence)
    waits = found.waits.value if isinstance(found.waits, Figure) else None
    # a rate of 0.0 does not mean 0 waits if they took time
    return Event(name, background, None if not waits and total_s else waits, total_s, step_s)
