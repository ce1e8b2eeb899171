"""The script of `awrlens sql` whose output `awrlens mttr --from` reads."""

from __future__ import annotations

from typing import Final

from awrlens.scripts import NOTHING, Script

SCRIPTS: Final = (
    Script(
        "recovery", "Oracle", "spool recovery estimates and settings",
        "SYS for X$ESTIMATED_MTTR, SELECT on V$ views for the rest", NOTHING,
        "awrlens mttr --from awrlens_recovery.lst --desired-mttr 120", "lab/recovery.sql",
        "9.0",
    ),
)  # fmt: skip
