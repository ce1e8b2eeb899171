"""Temporary tablespaces: their I/O, its latency, and whether memory would avoid it.

Source of the reasoning: Write Accelerator, "Temporary Tablespace Writes and Reads".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from awrlens.policy import Threshold
from awrlens.rules.base import WEIGHED, Facts, rule
from awrlens.units import listed, ms_words

if TYPE_CHECKING:
    from awrlens.model import Finding
    from awrlens.wait_severity import Weighed

HEAVY_SHARE_PCT: Final = Threshold(
    "temp.heavy_share_pct", 20.0, "%",
    "share of temporary tablespaces in all I/O, or in its time, above which they are a main source",
    "Write Accelerator, figure 6: third by I/Os, first by read time (29 %), called excessive",
)  # fmt: skip
MOSTLY_WORK_AREAS_PCT: Final = Threshold(
    "temp.mostly_work_areas_pct", 50.0, "%",
    "share of work areas in direct temp I/O below which the main cause is something else",
    "awrlens: the majority",
)  # fmt: skip
SLOW_READ_MS: Final = Threshold(
    "temp.slow_read_ms", 2.0, "ms",
    "time of a temp read above which it is slow; plus its size divided by impact.size_mb_s",
    "Write Accelerator, figures 6 (24.6 ms) and 8 (2.1 ms with cached disks)",
)  # fmt: skip
SLOW_WRITE_MS: Final = Threshold(
    "temp.slow_write_ms", 8.0, "ms",
    "wait for a temp write above which it is slow; plus its size divided by impact.size_mb_s",
    "Write Accelerator, figures 7 and 8 (1.5 to 17.2 ms and 7.4 to 7.8 ms on disks)",
)  # fmt: skip

#: Facts that every weighing of temp I/O reads.
TEMP_WAITS: Final = ("temp.direct_wait_s", "temp.direct_ms", "temp.direct_b", "temp.read_ms")


def temp_waits(f: Facts) -> Weighed:
    """All waits for temp I/O, weighed: their number, and how slow each is."""
    each = f.get("temp.direct_ms") or f.get("temp.read_ms")
    return f.weigh("temp.direct_wait_s", each_ms=each, size_bytes=f.get("temp.direct_b"))


def doubt(f: Facts) -> str:
    """The doubt about the waits of old releases."""
    estimated = f["temp.direct_wait_s"].status == "estimated"
    return "the waits include other direct I/O" if estimated else ""


#: What shows that a tablespace is temporary if no tempfile does, by the status of the fact.
_SIGNS: Final = {
    "estimated": "only by name", "derived": "by the I/O of Temp File in IOStat by Filetype",
}  # fmt: skip


def identified(f: Facts) -> str:
    """How the temporary tablespaces are known, if not by tempfiles: a sentence, or nothing."""
    found = f["temp.tablespaces"]
    sign, names = _SIGNS.get(found.status), found.value
    if sign is None or not isinstance(names, tuple) or not names:
        return ""
    are = "is" if len(names) == 1 else "are"
    return f" {listed(names)} {are} known as temporary {sign}."


@rule(
    "TEMP001",
    "heavy-temp-io",
    gate=("temp.direct_wait_s",),
    needs=("temp.io_share_pct", "temp.direct_wait_s", WEIGHED),
    wants=(*TEMP_WAITS, "temp.reads", "temp.writes", "temp.sorts_disk", "temp.tablespaces",
           "temp.io_rank", "temp.read_time_share_pct", "pga.temp_share_pct", "pga.optimal_pct"),
    thresholds=(HEAVY_SHARE_PCT, MOSTLY_WORK_AREAS_PCT),
)  # fmt: skip
def heavy_temp_io(f: Facts) -> Finding | None:
    """Temporary tablespaces are a main source of I/O, and sessions wait for it.

    What it means:
        Sorts, hash joins, bitmap operations or temporary tables do not fit in memory.
    Why it matters:
        The I/O slows the SQL that causes it and everything else on the same disks.
    How it is computed:
        (reads + writes of temporary tablespaces) / (those of all tablespaces), and the same share
        of read time (reads × their average), because slow reads are few; seconds of direct path
        waits for temporary segments. `sorts (disk)` is shown but not used: it can be 0 while temp
        I/O is the largest of all.
    Example:
        With `temp.io_share_pct` = 47.0, `temp.direct_wait_s` = 600.0, `load.response_s` = 9000.0,
        `temp.reads` = 1985044.0, `temp.writes` = 77761.0, `temp.sorts_disk` = 0.0: warning,
        "Temporary tablespaces do 47 % of all I/O requests; sessions waited 600 s".
    Threshold:
        temp.heavy_share_pct (20 %), and how many sessions wait and how long; if timed statistics
        were mostly off, the share of requests alone is an info. Below
        temp.mostly_work_areas_pct (50 %) of the direct temp I/O, sorts and joins are not the main
        cause.
    What to do:
        Memory first (see TEMP003), then the SQL that spills, then storage.
    How to verify:
        Share and waits fall in the next report of the same work.
    When it is wrong:
        Before 10g, direct path waits for temporary and other segments are one event.
    Sources:
        Write Accelerator, "Temporary Tablespace Writes and Reads", figures 6 to 9.
    """
    share = f.number("temp.io_share_pct")
    seconds = f.number("temp.direct_wait_s")
    time = f.get("temp.read_time_share_pct") or 0.0
    weighed = temp_waits(f)
    hidden = f.scale.undertimed and share >= f.limit(HEAVY_SHARE_PCT)
    if max(share, time) < f.limit(HEAVY_SHARE_PCT) or not (weighed.matters or hidden):
        return None
    waits = f"sessions waited {seconds:,.0f} s"
    if hidden:  # the number of requests does not depend on timed statistics
        weighed, waits = weighed._replace(severity="info"), "most waits were not timed"
    much = f"do {share:.0f} % of all I/O requests"
    if share < f.limit(HEAVY_SHARE_PCT):
        much += f" and take {time:.0f} % of the time of all reads"
    return f.finding(
        heavy_temp_io,
        f"Temporary tablespaces {much}; {waits}",
        weighed,
        f.impact(seconds, "direct path waits for temporary segments"),
        f"{_cause(f)}{identified(f)}",
        "temp.io_share_pct",
        "temp.read_time_share_pct",
        "temp.io_rank",
        "temp.direct_wait_s",
        "temp.sorts_disk",
        "pga.temp_share_pct",
        waits=(f.get("temp.reads") or 0) + (f.get("temp.writes") or 0),
        doubt=doubt(f),
        related=("TEMP002", "TEMP003"),
    )


def _cause(f: Facts) -> str:
    """What writes to the temporary tablespaces, as far as the report shows."""
    share = f.get("pga.temp_share_pct")
    if share is not None and share < f.limit(MOSTLY_WORK_AREAS_PCT):
        return (
            f"Work areas are {share:.0f} % of the temp I/O. The rest is temporary tables or LOBs, "
            "which more PGA memory does not avoid."
        )
    if f.get("temp.sorts_disk") == 0:
        return (
            "`sorts (disk)` is 0: the spills are hash joins, bitmap operations or temporary tables."
        )
    return "Work areas spill to disk."


@rule(
    "TEMP002",
    "slow-temp-io",
    gate=("temp.direct_wait_s",),
    needs=("temp.direct_wait_s", WEIGHED),
    wants=(
        *TEMP_WAITS,
        "temp.reads",
        "temp.tablespaces",
        "temp.direct_read_wait_s",
        "temp.direct_read_ms",
        "temp.direct_read_b",
    ),
    thresholds=(SLOW_READ_MS,),
)
def slow_temp_io(f: Facts) -> Finding | None:
    """Reads from temporary tablespaces are slow, and sessions wait for them.

    What it means:
        The device of the tempfiles is slow.
    Why it matters:
        SQL that spills waits for every block that it reads back.
    How it is computed:
        `direct path read temp`: total wait / waits. If the release does not have that event, the
        read time of temporary tablespaces weighted by reads; the title then has the average of all
        direct path waits, reads and writes, if it is known.
    Example:
        With `temp.read_ms` = 24.6, `temp.direct_wait_s` = 600.0, `load.response_s` = 9000.0,
        `temp.reads` = 26339.0: warning, "Temp reads average 24.6 ms".
    Threshold:
        temp.slow_read_ms (2 ms) plus the size of the read divided by impact.size_mb_s, and how many
        sessions wait and how slow each wait is.
    What to do:
        Place tempfiles apart from data files; see the temp storage verdict.
    How to verify:
        The average of `direct path read temp` falls.
    When it is wrong:
        The reads are few, or they go through a file system cache of another host.
    Sources:
        Write Accelerator, figures 6 to 9 (24.6, 2.1 and 0.1 ms).
    """
    event, reading = f.get("temp.direct_read_ms"), f.get("temp.direct_read_wait_s")
    latency = event or f.get("temp.read_ms")
    size = f.get("temp.direct_read_b") or f.get("temp.direct_b")
    if latency is None or not f.slower_than(SLOW_READ_MS, latency, size):
        return None
    weighed = temp_waits(f) if reading is None else f.weigh(
        "temp.direct_read_wait_s", each_ms=latency, size_bytes=size
    )  # fmt: skip
    if not weighed.matters:
        return None
    seconds = f.number("temp.direct_wait_s") if reading is None else reading
    # one time in the title: where only waits for reads and writes together are known, theirs
    both = f.get("temp.direct_ms") if reading is None else None
    shown = latency if both is None else both
    return f.finding(
        slow_temp_io,
        f"{'Temp reads' if both is None else 'Waits for temp I/O'} average {ms_words(shown)}",
        weighed,
        f.impact(seconds, "direct path waits for temporary segments"),
        f"Sessions waited {seconds:,.0f} s for them.{_device(f, shown)}"
        f"{'' if event else identified(f)}",
        "temp.direct_read_ms" if event else "temp.read_ms",
        "temp.read_ms",
        "temp.direct_read_wait_s" if reading is not None else "temp.direct_wait_s",
        waits=f.get("temp.reads"),
        doubt=doubt(f),
        related=("TEMP001",),
    )


def _device(f: Facts, waited_ms: float) -> str:
    """The time of the device compared with the wait: reads that are sent ahead overlap."""
    device = f.get("temp.read_ms")
    if device is None or device <= 2 * waited_ms:
        return ""
    return f" The device takes {ms_words(device)} per read; Oracle sends several at the same time."


@rule(
    "TEMP008",
    "slow-temp-writes",
    gate=("temp.direct_write_wait_s",),
    needs=("temp.direct_write_ms", "temp.direct_write_wait_s", WEIGHED),
    wants=("temp.write_ms", "temp.direct_write_b", "temp.direct_write_p50_ms"),
    thresholds=(SLOW_WRITE_MS,),
)
def slow_temp_writes(f: Facts) -> Finding | None:
    """Sessions wait long for writes to a temporary tablespace.

    What it means:
        The device of the tempfiles is slow for writes, or gets too many at the same time.
    Why it matters:
        A sort that spills stops until its run is written. Reads may be fast because of a cache.
    How it is computed:
        `direct path write temp`: total wait / waits.
    Example:
        With `temp.direct_write_ms` = 28.0, `temp.direct_write_wait_s` = 600.0, `load.response_s` =
        9000.0: warning, "Temp writes average 28 ms".
    Threshold:
        temp.slow_write_ms (8 ms) plus the size of the write divided by impact.size_mb_s, and how
        many sessions wait and how slow each wait is.
    What to do:
        Memory first; then tempfiles on separate devices with a write cache.
    How to verify:
        The average of the event falls, and so does `Av Writes(ms)` of the tempfiles if it is in the
        report.
    When it is wrong:
        Sessions send several writes and wait for all of them: a wait may be longer than a write of
        the device.
    Sources:
        Write Accelerator, figures 7 to 9 (1.5 to 17.2 ms and 7.8 ms on disks, 1.7 ms on the
        device). Its text states writes of 1 to 2 ms for figure 8, which are the read times there.
    """
    latency, seconds = f.number("temp.direct_write_ms"), f.number("temp.direct_write_wait_s")
    size = f.get("temp.direct_write_b")
    weighed = f.weigh("temp.direct_write_wait_s", each_ms=latency, size_bytes=size)
    if not f.slower_than(SLOW_WRITE_MS, latency, size) or not weighed.matters:
        return None
    half = f.get("temp.direct_write_p50_ms")
    mostly = half is not None and f.how_slow(half, size) == 0
    return f.finding(
        slow_temp_writes,
        f"Temp writes average {ms_words(latency)}",
        weighed,
        f.impact(seconds, "`direct path write temp`"),
        f"Half of them end within {half:g} ms: a part of them is slow, in bursts or by other load."
        if mostly
        else "Temp writes are slow; fast reads, which are often cached, do not contradict this.",
        "temp.direct_write_ms",
        *(("temp.direct_write_p50_ms",) if mostly else ()),
        "temp.direct_write_wait_s",
        waits=seconds * 1000 / latency,
        related=("TEMP001", "TEMP002"),
    )
