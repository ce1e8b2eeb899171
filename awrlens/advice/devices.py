"""Latencies of kinds of storage, and how long commits and other waits would be on them.

The figures are those of the vendor or the cited document for small I/O; measure your own storage.
Where a source says "below", the bound itself is used, so that savings are not overstated. An
operation takes the device's latency plus its size divided by the throughput. A wait shrinks or
grows in proportion to its operation. If the operation's time is not known, the wait is unchanged.

LGWR is a single server. A commit takes R ms, of which the write takes S. Commits that arrive while
LGWR is busy wait for the writes ahead of them: S·ρ/(1−ρ) ms on average (M/M/1; ρ is the share of
time that LGWR writes), and at most R − S. The rest, F, is CPU, posting, other instances and a
standby. A device that writes in S′ ms makes LGWR less busy, ρ′ = ρ·S′/S, and the queue shrinks in
proportion to the model's queue. If LGWR is busy, most of the wait is queue.

    q′ = q · S′·ρ′/(1−ρ′) / (S·ρ/(1−ρ))
    R′ = S′ + q′ + F
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from awrlens import errors
from awrlens.advice.queries import named
from awrlens.errors import UsageError
from awrlens.lazy import NamedTuple
from awrlens.oracle.write_path import BUSIEST, is_several_waits, queue_ms, queued_ms
from awrlens.policy import Policy, Threshold
from awrlens.units import parse_number, plain

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from awrlens.model import Fact


class Device(NamedTuple):
    """A kind of storage: ms for a small redo write and for a read of a few blocks, and MB/s.

    Writes to temporary and undo tablespaces take as long as a redo write, and undo reads as long as
    other reads, unless the source has figures of their own.
    """

    name: str
    title: str
    write_ms: float
    read_ms: float
    source: str
    mb_s: float = 1000.0
    temp_write_ms: float = 0.0
    undo_write_ms: float = 0.0
    undo_read_ms: float = 0.0

    @property
    def settings(self) -> dict[str, float]:
        """The thresholds that describe it."""
        return {threshold.name: getattr(self, name) for name, threshold in THRESHOLDS.items()}

    def to_dict(self) -> dict[str, str | float]:
        """Plain data: a latency for every kind of I/O."""
        return {
            "name": self.name, "title": self.title, "write_ms": self.write_ms,
            "read_ms": self.read_ms, "temp_write_ms": self.temp_write_ms or self.write_ms,
            "undo_read_ms": self.undo_read_ms or self.read_ms,
            "undo_write_ms": self.undo_write_ms or self.write_ms,
            "mb_s": self.mb_s, "source": self.source,
        }  # fmt: skip


class Speed(NamedTuple):
    """A device: ms of a small write and of a small read, and MB/s; None: size takes no time."""

    write_ms: float
    read_ms: float
    mb_s: float | None

    def write(self, size_bytes: float | None) -> float:
        """A write of this size, in ms; a small write if the size is not known."""
        return self.write_ms + self._size(size_bytes)

    def read(self, size_bytes: float | None) -> float:
        """A read of this size, in ms."""
        return self.read_ms + self._size(size_bytes)

    def _size(self, size_bytes: float | None) -> float:
        return (size_bytes or 0.0) * 1000 / (self.mb_s * 10**6) if self.mb_s else 0.0


def _device(name: str, text: str) -> Device:
    lines = (line.partition(": ") for line in text.split("\n"))
    fields = {key: value for key, colon, value in lines if colon}
    numbers = {key: float(value) for key, value in fields.items() if key not in ("title", "source")}
    return Device(name=name, title=fields["title"], source=fields["source"], **numbers)


_ALL: Final = tuple(_device(*entry) for entry in named("devices.txt").items())
#: Devices by name; the first is the default.
DEVICES: Final[Mapping[str, Device]] = {device.name: device for device in _ALL}
DEFAULT: Final = _ALL[0]

_LOW: Final = "on the low-latency device"
#: What describes the device in force, by its field of a device; 0: as another.
_ABOUT: Final = {
    "write_ms": f"time of a small redo write {_LOW} (see `awrlens devices`)",
    "read_ms": f"time of a small read {_LOW} (see `awrlens devices`)",
    "temp_write_ms": f"time of a small temporary write {_LOW}; 0: as device.write_ms",
    "undo_write_ms": f"time of a small undo write {_LOW}; 0: as device.write_ms",
    "undo_read_ms": f"time of a small undo read {_LOW}; 0: as device.read_ms",
    "mb_s": "throughput of the low-latency device, for the share of an operation's time due to its "
    "size",
}
THRESHOLDS: Final = {
    name: Threshold(
        f"device.{name}", number, "MB/s" if name == "mb_s" else "ms", meaning,
        DEFAULT.source if number else "the source of the device (see `awrlens devices`)",
    )
    for name, meaning in _ABOUT.items() for number in (getattr(DEFAULT, name),)
}  # fmt: skip


def speed(policy: Policy, segment: str) -> Speed:
    """The low-latency device in force, for redo, temp or undo."""

    def of(name: str) -> float:
        own = THRESHOLDS.get(f"{segment}_{name}")
        return (own and policy[own]) or policy[THRESHOLDS[name]]

    return Speed(of("write_ms"), of("read_ms"), policy[THRESHOLDS["mb_s"]])


def find(text: str) -> Device:
    """A device by its name or by latency: ``0.2ms`` for both, ``0.2ms/0.5ms`` write and read.

    Raises UsageError, with the nearest name, if it is neither.
    """
    device = DEVICES.get(text.strip().lower())
    if device is not None:
        return device
    parts = [parse_number(part, "ms") for part in text.split("/")]
    numbers = [part for part in parts if part is not None and part > 0]
    if numbers and len(numbers) == len(parts) <= 2:  # noqa: PLR2004 - write and read
        write, read = float(numbers[0]), float(numbers[-1])
        return Device("custom", f"a device of {text.strip()}", write, read, "as given")
    rest = "Use a name from `awrlens devices` or a latency such as 0.2ms."
    raise UsageError(f"Unknown device {text!r}.", hint=errors.hint(text, DEVICES, rest))


#: Above this share of busy time or this write time in ms, waits for the log buffer are waits for
#: LGWR's device.
BUFFER_BUSY, _BUFFER_WRITE_MS = 0.5, 10.0
#: Like redo.sync_ratio (3), of which the write and the queue for it are one part.
_MOSTLY: Final = 2


class Commits(NamedTuple):
    """The commits of a report; ``busy`` is the share of the interval that LGWR writes, 0 to 1."""

    waits: float
    commit_ms: float
    write_ms: float
    busy: float
    write_bytes: float
    buffer_wait_s: float
    #: Half of the writes end within this; None without a histogram, or if several waits are one.
    half_ms: float | None = None
    #: What the report shows of a commit besides the write: other instances acknowledge it.
    beside_ms: float = 0.0

    @property
    def queue_ms(self) -> float:
        """The part of a commit spent waiting for the writes ahead of its own."""
        return queued_ms(self.commit_ms - self.beside_ms, self.write_ms, self.busy)

    @property
    def rest_ms(self) -> float:
        """The part of a commit that does not depend on the redo log device."""
        return max(0.0, self.commit_ms - self.write_ms - self.queue_ms)

    @property
    def has_unknown_half(self) -> bool:
        """Whether the write and its average queue are less than half: at peaks, more is queue."""
        return self.rest_ms > self.write_ms + self.queue_ms

    @property
    def is_mostly_rest(self) -> bool:
        """Whether most of a commit is neither the write nor the queue for it."""
        return self.rest_ms > _MOSTLY * (self.write_ms + self.queue_ms)

    @property
    def is_mostly_rest_of_all(self) -> bool:
        """The same of all waits for LGWR: waits for the log buffer are waits for the write."""
        device_s = self.waits * (self.write_ms + self.queue_ms) / 1000 + self.buffer_wait_s
        return self.waits * self.rest_ms / 1000 > _MOSTLY * device_s


#: Commits are not said to be shorter: posting and CPU are not modelled. # awrlens: an assumption
_LEAST_MS: Final = 1.0


class CommitsThen(NamedTuple):
    """Commits on another device; below 0 is lost. ``overrun``: LGWR cannot keep up."""

    write_ms: float
    queue_ms: float
    commit_ms: float
    commit_saved_s: float
    buffer_saved_s: float
    overrun: bool

    def instead_of(self, now: Commits) -> str:
        """How long a commit takes then; what is not its average queue may be queue at peaks."""
        about = "at most" if now.has_unknown_half else "about"
        shown = _LEAST_MS if self.commit_ms < _LEAST_MS <= now.commit_ms / 2 else self.commit_ms
        return f"{about} {plain(shown, 3)} ms"

    @property
    def saved_s(self) -> float:
        """Seconds saved in commit waits and waits for the log buffer."""
        return self.commit_saved_s + self.buffer_saved_s


def commits(facts: Mapping[str, Fact]) -> Commits | None:
    """The commits of a report; None if it has no time of log writes or no number of waits."""
    write = facts["redo.local_write_ms"].number
    of_commits = facts["redo.commit_waits"].number, facts["redo.commit_ms"].number
    if not write or (facts["redo.sync_wait_s"].number and None in of_commits):
        return None
    several = is_several_waits(write, facts["redo.parallel_write_ms"].number)
    acknowledged_s, writes = (facts[f"redo.{e}"].number for e in ("broadcast_ack_s", "write_count"))
    return Commits(
        waits=of_commits[0] or 0.0,
        commit_ms=of_commits[1] or 0.0,
        write_ms=write,
        busy=min((facts["redo.lgwr_busy_pct"].number or 0.0) / 100, BUSIEST),
        write_bytes=facts["redo.bytes_per_write"].number or 0.0,
        buffer_wait_s=facts["redo.buffer_wait_s"].number or 0.0,
        half_ms=None if several else facts["redo.write_p50_ms"].number,
        beside_ms=(acknowledged_s or 0.0) * 1000 / writes if writes else 0.0,
    )


def with_write(now: Commits, write_ms: float) -> CommitsThen:
    """The same commits with log writes of another duration, shorter or longer."""
    factor = write_ms / now.write_ms
    busy = now.busy * factor
    if now.commit_ms < now.write_ms:  # commits wait only for a part of a write
        # and never for less than a whole write that is shorter
        queue, commit = 0.0, max(now.commit_ms * factor, min(write_ms, now.commit_ms))
    else:
        queue = queue_ms(write_ms, busy) if now.queue_ms else 0.0
        scale = now.queue_ms / own if (own := queue_ms(now.write_ms, now.busy)) else 0.0
        queue *= scale
        commit = write_ms + queue + now.rest_ms
    waits_for_device = now.busy >= BUFFER_BUSY or now.write_ms >= _BUFFER_WRITE_MS
    buffer = now.buffer_wait_s * (1 - factor) if waits_for_device else 0.0
    saved = now.waits * (now.commit_ms - commit) / 1000
    return CommitsThen(write_ms, queue, commit, saved, buffer, busy >= 1)


def redo(facts: Mapping[str, Fact], speed: Speed) -> CommitsThen | None:
    """Commits with log writes on the device; None if they are not in the report."""
    now = commits(facts)
    return None if now is None else with_write(now, speed.write(now.write_bytes))


class Part(NamedTuple):
    """Waits of one kind: seconds, the operation's time now (from which fact) and on the device.

    Sessions start some I/O before they wait for it. If the device takes longer than they wait now,
    ``ahead`` is compared: the time of the I/O itself in the file table (None: not known), and the
    device's latency.
    """

    waited_s: float
    operation: str
    fact: str
    now_ms: float | None
    device_ms: float
    ahead: tuple[float | None, float] | None = None
    #: Sessions contend for a buffer, whatever the device: the wait is too short for the operation.
    contention: bool = False

    @property
    def saved_s(self) -> float | None:
        """Seconds saved; lost if below 0; None if the operation's time is not known."""
        if self.contention:
            return 0.0
        if not self.now_ms:
            return None
        now_ms, device_ms = self.now_ms, self.device_ms
        if self.ahead is not None and device_ms > now_ms:
            io_ms, latency_ms = self.ahead
            if io_ms is None:
                return None
            now_ms = max(now_ms, io_ms)
            device_ms = max(now_ms, latency_ms)
        return self.waited_s * (1 - device_ms / now_ms)


