"""A page of blocks as one HTML page; jinja2 escapes every value."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from awrlens.render import blocks as b
from awrlens.render.pages import fill

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from awrlens.render.pages import Extras


#: Number of grays in a bar.
_SHADES: Final = 4


def text(page: b.Page, extras: Extras) -> str:
    """The whole page; headings with an anchor make its navigation."""
    return fill("page.html.j2", extras, FILTERS, page=page)


def _headings(blocks: Iterable[b.Block]) -> Iterator[tuple[str, str]]:
    """Anchors and titles for the navigation."""
    for each in blocks:
        if isinstance(each, b.Heading | b.Fold) and each.anchor:
            yield each.anchor, each.text if isinstance(each, b.Heading) else each.summary


def _groups(table: b.Table) -> list[str]:
    """The groups by which the rows can be filtered; none if all are in one."""
    found = list(dict.fromkeys(row.group for row in table.rows if row.group))
    return found if len(found) > 1 else []


def _place(block: b.Bars, value: float) -> str:
    """The position of a value on the axis, in per cent."""
    held = min(max(value, block.low), block.high)
    return f"{100 * (held - block.low) / ((block.high - block.low) or 1.0):.2f}"


def _extent(block: b.Bars, piece: b.Piece) -> str:
    """The width of a part, in per cent."""
    return f"{abs(float(_place(block, piece.end)) - float(_place(block, piece.begin))):.2f}"


def _legend(block: b.Bars) -> list[b.Piece]:
    named = {piece.name: piece for row in block.rows for piece in row.pieces if piece.name}
    return list(named.values())


def _shade(block: b.Bars, piece: b.Piece) -> str:
    """The class of a shade of gray, so that neighboring parts differ."""
    others = [each.name for each in _legend(block) if each.style == "other"]
    return f"s{others.index(piece.name) % _SHADES}" if piece.name in others else ""


def _spark(course: b.Course) -> Iterator[str]:
    """The lines of a sparkline of 100 by 20; missing values make gaps."""
    known = [each for each in course.values if each is not None]
    low, high = min(known, default=0.0), max(known, default=1.0)
    last = max(len(course.values) - 1, 1)
    points: list[str] = []
    for n, value in enumerate([*course.values, None]):
        if value is not None:
            up = (value - low) / (high - low) if high > low else 0.0
            points.append(f"{100 * n / last:.1f},{19 - 18 * up:.1f}")
        elif points:
            # a single point is a short line
            yield " ".join(points if len(points) > 1 else points * 2)
            points = []


#: What the templates of blocks need.
FILTERS: Final[Mapping[str, Callable[..., object]]] = {
    "kind": lambda block: type(block).__name__,
    "headings": lambda blocks: list(_headings(blocks)),
    "groups": _groups,
    "place": _place,
    "extent": _extent,
    "legend": _legend,
    "shade": _shade,
    "spark": _spark,
}
