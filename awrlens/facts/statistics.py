"""The statistics, parameters and header of one report."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Any, Final, TypeVar

from awrlens.facts.cells import Cells, twice
from awrlens.facts.cpu import statistic as cpu_statistic
from awrlens.facts.formula import Figure, Missing
from awrlens.facts.idle import idle
from awrlens.lazy import lazy
from awrlens.model import Evidence, Excerpt
from awrlens.units import half_step

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from awrlens.facts.cells import Header, Tables
    from awrlens.report.table import Cell, Row, Table

T = TypeVar("T")
#: A rate is exact enough for the length of the interval if half its last digit is at most this
#: share of it. # awrlens: a second in three minutes
_EXACT_RATE: Final = 0.005
_NO_ELAPSED: Final = "the header has no elapsed time"
#: OS statistics are in centiseconds.
_CS: Final = 100


class Statistics(Cells):
    """The statistics, parameters and header of one report; computed figures are kept."""

    def __init__(
        self,
        tables: Tables,
        header: Header,
        line: Callable[[int], int],
        why_missing: Callable[[str], str],
        *,
        complete: bool = True,
        excerpt: Callable[[Cell], Excerpt],
    ) -> None:
        self.tables = tables
        self.header = header
        # many facts come from the same cells
        super().__init__(cache(line), excerpt)
        self._cells = Cells(self._line, excerpt)
        self.why_missing = why_missing
        #: Whether lists are complete; an excerpt may lack rows.
        self.complete = complete
        #: Results that several facts need and that are expensive: see ``once``.
        self._known: dict[tuple[Any, ...], Any] = {}

    @property
    def release(self) -> tuple[int, int] | None:
        """``19.26.0.0.0`` as (19, 26)."""
        match = re.match(r"(\d+)\.(\d+)", self.header.release or "")
        return (int(match[1]), int(match[2])) if match else None

    def once(self, make: Callable[..., T], *args: str) -> T:
        """``make(self, *args)``, computed on first use."""
        known, key = self._known, (make, *args)
        if key in known:
            found: T = known[key]
        else:
            found = known[key] = make(self, *args)
        return found

    def missing(self, *sections: str) -> Missing:
        """The reason if none of these sections has data."""
        return self.once(Statistics._missing, *sections)

    def _missing(self, *sections: str) -> Missing:
        return Missing(" and ".join(self.why_missing(name) for name in sections), sections)

    def row_figure(self, section: str, row: str, column: str, label: str) -> Figure | Missing:
        """A number by section, row and column."""
        known, key = self._known, (section, row, column, label)
        if key in known:
            found: Figure | Missing = known[key]
        else:
            found = known[key] = self._row_figure(section, row, column, label)
        return found

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
        cell = found.cell(column)
        if cell is None:
            return Missing(f"{table.title} has no such column", (section,))
        return self.printed(cell, label, (section,))

    def only(self, section: str) -> Row | Missing:
        """The row of a table with one row; missing if other rows have different figures."""
        table = self.tables.get(section)
        if table is None or not table.rows:
            return self.missing(section)
        first, *more = table.rows
        if any(row.raw.cells != first.raw.cells for row in more):
            return Missing(f"{table.title} has several different rows", (section,), lost=True)
        return first

    def of_instance(
        self, section: str, column: str, label: str, otherwise: Missing
    ) -> Figure | Missing:
        """A cell of a RAC report's table with a row for each instance, or ``otherwise``."""
        if self.tables.get("database_summary") is not None:
            return Missing("a RAC report has it of each instance, not of the cluster", (section,))
        row = self.only(section)
        if isinstance(row, Missing):
            return row if row.lost else otherwise
        return self.figure(row.cell(column), label, otherwise)

    @lazy
    def elapsed(self) -> Figure | Missing:
        """Length of the interval in seconds; of an excerpt without a header, by its counters."""
        seconds, cell = self.header.elapsed_s, self.header.elapsed_cell
        if seconds is None and not self.complete:
            found = self.elapsed_by_rates
            return found if isinstance(found, Figure) else self._elapsed_by_processors()
        if seconds is None:
            return Missing(_NO_ELAPSED, ("snapshots",))
        return Figure(seconds, "s", (self.evidence(cell),) if cell else ())

    @lazy
    def elapsed_by_rates(self) -> Figure | Missing:
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
        proof = (self.evidence(total), self.evidence(rate))
        return Figure(seconds, "s", proof, text, "estimated")

    def _elapsed_by_processors(self) -> Figure | Missing:
        """The time that the host's CPUs were busy or idle, over their number."""
        parts = [
            self.row_figure("os_statistics", name, "value", "")
            for name in ("busy_time", "idle_time", "NUM_CPUS")
        ]
        busy, idle, cpus = (each.value if isinstance(each, Figure) else 0.0 for each in parts)
        end = self.row_figure("os_statistics", "NUM_CPUS", "end_value", "")
        if not (busy and idle and cpus) or (isinstance(end, Figure) and end.value != cpus):
            return Missing(_NO_ELAPSED, ("snapshots",))
        proof = tuple(item for each in parts if isinstance(each, Figure) for item in each.evidence)
        text = f"({busy:,.0f} cs + {idle:,.0f} cs) / {cpus:,.0f} CPUs"
        return Figure((busy + idle) / cpus / _CS, "s", proof, text, "estimated")

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
        found = self._without_idle(table, "pct_wait_time" if waits_only else "pct_db_time")
        cpu = cpu_statistic(self) if waits_only else None
        if isinstance(found, Figure) and isinstance(cpu, Missing) and cpu.lost:
            return cpu
        if isinstance(found, Figure) and isinstance(cpu, Figure):
            total, proof = found.value + cpu.value, (*found.evidence, *cpu.evidence)
            return found._replace(value=total, evidence=proof)
        return found

    def _without_idle(self, table: Table, column: str) -> Figure | Missing:
        """The time whose percentages a list of top events has, without that of idle events.

        Statspack of 12.1 does not know all idle events of the release.
        """
        row = max(table.rows, key=lambda r: r.number(column) or 0.0)
        if table.is_disputed(row.key):
            return twice(table, row)
        time, share = row.cell("total_wait_s"), row.cell(column)
        seconds, percent = row.number("total_wait_s"), row.number(column)
        if time is None or share is None or not seconds or not percent:
            return Missing("top events have no time and share", ("top_events",))
        total, proof = seconds * 100 / percent, [self.evidence(time), self.evidence(share)]
        for each in self._idle_of(table):
            if isinstance(each, Missing):
                return each
            total -= each.value
            proof += each.evidence
        if total <= 0:
            return Missing("the top events are all idle", ("top_events",))
        return Figure(total, "s CPU and waits", tuple(proof), "", "estimated")

    def _idle_of(self, table: Table) -> Iterator[Figure | Missing]:
        """The times of idle events among the top events."""
        for row in table.rows:
            name = row.key.strip()
            if idle(name) and not row.text("wait_class"):
                why = f"the time of `{name}`, an idle event, is not in the report"
                absent = Missing(why, ("top_events",), lost=True)
                yield self.figure(row.cell("total_wait_s"), "s idle", absent)

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