def saved_s(parts: Iterable[Part]) -> float | None:
    """The known saving of some waits; None if no saving is known."""
    parts = tuple(parts)
    saved = [part.saved_s for part in parts if part.waited_s and part.saved_s is not None]
    if saved:
        return sum(saved)
    return None if any(part.waited_s or not part.now_ms for part in parts) else 0.0


def no_less_than_0(saved: float | None) -> float | None:
    """A saving, but 0 if the device would be slower: nobody would move to it."""
    return None if saved is None else max(0.0, saved)


def temp(facts: Mapping[str, Fact], waited_s: float, speed: Speed) -> tuple[Part, ...]:
    """Waits for reads and writes (separate since 10g); before 10g all count as reads.

    The wait time of sessions is preferred to the time of the I/O, because read-ahead overlaps. A
    device that takes longer than sessions wait costs time only if it is slower than the I/O.
    """
    reading_b, writing_b = (
        _first(facts, own, "temp.direct_b")[1]
        for own in ("temp.direct_read_b", "temp.direct_write_b")
    )
    reading = facts["temp.direct_read_wait_s"].number
    writing = facts["temp.direct_write_wait_s"].number
    reads = _first(facts, "temp.direct_read_ms", "temp.direct_ms", "temp.read_ms")
    writes = _first(facts, "temp.direct_write_ms", "temp.write_ms")
    to_read = facts["temp.read_ms"].number, speed.read_ms
    to_write = facts["temp.write_ms"].number, speed.write_ms
    if reading is None or writing is None:
        # the average of an event that has both is not that of a read
        operation = "wait" if reads[0] == "temp.direct_ms" else "read"
        device_ms = speed.read(facts["temp.direct_b"].number)
        return (Part(waited_s, operation, *reads, device_ms, to_read),)
    return (
        Part(reading, "read", *reads, speed.read(reading_b), to_read),
        Part(writing, "write", *writes, speed.write(writing_b), to_write),
    )


