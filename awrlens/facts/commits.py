"""What a commit waits for: the split of `log file sync`, and the work per commit.

Source: "Write Accelerator", "Redo Log Writes": a session that commits sleeps until its redo is on
disk. The split is a model whose parts add up to `redo.sync_wait_s`: one average log write per
commit (storage), the average by which LGWR's own counter exceeds it, and the rest: scheduling if
the run queue has one process or more per CPU, else unexplained, such as the wait behind a write in
progress. Figures 1 and 2 contradict each other (the counter, which includes the event, gives 1.07
ms per write, the event 3.78 ms): the split uses the event, by which 65 % are storage.
"""

from __future__ import annotations

from typing import Final

from awrlens.facts import host, redo
from awrlens.facts.answers import Answer, as_input, needed, summed, text_fact
from awrlens.facts.counters import kept
from awrlens.facts.figures import Figures, formula, several
from awrlens.facts.formula import Figure, Missing, Number, add, readable, value_of
from awrlens.facts.sections import BG, ELAPSED, FG, HOST_CPU, STATS
from awrlens.facts.waits import per_instance, wait_ms, waited, waited_s
from awrlens.facts.whole_lists import none_of_background
from awrlens.model import Fact
from awrlens.model.fact_table import fact
from awrlens.policy import Policy

#: Runnable processes per CPU at which one of them waits. Not a threshold but the meaning of the
#: number: at 1, every CPU has a process.
_ALL_CPUS_TAKEN: Final = 1
#: Events of a synchronous standby; several measure the same time (LGWR waits while NSS sends).
_STANDBY: Final = (
    "SYNC Remote Write", "LGWR-LNS wait on channel", "LGWR wait on LNS", "LGWR wait on SENDREQ",
    "Redo Transport MISC",
)  # fmt: skip
_NO_STANDBY: Final = "no wait for a synchronous standby is listed"
#: Events of LGWR and its workers (12.1 and later).
_WORKERS: Final = (
    "LGWR any worker group", "LGWR all worker groups", "LGWR worker group ordering",
    "LGWR intra group sync", "LGWR intra group IO completion",
)  # fmt: skip
_PARTS: Final = ("storage", "lgwr", "scheduling", "unexplained")
#: Times of the global cache; up to 19c in ms, then in us.
_CACHE_WORKLOAD: Final = "global_cache_workload"


@several("s", FG, BG, kind="total", better="lower")
def part(f: Figures, name: str, _what: str) -> Answer:
    """Part of the commit wait that {_what}."""
    return needed(_split(f))[name]


part("redo.commit_storage_s", "storage",
    "is the log write: waits × average log write (at most all)")  # fmt: skip
part.but(FG, BG, STATS)("redo.commit_lgwr_s", "lgwr",
    "LGWR spends outside the local write (standby, workers, CPU)")  # fmt: skip
part.but(FG, BG, HOST_CPU, "host")("redo.commit_scheduling_s", "scheduling",
    "remains while processes queue for CPU")  # fmt: skip
part("redo.commit_unexplained_s", "unexplained", "no figure in the report explains")


@kept
def _split(f: Figures) -> dict[str, Fact] | Missing:
    """The parts of the commit wait; see the module's documentation."""
    whole = waited(f, "log file sync")
    waits, sync = _figure(f.once(redo.commit_waits), "commit waits"), needed(_figure(whole, "s"))
    if not sync.value:
        return dict.fromkeys(_PARTS, _nothing(whole, "no session waited at commit"))
    storage = _at_most(
        needed(waits * _figure(f.once(redo.local_write_ms), "ms") / 1000),
        sync,
        "one log write per wait exceeds the whole wait: the whole wait counts",
    )
    left = sync - _figure(storage, "s")
    lgwr = _at_most(
        waits * _figure(f.once(lgwr_outside_ms), "ms") / 1000,
        left,
        "LGWR's time outside the write exceeds the rest of the wait: the whole rest counts",
    )
    # a RAC report does not print LGWR's counter for an instance, and an excerpt may not have it:
    # its part is in the rest. # Write Accelerator, figures 1 and 2
    counter = f.stat("redo write time", "cs")
    never = counter.never and f.is_of_one
    no_counter = never or (isinstance(counter, Missing) and not f.complete)
    rest = left if no_counter else left - _figure(lgwr, "s")
    parts = (storage, lgwr, *_by_run_queue(f, rest.estimated().fact()))
    return dict(zip(_PARTS, parts, strict=True))


