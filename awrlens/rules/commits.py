"""Commits that wait: for the log write, for LGWR, CPU and scheduling, for other instances.

The seconds are parts of `log file sync` as ``awrlens.facts.commits`` splits it, so REDO002,
REDO003 and REDO009 never count the same second twice.
Source of the reasoning: Write Accelerator, "Redo Log Writes".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from awrlens.oracle import host
from awrlens.oracle.write_path import queued_ms
from awrlens.rules.base import Diagnosis, of, rule, unnoticed
from awrlens.rules.redo import slow_write
from awrlens.rules.shared_waits import commit_path
from awrlens.units import first_of, ms_words, plain

if TYPE_CHECKING:
    from awrlens.rules.base import Facts, Gate, Shown
    from awrlens.severity import Weighed


def acknowledgements_s(
    redo_broadcast_ack_s: float | None, redo_scn_ack_wait_s: float | None
) -> float:
    """LGWR's waits for other instances to acknowledge an SCN: a statistic, or a wait event."""
    return max(redo_broadcast_ack_s or 0.0, redo_scn_ack_wait_s or 0.0)


@rule("REDO006")
def small_frequent_commits(
    f: Facts, redo_commits_per_s: float, redo_bytes_per_s: float, redo_sync_wait_s: Gate,
    redo_commits_per_write: float | None,
    *, redo_sync_count: float | None,
    weighed: Weighed = of(commit_path, ends=lambda weighed: weighed.severity in ("ok", "info")),
) -> Diagnosis | None:  # fmt: skip
    """Sessions commit small amounts of work often, and wait for the commits."""
    commits, grouped = redo_commits_per_s, redo_commits_per_write
    if redo_bytes_per_s >= commits * f.limit("redo.small_commit_bytes"):
        return None
    size = redo_bytes_per_s / commits
    return Diagnosis(
        f"{commits:,.0f} commits per second of only {size:,.0f} bytes each",
        weighed,
        f.impact(redo_sync_wait_s, "`log file sync`: the waits of all commits"),
        "Sessions wait at commit, and each commit covers little work."
        + ("" if grouped is None else f" LGWR writes {grouped:.1f} commits at a time."),
        waits=redo_sync_count,
        related=("REDO002", "REDO009"),
    )


@rule("REDO009", needs=("redo.local_write_ms",))
def commits_wait_for_log_write(
    f: Facts, redo_commit_ms: float, redo_local_write_ms: float, redo_sync_wait_s: Gate | None,
    redo_commit_storage_s: float, _redo_lgwr_busy_pct: Shown,
    *, redo_sync_count: float | None, redo_write_ms: float | None,
    redo_parallel_write_ms: float | None, slow: bool = of(slow_write, ends=bool),
    acknowledged_s: float = of(acknowledgements_s),
    weighed: Weighed = of(commit_path, ends=unnoticed),
) -> Diagnosis | None:  # fmt: skip
    """Commits wait for the log write itself."""
    write, commit, waited = redo_local_write_ms, redo_commit_ms, redo_sync_wait_s or 0.0
    if write < f.limit("redo.quick_write_ms") or commit >= write * f.limit("redo.sync_ratio"):
        return None
    # an event far above the counter that ought to include it, as in figures 1 and 2
    counter, event, doubt = redo_write_ms, redo_parallel_write_ms, ""
    if counter and event and event / counter >= f.limit("redo.outside_write_ratio"):
        doubt = (
            f"LGWR's own counter shows only {ms_words(counter)} per write, so one of the two does "
            "not measure the write"
        )
    rest = waited - redo_commit_storage_s
    beside = (
        "LGWR, CPU or the previous write"
        if acknowledged_s * _PART < rest
        else "LGWR, CPU, the previous write, or other instances (LGWR waited "
        f"{acknowledged_s:,.0f} s for their SCN acknowledgement)"
    )
    return Diagnosis(
        f"A commit takes {ms_words(commit)}; the log write is "
        f"{ms_words(write) if write < commit else 'all'} of it",
        weighed,
        f.impact(waited, "`log file sync`"),
        f"Sessions waited {waited:,.0f} s at commit; {redo_commit_storage_s:,.0f} s of this is the "
        f"log write{f' and {rest:,.0f} s is {beside}' if rest >= 1 else ''}."
        f"{f' However, {doubt}.' if doubt else ''}",
        waits=redo_sync_count,
        doubt=doubt,
        related=("REDO006", "REDO010"),
    )


