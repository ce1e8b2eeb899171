"""Commits of RAC that wait for other instances."""

from __future__ import annotations

from typing import TYPE_CHECKING

from awrlens.rules.base import WEIGHED, Facts, rule
from awrlens.rules.redo import SLOW_WRITE_MS, slow_write
from awrlens.rules.shared_waits import COMMIT_PATH, commit_path
from awrlens.units import ms_words

if TYPE_CHECKING:
    from awrlens.model import Finding
from awrlens.rules.redo_lgwr import ACK_PCT, POLLING_PCT
from awrlens.rules.shared_waits import SYNC_RATIO

#: Its thresholds are those of other modules.


@rule(
    "REDO013",
    "commit-waits-for-other-instances",
    gate=("redo.sync_wait_s",),
    needs=("redo.local_write_ms", "redo.commit_ms", "redo.sync_wait_s", WEIGHED),
    wants=(*COMMIT_PATH, "redo.broadcast_ack_s", "redo.scn_ack_wait_s", "redo.polling_pct",
           "redo.write_count", "redo.sync_count"),
    thresholds=(ACK_PCT, POLLING_PCT, SYNC_RATIO, SLOW_WRITE_MS),
)  # fmt: skip
def commit_waits_for_other_instances(f: Facts) -> Finding | None:
    """Commits wait for other instances or poll; they do not wait for the redo log's disk.

    What it means:
        In RAC a commit ends when the other instances have acknowledged its SCN. Or nearly all
        commits poll for LGWR's progress (adaptive log file sync) and sleep longer than the write.
    Why it matters:
        Faster redo storage shortens neither.
    How it is computed:
        `redo write broadcast ack time` (microseconds beyond the write) or `wait for scn ack`,
        whichever is greater, per redo write, compared with redo.commit_ms; `redo synch poll writes`
        / `redo synch writes`, if a commit takes redo.sync_ratio times the write.
    Example:
        With `redo.local_write_ms` = 0.5, `redo.commit_ms` = 12.0, `redo.sync_wait_s` = 1200.0,
        `load.response_s` = 9000.0, `redo.broadcast_ack_s` = 900.0, `redo.write_count` = 90000.0,
        `redo.sync_count` = 100000.0: warning, "A commit takes 12 ms, 10 ms of it waiting for other
        instances to acknowledge it".
    Threshold:
        redo.ack_pct (30 %) of the commit; or redo.polling_pct (90 %) of the commits, if a commit
        takes redo.sync_ratio (3) times the write. Above redo.slow_write_ms (8 ms) REDO001 applies.
        The severity follows from all waits at commit.
    What to do:
        Check the interconnect, LMS (count, real-time priority) and CPU on the other nodes. Polling:
        ask Oracle Support to confirm `_use_adaptive_log_file_sync`=FALSE.
    How to verify:
        `redo write broadcast ack time` and `redo synch poll writes` no longer rise at the same
        load.
    When it is wrong:
        The acknowledgement runs in parallel with the write: only the time beyond the write is
        counted.
    Sources:
        Oracle Database Reference, statistics `redo write broadcast ack time`, `redo synch poll
        writes` and event `wait for scn ack`.
    """
    commit, write = f.number("redo.commit_ms"), f.number("redo.local_write_ms")
    weighed = commit_path(f)
    if slow_write(f) or not weighed.matters:
        return None
    ack = _acknowledged_ms(f)
    polling = f.get("redo.polling_pct") or 0.0
    polls = polling >= f.limit(POLLING_PCT) and commit >= write * f.limit(SYNC_RATIO)
    if ack * 100 >= commit * f.limit(ACK_PCT):
        title = (
            f"A commit takes {ms_words(commit)}, {ms_words(min(ack, commit))} of it waiting for "
        )
        title += "other instances to acknowledge it"
    elif polls:
        title = f"A commit takes {ms_words(commit)}; {polling:.0f} % of commits poll LGWR"
    else:
        return None
    return f.finding(
        commit_waits_for_other_instances,
        title,
        weighed,
        f.impact(f.number("redo.sync_wait_s"), "`log file sync`"),
        f"The log write takes {ms_words(write)}; faster redo storage would not shorten the rest.",
        "redo.commit_ms",
        "redo.local_write_ms",
        "redo.broadcast_ack_s",
        "redo.scn_ack_wait_s",
        "redo.polling_pct",
        "redo.sync_wait_s",
        waits=f.get("redo.sync_count"),
        related=("REDO002", "REDO003"),
    )


def _acknowledged_ms(f: Facts) -> float:
    """Milliseconds per redo write until the other instances have acknowledged it."""
    writes = f.get("redo.write_count")
    seconds = max(f.get("redo.broadcast_ack_s") or 0.0, f.get("redo.scn_ack_wait_s") or 0.0)
    return seconds * 1000 / writes if writes else 0.0