def _by_run_queue(f: Figures, rest: Fact) -> tuple[Fact, Fact]:
    if rest.number is None:
        return rest, rest
    begin, end = (host.load_per_cpu.function(f, when).fact() for when in ("begin", "end"))
    load = max(begin, end, key=lambda queue: -1.0 if queue.number is None else queue.number)
    if load.number is None:
        why = "the report has no run queue, so this includes waits for CPU"
        return Missing(end.note).fact(), rest._replace(note=why)
    rest = rest._replace(
        evidence=(*rest.evidence, *load.evidence),
        note=f"the run queue is {load.number:.2f} per CPU at the busier snapshot",
    )
    none, idle = _nothing(rest, rest.note), host.cpu_share(f, "idle").value or 0.0
    # on Linux, processes that wait for a disk are in the run queue, while CPUs are idle
    queued = load.number >= _ALL_CPUS_TAKEN and idle < Policy()["storage.unlikely_idle_pct"]
    return (rest, none) if queued else (none, rest)


def _at_most(part: Number, whole: Number, note: str) -> Fact:
    """An estimate of a part, or the whole if the model makes the part larger."""
    if isinstance(part, Missing) or isinstance(whole, Missing) or part.value <= whole.value:
        return part.estimated().fact()
    evidence = (*whole.evidence, *part.evidence)
    return Fact("", whole.value, "", "estimated", evidence, whole.shown, note)


def _nothing(of: Fact, note: str) -> Fact:
    return of._replace(value=0, status="estimated", formula="", note=note)


def _figure(fact: Fact, label: str) -> Number:
    """A fact as an input; four decimals, because small differences of it are taken."""
    if isinstance(number := as_input(fact, label), Missing):
        return number
    text = f"{number.value:,.4f}".rstrip("0").rstrip(".")
    return Figure(number.value, label, fact.evidence, text, fact.status)


@fact("redo.lgwr_outside_ms", "ms", STATS, BG)
def lgwr_outside_ms(f: Figures) -> Answer:
    """LGWR's time per write outside the local write: its counter minus the write."""
    counter, write = f.once(redo.write_ms), f.once(redo.local_write_ms)
    outside = _figure(counter, "ms") - _figure(write, "ms")
    if isinstance(outside, Missing) or outside.value >= 0:
        return outside
    note = f"{outside.shown} is below 0: the counter omits a part of the event"
    return text_fact(0, outside.evidence, outside.status, note)


@fact("redo.lgwr_busy_pct", "%", BG, ELAPSED, better="lower", beyond=True)
def lgwr_busy_pct(f: Figures) -> Answer:
    """Share of the interval in which LGWR wrote; near 100 %, commits queue behind each other.

    LGWR workers (12.1 and later) write in parallel, so their sum can be above 100 %. A cluster
    report adds up the LGWR of every instance: this is the mean per instance.
    """
    local, event = f.once(redo.local_write_ms), f.once(redo.parallel_write_ms)
    write = f.background("log file parallel write").total_s
    needed(redo.unread_write(f))
    if local.number != event.number:  # the counter is the write
        counted = f.stat("redo writes", "writes") * _figure(local, "ms") / 1000
        write = _figure(counted.fact(), "s")
    return per_instance(f, write * 100 / f.elapsed)


@fact("redo.broadcast_ack_s", "s", STATS, kind="total")
def broadcast_ack_s(f: Figures) -> Answer:
    """Seconds that log writes waited for other instances to acknowledge their SCN, after the write.

    The time of the broadcast on commit beyond the write (RAC, 11.1 and later).
    """
    return f.stat("redo write broadcast ack time", "us") / 1000 / 1000


scn_ack_wait_s = formula("redo.scn_ack_wait_s", "s", BG,
    "Seconds that LGWR waited for other instances to acknowledge an SCN (`wait for scn ack`).",
    lambda f: _background(f, "`wait for scn ack` is not listed", "wait for scn ack"))  # fmt: skip


@fact("redo.acknowledged_ms", "ms", BG, STATS)
def acknowledged_ms(f: Figures) -> Answer:
    """Time per redo write that LGWR waited for other instances, a part of a commit at most."""
    seconds = (f.once(name) for name in (broadcast_ack_s, scn_ack_wait_s))
    most = max(seconds, key=lambda waited: waited.number or 0.0)
    return _figure(most, "s") * 1000 / f.stat("redo writes", "writes")


