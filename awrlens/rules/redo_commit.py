"""Redo: commits that wait for the log write itself, and commits that are small and frequent.

Source of the reasoning: Write Accelerator, "Redo Log Writes".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from awrlens.policy import Threshold
from awrlens.rules.base import WEIGHED, Facts, rule
from awrlens.rules.redo import OUTSIDE_RATIO, SLOW_WRITE_MS, slow_write
from awrlens.rules.shared_waits import COMMIT_PATH, SYNC_RATIO, commit_path
from awrlens.units import ms_words

if TYPE_CHECKING:
    from awrlens.model import Finding

QUICK_WRITE_MS: Final = Threshold(
    "redo.quick_write_ms", 1.0, "ms",
    "time of a redo write below which it cannot be the reason for slow commits",
    "Write Accelerator, figure 2 (`yielding 1 millisecond per write, indicating a good portion of "
    "our wait time is being taken up with other non-IO operations`)",
)  # fmt: skip
SMALL_COMMIT_B: Final = Threshold(
    "redo.small_commit_bytes", 2048.0, "B",
    "redo per commit below which commits are small",
    "awrlens: four redo blocks of 512 bytes",
)  # fmt: skip


@rule(
    "REDO006",
    "small-frequent-commits",
    gate=("redo.sync_wait_s",),
    needs=("redo.commits_per_s", "redo.bytes_per_s", "redo.sync_wait_s", WEIGHED),
    wants=(*COMMIT_PATH, "redo.sync_count", "redo.commits_per_write", "redo.syncs_per_commit"),
    thresholds=(SMALL_COMMIT_B,),
)
def small_frequent_commits(f: Facts) -> Finding | None:
    """Sessions commit small amounts of work often, and wait for the commits.

    What it means:
        Each commit carries little redo, and the waits at commit are significant.
    Why it matters:
        Fewer commits for the same work cost nothing and need no hardware.
    How it is computed:
        `redo size` / `user commits` is the redo per commit in bytes; `user commits` / `redo writes`
        shows how many commits LGWR already writes at once.
    Example:
        With `redo.commits_per_s` = 1600.0, `redo.bytes_per_s` = 1000000.0, `redo.sync_wait_s` =
        900.0, `load.response_s` = 9000.0, `redo.sync_count` = 900000.0: warning, "1,600 commits
        per second of only 625 bytes each".
    Threshold:
        redo.small_commit_bytes (2,048 B), if the waits at commit are at least a warning.
    What to do:
        Commit once per unit of work, not per row, and batch the work in the application. If the
        loss of the last commits is acceptable, use `COMMIT WRITE BATCH NOWAIT` for those
        transactions.
    How to verify:
        `user commits` falls while the work (executions of the main SQL) stays the same.
    When it is wrong:
        Independent short transactions of many users cannot be combined. Commits inside PL/SQL do
        not wait individually: the loop of figure 3 made 5,359,847 commits and 18 waits.
    Sources:
        Write Accelerator, figure 3 (a commit for every ten rows); Oracle ADDM, "Commits and
        Rollbacks".
    """
    seconds, commits = f.number("redo.sync_wait_s"), f.number("redo.commits_per_s")
    weighed = commit_path(f)
    if commits <= 0 or weighed.severity in ("ok", "info"):
        return None
    size = f.number("redo.bytes_per_s") / commits
    if size >= f.limit(SMALL_COMMIT_B):
        return None
    grouped = f.get("redo.commits_per_write")
    together = "" if grouped is None else f" LGWR writes {grouped:.1f} commits at a time."
    return f.finding(
        small_frequent_commits,
        f"{commits:,.0f} commits per second of only {size:,.0f} bytes each",
        weighed,
        f.impact(seconds, "`log file sync`: the waits of all commits"),
        f"Sessions wait at commit, and each commit covers little work.{together}",
        "redo.commits_per_s",
        "redo.bytes_per_s",
        "redo.sync_wait_s",
        "redo.commits_per_write",
        waits=f.get("redo.sync_count"),
        related=("REDO002", "REDO009"),
    )


@rule(
    "REDO009",
    "commits-wait-for-log-write",
    gate=("redo.sync_wait_s",),
    needs=("redo.local_write_ms", "redo.commit_ms", "redo.commit_storage_s", WEIGHED),
    wants=(*COMMIT_PATH, "redo.sync_count", "redo.write_ms", "redo.parallel_write_ms",
           "redo.broadcast_ack_s", "redo.scn_ack_wait_s"),
    thresholds=(QUICK_WRITE_MS, SYNC_RATIO, SLOW_WRITE_MS, OUTSIDE_RATIO),
)  # fmt: skip
def commits_wait_for_log_write(f: Facts) -> Finding | None:
    """Commits wait for the log write itself.

    What it means:
        Sessions wait at commit. A large part of that wait is the log write, and the write is not
        slow for its size.
    Why it matters:
        This is the only part that faster redo storage would shorten.
    How it is computed:
        redo.commit_storage_s: commits that waited × redo.local_write_ms, limited to the whole wait.
    Example:
        With `redo.local_write_ms` = 3.776, `redo.commit_ms` = 5.841, `redo.commit_storage_s` =
        81071.0, `load.response_s` = 359771.0, `redo.sync_wait_s` = 125416.0, `redo.sync_count` =
        21470106.0, `redo.write_ms` = 3.9: warning, "A commit takes 5.84 ms; the log write is 3.78
        ms of it".
    Threshold:
        redo.quick_write_ms (1 ms): a faster write is not the reason. Above redo.sync_ratio (3)
        REDO002 applies instead; above redo.slow_write_ms (8 ms) REDO001 applies. The severity
        follows from the waits. If the event is redo.outside_write_ratio (3) times LGWR's own
        counter, the finding says so and has a lower confidence.
    What to do:
        First check CPU and LGWR's priority (REDO002), then commit less often (REDO006), then follow
        the redo storage verdict.
    How to verify:
        Both averages fall together.
    When it is wrong:
        Group commit: one write serves several commits, and their waits overlap it only in part. For
        its figure 1, "Write Accelerator" computes 1 ms per write from `redo write time`, but the
        event of figure 2 shows 3.78 ms. The two contradict each other; awrlens uses the event.
    Sources:
        Write Accelerator, "Redo Log Writes", figures 1 and 2.
    """
    write, commit = f.number("redo.local_write_ms"), f.number("redo.commit_ms")
    weighed = commit_path(f)
    if write < f.limit(QUICK_WRITE_MS) or commit >= write * f.limit(SYNC_RATIO):
        return None
    if slow_write(f) or not weighed.matters:
        return None
    seconds, waited = f.number("redo.commit_storage_s"), f.get("redo.sync_wait_s") or 0.0
    doubt = _contradiction(f)
    rest = waited - seconds
    return f.finding(
        commits_wait_for_log_write,
        f"A commit takes {ms_words(commit)}; the log write is "
        + (f"{ms_words(write)} of it" if write < commit else "all of it"),
        weighed,
        f.impact(waited, "`log file sync`"),
        f"Sessions waited {waited:,.0f} s at commit; {seconds:,.0f} s of this is the log write"
        + (f" and {rest:,.0f} s is {_beside_the_write(f, rest)}." if rest >= 1 else ".")
        + (f" However, {doubt}." if doubt else ""),
        "redo.commit_ms",
        "redo.local_write_ms",
        "redo.sync_wait_s",
        "redo.commit_storage_s",
        "redo.lgwr_busy_pct",
        waits=f.get("redo.sync_count"),
        doubt=doubt,
        related=("REDO006", "REDO010"),
    )


#: LGWR's waits for other instances to acknowledge an SCN: a statistic, and a wait event.
_ACKNOWLEDGED: Final = ("redo.broadcast_ack_s", "redo.scn_ack_wait_s")
#: It is named from a tenth of the rest on. # awrlens: an assumption
_PART: Final = 10


def _beside_the_write(f: Facts, rest_s: float) -> str:
    """What commits wait for that is not their write."""
    acknowledged = max(f.get(name) or 0.0 for name in _ACKNOWLEDGED)
    if acknowledged * _PART < rest_s:
        return "LGWR, CPU or the previous write"
    return (
        "LGWR, CPU, the previous write, or other instances (LGWR waited "
        f"{acknowledged:,.0f} s for their SCN acknowledgement)"
    )


def _contradiction(f: Facts) -> str:
    """An event far above the counter that ought to include it, as in figures 1 and 2."""
    counter, event = f.get("redo.write_ms"), f.get("redo.parallel_write_ms")
    if not counter or not event or event / counter < f.limit(OUTSIDE_RATIO):
        return ""
    return (
        f"LGWR's own counter shows only {ms_words(counter)} per write, so one of the two does not "
        "measure the write"
    )


@rule(
    "REDO012",
    "commit-waits-unexplained",
    gate=("redo.sync_wait_s",),
    needs=("redo.sync_wait_s", WEIGHED),
    wants=(
        *COMMIT_PATH,
        "redo.sync_count",
        "redo.parallel_write_ms",
        "redo.write_ms",
        "redo.standby_wait_s",
    ),
)
def commit_waits_unexplained(f: Facts) -> Finding | None:
    """Commits wait, and the report does not show the time of a log write.

    What it means:
        Sessions wait at commit, but the report does not show whether for the disk, for LGWR or for
        a CPU.
    Why it matters:
        Faster storage helps only if they wait for the disk.
    How it is computed:
        The time of `log file sync`. Neither the event `log file parallel write` nor the statistics
        `redo write time` and `redo writes` are in the report. The finding shows LGWR's waits for a
        synchronous standby (`LGWR-LNS wait on channel`, `SYNC Remote Write`) if the report has any.
    Example:
        With `redo.sync_wait_s` = 7421.0, `load.response_s` = 18012.0, `redo.sync_count` =
        1204331.0, `redo.commit_ms` = 6.162: warning, "A commit takes 6.16 ms; the report does not
        show why".
    Threshold:
        How many sessions wait, and how long each wait takes.
    What to do:
        Analyze the whole report: Background Wait Events and Instance Activity Stats have the data.
        For a pluggable database, use the report of its root; for a list of top events, the report
        from which it was copied.
    How to verify:
        Another rule then shows why commits wait (REDO001, REDO002 or REDO009).
    When it is wrong:
        Not applicable: the rule judges the report, not the database.
    Sources:
        Write Accelerator, "Redo Log Writes": the parts of `log file sync`.
    """
    if f["redo.parallel_write_ms"].value is not None or f["redo.write_ms"].value is not None:
        return None
    seconds, each = f.number("redo.sync_wait_s"), f.get("redo.commit_ms")
    weighed = commit_path(f)
    if not weighed.matters:
        return None
    standby = f.get("redo.standby_wait_s")
    why = (
        "the report shows waits for a synchronous standby, but no log write"
        if standby
        else "the report does not show why"
    )
    return f.finding(
        commit_waits_unexplained,
        f"A commit takes {ms_words(each)}; {why}"
        if each
        else f"Sessions waited {seconds:,.0f} s at commit; {why}",
        weighed,
        f.impact(seconds, "all `log file sync` waits"),
        "Neither `log file parallel write` nor `redo write time` is in the report. The wait may be "
        "for the redo log's disk, for LGWR or for a CPU."
        + (
            f" LGWR waited {standby:,.0f} s for a synchronous standby: look at its network and "
            "standby redo logs first."
            if standby
            else ""
        ),
        "redo.sync_wait_s",
        "redo.commit_ms",
        *(("redo.standby_wait_s",) if standby else ()),
        waits=f.get("redo.sync_count"),
        related=("REDO001", "REDO002", "REDO009"),
    )
