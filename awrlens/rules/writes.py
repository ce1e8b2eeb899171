"""Storage that is slow for every kind of write.

Source of the reasoning: summary of Write Accelerator (redo, temporary and undo writes must be
fast). A write cache that is off or full slows all of them at the same time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from awrlens.model import SEVERITIES
from awrlens.policy import Threshold
from awrlens.rules.base import WEIGHED, Facts, rule
from awrlens.rules.shared_waits import COMMIT_PATH, commit_path
from awrlens.units import ms_words, plain
from awrlens.wait_severity import SIZE_MB_S

if TYPE_CHECKING:
    from collections.abc import Iterable

    from awrlens.model import Finding
    from awrlens.wait_severity import Weighed

KINDS: Final = Threshold(
    "writes.slow_kinds", 3.0, "count",
    "minimum number of slow kinds of writes for a finding on the storage as a whole",
    "awrlens: one points to its own files, two may share a disk",
)  # fmt: skip
SLOW_RATIO: Final = Threshold(
    "writes.slow_ratio", 10.0, "ratio",
    "time of a write divided by the time expected with a write cache, above which it is slow",
    "awrlens: a cache responds within a millisecond; ten times that is not a cache",
)  # fmt: skip
CACHED_MS: Final = Threshold(
    "writes.cached_ms", 1.0, "ms",
    "expected time of a write that a cache acknowledges; plus its size divided by impact.size_mb_s",
    "Write Accelerator, figure 2 (1 ms per redo write); common practice for storage arrays",
)  # fmt: skip
QUICK_READ_MS: Final = Threshold(
    "writes.quick_read_ms", 5.0, "ms",
    "time of a single-block read below which slow writes point to the write cache",
    "awrlens: below the seek time of a disk, so reads come from a cache",
)  # fmt: skip

SLOW_READ_MS: Final = Threshold(
    "writes.slow_read_ms", 15.0, "ms",
    "time of a single-block read above which the storage is slow for reads, too",
    "awrlens: twice the seek and rotation of a disk",
)  # fmt: skip
BACKUP_PCT: Final = Threshold(
    "writes.backup_pct", 20.0, "%",
    "share of RMAN in the bytes of all functions, above which a backup comes first",
    "awrlens: a fifth of the I/O is a load of its own",
)  # fmt: skip

READ_PCT: Final = Threshold(
    "writes.read_pct", 20.0, "%",
    "share of waits for reads of data files in DB time above which a fast average read does not "
    "point to the write cache",
    "awrlens: a fifth; the average of reads from a cache and from busy disks shows neither",
)  # fmt: skip

_THRESHOLDS: Final = (
    KINDS, SLOW_RATIO, CACHED_MS, QUICK_READ_MS, SLOW_READ_MS, BACKUP_PCT, READ_PCT
)  # fmt: skip

_REDO: Final = "log file parallel write"
#: Kinds of writes: the fact of the latency, its name, the fact of its size (or bytes).
_WRITES: Final[tuple[tuple[str, str, str | int], ...]] = (
    ("redo.parallel_write_ms", _REDO, "redo.bytes_per_write"),
    ("io.control_write_ms", "control file parallel write", 16_384),
    ("checkpoint.data_write_ms", "db file parallel write", 0),
    # a submit has many writes
    ("checkpoint.submitted_write_ms", "db file async I/O submit per write", 0),
    ("io.direct_write_ms", "direct path write", "io.direct_write_b"),
    ("temp.direct_write_ms", "direct path write temp", "temp.direct_write_b"),
)  # fmt: skip


#: The event alone is the storage's time; LGWR's counter includes its waits for CPU.
_LOG_WRITE: Final = "redo.parallel_write_ms"
#: Two DBWR events for one kind of write.
_DBWR: Final = ("db file parallel write", "db file async I/O submit per write")
#: Number of kinds in the title, the slowest first.
_NAMED: Final = 3
_WAITS: Final = (
    ("checkpoint.buffer_wait_s", "checkpoint.buffer_wait_ms", "for DBWR"),
    ("temp.direct_write_wait_s", "temp.direct_write_ms", "for `direct path write temp`"),
    ("io.direct_write_wait_s", "io.direct_write_ms", "for `direct path write`"),
    ("checkpoint.object_wait_s", "checkpoint.object_wait_ms", "for object checkpoints"),
    ("checkpoint.local_write_wait_s", "checkpoint.local_write_wait_ms", "for `local write wait`"),
)


@rule(
    "REDO014",
    "all-writes-slow",
    needs=("redo.local_write_ms", WEIGHED),
    wants=(
        *COMMIT_PATH,
        *(name for name, _, _ in _WRITES),
        *(size for _, _, size in _WRITES if isinstance(size, str)),
        *(name for waits, each, _ in _WAITS for name in (waits, each)),
        "io.data_read_ms",
        "load.data_read_wait_s",
        "io.backup_pct",
    ),
    thresholds=_THRESHOLDS,
)
def all_writes_slow(f: Facts) -> Finding | None:
    """All kinds of writes are slow, and sessions wait for them.

    What it means:
        Redo, control file, data file and direct writes are each many times slower than their size
        explains: the storage as a whole is slow for writes.
    Why it matters:
        It is one problem, below the database. Tuning redo, temp or undo separately does not fix it.
    How it is computed:
        Average times of the write events, compared with one millisecond plus their size at 200
        MB/s; the two events of DBWR are one kind. Waits: commits, the log buffer, DBWR, direct path
        writes and object checkpoints, each weighed.
    Example:
        With `redo.local_write_ms` = 75.8, `io.control_write_ms` = 178.0, `temp.direct_write_ms` =
        247.0, `temp.direct_write_b` = 433091.0, `redo.sync_wait_s` = 3414.0, `redo.commit_ms` =
        340.7, `load.response_s` = 2269545.0, `load.elapsed_s` = 2221.0: critical, "All kinds of
        writes are slow: direct path write temp 247 ms, control file parallel write 178 ms, log
        file parallel write 75.8 ms".
    Threshold:
        writes.slow_kinds (3) kinds that take writes.slow_ratio (10) times what writes.cached_ms (1
        ms) and their size at impact.size_mb_s (200) explain. The severity is that of the worst of
        the waits. Single-block reads below writes.quick_read_ms (5 ms) point to the write cache,
        above writes.slow_read_ms (15 ms) to the storage, and so do waits for reads of at least
        writes.read_pct (20 %) of DB time. From writes.backup_pct (20 %) of the I/O
        on, a backup comes first.
    What to do:
        Check the write cache of the storage (off, full, battery), its replication and snapshots,
        the paths, and other systems that write to it. Move redo last.
    How to verify:
        All of these events fall together at the same load.
    When it is wrong:
        If the host lacks free CPU or memory, all I/O looks slow, reads too.
    Sources:
        Write Accelerator, "Redo Log Writes", figure 2; Oracle Database Reference, the write events.
    """
    slow = {
        name: _latency(f, fact) or 0.0 for fact, name, size in _WRITES if _is_slow(f, fact, size)
    }
    kinds = _kinds(slow)
    if len(kinds) < f.limit(KINDS):
        return None
    redo = commit_path(f)
    redo = redo._replace(weight=redo.weight._replace(of="for LGWR"))
    weighed = max([redo, *_others(f)], key=lambda w: SEVERITIES.index(w.severity))
    seconds = f.total("redo.sync_wait_s", "redo.buffer_wait_s", *(waits for waits, _, _ in _WAITS))
    if not weighed.matters or not f.significant(seconds):
        return None
    worst = sorted(slow, key=lambda name: -slow[name])[:_NAMED]
    shown = ", ".join(f"{name} {plain(slow[name])} ms" for name in worst)
    return f.finding(
        all_writes_slow,
        f"{_which(f, kinds)} are slow: {shown}",
        weighed,
        f.impact(seconds, "waits for commits, the log buffer, DBWR and direct path writes"),
        f"They take at least {f.limit(SLOW_RATIO):g} times what their size explains. Sessions "
        f"waited {seconds:,.0f} s for all of them.{_why(f)}",
        *(fact for fact, name, _ in _WRITES if name in slow),
        *(("redo.local_write_ms",) if f.get(_LOG_WRITE) is None and _REDO in slow else ()),
        "io.data_read_ms",
        "redo.sync_wait_s",
        related=("REDO001", "TEMP008", "CKPT008"),
    )


def _why(f: Facts) -> str:
    """What else used the storage, and what its reads show about it."""
    backup, read = f.get("io.backup_pct"), f.get("io.data_read_ms")
    if backup is not None and backup >= f.limit(BACKUP_PCT):
        return (
            f" A backup did {backup:.0f} % of the I/O (RMAN in IOStat by Function): compare with "
            "an interval without it first."
        )
    if read is None:
        return ""
    reads = f.share(f.get("load.data_read_wait_s"))
    if reads is not None and reads >= f.limit(READ_PCT) and read < f.limit(SLOW_READ_MS):
        return (
            f" Single-block reads average {ms_words(read)}, but sessions waited {reads:.0f} % of "
            f"{f.scale.base} for reads of data files: the storage may be overloaded by reads. "
            "Check this before the write cache."
        )
    if read < f.limit(QUICK_READ_MS):
        return f" Reads are fast ({ms_words(read)}), so a write cache is probably off or full."
    if read < f.limit(SLOW_READ_MS):
        return (
            f" Single-block reads take {ms_words(read)}, as on disks: check the write cache and "
            "what is between the database and the disks."
        )
    return f" Single-block reads take {ms_words(read)}: the storage is overloaded or faulty."


def _kinds(events: Iterable[str]) -> frozenset[str]:
    """The kinds of writes of some write events: DBWR's two events are one kind."""
    return frozenset(_DBWR[0] if name in _DBWR else name for name in events)


