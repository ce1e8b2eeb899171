"""Which tablespaces are temporary and which hold undo, and what they cost.

Evidence before names: a tempfile's path, the parameter `undo_tablespace`, the I/O of the file
type; a name is the last resort, and the fact says so.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from awrlens.facts.formula import Figure, Missing, text_fact, unavailable

if TYPE_CHECKING:
    from collections.abc import Callable

    from awrlens.facts.figures import Figures
    from awrlens.model import Evidence, Fact
    from awrlens.report.table import Row, Table

#: Oracle-managed temporary files stand in a folder `tempfile` (Oracle ASM and OMF file names).
_TEMPFILE = re.compile(r"[/\\]tempfile[/\\]", re.I)
_TEMP_NAME = re.compile(r"TEMP|TMP|(?:^|_)SORT", re.I)
#: 8i keeps undo in rollback segments, by custom in tablespaces RBS or ROLLBACK.
_UNDO_NAME = re.compile(r"UNDO|^RBS|ROLLBACK", re.I)


class Found(NamedTuple):
    """A tablespace, how it was recognised, and where that stands."""

    name: str
    how: str
    evidence: tuple[Evidence, ...]


def temporary(f: Figures) -> list[Found]:
    """Temporary tablespaces among those that the report prints I/O for."""
    by_file = _by_tempfile(f)
    found = dict(by_file)
    for row in _named_rows(f):
        name = row.text("tablespace")
        if name not in found and _TEMP_NAME.search(name) and not _UNDO_NAME.search(name):
            found[name] = Found(name, "name", _proof(f, row))
    return list(found.values())


def undo(f: Figures) -> list[Found]:
    """Undo tablespaces: the instance's own by parameter, those of others by name."""
    found: dict[str, Found] = {}
    parameter = f.parameter("undo_tablespace")
    names = {row.text("tablespace"): row for row in _named_rows(f)}
    if parameter and parameter[0]:
        wanted = parameter[0].upper()
        printed = next((n for n in names if n.upper() == wanted), wanted)
        found[printed] = Found(printed, "init parameter undo_tablespace", (parameter[1],))
    for name, row in names.items():
        if name not in found and _UNDO_NAME.search(name):
            found[name] = Found(name, "name", _proof(f, row))
    return list(found.values())


def _by_tempfile(f: Figures) -> dict[str, Found]:
    files = f.tables.get("file_io")
    found: dict[str, Found] = {}
    for row in files.rows if files else ():
        if _TEMPFILE.search(row.text("filename")):
            name = row.text("tablespace")
            if name:
                cell = row.cell("filename")
                proof = (f.evidence(cell),) if cell else ()
                found.setdefault(name, Found(name, "tempfile", proof))
    return found


def _named_rows(f: Figures) -> list[Row]:
    table = f.tables.get("tablespace_io") or f.tables.get("file_io")
    return [row for row in table.rows if row.text("tablespace")] if table else []


def _proof(f: Figures, row: Row) -> tuple[Evidence, ...]:
    cell = row.cell("tablespace")
    return (f.evidence(cell),) if cell else ()


def names_fact(f: Figures, found: list[Found], what: str) -> Fact:
    """Names as a fact, with how each was recognised in the note."""
    if found:
        note = "; ".join(f"{each.name}: {each.how}" for each in found)
        by_name = any(each.how == "name" for each in found)
        evidence = tuple(item for each in found for item in each.evidence)
        status = "estimated" if by_name else "measured"
        return text_fact(tuple(each.name for each in found), evidence, status, note)
    if f.tables.get("tablespace_io") is None:
        return unavailable(f.missing("tablespace_io"))
    return unavailable(
        Missing(f"no {what} tablespace is recognised in Tablespace IO Stats", ("tablespace_io",))
    )


def rows_of(f: Figures, found: list[Found], what: str) -> list[Row] | Missing:
    """Rows of Tablespace IO Stats of some tablespaces."""
    table = f.tables.get("tablespace_io")
    if table is None:
        return f.missing("tablespace_io")
    names = {each.name for each in found}
    rows = [row for row in table.rows if row.text("tablespace") in names]
    if not rows:
        return Missing(
            f"no {what} tablespace is recognised in Tablespace IO Stats", ("tablespace_io",)
        )
    return rows


def total(f: Figures, rows: list[Row] | Missing, columns: tuple[str, ...], label: str) -> Figure | Missing:
    """Sum of some columns over some rows."""
    if isinstance(rows, Missing):
        return rows
    value = 0.0
    proof: list[Evidence] = []
    for row in rows:
        for column in columns:
            cell = row.cell(column)
            if cell is None or not isinstance(cell.value, int | float):
                text = cell.text if cell else ""
                return Missing(
                    f"Tablespace IO Stats prints `{text}` for {column} of {row.key}",
                    ("tablespace_io",),
                )
            value += cell.value
            proof.append(f.evidence(cell))
    return Figure(value, label, tuple(proof))


def every(f: Figures, columns: tuple[str, ...], label: str) -> Figure | Missing:
    """Sum of some columns over all tablespaces, without a page of evidence."""
    table = f.tables.get("tablespace_io")
    if table is None:
        return f.missing("tablespace_io")
    value = 0.0
    for row in table.rows:
        for column in columns:
            value += row.number(column) or 0
    return Figure(value, label)


def weighted_ms(
    f: Figures, rows: list[Row] | Missing, column: str, weight: str
) -> tuple[float, tuple[Evidence, ...], str] | Missing:
    """Average of a time column weighted by a count column, over rows that count something."""
    if isinstance(rows, Missing):
        return rows
    parts: list[str] = []
    proof: list[Evidence] = []
    total_count = total_ms = 0.0
    for row in rows:
        time, count = row.cell(column), row.cell(weight)
        amount = row.number(weight)
        if time is None or count is None or not amount:
            continue
        if not isinstance(time.value, int | float):
            return Missing(
                f"Tablespace IO Stats prints `{time.text}` for {time.column} of {row.key}",
                ("tablespace_io",),
            )
        total_ms += time.value * amount
        total_count += amount
        proof += [f.evidence(time), f.evidence(count)]
        parts.append(f"{time.text} ms × {count.text}")
    if not total_count:
        return Missing(f"Tablespace IO Stats counts no {weight} there", ("tablespace_io",))
    shown = " + ".join(parts)
    formula = f"({shown}) / {total_count:,.0f} {weight}" if len(parts) > 1 else ""
    return total_ms / total_count, tuple(proof), formula


def weighted_fact(
    f: Figures, rows: list[Row] | Missing, column: str, weight: str
) -> Fact:
    """``weighted_ms`` as a fact: measured for one tablespace, derived for several."""
    found = weighted_ms(f, rows, column, weight)
    if isinstance(found, Missing):
        return unavailable(found)
    value, evidence, formula = found
    fact = text_fact(value, evidence, "derived" if formula else "measured")
    return fact._replace(formula=formula)


def biggest(table: Table, measure: Callable[[Row], float]) -> Row | None:
    """The row with the most of something."""
    return max(table.rows, key=measure, default=None)
