"""Differences that limit a comparison: everything that differs besides the compared change."""

from __future__ import annotations

from functools import partial
from statistics import median
from typing import TYPE_CHECKING, Any, Final

from awrlens import backup
from awrlens.model.comparison import Unfair
from awrlens.policy import Policy, Threshold
from awrlens.units import show

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from awrlens.model.comparison import ChangedParameter, Effect, Reading

INTERVAL_RATIO: Final = Threshold(
    "compare.interval_ratio", 1.5, "ratio",
    "ratio of the longer to the shorter interval above which their lengths differ",
    "awrlens: an interval of hours averages out a peak of minutes",
)  # fmt: skip
LOAD_RATIO: Final = Threshold(
    "compare.load_ratio", 1.5, "ratio",
    "ratio of the rates of transactions or executes, or of the numbers of sessions, above which "
    "the load differs; amounts are then compared per transaction",
    "awrlens: above this ratio, wait time per second depends more on the load than on the system",
)  # fmt: skip

#: Fields of a report's identity, their labels, and why they matter.
_SAME: Final = (
    ("db_name", "database", "Different databases: data and SQL differ."),
    ("db_id", "DBID", "Different database or a copy: files and storage differ."),
    ("container", "container", "Different pluggable databases."),
    ("instance", "instance", "Different instances have their own sessions and LGWR."),
    ("host", "host", "CPUs, memory and storage may differ between hosts."),
    ("platform", "platform", "CPUs and I/O calls differ between platforms."),
    ("cpus", "CPUs", "With more CPUs, LGWR waits less and more sessions run at a time."),
    ("release", "release", "Statistics and redo writing differ between releases."),
    ("block_size", "block size", "I/O time depends on the block size."),
    ("rac", "RAC", "RAC adds waits for the other instances."),
)  # fmt: skip
#: Fields whose difference leaves nothing in common.
_PREVENT: Final = ("db_name", "container")
#: Fields that always differ if another field does.
_IMPLIED: Final = {"db_id": {"db_name"}, "instance": {"db_name"}}
_LOADS: Final = (
    ("load.transactions_per_s", "transactions per second"),
    ("load.executes_per_s", "executes per second"),
    ("load.sessions", "sessions"),
)  # fmt: skip
#: Rates of units of work.
RATES: Final = tuple(name for name, _ in _LOADS[:2])
_MEMORY: Final = "pga.host_memory_mb"
#: Reports have memory in GB with two decimal places, or in MB.
_MEMORY_DIFFERS: Final = 1.02
_OTHER_KIND: Final = "Statspack and AWR have different sections and rounding."


def conditions(
    before: Sequence[Reading],
    after: Sequence[Reading],
    parameters: tuple[ChangedParameter, ...],
    policy: Policy,
) -> tuple[Unfair, ...]:
    """Everything that differs besides the compared change, the most important first."""
    return (
        *_identities(before, after),
        *_memory(before, after),
        *_interval(before, after, policy),
        *_loads(before, after, policy),
        *_work(before, after, policy),
        *_backups(before, after, policy),
        *_times(before, after),
        *_restarts(before, after),
        *_kinds(before, after),
        *_parameters(parameters),
    )


def same_interval(before: Sequence[Reading], after: Sequence[Reading]) -> bool:
    """Whether both sides are the same reports."""
    return [_interval_of(r) for r in before] == [_interval_of(r) for r in after]


def _interval_of(reading: Reading) -> tuple[Any, ...]:
    fields = (
        "db_id", "db_name", "instance", "begin_snap", "end_snap", "begin_time", "end_time",
        "elapsed_s",
    )  # fmt: skip
    return tuple(reading.report[name] for name in fields)


def _identities(before: Sequence[Reading], after: Sequence[Reading]) -> Iterator[Unfair]:
    seen: set[str] = set()
    for field, what, why in _SAME:
        first, second = (_values(side, partial(_field, field)) for side in (before, after))
        if first and second and set(first) != set(second):
            if not seen & _IMPLIED.get(field, set()):
                effect: Effect = "prevents" if field in _PREVENT else "limits"
                yield Unfair(what, ", ".join(first), ", ".join(second), why, effect)
            seen.add(field)
    first, second = (_values(side, _database) for side in (before, after))
    if max(len(first), len(second)) > 1:
        why = "One side has reports of several databases, so its median describes none of them."
        yield Unfair("mixed set", ", ".join(first), ", ".join(second), why, "prevents")