#: The acknowledgement is named from a tenth of the rest on. # awrlens: an assumption
_PART: Final = 10


@rule("REDO012")
def commit_waits_unexplained(
    f: Facts, redo_sync_wait_s: Gate, redo_commit_ms: float | None,
    redo_standby_wait_s: float | None,
    *, redo_sync_count: float | None, redo_parallel_write_ms: float | None,
    redo_write_ms: float | None, weighed: Weighed = of(commit_path, ends=unnoticed),
) -> Diagnosis | None:  # fmt: skip
    """Commits wait, and the report does not show the time of a log write."""
    written = redo_parallel_write_ms is not None or redo_write_ms is not None
    if written or f.scale.undertimed:
        return None
    commit_ms, standby = redo_commit_ms, redo_standby_wait_s
    waited = f"Sessions waited {redo_sync_wait_s:,.0f} s at commit"
    why, more = "the report does not show why", ""
    if standby:
        why = "the report shows waits for a synchronous standby, but no log write"
        more = (
            f" LGWR waited {standby:,.0f} s for a synchronous standby: look at its network and "
            "standby redo logs first."
        )
    return Diagnosis(
        f"{f'A commit takes {ms_words(commit_ms)}' if commit_ms else waited}; {why}",
        weighed,
        f.impact(redo_sync_wait_s, "all `log file sync` waits"),
        "Neither `log file parallel write` nor `redo write time` is in the report. The wait may be "
        f"for the redo log's disk, for LGWR or for a CPU.{more}",
        hide=() if standby else ("redo.standby_wait_s",),
        waits=redo_sync_count,
        related=("REDO001", "REDO002", "REDO009"),
    )


def on_host(
    f: Facts, host_load_per_cpu_begin: float | None, host_load_per_cpu_end: float | None,
    host_idle_pct: float | None,
) -> str:  # fmt: skip
    """What the host explains of waits outside the write: its memory, its CPU, or neither."""
    load = max(host_load_per_cpu_begin or 0.0, host_load_per_cpu_end or 0.0)
    shown = [f"the run queue is {load:.1f} per CPU"] if host_load_per_cpu_end is not None else []
    shown += [] if host_idle_pct is None else [f"{host_idle_pct:.0f} % of CPU was idle"]
    memory, cpu = host.short_of_memory(f.get, f.limit), host.waits_for_cpu(f.get, f.limit)
    return first_of(
        (memory, f"The host lacks memory, which stalls LGWR, too: {memory}."),
        (cpu, f"LGWR and the sessions it posts wait for CPU: {cpu}."),
        (shown,
         f"Waiting for CPU hardly explains it ({' and '.join(shown)}); check what LGWR waits "
         "for, posting and commit rate."),
        (True, "Run-queue length is not in the report; check OS statistics for this period."),
    )  # fmt: skip


