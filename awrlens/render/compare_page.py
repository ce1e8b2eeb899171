"""The page of a comparison, as blocks: verdict, DB time, findings, changes, then the details."""

from __future__ import annotations

from typing import TYPE_CHECKING

from awrlens.model import DB_TIME
from awrlens.model.comparison import CHANGED
from awrlens.render import comparison_words as words
from awrlens.render.blocks import (
    BarRow,
    Bars,
    Block,
    Column,
    Fold,
    Heading,
    Item,
    Items,
    Page,
    Paragraph,
    Piece,
    Row,
    Table,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from awrlens.model import Change
    from awrlens.model.comparison import ChangedParameter, Comparison, DbTime

#: Findings, and changes, of the short page.
_FINDINGS, _MOVERS, _STEPS = 3, 7, 4
#: Severities of findings that the short page has in full.
_ALARMS = ("warning", "critical")


def page(found: Comparison, *, brief: bool = False) -> Page:
    """What changed from one side to the other; ``brief``: without the details."""
    title, about = words.who(found)
    load = words.load(found)
    return Page(
        title,
        (*about, f"load: {load}") if load else about,
        words.sentence(found.headline),
        found.severity,
        tuple(_blocks(found, brief=brief)),
    )


def _blocks(found: Comparison, *, brief: bool) -> Iterator[Block]:
    badge, style = words.BADGES[found.comparability.grade]
    yield Paragraph(words.sentence(found.comparability.reason), style, badge)
    for warning in found.warnings:
        yield Paragraph(warning.message, "warning", "warning")
    yield from _expectations(found)
    yield from _db_time(found, brief=brief)
    yield from _findings(found, brief=brief)
    yield from _movers(found, brief=brief)
    for name, part in found.parts:
        yield Heading(f"{name[0].upper()}{name[1:]}", anchor=name.replace(" ", "-"))
        yield Paragraph(words.sentence(part.headline), part.severity)
        if not brief:
            yield from _sentences(part, "")
    if brief:
        yield Paragraph(_left(found), "dim")
    else:
        yield from _details(found)


def _left(found: Comparison) -> str:
    told = sum(each.verdict in CHANGED for each in found.main)
    facts = "1 fact" if told == 1 else f"{told} facts"
    return f"{facts} changed beyond noise: all of them and their reasons with --verbose"


def _expectations(found: Comparison) -> Iterator[Block]:
    if found.expectations:
        yield Heading("Effect of earlier recommendations", anchor="expectations")
        yield Items(
            tuple(
                Item(
                    f"{each.title} ({each.claimed})", words.OUTCOMES[each.verdict],
                    words.STYLES[each.verdict], (f"{each.reason}; {each.measured}",),
                )
                for each in found.expectations
            )
        )  # fmt: skip


def _db_time(found: Comparison, *, brief: bool) -> Iterator[Block]:
    """Both bars on one axis, then the steps from one to the other."""
    whole = found.db_time
    if whole is None:
        return
    several = max(found.before.reports, found.after.reports) > 1
    title = (
        f"{found.basis.time} per {found.basis.per}{' of all reports together' if several else ''}"
    )
    yield Heading(title, anchor="db-time")
    rows = (
        BarRow("before", tuple(_stacked(whole, after=False)), words.ms(whole.before_ms)),
        BarRow("after", tuple(_stacked(whole, after=True)), words.ms(whole.after_ms)),
        *_steps(whole, brief=brief),
    )
    high = max(max(piece.begin, piece.end) for row in rows for piece in row.pieces)
    yield Bars(title, "ms", 0.0, high, rows)


def _stacked(whole: DbTime, *, after: bool) -> Iterator[Piece]:
    """The parts of a bar; CPU and waits may overlap, but a bar is no longer than DB time."""
    end, most = 0.0, whole.after_ms if after else whole.before_ms
    for part in whole.parts:
        value = part.after_ms if after else part.before_ms
        if value > 0 and end < most:
            begin, end = end, min(end + value, most)
            yield Piece(begin, end, part.part, words.plain(part.name), words.ms(value))


def _steps(whole: DbTime, *, brief: bool) -> Iterator[BarRow]:
    """What grew or shrank, from the end of the first bar to the end of the second."""
    end = whole.before_ms
    for each in whole.steps_of(_STEPS) if brief else whole.steps:
        begin, end = end, end + each.change_ms
        style = "warning" if each.change_ms > 0 else "ok"
        yield BarRow(
            words.plain(each.name), (Piece(begin, end, style),),
            words.signed(each.change_ms),
        )  # fmt: skip


def _findings(found: Comparison, *, brief: bool) -> Iterator[Block]:
    turns = [
        (word, each)
        for movement, word in words.FAMILIES
        for each in found.findings
        if each.movement == movement
    ]
    if not turns:
        return
    shown = turns
    if brief:
        alarms = [each for each in turns if {each[1].before, each[1].after} & {*_ALARMS}]
        alarms.sort(key=lambda each: each[1].after != "critical")
        shown = (alarms or [each for each in turns if each[1].movement != "remained"])[:_FINDINGS]
    items = [
        Item(words.turn(each, found.basis.per), word, _style(each.after or "ok"))
        for word, each in shown
    ]
    left: dict[str, list[str]] = {}
    for word, each in turns:
        if (word, each) not in shown:
            left.setdefault(word, []).append(each.id)
    if left:
        rest = "; ".join(f"{word} {', '.join(ids)}" for word, ids in left.items())
        items.append(Item(f"{'also ' if items else ''}{rest}", style="dim"))
    yield Heading("Findings", anchor="findings")
    yield Items(tuple(items))


def _style(severity: str) -> str:
    return "" if severity == "ok" else severity


def _movers(found: Comparison, *, brief: bool) -> Iterator[Block]:
    movers = found.movers[:_MOVERS] if brief else found.movers
    if not movers:
        return
    yield Heading("What moved", anchor="changes")
    yield Table(
        "What moved",
        (Column(f"wait per {found.basis.per}, or key figure"), Column("before", "number"),
         Column("after", "number"), Column("change", "number"),
         Column("of DB time" if found.basis.time == DB_TIME else "share", "number"),
         Column("verdict", narrow=False)),
        tuple(
            Row(
                words.mover(each), words.STYLES[each.verdict],
                keys=(None, each.before, each.after, each.change_pct, each.pct_db_time, None),
                group=each.verdict,
            )
            for each in movers
        ),
        tools=True,
    )  # fmt: skip


def _details(found: Comparison) -> Iterator[Block]:
    yield from _sentences(found, "sentences")
    write = [each for each in found.parameters if each.about == "write-path"]
    others = [each for each in found.parameters if each.about == "other"]
    names = len(found.parameters) - len(write) - len(others)
    tables = (*_both("Parameters of the write path", write), *_both("Other parameters", others))
    if names:
        tables = (*tables, Paragraph(f"{names} names and paths also differ.", "dim"))
    if tables:
        yield Fold("Parameters", tables, "parameters")
    if found.unfair:
        items = tuple(Item(text, what) for what, text in words.limits(found))
        yield Fold("Limits", (Items(items),), "limits")
    yield Fold("All changes", tuple(_all(found)), "all-changes")
    lacking = words.lacking(found)
    if lacking:
        items = tuple(Item(names, why) for why, names in lacking)
        yield Fold("Not comparable", (Items(items),), "lacking")


def _sentences(found: Comparison, anchor: str) -> Iterator[Block]:
    if found.said:
        items = (
            Item(
                words.sentence(each.text), " ".join(words.MARKS[each.verdict]),
                words.STYLES[each.verdict],
            )
            for each in found.said
        )  # fmt: skip
        yield Fold("Sentences", (Items(tuple(items)),), anchor)


def _both(title: str, changed: Sequence[Change | ChangedParameter]) -> Iterator[Block]:
    """A table of names with both values."""
    rows = tuple(Row(each) for each in words.changes(changed))
    if rows:
        yield Heading(title, level=3)
        yield Table(title, (Column("name", "name"), Column("before"), Column("after")), rows)


def _all(found: Comparison) -> Iterator[Block]:
    events = [each for each in found.events if each.verdict in CHANGED]
    if events:
        title = f"Wait events, ms per {found.basis.per}"
        names = ("before", "after", "change", "avg before", "avg after")
        yield Heading(title, level=3)
        yield Table(
            title,
            (Column("event", "name"), *(Column(name, "number") for name in names)),
            tuple(Row(words.event_row(e), words.STYLES[e.verdict]) for e in events),
            tools=True,
        )
    facts = words.changed_facts(found)
    if facts:
        yield Heading("Facts and their formulas", level=3)
        yield Table(
            "Facts and their formulas",
            (Column("fact", "name"), Column("before", "number"), Column("after", "number"),
             Column("unit"), Column("change", "number"), Column("verdict"),
             Column("formula before, after", narrow=False)),
            tuple(
                Row(words.fact_row(each), words.STYLES[each.verdict], group=each.verdict)
                for each in facts
            ),
            tools=True,
        )  # fmt: skip
    yield from _both("Names", found.names)
    yield Paragraph(words.noise(found), "dim")
