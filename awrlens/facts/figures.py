"""Where facts find their numbers: the figures of one report, with CPU and waits.

This module alone knows which table has a number in which release, and whose waits a list has: some
lists have sessions and background processes together; then the list of background processes
separates them.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, Concatenate, Final, Generic, ParamSpec

from awrlens.facts import wait_event
from awrlens.facts.answers import Answer, answering, needed
from awrlens.facts.counters import BEYOND, SINCE_10G, Counters, kept
from awrlens.facts.formula import Figure, Missing, Number, add, twice, unread_line
from awrlens.facts.histograms import counted_and_least, may_exceed, unlisted
from awrlens.facts.wait_event import ROUNDED, Event, idle, minus, no_event, timeouts, timeouts_left
from awrlens.facts.whole_lists import lacking, torn
from awrlens.facts.whole_lists import none as none_listed
from awrlens.lazy import lazy
from awrlens.model.fact_table import REPORT_FACTS
from awrlens.units import half_step

if TYPE_CHECKING:
    from collections.abc import Callable

    from awrlens.model import Fact
    from awrlens.model.fact_table import Better, Kind
    from awrlens.report.table import Row, Table

    #: A function of a fact.
    Function = Callable[["Figures"], Answer]

P = ParamSpec("P")
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
_IN_ALL: Final = "from the list of all waits"
# CPU of sessions: Oracle Database Reference, V$SYS_TIME_MODEL (`DB CPU`) and `CPU used by this
# session`, which is updated only at the end of a call.
DB_CPU: Final = "s DB CPU"
STATISTIC: Final = "CPU used by this session"
#: Up to 9i a session's counter has 32 bits; a negative value appears near the top of the range.
_WRAPPED_CS: Final = 2**32
#: Share of the range that counts as wrapped: 25 days of CPU below its top, more than a report
#: covers. # awrlens: an assumption
_NEARLY_WRAPPED: Final = 0.95
#: The time model and the statistic disagree if one is this many times the other.
#: # awrlens: an assumption
_APART: Final = 2.0
#: The waits of a histogram, as a multiple of those in the list, that rounding and snapshots taken
#: one after the other do not explain. # awrlens: an assumption
_MORE_WAITS: Final = 2.0


class Several(Generic[P]):
    """A function of several facts, which declares one for its name and the other arguments.

    They are named in the first line of the function's documentation, the definition of each fact.
    """

    def __init__(
        self,
        function: Callable[Concatenate[Figures, P], Answer],
        unit: str,
        sections: tuple[str, ...],
        about: dict[str, Any],
    ) -> None:
        self.function, self._unit, self._sections, self._about = function, unit, sections, about

    def but(self, *sections: str, unit: str = "", **about: Any) -> Several[P]:  # noqa: ANN401
        """The same for a fact that is read from other sections, or differs in unit or title."""
        about = self._about | about
        return Several(self.function, unit or self._unit, sections or self._sections, about)

    def __call__(self, name: str, *args: P.args, **named: P.kwargs) -> Callable[[Figures], Fact]:
        """Declare a fact."""
        function = self.function

        def one(f: Figures) -> Answer:
            return function(f, *args, **named)

        def words() -> str:
            names = function.__code__.co_varnames[1 : function.__code__.co_argcount]
            usual = dict(zip(reversed(names), reversed(function.__defaults__ or ()), strict=False))
            given = {**usual, **dict(zip(names, args, strict=False)), **named}
            return (function.__doc__ or "").format(**given)

        one.__module__ = function.__module__
        declare = REPORT_FACTS.declare
        return declare(name, self._unit, *self._sections, definition=words, **self._about)(one)


def several(
    unit: str,
    *sections: str,
    **about: Any,  # noqa: ANN401 - as ``declare`` has
) -> Callable[[Callable[Concatenate[Figures, P], Answer]], Several[P]]:
    """Makes a function one of several facts, with what is declared of each of them."""
    return lambda function: Several(function, unit, sections, about)


def formula(
    name: str,
    unit: str,
    sections: str | tuple[str, ...],
    definition: str,
    function: Function,
    *,
    kind: Kind | None = None,
    better: Better | None = None,
    title: str = "",
    beyond: bool = False,
) -> Callable[[Figures], Fact]:
    """Declare a fact that is one expression."""
    read_from = (sections,) if isinstance(sections, str) else sections
    declared = REPORT_FACTS.declare(
        name, unit, *read_from, kind=kind, better=better, title=title, definition=definition,
        beyond=beyond,
    )  # fmt: skip
    return declared(function)


class Figures(Counters):
    """The figures of one report; what is computed once is kept."""

    @lazy
    def response(self) -> Number:
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
        total = self._without_idle(table, "pct_wait_time" if waits_only else "pct_db_time")
        cpu = self.cpu_counter() if waits_only else None
        if isinstance(cpu, Missing) and (
            cpu.lost or (self.complete and self.stat(STATISTIC, "").value is None)
        ):
            return cpu
        if isinstance(total, Figure) and isinstance(cpu, Figure):
            proof = (*total.evidence, *cpu.evidence)
            return Figure(total.value + cpu.value, total.label, proof, "", total.status)
        return total

    @answering
    def _without_idle(self, table: Table, column: str) -> Number:
        """The time whose percentages a list of top events has, without that of idle events."""
        row = max(table.rows, key=lambda r: r.number(column) or 0.0)
        if row.key in table.disputes:
            return twice(table, row.key)
        time, share = row.cell("total_wait_s"), row.cell(column)
        seconds, percent = row.number("total_wait_s"), row.number(column)
        if time is None or share is None or not seconds or not percent:
            return Missing("top events have no time and share", ("top_events",))
        total, proof = seconds * 100 / percent, [self.evidence(time), self.evidence(share)]
        for row in table.rows:
            name = row.key.strip()
            if idle(name) and not row.text("wait_class"):  # Statspack of 12.1 lists some
                why = f"the time of `{name}`, an idle event, is not in the report"
                absent = Missing(why, (TOP,), lost=True)
                idle_time = needed(self.figure(row.cell("total_wait_s"), "s idle", absent))
                total -= idle_time.value
                proof += idle_time.evidence
        if total <= 0:
            return Missing("the top events are all idle", (TOP,))
        return Figure(total, "s CPU and waits", tuple(proof), "", "estimated")

    @lazy
    def cpu(self) -> Number:
        """`DB CPU` if the report has it, otherwise the statistic; neither if it exceeds DB time."""
        printed = (
            self.row_figure("time_model", "DB CPU", "time_s", DB_CPU),
            self.row_figure("top_events", "DB CPU", "total_wait_s", DB_CPU),
        )
        model = next((number for number in printed if isinstance(number, Figure)), None)
        modern = self.complete and not self.is_compared and (self.release or (0, 0)) >= SINCE_10G
        if model is None and modern:
            return printed[0]  # the counter is 11 to 129 % of it in real reports
        counter = self.cpu_counter()
        if model is None:
            return counter
        note = self._beyond(said := f"`DB CPU` is {model.shown}", model)
        if not note and not self.two_clocks():
            if modern and self.tables.get("instance_activity") is None:
                return model.estimated("")  # the counter may contradict it
            if counter.value is None or model.value <= counter.value * _APART:
                return model.noted("")
            return model.noted(
                f"mostly in calls that still ran at the end: `{STATISTIC}`, which counts a call "
                f"when it ends, has {counter.value:,.0f} of {model.value:,.0f} s"
            )
        note = note or f"{said}, more than the calls that computed took"
        if isinstance(counter, Missing):
            return Missing(note)
        return counter.noted(f"{note}: `{STATISTIC}` is used instead")

    def cpu_counter(self) -> Number:
        """`CPU used by this session` in seconds, if it is plausible.

        A call adds it at its end, but `recursive cpu usage`, a part of it, before: if this is more,
        calls still run, and it is used (Statspack 8.1.7.4.1_10: 1,649 and 1,089 s).
        """
        if isinstance(cpu := self.stat(STATISTIC, "cs CPU"), Missing):
            return cpu
        name, old = STATISTIC, (self.release or (0, 0)) < SINCE_10G
        # later, it has CPU of background processes: 4.6 times as much in AWR 19.0.0.0.0-rac_01
        part = self.stat("recursive cpu usage", "cs CPU") if old and self.release else cpu
        if isinstance(part, Figure) and part.value > cpu.value * BEYOND:
            name, cpu = "recursive cpu usage", part
        seconds = Figure(cpu.value / 100, "s CPU", cpu.evidence)
        said = f"`{name}` is {cpu.digits} cs"
        doubt = self._beyond(said, seconds)
        if old and cpu.value >= _WRAPPED_CS * _NEARLY_WRAPPED:
            doubt = f"{said}: the 32-bit counter has wrapped"
        return Missing(doubt, ("instance_activity",)) if doubt else seconds

    def _beyond(self, said: str, seconds: Figure) -> str:
        """Why CPU seconds are impossible: more than DB time, or than the host's CPUs have."""
        if isinstance(self.db_time, Figure) and seconds.value > self.db_time.value * BEYOND:
            return f"{said}, more than DB time"
        count = self.setting("cpu_count")
        cpus = self.header.cpus or (count.value if count else None)
        most_s = (self.elapsed.value or 0.0) * (cpus or 0) * self.is_of_one
        if not most_s or seconds.value <= most_s * BEYOND:
            return ""
        return f"{said}, more than the {most_s:,.0f} s that {cpus:,.0f} CPUs have in the interval"

    @kept
    def foreground(self, name: str) -> Event:
        """A wait event of sessions.

        Some lists have sessions and background processes together; the waits in the list of
        background processes are then subtracted.
        """
        section = self.session_list
        row = self.row(section, name)
        for top in (TOP_OF_SESSIONS, TOP):
            # a top list may have an event that the full list lacks
            if row is None and self.is_of_sessions(top, name):
                row = self.row(top, name)
                section = section if row is None else top
        if row is None or section is None:
            by_class = self.commits_by_class(name) if section is None else None
            return by_class or no_event(self._unlisted(name, section))
        event = self.event_of(row, section)
        if self.is_of_sessions(section):
            return event
        if (background := self.tables.get("background_events")) is None:
            return self._of_all(event, section, name)
        mine = background.row(name)
        if mine is None and background.unread((name,)):
            return no_event(unread_line(background, (name,)))
        if mine is None:
            whole = self.complete and not torn(self, "background_events")
            return event if whole else self._of_all(event, section, name)
        own = self.event_of(mine, "background_events")
        waits, total = minus(event.waits, own.waits), minus(event.total_s, own.total_s, ROUNDED)
        if waits is event.waits and total is event.total_s:
            return event
        if total is event.total_s and isinstance(total, Figure) and 0 < total.value < ROUNDED:
            # the part of background processes is rounded to 0
            total = total.estimated()
        # averages and shares in the list are those of sessions and background processes together
        both = Missing("the average of sessions alone is not in the report", (section,))
        return Event(waits, total, lambda: both, lambda: timeouts_left(event, own, waits, both))

    def commits_by_class(self, *names: str) -> Event | None:
        """Commits by the wait class Commit: a first page may have that list alone."""
        why = "the wait class has the time-outs of all its events"
        absent = Missing(why, ("foreground_events",))
        for section in ("wait_classes", "wait_classes_summary") if names == SESSIONS_OWN else ():
            if (row := self.row(section, "Commit")) is not None:
                event = _estimated(self.event_of(row, section), "by the wait class Commit")
                return event._replace(find_timeout_pct=lambda: absent, exact=False)
        return None

    def _unlisted(self, name: str, section: str | None) -> Missing:
        if section is None and self.row(TOP, name) is not None:
            return self.mixed(TOP, name)
        if (table := self.tables.get(section or "")) is None:
            return self.missing("foreground_events")
        if table.unread((name,)):
            return unread_line(table, (name,))
        return Missing(f"event `{name}` is not listed in {table.title}", (str(table.name),))

    def _of_all(self, event: Event, section: str, name: str) -> Event:
        """An event of sessions and background processes, if nothing separates the two."""
        own = name.startswith(SESSIONS_OWN)
        if own and (section == TOP or not self.complete):
            return event
        if not own and (not self.is_compared or section == TOP):
            return no_event(self.mixed(section, name))
        return _estimated(event, OF_ALL)

    def lacks(self, name: str) -> bool:
        """Whether a complete list of waits lacks an event: then it cost nothing."""
        section = self.session_list
        if section is None or not self.complete or self.row(section, name) is not None:
            return False
        return isinstance(none_listed(self, "s", section, (name,)), Figure)

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

    def mixed(self, section: str, name: str) -> Missing:
        """Why the waits of sessions in a list of all are not known."""
        table = self.tables.get(section)
        title = table.title if table is not None else section
        return Missing(
            f"{title} has waits of sessions and of background processes together, and no list of "
            f"background waits separates them for `{name}`",
            (section, "background_events"),
        )

    @kept
    def background(self, name: str) -> Event:
        """A wait event of background processes."""
        lists = ("background_events", "wait_events_fg_bg", "wait_events")
        for section in (*lists, _TOP_OF_OTHERS, TOP):
            if (row := self.row(section, name)) is None:
                continue
            event = self.event_of(row, section)
            lost = self.complete and section in lists[1:] and self.tables.get(lists[0]) is None
            # a list of all waits is rounded otherwise; a comparison has no other
            return event if not lost or self.is_compared else _estimated(event, _IN_ALL)
        present = next(filter(None, map(self.tables.get, lists)), None)
        if present is None:
            return no_event(self.missing(lists[0]))
        torn_by = unlisted(self, str(present.name), (name,)) if self.complete else ""
        why = torn_by or f"event `{name}` is not listed in {present.title}"
        lost = bool(torn_by) or present.unread((name,))
        return no_event(Missing(why, (str(present.name),), lost=lost))

    def event_of(self, row: Row, section: str) -> Event:
        """The wait event in a row of a list."""
        results, key = self.results, (section, row.key, row.raw.at)
        if key not in results:
            results[key] = self._with_histogram(self._read_event(row, section), row, section)
        event: Event = results[key]
        return event

    def _with_histogram(self, of_list: Event, row: Row, section: str) -> Event:
        """An event of a list, or its histogram, which is of all processes, if that has more."""
        waits, total = of_list.waits, of_list.total_s
        listed = section in ("foreground_events", "wait_events")
        if not listed or isinstance(waits, Missing) or isinstance(total, Missing):
            return of_list
        # few histograms have more than the list of sessions has: that of others is not read for it
        if not may_exceed(self, row.key, waits.value * _MORE_WAITS):
            return of_list
        other_waits = other_s = 0.0
        if section == "foreground_events":
            table = self.tables.get("background_events")
            if table is None or torn(self, "background_events") or table.unread((row.key,)):
                return of_list  # the others may be theirs
            if (of_others := table.row(row.key)) is not None:
                event = self.event_of(of_others, "background_events")
                if isinstance(event.waits, Missing) or isinstance(event.total_s, Missing):
                    return of_list
                other_waits, other_s = event.waits.value, event.total_s.value
        in_histogram = counted_and_least(self, row.key, waits.value * _MORE_WAITS + other_waits)
        if in_histogram is None or in_histogram[1] - other_s <= total.value:
            return of_list
        number = Figure(in_histogram[0] - other_waits, "waits", waits.evidence, "", "estimated")
        seconds = Figure(in_histogram[1] - other_s, "s", total.evidence, "", "estimated")
        note = (f"{waits.digits} waits of {total.digits} s in the list, but more in the histogram: "
                "minimum from its buckets")  # fmt: skip
        return Event(
            number, seconds, lambda: seconds * 1000 / number, of_list.find_timeout_pct,
            note=note, exact=True,
        )  # fmt: skip

    def _read_event(self, row: Row, section: str) -> Event:
        table = self.tables.get(section)
        if table is not None and row.key in table.disputes:
            return no_event(twice(table, row.key))
        if table is not None and (why := self.contradictions.of(table.title, row.key)) is not None:
            return no_event(self._cells.broken(why))
        absent, cells = _no_column(section), self._cells
        waits = cells.figure(row.cell("waits"), "waits", absent)
        cell = row.cell("total_wait_s")
        total = cells.figure(cell, "s", absent)
        has_both = isinstance(waits, Figure) and isinstance(total, Figure)
        if has_both and cell is not None and wait_event.is_exact(cell.text):
            return Event(
                waits, total,
                lambda: cells.figure(row.cell("avg_wait_ms"), "ms", absent),
                lambda: timeouts(cells, row, waits), exact=True,
            )  # fmt: skip
        return self._by_other_figures(row, section, waits, total)

    def _by_other_figures(self, row: Row, section: str, waits: Number, total: Number) -> Event:
        """An event whose total is not in the report, or rounded: other figures may be better."""
        # such a report marks events that are not in both lists of top events
        keys = (mark + row.key for mark in ("", "*", "-")) if section != TOP else ()
        tops = (self.row(TOP, key) for key in keys if self.is_compared)
        top = next(filter(None, tops), None)
        if top is not None and top.cell("waits") and top.cell("total_wait_s"):
            return self._read_event(top, TOP)  # a share or a rate is rounded more than a total
        absent, cells = _no_column(section), self._cells
        average = cells.figure(row.cell("avg_wait_ms"), "ms", absent)
        # compare-period reports have rates, those of 10.2 no totals: estimated from elapsed time
        rate = cells.figure(row.cell("waits_per_s"), "waits/s", absent)
        if isinstance(waits, Missing) and isinstance(rate, Figure):
            waits = wait_event.estimated(rate * self.elapsed, "waits")
            share = self.figure(row.cell("pct_db_time"), "% of DB time", absent)
            # 0.00 waits a second, or 0.00 ms
            better = share.rounding < rate.rounding or average.value == 0
            if isinstance(total, Missing) and share.value and share.value > 0 and better:
                total = wait_event.estimated(share * self.db_time / 100, "s")
                waits = wait_event.number_of(total, average).otherwise(waits)
            # a printed total and average are often more exact than the rate
            if total.rounding + average.rounding < rate.rounding:
                waits = wait_event.number_of(total, average).otherwise(waits)
        no_total = isinstance(total, Missing) and (not total.lost or average.value)
        if no_total and isinstance(average, Figure):
            total = wait_event.by_average(average, waits, nothing=row.number("pct_db_time") == 0)
        if section == "foreground_events" and isinstance(total, Figure):
            total = self._finer(row.key, waits, total)
        if isinstance(total, Figure) and total.value == 0:
            # 0 is rounded, and the more exact figure cannot be read
            total = next((number for number in (waits, average) if number.lost), total)
        coarse = isinstance(total, Figure) and wait_event.is_coarse(total, average)
        if coarse and isinstance(average, Figure) and isinstance(total, Figure):
            total = wait_event.exact_total(waits, total, average)
        return Event(waits, total, lambda: average, lambda: timeouts(cells, row, waits), coarse)

    def _finer(self, name: str, waits: Number, total: Figure) -> Figure:
        """A rounded total, or that of the same waits in the top list if it has more digits."""
        top = self.tables.get(TOP)
        row = top.row(name) if top is not None and total.rounding > wait_event.EXACT else None
        if row is None or top is None or row.key in top.disputes:
            return total
        finer = self.figure(row.cell("total_wait_s"), "s", Missing("", (TOP,)))
        same = isinstance(waits, Figure) and row.number("waits") == waits.value
        if isinstance(finer, Missing) or not same or not self.is_of_sessions(TOP, name):
            return total
        agree = abs(finer.value - total.value) <= sum(
            half_step(item.text, time.value) for time in (total, finer) for item in time.evidence
        )
        return finer if agree and finer.rounding < total.rounding else total

    @kept
    def of_sessions(self, label: str, *starts: str) -> Number:
        """Seconds (``s``) or number (``waits``) of waits for all events with one of these prefixes.

        Lists have every event with waits (from 11g, those of at least 0.001 s), so an event that
        a complete list lacks has cost nothing: the sum of none is 0.
        """
        section = self.session_list
        if section is None:
            return self._in_top(label, starts)
        events = needed(self.read(label, section, starts))
        if not events:
            none = none_listed(self, label, section, starts) if self.complete else None
            return none or self._in_top(label, starts, section)
        if self.complete and (why := torn(self, section) or lacking(self, section, starts)):
            # others with these prefixes may be missing
            table = self.tables.get(section)
            if table is None or not all(map(table.row, starts)):
                return Missing(why, (section,), lost=True)
        own = all(start.startswith(SESSIONS_OWN) for start in starts)
        if self._is_mixed(section):
            total = add(events, label)
            if own and not self.complete:
                return total
            return total.estimated() if own or self.is_compared else self.mixed(section, starts[0])
        if self.is_of_sessions(section):
            return add(events, label)
        return self._without_background(label, section, starts, events)

    def _without_background(
        self, label: str, section: str, starts: tuple[str, ...], events: list[Figure]
    ) -> Number:
        """The sum of events in a list of all waits without the part of background processes."""
        background = needed(self.read(label, "background_events", starts))
        separable = background or (self.complete and not torn(self, "background_events"))
        if not separable and not starts[0].startswith(SESSIONS_OWN):
            return self.mixed(section, starts[0])
        less = [figure for figure in background if figure.value]
        whole, part = (sum(figure.value for figure in figures) for figures in (events, less))
        if part - whole > ROUNDED * max(len(less), 1):
            title = self.tables.get(section).title  # type: ignore[union-attr]
            why = f"`{starts[0]}` is higher in the list of background waits than in {title}"
            return Missing(why, (section, "background_events"), lost=True)
        return add(events, label, less=less if part <= whole else events)

    def _in_top(self, label: str, starts: tuple[str, ...], lacks: str = "") -> Number:
        """A sum over events of the top list: a lower bound, similar events may be missing."""
        top, listed = TOP_OF_SESSIONS, self.read(label, TOP_OF_SESSIONS, starts)
        if not listed:
            top, listed = TOP, self.read(label, TOP, starts)
        if lacks and (isinstance(listed, Missing) or not listed):
            return Missing(f"the excerpt has no `{starts[0]}`", (lacks,))
        if not (at_least := needed(listed)):
            by_class = self.commits_by_class(*starts)
            if by_class is None:
                return self.missing("foreground_events")
            return by_class.total_s if label == "s" else by_class.waits
        rows = {item.row for figure in at_least for item in figure.evidence}
        if not all(self.is_of_sessions(top, row) for row in rows):
            return self.mixed(TOP, starts[0])
        total = add(at_least, label)
        if rows == {*starts}:
            return total
        return total.estimated("at least: the report has only its top events")

    def read(self, label: str, section: str, starts: tuple[str, ...]) -> list[Figure] | Missing:
        """Total times, or numbers of waits, of the events of a list with these prefixes."""
        table = self.tables.get(section)
        if table is not None and table.unread(starts):
            return unread_line(table, starts)
        figures: list[Figure] = []
        for row in table.begins(starts) if table else ():
            event = self.event_of(row, section)
            figure = event.total_s if label == "s" else event.waits
            if isinstance(figure, Missing):
                timed = label != "s" or row.cell("total_wait_s") or figure.lost
                untimed = Missing("the list of events has no total time", (section,))
                return figure if timed else untimed
            figures.append(figure)
        return figures

    @lazy
    def sum_note(self) -> str:
        """The note for sums of waits: says if waits of background processes are included."""
        section = self.session_list
        mixed = section is not None and self._is_mixed(section) and self.complete
        return OF_ALL if mixed else ""

    def _is_mixed(self, section: str) -> bool:
        """Whether a list also has waits of background processes that nothing separates."""
        return not self.is_of_sessions(section) and self.tables.get("background_events") is None


def _estimated(event: Event, note: str) -> Event:
    return event._replace(
        waits=event.waits.estimated(),
        total_s=event.total_s.estimated(),
        find_average_ms=lambda: event.average_ms.estimated(""),
        note=note,
    )


@cache
def _no_column(section: str) -> Missing:
    return Missing("the list of events has no such column", (section,))
