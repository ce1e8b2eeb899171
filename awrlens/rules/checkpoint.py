"""Checkpoints and DBWR: who waits for them, and what DBWR writes for.

Source of the reasoning: document 1.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from awrlens.model import SEVERITIES
from awrlens.policy import Threshold
from awrlens.rules.base import WEIGHED, Facts, rule
from awrlens.rules.weighed import COMMIT_PATH, weigh_redo
from awrlens.units import plain

if TYPE_CHECKING:
    from awrlens.model import Finding

CHECKPOINT_SHARE_PCT: Final = Threshold(
    "checkpoint.write_pct", 50.0, "%",
    "share of checkpoint writes in what DBWR writes from which checkpoints are why DBWR writes",
    "awrlens: the majority",
)  # fmt: skip

THRESHOLDS: Final = (CHECKPOINT_SHARE_PCT,)

#: The limits of `checkpoint.binding_limit` in words.
LIMITS: Final = {
    "log_size": "The size of the redo logs",
    "timeout": "LOG_CHECKPOINT_TIMEOUT",
    "interval": "LOG_CHECKPOINT_INTERVAL",
    "mttr": "The recovery target",
}


def driver(f: Facts) -> str:
    """What checkpoints were for: DBWR's own count where printed, else the limit that binds."""
    cause, limit = f["checkpoint.main_cause"], f["checkpoint.binding_limit"].value
    if isinstance(cause.value, str) and cause.value != "none":
        return f"Most checkpoint writes are for {cause.note}."
    if limit == "none":
        return "No limit that the report prints drives the checkpoint."
    return f"{LIMITS.get(limit, limit)} drives checkpoints." if isinstance(limit, str) else ""


@rule(
    "CKPT001",
    "checkpoint-incomplete-waits",
    some=("checkpoint.incomplete_wait_s",),
    needs=("checkpoint.incomplete_wait_s", WEIGHED),
    wants=("checkpoint.main_cause", "checkpoint.binding_limit", "checkpoint.incomplete_waits",
           "checkpoint.incomplete_wait_ms", *COMMIT_PATH),
)  # fmt: skip
def checkpoint_incomplete_waits(f: Facts) -> Finding | None:
    """Redo stops because the next log still needs its checkpoint.

    What it tells you:
        DBWR did not finish the checkpoint of a log before LGWR came round to it.
    Why it matters:
        All changes stop until it has.
    How it is computed:
        Total wait of `log file switch (checkpoint incomplete)`; where that is most of the waits
        for log switches, all of them are weighed here, as they have one cause.
    Example:
        With `checkpoint.incomplete_wait_s` = 3697.0, `load.elapsed_s` = 3632.0,
        `checkpoint.incomplete_waits` = 139.0, `checkpoint.incomplete_wait_ms` = 26600.0,
        `checkpoint.binding_limit` = "log_size": critical, "Sessions waited 139 times, 3,697 s in
        all, for incomplete checkpoints".
    Threshold:
        What the waits weigh: how many sessions wait, and how long each wait takes; with those for
        LGWR where log switches are waited for longer. At least info: each wait stops all changes.
    What to do:
        Larger or more log groups; a FAST_START_MTTR_TARGET that lets DBWR write all the time
        instead of at the switch; faster data file writes if DBWR is at its limit. Checkpoint
        Activity (AWR since 11.2) says what DBWR wrote for.
    How to verify:
        The event is gone, and the alert log shows no `Checkpoint not complete`.
    When it is wrong:
        The wait is exact, but one short burst may have caused all of it.
    Sources:
        document 1, "Fast-Start Checkpointing" (spikes of interval-based checkpoints); document 3,
        figures 4 and 5.
    """
    seconds, waits = f.number("checkpoint.incomplete_wait_s"), f.get("checkpoint.incomplete_waits")
    each, switches = f.get("checkpoint.incomplete_wait_ms"), f.get("redo.log_switch_wait_s") or 0.0
    most = seconds * 2 >= switches > 0
    weighed = (
        weigh_redo(f, switches=True, each_ms=each)
        if most
        else f.weigh("checkpoint.incomplete_wait_s", each_ms=each)
    )
    times = "" if not waits else f"{_times(f)} times, "
    total = f"{seconds:,.0f} s in all, " if seconds >= 1 else ""
    rest = switches - seconds
    beside = f" {rest:,.0f} s more were waited for the switches themselves." if rest >= 1 else ""
    return f.finding(
        checkpoint_incomplete_waits,
        f"Sessions waited {times}{total}for incomplete checkpoints",
        weighed if weighed.matters else weighed._replace(severity="info"),
        f.impact(
            switches if most else seconds,
            "all foreground `log file switch` events"
            if most
            else "`log file switch (checkpoint incomplete)`",
        ),
        "DBWR had not written what the next redo log protects when LGWR needed that log."
        f"{beside if most else ''} {driver(f)}".strip(),
        "checkpoint.incomplete_wait_s",
        "checkpoint.incomplete_waits",
        "checkpoint.incomplete_wait_ms",
        *(("redo.log_switch_wait_s",) if most else ()),
        "checkpoint.main_cause",
        "checkpoint.binding_limit",
        related=("REDO004", "CKPT003"),
    )


