"""Facts on the writes of checkpoints: amounts, rates, latency and limits."""

from __future__ import annotations

from typing import TYPE_CHECKING

from awrlens.facts.formula import Figure, Missing, derive, measured
from awrlens.sqlserver.fact_input import evidence, fact, sum_of

if TYPE_CHECKING:
    from awrlens.model import Fact
    from awrlens.sqlserver.fact_input import Seen


@fact("sqlserver.buffers", "count", kind="total", better="neither")
def buffers(s: Seen) -> Fact:
    """Buffers of 8 KB that checkpoints wrote."""
    return measured(sum_of(s, "bufs"))


@fact("sqlserver.writes", "count", kind="total", better="neither")
def writes(s: Seen) -> Fact:
    """Writes of checkpoints."""
    return measured(sum_of(s, "writes"))


@fact("sqlserver.buffers_per_write", "ratio", kind="level", better="neither")
def buffers_per_write(s: Seen) -> Fact:
    """Buffers per write; low if dirty pages are scattered."""
    return derive("bufs / writes", bufs=sum_of(s, "bufs"), writes=sum_of(s, "writes"))


@fact("sqlserver.writes_per_s", "1/s", kind="rate", better="neither")
def writes_per_s(s: Seen) -> Fact:
    """Writes per second of checkpoint time."""
    return derive("writes / (ms / 1000)", writes=sum_of(s, "writes"), ms=sum_of(s, "ms"))


@fact("sqlserver.mb_per_s", "MB/s", kind="rate", better="neither")
def mb_per_s(s: Seen) -> Fact:
    """Megabytes per second of checkpoint time, calculated from the number of buffers."""
    return derive("bufs * 8 / 1024 / (ms / 1000)", bufs=sum_of(s, "bufs"), ms=sum_of(s, "ms"))


@fact("sqlserver.avoided_buffers", "count", kind="total", better="neither")
def avoided_buffers(s: Seen) -> Fact:
    """Buffers that became dirty during the checkpoint and were not written."""
    return measured(sum_of(s, "avoided"))


@fact("sqlserver.saturations_per_write", "ratio", kind="level", better="lower")
def saturations_per_write(s: Seen) -> Fact:
    """How often per write the target of outstanding writes was reached, outside snapshots."""
    own = tuple(each for each in s.unfrozen if "saturation" in each.numbers)
    return derive("reached / writes", reached=sum_of(s, "saturation", own),
                  writes=sum_of(s, "writes", own))  # fmt: skip


@fact("sqlserver.last_target_outstanding", "count", kind="level", better="neither")
def last_target(s: Seen) -> Fact:
    """The lowest last target of outstanding writes, outside snapshots."""
    having = [each for each in s.unfrozen if "target" in each.numbers]
    if not having:
        found = sum_of(s, "target", tuple(having))
        return measured(found)
    one = min(having, key=lambda each: each.numbers["target"].value)
    return measured(Figure(one.numbers["target"].value, "writes", (evidence(one, "target"),)))


@fact("sqlserver.write_latency_ms", "ms", kind="level", better="lower")
def write_latency_ms(s: Seen) -> Fact:
    """Logged latency of checkpoint writes outside snapshots, weighted by writes."""
    own = tuple(each for each in s.unfrozen if "latency" in each.numbers)
    amount = sum_of(s, "latency", own)
    count = sum_of(s, "writes", own)
    if isinstance(amount, Missing) or isinstance(count, Missing):
        return derive("amount / count", amount=amount, count=count)
    weighed = sum(e.numbers["latency"].value * e.numbers["writes"].value for e in own)
    return derive(
        "waited / writes", waited=Figure(weighed, "ms of writing", amount.evidence), writes=count
    )
