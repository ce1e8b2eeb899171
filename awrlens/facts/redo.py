"""Redo: time per write, wait per commit, amount written, and the slowest writes and waits.

Source: "Write Accelerator", "Redo Log Writes" (time per write from `redo write time` and
`redo writes`). An average hides the slowest 1 % of writes: percentiles and shares above a bound are
those of histograms (``awrlens.facts.histograms``), as exact as their buckets.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from awrlens.facts.answers import Answer, as_input, needed, summed, text_fact
from awrlens.facts.counters import SINCE_10G
from awrlens.facts.figures import TOP_OF_SESSIONS, Figures, formula, several
from awrlens.facts.formula import Constant, Figure, Missing, Number, add, joined, readable
from awrlens.facts.histograms import SECTIONS, Edge, histogram, value
from awrlens.facts.sections import BG, ELAPSED, FG, STATS
from awrlens.facts.wait_event import EXACT, ROUNDED
from awrlens.facts.waits import per_instance
from awrlens.model import Evidence, Fact, Status
from awrlens.model.fact_table import fact
from awrlens.units import listed, plain

if TYPE_CHECKING:
    from awrlens.report.table import Cell


#: Bytes of a redo block's header; the rest holds redo and wastage.
_BLOCK_HEADER = 16
_BLOCK_SIZES = (512, 1024, 2048, 4096)
#: A block size is accepted if the bytes per block are this near to it.
_NEAR = 0.05
#: A `log file parallel write` below this many ms does not include the write: no device is so fast
#: (0.104 ms in "Write Accelerator", figure 5); a report of 10.2 has 0.01 ms where `redo write
#: time` has 13 ms per write. Before 10g, with a clock of 1/100 s, the bound is five times as high.
_LEAST_WRITE_MS = 0.02
_LEAST_WRITE_OLD_MS = 0.1
#: Above this share of time-outs, waits for `log file parallel write` are not whole writes.
_SPLIT_WRITE_PCT = 10
#: From this many waits for `log file parallel write` per redo write on, a wait is not all of it.
#: # awrlens: halfway between one wait and two; 11.2.0.1 has two
_WAITS_PER_WRITE = 1.5
#: LGWR's counter, which includes these waits, can be below their sum by this much, as it rounds
#: every write to hundredths of a second. # awrlens: an assumption
_COUNTER_SHORT = 0.8
#: Waits for `log file sync` per commit, above which most time out: up to 1.1 in the real reports,
#: 11.4 and 12.3 where nine of ten do. # awrlens: an assumption
_WAITS_PER_COMMIT = 1.5
#: At this share of time-outs or above, a commit takes several waits for `log file sync`.
_SPLIT_COMMIT_PCT = 20
#: Commits cannot wait for writes that take more than this many times as long as they do.
_LONGER_THAN_COMMIT = 1.5


write_ms = formula("redo.write_ms", "ms", STATS,
    "Milliseconds per redo write by LGWR's own counters (centiseconds).",
    lambda f: f.stat("redo write time", "cs") * 10 / f.stat("redo writes", "writes"),
    title="Redo write time")  # fmt: skip
parallel_write_ms = formula("redo.parallel_write_ms", "ms", BG,
    "Average of `log file parallel write`: LGWR's write to all members of a redo log group.",
    lambda f: f.background("log file parallel write").each_ms,
    title="log file parallel write")  # fmt: skip
#: Where `log file parallel write` misses the write, shorter averages of other I/O do as well.
#: # awrlens: no disk or flash is so fast
_LEAST_IO_MS: Final = 0.1
#: LGWR's counter is then at least this many times as long. # awrlens: no rounding is as large
_UNTIMED_RATIO: Final = 10


def untimed(f: Figures) -> str:
    """Why times of I/O events are not credible; empty if the time of log writes is.

    Compare-period report 10.2.0.4.0 01: asynchronous I/O takes 0.01 to 0.05 ms by its events, and
    12.6 and 0.97 ms by LGWR's counter and file statistics.
    """
    event = f.once(parallel_write_ms).number
    if f.release is None or f.release < SINCE_10G or event is None or event >= _LEAST_WRITE_MS:
        return ""
    counter = f.once(write_ms).number or 0.0
    said = (f"I/O events are not timed: `log file parallel write` takes {plain(event)} ms, and "
            f"{plain(counter, 3)} ms by LGWR's counter")  # fmt: skip
    return said if counter >= _UNTIMED_RATIO * _LEAST_WRITE_MS else ""


def timed(f: Figures, average: Number) -> Number:
    """The average of another I/O event; missing if no disk is so fast and events are not timed."""
    why = untimed(f) if isinstance(average, Figure) and average.value < _LEAST_IO_MS else ""
    return Missing(why) if why else average


sync_ms = formula("redo.sync_ms", "ms", FG,
    "Average of `log file sync`: the wait of a session at commit.",
    lambda f: f.foreground("log file sync").each_ms,
    title="Commit time (log file sync)")  # fmt: skip
parallel_write_timeout_pct = formula("redo.parallel_write_timeout_pct", "%", BG,
    "Time-outs of `log file parallel write` in % of waits; if many, waits are parts of a write.",
    lambda f: f.background("log file parallel write").timeout_pct)  # fmt: skip
sync_timeout_pct = formula("redo.sync_timeout_pct", "%", FG,
    "Time-outs of `log file sync` in % of waits; if many, a commit takes several waits.",
    lambda f: f.foreground("log file sync").timeout_pct)  # fmt: skip


@fact("redo.local_write_ms", "ms", BG, STATS, title="Redo log write")
def local_write_ms(f: Figures) -> Answer:
    """Time of a write to the local redo logs: the event, or LGWR's counter if the event is wrong.

    `log file parallel write` misses the asynchronous issue of the write before 10g, and if many
    of its waits time out. Then LGWR's counter (`redo write time`) is the write, unless commits
    take much less. From 12.1 on, the counter includes LGWR's workers and standbys. If a redo write
    takes several waits for the event (11.2.0.1), it takes their sum.
    """
    needed(unread_write(f))
    event, counter = f.once(parallel_write_ms), f.once(write_ms)
    old = f.release is not None and f.release < SINCE_10G
    least_ms = _LEAST_WRITE_OLD_MS if old else _LEAST_WRITE_MS
    lacking = [Missing(time.note) for time in (event, counter)
               if time.number is None]  # fmt: skip
    # real reports of 10g and later have 1.0 to 44 times the event's time in the counter, those of
    # 8i and 9i 2.4 to 7 times: none of them stands for the other where a report lacks it
    usual = counter if old else event
    never = f.stat("redo writes", "").never
    if old and f.complete and f.session_list is None:
        # how long commits take decides between the two
        return joined(*lacking, f.missing("foreground_events"))
    if len(lacking) == 2 or (usual.number is None and f.complete and not never):  # noqa: PLR2004
        return joined(*lacking)
    credible = [time for time in (event, counter) if (time.number or 0.0) >= least_ms]
    if not credible:
        printed = [time for time in (event, counter) if time.number is not None]
        why = "; ".join(f"{time.formula or time.value} ms" for time in printed)
        return Missing(f"a log write below {least_ms:g} ms is not plausible: {why}")
    if event.number is None or counter.number is None or len(credible) == 1:
        only = credible[0]
        if only is event:
            return event
        return only._replace(status="estimated", note=only.note or "by LGWR's counter")
    waited, counted = f.background("log file parallel write"), f.stat("redo write time", "")
    step = min(waited.total_s.rounding, waited.average_ms.rounding)
    near = abs(counter.number - event.number) <= step * event.number
    finer = near and step > _ROUNDED and counted.rounding < step
    if not old and (f.once(parallel_write_timeout_pct).number or 0.0) <= _SPLIT_WRITE_PCT:
        by_counter = counter._replace(note="the time of the event is rounded more")
        return by_counter if finer else _whole_write(f, event, counter.number)
    commit = f.once(commit_ms).number
    fits = not commit or commit <= 0 or counter.number <= commit * _LONGER_THAN_COMMIT
    if fits and counter.number >= event.number:
        note = f"the event `log file parallel write` shows {plain(event.number)} ms"
        return counter._replace(note=note)
    return event._replace(note=f"LGWR's counter shows {plain(counter.number)} ms")


@fact("redo.local_write_by", "name", BG, STATS)
def local_write_by(f: Figures) -> Fact:
    """What redo.local_write_ms is by: the `event`, or LGWR's `counter`, which may be far apart.

    An estimate if the report has only one of the two: with both, it might be the other.
    """
    write, event, counter = f.once(local_write_ms), f.once(parallel_write_ms), f.once(write_ms)
    if write.number is None:
        return write
    both = event.number is not None and counter.number is not None
    by = "counter" if counter.number is not None and write.formula == counter.formula else "event"
    return text_fact(by, write.evidence, "measured" if both else "estimated")


#: An event whose last digit is a larger share of it is rounded more than LGWR's counter.
_ROUNDED: Final = 0.05


@fact("redo.log_reads", "name", FG, BG, ELAPSED, STATS)
def log_reads(f: Figures) -> Answer:
    """Reads of redo logs, by whom and how often, if these are more than LGWR's writes.

    They also take a tenth of the interval. Streams, LogMiner, standbys and archiving read redo
    logs; the lists of waits part only sessions and background processes, but the idle events of
    Streams and LogMiner show that these run.
    """
    writes = needed(f.stat("redo writes", "writes")).value
    lists = {"sessions": ("", f.foreground(_READ)),
             "background processes": (", probably archiving", f.background(_READ))}  # fmt: skip
    said: list[str] = []
    proof: list[Evidence] = []
    for who, (why, of) in lists.items():
        share, each_ms = per_instance(f, of.total_s) / f.elapsed, of.each_ms.value
        times, spent = of.waits.value or 0.0, of.total_s.value or 0.0
        if each_ms and (share.value or 0.0) >= _NOTICED and times > writes > 0:
            said.append(
                f"{who} read redo logs {times:,.0f} times ({plain(each_ms, 3)} ms each, "
                f"{spent:,.0f} s), {plain(times / writes, 2)} times as often as LGWR writes{why}"
            )
            proof += [*of.waits.evidence, *of.total_s.evidence]
    if not said:
        return Missing("few processes read redo logs, or less often than LGWR writes")
    tables = filter(None, map(f.tables.get, ("background_events", f.session_list or "wait_events")))
    rows = (row for table in tables for row in table.begins(_READERS))
    at_work = list(dict.fromkeys(row.key.partition(":")[0] for row in rows))
    note = f"{listed(at_work)} ran" if at_work else ""
    return text_fact(listed(said), tuple(proof), "derived", note)


#: How events of processes begin that read redo logs. # Oracle Database Reference, wait events
_READERS: Final = ("LogMiner: ", "Streams capture: ")
_READ: Final = "log file sequential read"
_NOTICED: Final = 0.1  # awrlens: as impact.several_sessions


def unread_write(f: Figures) -> Missing | None:
    """Why the event of the log write cannot be judged: one of its figures cannot be read."""
    event = f.background("log file parallel write")
    unread = readable((event.waits, event.total_s))
    return unread if isinstance(unread, Missing) else None


def _whole_write(f: Figures, event: Fact, counter_ms: float) -> Answer:
    """The event, or the sum of its waits for a redo write, if it takes several of them."""
    waited, writes = f.background("log file parallel write"), f.stat("redo writes", "writes")
    waits_per_write = (waited.waits / writes).value
    if waits_per_write is None or waits_per_write < _WAITS_PER_WRITE:
        return event
    whole_ms = waited.total_s * 1000 / writes
    if whole_ms.value is None or counter_ms < _COUNTER_SHORT * whole_ms.value:
        return event
    return whole_ms.noted(
        f"a redo write takes {waits_per_write:.1f} waits for `log file parallel write`"
    )


def _split_commits_pct(f: Figures) -> float | None:
    """Time-outs of `log file sync` in % if they are so many that a commit takes several waits."""
    share = f.once(sync_timeout_pct).number
    return share if share is not None and share >= _SPLIT_COMMIT_PCT else None


@fact("redo.commit_ms", "ms", FG, STATS, title="Commit")
def commit_ms(f: Figures) -> Answer:
    """Average time of a commit: `log file sync`, or the commit counters if its waits time out."""
    share = _split_commits_pct(f)
    counted = f.stat("redo synch time", "cs") * 10 / f.stat("redo synch writes", "commits")
    needed(_commits_unknown(f))
    if share is None or not counted.value:
        return _exact_commit(f)
    return counted.noted(
        f"{share:.0f} % of the waits for `log file sync` timed out: a commit takes several waits"
    )


#: Commits per wait up to which both are the same: background processes wait, too.
#: # awrlens: 1.11 in AWR report 11.2.0.4.0 02
_SAME_COMMITS: Final = 1.25


def _exact_commit(f: Figures) -> Answer:
    """The event, or the counters of commits if the event's time is rounded more than theirs.

    They are in microseconds (11.2), or in cs: 763 cs / 1,927 where the event has 7 s / 1,926 (AWR
    10.2.0.4.0 02). They count background processes, too: the time is divided by their number.
    """
    exact = f.stat("redo synch time (usec)", "us") / 1000
    whole = exact.otherwise(f.stat("redo synch time", "cs") * 10)
    average, event = whole / f.stat("redo synch writes", "commits"), f.foreground("log file sync")
    rounded, counted = event.total_s, whole.value or 0.0
    if isinstance(rounded, Missing) or f.is_compared or event.coarse or not average.value:
        return f.once(sync_ms)
    is_exact = rounded.rounding <= max(EXACT, whole.rounding)
    if is_exact or abs(counted / 1000 - rounded.value) > ROUNDED:
        return f.once(sync_ms)
    if counted / average.value > (event.waits.value or 0) * _SAME_COMMITS:  # others did not wait
        average = exact / event.waits
    if isinstance(average, Missing):
        return f.once(sync_ms)
    return average.noted(f"`log file sync` has only {rounded.shown}")


@fact("redo.commit_waits", "count", FG, STATS, kind="total", better="lower")
def commit_waits(f: Figures) -> Number:
    """Number of commits that waited: `log file sync` waits without those that only timed out."""
    counted = f.stat("redo synch writes", "commits")
    needed(_commits_unknown(f))
    waits = f.foreground("log file sync").waits
    return waits if _split_commits_pct(f) is None or not counted.value else counted


def _commits_unknown(f: Figures) -> Missing | None:
    """Why it is not known whether waits are commits: time-outs, or the counters, are missing."""
    counted = f.stat("redo synch writes", "commits")
    if f.complete and _split_commits_pct(f) is not None and isinstance(counted, Missing):
        return counted
    ratio = (f.foreground("log file sync").waits / counted).value or 0.0
    # top events have no time-outs
    if f.complete and ratio > _WAITS_PER_COMMIT and f.row(f.session_list, "log file sync") is None:
        why = f"{ratio:.1f} waits for `log file sync` per commit: their time-outs are not known"
        return Missing(why, ("wait_events",), lost=True)
    if f.complete and f.session_list is None and f.tables.get(TOP_OF_SESSIONS) is None:
        return f.missing("foreground_events")
    return None


formula("redo.sync_to_write_ratio", "ratio", (FG, BG),
    "Commit wait over log write: near 1, commits wait for storage; far above, for other causes.",
    lambda f: as_input(f.once(sync_ms), "ms per sync")
    / as_input(f.once(parallel_write_ms), "ms per write"), better="lower over time")  # fmt: skip


formula("redo.writes_per_s", "1/s", (STATS, ELAPSED), "Redo writes per second.",
    lambda f: f.stat("redo writes", "writes") / f.elapsed, title="Redo writes")  # fmt: skip


@fact("redo.bytes_per_s", "B/s", STATS, ELAPSED, title="Redo size")
def bytes_per_s(f: Figures) -> Answer:
    """Redo generated per second; wastage and multiplexed members are not in `redo size`."""
    size = f.stat("redo size", "B")
    lacking = size if isinstance(size, Missing) else f.elapsed
    if isinstance(lacking, Missing):
        printed = f.row_figure("load_profile", "redo_size", "per_second", "B/s")
        note = f"{lacking.why}: rate from Load Profile"
        return printed.noted(note).otherwise(size / f.elapsed)
    return size / f.elapsed


formula("redo.bytes_written_per_s", "B/s", (STATS, ELAPSED),
    "Redo written to one member per second: blocks written × redo block size.",
    lambda f: f.stat("redo blocks written", "blocks") * block_size(f) / f.elapsed)  # fmt: skip


def block_size(f: Figures) -> Figure:
    """Redo block size in bytes, from the bytes per block plus the block header; else an estimate.

    `redo size` + `redo wastage` fill the blocks written except for 16 bytes per block.
    """
    size = f.stat("redo size", "B").otherwise(as_input(bytes_per_s(f), "B/s") * f.elapsed)
    whole_b = (size + f.stat("redo wastage", "B")).value
    blocks = f.stat("redo blocks written", "blocks").value
    if whole_b is not None and blocks:
        filled = whole_b / blocks + _BLOCK_HEADER
        near = min(_BLOCK_SIZES, key=lambda size: abs(size - filled))
        if abs(near - filled) <= near * _NEAR:
            if near != _BLOCK_SIZES[0]:
                return Constant(near, f"redo blocks hold {filled:.0f} bytes: block size {near}")
            return Constant(near, "redo block size 512 bytes")
    return Constant(_BLOCK_SIZES[0]).estimated(
        "redo block size 512 bytes, as on most platforms: the statistics that show it are not "
        "in the report"
    )


@fact("redo.bytes_per_write", "B", STATS)
def bytes_per_write(f: Figures) -> Answer:
    """Bytes of redo and wastage per write.

    An estimate for an instance of a RAC report, which prints neither wastage nor the number of
    writes for it: its redo over its waits for `log file parallel write`.
    """
    size, writes = f.stat("redo size", "B"), f.stat("redo writes", "writes")
    if isinstance(writes, Missing) and writes.never:
        waits = f.background("log file parallel write").waits.estimated()
        note = f"{writes.why}: a write per wait for `log file parallel write`, without wastage"
        return (size / waits).noted(note)
    return (size + f.stat("redo wastage", "B wastage")) / writes


formula("redo.wastage_per_write", "B", STATS, "Bytes of wastage per write.",
    lambda f: f.stat("redo wastage", "B") / f.stat("redo writes", "writes"))  # fmt: skip


@fact("redo.wastage_pct", "%", STATS)
def wastage_pct(f: Figures) -> Answer:
    """Share of wastage in all redo written."""
    size, wastage = f.stat("redo size", "B"), f.stat("redo wastage", "B wastage")
    return (wastage * 100 / (size + wastage)).citing(size)


formula("redo.commits_per_s", "1/s", (STATS, ELAPSED), "User commits per second.",
    lambda f: f.stat("user commits", "commits") / f.elapsed)  # fmt: skip


_HISTOGRAM: Final = "|".join(SECTIONS)
#: Above this ratio of its bounds a bucket is too wide: the section that refines it is missing.
#: # awrlens: an assumption
_WIDE: Final = 4
#: Shares have one decimal.
_PRINTED: Final = 1e-6

WRITE: Final = "log file parallel write"
SYNC: Final = "log file sync"
READ: Final = "db file sequential read"
CONTROL: Final = "control file parallel write"
DATA: Final = "db file parallel write"
DIRECT: Final = "direct path write"
TEMP: Final = "direct path write temp"
_WRITES: Final = "log writes"
_COMMITS: Final = "commit waits"
_READS: Final = "single-block reads"


@several("ms", _HISTOGRAM)
def percentile_ms(f: Figures, event: str, percent: int, _what: str = "") -> Answer:
    """{percent}th percentile of {_what}: upper bound of the histogram's bucket."""
    shares, below = needed(f.once(histogram, event)), 0.0
    for bound, edge in shares.edges.items():
        if edge.above_pct <= 100 - percent + _PRINTED:
            proof = () if edge.bucket is None else _evidence(f, (edge.bucket,))
            note = f"between {below:g} and {bound:g} ms"
            status: Status = "estimated" if 0 < below * _WIDE < bound else "derived"
            return text_fact(bound, proof, status, note)
        below = bound
    why = f"more than {100 - percent} % of `{event}` took longer than {below:g} ms, where the "
    return Missing(why + "last bucket begins", SECTIONS)


