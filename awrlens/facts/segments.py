"""Hot tables and indexes: the segments with most reads, writes and buffer busy waits.

Source: "Write Accelerator", Summary: after redo, temporary and undo writes, "hot indexes and
tables" are next. Statspack collects segment statistics from snapshot level 7 on.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from awrlens.fact_table import fact
from awrlens.facts.formula import Missing, text_fact, unavailable

if TYPE_CHECKING:
    from collections.abc import Callable

    from awrlens.facts.numbers import Figures
    from awrlens.model import Fact
    from awrlens.report.table_rows import Row

#: Number of segments that are named.
_NAMED: Final = 3
#: A segment below this share is not hot. # awrlens: a tenth
_HOT_PCT: Final = 10.0


def hot_segments(section: str, column: str, what: str) -> Callable[[Figures], Fact]:
    """The segments with the largest counts of one kind."""

    def fact(f: Figures) -> Fact:
        table = f.tables.get(section)
        if table is None:
            return unavailable(f.missing(section))
        named = [(_name(row), row) for row in table.rows]
        rows = dict(named)
        damaged = next((r for r in rows.values() if not _is_whole(r, column)), None)
        if damaged is not None or (
            len(rows) < len(named)
            and len(rows) < len({(name, row.number(column)) for name, row in named})
        ):
            why = f"a row of {table.title} cannot be read, or one is there twice"
            return unavailable(Missing(why, (section,), lost=True))
        found = sorted(rows.values(), key=lambda row: -(row.number(column) or 0))
        own = [row for row in found if not _is_oracles(row)]
        hot = [row for row in own[:_NAMED] if (row.number("total_pct") or 0) >= _HOT_PCT]
        if not hot:
            besides = " besides those of SYS and SYSTEM" if len(own) < len(found) else ""
            why = f"no segment has {_HOT_PCT:g} % of the {what} in {table.title}{besides}"
            return unavailable(Missing(why, (section,)))
        cells = [
            cell for row in hot for cell in (row.cell("object_name"), row.cell(column)) if cell
        ]
        shares = "; ".join(f"{_name(row)}: {row.text('total_pct')} %" for row in hot)
        names = tuple(map(_name, hot))
        return text_fact(names, tuple(map(f.evidence, cells)), "measured", shares)

    fact.__doc__ = (
        f"Segments with {_HOT_PCT:g} % or more of the {what}, at most {_NAMED}; not those of SYS "
        "and SYSTEM, which are not moved."
    )
    return fact


#: Owners of Oracle's dictionary.
_ORACLES: Final = ("SYS", "SYSTEM")


def _is_oracles(row: Row) -> bool:
    """Whether a segment is of Oracle's dictionary or has no name (`** UNAVAILABLE **`)."""
    owner = row.text("owner") or ""
    return owner.upper() in _ORACLES or owner.startswith("**")


def _is_whole(row: Row, column: str) -> bool:
    """Whether a row has an owner, a name, a count and a share."""
    numbers = (row.number(column), row.number("total_pct"))
    return bool(row.text("owner") and _name(row)) and None not in numbers


def _name(row: Row) -> str:
    """Owner and name of a segment, with its partition."""
    parts = [row.text(column) for column in ("owner", "object_name", "subobject_name")]
    return ".".join(filter(None, parts)) if parts[1] else ""


_READS: Final = "segments_by_physical_reads"
_WRITES: Final = "segments_by_physical_writes"
_BUSY: Final = "segments_by_buffer_busy_waits"

fact("io.read_segments", "names", _READS, kind="level", better="neither")(
    hot_segments(_READS, "physical_reads", "physical reads")
)
fact("io.write_segments", "names", _WRITES, kind="level", better="neither")(
    hot_segments(_WRITES, "physical_writes", "physical writes")
)
fact("io.busy_segments", "names", _BUSY, kind="level", better="neither")(
    hot_segments(_BUSY, "buffer_busy_waits", "buffer busy waits")
)
