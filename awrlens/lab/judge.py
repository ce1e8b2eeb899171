"""Verdict on a recovery of an alert log: in time, at the lower bound, or a bottleneck.

Source: Fast-Start Checkpointing Best Practices, "Determine the MTTR Achieved" and "If MTTR is too
High".
"""

from __future__ import annotations

import math
from collections import Counter
from datetime import datetime
from statistics import median
from typing import TYPE_CHECKING, Final

from awrlens.lab.alert_log import KB
from awrlens.lab.documents import Offsets, Rate
from awrlens.lazy import NamedTuple
from awrlens.model import ALARMS, Note
from awrlens.policy import declared

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from awrlens.lab import documents
    from awrlens.lab.alert_log import Episodes, Event, Log, Recovery
    from awrlens.model import Analysis
    from awrlens.policy import Policy


class Owner(NamedTuple):
    """The database that a report is of; ``shown`` replaces a name of the log, if names are."""

    db_name: str | None
    shown: Callable[[str], str] = str


def doubts(episodes: Episodes, owner: Owner) -> Iterator[Note]:
    """That the log is of another database, where both name theirs."""
    named = [e for e in episodes.log.of("parameter") if e.values["name"] == "db_name"]
    name = episodes.parameter("db_name")
    if not name or not owner.db_name:
        return
    shown = owner.shown(name)
    if shown.casefold() != owner.db_name.casefold():
        yield Note(
            f"the alert log is from database {shown}, but the report is from {owner.db_name}: "
            "results from one may not apply to the other",
            named[-1].line,
        )


_S_PER_HOUR: Final = 3600.0


def switches(log: Log) -> documents.SwitchesDocument:
    """Log switches, and redo logs that could not be allocated; the hours with the most of both."""
    changes, checkpoint = log.of("log_switch"), log.of("wait_checkpoint")
    hours = None
    if log.first is not None and log.last is not None and log.last > log.first:
        hours = (log.last - log.first).total_seconds() / _S_PER_HOUR
    busiest, most = _busiest(changes)
    worst, most_waits = _busiest(checkpoint)
    return {
        "switches": len(changes), "waits": len(log.of("log_wait")),
        "for_checkpoint": len(checkpoint), "for_strand": len(log.of("wait_strand")),
        "for_archiver": len(log.of("wait_archive")), "hours": hours,
        "busiest": busiest, "most": most, "worst": worst, "most_waits": most_waits,
    }  # fmt: skip


def _busiest(events: list[Event]) -> tuple[str | None, int]:
    hours = Counter(e.at.replace(minute=0, second=0, microsecond=0) for e in events if e.at)
    if not hours:
        return None, 0
    events_in_hour, hour = max((number, hour) for hour, number in hours.items())
    return hour.isoformat(timespec="minutes"), events_in_hour


def rate(pairs: Iterable[tuple[int, float | None, float | None]], step_s: float) -> Rate | None:
    """Amount per second of (index, amount, seconds); None if no pair has both."""
    some = [(n, amount, s) for n, amount, s in pairs if amount is not None and s is not None]
    amount = math.fsum(amount for _, amount, _ in some)
    if not some or amount <= 0:
        return None
    seconds = math.fsum(s for _, _, s in some)
    slack = step_s * len(some)
    low = amount / (seconds + slack)
    high = amount / (seconds - slack) if seconds > slack else None
    value = amount / seconds if seconds > 0 else None
    return Rate(value, low, high, amount, seconds, tuple(n for n, _, _ in some))


def rates(episodes: Episodes) -> dict[str, Rate | None]:
    """The rates of this system per second, over all recoveries in the log."""
    step_s, runs = episodes.log.resolution_s, list(enumerate(episodes.recoveries))
    return {
        "scan_bytes": rate(((n, _bytes(r), r.scan.seconds) for n, r in runs), step_s),
        "apply_bytes": rate(((n, _bytes(r), r.apply.seconds) for n, r in runs), step_s),
        "apply_blocks": rate(((n, r.blocks, r.apply.seconds) for n, r in runs), step_s),
    }


def _bytes(recovery: Recovery) -> float | None:
    return None if recovery.redo_kb is None else recovery.redo_kb * KB


