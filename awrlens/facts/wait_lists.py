"""Which list has the waits of an event in which release, and whose waits they are.

Some lists have sessions and background processes together; then the list of background
processes separates them.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Final

from awrlens.facts.cells import twice
from awrlens.facts.formula import Figure, Missing
from awrlens.facts.statistics import Statistics
from awrlens.facts.wait_event import (
    EXACT,
    ROUNDED,
    Event,
    by_average,
    estimated,
    exact_total,
    is_coarse,
    is_exact,
    minus,
    no_event,
    number_of,
    timeouts,
    timeouts_left,
)
from awrlens.lazy import lazy
from awrlens.units import half_step

if TYPE_CHECKING:
    from awrlens.report.table import Row, Table

TOP: Final = "top_events"
#: The top list of sessions alone, and that of background processes: all that a RAC report has of an
#: instance.
TOP_OF_SESSIONS: Final = "top_foreground_events"
_TOP_OF_OTHERS: Final = "top_background_events"
#: Words (without blanks) in the title or a heading of a top list that has sessions only.
_OF_SESSIONS: Final = ("foreground", "dbtime")
#: Only sessions wait for these by definition, in any list. # Oracle Database Reference
SESSIONS_OWN: Final = ("log file sync",)
OF_ALL: Final = "includes waits of background processes"
_BY_CLASS: Final = "by the wait class Commit"


class WaitLists(Statistics):
    """The wait events of one report."""

    def foreground(self, name: str) -> Event:
        """A wait event of sessions.

        Some lists have sessions and background processes together; the waits in the list of
        background processes are then subtracted.
        """
        return self.once(WaitLists._foreground, name)

    def _foreground(self, name: str) -> Event:
        section = self.session_list
        table = self.tables.get(section) if section else None
        row = table.row(name) if table is not None else None
        for top in (TOP_OF_SESSIONS, TOP):
            # a top list may have an event that the full list lacks
            listed = (
                self.tables.get(top) if row is None and self.is_of_sessions(top, name) else None
            )
            if listed is not None and (row := listed.row(name)) is not None:
                section = top
        if row is None or section is None:
            by_class = self.commits_by_class(name) if section is None else None
            return by_class or no_event(self._unlisted(name, section))
        found = self.event_of(row, section)
        if self.is_of_sessions(section):
            return found
        background = self.tables.get("background_events")
        if background is None:
            return self._of_all(found, section, name)
        mine = background.row(name)
        if mine is None and background.unread((name,)):
            return no_event(unread_line(background, (name,)))
        if mine is None:
            return found if self.complete else self._of_all(found, section, name)
        own = self.event_of(mine, "background_events")
        waits, total = minus(found.waits, own.waits), minus(found.total_s, own.total_s, ROUNDED)
        if waits is found.waits and total is found.total_s:
            return found
        if total is found.total_s and isinstance(total, Figure) and 0 < total.value < ROUNDED:
            # the part of background processes is rounded to 0
            total = total._replace(status="estimated")
        # averages and shares in the list are those of sessions and background processes together
        both = Missing("the average of sessions alone is not in the report", (section,))
        return Event(waits, total, lambda: both, lambda: timeouts_left(found, own, waits, both))

    def commits_by_class(self, *names: str) -> Event | None:
        """Commits by the wait class Commit: a first page may have that list alone.

        `log file sync` is the class but for waits of a few milliseconds in a cluster.
        """
        for section in ("wait_classes", "wait_classes_summary") if names == SESSIONS_OWN else ():
            table = self.tables.get(section)
            row = table.row("Commit") if table is not None else None
            if row is not None:
                return _by_class(self.event_of(row, section))
        return None

    def _unlisted(self, name: str, section: str | None) -> Missing:
        """Why an event of sessions is not known."""
        top = self.tables.get(TOP)
        if section is None and top is not None and top.row(name) is not None:
            return self.mixed(TOP, name)
        table = self.tables.get(section) if section else None
        if table is None:
            return self.missing("foreground_events")
        if table.unread((name,)):
            return unread_line(table, (name,))
        return Missing(f"event `{name}` is not listed in {table.title}", (str(table.name),))

    def _of_all(self, found: Event, section: str, name: str) -> Event:
        """An event of sessions and background processes, if nothing separates the two."""
        own = name.startswith(SESSIONS_OWN)
        if own and (section == TOP or not self.complete):
            return found
        if not own and (not self.is_compared or section == TOP):
            return no_event(self.mixed(section, name))
        return found._replace(
            waits=_estimate(found.waits),
            total_s=_estimate(found.total_s),
            find_average_ms=lambda: _estimate(found.average_ms),
            note=OF_ALL,
        )

    def lacks(self, name: str) -> bool:
        """Whether a complete list of waits lacks an event: then it cost nothing."""
        section = self.session_list
        table = self.tables.get(section) if section else None
        if table is None or not self.complete:
            return False
        return table.row(name) is None and not table.unread((name,))

    def is_of_sessions(self, section: str, name: str = "") -> bool:
        """Whether a list, or one event in it, has only waits of sessions."""
        own = section == TOP and name.startswith(SESSIONS_OWN)
        if section in ("foreground_events", TOP_OF_SESSIONS) or own:
            return True
        table = self.tables.get(section)
        if section != TOP or table is None:
            return False
        words = (table.title, *(c.heading for c in table.columns if c.name == "pct_db_time"))
        return any(mark in "".join(text.split()).lower() for text in words for mark in _OF_SESSIONS)

    @property
    def is_compared(self) -> bool:
        """Whether two periods are compared: such reports have one list of all waits and no other.

        The waits of sessions can then only be estimated, and the fact says so.
        """
        return self.complete and self.tables.get("compared_snapshots") is not None

    def mixed(self, section: str, name: str) -> Missing:
        """Why the waits of sessions in a list of all are not known."""
        table = self.tables.get(section)
        title = table.title if table is not None else section
        return Missing(
            f"{title} has waits of sessions and of background processes together, and no list of "
            f"background waits separates them for `{name}`",
            (section, "background_events"),
        )

    @lazy
    def session_list(self) -> str | None:
        """The list that has the waits of sessions, alone or with others."""
        lists = ("foreground_events", "wait_events", "wait_events_fg_bg")
        return next((name for name in lists if self.tables.get(name) is not None), None)

    def background(self, name: str) -> Event:
        """A wait event of background processes."""
        return self.once(WaitLists._background, name)

    def _background(self, name: str) -> Event:
        return self._event(
            name, ("background_events", "wait_events_fg_bg", "wait_events"), (_TOP_OF_OTHERS, TOP)
        )

    def _event(self, name: str, lists: tuple[str, ...], last: tuple[str, ...]) -> Event:
        for section in (*lists, *last):
            table = self.tables.get(section)
            row = table.row(name) if table else None
            if table is not None and row is not None:
                return self.event_of(row, section)
        present = next((s for s in lists if self.tables.get(s) is not None), None)
        if present is None:
            absent = self.missing(lists[0])
        else:
            table = self.tables.get(present)
            title, unread = (table.title, table.unread((name,))) if table else (present, False)
            why = f"event `{name}` is not listed in {title}"
            absent = Missing(why, (present,), lost=unread)
        return no_event(absent)

    @lazy
    def _events(self) -> dict[tuple[str, str, int], Event]:
        """Events by list, name and place of their row."""
        return {}

    def event_of(self, row: Row, section: str) -> Event:
        """The wait event in a row of a list."""
        events, key = self._events, (section, row.key, row.raw.at)
        if key in events:
            return events[key]
        event = events[key] = self._read_event(row, section)
        return event

    def _read_event(self, row: Row, section: str) -> Event:
        table = self.tables.get(section)
        if table is not None and table.is_disputed(row.key):
            return no_event(twice(table, row))
        absent, cells = _no_column(section), self._cells
        waits = cells.figure(row.cell("waits"), "waits", absent)
        cell = row.cell("total_wait_s")
        total = cells.figure(cell, "s", absent)
        if (
            isinstance(waits, Figure)
            and cell is not None
            and is_exact(cell.text)
            and isinstance(total, Figure)
        ):
            return Event(
                waits, total,
                lambda: cells.figure(row.cell("avg_wait_ms"), "ms", absent),
                lambda: timeouts(cells, row, waits), exact=True,
            )  # fmt: skip
        return self._by_other_figures(row, section, waits, total)

    def _by_other_figures(
        self, row: Row, section: str, waits: Figure | Missing, total: Figure | Missing
    ) -> Event:
        """An event whose total is not in the report, or rounded: other figures may be better."""
        absent, cells = _no_column(section), self._cells
        average = cells.figure(row.cell("avg_wait_ms"), "ms", absent)
        # compare-period reports have rates, those of 10.2 no totals: estimated from elapsed time
        rate = (
            cells.figure(row.cell("waits_per_s"), "waits/s", absent)
            if isinstance(waits, Missing)
            else absent
        )
        if isinstance(rate, Figure):
            waits = estimated(rate, self.elapsed, 1, "waits")
            share = self.figure(row.cell("pct_db_time"), "% of DB time", absent)
            says = isinstance(share, Figure) and share.value > 0
            rare = isinstance(share, Figure) and says and share.rounding < rate.rounding
            quick = isinstance(average, Figure) and says and not average.value
            if isinstance(total, Missing) and isinstance(share, Figure) and (rare or quick):
                total = estimated(share, self.db_time, 100, "s")  # 0.00 a second, or 0.00 ms
                waits = number_of(total, average) or waits
            # a printed total and average are often more exact than the rate
            by_total = number_of(total, average)
            if by_total is not None and isinstance(total, Figure) and isinstance(average, Figure):
                exact = total.rounding + average.rounding < rate.rounding
                waits = by_total if exact else waits
        if isinstance(total, Missing) and isinstance(average, Figure):
            part = row.number("pct_db_time")
            nothing = part is not None and not part
            guess = by_average(average, waits, nothing=nothing)
            total = total if _is_lost(total) and not average.value else guess
        if section == "foreground_events" and isinstance(total, Figure):
            total = self._finer(row.key, waits, total)
        if isinstance(total, Figure) and total.value == 0:
            # 0 is rounded, and the more exact figure cannot be read
            total = next((each for each in (waits, average) if _is_lost(each)), total)
        coarse = isinstance(total, Figure) and is_coarse(total, average)
        if coarse and isinstance(average, Figure) and isinstance(total, Figure):
            total = exact_total(waits, total, average)
        return Event(waits, total, lambda: average, lambda: timeouts(cells, row, waits), coarse)

    def _finer(self, name: str, waits: Figure | Missing, total: Figure) -> Figure:
        """A rounded total, or that of the same waits in the top list if it has more digits."""
        top = self.tables.get(TOP)
        row = top.row(name) if top is not None and total.rounding > EXACT else None
        if row is None or top is None or top.is_disputed(row.key):
            return total
        finer = self.figure(row.cell("total_wait_s"), "s", Missing("", (TOP,)))
        same = isinstance(waits, Figure) and row.number("waits") == waits.value
        if isinstance(finer, Missing) or not same or not self.is_of_sessions(TOP, name):
            return total
        agree = abs(finer.value - total.value) <= sum(
            half_step(item.text, each.value) for each in (total, finer) for item in each.evidence
        )
        return finer if agree and finer.rounding < total.rounding else total


@cache
def _no_column(section: str) -> Missing:
    return Missing("the list of events has no such column", (section,))


def _estimate(figure: Figure | Missing) -> Figure | Missing:
    return figure._replace(status="estimated") if isinstance(figure, Figure) else figure


def unread_line(table: Table, starts: tuple[str, ...]) -> Missing:
    """Why the events with these prefixes are not known."""
    why = f"a line of {table.title} that begins with `{starts[0]}` cannot be split into columns"
    return Missing(why, (str(table.name),), lost=True)


def _is_lost(figure: Figure | Missing) -> bool:
    return isinstance(figure, Missing) and figure.lost


def _by_class(found: Event) -> Event:
    absent = Missing("the wait class has the time-outs of all its events", ("foreground_events",))
    return Event(
        _estimated(found.waits), _estimated(found.total_s), lambda: _estimated(found.average_ms),
        lambda: absent, found.coarse, _BY_CLASS,
    )  # fmt: skip


def _estimated(figure: Figure | Missing) -> Figure | Missing:
    return figure._replace(status="estimated") if isinstance(figure, Figure) else figure
