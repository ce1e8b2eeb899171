"""``awrlens recovery buddies``: a buddy map for a real cluster, from its alert logs."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import click

from awrlens import api
from awrlens.cli import logs as logs_of
from awrlens.cli import output
from awrlens.cli.options import redacted
from awrlens.errors import EXIT_OK, UsageError
from awrlens.lazy import regex

if TYPE_CHECKING:
    from collections.abc import Iterator

    from awrlens.redact.names import Names

_REDO: Final = regex(r"(\d{1,3})=(\d+(?:\.\d+)?)", re.ASCII)


@click.command()
@click.argument("logs", nargs=-1, required=True, metavar="ALERTLOG...")
@click.option(
    "--members", metavar="I,I,...",
    help="Instances of the cluster [default: the largest configuration in the logs].",
)  # fmt: skip
@click.option(
    "--buddies", type=click.IntRange(1), default=1, show_default=True, metavar="K",
    help="Buddy instances per instance (Oracle: 1).",
)  # fmt: skip
@click.option(
    "--within", type=click.FloatRange(0), default=60.0, show_default=True, metavar="S",
    help="Failures within this time count as one failure of several instances.",
)  # fmt: skip
@click.option(
    "--redo", multiple=True, metavar="I=MB",
    help="Redo of instance I in MB/s, to balance what buddies read. May be repeated.",
)  # fmt: skip
@click.option(
    "--report", "reports", multiple=True, metavar="FILE",
    help="Take the redo of its instances from this report. May be repeated.",
)  # fmt: skip
@click.option(
    "-f", "--format", "format_", default="text", show_default=True,
    type=click.Choice(["text", "json", "markdown"]), help="Output format.",
)  # fmt: skip
@redacted
def buddies(
    logs: tuple[str, ...], members: str | None, buddies: int, within: float,
    redo: tuple[str, ...], reports: tuple[str, ...], format_: str, names: Names | None,
) -> int:  # fmt: skip
    """Recommend buddy instances from the failures in the alert logs of a cluster.

    ALERTLOG is the alert log of an instance; give those of all instances. Instances that failed
    together in the same cluster configuration should not protect each other. Among the others, the
    redo that buddies read is balanced.

    \b
    Examples:
      awrlens recovery buddies alert_PROD1.log alert_PROD2.log alert_PROD3.log
      awrlens recovery buddies alert_*.log --redo 1=20 --redo 2=5 --buddies 2
    """  # noqa: D301 - \b is for click
    from awrlens.recovery import members as read  # noqa: PLC0415 - when it is called
    from awrlens.recovery.buddy_map import plan  # noqa: PLC0415

    found = read.history([logs_of.alert_log(each, names) for each in logs], within)
    known = _numbers(members) if members else tuple(sorted(found.largest))
    if len(known) < 2:  # noqa: PLR2004 - a buddy is another instance
        raise UsageError(
            "The logs list no cluster of several instances.",
            hint="Give the alert logs of RAC instances (10g and later), or --members 1,2,3.",
        )
    rates = dict(each for report in reports for each in _of_report(report, names))
    rates.update(_rate(each) for each in redo)
    missing = [each for each in known if each not in rates]
    if rates and missing:
        raise UsageError(
            f"The redo of instance {missing[0]} is not known.",
            hint="Give --redo or --report for every instance, or for none.",
        )
    data = plan(found, known, buddies, {each: rates[each] for each in known if rates}).to_dict()
    if format_ == "json":
        from awrlens.render.json import document  # noqa: PLC0415

        click.echo(document(data))
        return EXIT_OK
    from awrlens.render import as_lines, as_markdown, buddies_page  # noqa: PLC0415 - not for JSON

    page = buddies_page.page(data)
    if format_ == "markdown":
        click.echo(as_markdown.text(page), nl=False)
    else:
        output.show(as_lines.lines(page, output.width()))
    return EXIT_OK


def _numbers(text: str) -> tuple[int, ...]:
    parts = [each.strip() for each in text.split(",")]
    if not all(each.isascii() and each.isdecimal() for each in parts):
        raise UsageError(f"{text!r} is not a list of instances.", hint="For example 1,2,3.")
    return tuple(sorted({int(each) for each in parts}))


def _rate(text: str) -> tuple[int, float]:
    found = _REDO.fullmatch(text.strip())
    if found is None:
        raise UsageError(f"{text!r} is not INSTANCE=MB.", hint="For example 1=12.5 (MB/s).")
    return int(found[1]), float(found[2])


def _of_report(path: str, names: Names | None) -> Iterator[tuple[int, float]]:
    """Redo in MB/s of every instance of a report."""
    report = api.load(path, names=names)
    for each in report.instances or (report,):
        number = each.view.label if each.view else each.identity.instance_number
        rate = api.facts_of(each)["redo.bytes_per_s"].number
        if number is None or rate is None:
            raise UsageError(f"{path} has no redo of an instance.", hint="Use --redo I=MB.")
        yield int("".join(filter(str.isdecimal, str(number)))), rate / 2**20
