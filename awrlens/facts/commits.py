"""What a commit waits for: the split of `log file sync`, and the work per commit.

Source: "Write Accelerator", "Redo Log Writes". A session that commits posts LGWR and sleeps until
its redo is on disk. That sleep includes the write, LGWR's other work and every wait for CPU ("All
of this CPU wait time ... is added into the log file sync event timing").

The split is a model. Its four parts are never negative and add up to `redo.sync_wait_s`:

1. storage: every commit is charged one average log write (`redo.local_write_ms`);
2. LGWR: plus the average by which LGWR's own counter exceeds that event;
3. scheduling: the rest, if the run queue has one process or more per CPU;
4. unexplained: otherwise the rest, such as the wait behind a write in progress.

Figures 1 and 2 of "Write Accelerator" contradict each other: the counter gives 12,418 s /
11,649,440 writes = 1.07 ms, the event 43,993 s / 11,649,477 waits = 3.78 ms, although the counter
includes the event. The split uses the event (65 % storage); with the counter it would be 18 %.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from awrlens.facts import host
from awrlens.facts.formula import (
    Figure,
    Missing,
    add,
    derive,
    measured,
    readable,
    summed,
    unavailable,
)
from awrlens.facts.log_switches import sync_wait_s
from awrlens.facts.redo import (
    commit_waits,
    local_write_ms,
    parallel_write_ms,
    unread_write,
    write_ms,
)
from awrlens.facts.sections import BG, ELAPSED, FG, HOST_CPU, STATS
from awrlens.facts.waits import average, per_instance, waited
from awrlens.model.fact_table import fact
from awrlens.records import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable

    from awrlens.facts.figures import Figures
    from awrlens.model import Fact


#: Runnable processes per CPU at which one of them waits. Not a threshold but the meaning of the
#: number: at 1, every CPU has a process.
_ALL_CPUS_TAKEN: Final = 1
#: Events of a synchronous standby; several measure the same time (LGWR waits while NSS sends).
_STANDBY: Final = (
    "SYNC Remote Write",
    "LGWR-LNS wait on channel",
    "LGWR wait on LNS",
    "LGWR wait on SENDREQ",
    "Redo Transport MISC",
)
#: Events of LGWR and its workers (12.1 and later).
_WORKERS: Final = (
    "LGWR any worker group",
    "LGWR all worker groups",
    "LGWR worker group ordering",
    "LGWR intra group sync",
    "LGWR intra group IO completion",
)


class _Split(NamedTuple):
    """The parts of the commit wait; see the module's documentation."""

    storage: Fact
    lgwr: Fact
    scheduling: Fact
    unexplained: Fact


@fact("redo.commit_storage_s", "s", FG, BG, kind="total", better="lower")
def commit_storage_s(f: Figures) -> Fact:
    """Part of the commit wait that is the log write: waits × average log write (at most all)."""
    return f.once(_split).storage


@fact("redo.commit_lgwr_s", "s", FG, BG, STATS, kind="total", better="lower")
def commit_lgwr_s(f: Figures) -> Fact:
    """Part of the commit wait that LGWR spends outside the local write (standby, workers, CPU)."""
    return f.once(_split).lgwr


@fact("redo.commit_scheduling_s", "s", FG, BG, HOST_CPU, "host", kind="total", better="lower")
def commit_scheduling_s(f: Figures) -> Fact:
    """Part of the commit wait that remains while processes queue for CPU."""
    return f.once(_split).scheduling


@fact("redo.commit_unexplained_s", "s", FG, BG, kind="total", better="lower")
def commit_unexplained_s(f: Figures) -> Fact:
    """Part of the commit wait that no figure in the report explains."""
    return f.once(_split).unexplained


def _split(f: Figures) -> _Split:
    whole = sync_wait_s(f)
    if whole.number is None:
        lacking = unavailable(Missing(whole.note, whole.sections))
        return _Split(lacking, lacking, lacking, lacking)
    if whole.number == 0:
        nothing = _nothing(whole, "no session waited at commit")
        return _Split(nothing, nothing, nothing, nothing)
    waits = _figure(f.once(commit_waits), "commit waits")
    write = _figure(f.once(local_write_ms), "ms")
    all_ = _figure(whole, "s")
    storage = _at_most(
        derive("waits * write / 1000", waits=waits, write=write),
        derive("sync", sync=all_),
        "one log write per wait exceeds the whole wait: the whole wait counts",
    )
    if storage.number is None:
        return _Split(storage, storage, storage, storage)
    parts = {"sync": all_, "storage": _figure(storage, "s")}
    lgwr = _at_most(
        derive(
            "waits * outside / 1000", waits=waits, outside=_figure(f.once(lgwr_outside_ms), "ms")
        ),
        derive("sync - storage", "", **parts),
        "LGWR's time outside the write exceeds the rest of the wait: the whole rest counts",
    )
    if lgwr.number is None:
        rest = derive("sync - storage", "", **parts)
    else:
        rest = derive("sync - storage - lgwr", "", **parts, lgwr=_figure(lgwr, "s"))
    return _Split(_model(storage), _model(lgwr), *_by_run_queue(f, _model(rest)))


