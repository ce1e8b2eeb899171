"""Output of results: with colors on a terminal, plain elsewhere."""

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

    from awrlens.render.lines import Line

#: Minimum and maximum width of a page, and the width if it is unknown.
_NARROW: Final = 60
_WIDE: Final = 160
_UNKNOWN: Final = 80


def width() -> int:
    """The width of the page in columns."""
    columns = shutil.get_terminal_size((_UNKNOWN, 24)).columns
    return max(_NARROW, min(columns, _WIDE))


def colourful() -> bool:
    """Whether standard output is a terminal with colors."""
    return (
        sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    )


def show(lines: Iterable[Line]) -> None:
    """Print laid-out lines."""
    if colourful():
        from awrlens.render.terminal import paint  # noqa: PLC0415 - rich only on a terminal

        paint(lines)
    else:
        from awrlens.render.lines import ASCII  # noqa: PLC0415
        from awrlens.render.plain import text  # noqa: PLC0415

        shown = text(lines)
        try:
            shown.encode(sys.stdout.encoding or "ascii")
        except (UnicodeEncodeError, LookupError):
            shown = shown.translate(ASCII)
        click.echo(shown, nl=False)


def write_file(path: str, text: str) -> None:
    """Write a result to a file atomically; UsageError if it fails."""
    try:
        files.write(path, text)
    except OSError as problem:
        reason = (problem.strerror or str(problem)).lower()
        raise UsageError(f"{path} cannot be written: {reason}.", hint="Check the path.") from None
