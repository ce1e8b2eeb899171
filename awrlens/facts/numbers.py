"""Where facts find their numbers: statistics, events, parameters and header of one report.

Only this module knows which table has a number in which release; it knows tables by canonical
names, never report formats.
"""

from __future__ import annotations

import re
from math import inf
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeVar

from awrlens.facts.cpu import statistic as cpu_statistic
from awrlens.facts.formula import (
    Figure,
    Missing,
    add,
    derive,
    is_lost,
    measured,
    summed,
    unavailable,
)
from awrlens.facts.histograms import at_least
from awrlens.lazy import lazy
from awrlens.model import Evidence, Excerpt
from awrlens.records import NamedTuple
from awrlens.units import half_step

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from awrlens.model import Fact
    from awrlens.report.table import Cell, Row, Table


T = TypeVar("T")


class Tables(Protocol):
    """A mapping of canonical names to tables."""

    def get(self, name: str) -> Table | None:
        """The table, or None when the report has no data for it."""


class Header(Protocol):
    """The part of a report's header that facts need."""

    @property
    def elapsed_s(self) -> float | None:
        """Length of the interval in seconds."""

    @property
    def db_time_s(self) -> float | None:
        """DB time in seconds; None before 10g."""

    @property
    def elapsed_cell(self) -> Cell | None:
        """The cell with the elapsed time."""

    @property
    def db_time_cell(self) -> Cell | None:
        """The cell with the DB time."""

    @property
    def cpus(self) -> int | None:
        """Logical CPUs of the host."""

    @property
    def release(self) -> str | None:
        """Release of Oracle, e.g. `11.2.0.4.0`."""


#: A total is exact enough if its last digit is at most this share of it. Releases from 12.1 on
#: have whole seconds next to averages such as `.99ms` or `703us`, which are then more exact.
_EXACT: Final = 0.005


_TOP: Final = "top_events"
#: Words (without blanks) in the title or a heading of a top list that has sessions only.
_OF_SESSIONS: Final = ("foreground", "dbtime")
#: Only sessions wait for these by definition, in any list. # Oracle Database Reference
_SESSIONS_OWN: Final = ("log file sync",)
_OF_ALL: Final = "includes waits of background processes"
#: Two lists may differ by a second per event, because they are rounded.
_ROUNDED: Final = 1.0


class Event(NamedTuple):
    """One wait event: number of waits and total time, or why they are not known."""

    waits: Figure | Missing
    total_s: Figure | Missing
    average_ms: Figure | Missing
    find_timeout_pct: Callable[[], Figure | Missing]
    #: The total in the report is rounded more than the average.
    coarse: bool = False
    note: str = ""

    @property
    def timeout_pct(self) -> Figure | Missing:
        """Share of the waits that timed out, in per cent; few ask for it."""
        return self.find_timeout_pct()

    @property
    def rounded_away(self) -> bool:
        """Whether waits have a total of 0 and no average: their time was rounded away."""
        return (
            isinstance(self.total_s, Figure)
            and self.total_s.value == 0
            and isinstance(self.waits, Figure)
            and self.waits.value > 0
            and isinstance(self.average_ms, Missing)
        )

    @property
    def each_ms(self) -> Fact:
        """Average wait in ms: total / waits, or the report's average if it is more exact."""
        if self.coarse:
            rounded = "average as in the report; its total is rounded more"
            return measured(self.average_ms, "; ".join(filter(None, (rounded, self.note))))
        total, waits, average = self.total_s, self.waits, self.average_ms
        rough = isinstance(total, Figure) and total.value and _error(total) > _EXACT
        if rough and isinstance(average, Missing) and (average.lost or average.blank):
            return unavailable(average)  # the more exact figure cannot be read
        if isinstance(total, Figure) and isinstance(waits, Figure) and self.rounded_away:
            why = f"{waits.shown} took {total.shown} (rounded), and the report has no average"
            return unavailable(Missing(why, ("foreground_events", "background_events")))
        return derive("total * 1000 / waits", self.note, total=self.total_s, waits=self.waits)


