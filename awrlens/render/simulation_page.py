"""The page of a simulated crash, as blocks: recoveries as bars, then the brown-out over time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from awrlens.render import simulation_words as words
from awrlens.render.blocks import (
    BarRow,
    Bars,
    Block,
    Chart,
    Column,
    Course,
    Courses,
    Fold,
    Heading,
    Item,
    Items,
    Page,
    Paragraph,
    Row,
    Table,
)
from awrlens.render.charts import Grid, Mark, Path, Plot, Tick, linear
from awrlens.render.phases import pieces
from awrlens.render.quantity import seconds, short, size

if TYPE_CHECKING:
    from collections.abc import Iterator

    from awrlens.model.simulation import Recovery, Sample, Simulation

#: Maximum number of rows in the table of a chart.
_ROWS: Final = 60
#: Steps between labels of the time axis, in seconds, and the maximum number of labels.
_STEPS: Final = (1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1200, 1800, 3600, 7200, 14400)
_LABELS: Final = 6
_MINUTE_S: Final = 60
#: Shorter time axes are in seconds.
_SHORT_S: Final = 120


def page(found: Simulation) -> Page:
    """The recoveries with and without buddies, and everything else folded."""
    return Page(
        found.title, (words.setting(found),), words.headline(found), "info", tuple(_blocks(found))
    )


def _blocks(found: Simulation) -> Iterator[Block]:
    for each in found.recoveries:
        yield Heading(words.title(each))
        yield from _recovery(found, each)
        if text := words.blocked(found, each):
            yield Paragraph(text)
    yield from _choices(found)
    yield from _chart(found)
    yield Fold("Details", tuple(_details(found)))
    yield Fold("All timelines", tuple(_timelines(found)), terminal=False)
    rows = tuple(Row(each) for each in words.parameters(found))
    columns = Column("parameter", "name"), Column("value")
    yield Fold("Parameters", (Table("Parameters", columns, rows),), terminal=False)
    yield Paragraph(words.LIMITS, "dim")


def _recovery(found: Simulation, each: Recovery) -> Iterator[Block]:
    """Both bars of a recovery to scale, and the seconds of their phases."""
    if not each.complete:
        return
    sides = [("with buddies", each.phases(), each.brown_out_s, each.total_s)]
    without = each.phases(with_buddies=False)
    if found.parameters["buddies"] and each.instance is not None:
        sides.append(("without buddies", without, each.brown_out_without_s, each.total_without_s))
    else:
        sides = [("recovery", *sides[0][1:])]
    longest = max(total for *_, total in sides)
    yield Bars(
        "Recovery by phase", "s", 0.0, longest,
        tuple(
            BarRow(name, pieces((p.name, p.seconds) for p in phases), seconds(total))
            for name, phases, _, total in sides
        ),
    )  # fmt: skip
    named = [{phase.name: phase.seconds for phase in phases} for _, phases, *_ in sides]
    order = dict.fromkeys(phase.name for _, phases, *_ in sides for phase in phases)
    rows = [Row((name, *(seconds(own.get(name, 0.0)) for own in named))) for name in order]
    frozen = "frozen (brown-out)" if each.instance is not None else "database down"
    rows.append(Row((frozen, *(seconds(down) for *_, down, _ in sides))))
    rows.append(Row(("whole recovery", *(seconds(total) for *_, total in sides))))
    columns = (Column("phase"), *(Column(name, "number") for name, *_ in sides))
    yield Table("Phases", columns, tuple(rows))


def _choices(found: Simulation) -> Iterator[Block]:
    """A buddy or a lower target, side by side with what they cost."""
    if len(found.choices) < 2:  # noqa: PLR2004 - nothing to choose from
        return
    yield Heading("A buddy or a lower target", anchor="choices")
    rows = [
        Row((
            each.name, f"{each.target_s:.0f}" if each.target_s else "off",
            seconds(each.frozen_s), seconds(each.blocked_s), f"{short(each.writes_per_s)}/s",
            size(each.buddy_reads_bytes_per_s, "/s") if each.buddy_reads_bytes_per_s else "-",
        ))
        for each in found.choices
    ]  # fmt: skip
    columns = (
        Column("choice"),
        *(Column(name, "number") for name in ("target", "frozen", "then blocked", "data writes",
                                              "redo reads")),
    )  # fmt: skip
    yield Table("A buddy or a lower target", columns, tuple(rows))
    yield Paragraph(words.CHOICES, "dim")


def _chart(found: Simulation) -> Iterator[Block]:
    """The brown-out if the first instance that fails had failed at another time."""
    number = next((each.failed[0] for each in found.recoveries), None)
    seen: list[tuple[float, Sample]] = [
        (moment.at_s, moment.instances[number])
        for moment in found.moments
        if number in moment.members
    ]
    most = max((each.brown_out_without_s for _, each in seen), default=0.0)
    if number is None or len(seen) < len(("begin", "end")) or not most:
        return
    title = f"Brown-out, if instance {number} failed at another time"
    buddies = bool(found.parameters["buddies"])
    lines = [("without buddies", "other", [each.brown_out_without_s for _, each in seen])]
    if buddies:
        lines.insert(0, ("with buddies", "", [each.brown_out_s for _, each in seen]))
    else:
        lines = [("brown-out", "", lines[0][2])]
    end, up = seen[-1][0], linear([most])
    per, unit = (1, "seconds") if end <= _SHORT_S else (_MINUTE_S, "minutes")
    step = next((each for each in _STEPS if end / each <= _LABELS), _STEPS[-1])
    every = -(-len(seen) // _ROWS)
    yield Chart(
        Plot(
            title, "Solid: with buddies. Dashed: without." if buddies else "", unit, "s",
            tuple(Tick(100 * at / end, short(at / per)) for at in range(0, int(end) + 1, step)),
            up.ticks(),
            Grid(
                ("time", *(f"{name}, s" for name, *_ in lines)),
                tuple(
                    (words.clock(at), *(short(values[n]) for *_, values in lines))
                    for n, (at, _) in enumerate(seen)
                    if n % every == 0 or n == len(seen) - 1
                ),
            ),
            marks=tuple(
                Mark(100 * each.at_s / end, str(n), words.title(each), "now")
                for n, each in enumerate(found.recoveries, start=1)
                if number in each.failed and each.at_s <= end
            ),
            lines=tuple(
                Path(
                    " ".join(
                        f"{100 * at / end:.2f},{100 - up.at(value):.2f}"
                        for (at, _), value in zip(seen, values, strict=True)
                    ),
                    kind,
                )
                for _, kind, values in lines
            ),
        ),
        (
            Heading(title),
            Courses(
                title, ("min", "max"),
                tuple(
                    Course(name, tuple(values), (seconds(min(values)),
                                                 seconds(max(values))))
                    for name, _, values in lines
                ),
                words.clock(0), words.clock(end),
            ),
        ),
    )  # fmt: skip


def _details(found: Simulation) -> Iterator[Block]:
    yield Items(tuple(Item(text) for each in found.recoveries for text in words.explained(each)))
    if len(found.maps) > 1:
        yield Items(tuple(Item(text) for text in words.maps(found)))
    yield Items(tuple(Item(text) for text in words.notes(found)))


def _timelines(found: Simulation) -> Iterator[Block]:
    """Sparklines of every instance; what is always 0 is named."""
    end = words.clock(found.moments[-1].at_s)
    for number in found.instances():
        shown, zero = [], []
        for each in words.series(found, number):
            known = [value for value in each.values if value is not None]
            if any(known):
                shown.append(Course(each.name, each.values, (each.shown(max(known)),)))
            elif known:
                zero.append(each.name)
        name = f"instance {number}"
        yield Courses(name, ("maximum",), tuple(shown), words.clock(0), end)
        if zero:
            yield Paragraph(f"Always 0 on {name}: {', '.join(zero)}.", "dim")
