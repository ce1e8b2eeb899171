"""Facts that a budget names in Oracle's terms: an event, a statistic, a parameter, SQL."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from awrlens.facts.cells import twice
from awrlens.facts.formula import Figure, Missing, derive, finished, measured, unavailable
from awrlens.facts.redo_tail import percentile_ms
from awrlens.units import parse_number

if TYPE_CHECKING:
    from awrlens.facts.numbers import Figures
    from awrlens.facts.wait_event import Event
    from awrlens.model import Fact
    from awrlens.report.table import Table
    from awrlens.report.table_rows import Row

#: Lists of SQL, the most useful ones first.
_STATEMENTS: Final = (
    "sql_by_elapsed", "sql_by_cpu", "sql_by_user_io", "sql_by_gets", "sql_by_reads",
    "sql_by_executions", "sql_by_cluster_wait",
)  # fmt: skip
#: For every field, its columns and its formula; without a formula, the column itself.
_OF_STATEMENT: Final = {
    "elapsed_s": (("elapsed_s",), ""),
    "cpu_s": (("cpu_s",), ""),
    "executions": (("executions",), ""),
    "elapsed_per_exec_ms": (("elapsed_s", "executions"), "elapsed_s * 1000 / executions"),
    "cpu_per_exec_ms": (("cpu_s", "executions"), "cpu_s * 1000 / executions"),
    "gets_per_exec": (("buffer_gets", "executions"), "buffer_gets / executions"),
    "reads_per_exec": (("physical_reads", "executions"), "physical_reads / executions"),
    "pct_db_time": (("elapsed_s",), "elapsed_s * 100 / whole"),
}
_LABELS: Final = {
    "elapsed_s": "s", "cpu_s": "s", "executions": "executions", "buffer_gets": "gets",
    "physical_reads": "reads",
}  # fmt: skip


def event(f: Figures, name: str, field: str, percent: int | None = None) -> Fact:
    """A figure of a wait event: of sessions, otherwise of background processes."""
    if percent is not None:
        return percentile_ms(name, percent)(f)
    found = next((e for e in (f.foreground(name), f.background(name)) if _is_printed(e)), None)
    if found is None:
        # it may have no waits or another name: neither means 0
        why = f"`{name}` is not in any list of wait events"
        return unavailable(Missing(why, ("foreground_events", "background_events")))
    match field:
        case "avg_ms":
            return found.each_ms
        case "waits":
            return measured(found.waits)
        case "total_s":
            return measured(found.total_s)
        case "waits_per_s":
            return derive("waits / elapsed", waits=found.waits, elapsed=f.elapsed)
        case "pct_db_time":
            return derive("total * 100 / whole", total=found.total_s, whole=f.response)
    return measured(found.timeout_pct)


def _is_printed(event: Event) -> bool:
    return any(isinstance(each, Figure) and each.evidence for each in (event.total_s, event.waits))


def statistic(f: Figures, name: str, field: str) -> Fact:
    """A figure of an instance statistic."""
    total = f.stat(name, "")
    match field:
        case "per_s":
            return derive("total / elapsed", total=total, elapsed=f.elapsed)
        case "per_txn":
            commits, rollbacks = f.stat("user commits", ""), f.stat("user rollbacks", "")
            return derive(
                "total / (commits + rollbacks)", total=total, commits=commits, rollbacks=rollbacks
            )
    return measured(total)


def parameter(f: Figures, name: str, field: str) -> Fact:
    """An initialization parameter at the end of the interval; ``value``: as a number."""
    found = f.parameter(name)
    if found is None:
        why = "is not in the report, which lists only parameters that are set"
        return unavailable(Missing(f"parameter `{name}` {why}", ("parameters",)))
    text, evidence = found
    if field != "value":
        return finished(measured(Figure(0, "", (evidence,))), "", "text")._replace(value=text)
    number = parse_number(text, "count")
    if number is None:
        return unavailable(
            Missing(f"parameter `{name}` is `{text}`, not a number", ("parameters",))
        )
    return measured(Figure(number, "", (evidence,), text))


def statement(f: Figures, name: str, field: str) -> Fact:
    """A figure of an SQL statement by SQL ID; if there is none, by hash value."""
    columns, formula = _OF_STATEMENT[field]
    why = f"SQL `{name}` is not in the report, which lists only the top SQL"
    lacking = Missing(why, _STATEMENTS[:1])
    for section in _STATEMENTS:
        table = f.tables.get(section)
        rows = _rows(table, name) if table is not None else []
        if table is None or not rows:
            continue
        if len(rows) > 1 or table.is_disputed(rows[0].key):  # of several databases or plans
            lacking = twice(table, rows[0])
            continue
        absent = Missing(f"{table.title} does not have it", (section,))
        found = {each: f.figure(rows[0].cell(each), _LABELS[each], absent) for each in columns}
        bad = next((each for each in found.values() if isinstance(each, Missing)), None)
        if bad is not None:
            lacking = bad
            continue
        if "whole" in formula:
            found["whole"] = f.response
        return derive(formula, "", **found) if formula else measured(found[columns[0]])
    return unavailable(lacking)


def _rows(table: Table, name: str) -> list[Row]:
    wanted = name.casefold()
    ids = [row for row in table if row.text("sql_id").casefold() == wanted]
    return ids or [row for row in table if row.text("hash_value") == name]
