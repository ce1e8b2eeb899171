"""AWR: instance activity, I/O by function, file type, tablespace and file."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from .derived import Derived, IoTotals, add_up, filetype_io, function_io, tablespaces
from .figures import awr19_rate, awr_count, awr_rate, data_volume, ratio
from .layout import Group, Layout, Row, Section, Value

if TYPE_CHECKING:
    from .model import DataFile

ACTIVITY = Layout(
    """
Statistic                                     Total     per Second     per Trans
-------------------------------- ------------------ -------------- -------------
""",
    "s i d1 d1",
    "Statistic|Total|per Second|per Trans",
    "This table displays Instance activity statistics. For each instance, activity total, "
    "activity per second, and activity per transaction are displayed",
)
KEY_ACTIVITY = replace(ACTIVITY, summary=ACTIVITY.summary.replace("Instance", "Key Instance", 1))
ABSOLUTE = Layout(
    """
Statistic                            Begin Value       End Value
-------------------------------- --------------- ---------------
""",
    "s i i",
    "Statistic|Begin Value|End Value",
    "This table displays absolute values of instance-related features. For each instance, "
    "activity begin value and end value are displayed",
)
THREAD = Layout(
    """
Statistic                                     Total  per Hour
-------------------------------- ------------------ ---------
""",
    "s i p2",
    "Statistic|Total|per Hour",
    "This table displays thread activity stats in the instance. For each activity , total "
    "number of activity and activity per hour are displayed",
)
_IO_HTML = "|Reads: Data|Reqs   per sec|Data   per sec|Writes: Data|Reqs   per sec|Data   per sec"
BY_FUNCTION = Layout(
    """
                Reads:   Reqs   Data    Writes:  Reqs   Data    Waits:    Avg
Function Name   Data    per sec per sec Data    per sec per sec Count    Tm(ms)
--------------- ------- ------- ------- ------- ------- ------- ------- -------
""",
    "s r d1 r r d1 r r d1?",
    "Function Name" + _IO_HTML + "|Waits: Count|Avg   Tm(ms)",
    "This table displays the IO Statistics for different functions. IO stats includes amount of "
    "reads and writes, requests per second, data per second, wait count and average wait time",
)
BY_FILETYPE = Layout(
    """
                Reads:   Reqs   Data    Writes:  Reqs   Data      Small   Large
Filetype Name   Data    per sec per sec Data    per sec per sec    Read    Read
--------------- ------- ------- ------- ------- ------- ------- ------- -------
""",
    "s r d1 r r d1 r d1? d1?",
    "Filetype Name" + _IO_HTML + "|Small Read|Large Read",
    "This table displays IO Statistics for different file types, such as data files, control "
    "files, log files and temp files. IO Statistics include amount of reads and writes, requests "
    "per second, data per second, wait count and average wait time",
)
BY_FUNCTION_FILETYPE = Layout(
    """
 Reads:   Reqs   Data    Writes:  Reqs   Data    Waits:    Avg
 Data    per sec per sec Data    per sec per sec Count    Tm(ms)
 ------- ------- ------- ------- ------- ------- ------- -------
""",
    "s r d1 r r d1 r r d1?",
    "Function/File Name" + _IO_HTML + "|Waits: Count|Avg   Tm(ms)",
    "IOStat by Function/Filetype summary. . 'Data' columns suffixed with M,G,T,P are in "
    "multiples of 1024 other columns suffixed with K,M,G,T,P are in multiples of 1000. Ordered "
    "by (Data Read + Write) desc for each function",
    free_name=True,
)
_FILE_NUMBERS = """
                 Av       Av     Av                       Av     Buffer  Av Buf
         Reads Reads/s  Rd(ms) Blks/Rd       Writes Writes/s      Waits  Wt(ms)
-------------- ------- ------- ------- ------------ -------- ---------- -------
"""
_FILE_HTML = "|Reads|Av    Reads/s|Av   Rd(ms)|Av    Blks/Rd"
_FILE_HTML_TAIL = "|Writes|Av Writes/s|Buffer Waits|Av Buf Wt(ms)"
_FILE_SUMMARY = (
    "IO Statistics include amount of reads and writes, average read/write per second, average "
    "blocks per read, buffer waits"
)
BY_TABLESPACE = Layout(
    "\nTablespace\n------------------------------" + _FILE_NUMBERS,
    "s i i d1? d1? i i i d1",
    "Tablespace" + _FILE_HTML + _FILE_HTML_TAIL,
    f"This table displays IO Statistics for different tablespaces. {_FILE_SUMMARY}",
)
BY_FILE = Layout(
    "\nTablespace               Filename"
    "\n------------------------ ----------------------------------------------------"
    + _FILE_NUMBERS,
    "s s i i d1? d1? i i i d1",
    "Tablespace|Filename" + _FILE_HTML + _FILE_HTML_TAIL,
    f"This table displays IO Statistics for different physical files. {_FILE_SUMMARY}",
)
BY_FUNCTION_19 = replace(
    BY_FUNCTION,
    heading="""
                 Reads:  Reqs    Data   Writes:  Reqs    Data    Waits:    Avg
Function Name      Data per sec per sec    Data per sec per sec   Count    Time
--------------- ------- ------- ------- ------- ------- ------- ------- --------
""",
    formats="s R d1 R R d1 R R us",
    html=BY_FUNCTION.html.replace("Tm(ms)", "Time "),
)
BY_FILETYPE_19 = replace(
    BY_FILETYPE,
    heading="""
                Reads:  Reqs    Data   Writes:  Reqs    Data      Small    Large
