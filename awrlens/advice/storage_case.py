"""Shared by all storage verdicts: thresholds, the verdict, and access to a report's facts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from awrlens.advice import devices
from awrlens.advice.device_time import Speed
from awrlens.model import SEVERITIES, Finding, Impact, Severity, Verdict, with_parts, worst
from awrlens.policy import Policy, Threshold
from awrlens.records import NamedTuple
from awrlens.units import plain
from awrlens.weigh import Scale

if TYPE_CHECKING:
    from collections.abc import Mapping

    from awrlens.model import Fact

DEVICE_WRITE_MS: Final = Threshold(
    "device.write_ms", devices.DEFAULT.write_ms, "ms",
    "time of a small redo write on the low-latency device (see `awrlens devices`)",
    devices.DEFAULT.source,
)  # fmt: skip
DEVICE_READ_MS: Final = Threshold(
    "device.read_ms", devices.DEFAULT.read_ms, "ms",
    "time of a small read on the low-latency device (see `awrlens devices`)",
    devices.DEFAULT.source,
)  # fmt: skip
_AS_PRINTED: Final = "the source of the device (see `awrlens devices`)"
DEVICE_TEMP_WRITE_MS: Final = Threshold(
    "device.temp_write_ms", 0.0, "ms",
    "time of a small temporary write on the low-latency device; 0: as device.write_ms",
    _AS_PRINTED,
)  # fmt: skip
DEVICE_UNDO_WRITE_MS: Final = Threshold(
    "device.undo_write_ms", 0.0, "ms",
    "time of a small undo write on the low-latency device; 0: as device.write_ms",
    _AS_PRINTED,
)  # fmt: skip
DEVICE_UNDO_READ_MS: Final = Threshold(
    "device.undo_read_ms", 0.0, "ms",
    "time of a small undo read on the low-latency device; 0: as device.read_ms",
    _AS_PRINTED,
)  # fmt: skip
DEVICE_MB_S: Final = Threshold(
    "device.mb_s", devices.DEFAULT.mb_s, "MB/s",
    "throughput of the low-latency device, for the share of an operation's time due to its size",
    devices.DEFAULT.source,
)  # fmt: skip
WORTH_PCT: Final = Threshold(
    "storage.worth_pct", 5.0, "%",
    "minimum saving in DB time for which a change of storage is worthwhile",
    "awrlens, with the usual rule of thumb for `log file sync`",
)  # fmt: skip
WORTH_SLOW_PCT: Final = Threshold(
    "storage.worth_slow_pct", 2.0, "%",
    "the same minimum if the operation is slow for its size",
    "awrlens",
)  # fmt: skip
WORTH_SESSIONS: Final = Threshold(
    "storage.worth_sessions", 0.1, "ratio",
    "average waiting sessions saved below which a change of storage is not worthwhile",
    "awrlens: six minutes in an hour",
)  # fmt: skip
FREED_SESSIONS: Final = Threshold(
    "storage.freed_sessions", 0.5, "ratio",
    "average waiting sessions saved above which a change of storage is worthwhile",
    "awrlens: half an hour in an hour",
)  # fmt: skip
QUICK_MS: Final = Threshold(
    "storage.quick_write_ms", 2.0, "ms",
    "a log write that takes less than this plus twice the device's latency is fast",
    "awrlens; Write Accelerator, figure 2, attributes waits at 1 ms per write to other causes than "
    "I/O",
)  # fmt: skip
QUICK_RATIO: Final = Threshold(
    "storage.quick_ratio", 1.5, "ratio",
    "present time of an operation over that of the device below which the device has no benefit",
    "awrlens",
)  # fmt: skip
MEMORY_GAIN_PCT: Final = Threshold(
    "storage.memory_gain_pct", 50.0, "%",
    "share of the temporary I/O that more PGA would avoid above which memory comes first",
    "Write Accelerator (`once you optimally tune ...`); awrlens: the majority",
)  # fmt: skip
OTHER_SHARE: Final = Threshold(
    "storage.other_cause_ratio", 0.5, "ratio",
    "share of the waits due to another cause above which that cause comes first",
    "awrlens: the majority",
)  # fmt: skip
ROLLBACKS_FIRST: Final = Threshold(
    "storage.rollbacks_per_1000_executes", 1.0, "ratio",
    "rollbacks per 1,000 executions above which the application comes first",
    "Write Accelerator (`look for about 1 rollback per 1000 insert executions`)",
)  # fmt: skip
IDLE_PCT: Final = Threshold(
    "storage.idle_pct", 10.0, "%",
    "idle CPU below which CPU comes before storage",
    "awrlens: LGWR and the sessions it posts wait for CPU",
)  # fmt: skip
RUN_QUEUE: Final = Threshold(
    "storage.run_queue_per_cpu", 2.0, "ratio",
    "run queue per CPU above which CPU comes before storage",
    "Write Accelerator (`what are the run queue numbers for the time period in question?`)",
)  # fmt: skip
CPU_WAIT_PCT: Final = Threshold(
    "storage.cpu_wait_pct", 50.0, "%",
    "OS_CPU_WAIT_TIME as a share of BUSY_TIME above which CPU comes before storage",
    "awrlens: one process waits for every two that run",
)  # fmt: skip
UNLIKELY_IDLE_PCT: Final = Threshold(
    "storage.unlikely_idle_pct", 50.0, "%",
    "idle CPU over the interval above which a long run queue or CPU wait is ignored",
    "awrlens: the majority; on Linux, the run queue includes disk waits",
)  # fmt: skip
THROUGHPUT_BYTES: Final = Threshold(
    "storage.throughput_bytes", 1_000_000.0, "B",
    "size of a redo write above which the device needs throughput rather than low latency",
    "Write Accelerator: LGWR writes when 1 MB is in the buffer; larger writes are bulk loads",
)  # fmt: skip
THROUGHPUT_BUSY: Final = Threshold(
    "storage.throughput_busy_ratio", 0.6, "ratio",
    "maximum share of a device's throughput for redo",
    "awrlens: headroom for peaks",
)  # fmt: skip

THRESHOLDS: Final = (
    DEVICE_WRITE_MS, DEVICE_READ_MS, DEVICE_TEMP_WRITE_MS, DEVICE_UNDO_WRITE_MS,
    DEVICE_UNDO_READ_MS, DEVICE_MB_S, WORTH_PCT, WORTH_SLOW_PCT, WORTH_SESSIONS,
    FREED_SESSIONS, QUICK_MS, QUICK_RATIO, MEMORY_GAIN_PCT, OTHER_SHARE, ROLLBACKS_FIRST, IDLE_PCT,
    RUN_QUEUE, CPU_WAIT_PCT, UNLIKELY_IDLE_PCT, THROUGHPUT_BYTES, THROUGHPUT_BUSY,
)  # fmt: skip


class StorageVerdict(NamedTuple):
    """One verdict: status, the reason with its numbers, the saving, and its findings."""

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
        self.severities: dict[str, Severity] = {
            each.id: each.severity for each in with_parts(findings)
        }
        self.policy = policy
        self.scale = Scale(facts, policy)

    def get(self, name: str) -> float | None:
        """The value of a fact, if there is one."""
        return self.facts[name].number

    def share(self, seconds: float) -> float:
        """Seconds as a percentage of DB time."""
        return self.scale.share(seconds) or 0.0

    def worst(self, *ids: str) -> Severity:
        """The highest severity among these rules; ``ok`` if none of them has a finding."""
        return worst([self.severities[each] for each in ids if each in self.severities])

    def at_least(self, severity: Severity, *ids: str) -> bool:
        """Whether one of these rules has a finding of this severity or worse."""
        return SEVERITIES.index(self.worst(*ids)) >= SEVERITIES.index(severity)

    def worth(self, saved_s: float, *, slow: bool) -> bool:
        """Whether a saving justifies a change of storage, by share or by waiting sessions."""
        sessions, share = self.scale.sessions(saved_s), self.share(saved_s)
        if sessions is not None and sessions >= self.policy[FREED_SESSIONS]:
            return True
        if sessions is not None and sessions < self.policy[WORTH_SESSIONS]:
            return False
        return share >= self.policy[WORTH_SLOW_PCT if slow else WORTH_PCT]

    def lacking(self, *names: str) -> str:
        """Why facts are missing; empty if none is."""
        return "; ".join(f"{n}: {self.facts[n].note}" for n in names if self.get(n) is None)

    def of(self, *ids: str) -> tuple[str, ...]:
        """The rules among these that have a finding."""
        return tuple(each for each in ids if self.severities.get(each, "ok") != "ok")

    @property
    def speed(self) -> Speed:
        """The low-latency device for redo."""
        return Speed(
            self.policy[DEVICE_WRITE_MS], self.policy[DEVICE_READ_MS], self.policy[DEVICE_MB_S]
        )

    @property
    def temp_speed(self) -> Speed:
        """The low-latency device for temporary tablespaces."""
        own = self.policy[DEVICE_TEMP_WRITE_MS]
        return self.speed._replace(write_ms=own) if own else self.speed

    @property
    def undo_speed(self) -> Speed:
        """The low-latency device for undo tablespaces."""
        write, read, redo = (
            self.policy[DEVICE_UNDO_WRITE_MS], self.policy[DEVICE_UNDO_READ_MS], self.speed
        )  # fmt: skip
        return redo._replace(write_ms=write or redo.write_ms, read_ms=read or redo.read_ms)

    @property
    def complete(self) -> bool:
        """Whether the interval's length is known, so that waits convert to average sessions."""
        return self.scale.session_s is not None

    @property
    def untimed(self) -> str:
        """Why the report's times are not reliable; empty if they are."""
        if self.scale.timed:
            return ""
        return f"timed statistics cover only {self.get('load.timed_pct'):.0f} % of the interval"

    def starved(self) -> str:
        """The evidence that processes wait for CPU; empty without any."""
        idle = self.get("host.idle_pct")
        if idle is not None and idle < self.policy[IDLE_PCT]:
            return f"only {idle:.0f} % of CPU was idle"
        if idle is not None and idle >= self.policy[UNLIKELY_IDLE_PCT]:
            return ""
        loads = [self.get("host.load_per_cpu_begin"), self.get("host.load_per_cpu_end")]
        load = max((each for each in loads if each is not None), default=0.0)
        if load > self.policy[RUN_QUEUE]:
            return f"the run queue is {load:.1f} per CPU"
        waited = self.get("host.cpu_wait_pct") or 0.0
        if waited > self.policy[CPU_WAIT_PCT]:
            return f"the wait for CPU is {waited:.0f} % of the busy CPU time"
        return ""


NO_SAVING: Final = Impact(None, None, "not quantified")


def saves(saving: Impact) -> str:
    """A saving in words: seconds, share of DB time and average sessions, as far as known."""
    parts = [] if saving.seconds is None else [f"{saving.seconds:,.0f} s"]
    if saving.pct_db_time is not None:
        parts.append(f"{saving.pct_db_time:.1f} % of DB time")
    if saving.sessions is not None:
        parts.append(f"{plain(saving.sessions, 2)} average active sessions")
    return ", ".join(parts) or "an unknown amount of time"
