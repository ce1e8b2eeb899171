"""AWR: instance activity, I/O by function, file type, tablespace and file."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from .derived import Derived, IoTotals, add_up, filetype_io, function_io, tablespaces
from .figures import awr19_rate, awr_count, awr_rate, data_volume, ratio
from .layout import Group, Row, Tables, Value
from .records import Records

if TYPE_CHECKING:
    from .model import DataFile

RECORDS = Records("releases")

TABLES = Tables("awr_activity")

KEY_ACTIVITY = replace(
    TABLES.ACTIVITY, summary=TABLES.ACTIVITY.summary.replace("Instance", "Key Instance", 1)
)
_FILE_NUMBERS = """
                 Av       Av     Av                       Av     Buffer  Av Buf
         Reads Reads/s  Rd(ms) Blks/Rd       Writes Writes/s      Waits  Wt(ms)
-------------- ------- ------- ------- ------------ -------- ---------- -------
"""
BY_TABLESPACE = TABLES.entries["Tablespace IO Stats"].columns
BY_FILE = TABLES.entries["File IO Stats"].columns

KEY_STATISTICS = RECORDS.names("key statistics since 19")


def activity_group(d: Derived) -> Group:
    """Instance Activity Statistics."""
    statistics = d.printed_statistics()
    note = ("Ordered by statistic name",)
    sections = []
    if d.release.major >= 19:
        keys = [(name, total) for name, total in statistics if name in KEY_STATISTICS]
        statistics = [(name, total) for name, total in statistics if name not in KEY_STATISTICS]
        sections.append(
            TABLES.section(
                "Key Instance Activity Stats",
                activity_rows(d, keys),
                layout=KEY_ACTIVITY,
                notes=note,
            )
        )
    sections += [
        TABLES.section(
            "Instance Activity Stats",
            activity_rows(d, statistics),
            notes=note,
            anchor=1250 if sections else 1200,
        ),
        TABLES.section("Instance Activity Stats - Absolute Values", absolute_statistics(d)),
        TABLES.section(
            "Instance Activity Stats - Thread Activity",
            [("log switches (derived)", d.workload.log_switches, d.log_switches_per_hour)],
        ),
    ]
    return Group("Instance Activity Statistics", 23, tuple(sections))


def activity_rows(d: Derived, statistics: list[tuple[str, int]]) -> list[Row]:
    """Total, rate and amount a transaction."""
    return [
        (name, total, d.per_second(total), d.per_transaction(total)) for name, total in statistics
    ]


def absolute_statistics(d: Derived) -> list[Row]:
    """Statistics that are levels, not counts."""
    begin, end = d.workload.begin, d.workload.end
    return [
        ("logons current", begin.sessions, end.sessions),
        ("opened cursors current", begin.cursors, end.cursors),
        ("session cursor cache count", begin.cursors * 9, begin.cursors * 9 + end.cursors),
        ("session pga memory", begin.pga_bytes * 9 // 10, end.pga_bytes * 9 // 10),
        ("session pga memory max", begin.pga_bytes, end.pga_bytes),
        ("session uga memory", begin.sessions * 611_204, end.sessions * 618_118),
        ("session uga memory max", begin.sessions * 1_402_906, end.sessions * 1_512_204),
    ]


def io_group(d: Derived) -> Group:
    """IO Stats."""
    w = d.workload
    functions = function_io(w)
    totals = [(name, add_up(io for _, io in parts)) for name, parts in functions]
    totals.append(("TOTAL:", add_up(io for _, io in totals)))
    detail: list[tuple[str, IoTotals]] = []
    for name, parts in functions:
        detail.append((name, add_up(io for _, io in parts)))
        detail += [(f" {name} ({filetype})", io) for filetype, io in parts]
    detail.append(totals[-1])
    filetypes = filetype_io(w)
    filetypes.append(("TOTAL:", add_up(io for _, io in filetypes)))
    files = sorted(w.files, key=lambda file: (file.tablespace, file.name))
    return Group(
        "IO Stats",
        24,
        (
            TABLES.section(
                "IOStat by Function summary",
                [waits_row(d, name, io) for name, io in totals],
                major=d.release.major,
            ),
            TABLES.section(
                "IOStat by Filetype summary",
                [filetype_row(d, name, io) for name, io in filetypes],
                major=d.release.major,
            ),
            TABLES.section(
                "IOStat by Function/Filetype summary",
                [waits_row(d, name, io) for name, io in detail],
                major=d.release.major,
            ),
            TABLES.section(
                "Tablespace IO Stats",
                [(file.tablespace, *file_numbers(d, file)) for file in tablespaces(w.files)],
                major=d.release.major,
            ),
            TABLES.section(
                "File IO Stats",
                [(file.tablespace, file.name, *file_numbers(d, file)) for file in files],
                major=d.release.major,
            ),
        ),
    )


def io_numbers(d: Derived, io: IoTotals) -> tuple[Value, ...]:
    """Volume, requests and volume a second; read, then written."""
    rate = awr19_rate if d.release.major >= 19 else awr_rate
    return (
        data_volume(io.read_bytes),
        d.per_second(io.read_requests),
        rate(io.read_bytes, d.elapsed_s),
        data_volume(io.write_bytes),
        d.per_second(io.write_requests),
        rate(io.write_bytes, d.elapsed_s),
    )


def waits_row(d: Derived, name: str, io: IoTotals) -> Row:
    """Return A row that ends with waits."""
    unit_us = 1 if d.release.major >= 19 else 1_000
    average = ratio(io.wait_us, io.waits) / unit_us if io.waits else None
    return (name, *io_numbers(d, io), awr_count(io.waits), average)


def filetype_row(d: Derived, name: str, io: IoTotals) -> Row:
    """Return A row that ends with the service times of small and large reads."""
    unit_us = 1 if d.release.major >= 19 else 1_000
    average = ratio(io.read_us, io.read_requests) / unit_us if io.read_requests else None
    large = average if name in ("Data File", "TOTAL:") else None
    return (name, *io_numbers(d, io), average, large)


def file_numbers(d: Derived, file: DataFile) -> tuple[Value, ...]:
    """Return the numbers of a tablespace or a file."""
    read_ms = ratio(file.read_us, file.reads) / 1_000
    reads = (file.reads, d.per_second(file.reads), read_ms, ratio(file.blocks_read, file.reads))
    writes = (
        file.writes,
        d.per_second(file.writes),
        file.buffer_waits,
        ratio(file.buffer_wait_us, file.buffer_waits) / 1_000,
    )
    if d.release.major < 19:
        return (*reads, *writes)
    single = file.single_block_reads
    return (*reads, d.per_second(single), read_ms if single else None, *writes)