formula("redo.polling_pct", "%", STATS,
    "Share of commits that polled and were not posted (adaptive log file sync, 11.2 and later).",
    lambda f: f.stat("redo synch poll writes", "commits that polled") * 100
    / f.stat("redo synch writes", "commits"))  # fmt: skip


_FLASHBACK: Final = ("flashback log file sync", "flashback buf free by RVWR")


waited_s("redo.flashback_wait_s", "for flashback logs (`flashback log file sync`, RVWR)",
    *_FLASHBACK)  # fmt: skip
wait_ms("redo.flashback_wait_ms", "for flashback logs in ms", *_FLASHBACK)


formula("redo.standby_wait_s", "s", BG,
    "Seconds that background processes waited for a synchronous standby: the longest event.",
    lambda f: _background(f, _NO_STANDBY, *_STANDBY, longest=True))  # fmt: skip


@fact("redo.standby_wait_ms", "ms", BG)
def standby_wait_ms(f: Figures) -> Answer:
    """Average wait of LGWR for a synchronous standby: of the event with the longest total."""
    events = [f.background(name) for name in _STANDBY]
    if not any(time.value for time in needed(readable(event.total_s for event in events))):
        return Missing(_NO_STANDBY)
    return max(events, key=lambda event: event.total_s.value or 0.0).each_ms


formula("redo.lgwr_worker_wait_s", "s", BG,
    "Seconds that LGWR and its workers (12.1 and later) waited for each other.",
    lambda f: _background(f, "no wait of LGWR for its workers is listed", *_WORKERS))  # fmt: skip


formula("redo.gcs_flush_wait_s", "s", BG,
    "Seconds that LMS waited for LGWR before it shipped blocks to other instances (RAC).",
    lambda f: _background(f, "`gcs log flush sync` is not listed", "gcs log flush sync"),
)  # fmt: skip


@several("ms", f"{_CACHE_WORKLOAD}|compared_global_enqueues")
def flush_ms(f: Figures, which: str) -> Answer:
    """Average time of LGWR's flush before a {which} block goes to another instance (RAC).

    Compare-period reports of 10.2 print ten times that of a CR block: it is computed there.
    """
    if which == "cr" and f.is_compared:
        flushes = f.row_figure("compared_global_enqueues", "Flushes", "value", "flushes")
        return f.stat("gc cr block flush time", "cs") * 10 / flushes
    ms, us = (
        f.row_figure(_CACHE_WORKLOAD, f"{which}_flush_{unit}", "value", unit)
        for unit in ("ms", "us")
    )
    return us / 1000 if isinstance(us, Figure) else ms


flush_ms("redo.gc_cr_flush_ms", "cr")
flush_ms("redo.gc_current_flush_ms", "current")


formula("redo.lgwr_copy_wait_s", "s", BG,
    "Seconds that LGWR waited for sessions to finish copying redo into the log buffer.",
    lambda f: _background(f, "`LGWR wait for redo copy` is not listed", "LGWR wait for redo copy"),
)  # fmt: skip


def _background(f: Figures, none: str, *names: str, longest: bool = False) -> Answer:
    """Time of events in the list of background waits; a complete list may have none of them."""
    times = [f.background(name).total_s for name in names]
    if figures := needed(readable(times)):
        return max(figures, key=value_of) if longest else summed(add(figures, "s"))
    lists = ("background_events", "wait_events_fg_bg", "wait_events")
    if f.complete and any(f.tables.get(name) is not None for name in lists):
        return none_of_background(f, none, *names)
    return times[0]


formula("redo.bytes_per_commit", "B", STATS, "Redo generated per commit.",
    lambda f: f.stat("redo size", "B") / f.stat("user commits", "commits"))  # fmt: skip
formula("redo.commits_per_write", "ratio", STATS,
    "Commits per redo write: above 1, LGWR writes the redo of several commits at once.",
    lambda f: f.stat("user commits", "commits") / f.stat("redo writes", "writes"))  # fmt: skip


@fact("redo.syncs_per_commit", "ratio", FG, STATS)
def syncs_per_commit(f: Figures) -> Answer:
    """Commit waits per commit: near 0, commits are inside PL/SQL and do not wait.

    PL/SQL waits once, at the end of the call, for all its commits ("Write Accelerator", figure 3).
    """
    return f.foreground("log file sync").waits / f.stat("user commits", "commits")
