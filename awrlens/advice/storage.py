"""Whether redo, temporary or undo tablespaces belong on low-latency storage, and what it saves.

The order is that of document 3's summary: first CPU and scheduling, then memory and segment
settings, then storage. "No benefit" is a full answer. Savings are upper bounds: seconds that
sessions wait now, less what a device of the given latency would still take (Amdahl's law).
"""

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

THRESHOLDS: Final = (
    DEVICE_WRITE_MS, DEVICE_READ_MS, WORTH_PCT, QUICK_MS, MEMORY_GAIN_PCT, OTHER_SHARE,
    ROLLBACKS_FIRST,
)  # fmt: skip


class StorageVerdict(NamedTuple):
    """One answer: status, the reason with its numbers, the most it could save, what it rests on."""

    status: Verdict
    reason: str
    saving: Impact
    findings: tuple[str, ...] = ()


class _Case:
    """Facts, findings and policy of one report, as the verdicts read them."""

    def __init__(
        self, facts: Mapping[str, Fact], findings: tuple[Finding, ...], policy: Policy
    ) -> None:
        self.facts = facts
        self.ids = {finding.id for finding in findings}
        self.policy = policy
        self.scale = Scale(facts, policy)

    def get(self, name: str) -> float | None:
        return self.facts[name].number

    def share(self, seconds: float) -> float:
        return self.scale.share(seconds) or 0.0

    def worth(self, seconds: float) -> bool:
        return self.scale.felt(seconds) and self.share(seconds) >= self.policy[WORTH_PCT]

    def lacking(self, *names: str) -> str:
        return "; ".join(f"{n}: {self.facts[n].note}" for n in names if self.get(n) is None)

    def of(self, *ids: str) -> tuple[str, ...]:
        return tuple(each for each in ids if each in self.ids)


def redo(
    facts: Mapping[str, Fact], findings: tuple[Finding, ...], policy: Policy
) -> StorageVerdict:
    """Redo logs: faster storage saves what the log write takes out of the commit waits."""
    case = _Case(facts, findings, policy)
    needs = ("redo.sync_wait_s", "redo.log_switch_wait_s", "load.response_s")
    latency = _write_latency(case)
    if latency is None or case.lacking(*needs):
        why = case.lacking(*needs) or case.lacking("redo.parallel_write_ms", "redo.write_ms")
        return StorageVerdict("need-data", f"Not decided: {why}.", _NO_SAVING)
    sync, switch = case.get("redo.sync_wait_s") or 0.0, case.get("redo.log_switch_wait_s") or 0.0
    buffer = case.get("redo.buffer_wait_s") or 0.0
    felt = sync + switch + buffer
    saved = _redo_saving(case, latency, sync)
    saving = case.scale.impact(
        saved,
        f"`log file sync`, less {policy[DEVICE_WRITE_MS]:g} ms instead of {latency:.4g} ms for "
        "each log write",
    )
    share = case.share(felt)
    if not case.worth(felt):
        return StorageVerdict(
            "no-benefit",
            f"A log write takes {latency:.4g} ms, but sessions waited only {share:.1f} % of DB "
            "time for redo: a slow thing that nobody waits for is not a problem.",
            saving,
        )
    if latency < policy[QUICK_MS] and not case.worth(saved):
        return StorageVerdict(
            "no-benefit",
            f"A log write takes {latency:.4g} ms already: the {felt:,.0f} s that sessions waited "
            f"for redo ({switch:,.0f} s of them log switches) are not the device.",
            saving,
        )
    if switch > felt * policy[OTHER_SHARE]:
        return StorageVerdict(
            "tune-first",
            f"{switch:,.0f} of {felt:,.0f} s of redo waits are log switches: size the logs and "
            f"the checkpoint first; then judge the log write of {latency:.4g} ms again.",
            saving,
            case.of("REDO001", "REDO004", "REDO007", "CKPT001"),
        )
    if "REDO002" in case.ids or "REDO003" in case.ids:
        return StorageVerdict(
            "tune-first",
            "Most of the commit wait is outside the log write: processors, LGWR's priority or a "
            f"standby come first. The log write itself takes {latency:.4g} ms.",
            saving,
            case.of("REDO002", "REDO003"),
        )
    if not case.worth(saved):
        return StorageVerdict(
            "no-benefit",
            f"A log write takes {latency:.4g} ms; a device of "
            f"{policy[DEVICE_WRITE_MS]:g} ms would save {_percent(saving)} of DB time at most.",
            saving,
        )
    return StorageVerdict(
        "apply",
        f"A log write takes {latency:.4g} ms and sessions wait for it; a device of "
        f"{policy[DEVICE_WRITE_MS]:g} ms would save up to {saved:,.0f} s "
        f"({_percent(saving)} of DB time).",
        saving,
        case.of("REDO001", "REDO006"),
    )


_NO_SAVING: Final = Impact(None, None, "not quantified")


def _write_latency(case: _Case) -> float | None:
    """The local log write: the event where printed, else LGWR's counter."""
    event = case.get("redo.parallel_write_ms")
    return event if event is not None else case.get("redo.write_ms")


