"""``awrlens devices``: storage types for verdicts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from awrlens import api, config
from awrlens.advice import chart_data
from awrlens.advice.case import Case
from awrlens.advice.devices import DEVICES
from awrlens.cli import output
from awrlens.cli.options import PART, formats, part_of, redacted
from awrlens.policy import cite

if TYPE_CHECKING:
    from awrlens.redact.names import Names


@click.command()
@click.argument("report", required=False, metavar="[REPORT]")
@formats("text", "json", "markdown", "html")
@PART
@redacted
def devices(report: str | None, format_: str, part: str | None, names: Names | None) -> int:
    """List storage types; with REPORT, the time that they would save.

    \b
    Examples:
      awrlens devices awrrpt_1_100_101.html
      awrlens analyze REPORT --device nvme
      awrlens analyze REPORT --device 0.2ms/0.5ms     (redo write / read)
    """  # noqa: D301 - \b is for click
    described: dict[str, dict[str, Any]] = {
        name: each.to_dict() | {"source": cite(each.source)} for name, each in DEVICES.items()
    }
    found = list(described.values())
    from awrlens.render import first_screen

    who, base = "Storage types", ""
    if report is not None:
        policy = config.load(report).policy
        loaded = part_of(report, part, names)
        judged = api.analyze(loaded, policy)
        who, base = first_screen.subject(loaded.identity.to_dict()), judged.base
        savings = chart_data.by_device(Case.of(judged.facts, judged.findings, policy))
        found = [
            described[each.name]
            | {f"{part}_s": each.seconds_of(part) for part in ("redo", "temp", "undo")}
            | {"device": each.name, "overrun": each.overrun, "pct_db_time": each.pct_db_time}
            for each in savings
        ]
    from awrlens.lab.estimates import devices_page

    return output.either(format_, found, lambda: devices_page(found, who, base))
