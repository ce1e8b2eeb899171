"""Redo: commits that wait for the log write itself, and commits that are small and many.

Source of the reasoning: document 3, "Redo Log Writes".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from awrlens.policy import Threshold
from awrlens.rules.base import WEIGHED, Facts, rule
from awrlens.rules.redo import OUTSIDE_RATIO, SLOW_WRITE_MS, slow_write
from awrlens.rules.redo_lgwr import SYNC_RATIO
from awrlens.rules.weighed import COMMIT_PATH, commit_path
from awrlens.units import plain

if TYPE_CHECKING:
    from awrlens.model import Finding

QUICK_WRITE_MS: Final = Threshold(
    "redo.quick_write_ms", 1.0, "ms",
    "a redo write that takes less cannot be the reason of slow commits",
    "document 3, figure 2 (`yielding 1 millisecond per write, indicating a good portion of our "
    "wait time is being taken up with other non-IO operations`)",
)  # fmt: skip
SMALL_COMMIT_B: Final = Threshold(
    "redo.small_commit_bytes", 2048.0, "B",
    "redo per commit below which commits are small and frequent",
    "awrlens: four redo blocks of 512 bytes",
)  # fmt: skip

THRESHOLDS: Final = (QUICK_WRITE_MS, SMALL_COMMIT_B)


@rule(
    "REDO006",
    "small-frequent-commits",
    gate=("redo.sync_wait_s",),
    needs=("redo.commits_per_s", "redo.bytes_per_s", "redo.sync_wait_s", WEIGHED),
    wants=(*COMMIT_PATH, "redo.sync_count", "redo.commits_per_write", "redo.syncs_per_commit"),
    thresholds=(SMALL_COMMIT_B,),
)
def small_frequent_commits(f: Facts) -> Finding | None:
    """Sessions commit small amounts of work often, and wait for it.

    What it tells you:
        Each commit carries little redo, and the waits at commit are felt.
    Why it matters:
        Fewer commits of the same work cost nothing and need no hardware.
    How it is computed:
        `redo size` / `user commits` bytes for each commit; `user commits` / `redo writes` says
        how many commits LGWR already writes at once.
    Example:
        With `redo.commits_per_s` = 1600.0, `redo.bytes_per_s` = 1000000.0, `redo.sync_wait_s` =
        900.0, `load.response_s` = 9000.0, `redo.sync_count` = 900000.0: warning, "1,600 commits
        per second of only 625 bytes each".
    Threshold:
        redo.small_commit_bytes (2,048 B), where the waits at commit weigh at least a warning.
    What to do:
        Commit once per unit of work, not per row; batch in the application; where a loss of the
        last commits can be borne, `COMMIT WRITE BATCH NOWAIT` for those transactions.
    How to verify:
        `user commits` falls while the work done (executions of the main statements) does not.
    When it is wrong:
        Independent short transactions of many users, which cannot be joined. Commits inside
        PL/SQL do not wait one by one: figure 3's loop made 5,359,847 commits and 18 waits.
    Sources:
        document 3, figure 3 (a commit for every ten rows); Oracle ADDM, "Commits and Rollbacks".
    """
    seconds, commits = f.number("redo.sync_wait_s"), f.number("redo.commits_per_s")
    weighed = commit_path(f)
    if commits <= 0 or weighed.severity in ("ok", "info"):
        return None
    size = f.number("redo.bytes_per_s") / commits
    if size >= f.limit(SMALL_COMMIT_B):
        return None
    grouped = f.get("redo.commits_per_write")
    together = "" if grouped is None else f" LGWR writes {grouped:.1f} of them at a time."
    return f.finding(
        small_frequent_commits,
        f"{commits:,.0f} commits per second of only {size:,.0f} bytes each",
        weighed,
        f.impact(seconds, "`log file sync`: the waits of all commits"),
        f"Sessions wait at commit, and each commit carries little work.{together}",
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
    wants=(*COMMIT_PATH, "redo.sync_count", "redo.write_ms", "redo.parallel_write_ms"),
    thresholds=(QUICK_WRITE_MS, SYNC_RATIO, SLOW_WRITE_MS, OUTSIDE_RATIO),
)
def commits_wait_for_log_write(f: Facts) -> Finding | None:
    """Commits wait for the log write itself.

    What it tells you:
        Sessions wait at commit, a good part of that wait is the write to the log, and the write
        is not slow for its size.
    Why it matters:
        This is the part that faster log storage would shorten, and the only one.
    How it is computed:
        redo.commit_storage_s: commits that waited × redo.local_write_ms, at most the whole wait.
    Example:
        With `redo.local_write_ms` = 3.776, `redo.commit_ms` = 5.841, `redo.commit_storage_s` =
        81071.0, `load.response_s` = 359771.0, `redo.sync_wait_s` = 125416.0, `redo.sync_count` =
        21470106.0, `redo.write_ms` = 3.9: warning, "A commit takes 5.841 ms, 3.776 ms of it the
        log write".
    Threshold:
        redo.quick_write_ms (1 ms): a quicker write is not the reason; from redo.sync_ratio (3) on
        REDO002 speaks instead; from redo.slow_write_ms (8 ms) on REDO001 says it. The severity is
        what the waits weigh. Where the event is redo.outside_write_ratio (3) times LGWR's own
        counter, the finding says so, and is less sure.
    What to do:
        Processor and priority first (REDO002), then commit less often (REDO006), then the redo
        storage verdict.
    How to verify:
        Both averages fall together.
    When it is wrong:
        Group commit: one write serves several commits, whose waits overlap it only in part. Of
        its figure 1 document 3 computes 1 ms per write from `redo write time`, where the event
        of figure 2 has 3.78 ms: the two contradict each other, and awrlens goes by the event.
    Sources:
        document 3, "Redo Log Writes", figures 1 and 2.
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
        f"A commit takes {plain(commit)} ms, "
        + (f"{plain(write)} ms of it" if write < commit else "all of it")
        + " the log write",
        weighed,
        f.impact(waited, "`log file sync`"),
        f"Of {waited:,.0f} s that sessions waited at commit, {seconds:,.0f} s are the log write"
        + (f"; {rest:,.0f} s are LGWR, processors or the write before." if rest >= 1 else ".")
        + (f" Yet {doubt}." if doubt else ""),
        "redo.commit_ms",
        "redo.local_write_ms",
        "redo.sync_wait_s",
        "redo.commit_storage_s",
        "redo.lgwr_busy_pct",
        waits=f.get("redo.sync_count"),
        doubt=doubt,
        related=("REDO006", "REDO010"),
    )


