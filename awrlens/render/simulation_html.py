"""A simulation as one HTML page: recoveries in tables, timelines as charts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from awrlens.render import simulated_words as words
from awrlens.render.charts import Box, Grid, Linear, Mark, Path, Plot, Tick, linear
from awrlens.render.pages import fill
from awrlens.units import plain

if TYPE_CHECKING:
    from collections.abc import Sequence

    from awrlens.render.pages import Extras
    from awrlens.simulated import Simulation

#: A sample of one or two lines: seconds and value.
Row = tuple[tuple[float, float | None], ...]
#: Maximum number of rows in the table of a chart.
_ROWS: Final = 60
#: Steps between labels of the time axis, in seconds.
_STEPS: Final = (1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1200, 1800, 3600, 7200, 14400)
_LABELS: Final = 7
#: Charts: title, caption, name of the line, name of the dashed line.
_CHARTS: Final = (
    ("Redo generated", "No redo is generated during a brown-out.", "redo generated", ""),
    ("Checkpoint position: redo after the checkpoint", "Redo that a second pass would apply.",
     "redo after checkpoint", ""),
    ("Data blocks written", "DBWR writes to meet the recovery limits.", "data blocks written", ""),
    ("Recovery set of the buddy", "Dashed: dirty buffers (upper limit).",
     "recovery set of buddy", "dirty buffers"),
    ("Redo not yet read by the buddy", "The buddy reads when the backlog exceeds the threshold.",
     "redo not read by buddy", ""),
    ("Brown-out, if the instance failed now", "The first pass; dashed: without a buddy.",
     "brown-out if it failed", "  without a buddy"),
)  # fmt: skip


def render(found: Simulation, extras: Extras) -> str:
    """The whole page."""
    return fill(
        "simulation.html.j2",
        extras,
        title=found.title,
        headline=words.headline(found),
        setting=words.setting(found),
        recoveries=[
            {
                "title": words.title(each),
                "times": words.times(each),
                "notes": words.explained(each),
            }
            for each in found.recoveries
        ],
        instances=[(number, plots(found, number)) for number in found.instances()],
        maps=words.maps(found),
        notes=words.notes(found),
        parameters=[(name, _shown(value)) for name, value in found.parameters.items()],
    )


def plots(found: Simulation, number: int) -> list[Plot]:
    """The charts of an instance."""
    series = {each.name: each for each in words.series(found, number)}
    end = found.moments[-1].at_s or 1.0
    drawn = []
    for title, says, name, other in _CHARTS:
        if name not in series:
            continue
        lines = [series[each] for each in (name, other) if each]
        up = linear([value for each in lines for _, value in each.points if value is not None])
        drawn.append(
            Plot(
                title, says, "time", lines[0].unit or "blocks", _time(end), up.ticks(),
                Grid(
                    ("time", *(each.name.strip() for each in lines)),
                    tuple(
                        (words.clock(row[0][0]), *(_maybe(value) for _, value in row))
                        for row in _thinned(
                            list(zip(*(each.points for each in lines), strict=True))
                        )
                    ),
                ),
                _frozen(found, end), marks=_marks(found, end),
                lines=tuple(
                    path
                    for each, kind in zip(lines, ("", "other"), strict=False)
                    for path in _paths(each, kind, end, up)
                ),
            )
        )  # fmt: skip
    return drawn


def _paths(series: words.Series, kind: str, end: float, up: Linear) -> list[Path]:
    """A line with gaps where values are missing."""
    pieces: list[list[str]] = [[]]
    for at_s, value in series.points:
        if value is None:
            pieces.append([])
        else:
            pieces[-1].append(f"{100 * at_s / end:.2f},{100 - up.at(value):.2f}")
    return [Path(" ".join(piece), kind) for piece in pieces if piece]


def _frozen(found: Simulation, end: float) -> tuple[Box, ...]:
    """The brown-outs as boxes."""
    return tuple(
        Box(
            100 * each.at_s / end,
            100 * each.brown_out_s / end,
            100,
            f"brown-out {words.seconds(each.brown_out_s)}",
            "open",
        )
        for each in found.recoveries
    )


def _marks(found: Simulation, end: float) -> tuple[Mark, ...]:
    """The failures with their brown-outs."""
    return tuple(
        Mark(
            100 * each.at_s / end,
            str(number),
            f"{words.title(each)}: brown-out {words.seconds(each.brown_out_s)}",
            "now",
        )
        for number, each in enumerate(found.recoveries, start=1)
    )


def _time(end: float) -> tuple[Tick, ...]:
    step = next((each for each in _STEPS if end / each <= _LABELS), _STEPS[-1])
    return tuple(Tick(100 * at_s / end, words.clock(at_s)) for at_s in range(0, int(end) + 1, step))


def _maybe(value: float | None) -> str:
    return "" if value is None else words.amount(value)


def _thinned(rows: Sequence[Row]) -> Sequence[Row]:
    """A subset of the rows, always with the last."""
    every = -(-len(rows) // _ROWS)
    return [row for place, row in enumerate(rows) if place % every == 0 or row is rows[-1]]


def _shown(value: object) -> str:
    if isinstance(value, list):
        return "; ".join(
            f"{each['blocks']:,} at {plain(each['changes_per_s'])}/s" for each in value
        )
    if value is None:
        return "adaptive"
    return f"{value:,.10g}" if isinstance(value, float) else f"{value}"
