"""Integrity settings: undetected corruption, and checks with a significant cost.

Sources of the reasoning: Block Checking Overhead; Oracle Database Reference.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from awrlens.policy import Threshold
from awrlens.rules.base import Facts, rule

if TYPE_CHECKING:
    from awrlens.model import Finding

FELT_PCT: Final = Threshold(
    "integrity.felt_pct", 5.0, "%",
    "estimated share of DB time above which the cost of block checking is significant",
    "awrlens: the middle of Oracle's 1 to 10 %; Block Checking Overhead measured 18.3 % for its "
    "mix of SQL",
)  # fmt: skip

NOWAIT_PCT: Final = Threshold(
    "integrity.nowait_pct", 50.0, "%",
    "share of user commits with NOWAIT above which the waits at commit are those of the minority",
    "awrlens: the majority",
)  # fmt: skip

_CHECKED: Final = ("MEDIUM", "FULL")


@rule(
    "INTG001",
    "no-block-checksums",
    only=("integrity.db_block_checksum", ("OFF",)),
    needs=("integrity.db_block_checksum",),
    wants=("integrity.block_changes_per_s",),
)
def no_block_checksums(f: Facts) -> Finding | None:
    """Blocks are written without checksums.

    What it means:
        DB_BLOCK_CHECKSUM is off: if storage damages a block, a read does not detect it.
    Why it matters:
        The damage spreads into backups and standbys until only old ones are good.
    How it is computed:
        Initialization parameter DB_BLOCK_CHECKSUM as in the report; FALSE means OFF.
    Example:
        With `integrity.db_block_checksum` = "OFF": info, "Blocks are written without checksums
        (DB_BLOCK_CHECKSUM is off)".
    Threshold:
        The value OFF.
    What to do:
        Set it to TYPICAL, the default since 9i and Oracle's recommendation.
    How to verify:
        `SELECT value FROM v$parameter WHERE name = 'db_block_checksum'`; then RMAN VALIDATE checks
        the blocks that were written before.
    When it is wrong:
        If storage checks blocks end to end (Exadata, ASM with content checks), the risk is lower.
    Sources:
        Block Checking Overhead, "DB_BLOCK_CHECKSUM"; Oracle Database Reference, DB_BLOCK_CHECKSUM
        (1 to 2 % for TYPICAL).
    """
    checksum = f["integrity.db_block_checksum"]
    # a default is not a decision: 8i had no other
    if checksum.value != "OFF" or checksum.status != "measured":
        return None
    return f.finding(
        no_block_checksums,
        "Blocks are written without checksums (DB_BLOCK_CHECKSUM is off)",
        "info",
        f.impact(None, "integrity, not waits"),
        "Damage by storage is not detected when a block is read. Oracle states a cost of 1 to 2 % "
        "for TYPICAL.",
        "integrity.db_block_checksum",
    )


@rule(
    "INTG002",
    "block-checking-felt",
    only=("integrity.db_block_checking", ("MEDIUM", "FULL")),
    needs=("integrity.db_block_checking", "integrity.checking_medium_pct", "load.response_s"),
    wants=("integrity.insert_pct", "integrity.update_pct", "integrity.delete_pct",
           "integrity.cpu_pct", "integrity.block_changes_per_s"),
    thresholds=(FELT_PCT,),
)  # fmt: skip
def block_checking_felt(f: Facts) -> Finding | None:
    """Logical block checking has a significant cost for this load.

    What it means:
        DB_BLOCK_CHECKING is MEDIUM or FULL, and SQL that changes blocks is so large a part of the
        load that the checks probably have a significant cost.
    Why it matters:
        The checks detect corruption in memory; their cost should be known.
    How it is computed:
        Share of inserts, updates and deletes in the captured SQL × the additional time of each with
        MEDIUM in "Block Checking Overhead" (36.6, 42.5 and 43.3 %) × the share of CPU in DB time.
    Example:
        With `integrity.db_block_checking` = "FULL", `integrity.checking_medium_pct` = 12.0,
        `load.response_s` = 3600.0: info, "DB_BLOCK_CHECKING=FULL is likely to cost about 12 % of
        DB time".
    Threshold:
        integrity.felt_pct (5 % of DB time).
    What to do:
        Measure it: run the same load with MEDIUM and with OFF, and compare the two reports. LOW had
        no measurable cost in "Block Checking Overhead". Decide by the cost of a corruption.
    How to verify:
        DB CPU and DB time per transaction in two reports of the same load.
    When it is wrong:
        The mix is that of the captured SQL. FULL also checks indexes and costs more.
    Sources:
        Block Checking Overhead, table of results; Oracle Database Reference, DB_BLOCK_CHECKING (1
        to 10 %).
    """
    setting = f["integrity.db_block_checking"].value
    share = f.number("integrity.checking_medium_pct")
    if setting not in _CHECKED or share < f.limit(FELT_PCT):
        return None
    seconds = f.number("load.response_s") * share / 100
    return f.finding(
        block_checking_felt,
        f"DB_BLOCK_CHECKING={setting} is likely to cost about {share:.0f} % of DB time",
        "info",
        f.impact(seconds, 'measurements of "Block Checking Overhead" applied to this mix of SQL'),
        "Much of the load changes blocks, and every changed block is checked.",
        "integrity.db_block_checking",
        "integrity.checking_medium_pct",
        doubt="an estimate from measurements of another system",
    )


@rule(
    "INTG003",
    "lost-writes-unseen",
    only=("integrity.db_lost_write_protect", ("NONE",)),
    needs=("integrity.db_lost_write_protect", "integrity.standby"),
)
def lost_writes_unseen(f: Facts) -> Finding | None:
    """A standby exists, but lost write detection is off.

    What it means:
        A physical standby could compare block versions with the primary's, but
        DB_LOST_WRITE_PROTECT is NONE.
    Why it matters:
        If storage confirms a write and loses it, queries return wrong results; nothing else detects
        this.
    How it is computed:
        DB_LOST_WRITE_PROTECT as in the report, or the default of the release. An enabled
        LOG_ARCHIVE_DEST_n with SERVICE= shows a standby; FAL_SERVER alone does not.
    Example:
        With `integrity.db_lost_write_protect` = "NONE", `integrity.standby` = "log_archive_dest_2":
        info, "Lost write detection is off (DB_LOST_WRITE_PROTECT is NONE), although a standby
        exists".
    Threshold:
        The value NONE and a standby.
    What to do:
        Set it to TYPICAL on primary and standby (AUTO if the release has it: 19.26, 23ai).
    How to verify:
        `redo size for lost write detection` increases; the standby's alert log has no ORA-00752.
    When it is wrong:
        The destination may be a logical standby or another service.
    Sources:
        Oracle Database Reference, DB_LOST_WRITE_PROTECT; Block Checking Overhead for the cost of
        such checks.
    """
    if f["integrity.standby"].value == "none" or (
        f["integrity.db_lost_write_protect"].value != "NONE"
    ):
        return None
    return f.finding(
        lost_writes_unseen,
        "Lost write detection is off (DB_LOST_WRITE_PROTECT is NONE), although a standby exists",
        "info",
        f.impact(None, "integrity, not waits"),
        "With it, reads are recorded in redo, and the standby detects a block that is too old.",
        "integrity.standby",
        "integrity.db_lost_write_protect",
    )


@rule(
    "INTG004",
    "commits-without-wait",
    needs=("integrity.nowait_commit_pct",),
    some=("integrity.nowait_commit_pct",),
    thresholds=(NOWAIT_PCT,),
)
def commits_without_wait(f: Facts) -> Finding | None:
    """Most commits return before their redo is on disk.

    What it means:
        The application commits with NOWAIT, or COMMIT_WAIT or COMMIT_WRITE is set to it.
    Why it matters:
        A crash of the instance loses the last of these transactions, although their commits have
        returned. The waits at commit are only those of the other commits.
    How it is computed:
        Statistics `commit nowait performed` / `user commits`.
    Example:
        With `integrity.nowait_commit_pct` = 99.0: info, "99 % of commits do not wait for their
        redo (NOWAIT)".
    Threshold:
        integrity.nowait_pct (50 %).
    What to do:
        Check that the application can lose its last transactions. If not, let it commit with WAIT,
        and judge the redo storage by a report after the change.
    How to verify:
        `commit nowait performed` no longer rises, and `log file sync` has a wait for each commit.
    When it is wrong:
        The application repeats lost transactions by itself, or their loss does no harm. Replicat of
        Oracle GoldenGate commits with NOWAIT by default and repeats what its checkpoint lacks.
    Sources:
        Oracle Database Reference, COMMIT_WAIT and COMMIT_WRITE; Oracle Database SQL Language
        Reference, COMMIT; Oracle GoldenGate Parameter Reference, DBOPTIONS (DISABLECOMMITNOWAIT).
    """
    share = f.number("integrity.nowait_commit_pct")
    if share < f.limit(NOWAIT_PCT):
        return None
    return f.finding(
        commits_without_wait,
        f"{min(share, 100):.0f} % of commits do not wait for their redo (NOWAIT)",
        "info",
        f.impact(None, "integrity, not waits"),
        "A crash of the instance loses the last of them, although they have returned. `log file "
        "sync` has only the waits of the other commits.",
        "integrity.nowait_commit_pct",
    )
