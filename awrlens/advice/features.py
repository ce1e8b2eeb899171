"""Whether FAST_START_MTTR_TARGET applies to a database: its release, role and edition.

Sources: Oracle9i Database Reference (FAST_START_MTTR_TARGET and ARCHIVE_LAG_TARGET are new in
9.0.1); Oracle Database Licensing Information (fast-start fault recovery is part of Enterprise
Edition).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping

    from awrlens.model import Fact

Feature = Literal[
    "mttr_target", "archive_lag_target", "self_tuned_checkpoints", "event_metrics",
    "pluggable_databases",
]  # fmt: skip

#: The release that introduced each feature.
_SINCE: Final[dict[Feature, int]] = {
    "mttr_target": 9,
    "archive_lag_target": 9,
    "self_tuned_checkpoints": 10,
    "event_metrics": 10,
    "pluggable_databases": 12,
}


def has(facts: Mapping[str, Fact], feature: Feature) -> bool | None:
    """Whether the report's release has a feature; None if the release is not in the report."""
    found = re.match(r"\d+", str(facts["database.release"].value or ""))
    return int(found.group()) >= _SINCE[feature] if found else None


def refused(facts: Mapping[str, Fact]) -> str:
    """Why FAST_START_MTTR_TARGET does not apply, in words; empty if it applies."""
    role = str(facts["database.role"].value or "")
    edition = str(facts["database.edition"].value or "")
    if has(facts, "mttr_target") is False:
        return (
            "FAST_START_MTTR_TARGET was introduced in Oracle9i. In this release, "
            "FAST_START_IO_TARGET (Enterprise Edition), DB_BLOCK_MAX_DIRTY_TARGET, "
            "LOG_CHECKPOINT_INTERVAL and LOG_CHECKPOINT_TIMEOUT limit recovery, in blocks and "
            "seconds of redo. Time a crash test, then lower them until recovery takes the desired "
            "time. After an upgrade, FAST_START_MTTR_TARGET replaces all of them."
        )
    if "STANDBY" in role.upper():
        return (
            f"This is a {role.lower()}. The apply lag determines how soon it can open, not "
            "FAST_START_MTTR_TARGET. Calculate the target from a report of the primary."
        )
    if edition.upper().startswith(("SE", "STD", "STANDARD")):
        return (
            "Fast-start fault recovery requires Enterprise Edition. In this edition, the size of "
            "the redo logs and LOG_CHECKPOINT_TIMEOUT limit recovery."
        )
    return ""
