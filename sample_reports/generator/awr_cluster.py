"""AWR of 11.2: what a report of one instance of a cluster prints beside the others (HTML)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .figures import KIB, MIB, grouped, percent, plain, ratio
from .layout import Group, Row, Section, Tables, Value

if TYPE_CHECKING:
    from collections.abc import Callable

    from .derived import Derived
    from .model import Cluster

TABLES = Tables("awr_cluster")

MESSAGE_BYTES = 200
"""What the estimate of the interconnect's traffic takes a message for."""

NONE_OF_4: Row = (0, None, None, None)


def profile(d: Derived, c: Cluster) -> list[tuple[str, str, str]]:
    """Global cache load profile: a second, a transaction."""
    m = c.messaging
    totals = {
        "Global Cache blocks received:": received(d),
        "Global Cache blocks served:": served(d),
        "GCS/GES messages received:": m["gcs msgs received"] + m["ges msgs received"],
        "GCS/GES messages sent:": d["gcs messages sent"] + d["ges messages sent"],
        "DBWR Fusion writes:": d["DBWR fusion writes"],
    }
    blocks, messages = received(d) + served(d), list(totals.values())[2:4]
    traffic = blocks * d.workload.database.block_bytes + sum(messages) * MESSAGE_BYTES
    lines = [
        (label, grouped(d.per_second(total), 2), grouped(d.per_transaction(total), 2))
        for label, total in totals.items()
    ]
    kb = grouped(d.per_second(traffic / KIB), 2)
    return [*lines, ("Estd Interconnect traffic (KB)", kb, "")]


def received(d: Derived) -> int:
    """Blocks from the other instances."""
    return d["gc cr blocks received"] + d["gc current blocks received"]


def served(d: Derived) -> int:
    """Blocks to the other instances."""
    return d["gc cr blocks served"] + d["gc current blocks served"]


def accesses(d: Derived) -> tuple[float, float, float]:
    """Where buffers were found, in percent: here, in another instance, on disk."""
    gets = d["session logical reads"]
    remote, disk = received(d), d["physical reads cache"]
    return percent(gets - remote - disk, gets), percent(remote, gets), percent(disk, gets)


def efficiency(d: Derived) -> list[tuple[str, str]]:
    """Global cache efficiency percentages."""
    labels = ("-  local cache %:", "- remote cache %:", "-         disk %:")
    return [
        (f"Buffer access {label}", plain(share, 2))
        for label, share in zip(labels, accesses(d), strict=True)
    ]


def workload(d: Derived, c: Cluster) -> list[tuple[str, str]]:
    """Workload characteristics of global cache and enqueue services."""
    cr_flushes = c.cr_served["Flushes"]
    current_flushes = sum(c.current_served["Flushes"])
    gets = d["global enqueue gets sync"] + d["global enqueue gets async"]

    def ms(statistic: str, count: int) -> str:
        return plain(ratio(d[f"{statistic} time"] * 10, count), 1)

    cr, current = d["gc cr blocks served"], d["gc current blocks served"]
    return [
        ("Avg global enqueue get time (ms):", ms("global enqueue get", gets)),
        (
            "Avg global cache cr block receive time (ms):",
            ms("gc cr block receive", d["gc cr blocks received"]),
        ),
        (
            "Avg global cache current block receive time (ms):",
            ms("gc current block receive", d["gc current blocks received"]),
        ),
        ("Avg global cache cr block build time (ms):", ms("gc cr block build", cr)),
        ("Avg global cache cr block send time (ms):", ms("gc cr block send", cr)),
        (
            "Global cache log flushes for cr blocks served %:",
            plain(percent(cr_flushes, cr), 1),
        ),
        ("Avg global cache cr block flush time (ms):", ms("gc cr block flush", cr_flushes)),
        ("Avg global cache current block pin time (ms):", ms("gc current block pin", current)),
        ("Avg global cache current block send time (ms):", ms("gc current block send", current)),
        (
            "Global cache log flushes for current blocks served %:",
            plain(percent(current_flushes, current), 1),
        ),
        (
            "Avg global cache current block flush time (ms):",
            ms("gc current block flush", current_flushes),
        ),
    ]  # fmt: skip


def messages(c: Cluster) -> list[tuple[str, str]]:
    """Messaging statistics of global cache and enqueue services."""
    m = c.messaging
    sent = {
        "direct sent": m["messages sent directly"],
        "indirect sent": m["messages sent indirectly"],
        "flow controlled": m["messages flow controlled"],
    }
    times = {
        "message sent queue": ("msgs sent queue time (ms)", "msgs sent queued"),
        "message sent queue time on ksxp": (
            "msgs sent queue time on ksxp (ms)", "msgs sent queued on ksxp",
        ),
        "message received queue": ("msgs received queue time (ms)", "msgs received queued"),
        "GCS message process": ("gcs msgs process time(ms)", "gcs msgs received"),
        "GES message process": ("ges msgs process time(ms)", "ges msgs received"),
    }  # fmt: skip
    return [
        *(
            (
                f"Avg {name}{'' if 'time' in name else ' time'} (ms):",
                plain(ratio(m[total], m[count]), 1),
            )
            for name, (total, count) in times.items()
        ),
        *(
            (f"% of {name} messages:", plain(percent(count, sum(sent.values())), 2))
            for name, count in sent.items()
        ),
    ]