class Cells:
    """Makes figures of cells.

    It does not know the figures of the report, which keep what they make: an event may hold it
    without a cycle of references, which only the garbage collector could free.
    """

    def __init__(self, line: Callable[[int], int], excerpt: Callable[[Cell], Excerpt]) -> None:
        self._line = line
        self._excerpt = excerpt

    def evidence(self, cell: Cell) -> Evidence:
        """A cell as evidence; its line is looked up when shown."""
        line, excerpt = self._line, self._excerpt
        return Evidence(
            cell.section, cell.row, cell.column, cell.text, cell.value,
            lambda: line(cell.at), lambda: excerpt(cell),
        )  # fmt: skip

    def figure(self, cell: Cell | None, label: str, absent: Missing) -> Figure | Missing:
        """A number from a cell, or ``absent`` if there is no cell."""
        if cell is None:
            return absent
        if not isinstance(cell.value, int | float):
            shown = f"shows `{cell.text}`" if cell.text else "is blank"
            where = f"{cell.section}, {cell.row} {cell.column}".replace("  ", " ").strip()
            blank = not cell.text
            return Missing(f"{where} {shown}", absent.sections, is_lost(cell.text), blank)
        text = cell.text if _plain(cell) else ""
        return Figure(cell.value, label, (self.evidence(cell),), text)


