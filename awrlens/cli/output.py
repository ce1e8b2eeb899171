"""Where results go: a terminal in colour, anything else plain."""

from __future__ import annotations

import os
import shutil
import sys
from typing import TYPE_CHECKING, Final

import click

from awrlens import files
from awrlens.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from awrlens.render.layout import Line

#: Narrowest and widest page that is laid out, and the width where none is known.
_NARROW: Final = 60
_WIDE: Final = 160
_UNKNOWN: Final = 80


def width() -> int:
    """Columns to lay out for."""
    columns = shutil.get_terminal_size((_UNKNOWN, 24)).columns
    return max(_NARROW, min(columns, _WIDE))


def colourful() -> bool:
    """Whether standard output is a terminal that wants colour."""
    return (
        sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    )


def show(lines: Iterable[Line]) -> None:
    """Print laid-out lines."""
    if colourful():
        from awrlens.render.terminal import paint  # noqa: PLC0415 - rich only on a terminal

        paint(lines)
    else:
        from awrlens.render.plain import text  # noqa: PLC0415

        click.echo(text(lines), nl=False)


def write_file(path: str, text: str) -> None:
    """Write a result to a file, whole or not at all; UsageError when that cannot be done."""
    try:
        files.write(path, text)
    except OSError as problem:
        reason = (problem.strerror or str(problem)).lower()
        raise UsageError(f"{path} cannot be written: {reason}.", hint="Check the path.") from None
