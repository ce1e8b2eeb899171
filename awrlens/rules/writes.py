"""Storage that is slow for every kind of write.

Source of the reasoning: summary of Write Accelerator (redo, temporary and undo writes must be
fast). A write cache that is off or full slows all of them at the same time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from awrlens.model import SEVERITIES
from awrlens.policy import Threshold
from awrlens.rules.base import WEIGHED, Facts, rule
from awrlens.rules.weighed import COMMIT_PATH, commit_path
from awrlens.units import plain
from awrlens.weigh import SIZE_MB_S

if TYPE_CHECKING:
    from collections.abc import Iterable

    from awrlens.model import Finding
    from awrlens.weigh import Weighed

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

THRESHOLDS: Final = (KINDS, SLOW_RATIO, CACHED_MS, QUICK_READ_MS)

#: Kinds of writes: the fact of the latency, its name, the fact of its size (or bytes).
_WRITES: Final[tuple[tuple[str, str, str | int], ...]] = (
    ("redo.local_write_ms", "log file parallel write", "redo.bytes_per_write"),
    ("io.control_write_ms", "control file parallel write", 16_384),
    ("checkpoint.data_write_ms", "db file parallel write", 0),
    ("checkpoint.async_submit_ms", "db file async I/O submit", 0),
    ("io.direct_write_ms", "direct path write", "io.direct_write_b"),
    ("temp.direct_write_ms", "direct path write temp", "temp.direct_write_b"),
)  # fmt: skip


#: Two DBWR events for one kind of write.
_DBWR: Final = ("db file parallel write", "db file async I/O submit")
#: Number of kinds in the title, the slowest first.
_NAMED: Final = 3
_WAITS: Final = (
    ("checkpoint.buffer_wait_s", "checkpoint.buffer_wait_ms"),
    ("temp.direct_write_wait_s", "temp.direct_write_ms"),
    ("io.direct_write_wait_s", "io.direct_write_ms"),
    ("checkpoint.object_wait_s", "checkpoint.object_wait_ms"),
)


@rule(
    "REDO014",
    "all-writes-slow",
    needs=("redo.local_write_ms", WEIGHED),
    wants=(
        *COMMIT_PATH,
        *(name for name, _, _ in _WRITES),
        *(size for _, _, size in _WRITES if isinstance(size, str)),
        *(name for pair in _WAITS for name in pair),
        "io.data_read_ms",
    ),
    thresholds=THRESHOLDS,
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
        the waits. Single-block reads below writes.quick_read_ms (5 ms) point to the write cache.
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
    slow = {name: f.number(fact) for fact, name, size in _WRITES if _is_slow(f, fact, size)}
    kinds = _kinds(slow)
    if len(kinds) < f.limit(KINDS):
        return None
    weighed = max([commit_path(f), *_others(f)], key=lambda w: SEVERITIES.index(w.severity))
    seconds = f.total("redo.sync_wait_s", "redo.buffer_wait_s", *(waits for waits, _ in _WAITS))
    if not weighed.matters or not f.felt(seconds):
        return None
    worst = sorted(slow, key=lambda name: -slow[name])[:_NAMED]
    shown = ", ".join(f"{name} {plain(slow[name])} ms" for name in worst)
    read = f.get("io.data_read_ms")
    reads = ""
    if read is not None and read < f.limit(QUICK_READ_MS):
        reads = f" Reads are fast ({plain(read)} ms), so a write cache is probably off or full."
    elif read is not None:
        reads = f" Single-block reads take {plain(read)} ms: the storage is overloaded or faulty."
    return f.finding(
        all_writes_slow,
        f"{_which(f, kinds)} are slow: {shown}",
        weighed,
        f.impact(seconds, "waits for commits, the log buffer, DBWR and direct path writes"),
        f"They take at least {f.limit(SLOW_RATIO):g} times what their size explains.{reads}",
        *(fact for fact, name, _ in _WRITES if name in slow),
        "io.data_read_ms",
        "redo.sync_wait_s",
        related=("REDO001", "TEMP008", "CKPT008"),
    )


def _kinds(events: Iterable[str]) -> frozenset[str]:
    """The kinds of writes of some write events: DBWR's two events are one kind."""
    return frozenset(_DBWR[0] if name in _DBWR else name for name in events)


def _which(f: Facts, slow: frozenset[str]) -> str:
    """Whether all kinds of writes in the report are slow, or all except redo."""
    printed = _kinds(name for fact, name, _ in _WRITES if f.get(fact) is not None)
    if slow == printed:
        return "All kinds of writes"
    if printed - slow == {"log file parallel write"}:
        return "All writes except redo"
    return f"{len(slow)} of {len(printed)} kinds of writes"


def _is_slow(f: Facts, fact: str, size: str | int) -> bool:
    latency = f.get(fact)
    if latency is None or latency < f.limit(SLOW_RATIO) * f.limit(CACHED_MS):
        return False
    carried = f.get(size) or 0.0 if isinstance(size, str) else size
    explained = f.limit(CACHED_MS) + carried / (f.limit(SIZE_MB_S) * 1000)
    return latency >= f.limit(SLOW_RATIO) * explained


def _others(f: Facts) -> list[Weighed]:
    """The waits for writes other than LGWR's, each weighed."""
    return [f.weigh(waits, each_ms=f.get(each)) for waits, each in _WAITS]
