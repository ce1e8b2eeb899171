"""Rows whose figures contradict each other or the interval: no fact rests on them.

Waits × average are the total, a rate × the interval is the number, nobody waits longer than the
interval, no memory is larger than the host's: ``ranges.txt`` has the relations. In the real reports
no row differs by more than the last digits.
"""

from __future__ import annotations

from collections import Counter
from functools import cache
from itertools import chain
from math import inf, prod
from typing import TYPE_CHECKING, Final

from awrlens.lazy import NamedTuple, lazy
from awrlens.model import Note
from awrlens.model.fact_table import CONTRADICTS
from awrlens.oracle.write_path import OF_SESSIONS
from awrlens.report.identity import of_db_time, of_sessions
from awrlens.units import LARGEST, RANGES, SHARES, half_step, plain, release_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from awrlens.model.analysis import Identity
    from awrlens.report.contents import Tables
    from awrlens.report.table import Cell, Row, Table

#: Whose waits a list has.
_OF_ALL: Final = ("foreground_events", "wait_events", "top_events")
_LISTS: Final = (
    *_OF_ALL, "background_events", "wait_events_fg_bg", "top_foreground_events",
    "top_background_events",
)  # fmt: skip
#: Lists that have each event once.
_WHOLE: Final = ("foreground_events", "wait_events", "background_events")
#: Shorter names were never cut to the width of their column.
_CUT: Final = 20
#: A multiple that last digits do not explain. # awrlens: an assumption
_APART: Final = 1.5
#: Half steps above the last digit: it may be cut off rather than rounded.
_HALVES: Final = 2.0
#: A 0 may be of hundredths of a second.
_CS_MS: Final = 10
#: Before a column: that of the row before. The size of an advisory at factor 1.
_BEFORE: Final = "previous_"
_IN_USE: Final = "size_in_use"
#: Seconds, bytes and parts of units; the last digit of a rate, a share and a factor.
_SCALE: Final = {"ms": 1e-3, "mb": 2**20, "pct": 1e-2, "hour": 1 / 3600}
_WIDE: Final = {"per_s": 1.0, "per_txn": 0.1, "hour": 1e-4, "pct": 1e-3, "factor": 0.1}
#: DB time has two decimals of a minute, and events are rounded to seconds.
_MORE_TIME: Final = 1.05
_ROUNDED_S: Final = 1.0
#: Events of processes of which an instance has few.
#: LGWR, and as much again: its I/O slaves, and clocks that differ; figure 2 of "Write Accelerator"
#: has 1.5 times the interval.
_LGWR: Final = 2
_OF_LGWR: Final = "log file parallel write"
_OF_DBWR: Final = ("db file parallel write", "db file async I/O submit")
#: Largest number of DBWR processes. # Oracle Database Reference, DB_WRITER_PROCESSES
_WRITERS: Final = 100
#: The first release with LGWR workers.
_WORKERS_SINCE: Final = 12


_OS: Final = "os_statistics"
_COUNTERS: Final = "instance_activity"
_TIMES: Final = "time_model"
#: What is held against itself at once.
_AT_ONCE: Final = (*_LISTS, _TIMES)
#: The place of the header's DB time.
DB_TIME: Final = ("snapshots", "db_time")


class Contradiction(NamedTuple):
    """A row that cannot be true: why, and its line."""

    why: str
    line: int | None

    @property
    def note(self) -> Note:
        """The warning."""
        return Note(f"{self.why}.", self.line, contradicts=True)


class Relation:
    """How two products of figures of a row, and of the report, are related (``ranges.txt``)."""

    def __init__(self, words: list[str]) -> None:
        self.sign = next(filter(("=", "<=", "=<").__contains__, words))
        at = words.index(self.sign)
        self.times, self.sides = float(words[at + 1]), (words[:at], words[at + 2 :])
        self.names = [name for side in self.sides for name in side]
        self.own = [name for name in self.names if name in _FIGURES]
        self.columns = {name.removeprefix(_BEFORE) for name in self.names} - {*self.own}
        #: The size in use, and the row before, are found in all rows.
        self.is_of_list = self.names[-1].startswith((_BEFORE, _IN_USE))
        digit = (_WIDE[word] for word in _WIDE if word in self.sides[1][0])
        self._digit = next(digit, 0.0) if self.sign != "<=" else 0.0

    def is_broken(self, one: float, other: float, own: float) -> bool:
        """Whether two products differ by more than their last digits, if these are of ``own``."""
        if self.sign == "<=":
            return 0 < other * self.times < one
        return max(one, other) > min(one, other) * self.times + self._digit * own

    def excludes(self, least: float, most: float, low: float, high: float) -> bool:
        """Whether no digits that are printed so can be true: the ends of both products."""
        below = self.sign == "=" and low > most * self.times
        return self.sign == "<=" or (0 < high < inf and (least > high * self.times or below))


