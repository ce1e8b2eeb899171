"""``awrlens sqlserver``: commands for SQL Server logs, in addition to ``analyze``."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

import click

from awrlens import api
from awrlens.cli import output
from awrlens.cli.options import redacted
from awrlens.errors import EXIT_OK, AwrlensError, NotAReportError, UsageError
from awrlens.render.json import document
from awrlens.source.open import inputs
from awrlens.sqlserver import compare as sides
from awrlens.sqlserver.log_input import LogInput

if TYPE_CHECKING:
    from awrlens.redact.names import Names
    from awrlens.render.blocks import Page
    from awrlens.sqlserver.events import Log


@click.group()
def sqlserver() -> None:
    """Compare checkpoints of SQL Server, or show many logs in one table.

    `awrlens analyze ERRORLOG` analyzes a single error log or export.
    """


@sqlserver.command()
@click.argument("before")
@click.argument("after", required=False)
@click.option(
    "--changed", multiple=True, metavar="[DB=]TIME",
    help="Time of the change in BEFORE, for all databases or for one (ID or name); may be repeated "
    "[default: as logged, or the step in the durations].",
)  # fmt: skip
@click.option(
    "-f", "--format", "format_", default="text", show_default=True,
    type=click.Choice(["text", "json", "markdown", "html"]), help="Output format.",
)  # fmt: skip
@redacted
def compare(
    before: str, after: str | None, changed: tuple[str, ...], format_: str, names: Names | None
) -> int:
    """Compare checkpoint durations before and after a change, per database.

    BEFORE and AFTER are exports of the events checkpoint_begin and checkpoint_end (CSV of
    Management Studio, or XML of sys.fn_xe_file_target_read_file), or error logs. A single log is
    split at the change of every database.

    \b
    Examples:
      awrlens sqlserver compare before.csv after.csv
      awrlens sqlserver compare checkpoints.csv --changed "19=2020-03-05 10:30"
    """  # noqa: D301 - \b is for click
    if after is None:
        found = sides.split(_log(before, names), _times(changed))
    elif changed:
        raise UsageError("--changed splits a single log.", hint="Give one log, or no --changed.")
    else:
        found = sides.compare(_log(before, names), _log(after, names))
    data = found.to_dict()
    if format_ == "json":
        click.echo(document(data))
        return EXIT_OK
    from awrlens.sqlserver import pages

    _show(pages.page(data), format_)
    return EXIT_OK


@sqlserver.command()
@click.argument("logs", nargs=-1, required=True, metavar="LOG...")
@click.option(
    "-f", "--format", "format_", default="text", show_default=True,
    type=click.Choice(["text", "json", "markdown", "html"]), help="Output format.",
)  # fmt: skip
@redacted
def fleet(logs: tuple[str, ...], format_: str, names: Names | None) -> int:
    """Show the error logs or exports of many instances in one table.

    LOG may be a folder. The databases to change are listed with their commands.

    \b
    Example:
      awrlens sqlserver fleet logs/
    """  # noqa: D301 - \b is for click
    from awrlens.sqlserver import fleet as table

    found, skipped = [], []
    for path in [each.path for each in inputs(logs)]:
        for each in api.load_inputs(path, names=names):
            if isinstance(each, LogInput):
                found.append((each, api.analyze(each)))
            else:
                why = str(each) if isinstance(each, AwrlensError) else "an Oracle report"
                skipped.append(f"{names.file(path) if names else path}: {why}")
    if not found:
        raise NotAReportError("No SQL Server log was found.", hint="Give error logs or exports.")
    data = table.to_dict(table.rows(found), skipped)
    if format_ == "json":
        click.echo(document(data))
        return EXIT_OK
    from awrlens.sqlserver import pages

    _show(pages.fleet_page(data), format_)
    return EXIT_OK


def _show(page: Page, format_: str) -> None:
    """Print a page in one of its formats."""
    if format_ == "markdown":
        from awrlens.render import markdown

        click.echo(markdown.text(page), nl=False)
    elif format_ == "html":
        from awrlens import __version__
        from awrlens.render import pages as as_html
        from awrlens.render.pages import Extras

        click.echo(as_html.text(page, Extras(__version__)), nl=False)
    else:
        from awrlens.render import as_lines

        output.show(as_lines.lines(page, output.width()))


def _times(changed: tuple[str, ...]) -> dict[str, datetime]:
    """The times of ``--changed`` by database; ``*`` is all."""
    found = {}
    for each in changed:
        database, _, time = each.rpartition("=")
        try:
            at = datetime.fromisoformat(time.strip())
        except ValueError:
            raise UsageError(
                f"{time!r} is not a time.", hint="For example 2020-03-05 10:30 or 19=2020-03-05."
            ) from None
        found[database.strip() or "*"] = at.replace(tzinfo=None)
    return found


def _log(path: str, names: Names | None) -> Log:
    """The first log of an input; NotAReportError without one."""
    problem: AwrlensError | None = None
    for found in api.load_inputs(path, names=names):
        if isinstance(found, LogInput):
            return found
        if isinstance(found, AwrlensError):
            problem = problem or found
    raise problem or NotAReportError(
        "This is an Oracle report, not a SQL Server log.",
        source=names.file(path) if names else path,
        hint="`awrlens compare` compares reports.",
    )  # fmt: skip


@click.command("target-recovery-time")
@click.option(
    "--seconds", type=click.IntRange(0, 2**31 - 1), default=60, show_default=True,
    help="The target; 0 restores automatic checkpoints.",
)  # fmt: skip
@click.option("--database", metavar="NAME", help="One database only [default: all user databases].")
def target_recovery_time(seconds: int, database: str | None) -> int:
    """SQL Server: indirect checkpoints for user databases, with guards and rollback.

    The script lists every database with a decision and its reason. It changes nothing until
    @apply is set to 1.
    """
    from awrlens.sqlserver.script import target_recovery_time as script

    click.echo(script(seconds, database), nl=False)
    return EXIT_OK
