"""Whether a database has a recovery target at all: its release, role and edition.

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
    "mttr_target", "archive_lag_target", "self_tuned_checkpoints", "pluggable_databases"
]

#: The release that brought each.
_SINCE: Final[dict[Feature, int]] = {
    "mttr_target": 9,
    "archive_lag_target": 9,
    "self_tuned_checkpoints": 10,
    "pluggable_databases": 12,
}


def has(facts: Mapping[str, Fact], feature: Feature) -> bool | None:
    """Whether the report's release has a feature; None where the release is not printed."""
    found = re.match(r"\d+", str(facts["database.release"].value or ""))
    return int(found.group()) >= _SINCE[feature] if found else None


def refused(facts: Mapping[str, Fact]) -> str:
    """Why no recovery target applies, in words; empty where one does."""
    role = str(facts["database.role"].value or "")
    edition = str(facts["database.edition"].value or "")
    if has(facts, "mttr_target") is False:
        return (
            "FAST_START_MTTR_TARGET came with 9i. Here recovery is bounded by "
            "FAST_START_IO_TARGET (Enterprise Edition), DB_BLOCK_MAX_DIRTY_TARGET, "
            "LOG_CHECKPOINT_INTERVAL and LOG_CHECKPOINT_TIMEOUT, in blocks and seconds of redo: "
            "time a crash test, then lower them until it takes the desired time. An upgrade "
            "replaces them all by the one target."
        )
    if "STANDBY" in role.upper():
        return (
            f"This is a {role.lower()}: how soon it can open is told by the apply lag, not by "
            "FAST_START_MTTR_TARGET. Ask for the target in a report of the primary."
        )
    if edition.upper().startswith(("SE", "STD", "STANDARD")):
        return (
            "Fast-start fault recovery is part of Enterprise Edition; here the size of the logs "
            "and LOG_CHECKPOINT_TIMEOUT bound recovery."
        )
    return ""
