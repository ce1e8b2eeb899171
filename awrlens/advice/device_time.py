"""How long waits would be on another device: one model for verdicts, `devices` and `whatif`.

An operation takes the device's latency plus its size divided by the throughput. A wait shrinks or
grows in proportion to its operation. If the operation's time is not known, the wait is unchanged.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from awrlens.advice.commit_model import Outcome, commits, with_write
from awrlens.records import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from awrlens.advice.devices import Speed
    from awrlens.model import Fact


class Part(NamedTuple):
    """Waits of one kind: seconds, the operation's time now (from which fact) and on the device."""

    waited_s: float
    operation: str
    fact: str
    now_ms: float | None
    device_ms: float

    @property
    def saved_s(self) -> float | None:
        """Seconds saved; lost if below 0; None if the operation's time is not known."""
        return self.waited_s * (1 - self.device_ms / self.now_ms) if self.now_ms else None


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


def redo(facts: Mapping[str, Fact], speed: Speed) -> Outcome | None:
    """Commits with log writes on the device; None if they are not in the report."""
    now = commits(facts)
    return None if now is None else with_write(now, speed.write(now.write_bytes))


def temp(facts: Mapping[str, Fact], waited_s: float, speed: Speed) -> tuple[Part, ...]:
    """Waits for reads and writes (separate since 10g); before 10g all count as reads.

    The wait time of sessions is preferred to the device's time, because read-ahead overlaps.
    """
    size = facts["temp.direct_b"].number
    reading = facts["temp.direct_read_wait_s"].number
    writing = facts["temp.direct_write_wait_s"].number
    reads = _first(facts, "temp.direct_read_ms", "temp.direct_ms", "temp.read_ms")
    writes = _first(facts, "temp.direct_write_ms", "temp.write_ms")
    if reading is None or writing is None:
        return (Part(waited_s, "read", *reads, speed.read(size)),)
    return (
        Part(reading, "read", *reads, speed.read(size)),
        Part(writing, "write", *writes, speed.write(size)),
    )


def undo(facts: Mapping[str, Fact], beside_s: float, speed: Speed) -> tuple[Part, ...]:
    """Undo reads, buffer waits, undo's share of DBWR waits, and reads on the same disks."""

    def get(name: str) -> float:
        return facts[name].number or 0.0

    block = facts["load.block_b"].number
    written = None if block is None else block * (facts["undo.blocks_per_write"].number or 1.0)
    dbwr_s = get("checkpoint.buffer_wait_s") * min(get("undo.block_write_pct"), 100.0) / 100
    writes = ("checkpoint.data_write_ms", "undo.write_ms")
    return (
        Part(get("undo.read_wait_s"), "read", *_first(facts, "undo.read_ms"), speed.read(block)),
        *(
            Part(waited, "write", *_first(facts, *writes, *own), speed.write(written))
            for waited, own in (
                (get("undo.buffer_wait_s"), ("undo.buffer_wait_ms",)),
                (dbwr_s, ("checkpoint.buffer_wait_ms",)),
                (beside_s, ("undo.neighbour_read_ms",)),
            )
        ),
    )


def _first(facts: Mapping[str, Fact], *names: str) -> tuple[str, float | None]:
    """The first fact that has a value above 0, else the last one and None."""
    return next(((n, facts[n].number) for n in names if facts[n].number), (names[-1], None))
