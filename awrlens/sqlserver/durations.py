"""Facts on the number, the duration and the times of checkpoints."""

from __future__ import annotations

from collections import Counter
from math import ceil
from typing import TYPE_CHECKING

from awrlens.facts.formula import Figure, Missing, derive, measured, text_fact, unavailable
from awrlens.sqlserver.events import covered_s
from awrlens.sqlserver.fact_input import (
    FLUSH,
    LOG,
    XEVENTS,
    count_of,
    evidence,
    fact,
    sum_of,
    weightiest,
    without,
)

if TYPE_CHECKING:
    from awrlens.model import Fact
    from awrlens.sqlserver.fact_input import Seen


@fact("load.elapsed_s", "s", kind="none", better="neither")
def elapsed_s(s: Seen) -> Fact:
    """Time from the first to the last line or event with a time stamp."""
    if s.log.elapsed_s is None:
        return unavailable(Missing("all time stamps in the log are equal or missing", (LOG,)))
    return measured(Figure(s.log.elapsed_s, "s"))


@fact("load.response_s", "s", kind="total", better="lower")
def response_s(_: Seen) -> Fact:
    """DB time, which a SQL Server log does not have."""
    return unavailable(Missing("a SQL Server log has no DB time", ("time_model",)))


@fact("sqlserver.databases", "names", kind="level", better="neither")
def databases(s: Seen) -> Fact:
    """Databases with checkpoints or warnings in the log, ordered by checkpoint time."""
    wanted = s.log.databases if s.database is None else (s.database,)
    if not wanted:
        why = "no database with checkpoints or warnings is in the log"
        return unavailable(s.missing() or Missing(why, (FLUSH, XEVENTS)))
    return text_fact(tuple(s.log.label(each) for each in wanted), (), "measured")


@fact("sqlserver.checkpoints", "count", kind="total", better="neither")
def checkpoints(s: Seen) -> Fact:
    """Checkpoints in the log."""
    return measured(count_of(s, s.checkpoints, "checkpoints"))


@fact("sqlserver.snapshot_checkpoints", "count", kind="total", better="neither")
def snapshot_checkpoints(s: Seen) -> Fact:
    """Checkpoints that ended during a snapshot's freeze, or were frozen for half their time."""
    frozen = tuple(each for each in s.checkpoints if each.frozen)
    if not s.is_errorlog:
        return unavailable(Missing("snapshots are not in checkpoint events", (LOG,)))
    return measured(count_of(s, frozen, "checkpoints"))


@fact("sqlserver.unfrozen_checkpoints", "count", kind="total", better="neither")
def unfrozen_checkpoints(s: Seen) -> Fact:
    """Checkpoints that no snapshot explains."""
    return measured(count_of(s, s.unfrozen, "checkpoints"))


@fact("sqlserver.checkpoints_per_hour", "1/h", kind="rate", better="neither")
def per_hour(s: Seen) -> Fact:
    """Checkpoints in the log per hour; not known from one event, which has no interval."""
    elapsed = s.log.elapsed_s
    if not s.is_errorlog and len(s.checkpoints) < 2:  # noqa: PLR2004 - an interval has two ends
        why = "fewer than two checkpoints have no rate"
        return unavailable(without(s.checkpoints) or Missing(why, (XEVENTS,)))
    return derive(
        "checkpoints / (elapsed / 3600)",
        checkpoints=count_of(s, s.checkpoints, "checkpoints"),
        elapsed=Figure(elapsed, "s")
        if elapsed
        else Missing("the time that the log covers is not known", (LOG,)),
    )


def _rank(s: Seen, share: float, *, frozen: bool = True) -> Fact:
    """A percentile of checkpoint durations (nearest rank)."""
    chosen = s.checkpoints if frozen else s.unfrozen
    missing = s.missing() or without(chosen)
    if missing is not None:
        return unavailable(missing)
    ordered = sorted(chosen, key=lambda each: (each.seconds, each.line))
    one = ordered[max(0, ceil(share * len(ordered)) - 1)]
    return derive("ms / 1000", ms=Figure(one.numbers["ms"].value, "ms", (evidence(one, "ms"),)))


