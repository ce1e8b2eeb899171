"""Events near SQL Server's checkpoints: snapshots, and I/O requests longer than 15 seconds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from awrlens.policy import Threshold
from awrlens.rules.base import Facts, rule
from awrlens.rules.sqlserver import MANY, few, no_seconds, times
from awrlens.units import plain

if TYPE_CHECKING:
    from awrlens.model import Finding, Severity

FREEZE_S: Final = Threshold(
    "sqlserver.long_freeze_s", 10.0, "s",
    "length of a freeze above which it delays sessions that write",
    "Microsoft, Volume Shadow Copy Service: writes are frozen for at most 10 seconds",
)  # fmt: skip
SLEPT_S: Final = Threshold(
    "sqlserver.slept_s", 3600.0, "s",
    "time of a request above which the machine was suspended or moved, rather than storage slow",
    "awrlens: no storage responds after an hour; real logs of notebooks show days",
)  # fmt: skip


@rule(
    "SQLS004",
    "checkpoints-under-snapshots",
    engine="sqlserver",
    some=("sqlserver.snapshot_checkpoints",),
    needs=("sqlserver.snapshot_checkpoints",),
    wants=("sqlserver.longest_freeze_s", "sqlserver.freezes"),
    thresholds=(FREEZE_S,),
)
def checkpoints_under_snapshots(f: Facts) -> Finding | None:
    """Long checkpoints are due to a snapshot, not to the storage.

    What it means:
        A snapshot (of the volume, of the virtual machine, of a backup) froze the database's I/O
        while the checkpoint ran.
    Why it matters:
        The length of such a checkpoint does not indicate a storage problem and is not a reason to
        change the recovery target. The freeze itself delays sessions that write.
    How it is computed:
        Messages that end between `I/O is frozen on database` and `I/O was resumed`, or that were
        frozen for half of their time. If the log does not name the database, any freeze counts.
    Example:
        With `sqlserver.snapshot_checkpoints` = 4, `sqlserver.longest_freeze_s` = 2.5: info, "4
        checkpoints ran while a snapshot froze I/O: not a storage problem".
    Threshold:
        One such checkpoint. A warning if a freeze is longer than sqlserver.long_freeze_s (10 s).
    What to do:
        No action for the checkpoints. Long freezes: fewer databases per snapshot, another time,
        another backup method.
    How to verify:
        The messages appear only at the times of the snapshots.
    When it is wrong:
        Slow storage may also lengthen the freeze: see SQLS003.
    Sources:
        Indirect Checkpoints (the usual meaning of the messages); Microsoft, messages 3197 and 3198;
        Volume Shadow Copy Service (10 seconds).
    """
    count = f.number("sqlserver.snapshot_checkpoints")
    if not count:
        return None
    freeze = f.get("sqlserver.longest_freeze_s")
    lasting = freeze is not None and freeze >= f.limit(FREEZE_S)
    ran = f"{times(count, 'checkpoint', 'checkpoints')} ran while a snapshot froze I/O"
    return f.finding(
        checkpoints_under_snapshots,
        f"{ran}, for up to {plain(freeze)} s"
        if freeze is not None and lasting
        else f"{ran}: not a storage problem",
        "warning" if lasting else "info",
        no_seconds(f),
        "Other rules exclude such checkpoints."
        + (" Sessions cannot write while I/O is frozen." if lasting else ""),
        "sqlserver.snapshot_checkpoints",
        "sqlserver.longest_freeze_s",
    )


@rule(
    "SQLS005",
    "io-warnings-beside-checkpoints",
    engine="sqlserver",
    some=("sqlserver.io_warning_requests",),
    needs=("sqlserver.io_warning_requests", "sqlserver.io_warnings_beside"),
    wants=("sqlserver.longest_io_s",),
    thresholds=(MANY, SLEPT_S),
)
def io_warnings_beside_checkpoints(f: Facts) -> Finding | None:
    """I/O requests took longer than 15 seconds.

    What it means:
        SQL Server warned of reads or writes that took longer than 15 seconds, during or just after
        checkpoints of the same database, or at other times.
    Why it matters:
        Sessions wait for such requests. Near checkpoints, the burst of checkpoint writes may be the
        reason; at other times it is not.
    How it is computed:
        Message 833 and its occurrences; near: during a checkpoint of the database or up to five
        minutes after it, without snapshots.
    Example:
        With `sqlserver.io_warning_requests` = 57, `sqlserver.io_warnings_beside` = 12: critical,
        "57 I/O requests took longer than 15 s; 12 warnings are near checkpoints".
    Threshold:
        One such warning. Info if no warning is near a checkpoint, a warning if one is, critical
        above sqlserver.many (10). Above sqlserver.slept_s (1 h) the machine is doubtful, not the
        storage.
    What to do:
        Check the storage first: path, drivers, filter drivers (scanners), other load. Then spread
        the writes with indirect checkpoints.
    How to verify:
        There are no new warnings.
    When it is wrong:
        A machine that was suspended, paused or moved logs such warnings although its storage is
        healthy.
    Sources:
        Microsoft, MSSQLSERVER_833; Indirect Checkpoints (none of the messages was paired with such
        warnings: there the storage was not the reason).
    """
    requests = f.number("sqlserver.io_warning_requests")
    near = f.number("sqlserver.io_warnings_beside")
    if not requests:
        return None
    longest = f.get("sqlserver.longest_io_s") or 0.0
    slept = longest >= f.limit(SLEPT_S)
    severity: Severity = "warning" if near else "info"
    if near >= f.limit(MANY) and not slept:
        severity = "critical"
    took = f"{times(requests, 'I/O request', 'I/O requests')} took longer than 15 s"
    return f.finding(
        io_warnings_beside_checkpoints,
        f"{took}; {times(near, 'warning is', 'warnings are')} near checkpoints"
        if near
        else f"{took}, none of them near a checkpoint",
        severity,
        no_seconds(f),
        (f"The longest took {longest:,.0f} s. " if longest else "")
        + ("Checkpoints and other I/O slow each other down." if near
           else "Checkpoints are not the reason; the storage or the machine is."),
        "sqlserver.io_warning_requests",
        "sqlserver.io_warnings_beside",
        "sqlserver.longest_io_s",
        doubt=f"a request of {longest / 3600:,.0f} h: the machine was suspended or moved"
        if slept else "",
        related=("SQLS003",),
    )  # fmt: skip


@rule(
    "SQLS007",
    "buffer-pool-without-free-buffers",
    engine="sqlserver",
    needs=("sqlserver.lazy_writer_warnings", "sqlserver.paged_out"),
    wants=("sqlserver.memory_mb", "sqlserver.numa_nodes"),
    thresholds=(MANY,),
)
def no_free_buffers(f: Facts) -> Finding | None:
    """The lazy writer found no free buffers, or memory was paged out.

    What it means:
        The lazy writer writes dirty pages to keep buffers free. It had none left, or Windows took
        memory from SQL Server.
    Why it matters:
        Sessions wait for a free buffer. The lazy writer and checkpoints write the same pages, so
        long checkpoints may wait for the lazy writer; there is one per NUMA node.
    How it is computed:
        Messages `LazyWriter: warning, no free buffers found` and message 17890, `A significant part
        of sql server process memory has been paged out`.
    Example:
        With `sqlserver.lazy_writer_warnings` = 12, `sqlserver.paged_out` = 0: warning, "The lazy
        writer found no free buffers 12 times".
    Threshold:
        One message of either kind; a warning above sqlserver.many (10) messages.
    What to do:
        Set `max server memory` so that the machine has memory left, and look for other processes
        that use it. Enough memory: check whether writes to the data files are slow (SQLS003).
    How to verify:
        There are no new messages. `Lazy writes/sec` of the Buffer Manager is near 0.
    When it is wrong:
        Paging during the start of the machine or of another large process ends by itself.
    Sources:
        Microsoft, KB 177545 (no free buffers), KB 918483 (memory paged out); Indirect Checkpoints
        (checkpoints potentially wait for the lazy writer).
    """
    starved, paged = f.number("sqlserver.lazy_writer_warnings"), f.number("sqlserver.paged_out")
    if not starved and not paged:
        return None
    said = [
        f"the lazy writer found no free buffers {times(starved, 'time', 'times')}"
        if starved
        else "",
        f"Windows paged out memory of SQL Server {times(paged, 'time', 'times')}" if paged else "",
    ]
    title = "; ".join(filter(None, said))
    memory = f.get("sqlserver.memory_mb")
    return f.finding(
        no_free_buffers,
        f"{title[0].upper()}{title[1:]}",
        "warning" if starved + paged >= f.limit(MANY) else "info",
        no_seconds(f),
        "Dirty pages must be written before their buffers can be used again."
        + ("" if memory is None else f" The machine has {plain(memory / 1024)} GB of memory."),
        "sqlserver.lazy_writer_warnings",
        "sqlserver.paged_out",
        "sqlserver.memory_mb",
        "sqlserver.numa_nodes",
        doubt=few(f, starved + paged),
        related=("SQLS001", "SQLS003"),
    )
