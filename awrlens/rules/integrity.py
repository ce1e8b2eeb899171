"""Integrity settings: undetected corruption, and checks with a significant cost.

Sources of the reasoning: Block Checking Overhead; Oracle Database Reference.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from awrlens.rules.base import Diagnosis, rule

if TYPE_CHECKING:
    from typing import Literal

    from awrlens.model import Fact
    from awrlens.rules.base import Facts, Some


@rule("INTG001", only=("integrity.db_block_checksum", ("OFF",)))
def no_block_checksums(f: Facts, integrity_db_block_checksum: Fact) -> Diagnosis | None:
    """Blocks are written without checksums."""
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


@rule("INTG002")
def block_checking_felt(
    f: Facts, integrity_db_block_checking: Literal["MEDIUM", "FULL"],
    integrity_checking_medium_pct: float, *, load_response_s: float,
) -> Diagnosis | None:  # fmt: skip
    """Logical block checking has a significant cost for this load."""
    setting, share = integrity_db_block_checking, integrity_checking_medium_pct
    if share < f.limit("integrity.felt_pct"):
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
    """A standby exists, but lost write detection is off."""
    if integrity_standby == "none":
        return None
    return Diagnosis(
        "Lost write detection is off (DB_LOST_WRITE_PROTECT is NONE), although a standby exists",
        "info",
        f.impact(None, "integrity, not waits"),
        "With it, reads are recorded in redo, and the standby detects a block that is too old.",
    )


@rule("INTG004")
def commits_without_wait(
    f: Facts, integrity_nowait_commit_pct: Some, integrity_replicat_commits_pct: float | None
) -> Diagnosis | None:
    """Most commits return before their redo is on disk."""
    if integrity_nowait_commit_pct < f.limit("integrity.nowait_pct"):
        return None
    replicat = integrity_replicat_commits_pct or 0.0
    if replicat >= f.limit("integrity.replicat_pct"):
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
