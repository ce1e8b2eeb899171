"""Alert logs as arguments of commands."""

from __future__ import annotations

from typing import TYPE_CHECKING

from awrlens import api
from awrlens.errors import UnknownInputError, UsageError

if TYPE_CHECKING:
    from awrlens.recovery.episodes import Episodes
    from awrlens.redact.names import Names


def alert_log(path: str, names: Names | None = None) -> Episodes:
    """The first alert log in a file; UsageError if it has none."""
    from awrlens.recovery import alertlog, episodes  # noqa: PLC0415 - only with an alert log

    for found in api.load_all(path):
        if isinstance(found, UnknownInputError) and alertlog.is_alert_log(found.text):
            source = found.source or path
            return episodes.assemble(
                alertlog.read(found.text, names.file(source) if names else source)
            )
    raise UsageError(f"{path} is not an alert log.", hint="Give the alert log of an instance.")
