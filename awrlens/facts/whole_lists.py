"""Whether a list of waits is complete, so that what it lacks did not happen.

A complete list ends with idle events, has each event once, has what the top events have, adds up
to its wait classes,
and has log writes if it is that of background processes: all lists of the real reports do. A zero
by absence also needs that no statistic mentions the event.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from awrlens.facts.formula import Figure, Missing, Number
from awrlens.facts.wait_event import ROUNDED, idle

if TYPE_CHECKING:
    from awrlens.facts.figures import Figures
    from awrlens.report.table import Table

_BACKGROUND: Final = "background_events"
#: The first release that lists waits of background processes apart, not also among all waits.
_APART_SINCE: Final = (11, 0)
#: Statistics (cs) that are 0 where no session waited for events with these prefixes.
_MENTIONS: Final = {
    "log file sync": "redo synch time",
    "log file switch": "redo log space wait time",
}
#: Idle in 9i, of class Network since 10g, which has wait classes.
_NETWORK: Final = "SQL*Net more data from client"


def torn(f: Figures, section: str) -> str:
    """Why a list of waits is not complete; empty if nothing contradicts it."""
    return f.once(_torn, section)


def _torn(f: Figures, section: str) -> str:
    table = f.tables.get(section)
    if table is None:
        return f.why_missing(section)
    names = [name.strip() for name in table.texts("event")]
    if table.is_cut or not any(idle(name) and not name.startswith(_NETWORK) for name in names):
        return f"{table.title} is torn: its end, with idle events, is missing"
    if (section, "") in f.contradictions:
        return f.contradictions[section, ""].why
    if section == _BACKGROUND:
        needed = ["log file parallel write"] if f.stat("redo writes", "").value else []
        lacking = [name for name in needed if not table.begins((name,))]
    else:
        lacking = [name for name in _top(f) if not _is_listed(f, section, (name,))]
    if lacking:
        return f"{table.title} is torn: it lacks `{lacking[0]}`"
    classes = None if section == _BACKGROUND else f.tables.get("wait_classes")
    return "" if classes is None else _not_all_of(classes, table, names)


def _not_all_of(classes: Table, table: Table, names: list[str]) -> str:
    for column, least, unit in (("total_wait_s", 0.8, "s"), ("waits", 0.9, "waits")):
        whole = sum(classes.numbers(column)) - sum(
            row.number(column) or 0.0 for row in map(classes.row, ("DB CPU", "Idle")) if row
        )
        waits = zip(names, table.numbers(column), strict=True)
        listed = sum(each for name, each in waits if not idle(name) or name.startswith(_NETWORK))
        if listed + len(classes) * ROUNDED < whole * least:
            some = f"{listed:,.0f} of {whole:,.0f} {unit} of {classes.title}"
            return f"{table.title} is torn: it has {some}"
    return ""


def _top(f: Figures) -> list[str]:
    """The top events that a complete list of waits has: none that is rounded to 0 s."""
    rows = f.tables.get("top_events") or ()
    keys = [r.key.lstrip("*- ") for r in rows if (r.number("total_wait_s") or 0.0) >= ROUNDED]
    return [key.rstrip() for key in keys if key and "CPU" not in key]


def _is_listed(f: Figures, section: str, starts: tuple[str, ...]) -> bool:
    """Whether a list, or that of background processes, has one of some events."""
    tables = (f.tables.get(name) for name in (section, _BACKGROUND))
    return any(table is not None and bool(table.begins(starts)) for table in tables)


def none(f: Figures, label: str, section: str, starts: tuple[str, ...]) -> Number:
    """0 for events that a list lacks, if it is complete and nothing mentions them."""
    why = torn(f, section)
    for start, statistic in _MENTIONS.items():
        if why or not any(each.startswith(start) for each in starts):
            continue
        counted = f.stat(statistic, "cs")
        if counted.value and not _is_listed(f, section, (start, "log buffer space")):
            why = f"`{starts[0]}` is not listed, but `{statistic}` is {counted.shown}"
    return Missing(why, lost=True) if why else Figure(0, label)


def none_of_background(f: Figures, note: str, *names: str) -> Number:
    """0 for events of background processes that no list has, if the one that would is complete."""
    apart = f.tables.get("wait_events") is None and (
        f.session_list == "foreground_events" or (f.release or (0, 0)) >= _APART_SINCE
    )
    return none(f, "s", _BACKGROUND if apart else "wait_events", names).noted(note)
