"""Prints styled lines with rich, on a terminal only."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from rich.console import Console
from rich.text import Text

if TYPE_CHECKING:
    from collections.abc import Iterable

    from awrlens.render.lines import Line

STYLES: Final = {
    "critical": "bold red", "warning": "yellow", "info": "cyan", "ok": "green", "title": "bold",
    "strong": "bold", "dim": "dim", "command": "magenta",
    # parts of a bar, as in pages: none is red
    "cpu": "blue", "redo": "magenta", "temp": "cyan", "undo": "bright_magenta",
    "checkpoint": "yellow", "other": "dim",
}  # fmt: skip


def paint(lines: Iterable[Line], console: Console | None = None) -> None:
    """Print lines in color; text of reports is never interpreted as markup."""
    console = console or Console(highlight=False, soft_wrap=True)
    for line in lines:
        text = Text()
        for span in line:
            text.append(span.text, STYLES.get(span.style, ""))
        console.print(text, soft_wrap=True)
