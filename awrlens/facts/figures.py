"""Where facts find their numbers: the figures of one report.

Cells, statistics, parameters, header, CPU and waits. This module alone knows which table has a
number in which release, and whose waits a list has: some lists have sessions and background
processes together; then the list of background processes separates them. It knows tables by
canonical names, never report formats.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, Concatenate, Final, Generic, ParamSpec, TypeVar, cast

from awrlens.facts import wait_event
from awrlens.facts.answers import Answer, answering, needed
from awrlens.facts.formula import Cells, Figure, Missing, Number, add, twice, unread_line
from awrlens.facts.histograms import counted_and_least, may_exceed, unlisted
from awrlens.facts.wait_event import ROUNDED, Event, idle, minus, no_event, timeouts, timeouts_left
from awrlens.facts.whole_lists import lacking, torn
from awrlens.facts.whole_lists import none as none_listed
from awrlens.lazy import lazy
from awrlens.model import Evidence
from awrlens.model.fact_table import CONTRADICTS, REPORT_FACTS, Lacking
from awrlens.units import MOST_CPUS, half_step, parse_setting, release_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from awrlens.model import Fact
    from awrlens.model.fact_table import Better, Kind
    from awrlens.report.report import Report
    from awrlens.report.table import Cell, Row, Table

    #: A function of a fact.
    Function = Callable[["Figures"], Answer]

T = TypeVar("T")
P = ParamSpec("P")
#: A rate is exact enough for the length of the interval if half its last digit is at most this
#: share of it. # awrlens: a second in three minutes
_EXACT_RATE: Final = 0.005
_NO_ELAPSED: Final = "the header has no elapsed time"
#: OS statistics are in centiseconds.
_CS: Final = 100
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
#: A call that began before the interval adds all its CPU, and times are rounded.
#: # awrlens: an assumption
BEYOND: Final = 1.05
#: The time model and the statistic disagree if one is this many times the other.
#: # awrlens: an assumption
_APART: Final = 2.0
SINCE_10G: Final = (10, 0)
#: The place of the DB time of the header among contradictions.
_DB_TIME: Final = ("snapshots", "db_time")
#: Counters have 64 bits, and the upper half of their differences is below 0.
_BELOW_0: Final = 2**63
#: From here on, old reports print totals as powers of ten.
_IN_POWERS: Final = 1e9
#: The header's DB time is rounded to a hundredth of a minute, half of which is this; below ten
#: minutes that is more than a twentieth of a percent, and the time model is more exact.
_HALF_STEP_S: Final = 0.31
_COARSE_S: Final = 600.0
#: The waits of a histogram, as a multiple of those in the list, that rounding and snapshots taken
#: one after the other do not explain. # awrlens: an assumption
_MORE_WAITS: Final = 2.0


def kept(make: Callable[Concatenate[Figures, P], T]) -> Callable[Concatenate[Figures, P], T]:
    """A function of the figures of a report, computed once for the same texts or tables."""

    def known(f: Figures, *args: str | Table) -> T:
        try:
            found: T = f.known[(make, *args)]
        except KeyError:
            found = f.once(make, *args)
        return found

    return cast("Callable[Concatenate[Figures, P], T]", known)


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


class Figures:
    """The figures of one report; what is computed once is kept."""

    def __init__(self, of: Report) -> None:
        self.tables, self.header = of.tables, of.identity
        #: The tables of all parts: a cluster has no rows of its instances.
        self.of_all = of.whole.tables
        self.release = release_of(self.header.release)
        self.contradictions = of.contradictions
        # many facts come from the same cells
        cells = self._cells = Cells(cache(of.line), of.excerpt)
        self.evidence, self.figure = cells.evidence, cells.figure
        self.impossible = cells.impossible
        self.why_missing = of.why_missing
        self.two_clocks: Callable[[], bool] = lambda: of.has_two_clocks
        #: Whether lists are complete; an excerpt may lack rows.
        self.complete = of.complete
        #: Results that several facts need and that are expensive: see ``once``.
        self.known: dict[tuple[Any, ...], Any] = {}

    def once(self, make: Callable[..., T], *args: str | Table) -> T:
        """``make(self, *args)``, computed on first use."""
        known, key = self.known, (make, *args)
        if key not in known:
            try:
                known[key] = make(self, *args)
            except Lacking as lacking:
                known[key] = lacking.answer
        found: T = known[key]
        return found

    @kept
    def missing(self, *sections: str) -> Missing:
        """The reason if none of these sections has data."""
        return Missing(" and ".join(self.why_missing(name) for name in sections), sections)

    def table(self, section: str) -> Table:
        """A table that a fact cannot do without."""
        table = self.tables.get(section)
        if table is None:
            raise Lacking(self.missing(section))
        return table

    @kept
    def row_figure(self, section: str, row: str, column: str, label: str) -> Number:
        """A number by section, row and column."""
        table = self.table(section)
        found = table.row(row)
        if found is None and table.never_has(row):
            why = f"{table.title} of a RAC report does not print `{row}` for an instance"
            return Missing(why, (section,), never=True)
        if found is None:
            return Missing(f"`{row}` is not in {table.title}", (section,))
        if found.key in table.disputes:
            return twice(table, found.key)
        if (section, found.key) in self.contradictions:
            return self.contradicted(section, found.key)
        return self.figure(found.cell(column), label, table)

    def contradicted(self, section: str, key: str) -> Missing:
        """Why a row cannot be used whose figures contradict each other."""
        return Missing(self.contradictions[section, key].why, (section,), lost=True)

    def proof(self, *cells: Cell | None) -> tuple[Evidence, ...]:
        """Those of some cells that the report has, as evidence."""
        return tuple(self.evidence(cell) for cell in cells if cell is not None)

    def row(self, section: str | None, key: str) -> Row | None:
        """A row of a table, if the report has both."""
        table = self.tables.get(section or "")
        return None if table is None else table.row(key)

    def only(self, section: str) -> Row | Missing:
        """The row of a table with one row; missing if other rows have different figures."""
        table = self.tables.get(section)
        if table is None or not table.rows:
            return self.missing(section)
        first, *more = table.rows
        if any(row.raw.cells != first.raw.cells for row in more):
            return Missing(f"{table.title} has several different rows", (section,), lost=True)
        return first

    def single(self, section: str, column: str, label: str) -> Number:
        """A cell of a table with one row."""
        if isinstance(row := self.only(section), Missing):
            return row
        return self.figure(row.cell(column), label, self.table(section))

    def of_instance(self, section: str, column: str, label: str, otherwise: Missing) -> Number:
        """A cell of a RAC report's table with a row for each instance, or ``otherwise``."""
        if self.tables.get("database_summary") is not None:
            return Missing("a RAC report has it of each instance, not of the cluster", (section,))
        found = self.single(section, column, label)
        return found if isinstance(found, Figure) or found.lost else otherwise

    @lazy
    def elapsed(self) -> Number:
        """Length of the interval in seconds; of an excerpt without a header, by its counters."""
        seconds, cell = self.header.elapsed_s, self.header.elapsed_cell
        if seconds is None and not self.complete:
            found = self.elapsed_by_rates
            return found if isinstance(found, Figure) else self._elapsed_by_processors()
        if seconds is None:
            return Missing(_NO_ELAPSED, ("snapshots",))
        return Figure(seconds, "s", self.proof(cell))

    @lazy
    def elapsed_by_rates(self) -> Number:
        """A total over its rate per second; two of the most exact ones must agree."""
        table = self.tables.get("instance_activity")
        found = []
        for row in table or ():
            counted, each = row.number("total") or 0.0, row.number("per_second") or 0.0
            total, rate = row.cell("total"), row.cell("per_second")
            if counted <= 0 or each <= 0 or total is None or rate is None:
                continue
            wide = half_step(rate.text, each) / each
            if wide <= _EXACT_RATE:
                found.append((wide, counted / each, total, rate))
        best = sorted(found, key=lambda each: each[0])[:2]
        if len(best) < 2 or abs(best[0][1] / best[1][1] - 1) > best[0][0] + best[1][0]:  # noqa: PLR2004 - both
            return Missing(_NO_ELAPSED, ("snapshots",))
        _, seconds, total, rate = best[0]
        text = f"({total.text.strip()} / {rate.text.strip()})"
        return Figure(seconds, "s", self.proof(total, rate), text, "estimated")

    def _elapsed_by_processors(self) -> Number:
        """The time that the host's CPUs were busy or idle, over their number."""
        names = ("busy_time", "idle_time", "NUM_CPUS")
        parts = [self.row_figure("os_statistics", name, "value", "") for name in names]
        busy, idle, cpus = (each.value or 0.0 for each in parts)
        end = self.row_figure("os_statistics", "NUM_CPUS", "end_value", "")
        if not (busy and idle and cpus) or end.value not in (None, cpus):
            return Missing(_NO_ELAPSED, ("snapshots",))
        proof = tuple(item for each in parts for item in each.evidence)
        text = f"({busy:,.0f} cs + {idle:,.0f} cs) / {cpus:,.0f} CPUs"
        return Figure((busy + idle) / cpus / _CS, "s", proof, text, "estimated")

    @lazy
    def instances(self) -> Number:
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
    def db_time(self) -> Number:
        """DB time in seconds (in reports since 10g)."""
        seconds, cell = self.header.db_time_s, self.header.db_time_cell
        if _DB_TIME in self.contradictions:
            return self.contradicted(*_DB_TIME)
        if seconds is None:
            return Missing("the report has no DB time (10g and later)", ("snapshots", "time_model"))
        if seconds < _COARSE_S:
            exact = self.row_figure("time_model", "DB time", "time_s", "s DB time")
            if isinstance(exact, Figure) and abs(exact.value - seconds) <= _HALF_STEP_S:
                return exact
        return Figure(seconds, "s DB time", self.proof(cell))

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
        found = self._without_idle(table, "pct_wait_time" if waits_only else "pct_db_time")
        cpu = self._cpu_counter() if waits_only else None
        if isinstance(cpu, Missing) and (
            cpu.lost or (self.complete and self.stat(STATISTIC, "").value is None)
        ):
            return cpu
        if isinstance(found, Figure) and isinstance(cpu, Figure):
            proof = (*found.evidence, *cpu.evidence)
            return Figure(found.value + cpu.value, found.label, proof, "", found.status)
        return found

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
                each = needed(self.figure(row.cell("total_wait_s"), "s idle", absent))
                total -= each.value
                proof += each.evidence
        if total <= 0:
            return Missing("the top events are all idle", (TOP,))
        return Figure(total, "s CPU and waits", tuple(proof), "", "estimated")

    def stat(self, name: str, label: str) -> Number:
        """Total of an instance statistic over the interval."""
        found = self.row_figure("instance_activity", name, "total", label)
        if isinstance(found, Missing) and found.blank:
            # Oracle prints a number for every statistic
            return Missing(found.why, found.sections, lost=True, blank=True)
        if isinstance(found, Figure) and found.value < 0:
            # levels that fall, such as memory, are no counters
            why = f"`{name}` is {found.digits}, and a counter never falls"
            if self.release is None or self.release < SINCE_10G:
                why += ": counters of 8i and 9i wrap at 32 bits"
            return Missing(why, ("instance_activity",), lost=True)
        if isinstance(found, Figure) and found.value >= _BELOW_0:
            why = f"`{name}` is {found.digits}: a difference below 0, and a counter never falls"
            self.impossible[why] = found.evidence[0].line
            return Missing(why, ("instance_activity",), lost=True)
        row = self.row("instance_activity", name)
        if isinstance(found, Missing) or row is None:
            return found
        if found.value >= _IN_POWERS and "E+" in row.text("total"):
            # `3.7E+11` has two digits; the rate beside it has more
            rate = self.row_figure("instance_activity", name, "per_second", f"{label}/s")
            return rate * self.elapsed if isinstance(rate, Figure) else found
        if not self._has_its_rate(row) and self._have_rates:
            rates = row.text("per_second")
            why = f"`{name}` is {found.digits}, but {rates} per second: {CONTRADICTS}"
            self.impossible[why] = found.evidence[0].line
            return Missing(why, ("instance_activity",), lost=True)
        return found

    def _has_its_rate(self, row: Row) -> bool:
        """Whether the rate of a statistic is its total over the interval, if it has both."""
        counted, each = row.cell("total"), row.cell("per_second")
        seconds = self.header.elapsed_s
        if counted is None or each is None or not seconds:
            return True
        total, rate = counted.value, each.value
        if not isinstance(total, int | float) or not isinstance(rate, int | float):
            return True
        apart, near = abs(total / seconds - rate), (BEYOND - 1) * max(total / seconds, rate)
        if apart <= near:
            return True
        wide = half_step(counted.text, total) / seconds + half_step(each.text, rate) * 2
        return apart <= wide + near

    @lazy
    def _have_rates(self) -> bool:
        """Whether the interval is that of most statistics."""
        fit = [self._has_its_rate(row) for row in self.table("instance_activity")]
        return sum(fit) * 2 > len(fit)

    def parameter(self, name: str) -> tuple[str, Evidence] | None:
        """Value of an initialization parameter at the end of the interval, if it is listed."""
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

    def setting(self, name: str, label: str = "", unit: str = "count") -> Figure | None:
        """An initialization parameter; None if it is not listed, or is not a number."""
        printed = self.parameter(name)
        number = parse_setting(printed[0], unit) if printed else None
        if not printed or number is None or (name == "cpu_count" and number > MOST_CPUS):
            return None
        return Figure(number, label, (printed[1],))

    @lazy
    def cpu(self) -> Number:
        """`DB CPU` if the report has it, otherwise the statistic; neither if it exceeds DB time."""
        printed = (
            self.row_figure("time_model", "DB CPU", "time_s", DB_CPU),
            self.row_figure("top_events", "DB CPU", "total_wait_s", DB_CPU),
        )
        model = next((each for each in printed if isinstance(each, Figure)), None)
        modern = self.complete and not self.is_compared and (self.release or (0, 0)) >= SINCE_10G
        if model is None and modern:
            return printed[0]  # the counter is 11 to 129 % of it in real reports
        counter = self._cpu_counter()
        if model is None:
            return counter
        note = self._beyond(said := f"`DB CPU` is {model.shown}", model)
        if not note and not self.two_clocks():
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

    def _cpu_counter(self) -> Number:
        """`CPU used by this session` in seconds, if it is plausible."""
        if isinstance(cpu := self.stat(STATISTIC, "cs CPU"), Missing):
            return cpu
        seconds = Figure(cpu.value / 100, "s CPU", cpu.evidence)
        said, old = f"`{STATISTIC}` is {cpu.digits} cs", (self.release or (0, 0)) < SINCE_10G
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
        found = self.event_of(row, section)
        if self.is_of_sessions(section):
            return found
        if (background := self.tables.get("background_events")) is None:
            return self._of_all(found, section, name)
        mine = background.row(name)
        if mine is None and background.unread((name,)):
            return no_event(unread_line(background, (name,)))
        if mine is None:
            whole = self.complete and not torn(self, "background_events")
            return found if whole else self._of_all(found, section, name)
        own = self.event_of(mine, "background_events")
        waits, total = minus(found.waits, own.waits), minus(found.total_s, own.total_s, ROUNDED)
        if waits is found.waits and total is found.total_s:
            return found
        if total is found.total_s and isinstance(total, Figure) and 0 < total.value < ROUNDED:
            # the part of background processes is rounded to 0
            total = total.estimated()
        # averages and shares in the list are those of sessions and background processes together
        both = Missing("the average of sessions alone is not in the report", (section,))
        return Event(waits, total, lambda: both, lambda: timeouts_left(found, own, waits, both))

    def commits_by_class(self, *names: str) -> Event | None:
        """Commits by the wait class Commit: a first page may have that list alone."""
        why = "the wait class has the time-outs of all its events"
        absent = Missing(why, ("foreground_events",))
        for section in ("wait_classes", "wait_classes_summary") if names == SESSIONS_OWN else ():
            if (row := self.row(section, "Commit")) is not None:
                found = _estimated(self.event_of(row, section), "by the wait class Commit")
                return found._replace(find_timeout_pct=lambda: absent, exact=False)
        return None

    def _unlisted(self, name: str, section: str | None) -> Missing:
        if section is None and self.row(TOP, name) is not None:
            return self.mixed(TOP, name)
        if (table := self.tables.get(section or "")) is None:
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
        return _estimated(found, OF_ALL)

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

    @property
    def is_compared(self) -> bool:
        """Whether two periods are compared: such reports have one list, of the waits of all."""
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

    @kept
    def background(self, name: str) -> Event:
        """A wait event of background processes."""
        lists = ("background_events", "wait_events_fg_bg", "wait_events")
        for section in (*lists, _TOP_OF_OTHERS, TOP):
            if (row := self.row(section, name)) is None:
                continue
            found = self.event_of(row, section)
            lost = self.complete and section in lists[1:] and self.tables.get(lists[0]) is None
            # a list of all waits is rounded otherwise; a comparison has no other
            return found if not lost or self.is_compared else _estimated(found, _IN_ALL)
        present = next(filter(None, map(self.tables.get, lists)), None)
        if present is None:
            return no_event(self.missing(lists[0]))
        torn_by = unlisted(self, str(present.name), (name,)) if self.complete else ""
        why = torn_by or f"event `{name}` is not listed in {present.title}"
        lost = bool(torn_by) or present.unread((name,))
        return no_event(Missing(why, (str(present.name),), lost=lost))

    def event_of(self, row: Row, section: str) -> Event:
        """The wait event in a row of a list."""
        known, key = self.known, (section, row.key, row.raw.at)
        if key not in known:
            known[key] = self._with_histogram(self._read_event(row, section), row, section)
        event: Event = known[key]
        return event

    def _with_histogram(self, found: Event, row: Row, section: str) -> Event:
        """An event of a list, or its histogram, which is of all processes, if that has more."""
        waits, total = found.waits, found.total_s
        listed = section in ("foreground_events", "wait_events")
        if not listed or isinstance(waits, Missing) or isinstance(total, Missing):
            return found
        # few histograms have more than the list of sessions has: that of others is not read for it
        if not may_exceed(self, row.key, waits.value * _MORE_WAITS):
            return found
        other_waits = other_s = 0.0
        if section == "foreground_events":
            table = self.tables.get("background_events")
            if table is None or torn(self, "background_events") or table.unread((row.key,)):
                return found  # the others may be theirs
            if (of_others := table.row(row.key)) is not None:
                event = self.event_of(of_others, "background_events")
                if isinstance(event.waits, Missing) or isinstance(event.total_s, Missing):
                    return found
                other_waits, other_s = event.waits.value, event.total_s.value
        known = counted_and_least(self, row.key, waits.value * _MORE_WAITS + other_waits)
        if known is None or known[1] - other_s <= total.value:
            return found
        number = Figure(known[0] - other_waits, "waits", waits.evidence, "", "estimated")
        seconds = Figure(known[1] - other_s, "s", total.evidence, "", "estimated")
        note = (f"{waits.digits} waits of {total.digits} s in the list, but more in the histogram: "
                "minimum from its buckets")  # fmt: skip
        return Event(
            number, seconds, lambda: seconds * 1000 / number, found.find_timeout_pct,
            note=note, exact=True,
        )  # fmt: skip

    def _read_event(self, row: Row, section: str) -> Event:
        table = self.tables.get(section)
        if table is not None and row.key in table.disputes:
            return no_event(twice(table, row.key))
        if (section, row.key) in self.contradictions:
            return no_event(self.contradicted(section, row.key))
        absent, cells = _no_column(section), self._cells
        waits = cells.figure(row.cell("waits"), "waits", absent)
        cell = row.cell("total_wait_s")
        total = cells.figure(cell, "s", absent)
        known = isinstance(waits, Figure) and isinstance(total, Figure)
        if known and cell is not None and wait_event.is_exact(cell.text):
            return Event(
                waits, total,
                lambda: cells.figure(row.cell("avg_wait_ms"), "ms", absent),
                lambda: timeouts(cells, row, waits), exact=True,
            )  # fmt: skip
        return self._by_other_figures(row, section, waits, total)

    def _by_other_figures(self, row: Row, section: str, waits: Number, total: Number) -> Event:
        """An event whose total is not in the report, or rounded: other figures may be better."""
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
            total = next((each for each in (waits, average) if each.lost), total)
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
            half_step(item.text, each.value) for each in (total, finer) for item in each.evidence
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
        known = background or (self.complete and not torn(self, "background_events"))
        if not known and not starts[0].startswith(SESSIONS_OWN):
            return self.mixed(section, starts[0])
        less = [each for each in background if each.value]
        whole, part = (sum(each.value for each in figures) for figures in (events, less))
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
        rows = {item.row for each in at_least for item in each.evidence}
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


def _estimated(found: Event, note: str) -> Event:
    return found._replace(
        waits=found.waits.estimated(),
        total_s=found.total_s.estimated(),
        find_average_ms=lambda: found.average_ms.estimated(""),
        note=note,
    )


@cache
def _no_column(section: str) -> Missing:
    return Missing("the list of events has no such column", (section,))
