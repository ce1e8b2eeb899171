"""What all storage verdicts share: thresholds, the answer, and a report as they read it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from awrlens.advice import devices
from awrlens.model import Finding, Impact, Verdict
from awrlens.policy import Policy, Threshold
from awrlens.weigh import Scale

if TYPE_CHECKING:
    from collections.abc import Mapping

    from awrlens.model import Fact

DEVICE_WRITE_MS: Final = Threshold(
    "device.write_ms", devices.DEFAULT.write_ms, "ms",
    "time of a redo write on the low-latency device (see `awrlens devices`)",
    devices.DEFAULT.source,
)  # fmt: skip
DEVICE_READ_MS: Final = Threshold(
    "device.read_ms", devices.DEFAULT.read_ms, "ms",
    "time of a read on the low-latency device (see `awrlens devices`)",
    devices.DEFAULT.source,
)  # fmt: skip
WORTH_PCT: Final = Threshold(
    "storage.worth_pct", 2.0, "%",
    "saving in DB time below which storage is not worth the change",
    "awrlens",
)  # fmt: skip
QUICK_MS: Final = Threshold(
    "storage.quick_write_ms", 1.0, "ms",
    "a log write below which the device cannot be the trouble",
    "document 3, figure 2 (1 ms per write indicates other, non-I/O operations)",
)  # fmt: skip
MEMORY_GAIN_PCT: Final = Threshold(
    "storage.memory_gain_pct", 50.0, "%",
    "share of the work areas' disk I/O that more PGA would end, from which memory comes first",
    "document 3 (`once you optimally tune ...`); awrlens: the majority",
)  # fmt: skip
OTHER_SHARE: Final = Threshold(
    "storage.other_cause_ratio", 0.5, "ratio",
    "share of the felt redo waits that log switches make, from which logs come first",
    "awrlens: the majority",
)  # fmt: skip
ROLLBACKS_FIRST: Final = Threshold(
    "storage.rollbacks_per_1000_executes", 1.0, "ratio",
    "rollbacks for every thousand executions from which the application comes first",
    "document 3 (`look for about 1 rollback per 1000 insert executions`)",
)  # fmt: skip

LGWR_BUSY_PCT: Final = Threshold(
    "storage.lgwr_busy_pct", 50.0, "%",
    "share of the time that LGWR is writing from which waits for the log buffer are waits for the "
    "log device",
    "awrlens: the majority; an idle LGWR with a full buffer is a buffer that is too small",
)  # fmt: skip

THRESHOLDS: Final = (
    DEVICE_WRITE_MS, DEVICE_READ_MS, WORTH_PCT, QUICK_MS, MEMORY_GAIN_PCT, OTHER_SHARE,
    ROLLBACKS_FIRST, LGWR_BUSY_PCT,
)  # fmt: skip


class StorageVerdict(NamedTuple):
    """One answer: status, the reason with its numbers, the most it could save, what it rests on."""

    status: Verdict
    reason: str
    saving: Impact
    findings: tuple[str, ...] = ()


class Case:
    """Facts, findings and policy of one report, as the verdicts read them."""

    def __init__(
        self, facts: Mapping[str, Fact], findings: tuple[Finding, ...], policy: Policy
    ) -> None:
        self.facts = facts
        self.ids = {finding.id for finding in findings}
        self.policy = policy
        self.scale = Scale(facts, policy)

    def get(self, name: str) -> float | None:
        """The value of a fact, if there is one."""
        return self.facts[name].number

    def share(self, seconds: float) -> float:
        """Seconds in per cent of DB time."""
        return self.scale.share(seconds) or 0.0

    def worth(self, seconds: float) -> bool:
        """Whether seconds are felt, and a share that is worth a change."""
        return self.scale.felt(seconds) and self.share(seconds) >= self.policy[WORTH_PCT]

    def lacking(self, *names: str) -> str:
        """Why some facts are not there; empty where all are."""
        return "; ".join(f"{n}: {self.facts[n].note}" for n in names if self.get(n) is None)

    def of(self, *ids: str) -> tuple[str, ...]:
        """Those of some rules that found something."""
        return tuple(each for each in ids if each in self.ids)


NO_SAVING: Final = Impact(None, None, "not quantified")


def percent(saving: Impact) -> str:
    """The share of a saving in words."""
    return "an unknown share" if saving.pct_db_time is None else f"{saving.pct_db_time:.1f} %"


def ended(device_ms: float, now_ms: float) -> float:
    """Share of a wait that a device of another latency ends."""
    return max(0.0, 1 - device_ms / now_ms)