Filetype Name     Data per sec per sec    Data per sec per sec     Read     Read
-------------- ------- ------- ------- ------- ------- ------- -------- --------
""",
    formats="s R d1 R R d1 R us us",
)
BY_FUNCTION_FILETYPE_19 = replace(
    BY_FUNCTION_FILETYPE,
    heading="""
  Reads:  Reqs    Data   Writes:  Reqs    Data    Waits:      Avg
    Data per sec per sec    Data per sec per sec   Count     Time
 ------- ------- ------- ------- ------- ------- ------- ----------
""",
    formats=BY_FUNCTION_19.formats,
    html=BY_FUNCTION_FILETYPE.html.replace("Tm(ms)", "Time "),
)
# In text no report known here has rows: the headings are those of HTML, as narrow as a page.
_FILE_NUMBERS_19 = """
              Av      Av      Av    1-bk Av 1-bk          Writes  Buffer Av Buf
     Reads Rds/s  Rd(ms) Blks/Rd   Rds/s Rd(ms)    Writes  avg/s   Waits Wt(ms)
---------- ----- ------- ------- ------- ------- -------- ------ ------- ------
"""
BY_TABLESPACE_19 = replace(
    BY_TABLESPACE,
    heading=BY_TABLESPACE.heading.replace(_FILE_NUMBERS, _FILE_NUMBERS_19),
    formats="s i i d1 d1 i d1 i i i d1",
    html="Tablespace|Reads|Av Rds/s|Av Rd(ms)|Av Blks/Rd| 1-bk  Rds/s|Av 1-bk Rd(ms)|Writes|"
    "Writes avg/s|Buffer Waits|Av Buf Wt(ms)",
)
BY_FILE_19 = replace(
    BY_FILE,
    heading=BY_FILE.heading.replace(_FILE_NUMBERS, _FILE_NUMBERS_19),
    formats="s s " + BY_TABLESPACE_19.formats.removeprefix("s "),
    html=BY_TABLESPACE_19.html.replace("Tablespace", "Tablespace|Filename", 1),
)

KEY_STATISTICS = (
    "db block changes",
    "execute count",
    "logons cumulative",
    "opened cursors cumulative",
    "parse count (total)",
    "parse time elapsed",
    "physical reads",
    "physical writes",
    "redo size",
    "session cursor cache hits",
    "session logical reads",
    "user calls",
    "user commits",
    "user rollbacks",
    "workarea executions - optimal",
)
VOLUMES = (
    "'Data' columns suffixed with M,G,T,P are in multiples of 1024\n"
    " other columns suffixed with K,M,G,T,P are in multiples of 1000"
)


def activity_group(d: Derived) -> Group:
    """Instance Activity Statistics."""
    statistics = d.printed_statistics()
    note = ("Ordered by statistic name",)
    sections = []
    if d.release.major >= 19:
        keys = [(name, total) for name, total in statistics if name in KEY_STATISTICS]
        statistics = [(name, total) for name, total in statistics if name not in KEY_STATISTICS]
        sections.append(
            Section("Key Instance Activity Stats", KEY_ACTIVITY, activity_rows(d, keys), note, 1200)
        )
    sections += [
        Section(
            "Instance Activity Stats",
            ACTIVITY,
            activity_rows(d, statistics),
            note,
            1250 if sections else 1200,
            new_page=True,
        ),
        Section(
            "Instance Activity Stats - Absolute Values",
            ABSOLUTE,
            absolute_statistics(d),
            ("Statistics with absolute values (should not be diffed)",),
            1300,
        ),
        Section(
            "Instance Activity Stats - Thread Activity",
            THREAD,
            [("log switches (derived)", d.workload.log_switches, d.log_switches_per_hour)],
            ("Statistics identified by '(derived)' come from sources other than SYSSTAT",),
            1400,
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
    is_19 = d.release.major >= 19
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
    service_times = (
        "Small Read and Large Read are average service times"
        + ("" if is_19 else ", in milliseconds")
    )  # fmt: skip
    return Group(
        "IO Stats",
        24,
        (
            Section(
                "IOStat by Function summary",
                d.release.pick(BY_FUNCTION, since_19=BY_FUNCTION_19),
                [waits_row(d, name, io) for name, io in totals],
                (VOLUMES, "ordered by (Data Read + Write) desc"),
                8760,
            ),
            Section(
                "IOStat by Filetype summary",
                d.release.pick(BY_FILETYPE, since_19=BY_FILETYPE_19),
                [filetype_row(d, name, io) for name, io in filetypes],
                (VOLUMES, service_times, "Ordered by (Data Read + Write) desc"),
                8770,
            ),
            Section(
                "IOStat by Function/Filetype summary",
                d.release.pick(BY_FUNCTION_FILETYPE, since_19=BY_FUNCTION_FILETYPE_19),
                [waits_row(d, name, io) for name, io in detail],
                (VOLUMES, "Ordered by (Data Read + Write) desc for each function"),
                8780,
            ),
            Section(
                "Tablespace IO Stats",
                d.release.pick(BY_TABLESPACE, since_19=BY_TABLESPACE_19),
                [(file.tablespace, *file_numbers(d, file)) for file in tablespaces(w.files)],
                ("ordered by IOs (Reads + Writes) desc",),
                1700,
                new_page=True,
            ),
            Section(
                "File IO Stats",
                d.release.pick(BY_FILE, since_19=BY_FILE_19),
                [(file.tablespace, file.name, *file_numbers(d, file)) for file in files],
                ("ordered by Tablespace, File",),
                1800,
                new_page=True,
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
    reads = (
        file.reads,
        d.per_second(file.reads),
        read_ms,
        ratio(file.blocks_read, file.reads),
    )
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
