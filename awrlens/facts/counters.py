"""The cells, statistics and parameters of one report, and its interval.

It knows tables by canonical names, never report formats.
"""

from __future__ import annotations

from functools import cache
from math import inf
from typing import TYPE_CHECKING, Any, Final, cast

from awrlens.facts.formula import Cells, Figure, Missing, Number, twice
from awrlens.lazy import lazy
from awrlens.model import Evidence
from awrlens.model.fact_table import CONTRADICTS, Lacking
from awrlens.units import LARGEST, half_step, parse_setting, release_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Concatenate, ParamSpec, TypeVar

    from awrlens.report.report import Report
    from awrlens.report.table import Cell, Row, Table

    T = TypeVar("T")
    P = ParamSpec("P")
    F = TypeVar("F", bound="Counters")  # whose text would be compiled at run time

#: A rate is exact enough for the length of the interval if half its last digit is at most this
#: share of it. # awrlens: a second in three minutes
_EXACT_RATE: Final = 0.005
_NO_ELAPSED: Final = "the header has no elapsed time"
#: OS statistics are in centiseconds.
_CS: Final = 100
#: A call that began before the interval adds all its CPU, and times are rounded.
#: # awrlens: an assumption
BEYOND: Final = 1.05
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


def kept(make: Callable[Concatenate[F, P], T]) -> Callable[Concatenate[F, P], T]:
    """A function of the figures of a report, computed once for the same texts or tables."""

    def once(f: F, *args: str | Table) -> T:
        try:
            result: T = f.results[(make, *args)]
        except KeyError:
            result = f.once(make, *args)
        return result

    return cast("Callable[Concatenate[F, P], T]", once)


