"""How long commits and other waits would be on another device, for verdicts and `whatif`.

An operation takes the device's latency plus its size divided by the throughput. A wait shrinks or
grows in proportion to its operation. If the operation's time is not known, the wait is unchanged.

LGWR is a single server. A commit takes R ms, of which the write takes S. Commits that arrive while
LGWR is busy wait for the writes ahead of them: S·ρ/(1−ρ) ms on average (M/M/1; ρ is the share of
time that LGWR writes), and at most R − S. The rest, F, is CPU, posting, other instances and a
standby. A device that writes in S′ ms makes LGWR less busy, ρ′ = ρ·S′/S, and the queue shrinks in
proportion to the model's queue:

    q′ = q · S′·ρ′/(1−ρ′) / (S·ρ/(1−ρ))
    R′ = S′ + q′ + F

A saving without the queue would not be an upper bound: if LGWR is busy, most of the wait is queue.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from awrlens.lgwr_queue import BUSIEST, queue_ms, queued_ms
from awrlens.records import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from awrlens.advice.devices import Speed
    from awrlens.model import Fact

#: Above this share of busy time, waits for the log buffer are waits for LGWR's device.
BUFFER_BUSY: Final = 0.5
#: The same above this write time, in ms.
BUFFER_WRITE_MS: Final = 10.0


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

    @property
    def queue_ms(self) -> float:
        """The part of a commit spent waiting for the writes ahead of its own."""
        return queued_ms(self.commit_ms, self.write_ms, self.busy)

    @property
    def rest_ms(self) -> float:
        """The part of a commit that does not depend on the redo log device."""
        return max(0.0, self.commit_ms - self.write_ms - self.queue_ms)

    @property
    def is_mostly_rest(self) -> bool:
        """Whether most of a commit is neither the write nor the queue for it."""
        return self.rest_ms > _MOSTLY * (self.write_ms + self.queue_ms)

    @property
    def is_mostly_rest_of_all(self) -> bool:
        """The same of all waits for LGWR: waits for the log buffer are waits for the write."""
        device_s = self.waits * (self.write_ms + self.queue_ms) / 1000 + self.buffer_wait_s
        return self.waits * self.rest_ms / 1000 > _MOSTLY * device_s


class CommitsThen(NamedTuple):
    """Commits on another device: the time of one commit, and the seconds saved in total.

    Negative seconds are lost. ``overrun``: LGWR could not keep up with the redo.
    """

    write_ms: float
    queue_ms: float
    commit_ms: float
    commit_saved_s: float
    buffer_saved_s: float
    overrun: bool

    @property
    def saved_s(self) -> float:
        """Seconds saved in commit waits and waits for the log buffer."""
        return self.commit_saved_s + self.buffer_saved_s


def commits(facts: Mapping[str, Fact]) -> Commits | None:
    """The commits of a report; None if it has no time of log writes or no number of waits."""
    write = facts["redo.local_write_ms"].number
    each = facts["redo.commit_waits"].number, facts["redo.commit_ms"].number
    if not write or (facts["redo.sync_wait_s"].number and None in each):
        return None
    return Commits(
        waits=each[0] or 0.0,
        commit_ms=each[1] or 0.0,
        write_ms=write,
        busy=min((facts["redo.lgwr_busy_pct"].number or 0.0) / 100, BUSIEST),
        write_bytes=facts["redo.bytes_per_write"].number or 0.0,
        buffer_wait_s=facts["redo.buffer_wait_s"].number or 0.0,
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
    waits_for_device = now.busy >= BUFFER_BUSY or now.write_ms >= BUFFER_WRITE_MS
    buffer = now.buffer_wait_s * (1 - factor) if waits_for_device else 0.0
    saved = now.waits * (now.commit_ms - commit) / 1000
    return CommitsThen(write_ms, queue, commit, saved, buffer, busy >= 1)


def redo(facts: Mapping[str, Fact], speed: Speed) -> CommitsThen | None:
    """Commits with log writes on the device; None if they are not in the report."""
    now = commits(facts)
    return None if now is None else with_write(now, speed.write(now.write_bytes))


class Ahead(NamedTuple):
    """The time of the I/O itself, of which sessions wait only for a part, and the device's latency.

    The time is that of the file table, as are the latencies of devices: None is not known.
    """

    now_ms: float | None
    device_ms: float


class Part(NamedTuple):
    """Waits of one kind: seconds, the operation's time now (from which fact) and on the device.

    ``ahead`` has the times that are compared if the device takes longer than sessions wait now,
    because they start the I/O before they wait for it.
    """

    waited_s: float
    operation: str
    fact: str
    now_ms: float | None
    device_ms: float
    ahead: Ahead | None = None
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
            if self.ahead.now_ms is None:
                return None
            now_ms = max(now_ms, self.ahead.now_ms)
            device_ms = max(now_ms, self.ahead.device_ms)
        return self.waited_s * (1 - device_ms / now_ms)


def saved_s(parts: Iterable[Part]) -> float | None:
    """The known saving of some waits; None if no saving is known."""
    parts = tuple(parts)
    known = [each.saved_s for each in parts if each.waited_s and each.saved_s is not None]
    if known:
        return sum(known)
    return None if any(each.waited_s or not each.now_ms for each in parts) else 0.0


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
    to_read = Ahead(facts["temp.read_ms"].number, speed.read_ms)
    to_write = Ahead(facts["temp.write_ms"].number, speed.write_ms)
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
    each, write_ms = facts["undo.buffer_wait_ms"].number, _first(facts, *writes)[1]
    # a wait for a write that has begun takes half of it on average
    contention = each is not None and write_ms is not None and each < write_ms / 2
    return (
        Part(get("undo.read_wait_s"), "read", *_first(facts, "undo.read_ms"), speed.read(block)),
        *(
            Part(
                waited,
                "write",
                *_first(facts, *writes, own),
                speed.write(written),
                contention=contends,
            )
            for waited, own, contends in (
                (get("undo.buffer_wait_s"), "undo.buffer_wait_ms", contention),
                (dbwr_s, "checkpoint.buffer_wait_ms", False),
                (beside_s, "undo.neighbour_read_ms", False),
            )
        ),
    )


def _first(facts: Mapping[str, Fact], *names: str) -> tuple[str, float | None]:
    """The first fact that has a value above 0, else the last one and None."""
    return next(((n, facts[n].number) for n in names if facts[n].number), (names[-1], None))
