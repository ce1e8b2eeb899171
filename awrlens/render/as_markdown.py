"""A page of blocks as Markdown; text of reports never becomes markup."""

from __future__ import annotations

from collections.abc import Iterator
from functools import singledispatch
from typing import TYPE_CHECKING

from awrlens.render import blocks as b
from awrlens.render.markdown import escape
from awrlens.render.present import safe

if TYPE_CHECKING:
    from collections.abc import Sequence


def text(page: b.Page) -> str:
    """The whole document."""
    return "\n".join([*_page(page), ""])


def _page(page: b.Page) -> Iterator[str]:
    yield f"# {escape(page.headline)}"
    yield ""
    yield f"- {escape(page.title)}"
    yield from (f"- {escape(each)}" for each in page.about)
    for block in page.blocks:
        yield from printed(block)


@singledispatch
def printed(block: b.Block) -> Iterator[str]:
    """The lines of a block; each block begins with an empty line."""
    raise TypeError(f"no Markdown for {block!r}")


@printed.register
def _heading(block: b.Heading) -> Iterator[str]:
    yield ""
    yield f"{'#' * block.level} {escape(block.text)}"


@printed.register
def _paragraph(block: b.Paragraph) -> Iterator[str]:
    yield ""
    yield (f"**{escape(block.label)}**: " if block.label else "") + escape(block.text)


@printed.register
def _items(block: b.Items) -> Iterator[str]:
    yield ""
    for item in block.items:
        label = f"**{escape(item.label)}**: " if item.label else ""
        yield f"- {label}{escape(item.text)}"
        yield from (f"  - {escape(each)}" for each in item.below)


@printed.register
def _key_values(block: b.KeyValues) -> Iterator[str]:
    yield from _grid(("name", "value"), block.rows)


@printed.register
def _table(block: b.Table) -> Iterator[str]:
    yield from _grid([each.name for each in block.columns], [row.cells for row in block.rows])


def _grid(head: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    if rows:
        yield ""
        yield f"| {' | '.join(map(escape, head))} |"
        yield f"|{'---|' * len(head)}"
        yield from (f"| {' | '.join(map(escape, row))} |" for row in rows)


@printed.register
def _bars(block: b.Bars) -> Iterator[str]:
    yield from _grid(
        (block.label, "value", "parts"),
        [(row.label, row.shown, _parts(row)) for row in block.rows],
    )


def _parts(row: b.BarRow) -> str:
    return ", ".join(f"{each.name} {each.shown}".strip() for each in row.pieces if each.name)


@printed.register
def _courses(block: b.Courses) -> Iterator[str]:
    yield from _grid((block.label, *block.headings), [(row.name, *row.shown) for row in block.rows])


@printed.register
def _instead(block: b.Chart | b.Panel) -> Iterator[str]:
    for each in block.instead:
        yield from printed(each)


@printed.register
def _code(block: b.Code) -> Iterator[str]:
    if block.label:
        yield ""
        yield escape(block.label)
    yield ""
    yield "```sql"
    yield from (safe(line).replace("```", "~~~") for line in block.lines)
    yield "```"


@printed.register
def _fold(block: b.Fold) -> Iterator[str]:
    if block.terminal:
        yield ""
        yield f"### {escape(block.summary)}"
        for each in block.blocks:
            yield from printed(each)
