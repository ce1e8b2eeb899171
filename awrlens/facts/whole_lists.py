"""Whether a list of waits is complete, so that what it lacks did not happen.

A complete list ends with idle events, has each event once, has what the top events have, adds up
to its wait classes,
and has log writes if it is that of background processes: all lists of the real reports do. A zero
by absence also needs that no statistic mentions the event.
"""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING, Final

from awrlens.facts.formula import Figure, Missing, Number
from awrlens.facts.histograms import unlisted
from awrlens.facts.wait_event import ROUNDED, idle

if TYPE_CHECKING:
    from awrlens.facts.counters import Counters
    from awrlens.report.table import Table

_BACKGROUND: Final = "background_events"
#: The first release that lists waits of background processes apart, not also among all waits.
_APART_SINCE: Final = (11, 0)
#: Statistics (cs) that are 0 where no session waited for events with a prefix, and the share of
#: them that the list has at least: 97 % of the second in the real reports, where it is not 0.
#: # awrlens: an assumption
_MENTIONS: Final = {
    "log file sync": ("redo synch time", 0.0),
    "log file switch": ("redo log space wait time", 0.95),
}
#: Marks before the events of a comparison that only one period has among its top events.
_MARKS: Final = "*- "
#: A list with less than this share of what its wait classes have lacks events: real ones have 88 %
#: of the time or more, and 92 % of the waits. # awrlens: an assumption
_OF_CLASSES: Final = (("total_wait_s", 0.8, "s"), ("waits", 0.9, "waits"))
#: Seconds of an event in the list of background waits, and among the top events: both are rounded.
_OF_TOP: Final = 1.02  # awrlens: an assumption
#: Idle in 9i, of class Network since 10g, which has wait classes.
_NETWORK: Final = "SQL*Net more data from client"
#: Rows of wait classes that have no waits of sessions.
_NO_WAITS: Final = ("DB CPU", "Idle")


def torn(f: Counters, section: str) -> str:
    """Why a list of waits is not complete; empty if nothing contradicts it."""
    return f.once(_torn, section)


def _torn(f: Counters, section: str) -> str:
    table = f.tables.get(section)
    if table is None:
        return f.why_missing(section)
    names = [name.strip() for name in table.texts("event")]
    if table.is_cut or not any(idle(name) and not name.startswith(_NETWORK) for name in names):
        return f"{table.title} is torn: its end, with idle events, is missing"
    if why := f.contradictions.listed.get((table.title, "")):
        return why.why
    if section == _BACKGROUND:
        needed = ["log file parallel write"] if f.stat("redo writes", "").value else []
        lacking = [name for name in needed if not table.begins((name,))]
    else:
        lacking = [n for n, s in _top(f) if not table.begins((n,)) and s > _of_background(f, n)]
    if lacking:
        return f"{table.title} is torn: it lacks `{lacking[0]}`"
    classes = None if section == _BACKGROUND else f.tables.get("wait_classes")
    return "" if classes is None else _not_all_of(classes, table, names)


def _not_all_of(classes: Table, table: Table, names: list[str]) -> str:
    for column, least, unit in _OF_CLASSES:
        whole = sum(classes.numbers(column)) - sum(
            row.number(column) or 0.0 for row in map(classes.row, _NO_WAITS) if row
        )
        waits = zip(names, table.numbers(column), strict=True)
        listed = sum(value for name, value in waits if not idle(name) or name.startswith(_NETWORK))
        if listed + len(classes) * ROUNDED < whole * least:
            some = f"{listed:,.0f} of {whole:,.0f} {unit} of {classes.title}"
            return f"{table.title} is torn: it has {some}"
    return ""


def _top(f: Counters) -> list[tuple[str, float]]:
    """The top events with their seconds, those that are not rounded to 0 s."""
    rows = f.tables.get("top_events") or ()
    times = ((row.key.lstrip(_MARKS).rstrip(), row.number("total_wait_s") or 0.0) for row in rows)
    return [(key, s) for key, s in times if s >= ROUNDED and key and "CPU" not in key]


def _of_background(f: Counters, event: str) -> float:
    """Seconds up to which an event among the top ones may be of background processes."""
    table = f.tables.get(_BACKGROUND)
    rows = table.begins((event,)) if table is not None else ()
    times = [row.number("total_wait_s") for row in rows]
    return inf if None in times else sum(filter(None, times)) * _OF_TOP + ROUNDED * len(times)


def lacking(f: Counters, section: str, starts: tuple[str, ...]) -> str:
    """Why a list lacks events with some prefixes: a statistic or their histograms have more."""
    for event, (statistic, share) in _MENTIONS.items():
        if not any(start.startswith(event) for start in starts):
            continue
        counted = f.stat(statistic, "cs")
        if not counted.value:
            continue
        tables = [*filter(None, map(f.tables.get, {section, _BACKGROUND}))]
        times = [row.number("total_wait_s") for table in tables for row in table.begins((event,))]
        least_s = counted.value / 100 * share - ROUNDED * (len(times) + 1)
        if not times:
            return f"`{starts[0]}` is not listed, but `{statistic}` is {counted.shown}"
        if f.is_of_one and None not in times and sum(filter(None, times)) < least_s:
            return f"the list of waits has less of `{event}` than `{statistic}`, {counted.shown}"
    return unlisted(f, section, starts)


def none(f: Counters, label: str, section: str, starts: tuple[str, ...]) -> Number:
    """0 for events that a list lacks, if it is complete and nothing mentions them."""
    why = torn(f, section) or lacking(f, section, starts)
    return Missing(why, lost=True) if why else Figure(0, label)


def none_of_background(f: Counters, note: str, *names: str) -> Number:
    """0 for events of background processes that no list has, if the one that would is complete."""
    apart = f.tables.get("wait_events") is None and (
        f.session_list == "foreground_events" or (f.release or (0, 0)) >= _APART_SINCE
    )
    return none(f, "s", _BACKGROUND if apart else "wait_events", names).noted(note)