percentile_ms("redo.write_p50_ms", WRITE, 50, _WRITES)
percentile_ms("redo.write_p95_ms", WRITE, 95, _WRITES)
percentile_ms("redo.write_p99_ms", WRITE, 99, _WRITES)
percentile_ms("io.data_read_p50_ms", READ, 50, _READS)
percentile_ms("io.control_write_p50_ms", CONTROL, 50, f"waits for `{CONTROL}`")
percentile_ms("checkpoint.data_write_p50_ms", DATA, 50, f"waits for `{DATA}`")
percentile_ms("io.direct_write_p50_ms", DIRECT, 50, f"waits for `{DIRECT}`")
percentile_ms("temp.direct_write_p50_ms", TEMP, 50, f"waits for `{TEMP}`")
percentile_ms("redo.sync_p50_ms", SYNC, 50, _COMMITS)
percentile_ms("redo.sync_p95_ms", SYNC, 95, _COMMITS)
percentile_ms("redo.sync_p99_ms", SYNC, 99, _COMMITS)


@several("%", _HISTOGRAM, better="lower")
def slower_pct(f: Figures, event: str, bound_ms: int, _what: str) -> Answer:
    """Share of the {_what} that took longer than {bound_ms} ms."""
    edges, counted = needed(f.once(histogram, event))
    if (edge := edges.get(bound_ms)) is not None:
        return _share(f, edge, counted)
    below = [edge for bound, edge in edges.items() if bound < bound_ms]
    if below and not any(cell.text for cell in below[-1].above):
        note = "the buckets above it have no waits"
        return _share(f, below[-1], counted)._replace(note=note)
    beyond = [edge.above_pct for bound, edge in edges.items() if bound > bound_ms]
    most = below[-1].above_pct if below else 100
    why = (f"no bucket of `{event}` ends at {bound_ms} ms: between "
           f"{plain(max(beyond, default=0))} and {plain(most)} % took longer")  # fmt: skip
    return Missing(why)


