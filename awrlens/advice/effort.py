"""Where each recommendation is carried out, and its risk: one line per recommendation.

Source: Oracle Database Reference (whether a parameter can be changed with ALTER SYSTEM) and
Administrator's Guide (redo logs, undo and temporary tablespaces); the risk is awrlens' judgement.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal

from awrlens.records import NamedTuple

if TYPE_CHECKING:
    from awrlens.model import Recommendation

Where = Literal["online", "restart", "storage", "host", "application"]
Risk = Literal["low", "medium", "high"]


class Effort(NamedTuple):
    """Where a change is made, and how risky it is."""

    where: Where
    risk: Risk


EFFORTS: Final[dict[str, Effort]] = {
    "enlarge-redo-logs": Effort("online", "low"),
    "remove-checkpoint-parameters": Effort("online", "low"),
    "set-mttr-target": Effort("online", "low"),
    "relax-mttr-target": Effort("online", "low"),
    "free-lgwr": Effort("host", "medium"),
    "free-processors": Effort("host", "medium"),
    "speed-up-acknowledgement": Effort("host", "medium"),
    "commit-less-often": Effort("application", "medium"),
    "repair-write-path": Effort("storage", "medium"),
    "relieve-log-device": Effort("storage", "medium"),
    "asynchronous-io": Effort("restart", "medium"),
    "relieve-dbwr": Effort("restart", "medium"),
    "isolate-undo": Effort("online", "low"),
    "size-files-up-front": Effort("online", "low"),
    "speed-up-flashback-logs": Effort("storage", "low"),
    "size-undo": Effort("online", "low"),
    "roll-back-less": Effort("application", "medium"),
    "more-undo-segments": Effort("online", "low"),
    "watch-parallel-rollback": Effort("online", "low"),
    "more-work-area-memory": Effort("online", "medium"),
    "size-work-areas": Effort("online", "medium"),
    "tune-spilling-statements": Effort("application", "medium"),
    "isolate-temp": Effort("online", "low"),
    "turn-checksums-on": Effort("online", "low"),
    "look-for-lost-writes": Effort("online", "medium"),
    "measure-block-checking": Effort("online", "medium"),
    "redo-storage": Effort("storage", "medium"),
    "temp-storage": Effort("storage", "medium"),
    "undo-storage": Effort("storage", "medium"),
    "hot-segments": Effort("storage", "medium"),
}  # fmt: skip


def rated(item: Recommendation) -> Recommendation:
    """A recommendation with its effort and risk; unchanged if there is nothing to do."""
    effort = EFFORTS.get(item.id)
    if effort is None or item.status not in ("apply", "tune-first"):
        return item
    return item._replace(effort=effort.where, risk=effort.risk)