def _field(name: str, reading: Reading) -> object:
    return reading.report[name]


def _database(reading: Reading) -> str:
    report = reading.report
    return f"{report['db_name'] or '?'} ({report['db_id'] or '?'})"


def _values(side: Iterable[Reading], of: Callable[[Reading], Any]) -> list[str]:
    """The values of a side's reports, without duplicates."""
    words = {True: "yes", False: "no"}
    found = (of(reading) for reading in side)
    texts = (
        words[each] if isinstance(each, bool) else str(each)
        for each in found
        if each not in (None, "")
    )
    return list(dict.fromkeys(texts))


def _memory(before: Sequence[Reading], after: Sequence[Reading]) -> Iterator[Unfair]:
    first, second = (_middle(side, _MEMORY) for side in (before, after))
    if first and second and _ratio(first, second) > _MEMORY_DIFFERS:
        why = "More memory means fewer reads and fewer sorts on disk."
        yield Unfair("memory", f"{first:,.0f} MB", f"{second:,.0f} MB", why)


def _interval(
    before: Sequence[Reading], after: Sequence[Reading], policy: Policy
) -> Iterator[Unfair]:
    first, second = (_middle(side, "load.elapsed_s") for side in (before, after))
    if first and second and _ratio(first, second) > policy[INTERVAL_RATIO]:
        why = "A longer interval averages out peaks."
        yield Unfair("interval", f"{show(first)} s", f"{show(second)} s", why)


def _loads(before: Sequence[Reading], after: Sequence[Reading], policy: Policy) -> Iterator[Unfair]:
    """Load and sessions, with all known rates."""
    for what, rates in (("load", _LOADS[:2]), ("sessions", _LOADS[2:])):
        pairs = [(_middle(before, name), _middle(after, name), label) for name, label in rates]
        known = [(first, second, label) for first, second, label in pairs if first and second]
        if any(_ratio(first, second) > policy[LOAD_RATIO] for first, second, _ in known):
            yield Unfair(
                what,
                ", ".join(f"{show(first)} {label}" for first, _, label in known),
                ", ".join(f"{show(second)} {label}" for _, second, label in known),
                "The amount or the kind of work differs.",
            )


def _backups(
    before: Sequence[Reading], after: Sequence[Reading], policy: Policy
) -> Iterator[Unfair]:
    """A backup that ran in the intervals of one side only."""
    first, second = (
        backup.running(partial(_middle, side), policy.__getitem__) for side in (before, after)
    )
    if bool(first) != bool(second) and all(
        any(_middle(side, name) is not None for name in backup.FACTS) for side in (before, after)
    ):
        why = "A backup loads the storage, so all other I/O is slower."
        yield Unfair("backup", first or "no backup", second or "no backup", why)


def _work(before: Sequence[Reading], after: Sequence[Reading], policy: Policy) -> Iterator[Unfair]:
    """Transactions of different size: other SQL, or another mix of SQL."""
    first, second = (_size(side) for side in (before, after))
    if first and second and _ratio(first, second) > policy[LOAD_RATIO]:
        why = "Transactions differ in size; waits per transaction are not comparable."
        was, now = (f"{show(size)} executes per transaction" for size in (first, second))
        yield Unfair("work", was, now, why)


def _size(side: Sequence[Reading]) -> float | None:
    transactions, executes = (_middle(side, name) for name, _ in _LOADS[:2])
    return executes / transactions if transactions and executes else None


def differing(before: Sequence[Reading], after: Sequence[Reading], policy: Policy) -> list[str]:
    """Rates that differ too much to compare per second; transactions first."""
    found = []
    for name, what in _LOADS[:2]:
        first, second = (_middle(side, name) for side in (before, after))
        if first and second and _ratio(first, second) > policy[LOAD_RATIO]:
            found.append(f"{show(first)} {what} before, {show(second)} after")
    return found


def same_work(before: Sequence[Reading], after: Sequence[Reading], policy: Policy) -> bool:
    """Whether executes per transaction are similar on both sides, as far as known."""
    return not any(_work(before, after, policy))