slower_pct("redo.write_slower_4ms_pct", WRITE, 4, _WRITES)
slower_pct("redo.write_slower_16ms_pct", WRITE, 16, _WRITES)
slower_pct("redo.write_slower_64ms_pct", WRITE, 64, _WRITES)
slower_pct("redo.sync_slower_16ms_pct", SYNC, 16, _COMMITS)
slower_pct("redo.sync_slower_64ms_pct", SYNC, 64, _COMMITS)
slower_pct("io.data_read_slower_1ms_pct", READ, 1, _READS)


def _share(f: Figures, edge: Edge, counted: float | None) -> Fact:
    label = "waits" if counted else "%"
    cells = [cell for cell in edge.above if cell.text]
    figures = [
        Figure(value(cell), label, _evidence(f, (cell,)), f"{value(cell):,g}") for cell in cells
    ]
    if not figures and edge.bucket is not None and edge.bucket.text:
        # nothing above it: the last bucket with waits is the evidence
        figures = [Figure(0, label, _evidence(f, (edge.bucket,)), "0")]
    total = add(figures, label)
    if not counted:
        return summed(total)
    text = f"({total.digits})" if total.is_sum else total.digits
    return Fact("", edge.above_pct, "", "derived", total.evidence,
                f"{text} waits × 100 / {counted:,.0f} waits")  # fmt: skip


def _evidence(f: Figures, cells: tuple[Cell, ...]) -> tuple[Evidence, ...]:
    return tuple(f.evidence(cell) for cell in cells if cell.text)
