"""``awrlens sqlserver``: commands for SQL Server logs, in addition to ``analyze``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from awrlens import api
from awrlens.cli import output
from awrlens.cli.options import redacted
from awrlens.errors import EXIT_OK, AwrlensError, NotAReportError
from awrlens.render.json import document
from awrlens.report.report import Report
from awrlens.sqlserver import compare as sides

if TYPE_CHECKING:
    from awrlens.redact.names import Names
    from awrlens.sqlserver.events import Log


@click.group()
def sqlserver() -> None:
    """Compare checkpoints of SQL Server.

    `awrlens analyze ERRORLOG` analyzes a single error log or export.
    """


@sqlserver.command()
@click.argument("before")
@click.argument("after")
@click.option(
    "-f", "--format", "format_", default="text", show_default=True,
    type=click.Choice(["text", "json"]), help="Output format.",
)  # fmt: skip
@redacted
def compare(before: str, after: str, format_: str, names: Names | None) -> int:
    """Compare checkpoint durations before and after a change, per database.

    BEFORE and AFTER are exports of the events checkpoint_begin and checkpoint_end (CSV of
    Management Studio, or XML of sys.fn_xe_file_target_read_file), or error logs.

    \b
    Example:
      awrlens sqlserver compare before.csv after.csv
    """  # noqa: D301 - \b is for click
    found = sides.compare(_log(before, names), _log(after, names))
    if format_ == "json":
        click.echo(document(found.to_dict()))
        return EXIT_OK
    from awrlens.render import as_lines, checkpoints_page  # noqa: PLC0415 - not for JSON

    output.show(as_lines.lines(checkpoints_page.page(found.to_dict()), output.width()))
    return EXIT_OK


def _log(path: str, names: Names | None) -> Log:
    """The first log of an input; NotAReportError without one."""
    problem: AwrlensError | None = None
    for found in api.load_inputs(path, names=names):
        if isinstance(found, AwrlensError):
            problem = problem or found
        elif not isinstance(found, Report):
            return found
    raise problem or NotAReportError(
        "This is an Oracle report, not a SQL Server log.",
        source=names.file(path) if names else path,
        hint="`awrlens compare` compares reports.",
    )  # fmt: skip