class Figures(Cells):
    """The numbers of one report."""

    def __init__(
        self,
        tables: Tables,
        header: Header,
        line: Callable[[int], int],
        why_missing: Callable[[str], str],
        *,
        complete: bool = True,
        excerpt: Callable[[Cell], Excerpt] | None = None,
    ) -> None:
        self.tables = tables
        self.header = header
        excerpt = excerpt or (lambda cell: Excerpt((), cell.text, 0, len(cell.text)))
        super().__init__(line, excerpt)
        self._cells = Cells(line, excerpt)
        self.why_missing = why_missing
        #: Whether lists are complete; an excerpt may lack rows.
        self.complete = complete
        #: Results that several facts need and that are expensive: see ``once``.
        self._known: dict[tuple[Any, ...], Any] = {}
        #: Events by list, name and place of their row.
        self._events: dict[tuple[str, str, int], Event] = {}

    @property
    def release(self) -> tuple[int, int] | None:
        """``19.26.0.0.0`` as (19, 26)."""
        match = re.match(r"(\d+)\.(\d+)", self.header.release or "")
        return (int(match[1]), int(match[2])) if match else None

    def once(self, make: Callable[..., T], *args: str) -> T:
        """``make(self, *args)``, computed on first use."""
        key = (make, *args)
        found: T | None = self._known.get(key)
        if found is None:
            found = self._known[key] = make(self, *args)
        return found

    def missing(self, *sections: str) -> Missing:
        """The reason if none of these sections has data."""
        return self.once(Figures._missing, *sections)

    def _missing(self, *sections: str) -> Missing:
        return Missing(" and ".join(self.why_missing(name) for name in sections), sections)

    def row_figure(self, section: str, row: str, column: str, label: str) -> Figure | Missing:
        """A number by section, row and column."""
        return self.once(Figures._row_figure, section, row, column, label)

    def _row_figure(self, section: str, row: str, column: str, label: str) -> Figure | Missing:
        table = self.tables.get(section)
        if table is None:
            return self.missing(section)
        found = table.row(row)
        if found is None and table.never_has(row):
            why = f"{table.title} of a RAC report does not print `{row}` for an instance"
            return Missing(why, (section,), never=True)
        if found is None:
            return Missing(f"`{row}` is not in {table.title}", (section,))
        if table.is_disputed(found.key):
            return twice(table, found)
        absent = Missing(f"{table.title} has no such column", (section,))
        return self.figure(found.cell(column), label, absent)

    def only(self, section: str) -> Row | Missing:
        """The row of a table with one row; missing if other rows have different figures."""
        table = self.tables.get(section)
        if table is None or not table.rows:
            return self.missing(section)
        first, *more = table.rows
        if any(row.raw.cells != first.raw.cells for row in more):
            return Missing(f"{table.title} has several different rows", (section,), lost=True)
        return first

    @lazy
    def elapsed(self) -> Figure | Missing:
        """Length of the interval in seconds."""
        seconds, cell = self.header.elapsed_s, self.header.elapsed_cell
        if seconds is None:
            return Missing("the header has no elapsed time", ("snapshots",))
        return Figure(seconds, "s", (self.evidence(cell),) if cell else ())

    @lazy
    def instances(self) -> Figure | Missing:
        """Number of instances in the figures: those of a cluster report, otherwise 1."""
        summary = self.tables.get("database_summary")
        cell = summary.rows[0].cell("instances") if summary is not None and summary.rows else None
        if cell is None:
            return Figure(1, "instance")
        return self.figure(cell, "instances", Missing("", ("database_summary",)))

    @property
    def is_of_one(self) -> bool:
        """Whether the figures are those of one instance."""
        return isinstance(self.instances, Figure) and self.instances.value == 1

    @lazy
    def db_time(self) -> Figure | Missing:
        """DB time in seconds (in reports since 10g)."""
        seconds, cell = self.header.db_time_s, self.header.db_time_cell
        if seconds is None:
            return Missing("the report has no DB time (10g and later)", ("snapshots", "time_model"))
        return Figure(seconds, "s DB time", (self.evidence(cell),) if cell else ())

    @lazy
    def response(self) -> Figure | Missing:
        """DB time; before 10g, the total behind the percentages in Statspack.

        Top events have an event's time and its share, so the total is time × 100 / share; in 8i
        that is wait time only, and CPU used by sessions is added.
        """
        if isinstance(self.db_time, Figure):
            return self.db_time
        table = self.tables.get("top_events")
        if table is None or not table.rows:
            return Missing("the report has neither DB time nor top events", ("top_events",))
        waits_only = not any(row.number("pct_db_time") for row in table.rows)
        column = "pct_wait_time" if waits_only else "pct_db_time"
        row = max(table.rows, key=lambda r: r.number(column) or 0.0)
        if table.is_disputed(row.key):
            return twice(table, row)
        time, share = row.cell("total_wait_s"), row.cell(column)
        seconds, percent = row.number("total_wait_s"), row.number(column)
        if time is None or share is None or not seconds or not percent:
            return Missing("top events have no time and share", ("top_events",))
        total = seconds * 100 / percent
        proof = [self.evidence(time), self.evidence(share)]
        if waits_only:
            cpu = cpu_statistic(self)
            if isinstance(cpu, Missing) and cpu.lost:
                return cpu
            if isinstance(cpu, Figure):
                total += cpu.value
                proof += cpu.evidence
        return Figure(total, "s CPU and waits", tuple(proof), "", "estimated")

    def stat(self, name: str, label: str) -> Figure | Missing:
        """Total of an instance statistic over the interval."""
        found = self.row_figure("instance_activity", name, "total", label)
        if isinstance(found, Missing) and found.blank:
            return found._replace(lost=True)  # Oracle prints a number for every statistic
        return found

    def parameter(self, name: str) -> tuple[str, Evidence] | None:
        """Value of an initialization parameter at the end of the interval, if it is listed.

        A value in a line that cannot be split into columns is blank.
        """
        table = self.tables.get("parameters")
        row = table.row(name) if table else None
        begun = (f"{name} ",)
        if table is None or not (row or table.unread(begun) or table.begins(begun)):
            return None
        if row is None:
            return "", Evidence(table.title, name, "", "", None, lambda: table.line)
        column = "end_value" if row.text("end_value") else "begin_value"
        cell = row.cell(column)
        return (cell.text, self.evidence(cell)) if cell else None

    def foreground(self, name: str) -> Event:
        """A wait event of sessions.

        Some lists have sessions and background processes together; the waits in the list of
        background processes are then subtracted.
        """
        return self.once(Figures._foreground, name)

    def _foreground(self, name: str) -> Event:
        section = self.session_list
        table = self.tables.get(section) if section else None
        row = table.row(name) if table is not None else None
        if row is None and self._is_of_sessions(_TOP, name):
            # a top list may have an event that the full list lacks
            top = self.tables.get(_TOP)
            row = top.row(name) if top is not None else None
            if row is not None:
                section = _TOP
        if row is None or section is None:
            return _no_event(self._unlisted(name, section))
        found = self.event_of(row, section)
        if self._is_of_sessions(section):
            return found
        background = self.tables.get("background_events")
        if background is None:
            return self._of_all(found, section, name)
        mine = background.row(name)
        if mine is None and background.unread((name,)):
            return _no_event(_unread(background, (name,)))
        if mine is None:
            return found if self.complete else self._of_all(found, section, name)
        own = self.event_of(mine, "background_events")
        waits, total = _less(found.waits, own.waits), _less(found.total_s, own.total_s, _ROUNDED)
        if waits is found.waits and total is found.total_s:
            return found
        if total is found.total_s and isinstance(total, Figure) and 0 < total.value < _ROUNDED:
            # the part of background processes is rounded to 0
            total = total._replace(status="estimated")
        # averages and shares in the list are those of sessions and background processes together
        both = Missing("the average of sessions alone is not in the report", (section,))
        return Event(waits, total, both, lambda: _timeouts_left(found, own, waits, both))

    def _unlisted(self, name: str, section: str | None) -> Missing:
        """Why an event of sessions is not known."""
        top = self.tables.get(_TOP)
        if section is None and top is not None and top.row(name) is not None:
            return self._mixed(_TOP, name)
        table = self.tables.get(section) if section else None
        if table is None:
            return self.missing("foreground_events")
        if table.unread((name,)):
            return _unread(table, (name,))
        return Missing(f"event `{name}` is not listed in {table.title}", (str(table.name),))

    def _of_all(self, found: Event, section: str, name: str) -> Event:
        """An event of sessions and background processes, if nothing separates the two."""
        own = name.startswith(_SESSIONS_OWN)
        if own and (section == _TOP or not self.complete):
            return found
        if not own and (not self._is_compared or section == _TOP):
            return _no_event(self._mixed(section, name))
        waits, total, average = (
            each._replace(status="estimated") if isinstance(each, Figure) else each
            for each in (found.waits, found.total_s, found.average_ms)
        )
        return found._replace(waits=waits, total_s=total, average_ms=average, note=_OF_ALL)

    def lacks(self, name: str) -> bool:
        """Whether a complete list of waits lacks an event: then it cost nothing."""
        section = self.session_list
        table = self.tables.get(section) if section else None
        if table is None or not self.complete:
            return False
        return table.row(name) is None and not table.unread((name,))

    def _is_of_sessions(self, section: str, name: str = "") -> bool:
        """Whether a list, or one event in it, has only waits of sessions."""
        if section == "foreground_events" or (section == _TOP and name.startswith(_SESSIONS_OWN)):
            return True
        table = self.tables.get(section)
        if section != _TOP or table is None:
            return False
        words = (table.title, *(c.heading for c in table.columns if c.name == "pct_db_time"))
        return any(mark in "".join(text.split()).lower() for text in words for mark in _OF_SESSIONS)

    def _mixed(self, section: str, name: str) -> Missing:
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
        return self.once(Figures._background, name)

    def _background(self, name: str) -> Event:
        return self._event(
            name, ("background_events", "wait_events_fg_bg", "wait_events"), "top_events"
        )

    def _event(self, name: str, lists: tuple[str, ...], last: str) -> Event:
        for section in (*lists, last):
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
        return _no_event(absent)

    def event_of(self, row: Row, section: str) -> Event:
        """The wait event in a row of a list."""
        key = section, row.key, row.raw.at
        if key not in self._events:
            self._events[key] = self._read_event(row, section)
        return self._events[key]

    def _read_event(self, row: Row, section: str) -> Event:
        table = self.tables.get(section)
        if table is not None and table.is_disputed(row.key):
            return _no_event(twice(table, row))
        absent = Missing("the list of events has no such column", (section,))
        waits = self.figure(row.cell("waits"), "waits", absent)
        total = self.figure(row.cell("total_wait_s"), "s", absent)
        average = self.figure(row.cell("avg_wait_ms"), "ms", absent)
        # compare-period reports have rates, those of 10.2 no totals: estimated from elapsed time
        rate = self.figure(row.cell("waits_per_s"), "waits/s", absent)
        if isinstance(waits, Missing) and isinstance(rate, Figure):
            waits = _estimated(rate, self.elapsed, 1, "waits")
            share = self.figure(row.cell("pct_db_time"), "% of DB time", absent)
            says = isinstance(share, Figure) and share.value > 0
            rare = isinstance(share, Figure) and says and _error(share) < _error(rate)
            quick = isinstance(average, Figure) and says and not average.value
            if isinstance(total, Missing) and isinstance(share, Figure) and (rare or quick):
                total = _estimated(share, self.db_time, 100, "s")  # 0.00 a second, or 0.00 ms
                waits = _number_of(total, average) or waits
            # a printed total and average are often more exact than the rate
            counted = _number_of(total, average)
            if counted is not None and isinstance(total, Figure) and isinstance(average, Figure):
                exact = _error(total) + _error(average) < _error(rate)
                waits = counted if exact else waits
        if isinstance(total, Missing) and isinstance(average, Figure):
            part = row.number("pct_db_time")
            nothing = part is not None and not part
            guess = _by_average(average, waits, nothing=nothing)
            total = total if _is_lost(total) and not average.value else guess
        if section == "foreground_events" and isinstance(total, Figure):
            total = self._finer(row.key, waits, total)
        lost = next((x for x in (waits, average) if _is_lost(x)), None)
        if lost and isinstance(total, Figure) and total.value == 0:
            total = lost  # 0 is rounded, and the more exact figure cannot be read
        coarse = isinstance(total, Figure) and _coarse(total, average)
        if coarse and isinstance(average, Figure) and isinstance(total, Figure):
            total = _exact_total(waits, total, average)
        cells = self._cells
        return Event(waits, total, average, lambda: _timeouts(cells, row, waits), coarse)

    def _finer(self, name: str, waits: Figure | Missing, total: Figure) -> Figure:
        """A rounded total, or that of the same waits in the top list if it has more digits."""
        top = self.tables.get(_TOP)
        row = top.row(name) if top is not None and _error(total) > _EXACT else None
        if row is None or top is None or top.is_disputed(row.key):
            return total
        finer = self.figure(row.cell("total_wait_s"), "s", Missing("", (_TOP,)))
        same = isinstance(waits, Figure) and row.number("waits") == waits.value
        if isinstance(finer, Missing) or not same or not self._is_of_sessions(_TOP, name):
            return total
        agree = abs(finer.value - total.value) <= sum(
            half_step(item.text, each.value) for each in (total, finer) for item in each.evidence
        )
        return finer if agree and _error(finer) < _error(total) else total

    def foreground_sum(self, starts: tuple[str, ...]) -> Figure | Missing:
        """Seconds that sessions waited for all events with one of these prefixes.

        Lists have every event with waits (from 11g, those of at least 0.001 s), so an event that
        a list lacks has cost nothing: the sum of none is 0.
        """
        return self.once(Figures._foreground_sum, *starts)

    def _foreground_sum(self, *starts: str) -> Figure | Missing:
        section = self.session_list
        if section is None:
            return self._top_sum(starts)
        found = self._times(section, starts)
        if isinstance(found, Missing):
            return found
        if not found and not self.complete:
            return Missing(f"the excerpt has no `{starts[0]}`", (section,))
        if self._is_mixed(section):
            return self._sum_of_all(found, "s", section, starts)
        less = self._background_part(section, starts, found, self._times)
        if isinstance(less, Missing):
            return less
        return add(found, "s", less=less)

    def _top_sum(self, starts: tuple[str, ...]) -> Figure | Missing:
        """Seconds of some events in the top list: a lower bound, similar events may be missing."""
        at_least = self._times(_TOP, starts)
        if isinstance(at_least, Missing):
            return at_least
        if not at_least:
            return self.missing("foreground_events")
        rows = {item.row for each in at_least for item in each.evidence}
        if not all(self._is_of_sessions(_TOP, row) for row in rows):
            return self._mixed(_TOP, starts[0])
        total = add(at_least, "s")
        return total if rows <= {*starts} else total._replace(status="estimated")

    @property
    def sum_note(self) -> str:
        """The note for sums of waits: says if waits of background processes are included."""
        section = self.session_list
        mixed = section is not None and self._is_mixed(section) and self.complete
        return _OF_ALL if mixed else ""

    @property
    def _is_compared(self) -> bool:
        """Whether two periods are compared: such reports have one list of all waits and no other.

        The waits of sessions can then only be estimated, and the fact says so.
        """
        return self.complete and self.tables.get("compared_snapshots") is not None

    def _is_mixed(self, section: str) -> bool:
        """Whether a list also has waits of background processes that nothing separates."""
        return not self._is_of_sessions(section) and self.tables.get("background_events") is None

    def _sum_of_all(
        self, found: list[Figure], label: str, section: str, starts: tuple[str, ...]
    ) -> Figure | Missing:
        """A sum over events of sessions and background processes, as an estimate for sessions."""
        total = add(found, label)
        own = all(start.startswith(_SESSIONS_OWN) for start in starts)
        if not found or (own and not self.complete):
            return total
        if not own and not self._is_compared:
            return self._mixed(section, starts[0])
        return total._replace(status="estimated")

    def _background_part(
        self,
        section: str,
        starts: tuple[str, ...],
        found: list[Figure],
        read: Callable[[str, tuple[str, ...]], list[Figure] | Missing],
    ) -> list[Figure] | Missing:
        """The part of background processes in a list of all waits."""
        if self._is_of_sessions(section) or not found:
            return []
        part = read("background_events", starts)
        if isinstance(part, Missing):
            return part
        if not part and not self.complete and not starts[0].startswith(_SESSIONS_OWN):
            return self._mixed(section, starts[0])
        less = [each for each in part if each.value]
        whole = sum(each.value for each in found)
        if sum(each.value for each in less) - whole > _ROUNDED * max(len(less), 1):
            title = self.tables.get(section).title  # type: ignore[union-attr]
            why = f"`{starts[0]}` is higher in the list of background waits than in {title}"
            return Missing(why, (section, "background_events"), lost=True)
        return less if sum(each.value for each in less) <= whole else found

    def foreground_count(self, starts: tuple[str, ...]) -> Figure | Missing:
        """Number of waits of sessions for all events with one of these prefixes."""
        return self.once(Figures._foreground_count, *starts)

    def _foreground_count(self, *starts: str) -> Figure | Missing:
        section = self.session_list
        if section is None:
            return self.missing("foreground_events")
        found = self._counts(section, starts)
        if isinstance(found, Missing):
            return found
        if not found and not self.complete:
            return Missing(f"the excerpt has no `{starts[0]}`", (section,))
        if self._is_mixed(section):
            return self._sum_of_all(found, "waits", section, starts)
        less = self._background_part(section, starts, found, self._counts)
        if isinstance(less, Missing):
            return less
        return add(found, "waits", less=less)

    def _counts(self, section: str, starts: tuple[str, ...]) -> list[Figure] | Missing:
        """Numbers of waits of the events of a list with these prefixes."""
        table = self.tables.get(section)
        if table is not None and table.unread(starts):
            return _unread(table, starts)
        figures: list[Figure] = []
        for row in table.begins(starts) if table else ():
            waits = self.event_of(row, section).waits
            if isinstance(waits, Missing):
                return waits
            figures.append(waits)
        return figures

    def _times(self, section: str, starts: tuple[str, ...]) -> list[Figure] | Missing:
        """Total times of the events of a list with these prefixes."""
        table = self.tables.get(section)
        if table is not None and table.unread(starts):
            return _unread(table, starts)
        figures: list[Figure] = []
        absent = Missing("the list of events has no total time", (section,))
        for row in table.begins(starts) if table else ():
            figure = self.event_of(row, section).total_s
            if isinstance(figure, Missing):
                return figure if row.cell("total_wait_s") or figure.lost else absent
            figures.append(figure)
        return figures


