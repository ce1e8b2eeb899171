"""Waits of a report: sums over events, averages, lists without idle events."""

from __future__ import annotations

import sys
from itertools import islice
from typing import TYPE_CHECKING, Final

from awrlens.facts.answers import summed
from awrlens.facts.counters import kept
from awrlens.facts.formula import Figure, Missing, Number, readable, twice
from awrlens.facts.histograms import at_least, is_listed
from awrlens.facts.sections import FG
from awrlens.facts.wait_event import ALWAYS_IDLE, OF_PROCESSES, OUTSIDE, idle
from awrlens.model.fact_table import REPORT_FACTS
from awrlens.units import half_step

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from awrlens.facts import wait_event
    from awrlens.facts.figures import Figures, Function
    from awrlens.model import Fact
    from awrlens.model.comparison import Event
    from awrlens.model.fact_table import Kind
    from awrlens.report.table import Row, Table

#: Columns with an event's share of all waits that are not idle.
_SHARES: Final = ("pct_db_time", "pct_bg_time")


#: Wait classes that do not say that a process waits for a resource.
_UNDECIDED: Final = frozenset({"", "Idle"})
#: More than all DB time is no part of it: `dispatcher listen timer` is of class Network in 19c.
_ALL_PCT: Final = 100.0


def waited(f: Figures, *starts: str) -> Fact:
    """Seconds that sessions waited for events with these prefixes; 0 if a whole list lacks them."""
    total = f.of_sessions("s", *starts)
    if isinstance(total, Figure) and not total.value and not total.evidence:
        # a histogram may have an event that the list of waits lacks
        least = at_least(f, starts) if is_listed(f, starts) else None
        if least is not None:
            theirs = f.read("s", "background_events", starts)
            if isinstance(theirs, Missing) or not theirs:
                return least
            own_s = sum(figure.value for figure in theirs)
            if least.number and least.number > own_s + len(theirs):
                why = f"{least.note}, more than the list of background waits has"
                return Missing(why, ("foreground_events",), lost=True).fact()
        names = " nor ".join(f"`{start}`" for start in starts)
        neither, verb = ("neither ", "is") if len(starts) > 1 else ("", "is not")
        return total.noted(f"{neither}{names} {verb} in the list of waits").fact()
    return summed(total, f.sum_note or (total.note if isinstance(total, Figure) else ""))


def counted(f: Figures, *starts: str) -> Fact:
    """Number of waits of sessions for events with these prefixes; 0 if a whole list lacks them."""
    total = f.of_sessions("waits", *starts)
    if isinstance(total, Figure) and not total.evidence:
        least = waited(f, *starts)
        if least.evidence or least.number:  # a histogram has waits that the list lacks
            return Missing(least.note).fact()
        return total.noted(least.note).fact()
    return summed(total, f.sum_note)


def average(f: Figures, *starts: str) -> Number:
    """Average wait of sessions in ms, over all events with these prefixes."""
    total, waits = f.of_sessions("s", *starts), f.of_sessions("waits", *starts)
    if isinstance(total, Figure) and isinstance(waits, Figure) and not total.value and waits.value:
        return Missing(f"{waits.shown} took {total.shown} (rounded): their average is not known")
    return (total * 1000 / waits).noted(f.sum_note)


def waited_s(name: str, words: str, *starts: str) -> None:
    """Declare a fact: the seconds that sessions waited for events with these prefixes."""
    title = min((words.partition(sign)[0] for sign in ";:,("), key=len)
    definition = f"Seconds that sessions waited {words}."
    _declare(name, "s", definition, lambda f: waited(f, *starts), f"Waits {title.strip()}")


def wait_ms(name: str, words: str, *starts: str) -> None:
    """Declare a fact: the average wait of sessions for events with these prefixes."""
    _declare(name, "ms", f"Average wait {words}.", lambda f: average(f, *starts))


def wait_count(name: str, words: str, *starts: str) -> None:
    """Declare a fact: the number of waits of sessions for events with these prefixes."""
    _declare(name, "count", f"Number of waits {words}.", lambda f: counted(f, *starts))


