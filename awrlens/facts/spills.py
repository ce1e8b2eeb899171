"""SQL that waits for temporary I/O, in samples of Active Session History.

Source: "Top SQL with Top Events" and "Top SQL with Top Row Sources" (AWR since 12c).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from awrlens.fact_table import fact
from awrlens.facts.formula import Figure, Missing, add, readable, summed, text_fact, unavailable
from awrlens.records import NamedTuple

if TYPE_CHECKING:
    from awrlens.facts.numbers import Figures
    from awrlens.model import Fact
    from awrlens.report.table_rows import Row

_ASH: Final = "top_sql_events|top_sql_row_sources"
_SECTIONS = tuple(_ASH.split("|"))
_EVENTS = ("direct path read temp", "direct path write temp")
_NO_SHARE = Missing("the list of top SQL has no share of the event", _SECTIONS)
#: Lists of SQL that have its module.
_MODULES = ("sql_by_elapsed", "sql_by_user_io", "sql_by_reads")


class _Spill(NamedTuple):
    """An SQL statement and its samples in temporary I/O."""

    sql_id: str
    rows: tuple[Row, ...]
    samples_pct: float


def _spills(f: Figures) -> list[_Spill] | Missing:
    """SQL with samples in temporary I/O, most first."""
    return f.once(_found)


def _found(f: Figures) -> list[_Spill] | Missing:
    if all(f.tables.get(name) is None for name in _SECTIONS):
        return f.missing(*_SECTIONS)
    found: dict[str, _Spill] = {}
    for name in _SECTIONS:
        table = f.tables.get(name)
        by_sql: dict[str, list[Row]] = {}
        for number, event in enumerate(table.texts("event") if table else ()):
            if table is not None and event.startswith(_EVENTS):
                row = table.rows[number]
                by_sql.setdefault(row.text("sql_id"), []).append(row)
        for sql_id, rows in by_sql.items():
            # both sections count the same samples: the second adds SQL, not samples
            figures = readable(f.figure(row.cell("event_pct"), "%", _NO_SHARE) for row in rows)
            if isinstance(figures, Missing):
                return figures
            share = float(sum(figure.value for figure in figures))
            found.setdefault(sql_id, _Spill(sql_id, tuple(rows), share))
    found.pop("", None)
    return sorted(found.values(), key=lambda each: -each.samples_pct)


@fact("temp.spilling_sql", "names", _ASH, kind="level", better="neither")
def statements(f: Figures) -> Fact:
    """SQL IDs with samples that waited for temporary I/O, most samples first."""
    found = _spills(f)
    if isinstance(found, Missing):
        return unavailable(found)
    cells = [row.cell("event_pct") for each in found for row in each.rows]
    proof = tuple(f.evidence(cell) for cell in cells if cell is not None)
    note = "; ".join(_described(f, each) for each in found)
    none = "no top SQL was sampled in temporary I/O"
    return text_fact(tuple(each.sql_id for each in found), proof, "measured", note or none)


def _described(f: Figures, spill: _Spill) -> str:
    sources = dict.fromkeys(row.text("row_source") for row in spill.rows)
    parts = [f"{spill.sql_id}: {spill.samples_pct:.2f} % of activity"]
    parts += [", ".join(filter(None, sources))]
    for name in _MODULES:
        table = f.tables.get(name)
        row = next(
            (table.rows[n] for n, sql_id in enumerate(table.texts("sql_id"))
             if sql_id == spill.sql_id and table.rows[n].text("module")), None,
        ) if table else None  # fmt: skip
        if row is not None:
            parts.append(f"module {row.text('module')}")
            break
    return ", ".join(filter(None, parts))


@fact("temp.spilling_sql_pct", "%", _ASH, kind="level", better="neither")
def statements_pct(f: Figures) -> Fact:
    """Share of all sampled activity that this SQL spent in temporary I/O."""
    found = _spills(f)
    if isinstance(found, Missing):
        return unavailable(found)
    cells = [f.figure(row.cell("event_pct"), "%", _NO_SHARE) for each in found for row in each.rows]
    return summed(add([each for each in cells if isinstance(each, Figure)], "%"))
