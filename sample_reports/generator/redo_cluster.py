"""Workload of a cluster: the redo test of figure 4 on both of its nodes.

The second instance does two thirds of the work of the first, and its log writes take half the
time. What one instance receives from the other is what the other served.
"""

from __future__ import annotations

import dataclasses
from datetime import timedelta
from typing import TYPE_CHECKING, Any, TypeVar

from . import redo_disk
from .common import background, foreground
from .model import Cluster, Event, Received, Workload
from .records import Records

if TYPE_CHECKING:
    from collections.abc import Iterable

RECORDS = Records("redo_cluster")


T = TypeVar("T")

#: By instance: what it received from the other.
RECEIVED = {1: RECORDS.rows(Received, "RECEIVED"), 2: RECORDS.rows(Received, "RECEIVED 2")}
#: By instance: messages sent by its cache service and by its enqueue service.
SENT = {1: (412_118, 9_204), 2: (391_206, 8_811)}
CR_MS, CURRENT_MS = 0.55, 0.60


def events(number: int) -> tuple[Event, ...]:
    """Waits for the other instance, by the blocks that came from there."""
    cr, current = blocks(RECEIVED[number])

    def waited(name: str, waits: int, each_ms: float) -> Event:
        return foreground(name, "Cluster", waits, waits * each_ms / 1e3, sigma=0.5)

    return (
        waited("gc current block 2-way", current * 3 // 4, CURRENT_MS),
        waited("gc cr block 2-way", cr * 3 // 4, CR_MS),
        waited("gc cr grant 2-way", cr // 6, 0.36),
        waited("gc current grant 2-way", current // 9, 0.35),
        waited("gc buffer busy acquire", current // 40, 3.9),
        background("gc cr block 2-way", "Cluster", cr // 5, cr // 5 * CR_MS / 1e3),
        background("gcs log flush sync", "Other", current // 16, current // 16 * 2.1e-3),
        background("gcs remote message", "Idle", SENT[3 - number][0], 16_702.0),
        background("ges remote message", "Idle", SENT[3 - number][1] * 9, 8_341.0),
    )


def blocks(received: Iterable[Received]) -> tuple[int, int]:
    """Consistent and current blocks."""
    received = tuple(received)
    return sum(each.cr for each in received), sum(each.current for each in received)


def statistics(number: int) -> dict[str, int]:
    """Statistics that only an instance of a cluster counts."""
    cr, current = blocks(RECEIVED[number])
    served_cr, served_current = blocks(RECEIVED[3 - number])
    gcs_sent, ges_sent = SENT[number]
    return RECORDS.totals(
        "statistics",
        {
            "cr": cr,
            "current": current,
            "served_cr": served_cr,
            "served_current": served_current,
            "gcs_sent": gcs_sent,
            "ges_sent": ges_sent,
        },
    ) | {
        "gc cr block receive time": round(cr * CR_MS / 10),
        "gc current block receive time": round(current * CURRENT_MS / 10),
    }


def cluster(number: int) -> Cluster:
    """Messages and blocks between an instance and the other."""
    gcs, ges = SENT[3 - number]
    sent = sum(SENT[number])
    served_cr, served_current = blocks(RECEIVED[3 - number])
    return Cluster(
        instances=2,
        peer=3 - number,
        interface="eth1",
        address=f"192.168.110.{10 + number}",
        received=RECEIVED[number],
        messaging=RECORDS.totals(
            "messaging", {"gcs": gcs, "ges": ges, "received": gcs + ges, "sent": sent}
        ),
        cr_served=RECORDS.totals("cr served", {"served_cr": served_cr}),
        current_served={
            "Pins": (served_current // 210, 0, 0, 0, 0),
            "Flushes": (served_current // 90, served_current // 31, served_current // 900, 0, 0),
            "Writes": (served_current // 40, served_current // 14, served_current // 600, 0, 0),
        },
    )


def two_thirds(thing: T, *kept: str) -> T:
    """The same with two thirds of every count; what is counted at all is counted once."""
    changed: dict[str, Any] = {}
    for field in dataclasses.fields(thing):  # type: ignore[arg-type]
        value = getattr(thing, field.name)
        if type(value) is int and field.name not in kept:
            changed[field.name] = max(1, value * 2 // 3) if value else 0
    return dataclasses.replace(thing, **changed)  # type: ignore[type-var]


def second(w: Workload) -> Workload:
    """The second instance: two thirds of the work, and log writes at half the time."""
    host = two_thirds(w.host, "idle_cs", "iowait_cs")
    undo = "+DATA/aultdb/datafile/undotbs2.268.660846004"
    files = tuple(
        dataclasses.replace(file, tablespace="UNDOTBS2", name=undo)
        if file.tablespace == "UNDOTBS1"
        else file
        for file in map(two_thirds, w.files)
    )

    def smaller(event: Event) -> Event:
        if event.name == "buffer busy waits":  # as the files have them, each rounded
            waits = sum(file.buffer_waits for file in files)
            waited_us = sum(file.buffer_wait_us for file in files)
            return dataclasses.replace(event, waits=waits, time_us=waited_us)
        found = two_thirds(event, "time_us", "timeouts")
        share = 3 if event.name == "log file parallel write" else 1.5
        return dataclasses.replace(
            found, time_us=round(event.time_us / share), timeouts=event.timeouts * 2 // 3
        )

    return dataclasses.replace(
        w,
        database=dataclasses.replace(
            w.database, instance="aultdb2", instance_number=2, host="aultlab2",
            startup=w.database.startup + timedelta(minutes=4),
        ),
        host=dataclasses.replace(host, idle_cs=w.host.total_cs - host.busy_cs),
        time=two_thirds(w.time),
        statistics={
            **{name: total * 2 // 3 for name, total in w.statistics.items()},
            "redo write time": w.statistics["redo write time"] // 3,
        },
        log_switches=w.log_switches * 2 // 3,
        events=tuple(map(smaller, w.events)),
        files=files,
        control_file_io=two_thirds(w.control_file_io),
        log_file_io=two_thirds(w.log_file_io),
        statements=tuple(two_thirds(sql, "hash_value", "sharable_bytes") for sql in w.statements),
        undo_tablespace_number=5,
        undo=tuple(
            two_thirds(row, "max_query_s", "max_concurrency", "retention_min") for row in w.undo
        ),
        checkpoint=two_thirds(w.checkpoint),
        work_areas=tuple(map(two_thirds, w.work_areas)),
        work_area_bytes=w.work_area_bytes * 2 // 3,
        work_area_extra_bytes=w.work_area_extra_bytes * 2 // 3,
        buffer_waits={
            name: (waits * 2 // 3, us * 2 // 3) for name, (waits, us) in w.buffer_waits.items()
        },
        latches=tuple(map(two_thirds, w.latches)),
        enqueues=tuple(map(two_thirds, w.enqueues)),
        segments=tuple(two_thirds(segment, "object_id") for segment in w.segments),
        dictionary_cache=tuple(map(two_thirds, w.dictionary_cache)),
        lib_cache=tuple(map(two_thirds, w.lib_cache)),
        parameters={**w.parameters, "undo_tablespace": "UNDOTBS2"},
    )  # fmt: skip


def member(w: Workload) -> Workload:
    """The workload as an instance of the cluster has it."""
    number = w.database.instance_number
    cr, current = blocks(RECEIVED[number])
    inserts = w.statements[1]
    return dataclasses.replace(
        w,
        slug=f"redo-cluster-{number}",
        statistics={**w.statistics, **statistics(number)},
        events=(*w.events, *events(number)),
        cluster=cluster(number),
        recovery=(
            dataclasses.replace(w.recovery[0], rac_available_s=4),
            dataclasses.replace(w.recovery[1], rac_available_s=5),
        ),
        statements=tuple(
            dataclasses.replace(sql, cluster_us=current * 450) if sql is inserts else sql
            for sql in w.statements
        ),
        segments=tuple(
            dataclasses.replace(
                segment, cr_blocks_received=cr * share // 100,
                current_blocks_received=current * share // 100,
                gc_buffer_busy=current * share // 4_000,
            )
            for segment, share in zip(w.segments, (94, 1, 3, 0), strict=True)
        ),
        parameters={
            **w.parameters, "cluster_database": "TRUE", "instance_number": str(number),
            "thread": str(number),
        },
    )  # fmt: skip


#: The instances of the cluster: the redo test on disks, on both of its nodes.
INSTANCES = (member(redo_disk.WORKLOAD), member(second(redo_disk.WORKLOAD)))
