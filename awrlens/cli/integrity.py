"""``awrlens integrity``: the cost of block checking and checksums for a report."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from awrlens import api
from awrlens.advice.integrity import settings
from awrlens.cli import output
from awrlens.cli.facts import PART, part_of
from awrlens.cli.options import redacted
from awrlens.errors import EXIT_OK
from awrlens.render.json import document

if TYPE_CHECKING:
    from awrlens.redact.names import Names


@click.command()
@click.argument("report")
@click.option(
    "-f", "--format", "format_", default="text", show_default=True,
    type=click.Choice(["text", "json"]), help="Output format.",
)  # fmt: skip
@PART
@redacted
def integrity(report: str, format_: str, part: str | None, names: Names | None) -> int:
    """Show integrity settings of REPORT, and the cost of DB_BLOCK_CHECKING and _CHECKSUM.

    \b
    Example:
      awrlens integrity awrrpt_1_100_101.html
    """  # noqa: D301 - \b is for click
    loaded = part_of(report, part, names)
    facts = api.facts_of(loaded)
    now = {
        name: facts[name]
        for name in facts
        if name.startswith(("integrity.db_", "integrity.standby"))
    }
    found = settings(facts)
    if format_ == "json":
        click.echo(
            document({
                "source": loaded.source,
                "facts": {name: fact.to_dict() for name, fact in now.items()},
                "settings": [each.to_dict() for each in found],
            })
        )  # fmt: skip
        return EXIT_OK
    from awrlens.render.listing import integrity_page  # noqa: PLC0415

    output.show(integrity_page(now, found, output.width()))
    return EXIT_OK