@cache
def _relations() -> dict[str | None, list[Relation]]:
    """By the canonical name of the section."""
    relations: dict[str | None, list[Relation]] = {}
    for name, *words in RANGES:
        if words[0] != "<=":  # a largest figure
            relations.setdefault(name, []).append(Relation(words))
    return relations


class _Check:
    """A relation in a table, with the figures of the report."""

    def __init__(
        self, tables: Tables, table: Table, relation: Relation, own: dict[str, float]
    ) -> None:
        self._tables, self._table, self.relation, self._own = tables, table, relation, own
        if _IN_USE in own:  # by most rows of an advisory
            figures = zip(*(self._column(side[0]) for side in relation.sides), strict=True)
            sizes = sorted(size / part for size, part in figures if size and part)
            own[_IN_USE] = sizes[len(sizes) // 2] if len(sizes) > 2 else 0.0  # noqa: PLR2004
        self._product = prod(own.values())
        self.is_possible = 0 < self._product < inf
        self._sides = [
            (prod(own.get(name, 1.0) for name in side), [name for name in side if name not in own])
            for side in relation.sides
        ]

    def of(self, row: Row) -> Contradiction | None:
        """Why a row contradicts it."""
        if self.relation.is_of_list:
            return self.broken.get((self._table.title, row.key))
        one, other = (
            factor * prod((row.number(name) or 0) * _scale(name) for name in names)
            for factor, names in self._sides
        )
        if not self.relation.is_broken(one, other, self._product):
            return None
        return self._why(row)

    @lazy
    def broken(self) -> dict[tuple[str, str], Contradiction]:
        """Why each of the rows contradicts it that does, by its title and key."""
        count = len(self._table)
        one, other = (
            map(prod, zip((factor,) * count, *map(self._column, names), strict=True))
            for factor, names in self._sides
        )
        broken = {}
        for number, both in enumerate(zip(one, other, strict=True)):
            if self.relation.is_broken(*both, self._product):
                row = self._table.rows[number]
                if (why := self._why(row)) is not None:
                    broken[self._table.title, row.key] = why
        return broken

    def _column(self, name: str) -> Sequence[float]:
        """A figure of all rows, or that of the row before, in s and bytes."""
        column = name.removeprefix(_BEFORE)
        values, scale = self._table.numbers(column), _scale(column)
        values = values if name == column else (0, *values)[:-1]
        return values if scale == 1 else [value * scale for value in values]

    def _why(self, row: Row) -> Contradiction | None:
        """Why a row contradicts it, whatever digits follow those that are printed."""
        ends = (self._ends(row, side) for side in self.relation.sides)
        if not self.relation.excludes(*chain.from_iterable(ends)):
            return None
        shown = (
            " × ".join(self._shown(row, name) for name in side) for side in self.relation.sides
        )
        times = f", more than {self.relation.times:g} × "
        both = (times if self.relation.sign == "<=" else ", but ").join(shown)
        said = f"{self._table.title} has {both} for `{row.key.strip()}`"
        cell = next(filter(None, map(row.cell, self.relation.names)), None)
        line = self._tables.line_of(cell) if cell else None
        return Contradiction(f"{said}: {CONTRADICTS}", line)

    def _ends(self, row: Row, side: list[str]) -> tuple[float, float]:
        """The lowest and the highest product of figures that are printed so."""
        least = most = 1.0
        for name in side:
            low, high = (self._own[name],) * 2 if name in self._own else _range(row.cell(name))
            least, most = least * low * _scale(name), most * high * _scale(name)
        return least, most

    def _shown(self, row: Row, name: str) -> str:
        if (cell := row.cell(name)) is not None:
            return f"{cell.text.strip()} ({cell.column})"
        own = f"{self._own[name]:,.0f}" if name in self._own else "that"
        return f"{own} ({name.replace('_', ' ')})"


class Contradictions:
    """The rows of a report that contradict themselves, the interval or the memory.

    Lists of events are held against themselves at once, another row when a fact rests on it.
    """

    def __init__(self, tables: Tables, who: Identity, instances: int) -> None:
        self._tables, self._who = tables, who
        self._figures: dict[str, float] = {}
        self._by_table: dict[str | None, list[_Check]] = {}
        self._rows: dict[tuple[str, str], Contradiction | None] = {}
        #: Of lists of events, by the title of the section and the key of the row.
        self.listed = self._listed(instances)

    def of(self, title: str, key: str) -> Contradiction | None:
        """Why no fact may rest on a row; None if nothing contradicts it."""
        try:
            return self._rows[title, key]
        except KeyError:
            why = self.listed.get((title, key)) or next(self._of(title, key), None)
            self._rows[title, key] = why
            return why

    def within(self, table: Table) -> Contradiction | None:
        """Why a list has no sums: one of its rows is contradicted."""
        listed = (why for (title, _), why in self.listed.items() if title == table.title)
        return next(chain(listed, *(check.broken.values() for check in self._checks(table))), None)

    def _of(self, title: str, key: str) -> Iterator[Contradiction]:
        for table in self._tables.by_title.get(title, ()):
            if table.name in _AT_ONCE or not (checks := self._checks(table)):
                continue
            row = table.row(key) if key and key not in table.disputes else None
            for check in checks:
                if row is None:
                    yield from check.broken.values()
                elif (why := check.of(row)) is not None:
                    yield why

    def _listed(self, instances: int) -> dict[tuple[str, str], Contradiction]:
        why, cell = of_db_time(self._tables, self._who.elapsed_s)
        listed = {DB_TIME: Contradiction(why, self._tables.line_of(cell))} if cell else {}
        for table in filter(None, map(self._tables.get, _AT_ONCE)):
            for check in self._checks(table):
                broken = check.broken
                if table.name == _TIMES and len(broken) * 2 > sum(
                    map(bool, table.numbers("pct_db_time"))
                ):
                    # the whole is wrong, not its parts
                    broken = {(table.title, "DB time"): next(iter(broken.values()))}
                listed |= broken
            for row, why in _longer(self._tables, table, self._who, instances):
                cell = row.cell("total_wait_s")
                line = self._tables.line_of(cell) if cell else None
                listed[table.title, row.key] = Contradiction(why, line)
            if table.name in _WHOLE and self._who.elapsed_s:  # figure 5 is a page of lists
                listed |= _doubled(table)
        return listed | _of_cpus(self._tables, self._who)

    def _checks(self, table: Table) -> list[_Check]:
        """What the rows of a table are held against."""
        if table.name not in self._by_table:
            checks = [
                _Check(
                    self._tables,
                    table,
                    relation,
                    {name: self._figure(name) for name in relation.own},
                )
                for relation in _relations().get(table.name, ())
                if relation.columns <= table.units.keys()
            ]
            self._by_table[table.name] = [check for check in checks if check.is_possible]
        return self._by_table[table.name]

    def _figure(self, name: str) -> float:
        """A figure of the report."""
        if name not in self._figures:
            self._figures[name] = _FIGURES[name](self._tables, self._who)
        return self._figures[name]


def _number(tables: Tables, section: str, row: str, column: str) -> float:
    cell = tables.cell(section, row, column)
    return cell.value if cell is not None and isinstance(cell.value, int | float) else 0.0


def _sga(tables: Tables, _: Identity) -> float:
    table = tables.get("sga_summary")
    parts = table.numbers("size_b") if table is not None else ()
    return _number(tables, "sga_summary", "sum", "size_b") or sum(parts)


def _host_memory(tables: Tables, _: Identity) -> float:
    memory = (
        _number(tables, "memory_statistics", "host_memory_mb", "end_value") * 2**20,
        _number(tables, _OS, "physical_memory_bytes", "value"),
        _number(tables, _OS, "physical_memory_bytes", "end_value"),
        LARGEST["physical_memory_bytes"],
    )
    return min(filter(None, memory))


def _transactions(tables: Tables) -> float:
    """Commits and rollbacks; a report without one of them does not show their number."""
    ends = [tables.row(_COUNTERS, f"user {name}") for name in ("commits", "rollbacks")]
    counts = [row.number("total") if row is not None else None for row in ends]
    return 0.0 if None in counts else sum(filter(None, counts))


#: The figures of the report in relations; 0 if one is not known.
_FIGURES: Final[dict[str, Callable[[Tables, Identity], float]]] = {
    "interval": lambda _, who: who.elapsed_s or 0.0,
    "db_time": lambda _, who: who.db_time_s or 0.0,
    "all_db_time": lambda tables, _: _number(tables, _TIMES, "DB time", "time_s"),
    "transactions": lambda tables, _: _transactions(tables),
    "session_time": lambda tables, who: most_waited(tables, who)[0],
    "physical_writes": lambda tables, _: _number(tables, _COUNTERS, "physical writes", "total"),
    "sga_memory": _sga,
    "host_memory": _host_memory,
    _IN_USE: lambda *_: 1.0,
    "seconds": lambda *_: 1.0,
}


@cache
def _scale(name: str) -> float:
    return next((_SCALE[word] for word in name.split("_") if word in _SCALE), 1.0)


def _of_cpus(tables: Tables, who: Identity) -> dict[tuple[str, str], Contradiction]:
    """Times of the host's CPUs that are longer than all of them have."""
    table = tables.get(_OS)
    most_s = (who.cpus or 0) * (who.elapsed_s or 0.0)
    if table is None or not most_s:
        return {}
    has = f"but {who.cpus:,.0f} CPUs have {most_s:,.0f} s: {CONTRADICTS}"
    return {
        (table.title, row.key): Contradiction(f"{row.key} is {spent_s:,.0f} s, {has}", table.line)
        for row in map(table.row, ("BUSY_TIME", "IDLE_TIME"))
        if row and (spent_s := (row.number("value") or 0.0) / 100) > most_s * _APART
    }  # fmt: skip


def _doubled(table: Table) -> dict[tuple[str, str], Contradiction]:
    """All rows of a list that has events twice, and the list itself: it has swallowed another."""
    keys = table.texts("event")
    short = (key.strip() for key, count in Counter(keys).items() if count > 1)
    again = [f"`{key}`" for key in short if len(key) < _CUT]
    if len(again) <= 1:
        return {}
    why = f"{table.title} has {' and '.join(again[:2])} twice: it contains another list"
    rows = ((table.title, key) for key in ("", *keys))
    return dict.fromkeys(rows, Contradiction(why, table.line))


def _longer(
    tables: Tables, table: Table, who: Identity, instances: int
) -> Iterator[tuple[Row, str]]:
    """Events with more time than their processes have."""
    for start, most_s, what in _most(tables, table, who, instances):
        for row in table.begins(start):
            total_s, share = row.number("total_wait_s"), row.number("pct_db_time")
            if share and share > SHARES[1] and start is OF_SESSIONS:
                yield row, f"{table.title} has {plain(share)} % of DB time for `{row.key.strip()}`"
            if total_s and total_s > most_s:
                said = f"{total_s:,.0f} s of `{row.key.strip()}`"
                yield row, f"{table.title} has {said}, more than {what}: {CONTRADICTS}"


def _range(cell: Cell | None) -> tuple[float, float]:
    """The lowest and the highest number that is printed so; up to infinity if none is."""
    if cell is None or not isinstance(cell.value, int | float):
        return 0.0, inf
    half = half_step(cell.text, cell.value)
    half *= _CS_MS if cell.unit == "ms" and not cell.value else 1
    return max(0.0, cell.value - half), cell.value + half * _HALVES


def _most(
    tables: Tables, table: Table, who: Identity, instances: int
) -> Iterator[tuple[tuple[str, ...], float, str]]:
    """Events with the longest time that their processes can wait for them, and what it is."""
    if table.name in _OF_ALL:
        yield (OF_SESSIONS, *most_waited(tables, who))
    if who.elapsed_s:
        most_s = who.elapsed_s * instances * _MORE_TIME + _ROUNDED_S
        release = release_of(who.release) or (_WORKERS_SINCE, 0)
        workers = (who.cpus or _WRITERS) if release[0] >= _WORKERS_SINCE else 0
        for starts, processes, what in (
            ((_OF_LGWR,), _LGWR + workers, "LGWR can wait"),
            (_OF_DBWR, _writers(tables), "all DBWR processes can wait"),
        ):
            yield starts, most_s * processes, f"{what} in {who.elapsed_s:,.0f} s"


def _writers(tables: Tables) -> float:
    """The number of DBWR processes as set, and half as many more; else the largest number."""
    row = tables.row("parameters", "db_writer_processes")
    text = row.text("begin_value") if row is not None else ""
    return int(text) * _APART if text.isdecimal() and 0 < int(text) < _WRITERS else _WRITERS


def most_waited(tables: Tables, who: Identity) -> tuple[float, str]:
    """The most that sessions can wait, and what it is; in real reports no event has more."""
    if who.db_time_s:
        return who.db_time_s * _MORE_TIME + _ROUNDED_S, f"DB time ({who.db_time_s:,.0f} s)"
    return of_sessions(tables, who.elapsed_s)