def undo(facts: Mapping[str, Fact], beside_s: float, speed: Speed) -> tuple[Part, ...]:
    """Undo reads, buffer waits, undo's share of DBWR waits, and reads on the same disks."""

    def get(name: str) -> float:
        return facts[name].number or 0.0

    block = facts["load.block_b"].number
    written = None if block is None else block * (facts["undo.blocks_per_write"].number or 1.0)
    dbwr_s = get("checkpoint.buffer_wait_s") * min(get("undo.block_write_pct"), 100.0) / 100
    writes = ("checkpoint.data_write_ms", "undo.write_ms")
    submits = ("checkpoint.async_submit_ms", *writes)
    # DBWR that waits longer to submit its writes than for their end is bound by throughput
    bound = get("checkpoint.async_submit_wait_s") > get("checkpoint.data_write_wait_s")
    bound = bound and get(submits[0]) > get(writes[0])
    wait_ms, write_ms = facts["undo.buffer_wait_ms"].number, _first(facts, *writes)[1]
    # a wait for a write that has begun takes half of it on average
    contention = wait_ms is not None and write_ms is not None and wait_ms < write_ms / 2
    return (
        Part(get("undo.read_wait_s"), "read", *_first(facts, "undo.read_ms"), speed.read(block)),
        *(
            Part(waited, "write", *_first(facts, *by, own), speed.write(written),
                 contention=contends)
            for waited, by, own, contends in (
                (get("undo.buffer_wait_s"), writes, "undo.buffer_wait_ms", contention),
                (dbwr_s, submits if bound else writes, "checkpoint.buffer_wait_ms", False),
                (beside_s, writes, "undo.neighbour_read_ms", False),
            )
        ),
    )  # fmt: skip


def _first(facts: Mapping[str, Fact], *names: str) -> tuple[str, float | None]:
    """The first fact that has a value above 0, else the last one and None."""
    return next(((n, facts[n].number) for n in names if facts[n].number), (names[-1], None))