def waited(f: Figures, *starts: str) -> Fact:
    """Seconds that sessions waited for events with these prefixes; 0 if a complete list lacks them.

    An event may be missing in the list but have a histogram: then its buckets give a lower
    bound.
    """
    total = f.foreground_sum(starts)
    if isinstance(total, Figure) and not total.evidence:
        background = f.tables.get("background_events")
        if background is None or not background.begins(starts):
            least = at_least(f, starts)
            if least is not None:
                return least
        names = " nor ".join(f"`{start}`" for start in starts)
        neither, verb = ("neither ", "is") if len(starts) > 1 else ("", "is not")
        return measured(total, f"{neither}{names} {verb} in the list of waits")
    return summed(total, f.sum_note)


def counted(f: Figures, *starts: str) -> Fact:
    """Number of waits of sessions for events with these prefixes; 0 if a whole list lacks them."""
    total = f.foreground_count(starts)
    if isinstance(total, Figure) and not total.evidence:
        least = waited(f, *starts)
        if least.evidence or least.number:  # a histogram has waits that the list lacks
            return unavailable(Missing(least.note, ("event_histogram",)))
        return measured(total, least.note)
    return summed(total, f.sum_note)


def average(f: Figures, *starts: str) -> Fact:
    """Average wait of sessions in ms, over all events with these prefixes."""
    total, waits = f.foreground_sum(starts), f.foreground_count(starts)
    if isinstance(total, Figure) and isinstance(waits, Figure) and not total.value and waits.value:
        rows = {item.row for item in total.evidence}
        if any(f.foreground(row).rounded_away for row in rows):
            why = f"{waits.shown} took {total.shown} (rounded), and the report has no average"
            return unavailable(Missing(why, ("foreground_events",)))
    return derive("total * 1000 / waits", f.sum_note, total=total, waits=waits)


