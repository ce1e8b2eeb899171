"""Rows whose figures contradict each other or the interval: no fact rests on them.

Waits × average are the total, a rate × the interval is the number, nobody waits longer than the
interval, no memory is larger than the host's: ``ranges.txt`` has the relations. In the real reports
no row differs by more than the last digits.
"""

from __future__ import annotations

from collections import Counter
from math import inf, prod
from typing import TYPE_CHECKING, Final

from awrlens.lazy import NamedTuple
from awrlens.model import Note
from awrlens.model.fact_table import CONTRADICTS
from awrlens.oracle.write_path import OF_SESSIONS
from awrlens.report.identity import of_db_time, of_sessions
from awrlens.units import LARGEST, RANGES, SHARES, half_step, plain, release_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

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


#: By the title of the section and the key of the row.
Contradictions = dict[tuple[str, str], Contradiction]


def contradictions(tables: Tables, who: Identity, instances: int) -> Contradictions:
    """The rows of a report that contradict themselves, or the interval."""
    why, cell = of_db_time(tables, who.elapsed_s)
    found = {} if cell is None else {DB_TIME: Contradiction(why, tables.line_of(cell))}
    wholes = _wholes(tables, who)
    broken = [
        (table, row, why) for name, *words in RANGES if (table := tables.get(name)) is not None
        for row, why in _broken(table, words, wholes)
    ]  # fmt: skip
    lists = [table for name in _LISTS if (table := tables.get(name)) is not None]
    longer = [(each, *why) for each in lists for why in _longer(tables, each, who, instances)]
    for table, row, why in (*broken, *longer):
        line = next(tables.line_of(cell) for name in table.units if (cell := row.cell(name)))
        found[table.title, row.key] = Contradiction(why, line)
    for table in lists:
        if table.name in _WHOLE and who.elapsed_s:  # figure 5 is a page of lists
            found |= _doubled(table)
    return found | _of_cpus(tables, who)


def _wholes(tables: Tables, who: Identity) -> dict[str, float]:
    """The figures of the report in relations; 0 if one is not known."""

    def number(section: str, row: str, column: str) -> float:
        cell = tables.cell(section, row, column)
        return cell.value if cell is not None and isinstance(cell.value, int | float) else 0.0

    sga = tables.get("sga_summary")
    parts = sga.numbers("size_b") if sga is not None else ()
    memory = (
        number("memory_statistics", "host_memory_mb", "end_value") * 2**20,
        number(_OS, "physical_memory_bytes", "value"),
        number(_OS, "physical_memory_bytes", "end_value"),
        LARGEST["physical_memory_bytes"],
    )
    ended = (number(_COUNTERS, f"user {ends}", "total") for ends in ("commits", "rollbacks"))
    return {
        "interval": who.elapsed_s or 0.0,
        "db_time": who.db_time_s or 0.0,
        "all_db_time": number("time_model", "DB time", "time_s"),
        "transactions": sum(ended),
        "session_time": most_waited(tables, who)[0],
        "physical_writes": number(_COUNTERS, "physical writes", "total"),
        "sga_memory": number("sga_summary", "sum", "size_b") or sum(parts),
        "host_memory": min(filter(None, memory)),
        "size_in_use": 0.0,
        "seconds": 1.0,
    }


def _broken(table: Table, words: list[str], wholes: dict[str, float]) -> Iterator[tuple[Row, str]]:
    """Rows that contradict a relation, and why."""
    at = next(number for number, word in enumerate(words) if word in ("=", "<=", "=<"))
    sides, equal, times = (words[:at], words[at + 2 :]), words[at] != "<=", float(words[at + 1])
    names = [name for side in sides for name in side]
    if not {name.removeprefix(_BEFORE) for name in names} <= table.units.keys() | wholes.keys():
        return
    if _IN_USE in names:  # by most rows of an advisory
        figures = zip(_figures(table, names[0], wholes), table.numbers(names[1]), strict=True)
        sizes = sorted(size / part for size, part in figures if size and part)
        wholes = wholes | {_IN_USE: sizes[len(sizes) // 2] if len(sizes) > 2 else 0.0}  # noqa: PLR2004
    own = [wholes[name] for name in names if name in wholes]
    if not all(own) or inf in own:
        return
    digit = next((_WIDE[word] for word in _WIDE if equal and word in sides[1][0]), 0.0)
    products = (
        map(prod, zip(*(_figures(table, name, wholes) for name in side), strict=True))
        for side in sides
    )
    for number, (one, other) in enumerate(zip(*products, strict=True)):
        apart = max(one, other) > min(one, other) * times + digit * prod(own)
        if not (apart if equal else 0 < other * times < one):
            continue
        row = table.rows[number]
        (least, most), (low, high) = (_ends(row, side, wholes) for side in sides)
        above, below = least > high * times, words[at] == "=" and low > most * times
        if equal and not (0 < high < inf and (above or below)):
            continue
        shown = (" × ".join(_shown(row, name, wholes) for name in side) for side in sides)
        but = ", but " if equal else f", more than {times:g} × "
        said = f"{table.title} has {but.join(shown)} for `{row.key.strip()}`"
        yield row, f"{said}: {CONTRADICTS}"


def _figures(table: Table, name: str, wholes: dict[str, float]) -> Sequence[float]:
    """A figure of each row, in s and bytes: a column, that of the row before, or of the report."""
    if name in wholes:
        return (wholes[name],) * len(table)
    column = name.removeprefix(_BEFORE)
    scale, values = _scale(column), table.numbers(column)
    values = values if name == column else (0.0, *values)[:-1]
    return values if scale == 1 else [value * scale for value in values]


def _scale(name: str) -> float:
    return next((_SCALE[word] for word in name.split("_") if word in _SCALE), 1.0)


def _ends(row: Row, side: list[str], wholes: dict[str, float]) -> tuple[float, float]:
    """The lowest and the highest product of figures that are printed so."""
    least = most = 1.0
    for name in side:
        low, high = (wholes[name],) * 2 if name in wholes else _range(row.cell(name))
        least, most = least * low * _scale(name), most * high * _scale(name)
    return least, most


def _shown(row: Row, name: str, wholes: dict[str, float]) -> str:
    if (cell := row.cell(name)) is not None:
        return f"{cell.text.strip()} ({cell.column})"
    return f"{f'{wholes[name]:,.0f}' if name in wholes else 'that'} ({name.replace('_', ' ')})"


def _of_cpus(tables: Tables, who: Identity) -> Contradictions:
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


def _doubled(table: Table) -> Contradictions:
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
