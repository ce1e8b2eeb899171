"""``awrlens tables``: the sections of a report, as typed tables."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING, Any

import click

from awrlens import api
from awrlens.cli import output
from awrlens.cli.facts import PART
from awrlens.cli.options import redacted
from awrlens.errors import EXIT_OK, UsageError
from awrlens.render import present
from awrlens.render.json import document

if TYPE_CHECKING:
    from awrlens.redact.names import Names
    from awrlens.report.table import Table


@click.command()
@click.argument("report")
@click.argument("name", required=False)
@click.option(
    "-f",
    "--format",
    "format_",
    default="text",
    show_default=True,
    type=click.Choice(["text", "json", "csv", "parquet"]),
    help="Output format.",
)
@click.option(
    "-o",
    "--output",
    "target",
    metavar="FILE",
    help="Write to FILE (required for parquet).",
)
@PART
@redacted
def tables(
    report: str, name: str | None, format_: str, target: str | None, part: str | None,
    names: Names | None,
) -> int:  # fmt: skip
    """List the sections of REPORT; with NAME, show that table.

    NAME is a canonical name (`tablespace_io`) or the title of a section in the report.

    A section without a description or without a table is listed with `-`. Most sections of a
    compare-period report need --part.

    \b
    Examples:
      awrlens tables awrrpt_1_100_101.html
      awrlens tables awrrpt_1_100_101.html tablespace_io --format csv
    """  # noqa: D301 - \b is for click
    output.check((target,), (report,))
    loaded = api.load(report, names=names)
    if part is not None:
        loaded = loaded.part(part)
    if name is None:
        if format_ in ("csv", "parquet"):
            raise UsageError(f"{format_} needs the NAME of one table.")
        listed = loaded.listing()
        if format_ == "json":
            _put(document(listed), target)
            return EXIT_OK
        from awrlens.render.listing import sections_page  # noqa: PLC0415

        output.show(sections_page(listed, output.width()))
        return EXIT_OK
    _one(loaded[name], format_, target)
    return EXIT_OK


def _one(table: Table, format_: str, target: str | None) -> None:
    if format_ == "parquet":
        if target is None:
            raise UsageError("parquet is binary: give a file with --output.")
        from awrlens.report.data_frames import to_parquet  # noqa: PLC0415 - pandas only on request

        to_parquet(table, target)
    elif format_ == "json":
        _put(document(table.to_dict()["rows"]), target)
    elif format_ == "csv":
        _put(_csv(table), target, end="")
    else:
        from awrlens.render.listing import table_page  # noqa: PLC0415

        output.show(table_page(table.to_dict(), output.width()))


def _csv(table: Table) -> str:
    data: dict[str, Any] = table.to_dict()
    names = [column["name"] or column["heading"] for column in data["columns"]]
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(map(present.cell, names))
    writer.writerows([[present.cell(row.get(name)) for name in names] for row in data["rows"]])
    return buffer.getvalue()


def _put(text: str, target: str | None, end: str = "\n") -> None:
    if target is None:
        click.echo(text, nl=bool(end))
        return
    output.write_file(target, text + end)
