"""The page of a comparison, as blocks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from awrlens.render import contrasted
from awrlens.render.blocks import (
    Block,
    Column,
    Fold,
    Heading,
    Item,
    Items,
    Page,
    Paragraph,
    Row,
    Table,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from awrlens.contrast import Contrast
    from awrlens.model import Change


def page(found: Contrast) -> Page:
    """What changed from one side to the other."""
    return Page(
        f"before: {contrasted.side(found.before)}",
        (f"after: {contrasted.side(found.after)}",),
        contrasted.sentence(found.headline),
        contrasted.STYLES[found.said[0].verdict] if found.said else "ok",
        tuple(_blocks(found)),
    )


def _blocks(found: Contrast) -> Iterator[Block]:
    for warning in found.warnings:
        yield Paragraph(warning.message, "warning", "warning")
    yield from _unfair(found)
    yield from _expectations(found)
    yield from _changes(found)
    yield from _turns(found)
    yield from _events(found)
    yield from _facts(found)
    yield Paragraph(f"{contrasted.per(found)} {contrasted.noise(found)}", "dim")
    lacking = contrasted.lacking(found)
    if lacking:
        yield Heading("Not comparable")
        yield Fold("Reasons", (Items(tuple(Item(names, why) for why, names in lacking)),))
    for name, part in found.parts:
        yield Heading(f"{name[0].upper()}{name[1:]}")
        yield Paragraph(contrasted.sentence(part.headline), "strong")
        yield from _changes(part)


def _unfair(found: Contrast) -> Iterator[Block]:
    if not found.unfair:
        return
    yield Heading("Limits of the comparison", anchor="limits")
    yield Items(
        tuple(
            Item(f"{values}. {why}" if values else why, what)
            for what, values, why in contrasted.unfair(found)
        )
    )
    yield from _both("parameter", found.parameters)


def _both(name: str, changed: Sequence[Change]) -> Iterator[Block]:
    """A table of names with both values."""
    rows = tuple(Row(each) for each in contrasted.changes(changed))
    if rows:
        columns = (Column(name, "name"), Column("before"), Column("after"))
        yield Table(f"Changes by {name}", columns, rows)


def _expectations(found: Contrast) -> Iterator[Block]:
    if found.expectations:
        yield Heading("Effect of earlier recommendations")
        yield Items(
            tuple(
                Item(
                    f"{each.title} ({each.claimed})", contrasted.OUTCOMES[each.verdict],
                    contrasted.STYLES[each.verdict], (f"{each.reason}; {each.measured}",),
                )
                for each in found.expectations
            )
        )  # fmt: skip


def _changes(found: Contrast) -> Iterator[Block]:
    if found.said:
        yield Heading("Changes", anchor="changes")
        yield Items(
            tuple(
                Item(
                    contrasted.sentence(each.text), " ".join(contrasted.MARKS[each.verdict]),
                    contrasted.STYLES[each.verdict],
                )
                for each in found.said
            )
        )  # fmt: skip


def _turns(found: Contrast) -> Iterator[Block]:
    turns, left = contrasted.turns(found), contrasted.remained(found)
    if turns or left:
        yield Heading("Findings and verdicts", anchor="findings")
        items = [Item(text, movement) for movement, text in turns]
        yield Items((*items, Item(left)) if left else tuple(items))


def _events(found: Contrast) -> Iterator[Block]:
    rows = contrasted.event_rows(found)
    if rows:
        title = f"Wait events, ms per {found.basis.per}"
        yield Heading(title, anchor="events")
        names = ("before", "after", "change", "avg before", "avg after")
        yield Table(
            title,
            (Column("event", "name"), *(Column(name, "number") for name in names)),
            tuple(Row(each[:6], contrasted.STYLES[each.verdict]) for each in rows),
            tools=True,
        )


def _facts(found: Contrast) -> Iterator[Block]:
    for verdict, title in contrasted.GROUPS:
        rows = contrasted.rows(found, verdict)
        if rows:
            yield Heading(title)
            yield Table(
                title,
                (Column("fact", "name"), Column("before", "number"), Column("after", "number"),
                 Column("unit"), Column("change", "number"),
                 Column("formula before, after", narrow=False), Column("noise", narrow=False)),
                tuple(
                    Row((*each[:5], " | ".join(each.how), each.noise), contrasted.STYLES[verdict])
                    for each in rows
                ),
            )  # fmt: skip
    yield from _both("name", found.names)