def interfaces(c: Cluster) -> Section:
    """Cluster Interconnect; what is as it was is not printed again."""
    note = "if IP/Public/Source at End snap is different a '*' is displayed"
    row = (c.interface, c.address, "N", "Oracle Cluster Repository", None, None, None)
    return TABLES.section("Cluster Interconnect", [row], notes=(note,))


def groups(d: Derived, c: Cluster) -> list[Group]:
    """The groups of "More RAC Statistics"."""
    m = c.messaging
    messaging: list[Row] = [
        (name, n, d.per_second(n), d.per_transaction(n)) for name, n in m.items()
    ]
    current: list[Row] = [
        (name, sum(counts), *(percent(count, sum(counts)) for count in counts))
        for name, counts in c.current_served.items()
    ]
    single = (
        TABLES.section("Global Messaging Statistics", messaging),
        TABLES.section("Global CR Served Stats", list(c.cr_served.items())),
        TABLES.section("Global CURRENT Served Stats", current),
    )
    return [
        *(Group(section.title, section.anchor, (section,), flat=True) for section in single),
        transfer_group(d, c),
        interconnect_group(d, c),
    ]


def transfer_group(d: Derived, c: Cluster) -> Group:
    """Blocks received, how many waited for the other instance, and how long they took."""
    cr_ms = ratio(d["gc cr block receive time"] * 10, d["gc cr blocks received"])
    current_ms = ratio(d["gc current block receive time"] * 10, d["gc current blocks received"])

    def rows(cells: Callable[[int, int, float], Row], *lost: Value) -> list[Row]:
        return [
            (
                c.peer, each.block_class, *lost,
                *cells(each.cr, each.cr_busy, cr_ms),
                *cells(each.current, each.current_busy, current_ms),
            )
            for each in sorted(c.received, key=lambda each: -(each.cr + each.current))
        ]  # fmt: skip

    def shares(blocks: int, busy: int, _: float) -> Row:
        at_once = blocks - busy
        return (blocks, percent(at_once, blocks), percent(busy, blocks), 0) if blocks else NONE_OF_4

    def times(blocks: int, busy: int, ms: float) -> Row:
        return (ms, ms, ms if busy else None, None) if blocks else (None,) * 4

    def hops(blocks: int, busy: int, _: float) -> Row:
        return (blocks - busy, 100, 0) if blocks else NONE_OF_4[:3]

    def hop_times(blocks: int, _: int, ms: float) -> Row:
        return (ms, ms, None) if blocks else (None,) * 3

    return Group(
        "Global Cache Transfer Stats",
        7,
        (
            TABLES.section("Global Cache Transfer Stats", rows(shares)),
            TABLES.section("Global Cache Transfer Times (ms)", rows(times)),
            TABLES.section("Global Cache Transfer (Immediate)", rows(hops, d["gc blocks lost"])),
            TABLES.section("Global Cache Times (Immediate)", rows(hop_times, None)),
        ),
    )


def interconnect_group(d: Derived, c: Cluster) -> Group:
    """Pings, and what went over the interconnect: blocks to the cache, messages to the rest."""
    own = d.workload.database.instance_number
    pings = int(d.elapsed_s // 12)
    block_mb = d.workload.database.block_bytes / MIB
    sent_mb, received_mb = d.per_second(served(d) * block_mb), d.per_second(received(d) * block_mb)
    gcs = MESSAGE_BYTES / MIB
    lock_sent = d.per_second(d["ges messages sent"] * gcs)
    lock_received = d.per_second(c.messaging["ges msgs received"] * gcs)
    nothing = (0,) * 4
    device = (c.interface, c.address, "NO", "Oracle Cluster Repository")
    return Group(
        "Interconnect Stats",
        8,
        (
            TABLES.section("Interconnect Ping Latency Stats", [
                    (number, pings, *((0.17, 0.04) if number == own else (0.19, 0.11)), pings,
                     *((0.16, 0.04) if number == own else (0.38, 0.16)))
                    for number in sorted((own, c.peer))
                ]),
            TABLES.section("Interconnect Throughput by Client", [
                    ("Global Cache", sent_mb, received_mb),
                    ("Parallel Query", 0, 0),
                    ("DB Locks", lock_sent, lock_received),
                    ("DB Streams", 0, 0),
                    ("Other", 0, 0),
                ]),
            TABLES.section("Interconnect Device Statistics", [
                (*device, sent_mb + lock_sent, *nothing, received_mb + lock_received, *nothing)
            ]),
        ),
    )  # fmt: skip


def rac_dictionary_cache(d: Derived) -> Section:
    """Row caches whose entries are locked for the whole cluster."""
    rows: list[Row] = [
        (c.name, c.misses + c.modifications, c.modifications // 9, c.misses // 3)
        for c in d.workload.dictionary_cache
        if c.misses + c.modifications
    ]
    return TABLES.section("Dictionary Cache Stats (RAC)", rows)


def rac_library_cache(d: Derived) -> Section:
    """Namespaces whose objects are locked for the whole cluster."""
    rows: list[Row] = [
        (c.name, c.get_misses, c.get_misses, c.get_misses, c.invalidations, c.invalidations)
        for c in d.workload.lib_cache
    ]
    return TABLES.section("Library Cache Activity (RAC)", rows)
