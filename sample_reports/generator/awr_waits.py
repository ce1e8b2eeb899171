"""AWR: time model, operating system, wait classes, events, histograms, services."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

from .derived import Derived, by_class, by_time, combined
from .figures import awr_count, percent, rounded
from .layout import Group, Layout, Row, Section

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from .model import Event

TIME_MODEL = Layout(
    """
Statistic Name                                       Time (s) % of DB Time
------------------------------------------ ------------------ ------------
""",
    "s d1 b1",
    "Statistic Name|Time (s)|% of DB Time",
    "This table displays different time model statistics. For each statistic, time and % of DB "
    "time are displayed",
)
TIME_MODEL_10 = replace(TIME_MODEL, formats="s d1 b1?")
TIME_MODEL_19 = Layout(
    """
                                                                % of  % of Total
Statistic Name                                       Time (s) DB Time   CPU Time
------------------------------------------ ------------------ ------- ----------
""",
    "s d1 b1 b1",
    "Statistic Name|Time (s)|% of  DB Time|% of Total CPU Time",
    TIME_MODEL.summary,
)
OS_STATISTICS = Layout(
    """
Statistic                                  Value        End Value
------------------------- ---------------------- ----------------
""",
    "s i i",
    "Statistic|Value|End Value",
    "This table displays operating systems statistics. For each statistic, actual value is "
    "displayed. If the end value is different, it is also displayed",
)
OS_DETAIL = Layout(
    """
Snap Time           Load    %busy    %user     %sys    %idle  %iowait
--------------- -------- -------- -------- -------- -------- --------
""",
    "s d1 d1? d1? d1? d1? d1?",
    "Snap Time|Load|%busy|%user|%sys|%idle|%iowait",
    "This table displays some detailed operating systems statistics. load, % busy , % user, "
    "% sys, % idle, % iowait are displayed for begin and end snap time",
)
WAIT_CLASS = Layout(
    """
                                                                  Avg
                                      %Time       Total Wait     wait
Wait Class                      Waits -outs         Time (s)     (ms)  %DB time
-------------------- ---------------- ----- ---------------- -------- ---------
""",
    "s i i i i d1",
    "Wait Class|Waits|%Time -outs|Total Wait Time (s)|Avg wait (ms)|%DB time",
    "This table displays foreground wait class statistics",
)
WAIT_CLASS_19 = Layout(
    """
                                     %Time      Total Wait
Wait Class                     Waits -outs        Time (s)   Avg wait  %DB time
-------------------- --------------- ----- --------------- ---------- ---------
""",
    "s i i i us d1",
    WAIT_CLASS.html.replace(" (ms)", ""),
    WAIT_CLASS.summary,
)
FOREGROUND = Layout(
    """
                                                             Avg
                                        %Time Total Wait    wait    Waits   % DB
Event                             Waits -outs   Time (s)    (ms)     /txn   time
-------------------------- ------------ ----- ---------- ------- -------- ------
""",
    "s i i i n d1 b1",
    "Event|Waits|%Time -outs|Total Wait Time (s)|Avg wait (ms)|Waits /txn|% DB time",
    "This table displays Foreground Wait Events and their wait statistics",
)
BACKGROUND = Layout(
    FOREGROUND.heading.replace("% DB", "% bg"),
    FOREGROUND.formats,
    FOREGROUND.html.replace("% DB", "% bg"),
    "This table displays background wait events statistics",
)
FOREGROUND_19 = Layout(
    """
                                                Total
                                       %Time     Wait              Waits   % DB
Event                            Waits -outs Time (s)  Avg wait     /txn   time
-------------------------- ----------- ----- -------- --------- -------- ------
""",
    "s i i i us d1 b1",
    FOREGROUND.html.replace(" (ms)", ""),
    FOREGROUND.summary,
)
BACKGROUND_19 = Layout(
    FOREGROUND_19.heading.replace("% DB", "% bg"),
    FOREGROUND_19.formats,
    FOREGROUND_19.html.replace("% DB", "% bg"),
    BACKGROUND.summary,
)
_HISTOGRAM_SUMMARY = (
    "This table displays total number of waits, and information about total wait time, for each "
    "wait event"
)
HISTOGRAM = Layout(
    """
                                                    % of Waits
                                 -----------------------------------------------
                           Total
