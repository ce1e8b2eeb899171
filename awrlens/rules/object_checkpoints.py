"""Checkpoints of objects, and DBWR without asynchronous I/O."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from awrlens.model import SEVERITIES
from awrlens.rules.base import WEIGHED, Facts, rule
from awrlens.rules.shared_waits import DBWR_WRITES, dbwr_writes
from awrlens.units import ms_words

if TYPE_CHECKING:
    from awrlens.model import Finding

#: Its thresholds are those of other modules.


@rule(
    "CKPT009",
    "object-checkpoint-waits",
    gate=("checkpoint.object_wait_s", "checkpoint.local_write_wait_s"),
    needs=("checkpoint.object_wait_s|checkpoint.local_write_wait_s", WEIGHED),
    wants=("checkpoint.object_wait_ms", "checkpoint.local_write_wait_ms"),
)  # fmt: skip
def object_checkpoint_waits(f: Facts) -> Finding | None:
    """Sessions wait until DBWR has written the blocks of one object.

    What it means:
        Truncates, drops, direct-path reads and LOBs that reuse their blocks make DBWR write the
        changed blocks of an object first.
    Why it matters:
        The application causes these checkpoints; no recovery parameter removes them.
    How it is computed:
        Total wait of `enq: KO - fast object checkpoint`, `enq: RO - fast object reuse`, `enq: CR -
        block range reuse ckpt` and `local write wait`, in which a session that truncates or drops
        waits for the write of its own buffers. The larger of the two decides how slow a wait is.
    Example:
        With `checkpoint.object_wait_s` = 700.0, `load.response_s` = 9000.0: warning, "Sessions
        waited 700 s for object checkpoints".
    Threshold:
        How many sessions wait, and how long each wait takes.
    What to do:
        Find the sessions that truncate, or scan by direct path, objects that others change. Use
        DELETE or a global temporary table instead of frequent TRUNCATE, and conventional reads for
        hot tables. Then check DBWR's I/O.
    How to verify:
        The event is no longer in the list of waits.
    When it is wrong:
        The wait time is exact, but a single load or index build may explain it.
    Sources:
        Oracle Database Reference, enqueues KO (fast object checkpoint), RO (fast object reuse) and
        CR (block range reuse), since 10g; `local write wait`.
    """
    names = ("checkpoint.object_wait_s", "checkpoint.local_write_wait_s")
    objects, local = (f.get(name) or 0.0 for name in names)
    seconds, each = objects + local, f.get("checkpoint.object_wait_ms")
    local_ms = f.get("checkpoint.local_write_wait_ms")
    weighed = f.weigh(*names, each_ms=local_ms if local > objects else each)
    if not weighed.matters:
        return None
    said = []
    if objects:
        times = "" if each is None else f", {ms_words(each)} per wait"
        said.append(
            "Truncates and direct-path reads wait until DBWR has written the object's blocks"
            f"{times}."
        )
    if f.significant(local):
        times = "" if local_ms is None else f", {ms_words(local_ms)} per wait"
        said.append(
            f"`local write wait` ({local:,.0f} s{times}) is a session that truncates or drops and "
            "waits until DBWR has written its own buffers."
        )
    waits = ("enqueues KO, RO and CR", objects), ("`local write wait`", local)
    return f.finding(
        object_checkpoint_waits,
        f"Sessions waited {seconds:,.0f} s for object checkpoints",
        weighed,
        f.impact(seconds, ", and ".join(name for name, spent in waits if spent)),
        " ".join(said),
        "checkpoint.object_wait_s",
        "checkpoint.object_wait_ms",
        "checkpoint.local_write_wait_s",
        "checkpoint.local_write_wait_ms",
        related=("CKPT005",),
    )


#: Waits of sessions if DBWR is slow.
_DBWR_WAITS: Final = (
    "checkpoint.buffer_wait", "checkpoint.incomplete_wait", "checkpoint.object_wait",
)  # fmt: skip


@rule(
    "CKPT010",
    "synchronous-io",
    needs=("checkpoint.disk_asynch_io", "checkpoint.filesystemio_options", WEIGHED),
    wants=(*(f"{wait}_{unit}" for wait in _DBWR_WAITS for unit in ("s", "ms")),
           *DBWR_WRITES, "checkpoint.asm"),
)  # fmt: skip
def synchronous_io(f: Facts) -> Finding | None:
    """DBWR writes synchronously and slowly, and sessions wait for it.

    What it means:
        DISK_ASYNCH_IO is FALSE, or FILESYSTEMIO_OPTIONS does not allow asynchronous I/O on files of
        a file system.
    Why it matters:
        DBWR then writes one block after the other and falls behind; a parameter change fixes this.
    How it is computed:
        Both parameters as in the report, or their defaults. FILESYSTEMIO_OPTIONS counts only if the
        data files are known not to be in ASM.
    Example:
        With `checkpoint.disk_asynch_io` = "FALSE", `checkpoint.filesystemio_options` = "DEFAULT",
        `load.response_s` = 9000.0, `checkpoint.buffer_wait_s` = 600.0, `checkpoint.buffer_wait_ms`
        = 40.0, `checkpoint.data_write_ms` = 31.0: warning, "DISK_ASYNCH_IO=FALSE: DBWR writes
        synchronously".
    Threshold:
        Waits for DBWR, for incomplete checkpoints or for object checkpoints of at least info, and
        DBWR writes above impact.slower_ms (8 ms). The severity is that of the worst of these waits.
    What to do:
        Set DISK_ASYNCH_IO=TRUE, and on file systems also FILESYSTEMIO_OPTIONS=SETALL. Both need a
        restart. SETALL is also direct I/O: where the file system cache serves reads, they become
        slower. Test it first, with a larger buffer cache.
    How to verify:
        `db file parallel write` or `db file async I/O submit` falls at the same load.
    When it is wrong:
        The platform or file system uses asynchronous I/O whatever the parameter says, or I/O slaves
        of DBWR replace it.
    Sources:
        Oracle Database Performance Tuning Guide, asynchronous I/O; Oracle Database Reference,
        DISK_ASYNCH_IO and FILESYSTEMIO_OPTIONS.
    """
    if f.scale.unnoticed(f.total(*(f"{wait}_s" for wait in _DBWR_WAITS))):
        return None
    asynch, options = f["checkpoint.disk_asynch_io"].value, f["checkpoint.filesystemio_options"]
    latencies = [f.get("checkpoint.data_write_ms"), f.get("checkpoint.submitted_write_ms")]
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
            "waits for DBWR, for incomplete checkpoints and for object checkpoints",
        ),
        f"{dbwr_writes(f).strip()} Sessions wait for DBWR.",
        "checkpoint.disk_asynch_io",
        "checkpoint.filesystemio_options",
        *DBWR_WRITES,
        doubt="" if sure else "the default depends on the platform",
        related=("CKPT005", "CKPT008"),
    )
