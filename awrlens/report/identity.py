"""The database, instance and interval of a report; Oracle's dates as ISO 8601 without time zone."""

from __future__ import annotations

import re
from datetime import datetime
from math import inf
from typing import TYPE_CHECKING, Any, Final

from awrlens.lazy import regex
from awrlens.model.analysis import Identity
from awrlens.model.fact_table import CONTRADICTS
from awrlens.units import BLOCK_SIZES, LARGEST, half_step

if TYPE_CHECKING:
    from awrlens.report.contents import Tables
    from awrlens.report.table import Cell, Row


#: A release is shorter than this.
_LONG: Final = 30


def identity_of(
    elapsed: tuple[float | None, Cell | None],
    db_time: tuple[float | None, Cell | None],
    **fields: Any,  # noqa: ANN401 - fields of several types
) -> Identity:
    """The identity with the fields that are known; both times in seconds, with their cells."""
    return Identity(
        **fields, elapsed_s=elapsed[0], elapsed_cell=elapsed[1], db_time_s=db_time[0],
        db_time_cell=db_time[1],
    )  # fmt: skip


_MINUTE_S: Final = 60.0
#: Tolerance: times and elapsed minutes are rounded, and taken one after the other.
_APART_S: Final = 90.0
_APART: Final = 0.01
#: DB time of the header and of the time model, which are taken one after the other, as a share:
#: equal to the last digit in the real reports. # awrlens: an assumption
_CLOCKS: Final = 0.05
#: Sessions come and go between the snapshots that count them. # awrlens: an assumption
_MORE_SESSIONS: Final = 1.5
#: The container that reports of a whole container database name.
ROOT: Final = "CDB$ROOT"


def identify(tables: Tables, text: str, head: str, kind: str, source: str) -> Identity:
    """Read the header; missing values come from section titles, OS statistics or parameters."""
    database = _first_values(tables, "database")
    # a line whose columns are not below their rules has a name that was replaced
    if not database and (moved := _DATABASE_LINE.search(head)):
        database = moved.groupdict()
    instance = _first_values(tables, "instance")
    hosts = [row.values() for row in tables.get("host") or ()]
    # a table of several hosts: only what they have in common
    host: dict[str, Any] = dict(set.intersection(*({*h.items()} for h in hosts))) if hosts else {}
    rac = database.get("rac") or instance.get("rac")
    begin, end = (tables.row("snapshots", name) for name in ("begin_snap", "end_snap"))
    interval = _first_values(tables, "snapshot_interval") if begin is None else {}
    db_name = database.get("db_name")
    instance_name = database.get("instance") or instance.get("instance")
    begin_snap = _int(begin.value("snap_id") if begin else interval.get("begin_snap"))
    end_snap = _int(end.value("snap_id") if end else interval.get("end_snap"))
    if not (db_name and instance_name and begin_snap and end_snap):
        from awrlens.report.titles import first_named

        named = first_named(text)
        db_name = db_name or (named and named.db) or None
        instance_name = instance_name or (named and named.instance) or None
        begin_snap = begin_snap or (int(named.begin) if named and named.begin else None)
        end_snap = end_snap or (int(named.end) if named and named.end else None)
    elapsed = _interval(tables, "elapsed")
    return identity_of(
        elapsed,
        _db_time(tables, elapsed[0]),
        kind=kind,
        source=source,
        db_name=db_name,
        db_id=database.get("db_id"),
        instance=instance_name,
        instance_number=database.get("instance_number") or instance.get("instance_number"),
        release=release_of(database.get("release")),
        rac={"YES": True, "NO": False}.get((rac or "").upper()),
        container=_container(tables, head),
        host=_host(tables, "host", host.get("host"))
        or _host(tables, "database", database.get("host")),
        platform=host.get("platform"),
        cpus=_count(host.get("cpus")) or _os_stat(tables, "NUM_CPUS"),
        cores=_count(host.get("cores")) or _os_stat(tables, "NUM_CPU_CORES"),
        begin_snap=begin_snap,
        end_snap=end_snap,
        begin_time=_text(begin.value("snap_time") if begin else interval.get("begin_time")),
        end_time=_text(end.value("snap_time") if end else interval.get("end_time")),
        startup_time=_text(database.get("startup_time") or instance.get("startup_time")),
        block_size=_block_size(tables),
    )


def _container(tables: Tables, head: str) -> str | None:
    """The pluggable database; a report of a container database lists all (12.2 and later)."""
    table = tables.get("container")
    names = [] if table is None else table.texts("container_name")
    if "WORKLOAD REPOSITORY PDB report" in head:
        return names[0] if names else None
    return names[0] if len(names) == 1 and names[0] != ROOT else None


def release_of(text: object) -> str | None:
    """A release as printed; None if the text is too long for one."""
    return text if isinstance(text, str) and len(text) < _LONG else None


def _first_values(tables: Tables, name: str) -> dict[str, Any]:
    row = tables.row(name)
    return row.values() if row is not None else {}


#: Name, id, instance and its number, start-up time (11g, not kept), release, RAC, and host (up to
#: 10g) in one line.
_DATABASE_LINE: Final = regex(
    r"^(?P<db_name>\S{1,128})[ \t]++(?P<db_id>\d{5,20})[ \t]++(?P<instance>\S{1,128})[ \t]++"
    r"(?P<instance_number>\d{1,3})[ \t]++(?:\d{1,2}-\w{3,9}-\d{2,4} \d{1,2}:\d\d[ \t]++)?"
    r"(?P<release>\d{1,2}(?:\.\d{1,3}){3,4})[ \t]++(?P<rac>YES|NO)"
    r"(?:[ \t]++(?P<host>[^\s:]{1,64}))?[ \t]*+$",
    re.MULTILINE,
)


