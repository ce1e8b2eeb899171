"""The page of a recommended buddy map: the map, the load of the buddies, the failures behind it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

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
from awrlens.render.quantity import short

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

#: Maximum number of failures listed.
_MOST: Final = 30
LIMITS: Final = (
    "RAC 12.2 and later has one buddy per instance and sets the map itself. No supported parameter "
    "changes it; several buddies are a proposal of the paper (Buddy Instance, section 5). Use the "
    "map to place instances: a buddy should not share power, switch, chassis or hypervisor with "
    "the instance that it protects."
)


def page(data: Mapping[str, Any]) -> Page:
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
            f"Instances {_numbers(pair['instances'])} failed together "
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
                str(each["instance"]), _numbers([b["instance"] for b in chosen]),
                _numbers(b["failed_together"] for b in chosen),
                _numbers(b["failed_together_in_other_configurations"] for b in chosen),
                _numbers(each["ring"]),
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
                f"{short(value)} MB/s" if known else f"protects {_numbers(each['serves'])}",
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
            f"failed in configuration {_numbers(each['members'])} "
            f"({'; '.join(_place(place) for place in each['lines'])})"
        )
        for each in shown
    )
    more = f" (the last {len(shown)} of {len(failures)})" if len(failures) > len(shown) else ""
    yield Fold(f"Failures{more}", (Items(items),), anchor="failures")


def _place(place: Mapping[str, Any]) -> str:
    return f"{place['source']}, line {place['line']}"


def _named(numbers: Sequence[int]) -> str:
    return f"instance{'s' if len(numbers) > 1 else ''} {_numbers(numbers)}"


def _numbers(values: Any) -> str:  # noqa: ANN401 - any numbers
    return ", ".join(str(each) for each in values) or "none"


def _times(count: int) -> str:
    return "once" if count == 1 else "twice" if count == 2 else f"{count} times"  # noqa: PLR2004


def _count(count: int, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}"
