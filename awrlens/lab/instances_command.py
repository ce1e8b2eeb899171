"""``awrlens recovery buddies``: a buddy map for a real cluster, from its alert logs."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

import click

from awrlens import api
from awrlens.cli import output
from awrlens.cli.options import redacted
from awrlens.errors import EXIT_OK, UsageError
from awrlens.lab import alert_log as logs_of
from awrlens.lazy import regex
from awrlens.render.blocks import (
    BarRow,
    Bars,
    Block,
    Column,
    Fold,
    Heading,
    Item,
    Items,
    Page,
    Paragraph,
    Piece,
    Row,
    Table,
)
from awrlens.render.wording import short

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

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
    from awrlens.lab import instances as read
    from awrlens.lab.instances import plan

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
        from awrlens.render.json import document

        click.echo(document(data))
        return EXIT_OK
    from awrlens.render import as_lines, markdown

    page = buddies_page(data)
    if format_ == "markdown":
        click.echo(markdown.text(page), nl=False)
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


#: Maximum number of failures listed.
_MOST: Final = 30
LIMITS: Final = (
    "RAC 12.2 and later has one buddy per instance and sets the map itself. No supported parameter "
    "changes it; several buddies are a proposal of the paper (Buddy Instance, section 5). Use the "
    "map to place instances: a buddy should not share power, switch, chassis or hypervisor with "
    "the instance that it protects."
)


def buddies_page(data: Mapping[str, Any]) -> Page:
    """The plan of `recovery buddies`, as plain data."""
    members = ", ".join(map(str, data["members"]))
    about = (f"Cluster configuration: instances {members}.", _read(data))
    return Page("Recommended buddy map", about, _headline(data), "info", tuple(_blocks(data)))


def _headline(data: Mapping[str, Any]) -> str:
    risky = [
        (row["instance"], each)
        for row in data["map"]
        for each in row["buddies"]
        if each["failed_together"]
    ]
    if risky:
        instance, each = risky[0]
        return (
            f"Instance {instance} has no buddy that never failed together with it: instance "
            f"{each['instance']} did {_times(each['failed_together'])}, fewer than any other."
        )
    if data["pairs"]:
        pair = data["pairs"][0]
        return (
            f"Instances {_numbers_of(pair['instances'])} failed together "
            f"{_times(pair['failed_together'])} in this configuration: in the recommended map, "
            "they do not protect each other."
        )
    ring = all([b["instance"] for b in each["buddies"]] == each["ring"] for each in data["map"])
    map_ = "the ring of the paper" if ring else "balanced by redo"
    return f"No instances failed together in this configuration: the recommended map is {map_}."


def _read(data: Mapping[str, Any]) -> str:
    unlisted = data["reconfigurations_without_lists"]
    parts = [_count(len(data["failures"]), "failure"), _count(data["shutdowns"], "clean shutdown")]
    if unlisted:
        parts.append(f"{_count(unlisted, 'reconfiguration')} without a list of instances")
    return f"Read: {', '.join(parts)}."


def _blocks(data: Mapping[str, Any]) -> Iterator[Block]:
    yield Heading("Buddies", anchor="buddies")
    rows = []
    for each in data["map"]:
        chosen = each["buddies"]
        rows.append(
            Row((
                str(each["instance"]), _numbers_of([b["instance"] for b in chosen]),
                _numbers_of(b["failed_together"] for b in chosen),
                _numbers_of(b["failed_together_in_other_configurations"] for b in chosen),
                _numbers_of(each["ring"]),
            ))
        )  # fmt: skip
    columns = (
        Column("instance"), Column("buddy"), Column("failed together", "number"),
        Column("in other configurations", "number"), Column("ring"),
    )  # fmt: skip
    yield Table("Recommended buddies", columns, tuple(rows))
    yield from _load(data["load"])
    yield from _failures(data["failures"])
    yield Paragraph(LIMITS, "dim")


def _load(load: Sequence[Mapping[str, Any]]) -> Iterator[Block]:
    """What every buddy reads, or how many instances it serves."""
    known = load[0]["reads_mb_per_s"] is not None if load else False
    values = [each["reads_mb_per_s"] if known else float(len(each["serves"])) for each in load]
    if not any(values):
        return
    yield Heading("Load of the buddies", anchor="load")
    yield Bars(
        "Redo read by buddies" if known else "Instances protected", "MB/s" if known else "",
        0.0, max(values),
        tuple(
            BarRow(
                f"instance {each['buddy']}", (Piece(0.0, value, "redo"),),
                f"{short(value)} MB/s" if known else f"protects {_numbers_of(each['serves'])}",
            )
            for each, value in zip(load, values, strict=True)
        ),
        legend=False,
    )  # fmt: skip
    if not known:
        text = "Give the redo of the instances to balance it: --redo 1=12.5, or --report FILE."
        yield Paragraph(text, "dim")


def _failures(failures: Sequence[Mapping[str, Any]]) -> Iterator[Block]:
    if not failures:
        return
    shown = failures[-_MOST:]
    items = tuple(
        Item(
            f"{(each['at'] or 'time not known').replace('T', ' ')}: {_named(each['failed'])} "
            f"failed in configuration {_numbers_of(each['members'])} "
            f"({'; '.join(_place(place) for place in each['lines'])})"
        )
        for each in shown
    )
    more = f" (the last {len(shown)} of {len(failures)})" if len(failures) > len(shown) else ""
    yield Fold(f"Failures{more}", (Items(items),), anchor="failures")


def _place(place: Mapping[str, Any]) -> str:
    return f"{place['source']}, line {place['line']}"


def _named(numbers: Sequence[int]) -> str:
    return f"instance{'s' if len(numbers) > 1 else ''} {_numbers_of(numbers)}"


def _numbers_of(values: Any) -> str:  # noqa: ANN401 - any numbers
    return ", ".join(str(each) for each in values) or "none"


def _times(count: int) -> str:
    return "once" if count == 1 else "twice" if count == 2 else f"{count} times"  # noqa: PLR2004


def _count(count: int, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}"
