"""Where facts find their numbers: statistics, events, parameters and header of one report.

This module and those of its base classes alone know which table has a number in which release;
they know tables by canonical names, never report formats.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from awrlens.facts.cells import twice
from awrlens.facts.formula import (
    Figure,
    Missing,
    add,
    derive,
    measured,
    readable,
    summed,
    unavailable,
)
from awrlens.facts.histograms import at_least, is_listed
from awrlens.facts.wait_event import ROUNDED
from awrlens.facts.wait_lists import (
    OF_ALL,
    SESSIONS_OWN,
    TOP,
    TOP_OF_SESSIONS,
    WaitLists,
    unread_line,
)
from awrlens.lazy import lazy

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from awrlens.model import Fact
    from awrlens.report.table import Row, Table

    #: The figures of the events of a list that have one of some prefixes.
    _Reader = Callable[[str, tuple[str, ...]], list[Figure] | Missing]


class Figures(WaitLists):
    """The numbers of one report: sums of waits over events, and all that its base classes read."""

    def foreground_sum(self, starts: tuple[str, ...]) -> Figure | Missing:
        """Seconds that sessions waited for all events with one of these prefixes.

        Lists have every event with waits (from 11g, those of at least 0.001 s), so an event that
        a list lacks has cost nothing: the sum of none is 0.
        """
        return self.once(Figures._foreground_sum, *starts)

    def _foreground_sum(self, *starts: str) -> Figure | Missing:
        return self._of_sessions(starts, self._times, "s")

    def _of_sessions(self, starts: tuple[str, ...], read: _Reader, label: str) -> Figure | Missing:
        """What sessions waited, in seconds or in waits."""
        section = self.session_list
        if section is None:
            return self._in_top(starts, read, label)
        found = read(section, starts)
        if isinstance(found, Missing):
            return found
        if not found:
            whole = self.complete
            return Figure(0, label) if whole else self._in_top(starts, read, label, section)
        if self._is_mixed(section):
            return self._sum_of_all(found, label, section, starts)
        less = self._background_part(section, starts, found, read)
        if isinstance(less, Missing):
            return less
        return add(found, label, less=less)

    def _in_top(
        self, starts: tuple[str, ...], read: _Reader, label: str, lacks: str = ""
    ) -> Figure | Missing:
        """A sum over events of the top list: a lower bound, similar events may be missing.

        ``lacks`` is another list of an excerpt, which has none of them.
        """
        top, at_least = TOP_OF_SESSIONS, read(TOP_OF_SESSIONS, starts)
        if not at_least:
            top, at_least = TOP, read(TOP, starts)
        if lacks and (isinstance(at_least, Missing) or not at_least):
            return Missing(f"the excerpt has no `{starts[0]}`", (lacks,))
        if isinstance(at_least, Missing):
            return at_least
        by_class = None if at_least or lacks else self.commits_by_class(*starts)
        if by_class is not None:
            return by_class.total_s if label == "s" else by_class.waits
        if not at_least:
            return self.missing("foreground_events")
        rows = {item.row for each in at_least for item in each.evidence}
        if not all(self.is_of_sessions(top, row) for row in rows):
            return self.mixed(TOP, starts[0])
        total = add(at_least, label)
        return total if rows <= {*starts} else total._replace(status="estimated")

    @lazy
    def sum_note(self) -> str:
        """The note for sums of waits: says if waits of background processes are included."""
        section = self.session_list
        mixed = section is not None and self._is_mixed(section) and self.complete
        return OF_ALL if mixed else ""

    def _is_mixed(self, section: str) -> bool:
        """Whether a list also has waits of background processes that nothing separates."""
        return not self.is_of_sessions(section) and self.tables.get("background_events") is None

    def _sum_of_all(
        self, found: list[Figure], label: str, section: str, starts: tuple[str, ...]
    ) -> Figure | Missing:
        """A sum over events of sessions and background processes, as an estimate for sessions."""
        total = add(found, label)
        own = all(start.startswith(SESSIONS_OWN) for start in starts)
        if own and not self.complete:
            return total
        if not own and not self.is_compared:
            return self.mixed(section, starts[0])
        return total._replace(status="estimated")

    def _background_part(
        self,
        section: str,
        starts: tuple[str, ...],
        found: list[Figure],
        read: _Reader,
    ) -> list[Figure] | Missing:
        """The part of background processes in a list of all waits."""
        if self.is_of_sessions(section):
            return []
        part = read("background_events", starts)
        if isinstance(part, Missing):
            return part
        if not part and not self.complete and not starts[0].startswith(SESSIONS_OWN):
            return self.mixed(section, starts[0])
        less = [each for each in part if each.value]
        whole = sum(each.value for each in found)
        if sum(each.value for each in less) - whole > ROUNDED * max(len(less), 1):
            title = self.tables.get(section).title  # type: ignore[union-attr]
            why = f"`{starts[0]}` is higher in the list of background waits than in {title}"
            return Missing(why, (section, "background_events"), lost=True)
        return less if sum(each.value for each in less) <= whole else found

    def foreground_count(self, starts: tuple[str, ...]) -> Figure | Missing:
        """Number of waits of sessions for all events with one of these prefixes."""
        return self.once(Figures._foreground_count, *starts)

    def _foreground_count(self, *starts: str) -> Figure | Missing:
        return self._of_sessions(starts, self._counts, "waits")

    def _counts(self, section: str, starts: tuple[str, ...]) -> list[Figure] | Missing:
        """Numbers of waits of the events of a list with these prefixes."""
        table = self.tables.get(section)
        if table is not None and table.unread(starts):
            return unread_line(table, starts)
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
            return unread_line(table, starts)
        figures: list[Figure] = []
        for row in table.begins(starts) if table else ():
            figure = self.event_of(row, section).total_s
            if isinstance(figure, Missing):
                if row.cell("total_wait_s") or figure.lost:
                    return figure
                return Missing("the list of events has no total time", (section,))
            figures.append(figure)
        return figures


def waited(f: Figures, *starts: str) -> Fact:
    """Seconds that sessions waited for events with these prefixes; 0 if a complete list lacks them.

    An event may be missing in the list but have a histogram: then its buckets give a lower
    bound.
    """
    total = f.foreground_sum(starts)
    if isinstance(total, Figure) and not total.value and not total.evidence:
        if is_listed(f, starts):  # a histogram may have an event that the list of waits lacks
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


def unreadable(f: Figures, table: Table, rows: Iterable[Row], *columns: str) -> Missing | None:
    """Why a figure in some columns of some rows cannot be read, if there is such a figure."""
    if all(map(table.is_plain, columns)):
        return None
    absent = Missing(f"{table.title} has no such column", (str(table.name),))
    found = readable(f.figure(row.cell(name), "", absent) for row in rows for name in columns)
    return found if isinstance(found, Missing) else None