def _host(tables: Tables, section: str, name: str | None) -> str | None:
    """The name of a host; 10.1 prints the rest of a long name on the next line."""
    table = tables.get(section)
    width = table.width("host") if table is not None else None
    if table is None or not name or width is None or len(name) < width:
        return name
    rest = [row.text("host") for row in table.rows[1:2] if set(filter(None, row.values().values()))
            == {row.text("host")}]  # fmt: skip
    return f"{name}{rest[0]}" if rest else name


def _int(value: object) -> int | None:
    return value if isinstance(value, int) else None


def _count(value: object) -> int | None:
    return value if isinstance(value, int) and 0 < value <= LARGEST["cpu_count"] else None


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None


def printed_minutes(tables: Tables, label: str) -> tuple[float, Cell] | None:
    """``59.54 (mins)`` of the header, and its cell."""
    table, row = tables.get("snapshots"), tables.row("snapshots", label)
    if table is None or row is None:
        return None
    for column in table.columns[1:]:
        cell = row.cell(column.name or "")
        text = cell.text.replace("(mins)", "").replace("(min)", "") if cell is not None else ""
        number = table.number_of(text, "min") if text else None
        if cell is not None and number is not None:
            return number, cell
    return None


def is_apart(tables: Tables, minutes: float) -> bool:
    """Whether an elapsed time is not the time between the snapshots."""
    rows = (tables.row("snapshots", name) for name in ("begin_snap", "end_snap"))
    begin, end = (_text(row.value("snap_time")) if row is not None else None for row in rows)
    if not begin or not end:
        return False
    between_s = (datetime.fromisoformat(end) - datetime.fromisoformat(begin)).total_seconds()
    apart_s = abs(between_s - minutes * _MINUTE_S)
    return between_s > 0 and apart_s > _APART_S + _APART * between_s


def _interval(tables: Tables, label: str) -> tuple[float | None, Cell | None]:
    if label == "elapsed" and "snapshots" not in tables:  # 8.1.6: one row for both snapshots
        return seconds_of(tables.row("snapshot_interval"), "elapsed_min")
    number, cell = printed_minutes(tables, label) or (0, None)
    if cell is None or number <= 0 or cell.text.lstrip().startswith("."):
        return None, None  # before a point, a digit is lost: Oracle writes 0.28
    if label == "elapsed" and is_apart(tables, number):
        return None, None
    return round(number * 60.0, 3), cell._replace(value=number, unit="min")


def seconds_of(row: Row | None, column: str) -> tuple[float | None, Cell | None]:
    """A figure in minutes as seconds, with its cell."""
    cell = row.cell(column) if row is not None else None
    if cell is None or not isinstance(cell.value, int | float):
        return None, None
    return round(cell.value * 60.0, 3), cell


def db_time_of(tables: Tables) -> tuple[float | None, Cell | None]:
    """DB time in seconds from the time model, if the header has no DB time or fewer digits."""
    cell = tables.cell("time_model", "DB time", "time_s")
    if cell is None or not isinstance(cell.value, int | float):
        return None, None
    return float(cell.value), cell


def of_db_time(tables: Tables, elapsed_s: float | None) -> tuple[str, Cell | None]:
    """Why the header's DB time cannot be true, and its cell; None if nothing contradicts it."""
    printed, (model_s, _) = printed_minutes(tables, "db_time"), db_time_of(tables)
    if printed is None:
        return "", None
    minutes, cell = printed
    wide_s = half_step(cell.text, minutes) * 2 * _MINUTE_S
    (most_s, what), said = of_sessions(tables, elapsed_s), f"The header's DB time is {minutes:,.2f}"
    if minutes * _MINUTE_S > most_s * _MORE_SESSIONS:
        return f"{said} minutes, more than {what}: {CONTRADICTS}", cell
    if model_s is not None and abs(minutes * _MINUTE_S - model_s) > wide_s + model_s * _CLOCKS:
        return f"{said} minutes, but the time model has {model_s:,.0f} s: {CONTRADICTS}", cell
    return "", None


def of_sessions(tables: Tables, elapsed_s: float | None) -> tuple[float, str]:
    """All time that the sessions of the header have; infinite if that is not known."""
    rows = [tables.row("snapshots", name) for name in ("begin_snap", "end_snap")]
    sessions = max((row.number("sessions") or 0 for row in rows if row is not None), default=0)
    if not elapsed_s or not sessions:
        return inf, ""
    return elapsed_s * sessions, f"{sessions:,.0f} sessions have in {elapsed_s:,.0f} s"


def _db_time(tables: Tables, elapsed_s: float | None) -> tuple[float | None, Cell | None]:
    """The header's DB time, or that of the time model; neither if they contradict each other."""
    printed = _interval(tables, "db_time")
    if printed[0] is None:
        return db_time_of(tables)
    return (None, None) if of_db_time(tables, elapsed_s)[1] is not None else printed


def _os_stat(tables: Tables, name: str) -> int | None:
    row = tables.row("os_statistics", name)
    return _count(row.value("value")) if row else None


def block_size_cell(tables: Tables) -> Cell | None:
    """The header's standard block size."""
    return tables.cell("cache_sizes", "block_size", "value")


def parameter_block_size(tables: Tables) -> int | None:
    """The parameter `db_block_size`, if it is a valid block size."""
    row = tables.row("parameters", "db_block_size")
    text = row.text("begin_value") if row is not None else ""
    return int(text) if text.isdecimal() and len(text) <= len("32768") else None


def _block_size(tables: Tables) -> int | None:
    asked = parameter_block_size(tables)
    cell = block_size_cell(tables) if asked is None else None
    value = cell.value if cell is not None else asked
    return int(value) if isinstance(value, int | float) and value in BLOCK_SIZES else None