def _times(f: Facts) -> str:
    """How often; of a number that is estimated from a rate only what it says."""
    fact = f["checkpoint.incomplete_waits"]
    waits = fact.number or 0.0
    if fact.status != "estimated":
        return f"{waits:,.0f}"
    return f"about {float(f'{waits:.2g}'):,.0f}"


@rule(
    "CKPT005",
    "checkpoint-writes-felt",
    gate=("checkpoint.buffer_wait_s",),
    needs=("checkpoint.write_pct", "checkpoint.buffer_wait_s", WEIGHED),
    wants=("checkpoint.main_cause", "checkpoint.binding_limit", "checkpoint.free_buffer_wait_s",
           "checkpoint.write_complete_wait_s", "checkpoint.buffer_wait_ms",
           "checkpoint.data_write_ms", "checkpoint.async_submit_ms"),
    thresholds=(CHECKPOINT_SHARE_PCT,),
)  # fmt: skip
def checkpoint_writes_felt(f: Facts) -> Finding | None:
    """Checkpoints are why DBWR writes, and sessions wait for DBWR.

    What it tells you:
        Most blocks are written to advance the checkpoint, and sessions find no free buffer or
        wait for a block that is being written.
    Why it matters:
        A relaxed recovery target, or faster data file writes, would end these waits.
    How it is computed:
        Checkpoint Activity's columns over physical writes (else 1 − `physical writes non
        checkpoint` / `physical writes`); `free buffer waits` + `write complete waits`.
    Example:
        With `checkpoint.write_pct` = 80.0, `checkpoint.buffer_wait_s` = 600.0, `load.response_s`
        = 9000.0, `checkpoint.binding_limit` = "mttr": warning, "80 % of DBWR's writes are for
        checkpoints, and sessions waited 600 s for DBWR".
    Threshold:
        checkpoint.write_pct (50 %), and what the waits weigh: how many wait, and how long.
    What to do:
        By what they are for: the recovery target: raise it if the service level allows; log size
        or thread checkpoints: larger logs; log checkpoint settings: remove them. Else more or
        faster DBWR I/O.
    How to verify:
        The share and the waits fall.
    When it is wrong:
        A cache that is too small causes the same waits without any checkpoint.
    Sources:
        document 1, "Fast-Start Checkpointing and Performance", table 1.
    """
    share, seconds = f.number("checkpoint.write_pct"), f.number("checkpoint.buffer_wait_s")
    weighed = f.weigh("checkpoint.buffer_wait_s", each_ms=f.get("checkpoint.buffer_wait_ms"))
    if share < f.limit(CHECKPOINT_SHARE_PCT) or not weighed.matters:
        return None
    return f.finding(
        checkpoint_writes_felt,
        f"{share:.0f} % of DBWR's writes are for checkpoints, and sessions waited {seconds:,.0f} s "
        "for DBWR",
        weighed,
        f.impact(seconds, "`free buffer waits` and `write complete waits`"),
        (driver(f) or "The report does not say which limit drives them.") + _dbwr(f),
        "checkpoint.write_pct",
        "checkpoint.buffer_wait_s",
        "checkpoint.main_cause",
        "checkpoint.binding_limit",
        related=("CKPT001",),
    )


