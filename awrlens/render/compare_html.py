"""A comparison as one HTML page; jinja2 escapes every value."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from awrlens.render import contrasted
from awrlens.render.pages import fill
from awrlens.render.present import safe

if TYPE_CHECKING:
    from awrlens.contrast import Contrast
    from awrlens.render.pages import Extras


def render(found: Contrast, extras: Extras) -> str:
    """The whole page."""
    return fill("compare.html.j2", extras, page=page(found))


def page(found: Contrast) -> dict[str, Any]:
    """A comparison as plain data for the template."""
    return {
        "before": contrasted.side(found.before),
        "after": contrasted.side(found.after),
        "headline": contrasted.sentence(found.headline),
        "severity": contrasted.STYLES[found.said[0].verdict] if found.said else "ok",
        "warnings": [safe(each.message) for each in found.warnings],
        "unfair": contrasted.unfair(found),
        "parameters": contrasted.changes(found.parameters),
        "expectations": [
            {
                "style": contrasted.STYLES[each.verdict],
                "outcome": contrasted.OUTCOMES[each.verdict],
                "title": safe(each.title),
                "claimed": safe(each.claimed),
                "reason": safe(each.reason),
                "measured": safe(each.measured),
            }
            for each in found.expectations
        ],
        "said": [
            (contrasted.STYLES[each.verdict], *contrasted.MARKS[each.verdict],
             contrasted.sentence(each.text))
            for each in found.said
        ],
        "turns": contrasted.turns(found),
        "remained": contrasted.remained(found),
        "per": found.basis.per,
        "basis": contrasted.per(found),
        "events": contrasted.event_rows(found),
        "groups": [
            (title, contrasted.STYLES[verdict], contrasted.rows(found, verdict))
            for verdict, title in contrasted.GROUPS
        ],
        "names": contrasted.changes(found.names),
        "noise": contrasted.noise(found),
        "lacking": contrasted.lacking(found),
        "parts": [(name, page(part)) for name, part in found.parts],
    }  # fmt: skip