def per_instance(f: Figures, expression: str, note: str = "", **inputs: Figure | Missing) -> Fact:
    """A fact of one instance: the mean of all, where a cluster report adds them up."""
    if f.is_of_one:
        return derive(expression, note, **inputs)
    return derive(f"{expression} / instances", note, **inputs, instances=f.instances)


def column(
    f: Figures, table: Table, rows: Iterable[Row], name: str, label: str
) -> list[Figure | Missing]:
    """A column of some rows; missing for a row that appears twice with different figures."""
    absent = Missing(f"{table.title} has no such column", (str(table.name),))
    return [
        twice(table, row) if table.is_disputed(row.key) else f.figure(row.cell(name), label, absent)
        for row in rows
    ]


def twice(table: Table, row: Row, name: str = "") -> Missing:
    """Why a row that appears twice with different figures cannot be used."""
    why = f"{table.title} has `{name or row.key}` twice, with different figures"
    return Missing(why, (str(table.name),), lost=True)


def _unread(table: Table, starts: tuple[str, ...]) -> Missing:
    why = f"a line of {table.title} that begins with `{starts[0]}` cannot be split into columns"
    return Missing(why, (str(table.name),), lost=True)


def _is_lost(figure: Figure | Missing) -> bool:
    return isinstance(figure, Missing) and figure.lost