@rule(
    "CKPT008",
    "dbwr-waits-without-checkpoints",
    gate=("checkpoint.buffer_wait_s",),
    needs=("checkpoint.buffer_wait_s", WEIGHED),
    wants=("checkpoint.free_buffer_wait_s", "checkpoint.write_complete_wait_s",
           "checkpoint.data_write_ms", "checkpoint.write_pct", "checkpoint.buffer_wait_ms",
           "checkpoint.async_submit_ms"),
    thresholds=(CHECKPOINT_SHARE_PCT,),
)  # fmt: skip
def dbwr_waits_without_checkpoints(f: Facts) -> Finding | None:
    """Sessions wait for DBWR, and checkpoints are not why.

    What it tells you:
        Sessions find no free buffer or wait for a block that is being written, while most blocks
        are written for other reasons than checkpoints.
    Why it matters:
        No recovery target and no log size will end these waits.
    How it is computed:
        `free buffer waits` + `write complete waits`; the share of checkpoint writes as in CKPT005.
    Example:
        With `checkpoint.buffer_wait_s` = 600.0, `checkpoint.write_pct` = 12.0, `load.response_s`
        = 9000.0, `checkpoint.data_write_ms` = 31.0: warning, "Sessions waited 600 s for DBWR".
    Threshold:
        checkpoint.write_pct (below 50 %, or not printed), and what the waits weigh: how many wait,
        and how long.
    What to do:
        See the time of `db file parallel write`: where it is long, faster storage for data files or
        asynchronous I/O; where it is short, more DBWR processes or a larger buffer cache.
    How to verify:
        The waits fall at the same rate of changes.
    When it is wrong:
        Before 10g direct-path writes count among those of DBWR and make the share of checkpoints
        look small.
    Sources:
        document 1, "Fast-Start Checkpointing and Performance"; Oracle Database Reference, `free
        buffer waits` and `write complete waits`.
    """
    share, seconds = f.get("checkpoint.write_pct"), f.number("checkpoint.buffer_wait_s")
    weighed = f.weigh("checkpoint.buffer_wait_s", each_ms=f.get("checkpoint.buffer_wait_ms"))
    if (share or 0.0) >= f.limit(CHECKPOINT_SHARE_PCT) or not weighed.matters:
        return None
    of = "" if share is None else f" {share:.0f} % of its writes are for checkpoints:"
    no_target = f"{of} a recovery target would not change this." if of else ""
    return f.finding(
        dbwr_waits_without_checkpoints,
        f"Sessions waited {seconds:,.0f} s for DBWR",
        weighed,
        f.impact(seconds, "`free buffer waits` and `write complete waits`"),
        f"They found no free buffer, or one that was being written.{no_target}{_dbwr(f)}",
        "checkpoint.buffer_wait_s",
        "checkpoint.buffer_wait_ms",
        "checkpoint.write_pct",
        "checkpoint.data_write_ms",
        "checkpoint.async_submit_ms",
        related=("CKPT005",),
    )


def _dbwr(f: Facts) -> str:
    """What DBWR itself waits for, in a sentence."""
    batch, submit = f.get("checkpoint.data_write_ms"), f.get("checkpoint.async_submit_ms")
    if submit is not None and (batch is None or submit > batch):
        return f" DBWR waits {plain(submit)} ms to submit its writes (`db file async I/O submit`)."
    return "" if batch is None else f" A batch of DBWR's writes takes {plain(batch)} ms."


@rule(
    "CKPT009",
    "object-checkpoint-waits",
    gate=("checkpoint.object_wait_s",),
    needs=("checkpoint.object_wait_s", WEIGHED),
    wants=("checkpoint.object_wait_ms",),
)
def object_checkpoint_waits(f: Facts) -> Finding | None:
    """Sessions wait until the blocks of one object are written.

    What it tells you:
        Truncates, drops, direct-path reads and LOBs that reuse their blocks make DBWR write an
        object's changed blocks first.
    Why it matters:
        These checkpoints are of the application's making; no parameter of recovery ends them.
    How it is computed:
        Total wait of `enq: KO - fast object checkpoint`, `enq: RO - fast object reuse` and `enq:
        CR - block range reuse ckpt`.
    Example:
        With `checkpoint.object_wait_s` = 700.0, `load.response_s` = 9000.0: warning, "Sessions
        waited 700 s for checkpoints of single objects".
    Threshold:
        What the waits weigh: how many sessions wait, and how long each wait takes.
    What to do:
        Find who truncates or scans by direct path what others change: DELETE or a global temporary
        table instead of frequent TRUNCATE, conventional reads for hot tables; then DBWR's I/O.
    How to verify:
        The event is gone from the list of waits.
    When it is wrong:
        The wait is exact, but a single load or index build may explain it.
    Sources:
        Oracle Database Reference, enqueues KO (fast object checkpoint), RO (fast object reuse) and
        CR (block range reuse); since 10g.
    """
    seconds, each = f.number("checkpoint.object_wait_s"), f.get("checkpoint.object_wait_ms")
    weighed = f.weigh("checkpoint.object_wait_s", each_ms=each)
    if not weighed.matters:
        return None
    return f.finding(
        object_checkpoint_waits,
        f"Sessions waited {seconds:,.0f} s for checkpoints of single objects",
        weighed,
        f.impact(seconds, "enqueues KO, RO and CR"),
        "Truncates and direct-path reads wait until DBWR has written the object's blocks"
        + ("." if each is None else f", {plain(each)} ms each time."),
        "checkpoint.object_wait_s",
        "checkpoint.object_wait_ms",
        related=("CKPT005",),
    )


