"""Wording of simulations, shared by page and text: numbers with units."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from awrlens.render import present
from awrlens.units import plain

if TYPE_CHECKING:
    from collections.abc import Callable

    from awrlens.simulated import Origin, Recovery, Sample, Simulation

_MB: Final = 2**20
_MINUTE_S: Final = 60
BROWN_OUT: Final = "brown-out"
_ORIGINS: Final[dict[Origin, str]] = {
    "own": "the recovering instance was its buddy and already held the recovery set",
    "sent": "another buddy sent the recovery set",
    "scanned": "no buddy had a recovery set",
}
#: Timelines: name, unit, value of a sample (None if there is none).
_SERIES: Final[tuple[tuple[str, str, Callable[[Sample], float | None]], ...]] = (
    ("redo generated", "MB/s", lambda each: each.redo_bytes_per_s / _MB),
    ("redo after checkpoint", "MB", lambda e: (e.redo_bytes - e.checkpoint_bytes) / _MB),
    ("dirty buffers", "", lambda each: each.dirty_blocks),
    ("data blocks written", "/s", lambda each: each.writes_per_s),
    ("recovery set of buddy", "", lambda each: each.recovery_set_blocks),
    ("redo not read by buddy", "MB", lambda e: _mb(e.backlog_bytes)),
    ("brown-out if it failed", "s", lambda each: each.first_pass_s),
    ("  without a buddy", "s", lambda each: each.first_pass_without_s),
)


class Series(NamedTuple):
    """A timeline: name, unit, maximum as shown, seconds with values or None."""

    name: str
    unit: str
    most: str
    points: tuple[tuple[float, float | None], ...]


def series(found: Simulation, number: int) -> list[Series]:
    """The timelines of an instance, without empty ones; None while it is down."""
    seen = [(moment.at_s, moment.instances.get(number)) for moment in found.moments]
    all_ = []
    for name, unit, value in _SERIES:
        points = tuple((at_s, None if each is None else value(each)) for at_s, each in seen)
        most = max((each for _, each in points if each is not None), default=None)
        if most is None:
            continue
        shown = f"{amount(most)} {unit}".replace(" /s", "/s").strip()
        all_.append(Series(name, unit, shown, points))
    return all_


def setting(found: Simulation) -> str:
    """The parameters of the run, in one sentence."""
    asked = found.parameters
    buddies = asked["buddies"]
    target = asked["fast_start_mttr_target_s"]
    parts = [
        f"{asked['instances']} instances" if asked["instances"] != 1 else "1 instance",
        f"{buddies} {'buddy' if buddies == 1 else 'buddies'} per instance"
        if buddies
        else "no buddies",
        f"FAST_START_MTTR_TARGET={target:g}" if target else "no FAST_START_MTTR_TARGET",
        f"{plain(asked['redo_bytes_per_s'] / _MB, 3)} MB/s of redo per instance",
        f"seed {asked['seed']}",
    ]
    return f"{', '.join(parts)}. Source: {found.source}."


def headline(found: Simulation) -> str:
    """The longest brown-out, with and without buddies."""
    complete = [each for each in found.recoveries if each.complete]
    if not complete:
        return "No instance fails."
    worst = max(complete, key=lambda each: each.first_pass_without_s)
    if worst.instance is None:
        return f"No instance survives: the database is down for {seconds(worst.total_s)}."
    with_, without = times(worst)[-1][1:]
    return f"The surviving instances wait {with_} with buddies, {without} without."


def title(each: Recovery) -> str:
    """The failed instances with time, and the recovering instance."""
    many = len(each.failed) > 1
    failed = f"Instances {_list(each.failed)} fail" if many else f"Instance {each.failed[0]} fails"
    if not each.complete:
        failed += ", and recovery restarts"
    by = "no instance survives" if each.instance is None else f"instance {each.instance} recovers"
    return f"{failed} at {clock(each.at_s)}, {by}"


def times(each: Recovery) -> list[tuple[str, str, str]]:
    """The phases of a recovery: name, time with buddies, time without."""
    rest = each.second_pass_s, each.other_s
    frozen = each.brown_out_s, each.brown_out_s - each.first_pass_s + each.first_pass_without_s
    rows = [
        ("first pass", each.first_pass_s, each.first_pass_without_s),
        ("second pass", rest[0], rest[0]),
        ("other", rest[1], rest[1]),
        ("total recovery", each.total_s, each.total_without_s),
        (BROWN_OUT, *frozen),
    ]
    return [
        (name, seconds(with_), seconds(without))
        for name, with_, without in rows
        if name != "other" or with_
    ]


def explained(each: Recovery) -> list[str]:
    """The explanation of the times."""
    redo = amount(each.applied_bytes / _MB)
    found = [f"The second pass applies {redo} MB of redo to {each.blocks:,} blocks."]
    low_s, high_s = each.first_pass_range_s or (0.0, 0.0)
    if low_s < high_s:
        low, high = seconds(low_s), seconds(high_s)
        found.append(
            f"In the two minutes before, the first pass would have taken between {low} and {high}, "
            "because the buddy reads in bursts."
        )
    found += [
        f"Instance {part.instance}: {_ORIGINS[part.origin]}; the first pass reads "
        f"{amount(part.scanned_bytes / _MB)} of {amount(part.redo_bytes / _MB)} MB."
        for part in each.parts
    ]
    return found


def maps(found: Simulation) -> list[str]:
    """The buddy map after every change."""
    return [
        f"{clock(each.at_s)} {each.why}: "
        + ("; ".join(
            f"buddy of {protected}: {_list(buddies)}" if buddies else f"{protected} has no buddy"
            for protected, buddies in sorted(each.buddies.items())
        ) or "no instance survives")
        for each in found.maps
    ]  # fmt: skip


def notes(found: Simulation) -> list[str]:
    """Notes on the run."""
    read = f"Buddies read {amount(found.read_by_buddies_bytes / _MB)} MB of redo in total."
    return [*(present.safe(each) for each in found.notes), read, _HIDDEN]


_HIDDEN: Final = (
    "This is a model, not a guarantee (docs/simulation.md). Buddy instances need RAC 12.2 or "
    "later, which has one per instance. Change their hidden parameters only with Oracle Support."
)


def seconds(value: float) -> str:
    """Seconds with two decimals below 10, otherwise with one."""
    return f"{value:.2f} s" if value < 10 else f"{value:,.1f} s"  # noqa: PLR2004


def clock(at_s: float) -> str:
    """Seconds up to a minute, then minutes and seconds."""
    if at_s < _MINUTE_S:
        return f"{at_s:g} s"
    minutes, rest = divmod(round(at_s), _MINUTE_S)
    return f"{minutes}:{rest:02d} min"


def amount(value: float) -> str:
    """A number with three significant digits."""
    return plain(value, 3)


def _mb(value: int | None) -> float | None:
    return None if value is None else value / _MB


def _list(numbers: tuple[int, ...]) -> str:
    if len(numbers) == 1:
        return str(numbers[0])
    return f"{', '.join(map(str, numbers[:-1]))} and {numbers[-1]}"