def _declare(name: str, unit: str, definition: str, function: Function, title: str = "") -> None:
    # its place is that of the module that declares it
    function.__module__ = sys._getframe(2).f_globals["__name__"]  # noqa: SLF001
    kind: Kind | None = "total" if unit == "count" else None
    REPORT_FACTS.declare(name, unit, FG, kind=kind, title=title, definition=definition)(function)


def per_instance(f: Figures, number: Number) -> Number:
    """A number of one instance: the mean of all, where a cluster report adds them up."""
    return number if f.is_of_one else number / f.instances


def column(f: Figures, table: Table, rows: Iterable[Row], name: str, label: str) -> list[Number]:
    """A column of some rows; missing for a row that appears twice with different figures."""
    return [
        twice(table, row.key)
        if row.key in table.disputes
        else f.figure(row.cell(name), label, table)
        for row in rows
    ]


def unreadable(f: Figures, table: Table, rows: Iterable[Row], *columns: str) -> Missing | None:
    """Why a figure in some columns of some rows cannot be read, if there is such a figure."""
    if all(map(table.is_plain, columns)):
        return None
    figures = readable(f.figure(row.cell(name), "", table) for row in rows for name in columns)
    return figures if isinstance(figures, Missing) else None


def is_idle(f: Figures, name: str) -> bool:
    """Whether an event is an idle wait: by its wait class in the report, otherwise by its name."""
    return idle(name) and name not in _of_other_classes(f)


@kept
def _of_other_classes(f: Figures) -> frozenset[str]:
    """The top events of the wait class of a resource, as part of DB time."""
    return frozenset(
        row.key.strip()
        for row in f.tables.get("top_events") or ()
        if row.text("wait_class") not in _UNDECIDED
        and (share := row.number("pct_db_time")) is not None
        and share <= _ALL_PCT
    )


def busy_rows(f: Figures, section: str) -> Iterator[Row]:
    """The rows of a list of waits without idle events, whatever their names are in the release."""
    if (table := f.tables.get(section)) is not None:
        for row in islice(table.rows, _busy_end(table)):
            if (name := row.key.strip()) and not is_idle(f, name):
                yield row


def _busy_end(table: Table) -> int:
    """The row from which all events are idle: lists have them last.

    They begin behind the last share, unless idle events have shares (compare-period reports): then
    where the descending times begin anew, or with an event that is idle in all releases.
    # headings of the lists in spreport.sql and awrrpt.sql: "idle events last"
    """
    names, times = table.keys(), table.numbers("total_wait_s")
    shown = next(filter(any, map(table.texts, _SHARES)), None)
    ends = (
        next((n for n in range(1, len(times)) if shown is None and times[n] > times[n - 1]), 0),
        next((n for n, name in enumerate(names) if name.strip().startswith(ALWAYS_IDLE)), 0),
    )
    shared = [number for number, share in enumerate(shown or ()) if share]
    last = shared[-1] + 1 if shared else len(names)
    if shared and not any(idle(names[number].strip()) for number in shared):
        return last
    for end in filter(None, ends):  # else the list has another order, or a damaged time
        if sum(idle(name.strip()) for name in names[end:]) * 2 >= len(names) - end:
            last = min(last, end)
    return last


def events(f: Figures) -> Iterator[Event]:
    """Wait events with a time; none if the report has no list of wait events but the top ones."""
    mixed = f.tables.get("foreground_events") is None
    for row in busy_rows(f, "wait_events" if mixed else "foreground_events"):
        name = row.key.strip()
        of_process = row.text("wait_class") == OF_PROCESSES or name.startswith(OUTSIDE)
        event = _event(name, f.foreground(name), background=mixed and of_process)
        if event is not None and (event.total_s or event.waits):
            yield event
    for row in busy_rows(f, "background_events"):
        name = row.key.strip()
        if (event := _event(name, f.background(name), background=True)) is not None:
            yield event


def _event(name: str, event: wait_event.Event, *, background: bool) -> Event | None:
    if not isinstance(event.total_s, Figure):
        return None
    total_s = event.total_s.value
    step_s = sum(half_step(item.text, total_s) for item in event.total_s.evidence)
    waits = event.waits.value if isinstance(event.waits, Figure) else None
    from awrlens.model.comparison import Event

    # a rate of 0.0 does not mean 0 waits if they took time
    return Event(name, background, None if not waits and total_s else waits, total_s, step_s)
