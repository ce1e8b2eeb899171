"""``--store`` of trend, compare, check and html: reports of a store instead of files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import click

from awrlens import extensions
from awrlens.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import datetime
    from typing import Protocol

    from awrlens.cli.gate import Asked, Checked
    from awrlens.cli.options import Option
    from awrlens.config import Options
    from awrlens.model.check_run import Unread
    from awrlens.model.comparison import Reading
    from awrlens.model.trend import LeftOut, Window
    from awrlens.redact.names import Names

    class Store(Protocol):
        """What reads reports of a store, by its file and by names as in ``NAMED``."""

        require: Callable[[], None]
        windows: Callable[
            [str, Sequence[str], datetime | None, datetime | None, str | None],
            tuple[list[Window], list[LeftOut]],
        ]
        sides: Callable[[str, Sequence[str]], tuple[list[Reading], list[Reading]]]
        checked: Callable[[str, Sequence[str], Asked], list[Checked | Unread]]
        pages: Callable[[str, Sequence[str]], list[dict[str, Any]]]


NAMED: Final = "DB, DB/INSTANCE, DB@2026-03-02 or DB@2026-03-02T10:30"


def _module() -> str:
    return next((extension.store for extension in extensions.registered() if extension.store), "")


def store() -> Store:
    """What reads reports of a store; UsageError if nothing does."""
    if not _module():
        raise UsageError("--store cannot be used: this awrlens has no store.")
    reader: Store = extensions.load(_module())
    return reader


def option(help_: str) -> Option:
    """The option ``--store`` of a command that also takes files."""
    return click.option("--store", "store_file", metavar="FILE", help=help_, hidden=not _module())


def check(
    store_file: str | None, reports: Sequence[str], names: Names | None,
    options: Options | None = None,
) -> None:  # fmt: skip
    """UsageError for arguments that do not go together."""
    if store_file is None:
        if not reports:
            raise UsageError("Missing argument 'REPORT...'.", hint="Name reports, or --store FILE.")
        return
    store().require()
    if names is not None:
        raise UsageError(
            "--redact cannot be used with --store.",
            hint="Ingest the reports that `awrlens redact` writes.",
        )
    if options is not None and (options.settings or options.device or options.profile):
        raise UsageError(
            "A store has the findings of its ingest, so --set, --device and --profile have no "
            "effect on them.",
            hint="Give these options to `awrlens ingest`.",
        )
