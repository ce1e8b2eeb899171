"""What stands beside SQL Server's checkpoints: snapshots, and requests that took 15 seconds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from awrlens.policy import Threshold
from awrlens.rules.base import Facts, rule
from awrlens.rules.sqlserver import MANY, no_seconds, times
from awrlens.units import plain

if TYPE_CHECKING:
    from awrlens.model import Finding, Severity

FREEZE_S: Final = Threshold(
    "sqlserver.long_freeze_s", 10.0, "s",
    "a freeze from this length on is felt by whoever writes",
    "Microsoft, Volume Shadow Copy Service: writes are held for 10 seconds at most",
)  # fmt: skip
SLEPT_S: Final = Threshold(
    "sqlserver.slept_s", 3600.0, "s",
    "a request that took longer speaks of a machine that slept or was moved, not of its storage",
    "awrlens: no storage answers after an hour; real logs of notebooks show days",
)  # fmt: skip

THRESHOLDS: Final = (FREEZE_S, SLEPT_S)


@rule(
    "SQLS004",
    "checkpoints-under-snapshots",
    some=("sqlserver.snapshot_checkpoints",),
    needs=("sqlserver.snapshot_checkpoints",),
    wants=("sqlserver.longest_freeze_s", "sqlserver.freezes"),
    thresholds=(FREEZE_S,),
)
def checkpoints_under_snapshots(f: Facts) -> Finding | None:
    """Long checkpoints are a snapshot's, not the storage's.

    What it tells you:
        A snapshot (of the volume, of the virtual machine, of a backup) froze the database's I/O
        while the checkpoint ran.
    Why it matters:
        The length of such a checkpoint is no storage trouble and no reason for another recovery
        target. The freeze itself is felt by whoever writes.
    How it is computed:
        Messages that end between `I/O is frozen on database` and `I/O was resumed`, or were
        frozen for half of their time. Where the log does not name the database, any freeze counts.
    Example:
        With `sqlserver.snapshot_checkpoints` = 4, `sqlserver.longest_freeze_s` = 2.5: info, "4
        checkpoints ran while a snapshot froze I/O: no trouble of the storage".
    Threshold:
        One such checkpoint. A warning where a freeze takes sqlserver.long_freeze_s (10 s) and more.
    What to do:
        Nothing for the checkpoints. Long freezes: fewer databases in one snapshot, another hour,
        another way of backup.
    How to verify:
        The messages appear at the snapshots' times only.
    When it is wrong:
        A slow storage may make the freeze long as well: see SQLS003.
    Sources:
        document 5 (what the messages mean otherwise); Microsoft, messages 3197 and 3198; Volume
        Shadow Copy Service (10 seconds).
    """
    count = f.number("sqlserver.snapshot_checkpoints")
    if not count:
        return None
    freeze = f.get("sqlserver.longest_freeze_s")
    lasting = freeze is not None and freeze >= f.limit(FREEZE_S)
    ran = f"{times(count, 'checkpoint', 'checkpoints')} ran while a snapshot froze I/O"
    return f.finding(
        checkpoints_under_snapshots,
        f"{ran}, for up to {plain(freeze, 3)} s"
        if freeze is not None and lasting
        else f"{ran}: no trouble of the storage",
        "warning" if lasting else "info",
        no_seconds(f),
        "Such checkpoints are left out where checkpoints are judged."
        + (" Nobody can write while I/O is frozen." if lasting else ""),
        "sqlserver.snapshot_checkpoints",
        "sqlserver.longest_freeze_s",
    )


@rule(
    "SQLS005",
    "io-warnings-beside-checkpoints",
    some=("sqlserver.io_warning_requests",),
    needs=("sqlserver.io_warning_requests", "sqlserver.io_warnings_beside"),
    wants=("sqlserver.longest_io_s",),
    thresholds=(MANY, SLEPT_S),
)
def io_warnings_beside_checkpoints(f: Facts) -> Finding | None:
    """Requests took longer than 15 seconds.

    What it tells you:
        SQL Server warned of reads or writes that took longer than 15 seconds, in or just after
        checkpoints of the same database, or apart from them.
    Why it matters:
        Sessions wait for such requests. Beside checkpoints the flood of their writes may be the
        reason; apart from them it is not.
    How it is computed:
        Message 833 and its occurrences; beside: in a checkpoint of the database or up to five
        minutes after it, outside snapshots.
    Example:
        With `sqlserver.io_warning_requests` = 57, `sqlserver.io_warnings_beside` = 12: critical,
        "57 requests took longer than 15 s; 12 warnings stand beside checkpoints".
    Threshold:
        One such warning. Information where none stands beside a checkpoint, a warning where one
        does, critical from sqlserver.many (10) on. From sqlserver.slept_s (1 h) on the machine is
        doubted, not the storage.
    What to do:
        The storage first: path, drivers, filter drivers (scanners), other load on it. Then spread
        the writes by indirect checkpoints.
    How to verify:
        The warnings end.
    When it is wrong:
        A machine that slept, was paused or moved has such warnings with a healthy storage.
    Sources:
        Microsoft, MSSQLSERVER_833; document 5 (none of the messages was paired with such warnings:
        there the storage was not the reason).
    """
    requests = f.number("sqlserver.io_warning_requests")
    beside = f.number("sqlserver.io_warnings_beside")
    if not requests:
        return None
    longest = f.get("sqlserver.longest_io_s") or 0.0
    slept = longest >= f.limit(SLEPT_S)
    severity: Severity = "warning" if beside else "info"
    if beside >= f.limit(MANY) and not slept:
        severity = "critical"
    took = f"{times(requests, 'request', 'requests')} took longer than 15 s"
    return f.finding(
        io_warnings_beside_checkpoints,
        f"{took}; {times(beside, 'warning stands', 'warnings stand')} beside checkpoints"
        if beside
        else f"{took}, none of them beside a checkpoint",
        severity,
        no_seconds(f),
        (f"The longest took {longest:,.0f} s. " if longest else "")
        + ("Checkpoints and storage hurt each other." if beside
           else "Checkpoints are not the reason; the storage or the machine is."),
        "sqlserver.io_warning_requests",
        "sqlserver.io_warnings_beside",
        "sqlserver.longest_io_s",
        doubt=f"a request of {longest / 3600:,.0f} hours: the machine slept or was moved"
        if slept else "",
        related=("SQLS003",),
    )  # fmt: skip
