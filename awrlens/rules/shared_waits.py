"""Waits that several rule families weigh in the same way: waits for LGWR and for log switches."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from awrlens.rules.base import Facts
    from awrlens.wait_severity import Weighed

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