class Counters:
    """The figures of one report but those of CPU and waits; what is computed once is kept."""

    def __init__(self, of: Report) -> None:
        self.tables, self.header = of.tables, of.identity
        wide = of.view is not None and of.view.label == "*"
        self._listed = len(of.whole.listed_instances) if wide else 1
        #: The tables of all parts: a cluster has no rows of its instances.
        self.of_all = of.whole.tables
        self.release = release_of(self.header.release)
        self.contradictions = of.contradictions
        # many facts come from the same cells
        cells = self._cells = Cells(cache(of.line), of.excerpt, self.contradictions.of)
        self.evidence, self.figure = cells.evidence, cells.figure
        self.impossible = cells.impossible
        self.why_missing = of.why_missing
        self.two_clocks: Callable[[], bool] = lambda: of.has_two_clocks
        #: Whether lists are complete; an excerpt may lack rows.
        self.complete = of.complete
        #: Results that several facts need and that are expensive: see ``once``.
        self.results: dict[tuple[Any, ...], Any] = {}

    def once(self, make: Callable[..., T], *args: str | Table) -> T:
        """``make(self, *args)``, computed on first use."""
        results, key = self.results, (make, *args)
        if key not in results:
            try:
                results[key] = make(self, *args)
            except Lacking as lacking:
                results[key] = lacking.answer
        result: T = results[key]
        return result

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
        printed = table.row(row)
        if printed is None and table.never_has(row):
            why = f"{table.title} of a RAC report does not print `{row}` for an instance"
            return Missing(why, (section,), never=True)
        if printed is None:
            return Missing(f"`{row}` is not in {table.title}", (section,))
        if printed.key in table.disputes:
            return twice(table, printed.key)
        return self.figure(printed.cell(column), label, table)

    @kept
    def doubt(self, table: Table) -> Missing | None:
        """Why a list has no sums: the figures of a row contradict each other."""
        why = self.contradictions.within(table)
        return None if why is None else self._cells.broken(why)

    def contradicted(self, proof: tuple[Evidence, ...]) -> str:
        """Why no fact may rest on some cells; empty if nothing contradicts their rows."""
        of = self.contradictions.of
        for title, row, *_ in proof:
            if (why := of(title, row)) is not None:
                return self._cells.broken(why).why
        return ""

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
        number = self.single(section, column, label)
        return number if isinstance(number, Figure) or number.lost else otherwise

    @lazy
    def elapsed(self) -> Number:
        """Length of the interval in seconds; of an excerpt without a header, by its counters."""
        seconds, cell = self.header.elapsed_s, self.header.elapsed_cell
        if seconds is None and not self.complete:
            by_rates = self.elapsed_by_rates
            return by_rates if isinstance(by_rates, Figure) else self._elapsed_by_processors()
        if seconds is None:
            return Missing(_NO_ELAPSED, ("snapshots",))
        return Figure(seconds, "s", self.proof(cell))

    @lazy
    def elapsed_by_rates(self) -> Number:
        """A total over its rate per second; two of the most exact ones must agree."""
        table = self.tables.get("instance_activity")
        estimates = []
        for row in table or ():
            counted, per_s = row.number("total") or 0.0, row.number("per_second") or 0.0
            total, rate = row.cell("total"), row.cell("per_second")
            if counted <= 0 or per_s <= 0 or total is None or rate is None:
                continue
            wide = half_step(rate.text, per_s) / per_s
            if wide <= _EXACT_RATE:
                estimates.append((wide, counted / per_s, total, rate))
        best = sorted(estimates, key=lambda estimate: estimate[0])[:2]
        if len(best) < 2 or abs(best[0][1] / best[1][1] - 1) > best[0][0] + best[1][0]:  # noqa: PLR2004 - both
            return Missing(_NO_ELAPSED, ("snapshots",))
        _, seconds, total, rate = best[0]
        text = f"({total.text.strip()} / {rate.text.strip()})"
        return Figure(seconds, "s", self.proof(total, rate), text, "estimated")

    def _elapsed_by_processors(self) -> Number:
        """The time that the host's CPUs were busy or idle, over their number."""
        names = ("busy_time", "idle_time", "NUM_CPUS")
        parts = [self.row_figure("os_statistics", name, "value", "") for name in names]
        busy, idle, cpus = (part.value or 0.0 for part in parts)
        end = self.row_figure("os_statistics", "NUM_CPUS", "end_value", "")
        if not (busy and idle and cpus) or end.value not in (None, cpus):
            return Missing(_NO_ELAPSED, ("snapshots",))
        proof = tuple(item for part in parts for item in part.evidence)
        text = f"({busy:,.0f} cs + {idle:,.0f} cs) / {cpus:,.0f} CPUs"
        return Figure((busy + idle) / cpus / _CS, "s", proof, text, "estimated")

    @lazy
    def instances(self) -> Number:
        """Number of instances in the figures: those of a cluster report, otherwise 1."""
        summary = self.tables.get("database_summary")
        cell = summary.rows[0].cell("instances") if summary is not None and summary.rows else None
        if cell is None and not self._listed:  # the first tables of a cluster are cut off
            return Missing(self.why_missing("database_instances"), ("database_instances",))
        if cell is None:
            return Figure(self._listed, "instances" if self._listed > 1 else "instance")
        return self.figure(cell, "instances", Missing("", ("database_summary",)))

    @property
    def is_of_one(self) -> bool:
        """Whether the figures are those of one instance."""
        return isinstance(self.instances, Figure) and self.instances.value == 1

    @lazy
    def db_time(self) -> Number:
        """DB time in seconds (in reports since 10g)."""
        seconds, cell = self.header.db_time_s, self.header.db_time_cell
        # that of the header, or of the time model where the header has none
        why = self.contradictions.of(*_DB_TIME)
        if why is None and cell is not None:
            why = self.contradictions.of(cell.section, cell.row)
        if why is not None:
            return self._cells.broken(why)
        if seconds is None:
            return Missing("the report has no DB time (10g and later)", ("snapshots", "time_model"))
        if seconds < _COARSE_S:
            exact = self.row_figure("time_model", "DB time", "time_s", "s DB time")
            if isinstance(exact, Figure) and abs(exact.value - seconds) <= _HALF_STEP_S:
                return exact
        return Figure(seconds, "s DB time", self.proof(cell))

    def stat(self, name: str, label: str) -> Number:
        """Total of an instance statistic over the interval."""
        total = self.row_figure("instance_activity", name, "total", label)
        if isinstance(total, Missing) and total.blank:
            # Oracle prints a number for every statistic
            return Missing(total.why, total.sections, lost=True, blank=True)
        if isinstance(total, Figure) and not 0 <= total.value < _BELOW_0:
            why = f"`{name}` is {total.digits}: a difference below 0, and a counter never falls"
            if total.value > 0:  # levels that fall, such as memory, are no counters
                self.impossible[why] = total.evidence[0].line
            elif self.release is None or self.release < SINCE_10G:
                why += ": counters of 8i and 9i wrap at 32 bits"
            return Missing(why, ("instance_activity",), lost=True)
        row = self.row("instance_activity", name)
        if isinstance(total, Missing) or row is None:
            return total
        if total.value >= _IN_POWERS and "E+" in row.text("total"):
            # `3.7E+11` has two digits; the rate beside it has more
            rate = self.row_figure("instance_activity", name, "per_second", f"{label}/s")
            return rate * self.elapsed if isinstance(rate, Figure) else total
        if not self._has_its_rate(row) and self._have_rates:
            rates = row.text("per_second")
            why = f"`{name}` is {total.digits}, but {rates} per second: {CONTRADICTS}"
            self.impossible[why] = total.evidence[0].line
            return Missing(why, ("instance_activity",), lost=True)
        return total

    def _has_its_rate(self, row: Row) -> bool:
        """Whether the rate of a statistic is its total over the interval, if it has both."""
        counted, per_s = row.cell("total"), row.cell("per_second")
        seconds = self.header.elapsed_s
        if counted is None or per_s is None or not seconds:
            return True
        total, rate = counted.value, per_s.value
        if not isinstance(total, int | float) or not isinstance(rate, int | float):
            return True
        apart, near = abs(total / seconds - rate), (BEYOND - 1) * max(total / seconds, rate)
        if apart <= near:
            return True
        wide = half_step(counted.text, total) / seconds + half_step(per_s.text, rate) * 2
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
        if not printed or number is None or number > LARGEST.get(name, inf):
            return None
        return Figure(number, label, (printed[1],))

    @property
    def is_compared(self) -> bool:
        """Whether two periods are compared: such reports have one list, of the waits of all."""
        return self.complete and self.tables.get("compared_snapshots") is not None

    @lazy
    def session_list(self) -> str | None:
        """The list that has the waits of sessions, alone or with others."""
        lists = ("foreground_events", "wait_events", "wait_events_fg_bg")
        return next((name for name in lists if self.tables.get(name) is not None), None)