def _timeouts(cells: Cells, row: Row, waits: Figure | Missing) -> Figure | Missing:
    """Share of the waits that timed out: in the report, or from their number (8i, 9i)."""
    absent = Missing("the list of events has no time-outs", ("background_events",))
    share = cells.figure(row.cell("timeout_pct"), "% time-outs", absent)
    count = cells.figure(row.cell("timeouts"), "time-outs", absent)
    if isinstance(share, Figure) or isinstance(count, Missing) or isinstance(waits, Missing):
        return share
    if not waits.value:
        return absent
    evidence = (*count.evidence, *waits.evidence)
    return Figure(count.value * 100 / waits.value, "% time-outs", evidence)


def _no_event(why: Missing) -> Event:
    return Event(why, why, why, lambda: why)


def _error(figure: Figure) -> float:
    """Half of the last digit in the report, as a share of the number."""
    steps = sum(half_step(item.text, figure.value) for item in figure.evidence)
    return steps / abs(figure.value) if figure.value else inf


def _coarse(total: Figure, average: Figure | Missing) -> bool:
    """Whether a total in the report is rounded, and more so than the average next to it."""
    if isinstance(average, Missing) or average.value <= 0 or total.status == "estimated":
        return False
    return _error(total) > max(_EXACT, _error(average))