def _contradiction(f: Facts) -> str:
    """An event far above the counter that ought to hold it, as in figures 1 and 2."""
    counter, event = f.get("redo.write_ms"), f.get("redo.parallel_write_ms")
    if not counter or not event or event / counter < f.limit(OUTSIDE_RATIO):
        return ""
    return (
        f"by LGWR's own counter a write takes only {plain(counter)} ms: one of the two is not the "
        "write"
    )


@rule(
    "REDO012",
    "commit-waits-unexplained",
    gate=("redo.sync_wait_s",),
    needs=("redo.sync_wait_s", WEIGHED),
    wants=(*COMMIT_PATH, "redo.sync_count", "redo.parallel_write_ms", "redo.write_ms"),
)
def commit_waits_unexplained(f: Facts) -> Finding | None:
    """Commits wait, and the report does not print what a log write takes.

    What it tells you:
        Sessions wait at commit, and it cannot be told whether for the disk, for LGWR or for a
        processor.
    Why it matters:
        Faster storage helps the first of these only.
    How it is computed:
        The time of `log file sync`; that neither the event `log file parallel write` nor the
        statistics `redo write time` and `redo writes` are printed.
    Example:
        With `redo.sync_wait_s` = 7421.0, `load.response_s` = 18012.0, `redo.sync_count` =
        1204331.0, `redo.commit_ms` = 6.162: warning, "A commit takes 6.162 ms; the report does not
        say what for".
    Threshold:
        What the waits weigh: how many sessions wait, and how long each wait takes.
    What to do:
        Give the whole report: Background Wait Events and Instance Activity Stats tell. For a
        pluggable database, give the report of its root; of a list of top events, the report that
        it was copied from.
    How to verify:
        Another rule then says what commits wait for (REDO001, REDO002 or REDO009).
    When it is wrong:
        Never: it judges the report, not the database.
    Sources:
        document 3, "Redo Log Writes": what `log file sync` consists of.
    """
    if f["redo.parallel_write_ms"].value is not None or f["redo.write_ms"].value is not None:
        return None
    seconds, each = f.number("redo.sync_wait_s"), f.get("redo.commit_ms")
    weighed = commit_path(f)
    if not weighed.matters:
        return None
    return f.finding(
        commit_waits_unexplained,
        f"A commit takes {plain(each)} ms; the report does not say what for"
        if each
        else f"Sessions wait {seconds:,.0f} s at commit; the report does not say what for",
        weighed,
        f.impact(seconds, "all `log file sync` waits"),
        "Neither `log file parallel write` nor `redo write time` is printed: the wait may be for "
        "the log's disk, for LGWR or for a processor.",
        "redo.sync_wait_s",
        "redo.commit_ms",
        waits=f.get("redo.sync_count"),
        related=("REDO001", "REDO002", "REDO009"),
    )
