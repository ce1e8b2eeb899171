"""Storage that is slow for every kind of write.

Source of the reasoning: summary of Write Accelerator (redo, temporary and undo writes must be
fast). A write cache that is off or full slows all of them at the same time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from awrlens.lazy import NamedTuple
from awrlens.model import SEVERITIES
from awrlens.oracle import host, write_path
from awrlens.rules.base import Diagnosis, of, rule
from awrlens.rules.shared_waits import commit_path
from awrlens.units import first_of, ms_words, plain

if TYPE_CHECKING:
    from collections.abc import Iterable

    from awrlens.model.finding import Extent
    from awrlens.rules.base import Facts, Late
    from awrlens.severity import Weighed


def judged_read(
    f: Facts, io_data_read_ms: float | None, io_data_read_p50_ms: float | None,
    io_data_read_waits: float | None,
) -> float | None:  # fmt: skip
    """Milliseconds by which reads show how fast the device is; None of few, or if some stall."""
    few = io_data_read_waits is not None and io_data_read_waits < f.limit("confidence.few_waits")
    stalls = f.scale.stalls(io_data_read_ms, io_data_read_p50_ms)
    return None if few or stalls else io_data_read_ms


def quick_kinds(
    f: Facts, io_control_write_ms: float | None, temp_read_ms: float | None,
    temp_direct_ms: float | None, temp_reads: float | None,
) -> str:  # fmt: skip
    """What is fast on storage whose reads and redo writes are slow; empty if nothing is.

    Temp by its files and its waits: asynchronous reads have hardly a time in File IO Stats.
    """
    some = (temp_reads or 0.0) >= f.limit("confidence.few_waits") and temp_read_ms
    temp_ms = max(temp_read_ms or 0.0, temp_direct_ms or 0.0) if some and temp_direct_ms else None
    kinds = {"`control file parallel write`": io_control_write_ms, "temp": temp_ms}
    slow_ms = f.limit("writes.slow_read_ms")
    return ", ".join(kind for kind, ms in kinds.items() if ms and ms < slow_ms)


def slow_reads(f: Facts, read: float | None, io_slow_places: Late, writes: str, others: str) -> str:
    """That reads are slow, too: the storage is slow as a whole, not only for these writes."""
    if read is None or read < f.limit("writes.slow_read_ms"):
        return ""
    whole = write_path.extent(io_slow_places(), quick=others)
    return (
        f" Single-block reads take {ms_words(read)}: {whole[0].lower()}{whole[1:]} or overloaded, "
        f"not only for {writes}."
    )


def disk_reads(
    f: Facts, io_data_read_ms: float | None, io_data_read_slower_1ms_pct: float | None,
    io_parallel_read_ms: float | None, io_parallel_read_wait_s: float | None,
) -> str:  # fmt: skip
    """That reads which reach the disks are slow, although a cache makes their average short."""
    slower, limit_ms = io_data_read_slower_1ms_pct or 100.0, f.limit("writes.slow_read_ms")
    disk_ms, much = (io_data_read_ms or 0.0) * 100 / slower, f.scale.share(io_parallel_read_wait_s)
    is_mixed = f.limit("writes.disk_read_pct") <= slower <= 100 - f.limit("io.cached_read_pct")
    if is_mixed and disk_ms >= limit_ms:
        return f"the {plain(slower, 2)} % of reads above 1 ms take about {ms_words(disk_ms)}"
    is_much = (much or 0.0) >= f.limit("writes.read_pct")
    if is_much and (io_parallel_read_ms or 0.0) >= limit_ms:
        return f"`db file parallel read` takes {ms_words(io_parallel_read_ms or 0.0)}"
    return ""


def quick_reads(
    f: Facts, io_data_read_ms: float | None, io_data_read_p50_ms: float | None,
    read: float | None = of(judged_read), disk: str = of(disk_reads),
) -> str:  # fmt: skip
    """That reads of data files are fast, by their average or median; empty if they are not."""
    if disk:
        return ""
    if read is not None and read < f.limit("writes.quick_read_ms"):
        return f", reads fast ({ms_words(read)})"
    half_ms, average = io_data_read_p50_ms, io_data_read_ms
    if (
        read is None
        and average
        and half_ms
        and half_ms < f.limit("writes.quick_read_ms") <= average
    ):
        return ", reads mostly fast"
    return ""


class _Kind(NamedTuple):
    """A write event: the facts of its latency, of its size, of its histogram and of its waits."""

    event: str
    latency: str
    #: The fact of its size, or bytes.
    size: str | int
    #: The median of its waits.
    median: str | None
    #: The waits of sessions for such writes: seconds, time of each, and for what.
    waits: tuple[tuple[str, str, str], ...] = ()
    #: Rules on such writes, whose findings slow storage explains.
    explains: tuple[str, ...] = ()


_REDO: Final = "log file parallel write"
_DBWR_WAITS: Final = (
    ("checkpoint.buffer_wait_s", "checkpoint.buffer_wait_ms", "for DBWR"),
    ("checkpoint.object_wait_s", "checkpoint.object_wait_ms", "for object checkpoints"),
    ("checkpoint.local_write_wait_s", "checkpoint.local_write_wait_ms", "for `local write wait`"),
)
_ON_DBWR: Final = ("CKPT008", "CKPT005", "CKPT009", "CKPT010")
_KINDS: Final = (
    # waits for it are those of the commit path
    _Kind(_REDO, "redo.parallel_write_ms", "redo.bytes_per_write", "redo.write_p50_ms",
          explains=("REDO001", "REDO009", "REDO010", "REDO011")),
    _Kind("control file parallel write", "io.control_write_ms", 16_384,
          "io.control_write_p50_ms"),
    _Kind("db file parallel write", "checkpoint.data_write_ms", 0,
          "checkpoint.data_write_p50_ms", _DBWR_WAITS, _ON_DBWR),
    # a submit has many blocks
    _Kind("db file async I/O submit per block", "checkpoint.submitted_write_ms", 0, None,
          _DBWR_WAITS, _ON_DBWR),
    _Kind("direct path write", "io.direct_write_ms", "io.direct_write_b",
          "io.direct_write_p50_ms",
          (("io.direct_write_wait_s", "io.direct_write_ms", "for `direct path write`"),)),
    _Kind("direct path write temp", "temp.direct_write_ms", "temp.direct_write_b",
          "temp.direct_write_p50_ms",
          (("temp.direct_write_wait_s", "temp.direct_write_ms", "for `direct path write temp`"),),
          ("TEMP008",)),
)  # fmt: skip
_REDO_WAITS: Final = ("redo.sync_wait_s", "redo.buffer_wait_s")
#: The waits for all kinds of writes.
_ALL_WAITS: Final = (
    *_REDO_WAITS,
    *dict.fromkeys(name for kind in _KINDS for name, _, _ in kind.waits),
)
#: Two DBWR events for one kind of write.
_DBWR: Final = ("db file parallel write", "db file async I/O submit per block")
_FOR_LGWR: Final = "for LGWR"
#: Number of kinds in the title, the slowest first; redo, which commits wait for, is one of them.
_NAMED: Final = 3


@rule(
    "REDO014",
    weighs=True,
    wants=(
        *_REDO_WAITS,
        *(kind.latency for kind in _KINDS),
        *(kind.size for kind in _KINDS if isinstance(kind.size, str)),
        *(kind.median for kind in _KINDS if kind.median),
        *(name for kind in _KINDS for *names, _ in kind.waits for name in names),
        *write_path.FACTS,
        *host.WITHOUT_HOST,
    ),
)
def all_writes_slow(
    f: Facts, *, redo_local_write_ms: float, redo_local_write_by: str | None,
    read: float | None = of(judged_read), quick: str = of(quick_reads), disk: str = of(disk_reads),
    others: str = of(quick_kinds), io_slow_places: Late, load_data_read_wait_s: float | None,
    host_idle_pct: float | None, checkpoint_data_write_wait_s: Late,
    checkpoint_async_submit_wait_s: Late, commits: Weighed = of(commit_path),
) -> Diagnosis | None:  # fmt: skip
    """All kinds of writes are slow, perhaps reads too, and sessions wait for them."""
    if not f.scale.significant(f.total(*_ALL_WAITS)):
        return None
    # of a redo write LGWR's counter, if the report lacks the event
    latency = {kind: f.get(kind.latency) for kind in _KINDS}
    by_counter = latency[_KINDS[0]] is None
    if by_counter:
        latency[_KINDS[0]] = redo_local_write_ms
    slow = {kind: ms for kind, ms in latency.items() if ms and _is_slow(f, kind, ms)}
    # one kind: the event in which DBWR waits longer
    if {kind.event for kind in slow}.issuperset(_DBWR):
        submits = (checkpoint_async_submit_wait_s() or 0.0) > (
            checkpoint_data_write_wait_s() or 0.0
        )
        slow = {kind: ms for kind, ms in slow.items() if kind.event != _DBWR[not submits]}
    kinds = _kinds(slow)
    if len(kinds) < f.limit("writes.slow_kinds"):
        return None
    waits = dict.fromkeys(wait for kind in slow for wait in kind.waits)
    redo = _REDO_WAITS if _REDO in kinds else ()
    weights = [
        f.weigh(),
        *([commits._replace(weight=commits.weight._replace(of=_FOR_LGWR))] if redo else ()),
        *(_weighed(f, *wait) for wait in waits),
    ]
    # of equal ones that for LGWR, which others wait for, or the larger
    weighed = max(
        weights,
        key=lambda weighed: (SEVERITIES.index(weighed.severity), weighed.weight.of == _FOR_LGWR,
                             weighed.weight.waiting_sessions or 0.0),
    )  # fmt: skip
    seconds = f.total(*redo, *(name for name, _, _ in waits))
    if not f.scale.significant(seconds):
        return None
    two = _REDO in kinds and not by_counter and redo_local_write_by == "counter"
    other = f" to {plain(redo_local_write_ms)}" if two else ""
    worst = sorted(slow, key=lambda kind: (kind.event != _REDO, -slow[kind]))[:_NAMED]
    worst.sort(key=lambda kind: -slow[kind])
    times = [
        f"{kind.event} {plain(slow[kind])}{other if kind is _KINDS[0] else ''} ms" for kind in worst
    ]
    printed = _kinds(kind for kind in _KINDS if latency[kind] is not None)
    reads_too = read is not None and read >= f.limit("writes.slow_read_ms")
    times = [f"single-block reads {ms_words(read or 0.0)}", *times] if reads_too else times
    suspect = host.suspect(f.get, f.limit)
    others *= kinds.isdisjoint(("control file parallel write", "direct path write temp"))
    which = first_of(
        (reads_too, write_path.extent(io_slow_places() if reads_too else None, suspect, others)),
        (kinds == printed, "All kinds of writes are slow"),
        (printed - kinds == {_REDO}, "All writes except redo are slow"),
        (True, f"{len(kinds)} of {len(printed)} kinds of writes are slow"),
    )
    ran = write_path.running(f.get, f.limit)
    busy = host_idle_pct is not None and host_idle_pct < f.limit("storage.idle_pct")
    why = _why(f, ran, read, quick, f.scale.share(load_data_read_wait_s))
    why = why if ran or not disk else f" The average of reads hides that {disk}: {_DISKS}"
    slowness: Extent = "writes" if quick else ""
    if reads_too:
        slowness = "part" if io_slow_places() else "whole"
    return Diagnosis(
        f"{which}{quick}{', disk reads too' * bool(disk and not reads_too)}: "
        f"{', '.join(times)}",
        weighed._replace(weight=weighed.weight._replace(slow=slowness)),
        f.impact(seconds, "waits for the slow kinds of writes"),
        f"Writes take at least {f.limit('writes.slow_ratio'):g} times what their size explains. "
        f"Sessions waited {seconds:,.0f} s for them.{why}{suspect * reads_too}{_TWO * two}",
        also=(*(kind.latency for kind in slow),
              *(("redo.local_write_ms",) if two or (by_counter and _REDO in kinds) else ()),
              *(write_path.FACTS if ran else ()), "io.data_read_ms", *redo[:1]),
        doubt=_NO_CPU.format(plain(host_idle_pct or 0.0)) if busy else "",
        related=tuple(dict.fromkeys(rule_id for kind in slow for rule_id in kind.explains)),
    )  # fmt: skip


_DISKS: Final = "those from the disks are slow, too. Check this load before the write cache."
_NO_CPU: Final = "{} % of CPU was idle: a part of each write may be a wait for CPU"
_TWO: Final = (
    " The event `log file parallel write` misses the issue of the write, which LGWR's counter has."
)


def _weighed(f: Facts, seconds: str, latency: str, of_what: str) -> Weighed:
    weighed = f.weigh(seconds, each_ms=f.get(latency))
    return weighed._replace(weight=weighed.weight._replace(of=of_what))


def _why(f: Facts, ran: str, read: float | None, quick: str, reads: float | None) -> str:
    """What else uses the storage, a backup or reads; and what the time of reads shows about it."""
    if ran:
        return f" {ran[0].upper()}{ran[1:]}: compare with an interval without it first."
    if read is None:
        return f" Most reads of data files are fast: {_CACHE}." if quick else ""
    latency = ms_words(read)
    return first_of(
        (read < f.limit("writes.slow_read_ms") and (reads or 0) >= f.limit("writes.read_pct"),
         f" Single-block reads average {latency}, but sessions waited {reads or 0:.0f} % of "
         f"{f.scale.base} for reads of data files: the storage may be overloaded by reads. "
         "Check this before the write cache."),
        (read < f.limit("writes.quick_read_ms"),
         f" Reads of data files are fast ({latency}), so {_CACHE}."),
        (read < f.limit("writes.slow_read_ms"),
         f" Single-block reads take {latency}, as on disks: check the write cache and what is "
         "between the database and the disks."),
        (True, " Reads of data files are slow, too: the storage is overloaded or faulty."),
    )  # fmt: skip


_CACHE: Final = "a write cache is probably off or full"


def _kinds(slow: Iterable[_Kind]) -> frozenset[str]:
    """The kinds of writes of some write events: DBWR's two events are one kind."""
    return frozenset(_DBWR[0] if kind.event in _DBWR else kind.event for kind in slow)


def _is_slow(f: Facts, kind: _Kind, latency: float) -> bool:
    if latency < f.limit("writes.slow_ratio") * f.limit("writes.cached_ms"):
        return False
    carried = f.get(kind.size) if isinstance(kind.size, str) else kind.size
    if carried is None:
        carried = f.limit("writes.unknown_kb") * 1024
    explained = f.limit("writes.cached_ms") + carried / (f.limit("impact.size_mb_s") * 1000)
    stalls = kind.median is not None and f.scale.stalls(latency, f.get(kind.median), carried)
    return latency >= f.limit("writes.slow_ratio") * explained and not stalls