def moved_pct(episodes: Episodes) -> float | None:
    """By how much the last recovery changed the rate of the first pass; None with fewer than two.

    Oracle's own estimates become accurate as more and larger recoveries are completed.
    # Fast-Start Checkpointing Best Practices, "Overview of MTTR and Crash Recovery Components"
    """
    step = episodes.log.resolution_s
    pairs = [(n, _bytes(r), r.scan.seconds) for n, r in enumerate(episodes.recoveries)]
    timed = [pair for pair in pairs if pair[1] is not None and pair[2] is not None]
    whole, before = rate(timed, step), rate(timed[:-1], step)
    if whole is None or before is None or not whole.value or not before.value:
        return None
    return 100 * abs(whole.value / before.value - 1)


_KNOWN: Final = declared(__file__)
FEW_SECONDS: Final = _KNOWN["recovery.few_seconds"]


class Wanted(NamedTuple):
    """The caller's input: the desired recovery time, the target, two numbers of a report."""

    desired_s: float | None = None
    target_s: float | None = None
    #: ESTIMATED_MTTR and TARGET_MTTR of V$INSTANCE_RECOVERY, as in a report.
    estimated_mttr_s: float | None = None
    kept_target_s: float | None = None
    owner: Owner | None = None
    bottleneck: documents.BottleneckDocument | None = None
    #: All logs that the runs of a crash test are in, if there are several.
    logs: tuple[Episodes, ...] = ()


class Judged(NamedTuple):
    """One recovery: achieved and desired time, and the verdict."""

    achieved_s: float | None
    desired_s: float | None
    verdict: documents.Judgement
    why: str


def offsets(episodes: Episodes) -> Offsets:
    """INIT and FOPEN of the starts in a log: medians, because a manual start may pause.

    # Fast-Start Checkpointing Best Practices, "Determining FAST_START_MTTR_TARGET in a RAC
    # Environment"
    """
    inits, opens = times_of_starts(episodes)
    return Offsets(median(inits) if inits else None, median(opens) if opens else None)


def times_of_starts(episodes: Episodes) -> tuple[list[float], list[float]]:
    """Seconds of INIT and FOPEN of the starts in a log, as far as they are known."""
    numbers = range(len(episodes.starts))
    inits, opens = ([seconds_of(n, episodes) for n in numbers] for seconds_of in (init_s, open_s))
    return [s for s in inits if s is not None], [s for s in opens if s is not None]


def init_s(number: int, episodes: Episodes) -> float | None:
    """Seconds from the start until the database is mounted."""
    start = episodes.starts[number]
    startup, mount = start.startup.seconds, start.mount.seconds
    return None if startup is None or mount is None else startup + mount


def open_s(number: int, episodes: Episodes) -> float | None:
    """Seconds to open the database, without recovery."""
    start = episodes.starts[number]
    if start.open.seconds is None:
        return None
    if start.recovery is None:
        return start.open.seconds
    spent = episodes.recoveries[start.recovery].whole.seconds
    return None if spent is None else max(0.0, start.open.seconds - spent)


def judge(
    recovery: Recovery, episodes: Episodes, wanted: Wanted, fixed: Offsets, policy: Policy
) -> Judged:
    """Whether one recovery was in time, and if not, why not."""
    achieved = achieved_s(recovery, episodes)
    if achieved is None:
        return Judged(None, None, "not-judged", "the end of this recovery is not in the log")
    desired, basis = _desired(recovery, wanted, fixed)
    if desired is None:
        return Judged(achieved, None, "not-judged", basis)
    over = achieved - desired
    if over <= policy[FEW_SECONDS]:
        margin = f"{-over:.0f} s less than" if over <= 0 else f"{over:.0f} s more than"
        exact = "exactly" if over == 0 else margin
        return Judged(achieved, desired, "within", f"{exact} {basis}")
    much = f"{over:.0f} s more than {basis}"
    bound = lower_bound(recovery, episodes, wanted, fixed)
    if bound is not None and bound.lowest_s > desired:
        beyond = achieved - bound.lowest_s
        if beyond <= policy[FEW_SECONDS]:
            return Judged(
                achieved, desired, "lower-bound", f"{much}; the lower bound is reached: {bound.why}"
            )
        said = f"; {bound.why}, and even this is exceeded by {beyond:.0f} s: there is a bottleneck"
    elif bound is not None:
        said = f"; {bound.why}, which does not explain it: there is a bottleneck"
    else:
        said = "; the log has no message that Oracle adjusted the target: there is a bottleneck"
    why = f"{much}{said}{_longest(recovery, episodes)}"
    return Judged(achieved, desired, "bottleneck", why)