def _by_run_queue(f: Figures, rest: Fact) -> tuple[Fact, Fact]:
    """The rest, as scheduling or as unexplained."""
    loads = [host.load_per_cpu("begin")(f), host.load_per_cpu("end")(f)]
    load = max((x for x in loads if x.number is not None), key=_number, default=None)
    if load is None:
        why = "the report has no run queue, so this includes waits for CPU"
        missing = Missing(loads[1].note, loads[1].sections)
        return unavailable(missing), rest._replace(note=why)
    told = f"the run queue is {_number(load):.2f} per CPU at the busier snapshot"
    evidence = (*rest.evidence, *load.evidence)
    rest = rest._replace(evidence=evidence)
    none = _nothing(rest, told)
    if _number(load) >= _ALL_CPUS_TAKEN:
        return rest._replace(note=told), none
    return none, rest._replace(note=told)


def _number(fact: Fact) -> float:
    return fact.number or 0.0


def _at_most(fact: Fact, whole: Fact, note: str) -> Fact:
    """A part, or the whole if the model makes the part larger."""
    if fact.number is None or whole.number is None or fact.number <= whole.number:
        return fact
    return whole._replace(note=note, evidence=(*whole.evidence, *fact.evidence))


def _model(fact: Fact) -> Fact:
    """The same fact, marked as an estimate."""
    return fact if fact.number is None else fact._replace(status="estimated")


def _nothing(of: Fact, note: str) -> Fact:
    return of._replace(value=0, status="estimated", formula="", note=note)


def _figure(fact: Fact, label: str) -> Figure | Missing:
    """A fact as an input; four decimals, because small differences of it are taken."""
    if fact.number is None:
        return Missing(fact.note, fact.sections)
    text = f"{fact.number:,.4f}".rstrip("0").rstrip(".")
    return Figure(fact.number, label, fact.evidence, text, fact.status)


@fact("redo.lgwr_outside_ms", "ms", STATS, BG, kind="level", better="lower")
def lgwr_outside_ms(f: Figures) -> Fact:
    """LGWR's time per write outside the local write: its counter minus the write."""
    counter, event = f.once(write_ms), f.once(local_write_ms)
    fact = derive("counter - event", counter=_figure(counter, "ms"), event=_figure(event, "ms"))
    if fact.number is None or fact.number >= 0:
        return fact
    note = f"{fact.formula} is below 0: the counter omits a part of the event"
    return fact._replace(value=0, formula="", note=note)


@fact("redo.lgwr_busy_pct", "%", BG, ELAPSED, kind="level", better="lower")
def lgwr_busy_pct(f: Figures) -> Fact:
    """Share of the interval in which LGWR wrote; near 100 %, commits queue behind each other.

    LGWR workers (12.1 and later) write in parallel, so their sum can be above 100 %. A cluster
    report adds up the LGWR of every instance: this is the mean per instance.
    """
    each, event = f.once(local_write_ms), f.once(parallel_write_ms)
    write = f.background("log file parallel write").total_s
    if unread := unread_write(f):
        return unavailable(unread)
    if each.number != event.number:  # the counter is the write
        counted = derive("writes * each / 1000", writes=f.stat("redo writes", "writes"),
                         each=_figure(each, "ms"))  # fmt: skip
        write = _figure(counted, "s")
    return per_instance(f, "write * 100 / elapsed", write=write, elapsed=f.elapsed)


@fact("redo.broadcast_ack_s", "s", STATS, kind="total", better="neither")
def broadcast_ack_s(f: Figures) -> Fact:
    """Seconds that log writes waited for other instances to acknowledge their SCN, after the write.

    Statistic `redo write broadcast ack time` (RAC, 11.1 and later) in microseconds: the time
    of the broadcast on commit beyond the write.
    """
    return derive("ack / 1000 / 1000", ack=f.stat("redo write broadcast ack time", "us"))


