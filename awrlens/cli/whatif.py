"""``awrlens whatif``: the estimated effect of a change."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from awrlens import api, config
from awrlens.advice import devices
from awrlens.advice.whatif import Change
from awrlens.cli import output
from awrlens.cli.options import PART, configured, formats, part_of, redacted
from awrlens.units import parse_number

if TYPE_CHECKING:
    from awrlens.config import Options
    from awrlens.redact.names import Names

    _Parameter = click.ParamType[float]
else:
    _Parameter = click.ParamType


class _Quantity(_Parameter):
    """A number with a unit: ``0.2ms``, ``200us``, ``2G``, ``60``."""

    def __init__(self, unit: str, metavar: str) -> None:
        self.unit = unit
        self.name = metavar

    def convert(
        self, value: str | float, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """The number in the option's unit."""
        number = parse_number(str(value), self.unit)
        if number is None:
            self.fail(f"{value!r} is not a {self.name}; give a number in {self.unit}.", param, ctx)
        return float(number)


_LATENCY = _Quantity("ms", "LATENCY")
_SIZE = _Quantity("MB", "SIZE")


@click.command()
@click.argument("report")
@click.option("--redo-latency", type=_LATENCY, help="Redo log write latency, e.g. 0.2ms.")
@click.option("--temp-latency", type=_LATENCY, help="Read and write latency of temp.")
@click.option("--undo-latency", type=_LATENCY, help="Read latency of undo.")
@click.option("--mttr", type=_Quantity("s", "SECONDS"), help="FAST_START_MTTR_TARGET.")
@click.option("--redo-log-size", type=_SIZE, help="Redo log size, e.g. 2G.")
@click.option("--pga", type=_SIZE, help="PGA_AGGREGATE_TARGET, e.g. 8G.")
@formats("text", "json", "markdown", "html")
@PART
@configured
@redacted
def whatif(
    report: str, redo_latency: float | None, temp_latency: float | None,
    undo_latency: float | None, mttr: float | None, redo_log_size: float | None,
    pga: float | None, format_: str, part: str | None, options: Options, names: Names | None,
) -> int:  # fmt: skip
    """Estimate the effect of a change on REPORT, before and after.

    Savings are for the same load and include the queue for LGWR. --device sets the latency of redo,
    temp and undo; the latency options override it.

    `awrlens devices` lists storage types; `awrlens integrity` is for block checking and checksums.

    \b
    Examples:
      awrlens whatif REPORT --redo-latency 0.2ms --redo-log-size 2G
      awrlens whatif REPORT --device nvme --pga 8G --mttr 60
    """  # noqa: D301 - \b is for click
    loaded = part_of(report, part, names)
    change = Change(redo_latency, temp_latency, undo_latency, mttr, redo_log_size, pga)
    if options.device:
        device = devices.find(options.device)
        change = change._replace(
            redo_ms=redo_latency or device.write_ms,
            temp_ms=temp_latency or device.read_ms,
            undo_ms=undo_latency or device.undo_read_ms or device.read_ms,
            temp_write_ms=temp_latency or device.temp_write_ms or device.write_ms,
            undo_write_ms=undo_latency or device.undo_write_ms or device.write_ms,
            mb_s=device.mb_s,
        )
    outcome = api.what_if(loaded, change, config.load(report, options).policy)
    from awrlens.render import first_screen
    from awrlens.render.estimates import whatif_page

    who = first_screen.subject(loaded.identity.to_dict())
    data = {"source": loaded.source, **outcome.to_dict()}
    return output.either(format_, data, lambda: whatif_page(outcome, who))
