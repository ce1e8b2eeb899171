"""The pages of `awrlens mttr`, as blocks: the recovery target, and the writes per target."""

from __future__ import annotations

from typing import TYPE_CHECKING

from awrlens.render.blocks import (
    BarRow,
    Bars,
    Block,
    Code,
    Column,
    Heading,
    Item,
    Items,
    KeyValues,
    Page,
    Paragraph,
    Piece,
    Row,
    Table,
)
from awrlens.render.wording import seconds, short, size

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from awrlens.advice.mttr import Target
    from awrlens.advice.write_cost import Prices
    from awrlens.lab.advisor import Advice
    from awrlens.model import Recommendation
    from awrlens.model.mttr_document import OfSpool


def target(found: Target, extra: OfSpool, *, everywhere: bool) -> Page:
    """The value to set, its parts, and the command; ``everywhere`` is for all instances.

    ``extra`` is what a spool has besides: parameters in the way, and advice on other targets.
    """
    value = found.fast_start_mttr_target_s
    blocks = (*_parts(found, everywhere=everywhere), *_spooled(extra))
    return Page(
        "The recovery target for a desired recovery time", (),
        f"FAST_START_MTTR_TARGET = {value}", "info", blocks,
    )  # fmt: skip


def _spooled(extra: OfSpool) -> Iterator[Block]:
    if extra.get("in_the_way"):
        yield Heading("Parameters in the way")
        yield Items(tuple(
            Item(f"{each['why']}.", f"{each['parameter']}={each['value']:.0f}", "warning")
            for each in extra["in_the_way"]
        ))  # fmt: skip
        yield Code("Commands", tuple(extra["commands"]))
        yield Code("Rollback", tuple(extra["rollback"]))
    if extra.get("points"):
        yield Heading("V$MTTR_TARGET_ADVICE")
        columns = ("target", "dirty blocks", "writes", "factor")
        rows = tuple(
            Row((f"{each['target_s']:,.0f} s",
                 "-" if each["dirty_blocks"] is None else f"{each['dirty_blocks']:,.0f}",
                 f"{each['cache_writes']:,.0f}", f"{each['factor']:.2f}"))
            for each in extra["points"]
        )  # fmt: skip
        yield Table("Writes by target", tuple(Column(each, "number") for each in columns), rows)


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
        label = "recovery by another instance now" if everywhere else "recovery after a crash now"
        rows.append((label, seconds(found.expected_mttr_s)))
    if found.lowest_s is not None:
        rows.append(("lowest achievable, at least", seconds(found.lowest_s)))
    yield KeyValues("Parts of the recovery time", tuple(rows))
    for note in found.notes:
        yield Paragraph(note.text)
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
            name, _known(row.estimated_mttr_s), _known(row.recovery_s), short(row.writes_per_s),
            f"{row.factor:.2f}", f"{row.throughput_pct:.1f} %",
        ))
        for name, row in zip(names, found.rows, strict=True)
    )  # fmt: skip
    columns = ("target", "estimate", "recovery", "writes/s", "factor", "throughput")
    return Page(
        "Recovery and writes per recovery target", (found.source,),
        f"A target of {names[0]} takes {found.rows[0].factor:.2f} times the writes.", "info",
        (
            Bars("Writes by target", "", 0.0, most, bars, legend=False),
            Table("Writes by target", tuple(Column(each, "number") for each in columns), rows),
            *(Paragraph(note, "dim") for note in found.notes),
        ),
    )  # fmt: skip


def _known(value: float | None) -> str:
    return "-" if value is None else seconds(value)


def advice(found: Advice, items: Sequence[Recommendation], target_s: float | None) -> Page:
    """What every target costs in a report; ``items`` is what is recommended."""
    title = items[0].title if items else "No target is recommended"
    row = found.row(target_s or 0.0)
    style = dict.fromkeys(("no", "tight", "tune first"), "warning").get(row.bears, "info")
    first = " ".join(
        filter(None, (row.cost, found.surviving(row), found.borne, found.with_present_logs))
    )
    return Page(
        f"Recovery targets of {found.name}", (found.source,), f"{title}.", style,
        (Paragraph(first), *_costs(found), *_recommended(items),
         *(Paragraph(note, "dim") for note in found.notes)),
    )  # fmt: skip