def _longest(recovery: Recovery, episodes: Episodes) -> str:
    parts = {"the first pass": recovery.scan.seconds, "the second pass": recovery.apply.seconds}
    if recovery.start is not None:
        parts["start-up and mounting"] = init_s(recovery.start, episodes)
        parts["opening"] = open_s(recovery.start, episodes)
    name, seconds = max(parts.items(), key=lambda part: part[1] or 0.0)
    return f"; {name} took {seconds:.0f} s of this" if seconds else ""


def achieved_s(recovery: Recovery, episodes: Episodes) -> float | None:
    """From the start of the instance to its opening, where both are in the log; else recovery."""
    if recovery.start is not None:
        whole = episodes.starts[recovery.start].whole.seconds
        if whole is not None:
            return whole
    return recovery.whole.seconds


def _desired(recovery: Recovery, wanted: Wanted, fixed: Offsets) -> tuple[float | None, str]:
    if wanted.desired_s is not None:
        return wanted.desired_s, f"the desired MTTR of {wanted.desired_s:.0f} s"
    target = wanted.target_s if wanted.target_s is not None else recovery.target_s
    if target is None:
        return None, "no desired recovery time is given, and the target is not in the log"
    if target == 0:
        return None, "FAST_START_MTTR_TARGET was not set, and no desired recovery time is given"
    if recovery.kind == "crash":
        return float(target), f"the target of {target:.0f} s"
    # Fast-Start Checkpointing Best Practices, "Monitoring MTTR in a RAC Environment": a surviving
    # instance neither starts nor opens files
    if fixed.init_s is None and fixed.open_s is None:
        whole = f"the target of {target:.0f} s, which includes start-up and opening of the files"
        return float(target), f"{whole} (not in the log)"
    rest_s = max(0.0, target - fixed.total_s)
    return rest_s, f"the target minus start-up and opening of {rest_s:.0f} s"


def bound_before(recovery: Recovery, episodes: Episodes) -> Event | None:
    """The last `out of the valid MTTR range` in the log before a recovery."""
    begin = recovery.begin
    events = episodes.log.events
    last = events.index(begin) if begin in events else len(events)
    return next((e for e in reversed(events[:last]) if e.kind == "target_range"), None)


class Bound(NamedTuple):
    """The lowest recovery time that Oracle can keep, by a target that it named."""

    lowest_s: float
    target_s: float
    why: str


def lower_bound(
    recovery: Recovery, episodes: Episodes, wanted: Wanted, fixed: Offsets
) -> Bound | None:
    """The lowest achievable time; a surviving instance neither starts nor opens files."""
    message = bound_before(recovery, episodes)
    if message is not None and (used_s := message.number("used")):
        target_s, place = used_s, f"line {message.line}"
    elif wanted.kept_target_s is not None:
        target_s, place = wanted.kept_target_s, "the report's TARGET_MTTR"
    else:
        return None
    text = f"by {place}, {target_s:.0f} s is the lowest achievable target"
    extra = fixed.total_s if recovery.kind == "instance" else 0.0
    if not extra:
        return Bound(target_s, target_s, text)
    lowest_s = max(0.0, target_s - extra)
    return Bound(lowest_s, target_s, f"{text}, {lowest_s:.0f} s without start-up and opening")


_Phase = tuple[str, float | None]


def of_log(episodes: Episodes) -> list[documents.EpisodeDocument]:
    """All episodes by time, each with its known phases and its whole time."""
    ordered = sorted(_all(episodes), key=lambda row: (row[0].at or datetime.min, row[0].line))  # noqa: DTZ901
    return [
        {
            "at": None if begin.at is None else begin.at.isoformat(timespec="seconds"),
            "line": begin.line, "kind": kind, "total_s": total,
            "phases": [{"name": name, "seconds": s} for name, s in _complete(phases, total)],
        }
        for begin, kind, total, phases in ordered
    ]  # fmt: skip