@rule("REDO002", wants=host.FACTS)
def commit_wait_not_io(
    f: Facts, redo_commit_ms: float, redo_local_write_ms: float, redo_sync_wait_s: Gate,
    redo_commit_storage_s: float, redo_commit_lgwr_s: float | None, by_host: str = of(on_host),
    *, redo_sync_count: float | None,
    redo_sync_p95_ms: float | None, redo_commit_waits: float | None,
    redo_standby_wait_ms: float | None,
    redo_lgwr_busy_pct: float | None, redo_log_switch_wait_s: float | None,
    redo_log_switch_wait_ms: float | None, redo_gcs_flush_wait_s: float | None,
    slow: bool = of(slow_write, ends=bool), weighed: Weighed = of(commit_path, ends=unnoticed),
) -> Diagnosis | None:  # fmt: skip
    """Commits wait much longer than the log write takes."""
    commit, write, waited = redo_commit_ms, redo_local_write_ms, redo_sync_wait_s
    if commit < write * f.limit("redo.sync_ratio"):
        return None
    # of the rest, the wait for the standby after one's own write, and for the writes ahead of it;
    # not below a tenth of all waits
    outside, queued = waited - redo_commit_storage_s - (redo_commit_lgwr_s or 0.0), 0.0
    remote_ms = min(redo_standby_wait_ms or 0.0, commit - write)
    commits = redo_commit_waits or 0.0
    standby = min(commits * remote_ms / 1000, outside)
    if redo_lgwr_busy_pct is not None:
        each_ms = queued_ms(commit, write, redo_lgwr_busy_pct / 100)
        queued = min(commits * each_ms / 1000, outside - standby)
    queued, standby = (
        seconds if seconds * 100 >= waited * f.limit("redo.queue_pct") else 0.0
        for seconds in (queued, standby)
    )
    parts = {
        "the log write": redo_commit_storage_s,
        "LGWR's other work": redo_commit_lgwr_s,
        "the synchronous standby": standby,
        f"the queue for LGWR, which wrote {redo_lgwr_busy_pct or 0:.0f} % of the time": queued,
        "none of them" if queued or standby else "neither": outside - standby - queued,
    }
    shown = ", ".join(f"{seconds:,.0f} s is {name}" for name, seconds in parts.items() if seconds)
    why = f"Sessions waited {waited:,.0f} s at commit{f': {shown}' if shown else ''}."
    why += "" if 2 * standby > outside else f" {by_host}"
    switch_ms = redo_log_switch_wait_ms
    if switch_ms is not None and switch_ms > commit and f.scale.significant(redo_log_switch_wait_s):
        why += (
            " A commit during a log switch waits for its end; a wait for a log switch takes "
            f"{ms_words(switch_ms)} on average."
        )
    if redo_sync_p95_ms is not None and commit > redo_sync_p95_ms:
        why += (
            f" 95 % of commits end within {redo_sync_p95_ms:g} ms: a few long stalls raise the "
            "average."
        )
    lms = redo_gcs_flush_wait_s
    if lms is not None and f.scale.significant(lms) and host.waits_for_cpu(f.get, f.limit):
        why += (
            " LMS waits for LGWR before it ships a block, so this is a consequence: `gcs log flush "
            f"sync` {lms:,.0f} s (not counted here)."
        )
    named = first_of(
        (remote_ms * 100 >= commit * f.limit("redo.ack_pct"),
         f"{ms_words(remote_ms)} of it waiting for the synchronous standby"),
        (True, f"{commit / write:.1f} times the log write"),
    )  # fmt: skip
    return Diagnosis(
        f"A commit takes {ms_words(commit)}, {named}",
        weighed,
        f.impact(waited, "`log file sync`"),
        why,
        also=("redo.standby_wait_ms",) if standby else (),
        waits=redo_sync_count,
        related=("REDO003", "REDO006"),
    )


