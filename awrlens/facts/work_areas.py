"""Work areas: how many stayed in memory, which went to disk, and the parameters of their size.

Source: "Write Accelerator", "Temporary Tablespace Writes and Reads"; Oracle Database Performance
Tuning Guide, "Tuning the Program Global Area".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from awrlens.fact_table import fact
from awrlens.facts.cells import twice
from awrlens.facts.formula import (
    Figure,
    Missing,
    add,
    derive,
    measured,
    readable,
    text_fact,
    unavailable,
)
from awrlens.facts.numbers import unreadable
from awrlens.facts.sections import PARAMETERS
from awrlens.units import parse_number

if TYPE_CHECKING:
    from collections.abc import Callable

    from awrlens.facts.numbers import Figures
    from awrlens.model import Fact, Status
    from awrlens.report.table_rows import Row

_WORK_AREAS: Final = "instance_activity|pga_histogram"

_PASSES: Final = (("onepass_execs", "one-pass"), ("multipass_execs", "multi-pass"))


def _work_areas(f: Figures, which: str) -> Figure | Missing:
    """Executions of work areas: the statistic, otherwise the sum of the histogram."""
    found = f.stat(f"workarea executions - {which}", f"{which} executions")
    if isinstance(found, Figure):
        return found
    if f.tables.get("pga_histogram") is None:
        if f.tables.get("instance_activity") is not None:
            return found
        return f.missing("instance_activity", "pga_histogram")
    label = f"{which} executions"
    absent = Missing("PGA Aggr Target Histogram has no such column", ("pga_histogram",))
    rows = f.once(_classes)
    if isinstance(rows, Missing):
        return rows
    figures = readable([f.figure(row.cell(f"{which}_execs"), label, absent) for row in rows])
    if isinstance(figures, Missing):
        return figures
    # an excerpt, or a report that ends early, may lack classes
    total = add(figures, label)
    return total if f.complete else total._replace(status="estimated")


@fact("pga.optimal_pct", "%", _WORK_AREAS, kind="level", better="higher")
def optimal_pct(f: Figures) -> Fact:
    """Share of work areas that stayed in memory."""
    return derive(
        "optimal * 100 / (optimal + onepass + multipass)",
        optimal=_work_areas(f, "optimal"),
        onepass=_work_areas(f, "onepass"),
        multipass=_work_areas(f, "multipass"),
    )


@fact("pga.onepass", "count", _WORK_AREAS, kind="total", better="lower")
def onepass(f: Figures) -> Fact:
    """Work areas that were written to disk once."""
    return measured(_work_areas(f, "onepass"))


@fact("pga.multipass", "count", _WORK_AREAS, kind="total", better="lower")
def multipass(f: Figures) -> Fact:
    """Work areas that were written to disk and read again several times."""
    return measured(_work_areas(f, "multipass"))


def _classes(f: Figures) -> list[Row] | Missing:
    """Classes of the histogram, each once even if the section appears twice."""
    table = f.tables.get("pga_histogram")
    found: dict[tuple[str, str], Row] = {}
    for row in table.rows if table is not None else ():
        size = row.text("low_optimal_b"), row.text("high_optimal_b")
        first = found.setdefault(size, row)
        if first is not row and first.values() != row.values():
            why = f"the class {' to '.join(size)} is printed twice, with different figures"
            return Missing(why, ("pga_histogram",), lost=True)
    if not found:
        return Missing("PGA Aggr Target Histogram has no rows", ("pga_histogram",))
    return list(found.values())


def _spilled(f: Figures) -> list[Row] | Missing:
    """Classes of the histogram in which work areas went to disk."""
    columns = ["low_optimal_b", "high_optimal_b", *(column for column, _ in _PASSES)]
    rows = f.once(_classes)
    if isinstance(rows, Missing):
        return rows
    table = f.tables.get("pga_histogram")
    if table is not None and (lost := unreadable(f, table, rows, *columns)):
        return lost
    return [row for row in rows if any(row.number(column) for column, _ in _PASSES)]


def _passes(row: Row) -> float:
    return sum(row.number(column) or 0 for column, _ in _PASSES)


def _least_bytes(row: Row) -> float:
    """Bytes that went to disk at least: passes × the smallest optimal size of the class."""
    return _passes(row) * (row.number("low_optimal_b") or 0)


def _range(row: Row) -> str:
    return f"{row.text('low_optimal_b')} to {row.text('high_optimal_b')}"


@fact("pga.spilled_classes", "names", "pga_histogram", kind="level", better="neither")
def spilled_classes(f: Figures) -> Fact:
    """Classes of the PGA histogram whose work areas went to disk, by their optimal size."""
    if f.tables.get("pga_histogram") is None:
        return unavailable(f.missing("pga_histogram"))
    names, proof = [], []
    rows = f.once(_spilled)
    if isinstance(rows, Missing):
        return unavailable(rows)
    for row in rows:
        counts = []
        for column, word in _PASSES:
            cell = row.cell(column)
            if cell is not None and row.number(column):
                counts.append(f"{cell.text} {word}")
                proof.append(f.evidence(cell))
        names.append(f"{_range(row)}: {', '.join(counts)}")
    status: Status = "measured" if f.complete else "estimated"
    if not names:
        return text_fact((), (), status, "no class has one-pass or multi-pass executions")
    most, largest = max(rows, key=_passes), max(rows, key=_least_bytes)
    note = f"most passes in {_range(most)}"
    if largest is not most:
        note += f", most of the data in {_range(largest)} ({_passes(largest):,.0f} passes)"
    return text_fact(tuple(names), tuple(proof), status, note)


@fact("pga.largest_spill_mb", "MB", "pga_histogram", kind="level", better="neither")
def largest_spill_mb(f: Figures) -> Fact:
    """Upper bound of the optimal size of the largest work area that went to disk."""
    if f.tables.get("pga_histogram") is None:
        return unavailable(f.missing("pga_histogram"))
    rows = f.once(_spilled)
    none = Missing("no class of the histogram has one-pass or multi-pass executions",
                   ("pga_histogram",))  # fmt: skip
    if isinstance(rows, Missing):
        return unavailable(rows)
    bounds = readable([f.figure(row.cell("high_optimal_b"), "B", none) for row in rows])
    if isinstance(bounds, Missing):
        return unavailable(bounds)
    if not bounds:
        return unavailable(none)
    return derive("bound / 1024 / 1024", bound=max(bounds, key=lambda figure: figure.value))


def end(f: Figures, column: str, label: str) -> Figure | Missing:
    """A cell of PGA Aggr Target Stats at the end snapshot."""
    return at(f, "E", column, label)


def at(f: Figures, snapshot: str, column: str, label: str) -> Figure | Missing:
    """A cell of PGA Aggr Target Stats at the begin (B) or end (E) snapshot."""
    table = f.tables.get("pga_target")
    if table is None or not table.rows:
        when = column.replace("_mb", "_end_mb") if snapshot == "E" else column
        return f.of_instance("pga_target_by_instance", when, label, f.missing("pga_target"))
    others = [each for each in table.rows if each.text("snapshot") not in {"B", "E"}]
    rows = [each for each in table.rows if each.text("snapshot") == snapshot] or others
    if not rows:
        return Missing(f"PGA Aggr Target Stats has no row {snapshot}", ("pga_target",))
    row = rows[-1 if snapshot == "E" else 0]
    if row.key and table.is_disputed(row.key):
        return twice(table, row)
    absent = Missing("PGA Aggr Target Stats has no such column", ("pga_target",))
    return f.figure(row.cell(column), label, absent)


@fact(
    "pga.work_area_policy",
    "name",
    "parameters|pga_target|pga_target_by_instance",
    kind="setting",
    better="neither",
)
def policy(f: Figures) -> Fact:
    """Whether work areas are sized automatically (``auto``) or by parameters (``manual``)."""
    printed = f.parameter("workarea_size_policy")
    if printed and printed[0]:
        return text_fact(printed[0].lower(), (printed[1],), "measured")
    found = end(f, "target_mb", "MB")
    targets = [(found.value, found.evidence[0])] if isinstance(found, Figure) else []
    for name in ("pga_aggregate_target", "memory_target"):
        target = f.parameter(name)
        size = parse_number(target[0]) if target else None
        if target is not None and size is not None:
            targets.append((size, target[1]))
    if targets:  # MEMORY_TARGET sizes work areas while PGA_AGGREGATE_TARGET is 0
        size, proof = max(targets, key=lambda each: each[0])
        return text_fact("auto" if size > 0 else "manual", (proof,), "derived")
    sizes = f.parameter("sort_area_size")
    if sizes and f.tables.get("pga_histogram") is None and f.tables.get("time_model") is None:
        note = "a release without a PGA target: the report has no PGA sections"
        return text_fact("manual", (sizes[1],), "estimated", note)
    return unavailable(f.missing("parameters", "pga_target"))


def area_size(name: str) -> Callable[[Figures], Fact]:
    """A size of manual work areas, as set."""

    def fact(f: Figures) -> Fact:
        printed = f.parameter(name)
        if printed is None:
            why = f"`{name}` is not listed (non-default parameters only)"
            return unavailable(Missing(why, ("parameters",)))
        number = parse_number(printed[0])
        if number is None:
            return unavailable(Missing(f"`{name}` is `{printed[0]}`", ("parameters",)))
        return measured(Figure(number, "B", (printed[1],)))

    fact.__doc__ = f"Initialization parameter {name}, which sizes manual work areas."
    return fact


fact("pga.sort_area_size_b", "B", PARAMETERS, kind="setting", better="neither")(
    area_size("sort_area_size")
)
fact("pga.hash_area_size_b", "B", PARAMETERS, kind="setting", better="neither")(
    area_size("hash_area_size")
)
fact("pga.bitmap_merge_area_size_b", "B", PARAMETERS, kind="setting", better="neither")(
    area_size("bitmap_merge_area_size")
)
fact("pga.create_bitmap_area_size_b", "B", PARAMETERS, kind="setting", better="neither")(
    area_size("create_bitmap_area_size")
)
