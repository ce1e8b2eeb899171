"""``awrlens facts``: every number with its formula and source lines."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from awrlens import api
from awrlens.cli import complete, output
from awrlens.cli.options import redacted
from awrlens.errors import EXIT_OK, AwrlensError, UsageError
from awrlens.render.json import document
from awrlens.report.report import Report

if TYPE_CHECKING:
    from collections.abc import Mapping

    from awrlens.model import Fact
    from awrlens.redact.names import Names

#: The part of a report, shared with `awrlens tables`.
PART = click.option(
    "-p",
    "--part",
    metavar="N",
    shell_complete=complete.parts,
    help="Period (1 or 2) of a compare-period report, instance of a RAC report, or database id in "
    "a SQL Server log.",
)


def part_of(report: str, part: str | None, names: Names | None = None) -> Report:
    """A report or the requested part; UsageError if a part is required."""
    return _part(api.load(report, names=names), part)


def _part(loaded: Report, part: str | None) -> Report:
    if part is not None:
        return loaded.part(part)
    if loaded.periods:
        raise UsageError(
            "A compare-period report has facts per period only.",
            hint="Use --part 1 or --part 2.",
        )
    return loaded


def _facts(report: str, part: str | None, names: Names | None) -> Mapping[str, Fact]:
    """Facts of a report, of its part, or of a SQL Server log."""
    found = api.load_inputs(report, names=names)
    first = next((each for each in found if not isinstance(each, AwrlensError)), None)
    if first is None:
        return api.facts_of(part_of(report, part, names))  # raises the error
    if isinstance(first, Report):
        return api.facts_of(_part(first, part))
    if part is not None and part not in first.databases:
        raise UsageError(
            f"The log has no database {part}.",
            hint=f"Databases in the log: {', '.join(first.databases) or 'none'}.",
        )
    from awrlens.sqlserver.facts import facts_of  # noqa: PLC0415 - not for reports

    return facts_of(first, part)


@click.command()
@click.argument("report")
@click.argument("facts_", nargs=-1, metavar="[FACT]...", shell_complete=complete.facts)
@click.option(
    "-f",
    "--format",
    "format_",
    default="text",
    show_default=True,
    type=click.Choice(["text", "json"]),
    help="Output format.",
)
@click.option("--available", is_flag=True, help="Omit facts that are not in the report.")
@PART
@redacted
def facts(
    report: str, facts_: tuple[str, ...], format_: str, available: bool, part: str | None,
    names: Names | None,
) -> int:  # fmt: skip
    """Show the numbers of REPORT with their formulas and source lines.

    FACT is a name or the prefix of names: `redo`, `checkpoint.target` [default: all facts].

    \b
    Example:
      awrlens facts awrrpt_1_100_101.html redo undo.read_ms
    """  # noqa: D301 - \b is for click
    found = _facts(report, part, names)
    if facts_:
        unknown = [n for n in facts_ if not any(f.startswith(n) for f in found)]
        if unknown:
            raise UsageError(
                f"No fact has the name or prefix {unknown[0]!r}.",
                hint="`awrlens facts REPORT` lists all facts.",
            )
        found = {name: fact for name, fact in found.items() if name.startswith(facts_)}
    if available:
        found = {name: fact for name, fact in found.items() if fact.value is not None}
    if format_ == "json":
        click.echo(document({name: fact.to_dict() for name, fact in found.items()}))
        return EXIT_OK
    from awrlens.render.listing import facts_page  # noqa: PLC0415

    output.show(facts_page(found, output.width()))
    return EXIT_OK