def _costs(found: Advice) -> Iterator[Block]:
    names = [f"{r.state.target_s:,.0f} s" if r.state.target_s else "none" for r in found.rows]
    yield Heading("Cost of every target", anchor="costs")
    falls = any(row.state.throughput < 1 for row in found.rows)
    cost = tuple(
        Row((name, _rate(row.writes_per_s), f"{row.factor:.2f}",
             "" if row.low == row.high else f"{row.low:.2f} to {row.high:.2f}",
             "-" if row.busy_pct is None else f"{row.busy_pct:.1f} %", row.bears,
             *((f"{row.state.throughput * 100:.0f} %",) if falls else ()), row.origin))
        for name, row in zip(names, found.rows, strict=True)
    )  # fmt: skip
    columns = ["target", "writes/s", "× now", "range", "of DBWR", "bears it"]
    columns += ["throughput"] if falls else []
    yield Table(
        "Cost of every target", (*(Column(each, "number") for each in columns), Column("by")), cost
    )
    yield Heading("Recovery with every target", anchor="recovery")
    parts = tuple(
        Row((name, f"up to {name}", *["-"] * 4, "target"))
        if row.hypothetical
        else Row((name, seconds(row.state.recovery_s),
                  seconds(row.state.redo_read_s) if row.state.fits else "-",
                  seconds(row.state.blocks_s) if row.state.fits else "-",
                  size(row.state.redo_bytes),
                  f"{row.state.dirty_blocks:,.0f}" if row.state.fits else "-", row.state.limit))
        for name, row in zip(names, found.rows, strict=True)
    )  # fmt: skip
    columns = ["target", "recovery", "redo read", "blocks", "redo", "dirty"]
    other = " A surviving instance does not need them." if found.rac else ""
    yield Paragraph(f"Start-up and opening of the files are {_start(found)}.{other}")
    yield Table(
        "Recovery with every target",
        (*(Column(each, "number") for each in columns), Column("limited by")), parts,
    )  # fmt: skip
    yield Heading("What limits recovery besides the target", anchor="limits")
    yield Items(tuple(
        Item(f"{size(each.redo_bytes)} of redo, {each.what} {seconds(each.recovery_s)}: "
             f"{each.text}.",
             each.name)
        for each in found.limits
    ))  # fmt: skip
    known = found.capacity.writes_per_s
    text = "not known" if known is None else f"{short(known)} blocks per second"
    if found.capacity.least_per_s is not None:
        text = f"at least {short(found.capacity.least_per_s)} blocks per second"
    lines = ", ".join(map(str, found.capacity.lines))
    place = f" (lines {lines})" if lines else ""
    yield Paragraph(f"DBWR's capacity: {text}: {found.capacity.formula}{place}.")


def _rate(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else short(value)  # noqa: PLR2004 - three digits


def _start(found: Advice) -> str:
    if found.fixed_by == "not included":
        return "not part of these times: the MTTR Advisory does not include them"
    if found.fixed_by == "not known":
        return (
            "part of these times, but the report does not show how long they take (at most "
            f"{seconds(found.fixed_most_s or 0.0)}, the lowest estimate)"
        )
    return f"part of every one: {_fixed(found)}"


def _fixed(found: Advice) -> str:
    if found.startup_s is None or found.file_open_s is None:
        most_s = found.fixed_most_s
        split = "" if most_s is None else f"; at most {seconds(most_s)}, the lowest estimate"
        return f"{seconds(found.fixed_s)} together ({found.fixed_by}{split})"
    return f"{seconds(found.startup_s)} and {seconds(found.file_open_s)} ({found.fixed_by})"


def _recommended(items: Sequence[Recommendation]) -> Iterator[Block]:
    for item in items:
        yield Heading(item.title, anchor=item.id)
        yield Paragraph(item.action)
        for label, lines in (("Commands", item.commands), ("Rollback", item.rollback)):
            if lines:
                yield Code(label, lines)
        if item.validate:
            yield Items(tuple(Item(each, "Verify") for each in item.validate))