def _exact_total(waits: Figure | Missing, total: Figure, average: Figure) -> Figure:
    """Waits × average instead of a rounded total, unless the two contradict each other."""
    if isinstance(waits, Missing) or waits.value <= 0:
        return total
    value = waits.value * average.value / 1000
    if abs(value - total.value) > max(1.0, _error(average) * value):
        return total
    text = f"{waits.digits} × {average.digits} / 1000"
    return Figure(value, "s", (*waits.evidence, *average.evidence), text)


def _by_average(average: Figure, waits: Figure | Missing, *, nothing: bool) -> Figure | Missing:
    """A total from the average; missing if that is rounded to 0 and may hide seconds.

    ``nothing``: the share of DB time is 0, too, so that nothing significant is hidden.
    """
    total = _estimated(average, waits, 1000, "s")
    if isinstance(total, Missing) or isinstance(waits, Missing) or average.value or nothing:
        return total
    steps = sum(half_step(item.text, 0) for item in average.evidence)
    if waits.value * steps / 1000 <= _ROUNDED:
        return total
    why = f"the report has no total, and {waits.shown} took {average.shown} on average (rounded)"
    sections = tuple(dict.fromkeys(item.section for item in average.evidence))
    return Missing(why, sections, lost=True)


def _estimated(
    rate: Figure, amount: Figure | Missing, divisor: int, label: str
) -> Figure | Missing:
    """A total estimated from a rate or average in the report, which is rounded."""
    if isinstance(amount, Missing):
        return amount
    evidence = (*rate.evidence, *amount.evidence)
    return Figure(rate.value * amount.value / divisor, label, evidence, "", "estimated")


