"""How busy DBWR is with writing, and what it could write at the latency of the interval.

DBWR is busy while it waits for `db file parallel write` or, since 11.2, to submit writes (`db file
async I/O submit`). The capacity is what it wrote, divided by its busy share. It holds if the
latency stays: storage near its own limit takes longer for every write.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from awrlens.fact_table import fact
from awrlens.facts.dbwr import from_cache
from awrlens.facts.formula import Figure, Missing, as_input, derive
from awrlens.facts.sections import BG, ELAPSED, PARAMETERS, STATS
from awrlens.units import parse_number

if TYPE_CHECKING:
    from awrlens.facts.numbers import Figures
    from awrlens.model import Fact

#: CPUs for each DBWR by default. # Oracle Database Reference, DB_WRITER_PROCESSES
_CPUS_PER_WRITER: Final = 8
#: The release whose default depends on the CPUs; before, it is one process.
_WRITERS_BY_CPUS_SINCE: Final = (10, 0)
_WAITED: Final = "seconds of writing"


def _writers(f: Figures) -> Figure | Missing:
    """Number of DBWR processes: DB_WRITER_PROCESSES, or its default by the number of CPUs."""
    found = f.parameter("db_writer_processes")
    if found is not None:
        number = parse_number(found[0])
        if not number or number < 0:
            return Missing(f"db_writer_processes is shown as `{found[0]}`", ("parameters",))
        return Figure(float(number), "DBWR processes", (found[1],))
    if f.tables.get("parameters") is None:
        return f.missing("parameters")
    number = 1
    if f.release is None or f.release >= _WRITERS_BY_CPUS_SINCE:
        if f.header.cpus is None:
            return Missing("the report has no number of CPUs for the default", ("host",))
        number = max(1, f.header.cpus // _CPUS_PER_WRITER)
    return Figure(number, "DBWR processes (default)", (), "", "estimated")


def _written_s(f: Figures) -> Figure | Missing:
    """Seconds that DBWR waited for its writes, and to submit them."""
    writes = f.background("db file parallel write").total_s
    submits = f.background("db file async I/O submit").total_s
    if isinstance(writes, Missing) and isinstance(submits, Missing):
        return writes
    if isinstance(writes, Missing) and writes.lost:
        return writes
    if isinstance(submits, Missing) and submits.lost:
        return submits
    found = [each for each in (writes, submits) if isinstance(each, Figure)]
    proof = tuple(item for each in found for item in each.evidence)
    return Figure(sum(each.value for each in found), _WAITED, proof)


@fact("checkpoint.dbwr_busy_pct", "%", BG, ELAPSED, PARAMETERS, kind="level", better="lower")
def dbwr_busy_pct(f: Figures) -> Fact:
    """Share of the time of all DBWR processes that they spent on writes."""
    return derive(
        "waited * 100 / (elapsed * writers * instances)",
        waited=f.once(_written_s), elapsed=f.elapsed, writers=f.once(_writers),
        instances=f.instances,
    )  # fmt: skip


@fact(
    "checkpoint.dbwr_capacity_per_s", "1/s", BG, STATS, PARAMETERS,
    kind="rate", better="higher",
)  # fmt: skip
def dbwr_capacity_per_s(f: Figures) -> Fact:
    """Blocks per second that DBWR could write if it did nothing else, at the present latency."""
    note = "at the latency of this interval, which rises if the storage comes near its own limit"
    return derive(
        "writes * writers * instances / waited", note,
        writes=f.once(from_cache), writers=f.once(_writers), instances=f.instances,
        waited=f.once(_written_s),
    )  # fmt: skip


@fact(
    "checkpoint.dbwr_capacity_least_per_s", "1/s", BG, PARAMETERS,
    kind="rate", better="higher",
)  # fmt: skip
def dbwr_capacity_least_per_s(f: Figures) -> Fact:
    """Blocks per second that DBWR can write at least: its batches have one block or more."""
    batch = f.background("db file parallel write").each_ms
    return derive(
        "1000 * writers * instances / batch",
        "a batch has at least one block; at the latency of this interval",
        writers=f.once(_writers), instances=f.instances, batch=as_input(batch, "ms per batch"),
    )  # fmt: skip
