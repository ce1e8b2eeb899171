"""Literal figures and lists, read from the files in ``rows``.

A block begins with ``== name``; lines that begin with ``# `` are remarks. Cells stand between
``|``. A block of records begins with the names of the fields; an empty cell has the field's
default; a whole number may be a sum of terms of amounts that the caller names. A block of pairs
has a name and a value on each line, a list has names only.
"""

from __future__ import annotations

import re
from dataclasses import MISSING, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

T = TypeVar("T")
FOLDER = Path(__file__).parent / "rows"
NO_AMOUNTS: Mapping[str, int] = {}
KINDS: dict[str, Callable[[str], Any]] = {"float": float, "str": str, "bool": bool}


def whole(cell: str, amounts: Mapping[str, int]) -> int:
    """Return a whole number, or a sum of terms such as ``gets * 2 // 3`` of amounts."""
    total = 0
    for term in cell.split(" + "):
        first, *factors = re.split(r" (\*|//) ", term)
        value = amounts[first] if first in amounts else int(first)
        for operator, factor in zip(factors[::2], factors[1::2], strict=True):
            value = value * int(factor) if operator == "*" else value // int(factor)
        total += value
    return total


class Records:
    """The blocks of one file."""

    def __init__(self, name: str) -> None:
        """Read ``rows/<name>.txt``."""
        text = (FOLDER / f"{name}.txt").read_text(encoding="utf-8")
        self.blocks: dict[str, list[list[str]]] = {}
        for block in text.removeprefix("== ").split("\n== "):
            key, *lines = block.split("\n")
            self.blocks[key] = [
                [cell.strip() for cell in line.split("|")]
                for line in lines
                if line and not line.startswith("# ")
            ]

    def rows(
        self, kind: type[T], key: str, amounts: Mapping[str, int] = NO_AMOUNTS
    ) -> tuple[T, ...]:
        """Return the records of a block, with its terms of amounts."""
        names, *rows = self.blocks[key]
        of = {field.name: field for field in fields(kind)}  # type: ignore[arg-type]
        found = []
        for row in rows:
            values: dict[str, Any] = {}
            for name, cell in zip(names, row, strict=True):
                if cell or of[name].type == "str":
                    type_name = str(of[name].type).partition(" ")[0]
                    values[name] = (
                        whole(cell, amounts) if type_name == "int" else KINDS[type_name](cell)
                    )
                elif of[name].default is MISSING:
                    values[name] = None
            found.append(kind(**values))
        return tuple(found)

    def totals(self, key: str, amounts: Mapping[str, int] = NO_AMOUNTS) -> dict[str, int]:
        """Return whole numbers by name, with their terms of amounts."""
        return {name: whole(value, amounts) for name, value in self.blocks[key]}

    def texts(self, key: str) -> dict[str, str]:
        """Return texts by name."""
        return dict(self.blocks[key])

    def names(self, key: str) -> tuple[str, ...]:
        """Return the names of a list."""
        return tuple(name for (name,) in self.blocks[key])