#: What sessions wait for where DBWR is slow.
_DBWR_WAITS: Final = (
    "checkpoint.buffer_wait", "checkpoint.incomplete_wait", "checkpoint.object_wait",
)  # fmt: skip


@rule(
    "CKPT010",
    "synchronous-io",
    needs=("checkpoint.disk_asynch_io", "checkpoint.filesystemio_options", WEIGHED),
    wants=(*(f"{wait}_{unit}" for wait in _DBWR_WAITS for unit in ("s", "ms")),
           "checkpoint.data_write_ms", "checkpoint.async_submit_ms", "checkpoint.asm"),
)  # fmt: skip
def synchronous_io(f: Facts) -> Finding | None:
    """DBWR writes synchronously, its writes are slow, and sessions wait for it.

    What it tells you:
        DISK_ASYNCH_IO is FALSE, or FILESYSTEMIO_OPTIONS allows no asynchronous I/O on files of a
        file system.
    Why it matters:
        DBWR then writes one block after the other and falls behind; a parameter mends it.
    How it is computed:
        Both parameters as printed, or their defaults; FILESYSTEMIO_OPTIONS counts only where data
        files are known not to be in ASM.
    Example:
        With `checkpoint.disk_asynch_io` = "FALSE", `checkpoint.filesystemio_options` = "DEFAULT",
        `load.response_s` = 9000.0, `checkpoint.buffer_wait_s` = 600.0, `checkpoint.buffer_wait_ms`
        = 40.0, `checkpoint.data_write_ms` = 31.0: warning, "DISK_ASYNCH_IO=FALSE: DBWR writes
        synchronously".
    Threshold:
        Waits for DBWR, for incomplete checkpoints or for those of objects that weigh at least info,
        and writes of DBWR from impact.slower_ms (8 ms) on. The severity is that of the worst.
    What to do:
        Set DISK_ASYNCH_IO=TRUE, and FILESYSTEMIO_OPTIONS=SETALL on file systems; both from the
        next start. It costs nothing but the restart.
    How to verify:
        `db file parallel write` or `db file async I/O submit` falls at the same load.
    When it is wrong:
        The platform or file system does asynchronous I/O whatever the parameter says, or DBWR's
        I/O slaves stand in for it.
    Sources:
        Oracle Database Performance Tuning Guide, asynchronous I/O; Oracle Database Reference,
        DISK_ASYNCH_IO and FILESYSTEMIO_OPTIONS.
    """
    asynch, options = f["checkpoint.disk_asynch_io"].value, f["checkpoint.filesystemio_options"]
    latencies = [f.get("checkpoint.data_write_ms"), f.get("checkpoint.async_submit_ms")]
    slowest = max((each for each in latencies if each is not None), default=None)
    if slowest is None or f.how_slow(slowest) < 2:  # noqa: PLR2004 - slow
        return None
    in_files = f["checkpoint.asm"].value == "no"
    if asynch == "FALSE":
        setting = "DISK_ASYNCH_IO=FALSE"
    elif options.value in ("NONE", "DIRECTIO") and in_files:
        setting = f"FILESYSTEMIO_OPTIONS={options.value}"
    elif options.value == "DEFAULT" and in_files:
        setting = "FILESYSTEMIO_OPTIONS is not set"
    else:
        return None
    found = [f.weigh(f"{wait}_s", each_ms=f.get(f"{wait}_ms")) for wait in _DBWR_WAITS]
    weighed = max(found, key=lambda each: SEVERITIES.index(each.severity))
    if not weighed.matters:
        return None
    sure = options.status == "measured" or asynch == "FALSE"
    return f.finding(
        synchronous_io,
        f"{setting}: DBWR writes synchronously"
        if sure
        else f"{setting}: DBWR may write synchronously",
        weighed,
        f.impact(
            f.total(*(f"{wait}_s" for wait in _DBWR_WAITS)),
            "waits for DBWR, for incomplete checkpoints and for those of objects",
        ),
        f"DBWR waits {plain(slowest)} ms for its writes, and sessions wait for DBWR.",
        "checkpoint.disk_asynch_io",
        "checkpoint.filesystemio_options",
        "checkpoint.data_write_ms",
        "checkpoint.async_submit_ms",
        doubt="" if sure else "the default depends on the platform",
        related=("CKPT005", "CKPT008"),
    )
