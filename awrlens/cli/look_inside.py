"""``awrlens facts`` and ``awrlens tables``: what a report holds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from awrlens import api, errors
from awrlens.cli import output
from awrlens.cli.options import PART, TARGET, completes, formats, of_report, part_of, redacted
from awrlens.errors import AwrlensError, UsageError
from awrlens.model.plain import plain
from awrlens.render import wording
from awrlens.report.report import Report
from awrlens.source import files

if TYPE_CHECKING:
    from collections.abc import Mapping

    from awrlens.model import Fact
    from awrlens.redact.names import Names


def _facts(report: str, part: str | None, names: Names | None) -> Mapping[str, Fact]:
    """Facts of a report, of a log, or of a part of either."""
    loaded = api.load_inputs(report, names=names)
    first = next((source for source in loaded if not isinstance(source, AwrlensError)), None)
    if first is None:
        return api.facts_of(part_of(report, part, names))  # raises the error
    if isinstance(first, Report):
        return api.facts_of(of_report(first, part))
    return first.facts(part)


@click.command()
@click.argument("report")
@click.argument("facts_", nargs=-1, metavar="[FACT]...", shell_complete=completes("fact"))
@formats("text", "json")
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
    shown = _facts(report, part, names)
    if facts_:
        unknown = [n for n in facts_ if not any(f.startswith(n) for f in shown)]
        if unknown:
            raise UsageError(
                f"No fact has the name or prefix {unknown[0]!r}.",
                hint=errors.hint(unknown[0], shown, "`awrlens facts REPORT` lists all facts."),
            )
        shown = {name: fact for name, fact in shown.items() if name.startswith(facts_)}
    if available:
        shown = {name: fact for name, fact in shown.items() if fact.value is not None}
    from awrlens.render.listing import facts_page

    return output.answer(format_, plain(shown) if format_ == "json" else shown, facts_page)


@click.command()
@click.argument("report")
@click.argument("name", required=False)
@formats("text", "json", "csv", "parquet")
@TARGET
@PART
@redacted
def tables(
    report: str, name: str | None, format_: str, target: str | None, part: str | None,
    names: Names | None,
) -> None:  # fmt: skip
    """List the sections of REPORT; with NAME, show that table.

    NAME is a canonical name (`tablespace_io`) or the title of a section in the report.

    A section without a description or without a table is listed with `-`. Most sections of a
    compare-period report need --part.

    \b
    Examples:
      awrlens tables awrrpt_1_100_101.html
      awrlens tables awrrpt_1_100_101.html tablespace_io --format csv
    """  # noqa: D301 - \b is for click
    from awrlens.render import listing

    output.check((target,), (report,))
    loaded = api.load(report, names=names)
    if part is not None:
        loaded = loaded.part(part)
    if name is None:
        if format_ in ("csv", "parquet"):
            raise UsageError(f"{format_} needs the NAME of one table.")
        output.answer(format_, loaded.listing(), listing.sections_page, target)
        return
    table = loaded[name]
    if format_ == "parquet":
        if target is None:
            raise UsageError("parquet is binary: give a file with --output.")
        files.write_parquet(target, table.frame)
        output.said_written(target)
    elif format_ == "csv":
        data: dict[str, Any] = table.to_dict()
        heads = [column["name"] or column["heading"] for column in data["columns"]]
        rows = ([row.get(head) for head in heads] for row in data["rows"])
        output.deliver(wording.csv_text([heads, *rows]), target)
    else:
        content = table.to_dict()["rows"] if format_ == "json" else table.to_dict()
        output.answer(format_, content, listing.table_page, target)
