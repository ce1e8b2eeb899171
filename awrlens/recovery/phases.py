"""The phases of starts, recoveries and reconfigurations of an alert log, in order of time."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from awrlens.recovery import judge

if TYPE_CHECKING:
    from collections.abc import Iterator

    from awrlens.model.recovery_document import EpisodeDocument
    from awrlens.recovery.alertlog import Event
    from awrlens.recovery.episodes import Episodes, Recovery

#: A phase and its seconds; None is not known.
_Phase = tuple[str, float | None]


def of_log(found: Episodes) -> list[EpisodeDocument]:
    """All episodes by time, each with its known phases and its whole time."""
    known = sorted(_all(found), key=lambda each: (each[0].at or datetime.min, each[0].line))  # noqa: DTZ901
    return [
        {
            "at": None if begin.at is None else begin.at.isoformat(timespec="seconds"),
            "line": begin.line, "kind": kind, "total_s": total,
            "phases": [{"name": name, "seconds": s} for name, s in _complete(phases, total)],
        }
        for begin, kind, total, phases in known
    ]  # fmt: skip


def _all(found: Episodes) -> Iterator[tuple[Event, str, float | None, tuple[_Phase, ...]]]:
    for number, start in enumerate(found.starts):
        own = None if start.recovery is None else found.recoveries[start.recovery]
        phases = (
            ("start-up", start.startup.seconds), ("mount", start.mount.seconds),
            *(_passes(own) if own else ()), ("opening", judge.open_s(number, found)),
        )  # fmt: skip
        kind = "start" if own is None else "crash recovery"
        yield start.begin, kind, start.whole.seconds, phases
    within = {start.recovery for start in found.starts}
    for number, each in enumerate(found.recoveries):
        if number not in within:
            yield each.begin, f"{each.kind} recovery", each.whole.seconds, _passes(each)
    for change in found.reconfigurations:
        seconds = change.seconds
        yield change.begin, "reconfiguration", seconds, (("reconfiguration", seconds),)


def _passes(each: Recovery) -> tuple[_Phase, ...]:
    return ("first pass", each.scan.seconds), ("second pass", each.apply.seconds)


def _complete(phases: tuple[_Phase, ...], total: float | None) -> Iterator[tuple[str, float]]:
    """The phases that took time, and the rest of the whole time."""
    spent = 0.0
    for name, seconds in phases:
        if seconds:
            spent += seconds
            yield name, seconds
    if total is not None and total > spent:
        yield "other", total - spent
