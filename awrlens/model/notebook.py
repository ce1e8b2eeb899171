"""How values show themselves in a Python session (``repr``) and in a notebook (a small table).

Both are short, and safe: names and texts come from reports.
"""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


#: Longest text of a field or cell, and most rows of a table.
_LONGEST: Final = 160
_SHORT: Final = 60
ROWS: Final = 20


def call(name: str, *values: object, **fields: object) -> str:
    """``Name(value, field=value)`` on one line, without fields that are None."""
    parts = [_short(value) for value in values]
    parts += [f"{field}={_short(value)}" for field, value in fields.items() if value is not None]
    return f"{name}({', '.join(parts)})"


def _short(value: object) -> str:
    if isinstance(value, str):
        return repr(value if len(value) <= _SHORT else f"{value[: _SHORT - 1]}…")
    text = repr(value)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


def table(
    title: str, headings: Sequence[str], rows: Iterable[Sequence[object]], more: int = 0
) -> str:
    """A small HTML table; ``more`` rows are not in it."""
    head = "".join(f"<th>{_cell(heading)}</th>" for heading in headings)
    body = "".join(f"<tr>{''.join(f'<td>{_cell(cell)}</td>' for cell in row)}</tr>" for row in rows)
    rest = f"<p>{more:,} more</p>" if more > 0 else ""
    return (
        f"<table><caption>{_cell(title)}</caption><thead><tr>{head}</tr></thead>"
        f"<tbody>{body}</tbody></table>{rest}"
    )


def paragraph(text: str) -> str:
    """A paragraph of text."""
    return f"<p>{_cell(text, 2 * _LONGEST)}</p>" if text else ""


def _cell(value: object, longest: int = _LONGEST) -> str:
    """A value without control characters and markup."""
    text = "" if value is None else " ".join(str(value).split())
    text = "".join(char for char in text[: longest + 1] if char.isprintable())
    return escape(text if len(text) <= longest else f"{text[: longest - 1]}…")