def factors(before: Sequence[Reading], after: Sequence[Reading]) -> tuple[float, float]:
    """After / before of the rates of transactions and executes.

    It is asked where transactions differ in size, which needs all four rates; 1 without them.
    """
    pairs = [(_middle(before, name), _middle(after, name)) for name in RATES]
    transactions, executes = (
        after / before if before and after else 1.0 for before, after in pairs
    )
    return transactions, executes


def _middle(side: Sequence[Reading], fact: str) -> float | None:
    """The median of a fact over a side's reports."""
    known = [n for reading in side if (n := reading.facts[fact].number) is not None]
    return median(known) if known else None


def _ratio(first: float, second: float) -> float:
    return max(first, second) / min(first, second)


def _times(before: Sequence[Reading], after: Sequence[Reading]) -> Iterator[Unfair]:
    """Intervals of one database that overlap or are in reversed order."""
    if same_interval(before, after) or not _one_database(before, after):
        return
    first, second = (_span(side) for side in (before, after))
    if first is None or second is None:
        return
    shown = (_shown(first), _shown(second))
    if _overlap(first, second):
        yield Unfair("time", *shown, "The intervals overlap: both sides include the same work.")
    elif second[1] <= first[0]:
        yield Unfair("time", *shown, "The second side is earlier than the first.")


def _one_database(before: Sequence[Reading], after: Sequence[Reading]) -> bool:
    everyone = [*before, *after]
    return len({(r.report["db_name"], r.report["db_id"]) for r in everyone}) == 1 and (
        len({r.report["instance"] for r in everyone}) == 1
    )


def _span(side: Sequence[Reading]) -> tuple[str, str] | None:
    times = [(r.report["begin_time"], r.report["end_time"]) for r in side]
    begins, ends = [b for b, _ in times if b], [e for _, e in times if e]
    return (min(begins), max(ends)) if begins and ends else None


def _overlap(first: tuple[str, str] | None, second: tuple[str, str] | None) -> bool:
    if first is None or second is None:
        return False
    return second[0] < first[1] and first[0] < second[1]


def _shown(span: tuple[str, str]) -> str:
    return f"{span[0]} to {span[1]}".replace("T", " ")


def _restarts(before: Sequence[Reading], after: Sequence[Reading]) -> Iterator[Unfair]:
    broken = ["restarted" if any(not r.valid for r in side) else "" for side in (before, after)]
    if any(broken):
        yield Unfair(
            "restart within the interval", broken[0] or "no", broken[1] or "no",
            "Differences between snapshots across a restart are meaningless.", "prevents",
        )  # fmt: skip
    # Statspack and AWR may print different startup times for one instance: there was no restart
    # between intervals that overlap if neither spans one
    if not _one_database(before, after) or _overlap(_span(before), _span(after)):
        return
    first, second = (_values(side, lambda r: r.report["startup_time"]) for side in (before, after))
    # AWR HTML may print the month in place of the minutes of the startup time: compare the hour
    if first and second and {each[:13] for each in first} != {each[:13] for each in second}:
        was, now = (", ".join(each).replace("T", " ") for each in (first, second))
        yield Unfair(
            "restart between", was, now, "Caches were empty, and parameters may have changed."
        )


def _kinds(before: Sequence[Reading], after: Sequence[Reading]) -> Iterator[Unfair]:
    first, second = (_values(side, lambda r: _kind(r.report["kind"])) for side in (before, after))
    if set(first) != set(second):
        yield Unfair("kind of report", ", ".join(first), ", ".join(second), _OTHER_KIND)


def _kind(kind: str) -> str:
    """Statspack or AWR, of one instance or a cluster; text or HTML does not matter."""
    return kind.rpartition("-")[0]


def _parameters(parameters: tuple[ChangedParameter, ...]) -> Iterator[Unfair]:
    """Parameters that may matter. If only one differs, its effect is what is compared."""
    found = [each for each in parameters if each.about != "name"]
    if not found:
        return
    one = len(found) == 1
    first = ", ".join(f"{each.name}={each.first or '(not listed)'}" for each in found)
    second = ", ".join(f"{each.name}={each.second or '(not listed)'}" for each in found)
    these = "This parameter change" if one else "These parameter changes"
    yield Unfair(
        "one parameter" if one else f"{len(found)} parameters", first, second,
        f"{these} may explain the differences.", "explains" if one else "limits",
    )  # fmt: skip