def _all(episodes: Episodes) -> Iterator[tuple[Event, str, float | None, tuple[_Phase, ...]]]:
    for number, start in enumerate(episodes.starts):
        own = None if start.recovery is None else episodes.recoveries[start.recovery]
        phases = (
            ("start-up", start.startup.seconds), ("mount", start.mount.seconds),
            *(_passes(own) if own else ()), ("opening", open_s(number, episodes)),
        )  # fmt: skip
        kind = "start" if own is None else "crash recovery"
        yield start.begin, kind, start.whole.seconds, phases
    within = {start.recovery for start in episodes.starts}
    for number, run in enumerate(episodes.recoveries):
        if number not in within:
            yield run.begin, f"{run.kind} recovery", run.whole.seconds, _passes(run)
    for change in episodes.reconfigurations:
        seconds = change.seconds
        yield change.begin, "reconfiguration", seconds, (("reconfiguration", seconds),)


def _passes(recovery: Recovery) -> tuple[_Phase, ...]:
    return ("first pass", recovery.scan.seconds), ("second pass", recovery.apply.seconds)


def _complete(phases: tuple[_Phase, ...], total: float | None) -> Iterator[tuple[str, float]]:
    known = [(name, seconds) for name, seconds in phases if seconds]
    yield from known
    rest = (total or 0.0) - sum(seconds for _, seconds in known)
    if rest > 0:
        yield "other", rest


#: Maximum number of findings that are named.
_SHOWN: Final = 3
#: Findings on DBWR and its waits: the I/O that fast-start checkpointing adds.
_OF_DBWR: Final = frozenset({"CKPT005", "CKPT008"})
DBWR_BUSY_PCT: Final = _KNOWN["recovery.dbwr_busy_pct"]


class Side(NamedTuple):
    """What one report says of its I/O."""

    findings: tuple[tuple[str, str, float | None], ...]
    busy_pct: float | None
    io_per_s: float | None
    writes_per_s: float | None
    at_capacity: bool


def bottleneck(report: Side, without: Side | None = None) -> documents.BottleneckDocument:
    """Where the bottleneck is; ``without``: a report without fast-start checkpointing."""
    named = "; ".join(f"{title} ({rule})" for rule, title, _ in report.findings[:_SHOWN])
    more = "" if report.busy_pct is None else f" DBWR is {report.busy_pct:.0f} % busy."
    extra_pct = None
    if without and without.io_per_s and report.writes_per_s is not None:
        extra_pct = 100 * (report.writes_per_s - (without.writes_per_s or 0.0)) / without.io_per_s
        more += f" The additional writes are {extra_pct:.0f} % of all I/O without fast-start "
        more += "checkpointing."
    document: documents.BottleneckDocument = {
        "verdict": "none",
        "text": "The report shows no significant bottleneck, so it is not the I/O of the load. See "
        f"the longest part of the recovery.{more}",
        "findings": [
            {"id": rule, "title": title, "pct_db_time": pct} for rule, title, pct in report.findings
        ],
        "dbwr_busy_pct": report.busy_pct,
        "dbwr_busy_pct_without": without and without.busy_pct,
        "extra_io_pct": extra_pct,
    }
    if without is not None and report.at_capacity and not without.at_capacity:
        document["verdict"] = "capacity"
        document["text"] = (
            "Fast-start checkpointing exceeds the I/O capacity: the report without it has no such "
            f"bottleneck. Increase the target or the capacity.{more}"
        )
    elif report.findings or report.at_capacity:
        document["verdict"] = "report"
        document["text"] = f"The report shows it: {named or 'DBWR has no capacity left'}.{more}"
    return document


def limiting(analyses: Iterable[Analysis], policy: Policy) -> documents.BottleneckDocument:
    """The bottleneck in a report, compared with one without fast-start checkpointing, if given."""
    return bottleneck(*(_side(analysis, policy) for analysis in analyses))


def _side(analysis: Analysis, policy: Policy) -> Side:
    facts = analysis.facts
    busy = facts["checkpoint.dbwr_busy_pct"].number
    significant = [f for f in analysis.findings if f.severity in ALARMS and f.impact.seconds]
    significant.sort(key=lambda f: -(f.impact.pct_db_time or 0.0))
    reads, writes = (facts[f"load.physical_{which}_per_s"].number for which in ("reads", "writes"))
    return Side(
        tuple((f.id, f.title, f.impact.pct_db_time) for f in significant), busy,
        None if reads is None or writes is None else reads + writes, writes,
        (busy or 0.0) > policy[DBWR_BUSY_PCT] or any(f.id in _OF_DBWR for f in significant),
    )  # fmt: skip
