"""RAC reports (awrgrpt) of a cluster, text and HTML, as 11.2 prints them.

The instances are workloads; the cluster's figures are their sums. A table is described once, by
columns with the group that they are printed under, and both media print it from there.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from html import escape
from itertools import groupby
from typing import TYPE_CHECKING

from . import awr_cluster
from .awr_html import RELEASE_11 as RELEASE
from .awr_other import parameters
from .derived import Derived
from .figures import MIB, grouped, plain, ratio
from .records import Records

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from .model import Event, Workload

RECORDS = Records("rac")
BANNER = "WORKLOAD REPOSITORY REPORT (RAC)"


@dataclass(frozen=True)
class Column:
    """A column: its heading, the group over it, its width in text (negative: left-aligned)."""

    heading: str
    width: int
    group: str = ""


@dataclass(frozen=True)
class Table:
    """A table of either medium."""

    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[str, ...], ...]
    underlined: bool = False
    """A title on the first page, without database and snapshots."""


def tables(instances: Sequence[Derived]) -> Iterator[Table]:
    """All tables of the report."""
    yield _summary(instances)
    yield _members(instances)
    yield _host(instances)
    yield _by_instance("Time Model", _TIMES, instances, 2)
    yield _top_events(instances)
    for title, background in (("Foreground", False), ("Background", True)):
        yield _events(f"{title} Wait Events (Global)", instances, background=background)
    yield _by_instance("System Statistics", _WORK, instances, 0)
    rates = tuple((f"{heading}/s", _per_second(value)) for heading, value in _WORK)
    yield _by_instance("System Statistics - Per Second", rates, instances, 2)
    yield _by_instance("SysStat and Global Messaging  - RAC", _MESSAGES, instances, 0)
    rates = tuple((_A_SECOND.get(h, h), _per_second(value)) for h, value in _MESSAGES)
    yield _by_instance("SysStat and  Global Messaging (per Sec)- RAC", rates, instances, 2)
    yield _accesses(instances)
    yield _statistics(instances)
    yield _parameters(instances)


def _summary(instances: Sequence[Derived]) -> Table:
    w = instances[0].workload
    columns = RECORDS.rows(Column, "summary")
    count = str(len(instances))
    row = (
        str(w.database.db_id), w.database.name, "YES", str(w.database.block_bytes),
        str(w.begin.snap_id), str(w.end.snap_id), count, count, count, count,
        grouped(sum(d.db_time_s for d in instances) / 60, 2),
        grouped(instances[0].elapsed_s / 60, 2),
    )  # fmt: skip
    return Table("Database Summary", columns, (row,), underlined=True)


def _members(instances: Sequence[Derived]) -> Table:
    columns = RECORDS.rows(Column, "members")
    minute = "%d-%b-%y %H:%M"
    rows = []
    for d in instances:
        w = d.workload
        up = (w.end.taken - w.database.startup).total_seconds() / 3600
        rows.append((
            str(w.database.instance_number), w.database.instance, w.database.host,
            w.database.startup.strftime(minute), w.begin.taken.strftime(minute),
            w.end.taken.strftime(minute), RELEASE.number, grouped(d.elapsed_s / 60, 2),
            grouped(d.db_time_s / 60, 2), grouped(up, 2), grouped(d.db_time_s / d.elapsed_s, 2),
            w.database.platform,
        ))  # fmt: skip
    return Table("Database Instances Included In Report", columns, tuple(rows), underlined=True)


def _host(instances: Sequence[Derived]) -> Table:
    columns = RECORDS.rows(Column, "host")
    rows = []
    for d in instances:
        w, host = d.workload, d.workload.host
        shares = (host.busy_cs, host.user_cs, host.system_cs, host.iowait_cs, host.idle_cs)
        rows.append((
            str(w.database.instance_number), str(w.database.cpus), str(w.database.cores),
            str(w.database.sockets), plain(w.begin.load_average, 2), plain(w.end.load_average, 2),
            *(plain(ratio(share * 100, host.total_cs), 2) for share in shares),
            *(grouped(cs / 100, 2) for cs in (host.busy_cs, host.idle_cs, host.total_cs)),
            grouped(w.database.memory_bytes / MIB, 2), "", "", "", "",
        ))  # fmt: skip
    return Table("OS Statistics By Instance", columns, tuple(rows))


Quantity = tuple[str, "Callable[[Derived], float]"]
"""A heading, with its group before a bar where it has one, and what stands under it."""


def _statistic(name: str, divisor: int = 1) -> Callable[[Derived], float]:
    return lambda d: d[name] / divisor


def _time(field: str) -> Callable[[Derived], float]:
    return lambda d: float(getattr(d.workload.time, field)) / 1e6


def _per_second(value: Callable[[Derived], float]) -> Callable[[Derived], float]:
    return lambda d: d.per_second(value(d))


_TIMES: tuple[Quantity, ...] = (
    ("DB time (s)", _time("db_time_us")), ("DB CPU (s)", _time("db_cpu_us")),
    ("SQL Exec Ela (s)", _time("sql_execute_us")), ("Parse Ela (s)", _time("parse_us")),
    ("Hard Parse Ela (s)", _time("hard_parse_us")), ("PL/SQL Ela (s)", _time("plsql_execute_us")),
    ("bg time (s)", _time("background_us")), ("bg CPU (s)", _time("background_cpu_us")),
)  # fmt: skip
_WORK: tuple[Quantity, ...] = (
    ("Logical Reads", _statistic("session logical reads")),
    ("Physical Reads", _statistic("physical reads")),
    ("Physical Writes", _statistic("physical writes")),
    ("Redo Size (k)", _statistic("redo size", 1024)),
    ("Block Changes", _statistic("db block changes")), ("User Calls", _statistic("user calls")),
    ("Execs", _statistic("execute count")), ("Parses", _statistic("parse count (total)")),
    ("Logons", _statistic("logons cumulative")), ("Txns", lambda d: d.transactions),
)  # fmt: skip


def _message(name: str) -> Callable[[Derived], float]:
    return lambda d: d.workload.cluster.messaging[name] if d.workload.cluster else 0


_MESSAGES: tuple[Quantity, ...] = (
    ("Blocks Received|GC Current", _statistic("gc current blocks received")),
    ("Blocks Received|GC CR", _statistic("gc cr blocks received")),
    ("Blocks Served|GC Current", _statistic("gc current blocks served")),
    ("Blocks Served|GC CR", _statistic("gc cr blocks served")),
    ("CPU (seconds)|GC", _statistic("gc CPU used by this session", 100)),
    ("CPU (seconds)|IPC", _statistic("IPC CPU used by this session", 100)),
    ("Messages|GCS Received", _message("gcs msgs received")),
    ("Messages|GES Received", _message("ges msgs received")),
    ("Messages|GCS Sent", _statistic("gcs messages sent")),
    ("Messages|GES Sent", _statistic("ges messages sent")),
    ("Messages|Sent Direct", _message("messages sent directly")),
    ("Messages|Sent Indir", _message("messages sent indirectly")),
    ("GC Blks|Lost", _statistic("gc blocks lost")),
    ("GC CR|Failure", lambda _: 0),
)
_OVER = {
    "Blocks Received": "Blocks Received Per Second",
    "Blocks Served": "Blocks Served per Second",
    "CPU (seconds)": "CPU seconds per Second",
    "Messages": "Messages Per Second",
}
#: The same headings where the figures are of a second.
_A_SECOND = {
    heading: f"{_OVER[heading.split('|')[0]]}|{heading.split('|')[1]}"
    for heading, _ in _MESSAGES
    if heading.split("|")[0] in _OVER
} | {"GC Blks|Lost": "GC Blks|Lost/s", "GC CR|Failure": "GC CR|Fail/s"}


def _accesses(instances: Sequence[Derived]) -> Table:
    columns = RECORDS.rows(Column, "accesses")
    rows = tuple(
        (str(d.workload.database.instance_number), *(plain(s, 2) for s in awr_cluster.accesses(d)))
        for d in instances
    )
    return Table("Global Cache Efficiency Percentages", columns, rows)


def _by_instance(
    title: str, quantities: tuple[Quantity, ...], instances: Sequence[Derived], decimals: int
) -> Table:
    """A row for each instance, and their sum."""
    headings = (heading.rpartition("|") for heading, _ in quantities)
    columns = (Column("I#", 4), *(Column(heading, 20, group) for group, _, heading in headings))
    values = [[value(d) for _, value in quantities] for d in instances]
    total = [sum(column) for column in zip(*values, strict=True)]
    labels = [str(d.workload.database.instance_number) for d in instances]
    rows = tuple(
        (label, *(grouped(value, decimals) for value in row))
        for label, row in zip([*labels, "Sum"], [*values, total], strict=True)
    )
    return Table(title, columns, rows)


def _added(instances: Sequence[Derived], *, background: bool) -> list[Event]:
    """Waits of all instances, the longest first and idle ones last."""
    found: dict[str, Event] = {}
    for d in instances:
        for event in d.workload.events:
            if event.background is not background:
                continue
            known = found.get(event.name)
            found[event.name] = event if known is None else dataclasses.replace(
                known, waits=known.waits + event.waits, time_us=known.time_us + event.time_us,
                timeouts=known.timeouts + event.timeouts,
            )  # fmt: skip
    return sorted(found.values(), key=lambda event: (event.idle, -event.time_us))


def _figures(event: Event, whole_s: float) -> tuple[str, ...]:
    return (
        event.wait_class, event.name, grouped(event.waits),
        plain(ratio(event.timeouts * 100, event.waits), 2), grouped(event.time_us / 1e6, 2),
        grouped(event.average_us / 1e3, 2), plain(ratio(event.time_us / 1e4, whole_s), 2),
    )  # fmt: skip


def _event_columns(share: str) -> tuple[Column, ...]:
    return (
        Column("Class", -13), Column("Event", -45), Column("Waits", 13, "Wait"),
        Column("%Timeouts", 9, "Wait"), Column("Total(s)", 13, "Wait Time"),
        Column("Avg(ms)", 9, "Wait Time"), Column(share, 9, "Wait Time"),
    )  # fmt: skip


def _events(title: str, instances: Sequence[Derived], *, background: bool) -> Table:
    if background:
        whole = sum(d.workload.time.background_us for d in instances) / 1e6
    else:
        whole = sum(d.db_time_s for d in instances)
    rows = tuple(_figures(event, whole) for event in _added(instances, background=background))
    return Table(title, _event_columns("%bg time" if background else "%DB time"), rows)


def _top_events(instances: Sequence[Derived]) -> Table:
    whole = sum(d.db_time_s for d in instances)
    rows = [("*", *_figures(e, whole)) for e in _added(instances, background=False)[:5]]
    for d in instances:
        label = str(d.workload.database.instance_number)
        own = _added([d], background=False)[:5]
        rows += [(label, *_figures(event, d.db_time_s)) for event in own]
    return Table("Top Timed Events", (Column("I#", 4), *_event_columns("%DB time")), tuple(rows))


def _statistics(instances: Sequence[Derived]) -> Table:
    columns = RECORDS.rows(Column, "statistics")
    transactions = sum(d.transactions for d in instances)
    rows = []
    for name, _ in instances[0].printed_statistics():
        each = [d.per_second(d[name]) for d in instances]
        total = sum(d[name] for d in instances)
        rows.append((
            name, grouped(total), grouped(sum(each), 2), grouped(ratio(total, transactions), 2),
            *(grouped(value, 2) for value in (sum(each) / len(each), min(each), max(each))),
        ))  # fmt: skip
    return Table("System Statistics (Global)", columns, tuple(rows))


def _parameters(instances: Sequence[Derived]) -> Table:
    columns = RECORDS.rows(Column, "parameters")
    rows = []
    known = {d.workload.database.instance_number: parameters(d) for d in instances}
    for name in sorted({name for each in known.values() for name in each}):
        values = {number: each.get(name, "") for number, each in known.items()}
        if len(set(values.values())) == 1:
            rows.append((name, "*", next(iter(values.values())), ""))
        else:
            rows += [(name, str(number), value, "") for number, value in values.items() if value]
    return Table("init.ora Parameters", columns, tuple(rows))


def write_text(workloads: Sequence[Workload]) -> str:
    """The report as text."""
    instances = [Derived(w, RELEASE) for w in workloads]
    w = workloads[0]
    named = (
        f"DB/Inst: {w.database.name}/{w.database.instance}  "
        f"Snaps: {w.begin.snap_id}-{w.end.snap_id}"
    )
    lines = ["", BANNER, ""]
    for table in tables(instances):
        if table.underlined:
            lines += [table.title, "~" * len(table.title)]
        else:
            lines += [f"{table.title:<45} {named}", ""]
        lines += [*_text(table), "" if table.underlined else " " * 26 + "-" * 54, ""]
    return "\n".join([*lines, "End of Report", ""])


def _text(table: Table) -> Iterator[str]:
    over, rule = "", ""
    for group, members in groupby(table.columns, key=lambda column: column.group):
        width = sum(abs(column.width) + 1 for column in members) - 1
        over += group[:width].center(width) + " "
        rule += ("-" if group else " ") * width + " "
    if over.strip():
        yield over.rstrip()
        yield rule.rstrip()

    def line(cells: tuple[str, ...]) -> str:
        aligned = (
            cell[: abs(c.width)].ljust(-c.width) if c.width < 0 else cell.rjust(c.width)
            for cell, c in zip(cells, table.columns, strict=True)
        )
        return " ".join(aligned).rstrip()

    yield line(tuple(column.heading for column in table.columns))
    yield " ".join("-" * abs(column.width) for column in table.columns)
    yield from (line(row) for row in table.rows)


def write_html(workloads: Sequence[Workload]) -> str:
    """The report as a page."""
    instances = [Derived(w, RELEASE) for w in workloads]
    title = f"AWR RAC Report for DB: {workloads[0].database.name}"
    lines = [f'<html lang="en"><head><title>{title}</title></head><body class="awr">',
             f'<h1 class="awr">\n{BANNER}\n</h1>']  # fmt: skip
    for table in tables(instances):
        lines += [f'<h3 class="awr">{escape(table.title)}</h3>', *_html(table)]
    return "\n".join([*lines, "<p>End of Report</p>", "</body></html>", ""])


def _html(table: Table) -> Iterator[str]:
    yield '<table border="0" class="tdiff">'
    if any(column.group for column in table.columns):
        cells = ""
        for group, members in groupby(table.columns, key=lambda column: column.group):
            count = len(list(members))
            spanned = f'<th class="awrbg" colspan="{count}">{escape(group)}</th>'
            cells += spanned if group else "<td>&#160;</td>" * count
        yield f"<tr>{cells}</tr>"
    heads = (f'<th class="awrbg" scope="col">{escape(c.heading)}</th>' for c in table.columns)
    yield f"<tr>{''.join(heads)}</tr>"
    for row in table.rows:
        cells = "".join(f'<td class="awrc">{escape(cell) or "&#160;"}</td>' for cell in row)
        yield f"<tr>{cells}</tr>"
    yield "</table><p />"
