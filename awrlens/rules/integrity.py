"""Integrity settings: undetected corruption, and checks with a significant cost.

Sources of the reasoning: Block Checking Overhead; Oracle Database Reference.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from awrlens.policy import Threshold
from awrlens.rules.base import Diagnosis, rule

if TYPE_CHECKING:
    from typing import Literal

    from awrlens.model import Fact
    from awrlens.rules.base import Facts, Some

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


@rule("INTG001", only=("integrity.db_block_checksum", ("OFF",)))
def no_block_checksums(f: Facts, integrity_db_block_checksum: Fact) -> Diagnosis | None:
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
    # a default is not a decision: 8i had no other
    checksum = integrity_db_block_checksum
    if checksum.value != "OFF" or checksum.status != "measured":
        return None
    return Diagnosis(
        "Blocks are written without checksums (DB_BLOCK_CHECKSUM is off)",
        "info",
        f.impact(None, "integrity, not waits"),
        "Damage by storage is not detected when a block is read. Oracle states a cost of 1 to 2 % "
        "for TYPICAL.",
    )


@rule("INTG002", thresholds=(FELT_PCT,))
def block_checking_felt(
    f: Facts, integrity_db_block_checking: Literal["MEDIUM", "FULL"],
    integrity_checking_medium_pct: float, *, load_response_s: float,
) -> Diagnosis | None:  # fmt: skip
    """Logical block checking has a significant cost for this load.

    What it means:
        DB_BLOCK_CHECKING is MEDIUM or FULL, and SQL that changes blocks is so large a part of the
        load that the checks probably have a significant cost.
    Why it matters:
        The checks detect corruption in memory; their cost should be known.
    How it is computed:
        CPU time of inserts, updates and deletes in the captured SQL × the additional time of each
        with MEDIUM in "Block Checking Overhead" (36.6, 42.5 and 43.3 %) / DB time.
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
        Only captured SQL counts. FULL also checks indexes and costs more.
    Sources:
        Block Checking Overhead, table of results; Oracle Database Reference, DB_BLOCK_CHECKING (1
        to 10 %).
    """
    setting, share = integrity_db_block_checking, integrity_checking_medium_pct
    if share < f.limit(FELT_PCT):
        return None
    basis = 'measurements of "Block Checking Overhead" applied to the CPU time of this SQL'
    return Diagnosis(
        f"DB_BLOCK_CHECKING={setting} is likely to cost about {share:.0f} % of DB time",
        "info",
        f.impact(load_response_s * share / 100, basis),
        "Much of the load changes blocks, and every changed block is checked.",
        doubt="an estimate from measurements of another system",
    )


@rule("INTG003", needs=("integrity.db_lost_write_protect",))
def lost_writes_unseen(
    f: Facts, integrity_standby: str, _integrity_db_lost_write_protect: Literal["NONE"]
) -> Diagnosis | None:
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
    if integrity_standby == "none":
        return None
    return Diagnosis(
        "Lost write detection is off (DB_LOST_WRITE_PROTECT is NONE), although a standby exists",
        "info",
        f.impact(None, "integrity, not waits"),
        "With it, reads are recorded in redo, and the standby detects a block that is too old.",
    )


REPLICAT_PCT: Final = Threshold(
    "integrity.replicat_pct", 80.0, "%",
    "share of Replicat's transactions in commits with NOWAIT from which these are its own",
    "awrlens: four fifths; Oracle GoldenGate Parameter Reference, DBOPTIONS "
    "(DISABLECOMMITNOWAIT)",
)  # fmt: skip


@rule("INTG004", thresholds=(NOWAIT_PCT, REPLICAT_PCT))
def commits_without_wait(
    f: Facts, integrity_nowait_commit_pct: Some, integrity_replicat_commits_pct: float | None
) -> Diagnosis | None:
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
        integrity.nowait_pct (50 %). From integrity.replicat_pct (80 %) of these commits on, they
        are those of Replicat, and there is nothing to do.
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
    if integrity_nowait_commit_pct < f.limit(NOWAIT_PCT):
        return None
    replicat = integrity_replicat_commits_pct or 0.0
    if replicat >= f.limit(REPLICAT_PCT):
        return Diagnosis(
            f"{min(replicat, 100):.0f} % of the commits with NOWAIT are those of Replicat",
            "ok",
            f.impact(None, "integrity, not waits"),
            "After a crash, GoldenGate repeats the transactions that are lost. `log file sync` has "
            "only the waits of the other commits.",
        )
    return Diagnosis(
        f"{min(integrity_nowait_commit_pct, 100):.0f} % of commits do not wait for their redo "
        "(NOWAIT)",
        "info",
        f.impact(None, "integrity, not waits"),
        "A crash of the instance loses the last of them, although they have returned. `log file "
        "sync` has only the waits of the other commits.",
    )
