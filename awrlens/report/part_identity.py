"""The database, instance and interval of a part of a report: a period or an instance.

A compare-period report names both periods in two tables; a RAC report names all instances in one.
"""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any

from awrlens.report.identity import Identity, db_time_of, release_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from awrlens.report.contents import Tables
    from awrlens.report.part_views import View
    from awrlens.report.table_rows import Cell, Row

#: Maximum rounding error in seconds of minutes that are printed with one decimal.
_COARSE_S = 4
_YES_NO = {"YES": True, "NO": False}


def identify_period(
    tables: Tables, text: str, kind: str, source: str, view: View | None
) -> Identity:
    """A period of a compare-period report; for the whole report, what both periods share."""
    name = _name_of(text, view.label if view else "1")
    databases, snapshots = tables.get("compared_databases"), tables.get("compared_snapshots")
    database = databases.rows[0] if databases and databases.rows else None
    interval = snapshots.rows[0] if view and snapshots and snapshots.rows else None
    elapsed_s, elapsed_cell = _seconds(interval, "elapsed_min")
    begin, end = _text(interval, "begin_time"), _text(interval, "end_time")
    if elapsed_cell is not None and begin and end:
        between = (datetime.fromisoformat(end) - datetime.fromisoformat(begin)).total_seconds()
        # minutes with one decimal are less precise than two times with seconds
        if abs(between - (elapsed_s or 0)) <= _COARSE_S:
            elapsed_s = between
    db_time_s, db_time_cell = db_time_of(tables) if view else (None, None)
    if db_time_s is None:
        db_time_s, db_time_cell = _seconds(interval, "db_time_min")
    hosts = tables.get("compared_hosts") if view else None
    return _identity(
        kind=kind,
        source=source,
        db_name=_text(database, "db_name") or name,
        db_id=_text(database, "db_id"),
        instance=_text(database, "instance"),
        instance_number=_text(database, "instance_number"),
        release=release_of(_text(database, "release")),
        rac=_YES_NO.get((_text(database, "cluster") or "").upper()),
        host=_text(database, "host"),
        cpus=_whole(hosts.row("cpus") if hosts else None, "value"),
        cores=_whole(hosts.row("cores") if hosts else None, "value"),
        begin_snap=_whole(interval, "begin_snap"),
        end_snap=_whole(interval, "end_snap"),
        begin_time=_text(interval, "begin_time"),
        end_time=_text(interval, "end_time"),
        elapsed_s=elapsed_s,
        db_time_s=db_time_s,
        block_size=_whole(database, "block_size"),
        elapsed_cell=elapsed_cell,
        db_time_cell=db_time_cell,
    )


def _name_of(text: str, label: str) -> str | None:
    """The database that the titles name for a period; text reports print it only there."""
    words = "First DB/Inst:" if label == "1" else "Second DB/Inst:"
    at = text.find(words)
    name = text[at + len(words) : at + len(words) + 40].strip().partition("/")[0]
    return name if at >= 0 and name else None


def identify_instance(tables: Tables, kind: str, source: str, view: View | None) -> Identity:
    """An instance of a RAC report, or (without one) the cluster.

    ``tables`` are those of the whole report.
    """
    summary = _first(tables, "database_summary")
    label = view.label if view else "*"
    instances = list(tables.get("database_instances") or ())
    row = next((each for each in instances if each.text("instance_number") == label), None)
    own = row if row is not None else summary
    elapsed_s, elapsed_cell = _seconds(own, "elapsed_min")
    db_time_s, db_time_cell = _seconds(own, "db_time_min")
    host = _host_of(tables, label)
    return _identity(
        kind=kind,
        source=source,
        db_name=_text(summary, "db_name"),
        db_id=_text(summary, "db_id"),
        instance=_text(row, "instance"),
        instance_number=_text(row, "instance_number"),
        release=release_of(_text(row, "release") or _common(instances, "release")),
        # awrgrpt made the report; a database with one instance may still print NO
        rac=_YES_NO.get((_text(summary, "rac") or "YES").upper()),
        host=_text(row, "host"),
        platform=_text(row, "platform") or _common(instances, "platform"),
        cpus=_whole(host, "cpus"),
        cores=_whole(host, "cores"),
        begin_snap=_whole(summary, "begin_snap"),
        end_snap=_whole(summary, "end_snap"),
        begin_time=_text(row, "begin_time") or _common(instances, "begin_time"),
        end_time=_text(row, "end_time") or _common(instances, "end_time"),
        startup_time=_text(row, "startup_time"),
        elapsed_s=elapsed_s,
        db_time_s=db_time_s,
        block_size=_whole(summary, "block_size"),
        elapsed_cell=elapsed_cell,
        db_time_cell=db_time_cell,
    )


def instance_numbers(tables: Tables) -> list[str]:
    """Numbers of the instances in a RAC report, in its order."""
    table = tables.get("database_instances")
    numbers = (row.text("instance_number") for row in table or ())
    return list(dict.fromkeys(filter(None, numbers)))


def _identity(**known: Any) -> Identity:  # noqa: ANN401 - fields of several types
    return Identity._make(known.get(name) for name in Identity._fields)


def _first(tables: Tables, name: str) -> Row | None:
    table = tables.get(name)
    return table.rows[0] if table and table.rows else None


def _host_of(tables: Tables, label: str) -> Row | None:
    table = tables.get("host_cpu")
    return next((row for row in table or () if row.text("instance") == label), None)


def _common(rows: Iterable[Row], column: str) -> str | None:
    """The values that all instances have in common."""
    values = {_text(row, column) for row in rows}
    return values.pop() if len(values) == 1 else None


def _text(row: Row | None, column: str) -> str | None:
    value = row.value(column) if row is not None else None
    return str(value) if value is not None and value != "" else None


def _whole(row: Row | None, column: str) -> int | None:
    value = row.number(column) if row is not None else None
    return int(value) if value is not None else None


def _seconds(row: Row | None, column: str) -> tuple[float | None, Cell | None]:
    """A figure in minutes as seconds, with its cell."""
    cell = row.cell(column) if row is not None else None
    if cell is None or not isinstance(cell.value, int | float):
        return None, None
    return round(cell.value * 60.0, 3), cell