@fact("sqlserver.checkpoint_min_s", "s", kind="level", better="lower")
def min_s(s: Seen) -> Fact:
    """The shortest checkpoint."""
    return _rank(s, 0.0)


@fact("sqlserver.checkpoint_median_s", "s", kind="level", better="lower")
def median_s(s: Seen) -> Fact:
    """The median duration of a checkpoint."""
    missing = s.missing() or without(s.checkpoints)
    if missing is not None:
        return unavailable(missing)
    ordered = sorted(s.checkpoints, key=lambda each: (each.seconds, each.line))
    low, high = ordered[(len(ordered) - 1) // 2], ordered[len(ordered) // 2]
    if low is high:
        return _rank(s, 0.5)
    first, second = (Figure(c.numbers["ms"].value, "ms", (evidence(c, "ms"),)) for c in (low, high))
    return derive("(low + high) / 2 / 1000", low=first, high=second)


@fact("sqlserver.checkpoint_mean_s", "s", kind="level", better="lower")
def mean_s(s: Seen) -> Fact:
    """The average duration of a checkpoint."""
    return derive("ms / 1000 / checkpoints", ms=sum_of(s, "ms"),
                  checkpoints=count_of(s, s.checkpoints, "checkpoints"))  # fmt: skip


@fact("sqlserver.checkpoint_p95_s", "s", kind="level", better="lower")
def p95_s(s: Seen) -> Fact:
    """The 95th percentile of checkpoint durations."""
    return _rank(s, 0.95)


@fact("sqlserver.checkpoint_max_s", "s", kind="level", better="lower")
def max_s(s: Seen) -> Fact:
    """The longest checkpoint."""
    return _rank(s, 1.0)


@fact("sqlserver.checkpoint_total_s", "s", kind="total", better="lower")
def total_s(s: Seen) -> Fact:
    """The sum of all checkpoint durations; concurrent checkpoints are added."""
    return derive("ms / 1000", ms=sum_of(s, "ms"))


@fact("sqlserver.worst_database", "name", kind="level", better="neither")
def worst_database(s: Seen) -> Fact:
    """The database with the most checkpoint time that no snapshot explains."""
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


@fact("sqlserver.unfrozen_max_s", "s", kind="level", better="lower")
def unfrozen_max_s(s: Seen) -> Fact:
    """The longest checkpoint that no snapshot explains."""
    return _rank(s, 1.0, frozen=False)


@fact("sqlserver.unfrozen_time_pct", "%", kind="level", better="lower")
def unfrozen_time_pct(s: Seen) -> Fact:
    """Share of the log's time during checkpoints that no snapshot explains."""
    missing = s.missing()
    if missing is not None:
        return unavailable(missing)
    if not s.log.elapsed_s:
        return unavailable(Missing("the time that the log covers is not known", (LOG,)))
    running = Figure(
        round(covered_s(s.unfrozen, s.log.begin), 3), "s during checkpoints",
        weightiest(s.unfrozen, "ms"),
    )  # fmt: skip
    return derive("running * 100 / elapsed", running=running, elapsed=Figure(s.log.elapsed_s, "s"))


@fact("sqlserver.checkpoints_by_hour", "names", kind="level", better="neither")
def by_hour(s: Seen) -> Fact:
    """Checkpoints by the hour of the day of their end; hours without checkpoints are omitted."""
    missing = s.missing() or without(s.checkpoints)
    hours = Counter(each.end.hour for each in s.checkpoints if each.end is not None)
    if missing is None and not hours:
        missing = Missing("the checkpoints have no time stamps", (LOG,))
    if missing is not None:
        return unavailable(missing)
    return text_fact(tuple(f"{hour:02} h: {hours[hour]}" for hour in sorted(hours)), (), "derived")
