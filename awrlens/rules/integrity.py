"""Integrity settings: corruption that would go unseen, and checks whose price is felt.

Source of the reasoning: document 4 and Oracle Database Reference.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from awrlens.policy import Threshold
from awrlens.rules.base import Facts, rule

if TYPE_CHECKING:
    from awrlens.model import Finding

FELT_PCT: Final = Threshold(
    "integrity.felt_pct", 5.0, "%",
    "estimated share of DB time from which block checking is worth a second look",
    "awrlens: the middle of Oracle's 1 to 10 %; document 4 measured 18.3 % for its mix",
)  # fmt: skip

THRESHOLDS: Final = (FELT_PCT,)

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

    What it tells you:
        DB_BLOCK_CHECKSUM is off: a block that the storage damages is not noticed when it is read.
    Why it matters:
        Damage spreads into backups and standbys until only old ones are good.
    How it is computed:
        Initialization parameter DB_BLOCK_CHECKSUM as printed; FALSE means OFF.
    Example:
        With `integrity.db_block_checksum` = "OFF": info, "Blocks are written without checksums
        (DB_BLOCK_CHECKSUM is off)".
    Threshold:
        The value OFF.
    What to do:
        Set it to TYPICAL, which is the default since 9i and what Oracle recommends.
    How to verify:
        `SELECT value FROM v$parameter WHERE name = 'db_block_checksum'`; then RMAN VALIDATE finds
        blocks that were written before.
    When it is wrong:
        Where storage checks blocks end to end (Exadata, ASM with content checks) less is at risk.
    Sources:
        document 4, "DB_BLOCK_CHECKSUM"; Oracle Database Reference, DB_BLOCK_CHECKSUM (1 to 2 %
        for TYPICAL).
    """
    checksum = f["integrity.db_block_checksum"]
    # a default is no decision: 8i had no other
    if checksum.value != "OFF" or checksum.status != "measured":
        return None
    return f.finding(
        no_block_checksums,
        "Blocks are written without checksums (DB_BLOCK_CHECKSUM is off)",
        "info",
        f.impact(None, "integrity, not waits"),
        "Blocks that storage damages are not noticed; TYPICAL costs 1 to 2 % by Oracle's word.",
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
    """Logical block checking costs this load noticeably.

    What it tells you:
        DB_BLOCK_CHECKING is MEDIUM or FULL, and the statements that change blocks are so large a
        part of the load that the checks are likely to be felt.
    Why it matters:
        It is a price that is paid on purpose, for corruption that is caught in memory; it should
        be known.
    How it is computed:
        Share of inserts, updates and deletes in the captured SQL × how much longer each took with
        MEDIUM in document 4 (36.6, 42.5 and 43.3 %) × the share of CPU in DB time.
    Example:
        With `integrity.db_block_checking` = "FULL", `integrity.checking_medium_pct` = 12.0,
        `load.response_s` = 3600.0: info, "DB_BLOCK_CHECKING=FULL is likely to cost about 12 % of
        DB time".
    Threshold:
        integrity.felt_pct (5 % of DB time).
    What to do:
        Measure it: the same load with MEDIUM and with OFF, two reports side by side. LOW cost
        nothing in document 4. Decide by what corruption would cost.
    How to verify:
        DB CPU and DB time for each transaction in two reports of the same load.
    When it is wrong:
        The mix is that of the captured statements; FULL checks indexes too and costs more.
    Sources:
        document 4, table of results; Oracle Database Reference, DB_BLOCK_CHECKING (1 to 10 %).
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
        f.impact(seconds, "document 4's measurements carried over to this mix of statements"),
        "Much of the load changes blocks, and each changed block is checked.",
        "integrity.db_block_checking",
        "integrity.checking_medium_pct",
        doubt="an estimate by another system's measurements",
    )


@rule(
    "INTG003",
    "lost-writes-unseen",
    only=("integrity.db_lost_write_protect", ("NONE",)),
    needs=("integrity.db_lost_write_protect", "integrity.standby"),
)
def lost_writes_unseen(f: Facts) -> Finding | None:
    """A standby is there, and lost writes are not looked for.

    What it tells you:
        A physical standby could compare block versions with the primary's, but
        DB_LOST_WRITE_PROTECT is NONE.
    Why it matters:
        A write that the storage confirmed and lost makes wrong results, which nothing else finds.
    How it is computed:
        DB_LOST_WRITE_PROTECT as printed, or the release's default; an enabled
        LOG_ARCHIVE_DEST_n with SERVICE= shows a standby. FAL_SERVER alone does not.
    Example:
        With `integrity.db_lost_write_protect` = "NONE", `integrity.standby` =
        "log_archive_dest_2": info, "A standby is there, and lost writes are not looked for
        (DB_LOST_WRITE_PROTECT is NONE)".
    Threshold:
        The value NONE together with a standby.
    What to do:
        Set it to TYPICAL on primary and standby (AUTO where the release has it: 19.26, 23ai).
    How to verify:
        `redo size for lost write detection` counts; the standby's alert log has no ORA-00752.
    When it is wrong:
        A logical standby or another service at the end of the destination.
    Sources:
        Oracle Database Reference, DB_LOST_WRITE_PROTECT; document 4 for the kind of trade.
    """
    if f["integrity.standby"].value == "none" or (
        f["integrity.db_lost_write_protect"].value != "NONE"
    ):
        return None
    return f.finding(
        lost_writes_unseen,
        "A standby is there, and lost writes are not looked for (DB_LOST_WRITE_PROTECT is NONE)",
        "info",
        f.impact(None, "integrity, not waits"),
        "Reads are then logged, so that the standby notices a block that is older than it was.",
        "integrity.standby",
        "integrity.db_lost_write_protect",
    )
