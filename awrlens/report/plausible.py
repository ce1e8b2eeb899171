"""Checks whether the values of a report's header contradict each other."""

from __future__ import annotations

from datetime import datetime
from math import inf
from operator import itemgetter
from typing import TYPE_CHECKING, Final

from awrlens.model import Note
from awrlens.model.analysis import DOUBTED
from awrlens.model.fact_table import CONTRADICTS
from awrlens.report.identity import (
    block_size_cell,
    is_apart,
    parameter_block_size,
    printed_minutes,
)
from awrlens.units import BLOCK_SIZES, LARGEST, half_step, listed, release_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from awrlens.model.analysis import Identity
    from awrlens.report.contents import Tables

#: CPU of an instance, as a multiple of the host's, that rounding and different clocks do not
#: explain. # awrlens: an assumption
_MORE_CPU: Final = 1.25
_ALL_PCT: Final = 100.0
#: Where a report has its number of CPUs.
_CPUS: Final = (
    ("host", None, "cpus"), ("host_cpu", None, "cpus"), ("os_statistics", "NUM_CPUS", "value"),
)  # fmt: skip
#: The calls whose CPU `DB CPU` is, and the multiple of their time, and of the statistic, that other
#: calls do not explain: 1.1 at most in 60 real reports, but 2.1 and 2.8 where the statistic is far
#: below, too. # awrlens: an assumption
_CALLS: Final = (
    "sql execute elapsed time", "parse time elapsed", "connection management call elapsed time",
    "PL/SQL execution elapsed time",
)  # fmt: skip
_FAR: Final = 1.5


def doubts(tables: Tables, who: Identity, since: Mapping[str, str]) -> Iterator[Note]:
    """Contradictions in the header, or with sections; ``since``: their first releases."""
    yield from _interval(tables, who)
    yield from _cpus(tables)
    yield from _cpu_time(tables, who)
    yield from two_clocks(tables)
    yield from _block_size(tables)
    yield from _release(tables, who, since)
    yield from _cluster(tables, who)


def doubts_of_cluster(tables: Tables) -> Iterator[Note]:
    """Compares the number of instances in a cluster report's header with the list of instances."""
    cell = tables.cell("database_summary", None, "instances")
    listed = tables.get("database_instances")
    if cell is None or not isinstance(cell.value, int) or listed is None:
        return
    names = {row.key for row in listed if row.key}
    if cell.value != len(names):
        yield Note(
            f"{cell.section} has {cell.text} instances in the report, but {listed.title} lists "
            f"{len(names)}: totals may be incomplete.",
            tables.line_of(cell),
        )


def _release(tables: Tables, who: Identity, since: Mapping[str, str]) -> Iterator[Note]:
    """Sections that the release in the header does not print."""
    own = release_of(who.release)
    newer = [
        (first, table) for name, release in since.items() if (first := release_of(release))
        and own and first > own and (table := tables.get(name)) is not None
    ]  # fmt: skip
    if newer:
        first, table = max(newer, key=itemgetter(0))
        yield Note(
            f"The header's release is {who.release}, but section {table.title} exists only in "
            f"{'.'.join(map(str, first))} and later: one of them is from another report.",
            table.line,
        )


def _cluster(tables: Tables, who: Identity) -> Iterator[Note]:
    """A section that only cluster instances print, although the header says RAC: NO."""
    table = tables.get("global_cache_load") if who.rac is False else None
    if table is not None:
        yield Note(
            "The header says RAC: NO, but the report has section "
            f"{table.title}, which only cluster instances print.",
            table.line,
        )


def _interval(tables: Tables, who: Identity) -> Iterator[Note]:
    if who.begin_snap is not None and who.end_snap is not None and who.begin_snap >= who.end_snap:
        yield Note(
            f"The header's begin snapshot is {who.begin_snap} and its end snapshot {who.end_snap}: "
            "the end snapshot must have the larger number.",
            _line(tables, "begin_snap", "snap_id"),
        )
    minutes, cell = printed_minutes(tables, "elapsed") or (1.0, None)
    if minutes <= 0:
        yield Note(
            f"The header's elapsed time is {minutes:,.2f} minutes, which is invalid: rates "
            "are unavailable.",
            _line(tables, "elapsed"),
        )
    if not who.begin_time or not who.end_time:
        return
    between = datetime.fromisoformat(who.end_time) - datetime.fromisoformat(who.begin_time)
    between_s = between.total_seconds()
    times = f"{who.begin_time} and {who.end_time}".replace("T", " ")
    if between_s <= 0:
        yield Note(
            f"The header's snapshots were taken at {times}: the second time is not later.",
            _line(tables, "begin_snap", "snap_time"),
        )
    elif cell is not None and is_apart(tables, minutes):
        yield Note(
            f"The header's elapsed time is {minutes:,.2f} minutes, but its snapshots "
            f"({times}) are {between_s / 60:,.2f} minutes apart: {CONTRADICTS}.",
            _line(tables, "elapsed"),
            contradicts=True,
        )


