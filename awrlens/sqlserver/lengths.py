"""Facts on how many checkpoints there are, how long they take, and when."""

from __future__ import annotations

from collections import Counter
from math import ceil
from typing import TYPE_CHECKING

from awrlens.facts.formula import Figure, Missing, derive, measured, text_fact, unavailable
from awrlens.sqlserver.events import covered_s
from awrlens.sqlserver.seen import (
    FLUSH,
    LOG,
    XEVENTS,
    count_of,
    evidence,
    sum_of,
    weightiest,
    without,
)

if TYPE_CHECKING:
    from awrlens.model import Fact
    from awrlens.sqlserver.seen import Seen


def elapsed_s(s: Seen) -> Fact:
    """Time from the first to the last line, or event, that has one."""
    if s.log.elapsed_s is None:
        return unavailable(Missing("no two lines of the log have different times", (LOG,)))
    return measured(Figure(s.log.elapsed_s, "s"))


def response_s(_: Seen) -> Fact:
    """DB time is Oracle's; a log of SQL Server prints nothing like it."""
    return unavailable(Missing("a log of SQL Server prints no DB time", ("time_model",)))


def databases(s: Seen) -> Fact:
    """Databases that checkpoints or warnings are told of, those with most checkpoint time first."""
    wanted = s.log.databases if s.database is None else (s.database,)
    if not wanted:
        return unavailable(s.missing() or Missing("the log tells of no database", (FLUSH, XEVENTS)))
    return text_fact(tuple(s.log.label(each) for each in wanted), (), "measured")


def worst_database(s: Seen) -> Fact:
    """The database with most checkpoint time that no snapshot explains."""
    total: Counter[str] = Counter()
    for each in s.unfrozen:
        total[each.database] += round(each.numbers["ms"].value)
    missing = s.missing() or without(s.unfrozen)
    if missing is not None:
        return unavailable(missing)
    database, ms = total.most_common(1)[0]
    own = tuple(each for each in s.unfrozen if each.database == database)
    note = f"{ms / 1000:,.0f} s of checkpoints"
    return text_fact(s.log.label(database), weightiest(own, "ms"), "derived", note)


def checkpoints(s: Seen) -> Fact:
    """Checkpoints that are logged."""
    return measured(count_of(s, s.checkpoints, "checkpoints"))


def snapshot_checkpoints(s: Seen) -> Fact:
    """Checkpoints that a snapshot's freeze explains: ended in it, or half of them in it."""
    frozen = tuple(each for each in s.checkpoints if each.frozen)
    if not s.is_errorlog:
        return unavailable(Missing("events do not tell of snapshots", (LOG,)))
    return measured(count_of(s, frozen, "checkpoints"))


def unfrozen_checkpoints(s: Seen) -> Fact:
    """Checkpoints that no snapshot explains."""
    return measured(count_of(s, s.unfrozen, "checkpoints"))


def per_hour(s: Seen) -> Fact:
    """Checkpoints that are logged in an hour."""
    elapsed = s.log.elapsed_s
    return derive(
        "checkpoints / (elapsed / 3600)",
        checkpoints=count_of(s, s.checkpoints, "checkpoints"),
        elapsed=Figure(elapsed, "s")
        if elapsed
        else Missing("the log's length is not known", (LOG,)),
    )


def _rank(s: Seen, share: float, *, frozen: bool = True) -> Fact:
    """A checkpoint's length by its rank (nearest rank) among all of them."""
    chosen = s.checkpoints if frozen else s.unfrozen
    missing = s.missing() or without(chosen)
    if missing is not None:
        return unavailable(missing)
    ordered = sorted(chosen, key=lambda each: (each.seconds, each.line))
    one = ordered[max(0, ceil(share * len(ordered)) - 1)]
    return derive("ms / 1000", ms=Figure(one.numbers["ms"].value, "ms", (evidence(one, "ms"),)))


def min_s(s: Seen) -> Fact:
    """The shortest checkpoint."""
    return _rank(s, 0.0)


def median_s(s: Seen) -> Fact:
    """The length in the middle; of an even number of checkpoints the average of both."""
    missing = s.missing() or without(s.checkpoints)
    if missing is not None:
        return unavailable(missing)
    ordered = sorted(s.checkpoints, key=lambda each: (each.seconds, each.line))
    low, high = ordered[(len(ordered) - 1) // 2], ordered[len(ordered) // 2]
    if low is high:
        return _rank(s, 0.5)
    first, second = (Figure(c.numbers["ms"].value, "ms", (evidence(c, "ms"),)) for c in (low, high))
    return derive("(low + high) / 2 / 1000", low=first, high=second)


def p95_s(s: Seen) -> Fact:
    """The length that 95 of 100 checkpoints do not exceed."""
    return _rank(s, 0.95)


def max_s(s: Seen) -> Fact:
    """The longest checkpoint."""
    return _rank(s, 1.0)


def unfrozen_max_s(s: Seen) -> Fact:
    """The longest checkpoint that no snapshot explains."""
    return _rank(s, 1.0, frozen=False)


def total_s(s: Seen) -> Fact:
    """All checkpoints' time added up; those at the same time count each."""
    return derive("ms / 1000", ms=sum_of(s, "ms"))


def mean_s(s: Seen) -> Fact:
    """The average length of a checkpoint."""
    return derive("ms / 1000 / checkpoints", ms=sum_of(s, "ms"),
                  checkpoints=count_of(s, s.checkpoints, "checkpoints"))  # fmt: skip


def unfrozen_time_pct(s: Seen) -> Fact:
    """Share of the log's time in which a checkpoint ran that no snapshot explains."""
    missing = s.missing()
    if missing is not None:
        return unavailable(missing)
    if not s.log.elapsed_s:
        return unavailable(Missing("the log's length is not known", (LOG,)))
    running = Figure(
        round(covered_s(s.unfrozen, s.log.begin), 3), "s under checkpoints",
        weightiest(s.unfrozen, "ms"),
    )  # fmt: skip
    return derive("running * 100 / elapsed", running=running, elapsed=Figure(s.log.elapsed_s, "s"))


def by_hour(s: Seen) -> Fact:
    """Checkpoints by the hour of the day in which they ended; hours without any are left out."""
    missing = s.missing() or without(s.checkpoints)
    hours = Counter(each.end.hour for each in s.checkpoints if each.end is not None)
    if missing is None and not hours:
        missing = Missing("the checkpoints have no time", (LOG,))
    if missing is not None:
        return unavailable(missing)
    return text_fact(tuple(f"{hour:02} h: {hours[hour]}" for hour in sorted(hours)), (), "derived")