def _which(f: Facts, slow: frozenset[str]) -> str:
    """Whether all kinds of writes in the report are slow, or all except redo."""
    printed = _kinds(name for fact, name, _ in _WRITES if _latency(f, fact) is not None)
    if slow == printed:
        return "All kinds of writes"
    if printed - slow == {_REDO}:
        return "All writes except redo"
    return f"{len(slow)} of {len(printed)} kinds of writes"


def _latency(f: Facts, fact: str) -> float | None:
    """The time of a write; of a redo write LGWR's counter, if the report lacks the event."""
    found = f.get(fact)
    return f.get("redo.local_write_ms") if found is None and fact == _LOG_WRITE else found


def _is_slow(f: Facts, fact: str, size: str | int) -> bool:
    latency = _latency(f, fact)
    if latency is None or latency < f.limit(SLOW_RATIO) * f.limit(CACHED_MS):
        return False
    carried = f.get(size) or 0.0 if isinstance(size, str) else size
    explained = f.limit(CACHED_MS) + carried / (f.limit(SIZE_MB_S) * 1000)
    return latency >= f.limit(SLOW_RATIO) * explained


def _others(f: Facts) -> list[Weighed]:
    """The waits for writes other than LGWR's, each weighed."""
    found = [(f.weigh(waits, each_ms=f.get(each)), of) for waits, each, of in _WAITS]
    return [each._replace(weight=each.weight._replace(of=of)) for each, of in found]
