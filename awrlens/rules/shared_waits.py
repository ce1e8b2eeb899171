"""Waits that several rule families weigh in the same way: waits for LGWR and for log switches."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from awrlens.policy import Threshold
from awrlens.severity import BEHIND, SLOWEST_MS
from awrlens.units import ms_words

if TYPE_CHECKING:
    from awrlens.rules.base import Facts
    from awrlens.severity import Weighed

SYNC_RATIO: Final = Threshold(
    "redo.sync_ratio", 3.0, "ratio",
    "commit wait divided by log write time, above which most of the wait is not the write",
    "awrlens: at 3, two thirds of the commit wait are outside `log file parallel write`",
)  # fmt: skip
#: Facts that every weighing of the commit path reads.
COMMIT_PATH: Final = (
    "redo.sync_wait_s",
    "redo.buffer_wait_s",
    "redo.log_switch_wait_s",
    "redo.commit_ms",
    "redo.local_write_ms",
    "redo.bytes_per_write",
    "redo.lgwr_busy_pct",
)


#: Waits for redo: for LGWR, and for the next redo log.
_LGWR: Final = ("redo.sync_wait_s", "redo.buffer_wait_s")
_SWITCH: Final = ("redo.log_switch_wait_s",)


def redo_waits(f: Facts, *, switches: bool) -> tuple[str, ...]:
    """The waits by which a finding on LGWR, or on log switches, is weighed.

    The larger part of the waits for redo is weighed with all of them, so that one problem counted
    in two parts is not underestimated twice.
    """
    lgwr, switch = f.total(*_LGWR), f.total(*_SWITCH)
    larger = switch > lgwr if switches else lgwr >= switch
    own = _SWITCH if switches else _LGWR
    return (*_LGWR, *_SWITCH) if larger else own


def weigh_redo(
    f: Facts, *, switches: bool, each_ms: float | None, size_bytes: float | None = None,
    busy_pct: float | None = None,
) -> Weighed:  # fmt: skip
    """The waits for LGWR, or for log switches, weighed; the weight is that of their own waits."""
    names = redo_waits(f, switches=switches)
    weighed = f.weigh(*names, each_ms=each_ms, size_bytes=size_bytes, busy_pct=busy_pct)
    own = f.weigh(*(_SWITCH if switches else _LGWR), each_ms=each_ms, size_bytes=size_bytes)
    return weighed._replace(weight=own.weight)


def commit_path(f: Facts) -> Weighed:
    """The waits for LGWR, weighed."""
    commit, write = f.get("redo.commit_ms"), f.get("redo.local_write_ms")
    by_commit = commit is not None and commit >= (write or 0.0)
    weighed = weigh_redo(
        f, switches=False, each_ms=commit if by_commit else write,
        size_bytes=f.get("redo.bytes_per_write"), busy_pct=f.get("redo.lgwr_busy_pct"),
    )  # fmt: skip
    per = "commit" if by_commit else "redo write"
    return weighed._replace(weight=weighed.weight._replace(per=per))


#: Level of slowness (impact.slower_ms, for its size) at which other sessions may wait for a commit.
_SLOW: Final = 2
#: The wait of LMS for LGWR before it ships a block; it is of a background process, so it has no
#: share of DB time.
LMS: Final = "redo.gcs_flush_wait_s"
#: All facts that ``consequences`` reads.
CAN_BE_BEHIND: Final = (*BEHIND, LMS)


def lms_behind(f: Facts) -> str:
    """The wait of LMS for a LGWR that waits for CPU, with its seconds; not added up."""
    seconds = f.get(LMS)
    if seconds is None or not f.significant(seconds):
        return ""
    return (
        " LMS waits for LGWR before it ships a block, so this is a consequence: `gcs log flush "
        f"sync` {seconds:,.0f} s (not counted here)."
    )


def consequences(f: Facts, weighed: Weighed) -> tuple[str, ...]:
    """Facts of waits that can be a consequence of waits for redo: evidence of their finding."""
    if weighed.slow < _SLOW or not weighed.matters:
        return ()
    known = {name: f.get(name) for name in CAN_BE_BEHIND}
    return tuple(
        name for name, seconds in known.items()
        if f.significant(seconds) and (name == LMS or (f.share(seconds) or 0.0) >= 1)
    )  # fmt: skip


def behind(f: Facts, weighed: Weighed) -> str:
    """Waits that can be a consequence of waits for redo, with their seconds; not added up."""
    names = BEHIND | {LMS: "`gcs log flush sync` of LMS"}
    found = [f"{names[name]} {f.get(name):,.0f} s" for name in consequences(f, weighed)]
    if not found:
        return ""
    return (
        f" These waits can be a consequence, because locks and blocks are held until the redo is "
        f"on disk: {', '.join(found)} (not counted here)."
    )


#: The two events in which DBWR waits for its writes: seconds, and the time of a batch or a block.
#: It blocks in submits under full load, or where they are synchronous.
DBWR_WRITES: Final = (
    "checkpoint.data_write_wait_s", "checkpoint.data_write_ms", "checkpoint.async_submit_wait_s",
    "checkpoint.submitted_write_ms",
)  # fmt: skip


def mostly_submits(f: Facts) -> bool:
    """Whether DBWR waits longer in `db file async I/O submit` than in `db file parallel write`."""
    batches, _, submits, _ = map(f.get, DBWR_WRITES)
    return (submits or 0.0) > (batches or 0.0)


def dbwr_writes(f: Facts) -> str:
    """What DBWR waits for, in a sentence."""
    _, batch, seconds, submit = map(f.get, DBWR_WRITES)
    text = "" if batch is None else f" A DBWR write batch takes {ms_words(batch)}."
    if submit is None or not f.significant(seconds):
        return text
    # a submit has many writes
    return (
        f"{text} DBWR waited {seconds:,.0f} s to submit writes (`db file async I/O submit`), "
        f"{ms_words(submit)} per block written."
    )


#: LGWR counts as no busier than this share of the interval. # awrlens: a limit of the model
_BUSIEST_PCT: Final = 95


def around(f: Facts, weighed: Weighed) -> str:
    """What a commit waits for other than a slow write, and what waits for the commit."""
    return f"{_not_the_write(f, weighed)}{behind(f, weighed)}"


def _not_the_write(f: Facts, weighed: Weighed) -> str:
    """That a commit takes far longer than the write and the queue for it.

    A write that is very slow comes first, however long a commit is.
    """
    write, commit = f.number("redo.local_write_ms"), f.get("redo.commit_ms") or 0.0
    busy = min(f.get("redo.lgwr_busy_pct") or 0.0, _BUSIEST_PCT) / 100
    far = commit >= f.limit(SYNC_RATIO) * write / (1 - busy)
    if not weighed.matters or write >= f.limit(SLOWEST_MS) or not far:
        return ""
    return (
        f" Only {ms_words(write)} of a commit is the log write: find out what else LGWR waits for, "
        "such as control file writes, a standby, or CPU."
    )
