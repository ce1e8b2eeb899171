"""Waits that several rule families weigh in the same way: waits for LGWR and for log switches."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from awrlens.lazy import NamedTuple
from awrlens.rules.base import of
from awrlens.severity import BEHIND, SLOW, spread
from awrlens.units import ms_words, plain

if TYPE_CHECKING:
    from awrlens.rules.base import Facts, Number, Shown
    from awrlens.severity import Weighed


class RedoWaits(NamedTuple):
    """Waits for redo: for LGWR, and for the next redo log."""

    lgwr: tuple[Number | None, ...]
    switch: tuple[Number | None, ...]

    def weigh(
        self, f: Facts, *, switches: bool, each_ms: float | None, size_bytes: float | None = None,
        busy_pct: float | None = None,
    ) -> Weighed:  # fmt: skip
        """The waits for LGWR, or for log switches, weighed; the weight is that of their own waits.

        The larger part of the waits for redo is weighed with all of them, so that one problem
        counted in two parts is not underestimated twice.
        """
        lgwr, switch = f.total(*self.lgwr), f.total(*self.switch)
        own = self.switch if switches else self.lgwr
        larger = switch > lgwr if switches else lgwr >= switch
        waits = (*self.lgwr, *self.switch) if larger else own
        weighed = f.weigh(*waits, each_ms=each_ms, size_bytes=size_bytes, busy_pct=busy_pct)
        weight = f.weigh(*own, each_ms=each_ms, size_bytes=size_bytes).weight
        return weighed._replace(weight=weight)


def redo_waits(
    redo_sync_wait_s: Number | None,
    redo_buffer_wait_s: Number | None,
    redo_log_switch_wait_s: Number | None,
) -> RedoWaits:
    """The waits by which a finding on LGWR, or on log switches, is weighed."""
    return RedoWaits((redo_sync_wait_s, redo_buffer_wait_s), (redo_log_switch_wait_s,))


def commit_path(
    f: Facts, redo_commit_ms: float | None, redo_local_write_ms: float | None,
    redo_bytes_per_write: float | None, redo_lgwr_busy_pct: float | None,
    *, redo_sync_p50_ms: float | None, redo_sync_slower_16ms_pct: float | None,
    waits: RedoWaits = of(redo_waits),
) -> Weighed:  # fmt: skip
    """The waits for LGWR, weighed."""
    commit, write = redo_commit_ms, redo_local_write_ms
    by_commit = commit is not None and commit >= (write or 0.0)
    weighed = waits.weigh(
        f, switches=False, each_ms=commit if by_commit else write, size_bytes=redo_bytes_per_write,
        busy_pct=redo_lgwr_busy_pct,
    )  # fmt: skip
    per = "commit" if by_commit else "redo write"
    late = spread(f.limit("impact.slower_ms"), commit, redo_sync_p50_ms, redo_sync_slower_16ms_pct)
    sync_s, buffer_s = (wait or 0.0 for wait in waits.lgwr)
    space = f.scale.sessions(buffer_s) or 0.0
    # a load that fills the log buffer is another problem than its commits
    larger = buffer_s > sync_s > 0 and space >= f.limit("impact.several_sessions")
    whom = f"for LGWR ({plain(space)} of them for log buffer space)" if larger else ""
    return weighed._replace(
        weight=weighed.weight._replace(per=per, spread=late if by_commit else "", of=whom)
    )


#: The wait of LMS for LGWR before it ships a block; it is of a background process, so it has no
#: share of DB time.
LMS: Final = "redo.gcs_flush_wait_s"


def held_by_redo(
    f: Facts, load_row_lock_wait_s: Number | None, load_gc_busy_wait_s: Number | None,
    load_buffer_busy_wait_s: Number | None, redo_gcs_flush_wait_s: Number | None,
) -> tuple[Number, ...]:  # fmt: skip
    """Waits that can be a consequence of waits for redo, if they are significant."""
    waits = (load_row_lock_wait_s, load_gc_busy_wait_s, load_buffer_busy_wait_s,
             redo_gcs_flush_wait_s)  # fmt: skip
    return tuple(
        wait for wait in waits
        if wait is not None and f.scale.significant(wait)
        and (wait is redo_gcs_flush_wait_s or (f.scale.share(wait) or 0.0) >= 1)
    )  # fmt: skip


def consequences(weighed: Weighed, held: tuple[Number, ...]) -> tuple[str, ...]:
    """Facts of waits that can be a consequence of waits for redo: evidence of their finding."""
    return tuple(wait.fact for wait in held) if weighed.slow >= SLOW and weighed.matters else ()


def behind(weighed: Weighed, held: tuple[Number, ...]) -> str:
    """Waits that can be a consequence of waits for redo, with their seconds; not added up."""
    if not consequences(weighed, held):
        return ""
    names = BEHIND | {LMS: "`gcs log flush sync` of LMS"}
    waits = ", ".join(f"{names[wait.fact]} {wait:,.0f} s" for wait in held)
    return (
        f" These waits can be a consequence, because locks and blocks are held until the redo is "
        f"on disk: {waits} (not counted here)."
    )


#: Blocks that go to other instances: which of them, and the time of LGWR's flush before that.
FLUSHES: Final = {"current": "redo.gc_current_flush_ms", "CR": "redo.gc_cr_flush_ms"}


def flushes(
    f: Facts, redo_gc_current_flush_ms: float | None, redo_gc_cr_flush_ms: float | None,
    *, held: tuple[Number, ...] = of(held_by_redo),
) -> dict[str, float]:  # fmt: skip
    """Flush times of blocks, if waits for blocks can be a consequence of waits for redo."""
    if not any(wait.fact in (LMS, "load.gc_busy_wait_s") for wait in held):
        return {}
    times = zip(FLUSHES, (redo_gc_current_flush_ms, redo_gc_cr_flush_ms), strict=True)
    return {block: ms for block, ms in times if ms}


def behind_flushes(times: dict[str, float]) -> str:
    """How long blocks wait for LGWR, in a sentence."""
    shown = " and ".join(f"{ms_words(ms)} ({block})" for block, ms in times.items())
    if not shown:
        return ""
    return f" Before a block goes to another instance, the flush of its redo takes {shown}."


def dbwr_writes(
    f: Facts, _checkpoint_data_write_wait_s: Shown, checkpoint_data_write_ms: float | None,
    checkpoint_async_submit_wait_s: float | None, checkpoint_submitted_write_ms: float | None,
) -> str:  # fmt: skip
    """What DBWR waits for, in a sentence: two events, the time of a batch and that of a block.

    It blocks in submits under full load, or where they are synchronous; a submit has many writes.
    """
    batch, submit = checkpoint_data_write_ms, checkpoint_submitted_write_ms
    seconds = checkpoint_async_submit_wait_s
    text = "" if batch is None else f" A DBWR write batch takes {ms_words(batch)}."
    if submit is None or seconds is None or not f.scale.significant(seconds):
        return text
    return (
        f"{text} DBWR waited {seconds:,.0f} s to submit writes (`db file async I/O submit`), "
        f"{ms_words(submit)} per block written."
    )
