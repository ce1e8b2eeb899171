"""``awrlens devices``: kinds of storage that verdicts can reckon with."""

from __future__ import annotations

import click

from awrlens.advice.devices import DEVICES
from awrlens.cli import output
from awrlens.errors import EXIT_OK
from awrlens.policy import cite
from awrlens.render.json import document


@click.command()
@click.option(
    "-f", "--format", "format_", default="text", show_default=True,
    type=click.Choice(["text", "json"]), help="How to print.",
)  # fmt: skip
def devices(format_: str) -> int:
    """List kinds of storage with the latency that verdicts reckon with.

    \b
    Examples:
      awrlens analyze REPORT --device nvme
      awrlens analyze REPORT --device 0.2ms/0.5ms     (a redo write / a read)
    """  # noqa: D301 - \b is for click
    found = [each._asdict() | {"source": cite(each.source)} for each in DEVICES.values()]
    if format_ == "json":
        click.echo(document(found))
    else:
        from awrlens.render.listing import devices_page  # noqa: PLC0415

        output.show(devices_page(found, output.width()))
    return EXIT_OK
