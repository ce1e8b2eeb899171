"""A comparison as Markdown, for tickets and job summaries."""

from __future__ import annotations

from typing import TYPE_CHECKING

from awrlens.render import contrasted
from awrlens.render.markdown import escape

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from awrlens.contrast import Contrast


def render(found: Contrast) -> str:
    """The whole document."""
    return "\n".join(_lines(found)) + "\n"


def _lines(found: Contrast) -> Iterator[str]:
    yield f"# {escape(contrasted.sentence(found.headline))}"
    yield ""
    yield f"- before: {escape(contrasted.side(found.before))}"
    yield f"- after: {escape(contrasted.side(found.after))}"
    yield from (f"- warning: {escape(warning.message)}" for warning in found.warnings)
    yield from _unfair(found)
    yield from _expectations(found)
    yield from _said(found)
    yield from _turns(found)
    yield from _numbers(found)
    yield ""
    yield f"{escape(contrasted.per(found))} {escape(contrasted.noise(found))}"
    lacking = contrasted.lacking(found)
    if lacking:
        yield from _title("Not comparable")
    yield from (f"- {escape(why)}: {escape(names)}" for why, names in lacking)
    for name, part in found.parts:
        yield from _title(f"{name[0].upper()}{name[1:]}")
        yield f"**{escape(contrasted.sentence(part.headline))}**"
        yield from _said(part)


def _unfair(found: Contrast) -> Iterator[str]:
    if not found.unfair:
        return
    yield from _title("Limits of the comparison")
    for what, values, why in contrasted.unfair(found):
        yield f"- **{escape(what)}**{f': {escape(values)}' if values else ''}. {escape(why)}"
    yield from _table(("parameter", "before", "after"), contrasted.changes(found.parameters))


def _expectations(found: Contrast) -> Iterator[str]:
    if not found.expectations:
        return
    yield from _title("Effect of earlier recommendations")
    for each in found.expectations:
        outcome = contrasted.OUTCOMES[each.verdict]
        text = f"{escape(each.title)} ({escape(each.claimed)}): {escape(each.reason)}; "
        yield f"- **{outcome}**: {text}{escape(each.measured)}"


def _turns(found: Contrast) -> Iterator[str]:
    turns, left = contrasted.turns(found), contrasted.remained(found)
    if turns or left:
        yield from _title("Findings and verdicts")
    yield from (f"- {movement}: {escape(text)}" for movement, text in turns)
    if left:
        yield f"- {escape(left)}"


def _numbers(found: Contrast) -> Iterator[str]:
    """Changed events, facts and names as tables."""
    rows = contrasted.event_rows(found)
    if rows:
        yield from _title(f"Wait events, ms per {found.basis.per}")
        head = ("event", "before", "after", "change", "avg wait before (ms)", "avg wait after (ms)",
                "verdict")  # fmt: skip
        yield from _table(head, rows)
    for verdict, title in contrasted.GROUPS:
        facts = contrasted.rows(found, verdict)
        if facts:
            yield from _title(title)
            head = ("fact", "before", "after", "unit", "change", "arithmetic before", "after")
            yield from _table(head, [(*row[:5], *row.how) for row in facts])
    yield from _table(("name", "before", "after"), contrasted.changes(found.names))


def _said(found: Contrast) -> Iterator[str]:
    if found.said:
        yield from _title("Changes")
    for each in found.said:
        sign, word = contrasted.MARKS[each.verdict]
        yield f"- `{sign}` {word}: {escape(contrasted.sentence(each.text))}"


def _title(text: str) -> Iterator[str]:
    yield ""
    yield f"## {escape(text)}"
    yield ""


def _table(head: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> Iterator[str]:
    if not rows:
        return
    yield ""
    yield f"| {' | '.join(head)} |"
    yield f"|{'---|' * len(head)}"
    for row in rows:
        yield f"| {' | '.join(map(escape, row))} |"