def _cpus(tables: Tables) -> Iterator[Note]:
    printed: dict[str, int | float] = {}
    lines: list[int] = []
    for section, row, column in _CPUS:
        cell = tables.cell(section, row, column)
        if cell is None or not any(map(str.isdigit, cell.text)):
            continue
        if isinstance(cell.value, int | float) and 1 <= cell.value <= LARGEST["cpu_count"]:
            printed.setdefault(f"{cell.value:g} ({row or 'section'} {cell.section})", cell.value)
            lines.append(tables.line_of(cell))
        else:
            said = f"Section {cell.section} prints {cell.text} CPUs, which is invalid."
            yield Note(said, tables.line_of(cell))
    if len({*printed.values()}) > 1:
        yield Note(f"The report has different CPU counts: {' and '.join(printed)}.", lines[0])


def _cpu_time(tables: Tables, who: Identity) -> Iterator[Note]:
    """The instance's CPU in the time model, against all CPU that the host used."""
    model = tables.get("time_model")
    parts = [tables.row("time_model", name) for name in ("DB CPU", "background cpu time")]
    own = sum(row.number("time_s") or 0.0 for row in parts if row is not None)
    cell = tables.cell("host_cpu", None, "idle_pct")
    if model is None or not who.cpus or not who.elapsed_s:
        return
    idle = 0 if cell is None else cell.value
    if not isinstance(idle, int | float) or not 0 <= idle <= _ALL_PCT:
        return
    whole = who.cpus * who.elapsed_s / _ALL_PCT
    used = (_ALL_PCT - idle) * whole
    step = 0.0 if cell is None else half_step(cell.text, idle)
    has = f"{who.cpus:,.0f} CPUs have" if cell is None else "Host CPU has"
    if own > used * _MORE_CPU + step * whole:
        yield Note(
            f"{model.title} has {own:,.0f} s of CPU for this instance, but {has} only "
            f"{used:,.0f} s for the whole host: shares of DB time are those of {model.title}, but "
            "whether CPUs were idle is not certain.",
            model.line if cell is None else tables.line_of(cell),
        )


def two_clocks(tables: Tables) -> Iterator[Note]:
    """`DB CPU` against DB time, which includes it, and against the calls that computed."""
    time_rows = [tables.row("time_model", name) for name in ("DB CPU", "DB time", *_CALLS)]
    cpu, whole, *calls = (inf if row is None else row.number("time_s") or inf for row in time_rows)
    counters = ("CPU used by this session", "DB time")  # in hundredths of a second
    rows = {name: tables.row("instance_activity", name) for name in counters}
    counted = {name: hundredths / 100 for name, row in rows.items()
               if row is not None and (hundredths := row.number("total")) is not None}  # fmt: skip
    what, cell = "", tables.cell("time_model", "DB CPU", "time_s")
    if whole * _MORE_CPU < cpu < inf:
        what = f"DB time ({whole:,.1f} s), which includes it"
    elif _FAR * max(sum(calls), counted.get(counters[0], inf)) < cpu < inf:
        what = f"all SQL, parses, logons and PL/SQL took ({sum(calls):,.1f} s)"
    if what and cell is not None:
        clocks = listed([f"`{name}` {seconds:,.1f} s" for name, seconds in counted.items()])
        other = f" The statistics show other times: {clocks}." if clocks else ""
        said = f"{cell.section} has more DB CPU ({cell.text} s) than {what}: {DOUBTED}.{other}"
        yield Note(said, tables.line_of(cell), about="two clocks")


def _block_size(tables: Tables) -> Iterator[Note]:
    cell, asked = block_size_cell(tables), parameter_block_size(tables)
    if cell is None or not any(map(str.isdigit, cell.text)):
        return
    if asked is not None and asked != cell.value:
        yield Note(
            f"The header's block size is {cell.text}, but the parameter db_block_size is {asked}: "
            "awrlens uses the parameter.",
            tables.line_of(cell),
        )
    elif cell.value not in BLOCK_SIZES:
        yield Note(
            f"The header's block size is {cell.text}, which is invalid.", tables.line_of(cell)
        )


def _line(tables: Tables, label: str, column: str = "") -> int | None:
    table, cell = tables.get("snapshots"), tables.cell("snapshots", label, column)
    if table is None or tables.row("snapshots", label) is None:
        return None
    return tables.line_of(cell) if cell is not None else table.line