@rule("REDO003")
def lgwr_time_outside_write(
    f: Facts, redo_write_ms: float, redo_local_write_ms: float, redo_commit_lgwr_s: float,
    redo_standby_wait_s: float | None, redo_lgwr_worker_wait_s: float | None,
    redo_lgwr_copy_wait_s: float | None,
    *, redo_sync_wait_s: Gate, redo_write_count: float | None, redo_lgwr_outside_ms: float | None,
    redo_standby_wait_ms: float | None, host_idle_pct: float | None,
    slow: bool = of(slow_write, ends=bool), weighed: Weighed = of(commit_path, ends=unnoticed),
) -> Diagnosis | None:  # fmt: skip
    """LGWR spends most of its write time outside the local write."""
    counter, write, waited = redo_write_ms, redo_local_write_ms, redo_sync_wait_s
    if counter < write * f.limit("redo.outside_write_ratio"):
        return None
    if redo_commit_lgwr_s * 100 < waited * f.limit("redo.ack_pct"):
        return None
    # LGWR's other time, as far as events and the run queue explain it
    listed = {
        "waiting for a synchronous standby": redo_standby_wait_s,
        "LGWR worker coordination": redo_lgwr_worker_wait_s,
        "waiting for sessions that copy redo": redo_lgwr_copy_wait_s,
    }
    waits = sorted(((s, name) for name, s in listed.items() if round(s or 0)), reverse=True)
    shown = ", ".join(f"{seconds:,.0f} s is {name}" for seconds, name in waits)
    writes, ms = redo_write_count, redo_lgwr_outside_ms
    whole = f"{writes * ms / 1000:,.0f} s" if writes is not None and ms is not None else "time"
    idle = "" if host_idle_pct is None else f" ({plain(host_idle_pct, 3)} % of CPU was idle)"
    rest = f"Of this, up to {shown}; the rest" if shown else "No standby or worker is listed: this"
    rest += f" is LGWR CPU time, its work at log switches, or waiting for CPU{idle}."
    remote_ms = min(redo_standby_wait_ms or 0.0, counter - write)
    standby = f" and {ms_words(remote_ms)} waiting for the synchronous standby"
    return Diagnosis(
        f"LGWR takes {ms_words(counter)} per write, {ms_words(write)} of it in the write itself"
        + (standby if remote_ms * 100 >= counter * f.limit("redo.ack_pct") else ""),
        weighed,
        f.impact(waited, "`log file sync`"),
        f"{redo_commit_lgwr_s:,.0f} of the {waited:,.0f} s at commit are LGWR's time outside the "
        f"write. LGWR spent {whole} outside the local write. {rest}",
        waits=redo_write_count,
        related=("REDO002",),
    )


@rule("REDO013", needs=("redo.local_write_ms",))
def commit_waits_for_other_instances(
    f: Facts, redo_commit_ms: float, redo_local_write_ms: float,
    _redo_broadcast_ack_s: Shown, _redo_scn_ack_wait_s: Shown, redo_polling_pct: float | None,
    redo_sync_wait_s: Gate,
    *, redo_write_count: float | None, redo_sync_count: float | None,
    slow: bool = of(slow_write, ends=bool), acknowledged_s: float = of(acknowledgements_s),
    weighed: Weighed = of(commit_path, ends=unnoticed),
) -> Diagnosis | None:  # fmt: skip
    """Commits wait for other instances or poll; they do not wait for the redo log's disk."""
    commit, write, polling = redo_commit_ms, redo_local_write_ms, redo_polling_pct or 0.0
    ack = acknowledged_s * 1000 / redo_write_count if redo_write_count else 0.0
    polls = polling >= f.limit("redo.polling_pct") and commit >= write * f.limit("redo.sync_ratio")
    why = first_of(
        (ack * 100 >= commit * f.limit("redo.ack_pct"),
         f", {ms_words(min(ack, commit))} of it waiting for other instances to acknowledge it"),
        (polls, f"; {polling:.0f} % of commits poll LGWR"),
    )  # fmt: skip
    if not why:
        return None
    return Diagnosis(
        f"A commit takes {ms_words(commit)}{why}",
        weighed,
        f.impact(redo_sync_wait_s, "`log file sync`"),
        f"The log write takes {ms_words(write)}; faster redo storage would not shorten the rest.",
        waits=redo_sync_count,
        related=("REDO002", "REDO003"),
    )