Event                      Waits  <1ms  <2ms  <4ms  <8ms <16ms <32ms  <=1s   >1s
-------------------------- ----- ----- ----- ----- ----- ----- ----- ----- -----
""",
    "s R" + " h1" * 8,
    "Event|Total Waits| <1ms| <2ms| <4ms| <8ms|<16ms|<32ms| <=1s|  >1s",
    _HISTOGRAM_SUMMARY,
    spans=(("", 2), ("% of Waits", 8)),
)
HISTOGRAM_64MS = Layout(
    """
                                                 % of Total Waits
                                 -----------------------------------------------
                           Waits
                           64ms
Event                      to 2s <32ms <64ms <1/8s <1/4s <1/2s   <1s   <2s  >=2s
-------------------------- ----- ----- ----- ----- ----- ----- ----- ----- -----
""",
    "s R" + " h1" * 8,
    "Event|Waits 64ms  to 2s|<32ms|<64ms|<1/8s|<1/4s|<1/2s|  <1s|  <2s|>=2s",
    _HISTOGRAM_SUMMARY,
    spans=(("", 2), ("% of Total Waits", 8)),
)
SERVICES = Layout(
    """
                                                           Physical      Logical
Service Name                  DB Time (s)   DB CPU (s)    Reads (K)    Reads (K)
---------------------------- ------------ ------------ ------------ ------------
""",
    "s i i i i",
    "Service Name|DB Time (s)|DB CPU (s)|Physical Reads (K)|Logical Reads (K)",
    "This table displays service statistics. It displays service names and corresponding DB "
    "time, DB CPU, Physical reads, logical reads.",
)
SERVICE_WAITS = Layout(
    """
Service Name
----------------------------------------------------------------
 User I/O  User I/O  Concurcy  Concurcy     Admin     Admin   Network   Network
Total Wts   Wt Time Total Wts   Wt Time Total Wts   Wt Time Total Wts   Wt Time
--------- --------- --------- --------- --------- --------- --------- ---------
""",
    "s n n n n n n n n",
    "Service Name|User I/O Total Wts|User I/O Wt Time|Concurcy Total Wts|Concurcy Wt Time|"
    "Admin Total Wts|Admin Wt Time|Network Total Wts|Network Wt Time",
    "This table displays service wait class statistics. It displays user I/O total wait, user "
    "I/O wait time, concurrency total wait, concurrency wait time, etc.",
)
PROCESS_WAITS = Layout(
    """
Process Type Description                      Wait Class Type   Wait Time (sec)
------------ -------------------------------- ----------------- ---------------
""",
    "s s s d2",
    "Process Type|Description|Wait Class Type|Wait Time (sec)",
    "Top Process Types by Wait Class. . This table displays top process types ordered by wait "
    "class",
)
PROCESS_CPU = Layout(
    """