@fact("redo.scn_ack_wait_s", "s", BG, kind="total", better="lower")
def scn_ack_wait_s(f: Figures) -> Fact:
    """Seconds that LGWR waited for other instances to acknowledge an SCN (`wait for scn ack`)."""
    found = _background(f, ("wait for scn ack",))
    if isinstance(found, Missing):
        return unavailable(found)
    if not found:
        return measured(Figure(0, "s"), "`wait for scn ack` is not listed")
    return summed(add(found, "s"))


@fact("redo.polling_pct", "%", STATS, kind="level", better="neither")
def polling_pct(f: Figures) -> Fact:
    """Share of commits that polled and were not posted (adaptive log file sync, 11.2 and later)."""
    return derive(
        "polls * 100 / commits",
        polls=f.stat("redo synch poll writes", "commits that polled"),
        commits=f.stat("redo synch writes", "commits"),
    )


_FLASHBACK: Final = ("flashback log file sync", "flashback buf free by RVWR")


@fact("redo.flashback_wait_s", "s", FG, kind="total", better="lower")
def flashback_wait_s(f: Figures) -> Fact:
    """Seconds that sessions waited for flashback logs (`flashback log file sync`, RVWR)."""
    return waited(f, *_FLASHBACK)


@fact("redo.flashback_wait_ms", "ms", FG, kind="level", better="lower")
def flashback_wait_ms(f: Figures) -> Fact:
    """Average wait for flashback logs in ms."""
    return average(f, *_FLASHBACK)


@fact("redo.standby_wait_s", "s", BG, kind="total", better="lower")
def standby_wait_s(f: Figures) -> Fact:
    """Seconds that background processes waited for a synchronous standby: the longest event."""
    found = _background(f, _STANDBY)
    if isinstance(found, Missing):
        return unavailable(found)
    if not found:
        return measured(Figure(0, "s"), "no wait for a synchronous standby is listed")
    return measured(max(found, key=lambda figure: figure.value))


def _waited(doc: str, note: str, *names: str) -> Callable[[Figures], Fact]:
    """A fact that is the sum of some background events."""

    def fact(f: Figures) -> Fact:
        found = _background(f, names)
        if isinstance(found, Missing):
            return unavailable(found)
        return summed(add(found, "s")) if found else measured(Figure(0, "s"), note)

    fact.__doc__ = doc
    return fact


fact("redo.lgwr_worker_wait_s", "s", BG, kind="total", better="lower")(
    _waited(
        "Seconds that LGWR and its workers (12.1 and later) waited for each other.",
        "no wait of LGWR for its workers is listed",
        *_WORKERS,
    )
)
fact("redo.gcs_flush_wait_s", "s", BG, kind="total", better="lower")(
    _waited(
        "Seconds that LMS waited for LGWR before it shipped blocks to other instances (RAC).",
        "`gcs log flush sync` is not listed",
        "gcs log flush sync",
    )
)
fact("redo.lgwr_copy_wait_s", "s", BG, kind="total", better="lower")(
    _waited(
        "Seconds that LGWR waited for sessions to finish copying redo into the log buffer.",
        "`LGWR wait for redo copy` is not listed",
        "LGWR wait for redo copy",
    )
)


def _background(f: Figures, names: tuple[str, ...]) -> list[Figure] | Missing:
    """Times of the events in the list of background waits; a complete list may have none."""
    times = [f.background(name).total_s for name in names]
    found = readable(times)
    if isinstance(found, Missing):
        return found
    lists = ("background_events", "wait_events_fg_bg", "wait_events")
    if found or (f.complete and any(f.tables.get(name) is not None for name in lists)):
        return found
    return times[0] if isinstance(times[0], Missing) else found


@fact("redo.bytes_per_commit", "B", STATS, kind="level", better="neither")
def bytes_per_commit(f: Figures) -> Fact:
    """Redo generated per commit."""
    return derive(
        "size / commits", size=f.stat("redo size", "B"), commits=f.stat("user commits", "commits")
    )


@fact("redo.commits_per_write", "ratio", STATS, kind="level", better="neither")
def commits_per_write(f: Figures) -> Fact:
    """Commits per redo write: above 1, LGWR writes the redo of several commits at once."""
    return derive(
        "commits / writes",
        commits=f.stat("user commits", "commits"),
        writes=f.stat("redo writes", "writes"),
    )


@fact("redo.syncs_per_commit", "ratio", FG, STATS, kind="level", better="neither")
def syncs_per_commit(f: Figures) -> Fact:
    """Commit waits per commit: near 0, commits are inside PL/SQL and do not wait.

    PL/SQL waits once, at the end of the call, for all its commits ("Write Accelerator", figure 3).
    """
    return derive(
        "syncs / commits",
        syncs=f.foreground("log file sync").waits,
        commits=f.stat("user commits", "commits"),
    )