def _number_of(total: Figure | Missing, average: Figure | Missing) -> Figure | None:
    """The number of waits from a total and an average; None if it cannot be computed."""
    if isinstance(total, Missing) or isinstance(average, Missing) or average.value <= 0:
        return None
    evidence = (*total.evidence, *average.evidence)
    return Figure(total.value * 1000 / average.value, "waits", evidence, "", "estimated")


def _timeouts_left(
    whole: Event, part: Event, waits: Figure | Missing, absent: Missing
) -> Figure | Missing:
    """Share of time-outs in the remaining waits when a part of the waits is subtracted."""
    amounts = (whole.timeout_pct, whole.waits, part.timeout_pct, part.waits, waits)
    figures = [each for each in amounts if isinstance(each, Figure)]
    if len(figures) < len(amounts) or not figures[-1].value:
        return absent
    all_pct, all_waits, own_pct, own_waits, left = figures
    share = (all_pct.value * all_waits.value - own_pct.value * own_waits.value) / left.value
    evidence = tuple(item for each in figures[:-1] for item in each.evidence)
    return Figure(min(max(share, 0.0), 100.0), "% time-outs", evidence, "", "estimated")


def _less(
    whole: Figure | Missing, part: Figure | Missing, rounded: float = 0.0
) -> Figure | Missing:
    """A figure of all processes minus that of background processes; 0 if theirs is all of it."""
    if isinstance(whole, Missing) or isinstance(part, Missing):
        return whole if isinstance(whole, Missing) else part
    if not part.value:
        return whole
    if part.value - whole.value > rounded:
        why = f"background processes have {part.shown}, more than all processes: {whole.shown}"
        return Missing(why, ("wait_events", "background_events"), lost=True)
    return add([whole], whole.label, less=[part if part.value <= whole.value else whole])


def _plain(cell: Cell) -> bool:
    """Whether a number in the report is the value itself: no suffix, exponent or other unit."""
    digits = cell.text.replace(",", "")
    try:
        return not digits.strip("0123456789.-") and float(digits) == cell.value
    except ValueError:
        return False