Process Type Description                        CPU Time (sec)
------------ -------------------------------- ----------------
""",
    "s s d2",
    "Process Type|Description|CPU Time (sec)",
    "Top Process Types by CPU Used. . This table displays top process types ordered by CPU time",
)

UNITS_11 = "s  - second, ms - millisecond -    1000th of a second"
UNITS_19 = "s  - second, ms - millisecond, us - microsecond, ns - nanosecond"
TIMEOUTS = "%Timeouts: value of 0 indicates value was < .5%.  Value of null is truly 0"


def wait_group(d: Derived) -> Group:
    """Wait Events Statistics."""
    is_19 = d.release.major >= 19
    sections = [
        time_model(d),
        os_statistics(d),
        os_detail(d),
        wait_class(d),
        foreground_events(d),
        background_events(d),
        *(histograms_19(d) if is_19 else histograms_11(d)),
        services(d),
        service_waits(d),
    ]
    if is_19:
        sections += [Section("Top 10 Channel Waits", anchor=5840), *top_processes(d)]
    return Group("Wait Events Statistics", 21, tuple(sections))


def time_model(d: Derived) -> Section:
    """Time Model Statistics."""
    t = d.workload.time
    is_19 = d.release.major >= 19
    total_cpu_us = t.db_cpu_us + t.background_cpu_us
    of_db_time = {
        "sql execute elapsed time": t.sql_execute_us,
        "DB CPU": t.db_cpu_us,
        "PL/SQL execution elapsed time": t.plsql_execute_us,
        "parse time elapsed": t.parse_us,
        "hard parse elapsed time": t.hard_parse_us,
        "connection management call elapsed time": t.connection_us,
        "repeated bind elapsed time": t.repeated_bind_us,
    }
    rows: list[Row] = [
        (name, us / 1e6, percent(us, t.db_time_us))
        for name, us in sorted(of_db_time.items(), key=lambda item: -item[1])
    ]
    rows += [
        ("DB time", t.db_time_us / 1e6, None),
        ("background elapsed time", t.background_us / 1e6, None),
        ("background cpu time", t.background_cpu_us / 1e6, None),
    ]
    notes: tuple[str, ...] = (
        f"Total time in database user-calls (DB Time): {rounded(d.db_time_s, 1):f}s",
        (
            'Statistics including the word "background" measure background process\n'
            "time, and so do not contribute to the DB time statistic"
        ),
        "Ordered by % or DB time desc, Statistic name",
    )
    if is_19:
        shares = {"DB CPU": t.db_cpu_us, "background cpu time": t.background_cpu_us}
        rows = [
            (*row, percent(shares[str(row[0])], total_cpu_us) if row[0] in shares else None)
            for row in rows
        ]
        rows.append(("total CPU time", total_cpu_us / 1e6, None, None))
        notes = (
            "DB Time represents total time in user calls",
            "DB CPU represents CPU time of foreground processes",
            "Total CPU Time represents foreground and background processes",
            (
                'Statistics including the word "background" measure background process\n'
                "time, therefore do not contribute to the DB time statistic"
            ),
            "Ordered by % of DB time in descending order, followed by Statistic Name",
        )
    layout = d.release.pick(TIME_MODEL, since_19=TIME_MODEL_19, until_10=TIME_MODEL_10)
    return Section("Time Model Statistics", layout, rows, notes, 1500, new_page=True)


def host_statistics(d: Derived) -> list[tuple[str, int, int | None]]:
    """Operating system statistics with the end value where it may differ."""
    w = d.workload
    host, database = w.host, w.database
    return [
        ("BUSY_TIME", host.busy_cs, None),
        ("IDLE_TIME", host.idle_cs, None),
        ("IOWAIT_TIME", host.iowait_cs, None),
        ("NICE_TIME", host.nice_cs, None),
        ("SYS_TIME", host.system_cs, None),
        ("USER_TIME", host.user_cs, None),
        ("LOAD", round(w.begin.load_average), round(w.end.load_average)),
        ("PHYSICAL_MEMORY_BYTES", database.memory_bytes, None),
        ("NUM_CPUS", database.cpus, None),
        ("NUM_CPU_CORES", database.cores, None),
        ("NUM_CPU_SOCKETS", database.sockets, None),
        ("GLOBAL_RECEIVE_SIZE_MAX", 4_194_304, None),
        ("GLOBAL_SEND_SIZE_MAX", 1_048_576, None),
        ("TCP_RECEIVE_SIZE_DEFAULT", 87_380, None),
        ("TCP_RECEIVE_SIZE_MAX", 4_194_304, None),
        ("TCP_RECEIVE_SIZE_MIN", 4_096, None),
        ("TCP_SEND_SIZE_DEFAULT", 16_384, None),
        ("TCP_SEND_SIZE_MAX", 4_194_304, None),
        ("TCP_SEND_SIZE_MIN", 4_096, None),
    ]


def os_statistics(d: Derived) -> Section:
    """Operating System Statistics."""
    notes = (
        (
            "*TIME statistic values are diffed.\nAll others display actual values.  "
            "End Value is displayed if different"
        ),
        "ordered by statistic type (CPU Use, Virtual Memory, Hardware Config), Name",
    )
    return Section("Operating System Statistics", OS_STATISTICS, host_statistics(d), notes, 1600)


def os_detail(d: Derived) -> Section:
    """Operating System Statistics - Detail."""
    w = d.workload
    host = w.host
    shares = (host.busy_cs, host.user_cs, host.system_cs, host.idle_cs, host.iowait_cs)
    form = "%d-%b %H:%M:%S"
    rows: list[Row] = [
        (w.begin.taken.strftime(form), w.begin.load_average, *[None] * len(shares)),
        (
            w.end.taken.strftime(form),
            w.end.load_average,
            *(percent(share, host.total_cs) for share in shares),
        ),
    ]
    return Section("Operating System Statistics - Detail", OS_DETAIL, rows, anchor=1610)


def average(d: Derived, event: Event) -> float:
    """Average wait in the unit of the release: milliseconds, or microseconds with a unit."""
    return event.average_us if d.release.major >= 19 else event.average_us / 1_000


def timeout_pct(event: Event) -> float | None:
    """Share of timeouts; nothing where there was none."""
    return percent(event.timeouts, event.waits) if event.timeouts else None


def wait_class(d: Derived) -> Section:
    """Foreground Wait Class."""
    classes = by_class(d.workload.foreground)
    waited_us = sum(event.time_us for event in classes)
    times = {event.name: event.time_us for event in classes} | {"DB CPU": d.workload.time.db_cpu_us}
    by_name: dict[str, Row] = {
        event.name: (
            event.name,
            event.waits,
            timeout_pct(event) or 0,
            event.time_us / 1e6,
            average(d, event),
            percent(event.time_us / 1e6, d.db_time_s),
        )
        for event in classes
    }
    by_name["DB CPU"] = (
        "DB CPU", None, None, d.db_cpu_s, None, percent(d.db_cpu_s, d.db_time_s)
    )  # fmt: skip
    rows = [by_name[name] for name in sorted(by_name, key=lambda name: -times[name])]
    captured = percent(waited_us / 1e6 + d.db_cpu_s, d.db_time_s)
    notes = (
        UNITS_19 if d.release.major >= 19 else UNITS_11,
        "ordered by wait time desc, waits desc",
        TIMEOUTS,
        f"Captured Time accounts for {captured:12,.1f}%  of Total DB time {d.db_time_s:14,.2f} (s)",
        f"Total FG Wait Time: {waited_us / 1e6:20,.2f} (s)  DB CPU time: {d.db_cpu_s:14,.2f} (s)",
    )
    layout = d.release.pick(WAIT_CLASS, since_19=WAIT_CLASS_19)
    return Section("Foreground Wait Class", layout, rows, notes, 210)


def event_rows(d: Derived, events: Sequence[Event], whole_us: float) -> list[Row]:
    """Rows of an event table whose shares are of a given time."""
    return [
        (
            event.name,
            event.waits,
            timeout_pct(event),
            event.time_us / 1e6,
            average(d, event),
            d.per_transaction(event.waits),
            None if event.idle else percent(event.time_us, whole_us),
        )
        for event in by_time(events)
    ]


def foreground_events(d: Derived) -> Section:
    """Foreground Wait Events."""
    rows = event_rows(d, d.workload.foreground, d.workload.time.db_time_us)
    notes = (
        UNITS_19 if d.release.major >= 19 else UNITS_11,
        "Only events with Total Wait Time (s) >= .001 are shown",
        "ordered by wait time desc, waits desc (idle events last)",
        TIMEOUTS,
    )
    layout = d.release.pick(FOREGROUND, since_19=FOREGROUND_19)
    return Section("Foreground Wait Events", layout, rows, notes, 100, new_page=True)


def background_events(d: Derived) -> Section:
    """Background Wait Events."""
    rows = event_rows(d, d.workload.background, d.workload.time.background_us)
    notes = (
        "ordered by wait time desc, waits desc (idle events last)",
        "Only events with Total Wait Time (s) >= .001 are shown",
        TIMEOUTS,
    )
    layout = d.release.pick(BACKGROUND, since_19=BACKGROUND_19)
    return Section("Background Wait Events", layout, rows, notes, 300, new_page=True)


def histogram_row(event: Event, bounds: Sequence[int], count: str) -> Row:
    """Shares of waits below each bound (a power of two of a microsecond) and above the last."""
    edges = [0, *(bound + 1 for bound in bounds), len(event.histogram)]
    parts = [sum(event.histogram[low:high]) for low, high in pairwise(edges)]
    shares = [percent(part, event.waits) if part else None for part in parts]
    return (event.name, count, *shares)


def histogram_rows(d: Derived, bounds: Sequence[int]) -> list[Row]:
    """All events, idle ones last."""
    events = sorted(combined(d.workload.events), key=lambda e: (e.idle, e.name))
    return [histogram_row(event, bounds, awr_count(event.waits)) for event in events]


def detail_rows(d: Derived, bounds: Sequence[int], first: int) -> list[Row]:
    """Events with waits from the bucket ``first`` to the last bound; they are counted first."""
    rows = []
    for event in sorted(combined(d.workload.events), key=lambda e: e.name):
        within = sum(event.histogram[first : bounds[-1] + 1])
        if within and not event.idle:
            rows.append(histogram_row(event, bounds, awr_count(within)))
    return rows


MS = (10, 11, 12, 13, 14, 15, 20)
TO_2S = (15, 16, 17, 18, 19, 20, 21)
COUNT_UNITS = "Units for Total Waits column: K is 1000, M is 1000000, G is 1000000000"
ALL_CLASSES = "% of Total Waits: total waits for all wait classes, including Idle"
TINY_SHARES = "% of Total Waits: value of .0 indicates value was <.05%;\nvalue of null is truly 0"
NON_IDLE = "Ordered by Event (only non-idle events are displayed)"
MS_UNITS = (
    "Units for % of Total Waits:\nms is milliseconds\n"
    "s is 1024 milliseconds (approximately 1 second)"
)


def histograms_11(d: Derived) -> list[Section]:
    """Wait event histograms of 11.2: milliseconds."""
    return [
        Section(
            "Wait Event Histogram",
            HISTOGRAM,
            histogram_rows(d, MS),
            (
                COUNT_UNITS,
                "% of Waits: value of .0 indicates value was <.05%; value of null is truly 0",
                "% of Waits: column heading of <=1s is truly <1024ms, >1s is truly >=1024ms",
                "Ordered by Event (idle events last)",
            ),
            7400,
            new_page=True,
        ),
        Section(
            "Wait Event Histogram Detail (64 msec to 2 sec)",
            HISTOGRAM_64MS,
            detail_rows(d, TO_2S, 16),
            (COUNT_UNITS, MS_UNITS, ALL_CLASSES, TINY_SHARES, NON_IDLE),
            7410,
            new_page=True,
        ),
        Section("Wait Event Histogram Detail (4 sec to 2 min)", anchor=7420, new_page=True),
        Section("Wait Event Histogram Detail (4 min to 1 hr)", anchor=7430, new_page=True),
    ]


def _histogram_19(waits: tuple[str, ...], bounds: str, html: str) -> Layout:
    """A histogram of 12.2 and later: the words over the waits, and the bounds after them."""
    *above, last = waits
    lines = (
        *HISTOGRAM_64MS.lines[:2],
        *(f"{word:>32}" for word in above),
        f"Event{last:>27} {bounds}",
        "-" * 25 + " " + "-" * 6 + " -----" * 8,
    )
    heading = "\n".join(line.rstrip() for line in lines)
    return replace(HISTOGRAM_64MS, heading=heading, html=html)


UP_TO_512US = _histogram_19(
    ("Total", "Waits"),
    " <8us <16us <32us <64us <128u <256u <512u >=512",
    "Event|Total Waits|<8us|<16us|<32us|<64us|<128us|<256us|<512us|>=512us",
)
UP_TO_64US = _histogram_19(
    ("Waits", "1us ", "- 64us"),
    " <1us  <2us  <4us  <8us <16us <32us <64us >=64u",
    "Event|Waits 1us  - 64us| <1us| <2us| <4us|<8us|<16us|<32us|<64us|>=64us",
)
UP_TO_32MS = _histogram_19(
    ("Waits", "1ms ", "to 32m"),
    " <512  <1ms  <2ms  <4ms  <8ms <16ms <32ms >=32m",
    "Event|Waits 1ms  to 32ms| <512us| <1ms| <2ms| <4ms|<8ms|<16ms|<32ms|>=32ms",
)
UP_TO_2S = _histogram_19(
    ("Waits", "64ms", "to 2s"), HISTOGRAM_64MS.lines[-2].split("to 2s ")[1], HISTOGRAM_64MS.html
)


def histograms_19(d: Derived) -> list[Section]:
    """Wait event histograms of 12.2 and later: microseconds and up."""
    us_units = "Units for % of Total Waits:\nus is microseconds"
    tables: list[tuple[str, int, Layout, list[Row], str]] = [
        (
            "Wait Event Histogram (up to 64 us)",
            7405,
            UP_TO_64US,
            detail_rows(d, (0, 1, 2, 3, 4, 5, 6), 1),
            us_units + " ",
        ),
        (
            "Wait Event Histogram (up to 32 ms)",
            7410,
            UP_TO_32MS,
            detail_rows(d, (9, 10, 11, 12, 13, 14, 15), 10),
            us_units + ",\nms is 1024 microseconds (approximately 1 millisecond)",
        ),
        (
            "Wait Event Histogram (up to 2 sec)",
            7420,
            UP_TO_2S,
            detail_rows(d, TO_2S, 16),
            MS_UNITS,
        ),
    ]
    return [
        Section(
            "Wait Event Histogram",
            UP_TO_512US,
            histogram_rows(d, (3, 4, 5, 6, 7, 8, 9)),
            (COUNT_UNITS, us_units, TINY_SHARES, "Ordered by Event (idle events last)"),
            7400,
            new_page=True,
        ),
        *(
            Section(
                title,
                layout,
                rows,
                (COUNT_UNITS, units, ALL_CLASSES, TINY_SHARES, NON_IDLE),
                at,
                new_page=True,
            )
            for title, at, layout, rows, units in tables
        ),
        Section("Wait Event Histogram (up to 2 min)", anchor=7430, new_page=True),
        Section("Wait Event Histogram (up to 1 hr)", anchor=7440, new_page=True),
    ]


def services(d: Derived) -> Section:
    """Service Statistics: users' work in one service, a little in the background's."""
    reads, gets = d["physical reads"], d["session logical reads"]
    background_reads = d["physical reads cache"] // 2
    background_gets = d["consistent gets"] // 90
    rows: list[Row] = [
        (
            "SYS$USERS",
            d.db_time_s,
            d.db_cpu_s,
            (reads - background_reads) / 1_000,
            (gets - background_gets) / 1_000,
        ),
        ("SYS$BACKGROUND", 0, 0, background_reads / 1_000, background_gets / 1_000),
    ]
    notes = ("ordered by DB Time",)
    return Section("Service Statistics", SERVICES, rows, notes, 5800, new_page=True)


def service_waits(d: Derived) -> Section:
    """Service Wait Class Stats."""

    def row(service: str, events: Sequence[Event]) -> Row:
        classes = {event.name: event for event in by_class(events)}
        cells: list[float] = []
        for name in ("User I/O", "Concurrency", "Administrative", "Network"):
            event = classes.get(name)
            cells += [event.waits, event.time_us / 1e6] if event else [0, 0]
        return (service, *cells)

    w = d.workload
    rows = [row("SYS$USERS", w.foreground), row("SYS$BACKGROUND", w.background)]
    notes = (
        "Wait Class info for services in the Service Statistics section.",
        (
            "Total Waits and Time Waited displayed for the following wait\n"
            "classes:  User I/O, Concurrency, Administrative, Network"
        ),
        "Time Waited (Wt Time) in seconds",
    )
    return Section("Service Wait Class Stats", SERVICE_WAITS, rows, notes, 5820)


PROCESSES: tuple[tuple[str, str, Callable[[Event], bool]], ...] = (
    ("LGWR", "Redo etc.", lambda e: e.name.startswith(("log file", "LGWR", "latch: redo"))),
    ("DBW0", "db writer process 0", lambda e: e.name.startswith("db file parallel")),
    ("CKPT", "checkpoint", lambda e: e.name.startswith("control file")),
    ("M", "MMON slave class 1", lambda _: True),
)


def top_processes(d: Derived) -> list[Section]:
    """Top process types (12.2 and later)."""
    rows: list[tuple[str, str, str, float]] = []
    left = [event for event in d.workload.background if not event.idle]
    for process, description, owns in PROCESSES:
        own = [event for event in left if owns(event)]
        left = [event for event in left if not owns(event)]
        rows += [(process, description, e.name, e.time_us / 1e6) for e in by_class(own)]
    others = "Others (foregrounds + unclassified backgrounds)"
    rows += [("", others, e.name, e.time_us / 1e6) for e in by_class(d.workload.foreground)]
    t = d.workload.time
    lgwr_us, dbwr_us = t.background_cpu_us * 6 // 10, t.background_cpu_us * 3 // 10
    cpu: list[Row] = [
        ("", others, d.db_cpu_s),
        ("LGWR", "Redo etc.", lgwr_us / 1e6),
        ("DBW0", "db writer process 0", dbwr_us / 1e6),
        ("M", "MMON slave class 1", (t.background_cpu_us - lgwr_us - dbwr_us) / 1e6),
    ]
    return [
        Section(
            "Top Process Types by Wait Class",
            PROCESS_WAITS,
            [row for _, row in sorted((-row[3], row) for row in rows)],
            ("This table displays top process types ordered by wait class",),
            2310,
        ),
        Section(
            "Top Process Types by CPU Used",
            PROCESS_CPU,
            cpu,
            ("This table displays top process types ordered by CPU time",),
            2320,
        ),
    ]
