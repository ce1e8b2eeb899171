"""``awrlens whatif``: the estimated effect of a change."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import click

from awrlens import config
from awrlens.advice import devices
from awrlens.cli import output
from awrlens.cli.options import PART, configured, formats, part_of, redacted
from awrlens.lab.effects import Change, what_if
from awrlens.model.plain import fields
from awrlens.units import parse_number

if TYPE_CHECKING:
    from awrlens.config import Options
    from awrlens.redact.names import Names


def _quantity(unit: str, metavar: str) -> dict[str, Any]:
    """What an option takes: a number with a unit, such as ``0.2ms``, ``200us``, ``2G``, ``60``."""

    def number(_: click.Context, __: click.Parameter, value: str | None) -> float | None:
        if value is None:
            return None
        found = parse_number(value, unit)
        if found is None:
            raise click.BadParameter(f"{value!r} is not a {metavar}; give a number in {unit}.")
        return float(found)

    return {"metavar": metavar, "callback": number}


_LATENCY: Final = _quantity("ms", "LATENCY")
_SIZE: Final = _quantity("MB", "SIZE")


@click.command()
@click.argument("report")
@click.option("--redo-latency", **_LATENCY, help="Redo log write latency, e.g. 0.2ms.")
@click.option("--temp-latency", **_LATENCY, help="Read and write latency of temp.")
@click.option("--undo-latency", **_LATENCY, help="Read latency of undo.")
@click.option("--mttr", **_quantity("s", "SECONDS"), help="FAST_START_MTTR_TARGET.")
@click.option("--redo-log-size", **_SIZE, help="Redo log size, e.g. 2G.")
@click.option("--pga", **_SIZE, help="PGA_AGGREGATE_TARGET, e.g. 8G.")
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
    policy = config.load(report, options).policy
    change = Change(
        redo_latency, temp_latency, undo_latency, mttr, redo_log_size, pga,
        policy[devices.DEVICE_MB_S],
    )  # fmt: skip
    if options.device:
        device = devices.find(options.device)
        change = change._replace(
            redo_ms=redo_latency or device.write_ms,
            temp_ms=temp_latency or device.read_ms,
            undo_ms=undo_latency or device.undo_read_ms or device.read_ms,
            temp_write_ms=temp_latency or device.temp_write_ms or device.write_ms,
            undo_write_ms=undo_latency or device.undo_write_ms or device.write_ms,
        )
    outcome = what_if(loaded, change, policy)
    from awrlens.lab.estimates import whatif_page
    from awrlens.render import first_screen, wording

    given = (
        ("redo write", redo_latency, "ms"), ("temp I/O", temp_latency, "ms"),
        ("undo read", undo_latency, "ms"), ("FAST_START_MTTR_TARGET", mttr, "s"),
        ("redo logs", redo_log_size, "MB"), ("PGA_AGGREGATE_TARGET", pga, "MB"),
    )  # fmt: skip
    words = [f"{what} {wording.measured(x, unit)}" for what, x, unit in given if x is not None]
    changed = ", ".join([f"storage {options.device}"] * bool(options.device) + words)
    who = first_screen.subject(loaded.identity.to_dict())
    data = {"source": loaded.source, **fields(outcome)}
    return output.either(format_, data, lambda: whatif_page(outcome, who, changed))
