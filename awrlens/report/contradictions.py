"""Rows whose figures contradict each other or the interval: no fact rests on them.

Waits × average are the total, nobody waits longer than the interval. In the real reports no row
differs by more than the last digits.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

from awrlens.lazy import NamedTuple
from awrlens.model import Note
from awrlens.model.fact_table import CONTRADICTS
from awrlens.oracle.write_path import OF_SESSIONS
from awrlens.report.identity import of_db_time, of_sessions
from awrlens.units import SHARES, half_step, plain, release_of

if TYPE_CHECKING:
    from collections.abc import Iterator

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
#: A product and its result, as a multiple of each other, that last digits do not explain.
#: # awrlens: an assumption
_APART: Final = 1.5
#: Half steps above the last digit: it may be cut off rather than rounded.
_HALVES: Final = 2.0
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


#: By the canonical name of the section and the key of the row.
Contradictions = dict[tuple[str, str], Contradiction]


def contradictions(tables: Tables, who: Identity, instances: int) -> Contradictions:
    """The rows of a report that contradict themselves, or the interval."""
    found: Contradictions = {}
    why, cell = of_db_time(tables, who.elapsed_s)
    if cell is not None:
        found[DB_TIME] = Contradiction(why, tables.line_of(cell))
    for name in _LISTS:
        table = tables.get(name)
        if table is not None and name in _WHOLE and who.elapsed_s:  # figure 5 is a page of lists
            found |= _doubled(name, table)
        for row, why in _of_events(tables, table, who, instances) if table is not None else ():
            cell = row.cell("total_wait_s")
            found[name, row.key] = Contradiction(why, tables.line_of(cell) if cell else None)
    return found | _of_db_time(tables) | _of_cpus(tables, who)


def _of_db_time(tables: Tables) -> Contradictions:
    """Times of the time model that are not their share of DB time in the same row."""
    table, whole = tables.get("time_model"), tables.row("time_model", "DB time")
    whole_s = whole.number("time_s") if whole is not None else None
    if table is None or not whole_s:
        return {}
    found = {}
    for key, cell_s, pct in zip(
        table.keys(), *map(table.numbers, ("time_s", "pct_db_time")), strict=True
    ):
        if abs(cell_s / whole_s * 100 - pct) > max(1.0, pct * (_MORE_TIME - 1)) and cell_s and pct:
            said = f"{plain(cell_s)} s of `{key}`, but {plain(pct)} % of {plain(whole_s)} s"
            why = f"{table.title} has {said} of DB time: {CONTRADICTS}"
            found["time_model", key] = Contradiction(why, table.line)
    if len(found) * 2 > len(table):  # the whole is wrong, not its parts
        return {("time_model", "DB time"): next(iter(found.values()))}
    return found


def _of_cpus(tables: Tables, who: Identity) -> Contradictions:
    """Times of the host's CPUs that are longer than all of them have."""
    table = tables.get(_OS)
    most_s = (who.cpus or 0) * (who.elapsed_s or 0.0)
    if table is None or not most_s:
        return {}
    has = f"but {who.cpus:,.0f} CPUs have {most_s:,.0f} s: {CONTRADICTS}"
    return {
        (_OS, row.key): Contradiction(f"{row.key} is {spent_s:,.0f} s, {has}", table.line)
        for row in map(table.row, ("BUSY_TIME", "IDLE_TIME"))
        if row and (spent_s := (row.number("value") or 0.0) / 100) > most_s * _APART
    }  # fmt: skip


def _doubled(name: str, table: Table) -> Contradictions:
    """All rows of a list that has events twice, and the list itself: it has swallowed another."""
    keys = table.texts("event")
    short = (key.strip() for key, count in Counter(keys).items() if count > 1)
    again = [f"`{key}`" for key in short if len(key) < _CUT]
    if len(again) <= 1:
        return {}
    why = f"{table.title} has {' and '.join(again[:2])} twice: it contains another list"
    return dict.fromkeys(((name, key) for key in ("", *keys)), Contradiction(why, table.line))


def _of_events(
    tables: Tables, table: Table, who: Identity, instances: int
) -> Iterator[tuple[Row, str]]:
    figures = map(table.numbers, ("waits", "avg_wait_ms", "total_wait_s"))
    for number, (waits, average, total) in enumerate(zip(*figures, strict=True)):
        by_average = waits * average / 1000
        if abs(by_average - total) > min(by_average, total) * (_APART - 1):
            row = table.rows[number]
            if _differ(*(row.cell(name) for name in ("waits", "avg_wait_ms", "total_wait_s"))):
                said = f"{waits:,.0f} waits of {plain(average)} ms for `{row.key.strip()}`"
                yield row, f"{table.title} has {said}, but {plain(total)} s in total: {CONTRADICTS}"
    for start, most_s, what in _most(tables, table, who, instances):
        for row in table.begins(start):
            total_s, share = row.number("total_wait_s"), row.number("pct_db_time")
            if share and share > SHARES[1] and start is OF_SESSIONS:
                yield row, f"{table.title} has {plain(share)} % of DB time for `{row.key.strip()}`"
            if total_s and total_s > most_s:
                said = f"{total_s:,.0f} s of `{row.key.strip()}`"
                yield row, f"{table.title} has {said}, more than {what}: {CONTRADICTS}"


def _differ(waits: Cell | None, average: Cell | None, total: Cell | None) -> bool:
    """Whether the waits times their average are not the total, whatever the last digits hide."""
    ranges = [_range(cell) for cell in (waits, average, total)]
    if not all(ranges):
        return False
    (least, most), (low, high), (shortest, longest) = ranges  # type: ignore[misc]
    if most <= 0:
        return False
    return least * low / 1000 > longest * _APART or shortest > most * high / 1000 * _APART


def _range(cell: Cell | None) -> tuple[float, float] | None:
    """The lowest and the highest number that is printed so."""
    if cell is None or not isinstance(cell.value, int | float):
        return None
    half = half_step(cell.text, cell.value)
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
