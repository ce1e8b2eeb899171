"""``awrlens recovery buddies``: a buddy map that is safe by the failures in alert logs.

Source: Buddy Instance, sections 5 and 5.2.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from itertools import combinations
from typing import TYPE_CHECKING, Any, Final

import click

from awrlens.cli import output
from awrlens.cli.options import formats, redacted
from awrlens.errors import UsageError
from awrlens.lab import simulation_setup
from awrlens.lab.alert_log import Span, alert_log
from awrlens.lab.simulation_setup import Failure
from awrlens.lazy import NamedTuple
from awrlens.model import SCHEMA_VERSION
from awrlens.render import blocks as b
from awrlens.render.wording import count

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from awrlens.lab.alert_log import Episodes, Reconfiguration
    from awrlens.redact.names import Names


#: Failures within this time have one cause. # awrlens: twice the default misscount of 30 s, after
#: which a cluster detects a failed node
TOGETHER_S: Final = 60.0
#: The step of a reconfiguration after which the first pass may begin.
_READY: Final = "Post SMON to start 1st pass IR"


class History(NamedTuple):
    """All failures in alert logs, in order of time."""

    failures: tuple[Failure, ...]
    #: Every cluster configuration in the logs, in order of time.
    configurations: tuple[frozenset[int], ...]
    #: Reconfigurations that list no instances, and clean shutdowns.
    unlisted: int
    shutdowns: int

    @property
    def largest(self) -> frozenset[int]:
        """The last of the configurations with the most members: all instances are up."""
        return max(reversed(self.configurations), key=len, default=frozenset())


def passes(change: Reconfiguration) -> tuple[float, float] | None:
    """Seconds of a reconfiguration before the first pass may begin, and from then on."""
    ready = next((step for step in change.steps if step.values["step"] == _READY), None)
    before_s, whole_s = Span(change.begin, ready).seconds, change.seconds
    if before_s is None or whole_s is None:
        return None
    return before_s, max(0.0, whole_s - before_s)


def history(logs: Sequence[Episodes], within_s: float = TOGETHER_S) -> History:
    """The failures in the alert logs of a cluster; several survivors report the same one."""
    failures: list[Failure] = []
    configurations: list[tuple[datetime, frozenset[int]]] = []
    unlisted = shutdowns = 0
    for log in logs:
        members: frozenset[int] | None = None
        for number, change in enumerate(log.reconfigurations):
            before, lost = _change(change, members)
            if before is None or lost is None:
                unlisted += change.members is None
                members = change.members or members
                continue
            members = before - lost if change.members is None else change.members
            at = change.begin.at
            configurations += [(at or datetime.min, listed) for listed in (before, members)]  # noqa: DTZ901 - no zone
            if lost and (change.invalid or _recovered(number, log)):
                place = log.log.source, change.begin.line
                failures.append(Failure(lost, before, at, (place,)))
            elif lost:
                shutdowns += 1
        failures += _everyone(log, members)
    merged: list[Failure] = []
    for one in sorted(failures, key=lambda failure: failure.at or datetime.min):  # noqa: DTZ901
        last = merged[-1] if merged else None
        if last and last.at and one.at and one.at - last.at <= timedelta(seconds=within_s):
            merged[-1] = Failure(
                last.failed | one.failed, last.members | one.members, last.at,
                last.places + one.places,
            )  # fmt: skip
        else:
            merged.append(one)
    ordered = tuple(members for _, members in sorted(configurations, key=lambda pair: pair[0]))
    return History(tuple(merged), ordered, unlisted, shutdowns)


def _change(
    change: Reconfiguration, members: frozenset[int] | None
) -> tuple[frozenset[int] | None, frozenset[int] | None]:
    """The members before a reconfiguration, and those that left; None is not known."""
    after, dead = change.members, change.dead
    if after is None:
        if members is None or dead is None:
            return None, None
        after = members - dead
    if dead is None and members is None:
        # the first list of the log: who was a member before is not in it
        return (None, None) if change.invalid else (after, frozenset())
    dead = (members or frozenset()) - after if dead is None else dead
    return (after - (change.joined or frozenset())) | dead, dead


def _recovered(number: int, log: Episodes) -> bool:
    """Whether an instance recovery begins before the next reconfiguration."""
    first, *rest = (change.begin.line for change in log.reconfigurations[number:])
    lines = [recovery.begin.line for recovery in log.recoveries if recovery.kind == "instance"]
    return any(first < line and (not rest or line < rest[0]) for line in lines)


def _everyone(log: Episodes, members: frozenset[int] | None) -> Iterator[Failure]:
    """Crash recoveries of several threads: no instance survived."""
    for recovery in log.recoveries:
        if recovery.kind != "crash" or recovery.threads < 2:  # noqa: PLR2004 - several
            continue
        threads = frozenset(
            int(event.values["thread"])
            for event in log.log.of("reading_log", "position")
            if recovery.begin.line < event.line
            and (recovery.whole.end is None or event.line <= recovery.whole.end.line + 9)
        )
        failed = members if members and len(members) == recovery.threads else threads
        if len(failed) == recovery.threads:
            place = log.log.source, recovery.begin.line
            yield Failure(failed, failed, recovery.begin.at, (place,))


def plan(history: History, members: tuple[int, ...], wanted: int) -> dict[str, Any]:
    """The recommended map, with the failures behind it; plain data."""
    failures = history.failures
    ring = simulation_setup.ring(members, wanted)
    buddies = sorted(simulation_setup.recommend(members, wanted, failures).items())

    def described(protected: int, buddy: int) -> dict[str, int]:
        here, elsewhere = simulation_setup.together(protected, buddy, members, failures)
        return {
            "instance": buddy, "failed_together": here,
            "failed_together_in_other_configurations": elsewhere,
        }  # fmt: skip

    pairs = [(list(pair), simulation_setup.together(*pair, members, failures)[0])
             for pair in combinations(members, 2)]  # fmt: skip
    return {
        "schema_version": SCHEMA_VERSION,
        "members": list(members),
        "map": [
            {
                "instance": protected,
                "buddies": [described(protected, buddy) for buddy in chosen],
                "ring": list(ring[protected]),
            }
            for protected, chosen in buddies
        ],
        "load": [
            {"buddy": buddy, "serves": [p for p, chosen in buddies if buddy in chosen]}
            for buddy in members
        ],
        "pairs": [
            {"instances": pair, "failed_together": times}
            for pair, times in sorted(pairs, key=lambda counted: -counted[1])
            if times
        ],
        "failures": [
            {
                "at": failure.at and failure.at.isoformat(timespec="seconds"),
                "failed": sorted(failure.failed), "members": sorted(failure.members or ()),
                "lines": [{"source": source, "line": line} for source, line in failure.places],
            }
            for failure in failures
        ],
        "configurations": [sorted(listed) for listed in dict.fromkeys(history.configurations)],
        "reconfigurations_without_lists": history.unlisted,
        "shutdowns": history.shutdowns,
    }  # fmt: skip


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
    "--within", type=click.FloatRange(0), default=TOGETHER_S, show_default=True, metavar="S",
    help="Failures within this time count as one failure of several instances.",
)  # fmt: skip
@formats("text", "json", "markdown")
@redacted
def buddies(
    logs: tuple[str, ...], members: str | None, buddies: int, within: float, format_: str,
    names: Names | None,
) -> int:  # fmt: skip
    """Recommend buddy instances from the failures in the alert logs of a cluster.

    ALERTLOG is the alert log of an instance; give those of all instances. Instances that failed
    together in the same cluster configuration should not protect each other. Among the others,
    every buddy protects as many as the others do.

    \b
    Examples:
      awrlens recovery buddies alert_PROD1.log alert_PROD2.log alert_PROD3.log
      awrlens recovery buddies alert_*.log --buddies 2
    """  # noqa: D301 - \b is for click
    failures = history([alert_log(path, names) for path in logs], within)
    numbers = numbers_in(members) if members else tuple(sorted(failures.largest))
    if len(numbers) < 2:  # noqa: PLR2004 - a buddy is another instance
        raise UsageError(
            "The logs list no cluster of several instances.",
            hint="Give the alert logs of RAC instances (10g and later), or --members 1,2,3.",
        )
    data = plan(failures, numbers, buddies)
    return output.either(format_, data, lambda: _buddies_page(data))


def numbers_in(text: str, example: str = "1,2,3") -> tuple[int, ...]:
    """The instances in a list like ``1,2``."""
    parts = [part.strip() for part in text.split(",")]
    if not all(part.isascii() and part.isdecimal() for part in parts):
        raise UsageError(f"{text!r} is not a list of instances.", hint=f"For example {example}.")
    return tuple(sorted({int(part) for part in parts}))


_MOST: Final = 30
LIMITS: Final = (
    "RAC 12.2 and later has one buddy per instance and sets the map itself. No supported parameter "
    "changes it; several buddies are a proposal of the paper (Buddy Instance, section 5). Use the "
    "map to place instances: a buddy should not share power, switch, chassis or hypervisor with "
    "the instance that it protects."
)


def _buddies_page(data: Mapping[str, Any]) -> b.Page:
    unlisted = data["reconfigurations_without_lists"]
    read = [count(len(data["failures"]), "failure"), count(data["shutdowns"], "clean shutdown")]
    if unlisted:
        read.append(f"{count(unlisted, 'reconfiguration')} without a list of instances")
    about = (
        f"Cluster configuration: instances {_numbers_of(data['members'])}.",
        f"Read: {', '.join(read)}.",
    )
    return b.Page("Recommended buddy map", about, _headline(data), "info", tuple(_blocks(data)))


def _headline(data: Mapping[str, Any]) -> str:
    for row in data["map"]:
        for buddy in row["buddies"]:
            if times := buddy["failed_together"]:
                return (
                    f"Instance {row['instance']} has no buddy that never failed together with it: "
                    f"instance {buddy['instance']} did {_times(times)}, fewer than any other."
                )
    if data["pairs"]:
        pair = data["pairs"][0]
        return (
            f"Instances {_numbers_of(pair['instances'])} failed together "
            f"{_times(pair['failed_together'])} in this configuration: in the recommended map, "
            "they do not protect each other."
        )
    ring = all([peer["instance"] for peer in row["buddies"]] == row["ring"] for row in data["map"])
    map_ = "the ring of the paper" if ring else "balanced"
    return f"No instances failed together in this configuration: the recommended map is {map_}."


def _blocks(data: Mapping[str, Any]) -> Iterator[b.Block]:
    yield b.Heading("Buddies", anchor="buddies")
    rows = []
    for row in data["map"]:
        chosen = row["buddies"]
        rows.append(
            b.Row((
                str(row["instance"]), _numbers_of([buddy["instance"] for buddy in chosen]),
                _numbers_of(buddy["failed_together"] for buddy in chosen),
                _numbers_of(buddy["failed_together_in_other_configurations"] for buddy in chosen),
                _numbers_of(row["ring"]),
            ))
        )  # fmt: skip
    heads = "instance | buddy | #failed together | #in other configurations | ring"
    yield b.Table("Recommended buddies", b.columns(heads), tuple(rows))
    load, failures = data["load"], data["failures"]
    yield b.Heading("Load of the buddies", anchor="load")
    yield b.Bars(
        "Instances protected", max(len(buddy["serves"]) for buddy in load),
        tuple(
            b.BarRow(
                f"instance {buddy['buddy']}",
                (b.Piece(0.0, len(buddy["serves"]), "redo", "instances protected"),),
                f"protects {_numbers_of(buddy['serves'])}",
            )
            for buddy in load
        ),
    )  # fmt: skip

    shown = failures[-_MOST:]
    items = []
    for failure in shown:
        failed = failure["failed"]
        places = "; ".join(f"{place['source']}, line {place['line']}" for place in failure["lines"])
        items.append(b.Item(
            f"{(failure['at'] or 'time not known').replace('T', ' ')}: "
            f"instance{'s' if len(failed) > 1 else ''} {_numbers_of(failed)} failed in "
            f"configuration {_numbers_of(failure['members'])} ({places})"
        ))  # fmt: skip
    more = f" (the last {len(shown)} of {len(failures)})" if len(failures) > len(shown) else ""
    if failures:
        yield b.Fold(f"Failures{more}", (b.Items(tuple(items)),), anchor="failures")
    yield b.Paragraph(LIMITS, "dim")


def _numbers_of(values: Any) -> str:  # noqa: ANN401 - any numbers
    return ", ".join(str(number) for number in values) or "none"


def _times(count: int) -> str:
    return "once" if count == 1 else "twice" if count == 2 else f"{count} times"  # noqa: PLR2004