def _redo_saving(case: _Case, latency: float, sync_s: float) -> float:
    """The part of the commit waits that a faster log write would end."""
    count = case.get("redo.sync_count")
    per_wait = max(0.0, latency - case.policy[DEVICE_WRITE_MS]) / 1000
    return sync_s if not count else min(sync_s, count * per_wait)


def _percent(saving: Impact) -> str:
    return "an unknown share" if saving.pct_db_time is None else f"{saving.pct_db_time:.1f} %"


def temp(
    facts: Mapping[str, Fact], findings: tuple[Finding, ...], policy: Policy
) -> StorageVerdict:
    """Temporary tablespaces: memory before storage."""
    case = _Case(facts, findings, policy)
    seconds = case.get("temp.direct_wait_s")
    if seconds is None or not case.scale.known:
        why = case.lacking("temp.direct_wait_s", "load.response_s")
        return StorageVerdict("need-data", f"Not decided: {why}.", _NO_SAVING)
    latency = case.get("temp.read_ms")
    device = policy[DEVICE_READ_MS]
    kept = 0.0 if not latency else min(1.0, device / latency)
    saved = seconds * (1 - kept)
    saving = case.scale.impact(saved, f"temporary direct path waits at {device:g} ms for each read")
    share = case.share(seconds)
    if not case.worth(seconds):
        return StorageVerdict(
            "no-benefit",
            f"Sessions waited {share:.1f} % of DB time for temporary I/O.",
            saving,
        )
    gain = case.get("pga.advisory_gain_pct")
    spills = (case.get("pga.multipass") or 0) > 0 or (case.get("pga.over_allocations") or 0) > 0
    if spills or (gain is not None and gain >= policy[MEMORY_GAIN_PCT]):
        more = f": the PGA advisory ends {gain:.0f} % of it" if gain is not None else ""
        return StorageVerdict(
            "tune-first",
            f"Sessions waited {share:.1f} % of DB time for temporary I/O; memory comes "
            f"first{more}.",
            saving,
            case.of("TEMP001", "TEMP002", "TEMP003"),
        )
    if gain is None and case.get("pga.multipass") is None:
        return StorageVerdict(
            "tune-first",
            f"Sessions waited {share:.1f} % of DB time for direct I/O, and the report does not "
            "say what more memory would do: set SORT_AREA_SIZE, HASH_AREA_SIZE and "
            "BITMAP_MERGE_AREA_SIZE first.",
            saving,
            case.of("TEMP001", "TEMP002"),
        )
    if latency is None:
        return StorageVerdict(
            "need-data",
            f"Sessions waited {share:.1f} % of DB time for temporary I/O, but its latency is not "
            f"known: {case.facts['temp.read_ms'].note}.",
            saving,
        )
    if not case.worth(saved):
        return StorageVerdict(
            "no-benefit", f"A temporary read takes {latency:.2g} ms already.", saving
        )
    return StorageVerdict(
        "apply",
        f"A temporary read takes {latency:.1f} ms, more memory would not end it, and a device of "
        f"{device:g} ms would save up to {saved:,.0f} s ({_percent(saving)} of DB time).",
        saving,
        case.of("TEMP001", "TEMP002"),
    )


def undo(
    facts: Mapping[str, Fact], findings: tuple[Finding, ...], policy: Policy
) -> StorageVerdict:
    """Undo tablespaces: what sessions wait for undo blocks, after rollbacks are seen to."""
    case = _Case(facts, findings, policy)
    buffer, read = case.get("undo.buffer_wait_s"), case.get("undo.read_wait_s")
    if (buffer is None and read is None) or not case.scale.known:
        why = case.lacking("undo.buffer_wait_s", "undo.read_wait_s", "load.response_s")
        return StorageVerdict("need-data", f"Not decided: {why}.", _NO_SAVING)
    seconds = (buffer or 0.0) + (read or 0.0)
    latency = case.get("undo.read_ms")
    device = policy[DEVICE_READ_MS]
    kept = 0.0 if not latency else min(1.0, device / latency)
    saved = (buffer or 0.0) + (read or 0.0) * (1 - kept)
    saving = case.scale.impact(
        saved, f"waits for undo buffers, and undo reads at {device:g} ms each"
    )
    share = case.share(seconds)
    written = case.get("undo.block_write_pct")
    much = "" if written is None else f" Undo is {written:.0f} % of the blocks written."
    if not case.worth(saved):
        return StorageVerdict(
            "no-benefit",
            f"Sessions waited {share:.1f} % of DB time for undo blocks.{much}",
            saving,
        )
    rollbacks = case.get("undo.rollbacks_per_1000_executes")
    if "UNDO002" in case.ids and rollbacks is not None and rollbacks >= policy[ROLLBACKS_FIRST]:
        return StorageVerdict(
            "tune-first",
            f"{rollbacks:.2f} rollbacks for every 1,000 executions make this undo: the "
            f"application comes first.{much}",
            saving,
            case.of("UNDO001", "UNDO002", "UNDO003"),
        )
    return StorageVerdict(
        "apply",
        f"Sessions waited {share:.1f} % of DB time for undo blocks; low-latency storage would "
        f"save up to {saved:,.0f} s.{much}",
        saving,
        case.of("UNDO001", "UNDO003"),
    )
