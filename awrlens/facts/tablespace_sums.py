"""Sums and averages of the I/O of tablespaces, and their rank among all."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from awrlens.facts.formula import Figure, Missing, add, is_lost, text_fact, unavailable
from awrlens.facts.tablespace_tables import COUNTS, files, is_number, owners, table_for, unfit
from awrlens.facts.tablespaces import Found, rows_of
from awrlens.records import NamedTuple

if TYPE_CHECKING:
    from awrlens.facts.numbers import Figures
    from awrlens.model import Evidence, Fact
    from awrlens.report.table_rows import Row

#: An average omits rows whose time cannot be read if they are at most this share of it.
_LEFT_OUT = 0.05


class Average(NamedTuple):
    """A weighted average in milliseconds, its evidence, its formula, a note on what it lacks."""

    ms: float
    evidence: tuple[Evidence, ...]
    formula: str
    note: str


def total(
    f: Figures, found: list[Found], what: str, columns: tuple[str, ...], label: str
) -> Figure | Missing:
    """Sum of some columns over some tablespaces."""
    if (table := table_for(f, columns[0])) and table.name == "io_timing":
        return Missing(f"{table.title} is not of the whole interval", ("tablespace_io",))
    figures: list[Figure] = []
    for column in columns:
        rows = rows_of(f, found, what, column)
        if isinstance(rows, Missing):
            return rows
        absent = Missing(f"{column} is not in the section", ("tablespace_io",))
        for row in rows:
            figure = f.figure(row.cell(column), label, absent)
            if isinstance(figure, Missing):
                return figure
            figures.append(figure)
    return add(figures, label)


def every(f: Figures, columns: tuple[str, ...], label: str) -> Figure | Missing:
    """Sum of some columns over all tablespaces, without a page of evidence."""
    if not f.complete:
        return Missing("an excerpt may lack tablespaces", ("tablespace_io",))
    value = 0.0
    for column in columns:
        part = f.once(_sum_of, column)
        if isinstance(part, Missing):
            return part
        value += part
    return Figure(value, label)


def _sum_of(f: Figures, column: str) -> float | Missing:
    table = table_for(f, column)
    if table is None:
        return f.missing("tablespace_io")
    return unfit(f, table, column) or sum(table.numbers(column))


def read_time(f: Figures, found: list[Found] | None, label: str) -> Figure | Missing:
    """Reads × their average, over some tablespaces, or over all if ``found`` is None."""
    table = table_for(f, "reads")
    if table is None:
        return f.missing("tablespace_io")
    if not f.complete:
        return Missing("an excerpt may lack tablespaces", ("tablespace_io",))
    if not any(table.texts("read_ms")):
        return Missing("read_ms is not in the section", ("tablespace_io",))
    if lost := unfit(f, table, "reads", "read_ms"):
        return lost
    names = None if found is None else {each.name for each in found}
    of_rows = owners(f, table)
    if names is not None and names.isdisjoint(of_rows):
        return Missing(f"no such tablespace is recognised in {table.title}", ("tablespace_io",))
    total, proof = 0.0, []
    columns = table.numbers("reads"), table.numbers("read_ms")
    if any(reads and not ms and not is_number(table, text)
           for reads, ms, text in zip(*columns, table.texts("read_ms"), strict=True)):  # fmt: skip
        why = f"{table.title} has no figure for read_ms in a row with reads"
        return Missing(why, (str(table.name),), lost=True)
    for number, (name, reads, ms) in enumerate(zip(of_rows, *columns, strict=True)):
        if names is None or name in names:
            total += reads * ms
        if names is not None and name in names:  # all of them would be a page of evidence
            cells = (table.rows[number].cell(column) for column in ("reads", "read_ms"))
            proof += [f.evidence(cell) for cell in cells if cell is not None]
    return Figure(total, label, tuple(proof))


def reads_without_time(f: Figures, found: list[Found]) -> tuple[float, float]:
    """Reads of some tablespaces that are counted with a time of 0, and all of them."""
    table = table_for(f, "reads")
    if table is None:
        return 0.0, 0.0
    names = {each.name for each in found}
    rows = zip(
        owners(f, table), table.numbers("reads"), table.numbers("read_ms"), table.texts("read_ms"),
        strict=True,
    )  # fmt: skip
    ours = [(reads, bool(text) and ms == 0) for name, reads, ms, text in rows if name in names]
    return sum(reads for reads, lost in ours if lost), sum(reads for reads, _ in ours)


def rank_fact(f: Figures, found: list[Found], what: str, columns: tuple[str, ...]) -> Fact:
    """Rank of the busiest of some tablespaces among all, by the sum of some columns."""
    if not f.complete:
        return unavailable(Missing("an excerpt may lack tablespaces", ("tablespace_io",)))
    amounts: dict[str, float] = {}
    for column in columns:
        table = table_for(f, column)
        if table is None:
            return unavailable(f.missing("tablespace_io"))
        if lost := unfit(f, table, column):
            return unavailable(lost)
        for name, amount in zip(owners(f, table), table.numbers(column), strict=True):
            amounts[name] = amounts.get(name, 0.0) + amount
    ours = [each.name for each in found if each.name in amounts]
    rows = rows_of(f, found, what, columns[0])
    if isinstance(rows, Missing):
        return unavailable(rows)
    busiest = max(ours, key=lambda name: amounts[name])
    if not amounts[busiest]:
        return unavailable(Missing(f"no {' or '.join(columns)} are counted there",
                                   ("tablespace_io",)))  # fmt: skip
    place = 1 + sum(amount > amounts[busiest] for amount in amounts.values())
    first = next(t for t in map(partial(table_for, f), columns) if t and busiest in owners(f, t))
    row = first.rows[owners(f, first).index(busiest)]
    cells = [row.cell(column) for column in columns]
    proof = tuple(f.evidence(cell) for cell in cells if cell is not None)
    return text_fact(place, proof, "derived", f"{busiest}, among {len(amounts)}")


def source_note(f: Figures, columns: tuple[str, ...]) -> str:
    """The note if File IO Stats replaces Tablespace IO Stats."""
    by_file = files(f)
    doubted = [c for c in columns if by_file is not None and table_for(f, c) is by_file]
    if by_file is None or not doubted:
        return ""
    if f.tables.get("tablespace_io") is None:
        return f"summed over {by_file.title}"
    return (
        f"{' and '.join(doubted)} in Tablespace IO Stats differ from the sum of its files; "
        "summed over File IO Stats"
    )


def weighted_ms(
    f: Figures, found: list[Found], what: str, column: str, weight: str, *, timed: bool = True
) -> Average | Missing:
    """Average of a time column weighted by a count column, over rows that count something.

    If not all of its I/O is ``timed``, a time of 0 means untimed, and its row is omitted.
    """
    rows = _with_column(f, found, column, _counted(rows_of(f, found, what, weight), weight))
    if isinstance(rows, Missing):
        return rows
    parts: list[str] = []
    proof: list[Evidence] = []
    unread: list[str] = []
    total_count = total_ms = left_out = without_time = 0.0
    for row in rows:
        time, count = row.cell(column), row.cell(weight)
        amount = row.number(weight)
        if time is None or count is None or amount is None or amount <= 0:
            continue
        proof += [f.evidence(time), f.evidence(count)]
        if not timed and time.value == 0:
            without_time += amount
            continue
        if not isinstance(time.value, int | float):
            left_out += amount
            unread.append(f"{time.column} of {row.key} is `{time.text}`")
            continue
        total_ms += time.value * amount
        total_count += amount
        parts.append(f"{time.text} ms × {count.text}")
    if left_out > _LEFT_OUT * (total_count + left_out):
        return Missing(unread[0], ("tablespace_io",))
    if not total_count and without_time:
        return Missing(untimed(without_time, weight), ("tablespace_io",))
    if not total_count:
        return Missing(f"no {weight.replace('_', ' ')} are counted there", ("tablespace_io",))
    shown = " + ".join(parts)
    formula = f"({shown}) / {total_count:,.0f} {weight}" if len(parts) > 1 else ""
    notes = [f"{unread[0]}: its {left_out:,.0f} {weight} are omitted"] if unread else []
    notes += [untimed(without_time, weight)] if without_time else []
    return Average(total_ms / total_count, tuple(proof), formula, "; ".join(notes))


def _with_column(
    f: Figures, found: list[Found], column: str, rows: list[Row] | Missing
) -> list[Row] | Missing:
    """The rows if their section has a column, else those of a separate table of I/O times."""
    if isinstance(rows, Missing) or any(row.cell(column) is not None for row in rows):
        return rows
    why = f"{column} is not in the section"
    if column == "write_ms":
        why += " (reports before 12.2 have no write times)"
    return _timed_apart(f, found, column) or Missing(why, ("tablespace_io",))


def _timed_apart(f: Figures, found: list[Found], column: str) -> list[Row]:
    """The rows of a separate table of I/O times, if a report is followed by one."""
    table = f.tables.get("io_timing")
    names = {each.name for each in found}
    if table is None:
        return []
    # files are numbered (TEMP101, TEMP102) where only their names tell the tablespace
    rows = zip(owners(f, table), table.rows, strict=True)
    ours = [row for name, row in rows if name in names or name.rstrip("0123456789") in names]
    return [row for row in ours if row.cell(column) is not None]


def _counted(rows: list[Row] | Missing, column: str) -> list[Row] | Missing:
    """The rows, or why one of them cannot be weighted: its count is not a number."""
    for row in () if isinstance(rows, Missing) else rows:
        if row.number(column) is None and (column in COUNTS or is_lost(row.text(column))):
            return Missing(f"{column} of {row.key} is `{row.text(column)}`", ("tablespace_io",))
    return rows


def untimed(count: float, weight: str) -> str:
    """The note for I/O that is counted with a time of 0."""
    what = f"1 {weight.removesuffix('s')} is" if count == 1 else f"{count:,.0f} {weight} are"
    return f"{what} shown with 0 ms: direct I/O that is not timed"


def weighted_fact(
    f: Figures, found: list[Found], what: str, column: str, weight: str, *, timed: bool = True
) -> Fact:
    """``weighted_ms`` as a fact: measured for one row, derived for several."""
    result = weighted_ms(f, found, what, column, weight, timed=timed)
    if isinstance(result, Missing):
        return unavailable(result)
    notes = (result.note, source_note(f, (weight,)))
    fact = text_fact(result.ms, result.evidence, "derived" if result.formula else "measured")
    return fact._replace(formula=result.formula, note="; ".join(filter(None, notes)))


#: The source of a figure if the tablespaces have no data.
INSTEAD = "Tablespace IO Stats has no data: estimated from "
