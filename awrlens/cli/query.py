"""``awrlens query``: SQL on a store."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from awrlens import store
from awrlens.cli import output
from awrlens.cli.ingest import STORE
from awrlens.errors import EXIT_OK

if TYPE_CHECKING:
    from awrlens.store.query import Answer


@click.command()
@click.argument("sql", metavar="SQL")
@STORE
@click.option("-f", "--format", "format_", default="text", show_default=True,
              type=click.Choice(["text", "json", "jsonl", "csv"]), help="Output format."
)  # fmt: skip
def query(sql: str, store_file: str, format_: str) -> int:
    """Run SQL on the tables of a store. It can read the store and nothing else.

    \b
    Examples:
      awrlens query --store fleet.duckdb \\
        "SELECT db_name, max(redo_sync_ms) FROM intervals GROUP BY 1"
      awrlens query "FROM unreadable" --store fleet.duckdb --format csv
      awrlens query "SHOW TABLES" --store fleet.duckdb
    """  # noqa: D301 - \b is for click
    store.require()
    from awrlens.store import query as core  # noqa: PLC0415 - not for --help

    with core.opened(store_file) as opened:
        if opened.note:
            click.echo(f"awrlens: {opened.note}", err=True)
        answer = core.ask(opened, sql)
    put(answer, format_)
    return EXIT_OK


def put(answer: Answer, format_: str) -> None:
    """Print rows."""
    from awrlens.store import export  # noqa: PLC0415 - not for --help

    if format_ == "text":
        _show(answer)
    elif format_ == "csv":
        click.echo(export.to_csv(answer), nl=False)
    else:
        click.echo(export.to_json(answer, lines=format_ == "jsonl"), nl=False)


def _show(answer: Answer) -> None:
    from awrlens.render.as_lines import printed  # noqa: PLC0415 - for text only
    from awrlens.render.blocks import Column, Row, Table  # noqa: PLC0415
    from awrlens.store.export import plain  # noqa: PLC0415

    def shown(value: object) -> str:
        value = plain(value)
        if isinstance(value, float):
            return f"{value:.6g}"
        if isinstance(value, list):
            return ", ".join(map(str, value))
        return "" if value is None else str(value)

    numbers = [
        all(isinstance(row[at], int | float) or row[at] is None for row in answer.rows)
        for at in range(len(answer.columns))
    ]
    columns = tuple(
        Column(name, "number" if number and answer.rows else "text")
        for name, number in zip(answer.columns, numbers, strict=True)
    )
    rows = tuple(Row(tuple(map(shown, row))) for row in answer.rows)
    output.show(printed(Table("", columns, rows), output.width()))
    click.echo(f"{len(rows):,} {'row' if len(rows) == 1 else 'rows'}", err=True)
