"""The pages of `awrlens mttr`, as blocks: the recovery target, and the writes per target."""

from __future__ import annotations

from typing import TYPE_CHECKING

from awrlens.render.blocks import (
    BarRow,
    Bars,
    Block,
    Code,
    Column,
    KeyValues,
    Page,
    Paragraph,
    Piece,
    Row,
    Table,
)
from awrlens.render.quantity import seconds, short

if TYPE_CHECKING:
    from collections.abc import Iterator

    from awrlens.advice.mttr import Target
    from awrlens.advice.prices import Prices


def target(found: Target, *, everywhere: bool) -> Page:
    """The value to set, its parts, and the command; ``everywhere`` is for all instances."""
    value = found.fast_start_mttr_target_s
    return Page(
        "The recovery target for a desired recovery time", (),
        f"FAST_START_MTTR_TARGET = {value}", "info", tuple(_parts(found, everywhere=everywhere)),
    )  # fmt: skip


def _parts(found: Target, *, everywhere: bool) -> Iterator[Block]:
    if found.formula:
        yield Paragraph(found.formula, "dim")
    rows = [
        (label, "not known" if spent is None else seconds(spent))
        for label, spent in (
            ("instance startup", found.startup_s),
            ("opening the data files", found.file_open_s),
            ("cache recovery (roll forward)", found.cache_recovery_s),
        )
    ]
    if found.expected_mttr_s is not None:
        rows.append(("expected after a crash now", seconds(found.expected_mttr_s)))
    if found.lowest_s is not None:
        rows.append(("lowest achievable, at least", seconds(found.lowest_s)))
    yield KeyValues("Parts of the recovery time", tuple(rows))
    for note in found.notes:
        yield Paragraph(note)
    scope = "SCOPE=BOTH SID='*'" if everywhere else "SCOPE=BOTH"
    value = found.fast_start_mttr_target_s
    yield Code("", (f"ALTER SYSTEM SET fast_start_mttr_target={value} {scope};",))


def curve(found: Prices) -> Page:
    """The writes per target as bars and in a table; what is interpolated has a ``~``."""
    names = ["off" if row.target_s == 0 else f"{row.target_s:,.0f} s" for row in found.rows]
    most = max(row.factor for row in found.rows)
    bars = tuple(
        BarRow(
            f"{name}{'' if row.printed else ' ~'}", (Piece(0.0, row.factor, "info"),),
            f"× {row.factor:.2f}",
        )
        for name, row in zip(names, found.rows, strict=True)
    )  # fmt: skip
    rows = tuple(
        Row((
            name, "-" if row.writes_per_s is None else short(row.writes_per_s),
            f"{row.factor:.2f}",
            "-" if row.throughput_pct is None else f"{row.throughput_pct:.1f} %",
        ))
        for name, row in zip(names, found.rows, strict=True)
    )  # fmt: skip
    columns = ("target", "writes/s", "factor", "throughput")
    return Page(
        "Writes per recovery target", (found.source,),
        f"A target of {names[0]} takes {found.rows[0].factor:.2f} times the writes.", "info",
        (
            Bars("Writes by target", "", 0.0, most, bars, legend=False),
            Table("Writes by target", tuple(Column(each, "number") for each in columns), rows),
            *(Paragraph(note, "dim") for note in found.notes),
        ),
    )  # fmt: skip
