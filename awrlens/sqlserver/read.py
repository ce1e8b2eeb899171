"""Reads a text as a SQL Server log, if it is one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from awrlens.sqlserver import errorlog, log_lines, xevents
from awrlens.units import without_long_figures

if TYPE_CHECKING:
    from awrlens.source.open import Source
    from awrlens.sqlserver.events import Log


def log_of(source: Source) -> Log | None:
    """The log in a text, recognized by its contents and not by its name; None if it is not one."""
    if log_lines.is_errorlog(source.text):
        text = without_long_figures(source.text)
        return errorlog.read(text, source.name, source.lines_before)
    if xevents.is_xevents(source.text):
        text = without_long_figures(source.text)
        return xevents.read(text, source.name, source.lines_before)
    return None
