"""Compare-period reports (awrddrpt) of two workloads, text and HTML, as 11.2 prints them.

A table is described once: its keys, its groups of figures, and for each row a pair of figures a
group. Both media print it from there, the differences computed.
"""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from itertools import pairwise
from typing import TYPE_CHECKING

from .awr_text import RELEASE
from .derived import Derived, combined, tablespaces
from .figures import grouped, ratio

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from .model import DataFile, Event, Recovery, Workload

    Columns = tuple[tuple[str, int], ...]
    Rows = Sequence[tuple[str, ...]]

Pair = tuple[float | None, float | None]
BANNER = "WORKLOAD REPOSITORY COMPARE PERIOD REPORT"
_FIGURE, _CHANGE, _GAP = 14, 10, "   "


@dataclass(frozen=True)
class Group:
    """Figures of both periods under one heading; ``change`` is what a third column shows."""

    name: str
    decimals: int = 1
    change: str = "%Diff"

    @property
    def headings(self) -> tuple[str, ...]:
        """Headings of its columns."""
        return ("1st", "2nd", self.change) if self.change else ("1st", "2nd")

    @property
    def widths(self) -> tuple[int, ...]:
        """Widths of its columns in text."""
        return (_FIGURE, _FIGURE, _CHANGE)[: len(self.headings)]

    def cells(self, pair: Pair) -> tuple[str, ...]:
        """Both figures and what differs."""
        first, second = pair
        shown = tuple("" if x is None else grouped(x, self.decimals) for x in pair)
        if not self.change:
            return shown
        if first is None or second is None:
            return (*shown, "")
        if self.change == "Diff":
            return (*shown, grouped(second - first, self.decimals))
        return (*shown, grouped((second - first) * 100 / first if first else 0.0, 1))


@dataclass(frozen=True)
class Compared:
    """A table of figures of both periods."""

    title: str
    keys: tuple[tuple[str, int], ...]
    groups: tuple[Group, ...]
    rows: tuple[tuple[tuple[str, ...], tuple[Pair, ...]], ...]
    above: bool = False
    """The key stands on a line of its own above the figures."""


def tables(a: Derived, b: Derived) -> Iterator[Compared]:
    """All tables with figures of both periods."""
    yield _time_model(a, b)
    host = [(name, (x, y)) for (name, x), (_, y) in zip(_host(a), _host(b), strict=True)]
    yield Compared(
        "Operating System Statistics",
        (("Statistic Name", 35),),
        (Group("Value (centi-seconds)", 0, ""), Group("per Second (Elapsed Time)")),
        tuple(
            ((name,), (pair, (a.per_second(pair[0]), b.per_second(pair[1])))) for name, pair in host
        ),
    )
    yield _wait_events(a, b)
    names = sorted({*dict(a.printed_statistics()), *dict(b.printed_statistics())})
    key = ("db block changes", "execute count", "physical reads", "redo size", "user commits")
    for title, chosen in (
        ("Key Instance Activity Stats", [name for name in names if name in key]),
        ("Other Instance Activity Stats", [name for name in names if name not in key]),
    ):
        yield Compared(
            title,
            (("Statistic", 45),),
            (
                Group("Value", 0),
                Group("per Second (DB time)"),
                Group("per Second (Elapsed Time)"),
                Group("per Trans"),
            ),
            tuple(((name,), _rates(a, b, name)) for name in chosen),
        )
    yield _tablespaces(a, b)
    yield _buffer_waits(a, b)


def _time_model(a: Derived, b: Derived) -> Compared:
    names = (
        ("DB time", "db_time_us"), ("DB CPU", "db_cpu_us"),
        ("sql execute elapsed time", "sql_execute_us"), ("parse time elapsed", "parse_us"),
        ("background elapsed time", "background_us"), ("background cpu time", "background_cpu_us"),
    )  # fmt: skip
    rows = []
    for name, field in names:
        first, second = (getattr(d.workload.time, field) / 1e6 for d in (a, b))
        shares = (first * 100 / a.db_time_s, second * 100 / b.db_time_s)
        each = (a.per_transaction(first), b.per_transaction(second))
        rows.append(((name,), (shares, (first, second), each)))
    groups = (Group("% of DB time", 1, "Diff"), Group("Time (seconds)"),
              Group("Time per Trans (seconds)"))  # fmt: skip
    return Compared("Time Model Statistics", (("Statistic Name", 45),), groups, tuple(rows))


def _host(d: Derived) -> list[tuple[str, float]]:
    host = d.workload.host
    return [("BUSY_TIME", host.busy_cs), ("IDLE_TIME", host.idle_cs),
            ("IOWAIT_TIME", host.iowait_cs), ("SYS_TIME", host.system_cs),
            ("USER_TIME", host.user_cs)]  # fmt: skip


def _events(d: Derived) -> dict[str, Event]:
    """Waits of sessions and background processes together."""
    return {e.name: e for e in combined(d.workload.events) if e.waits}


def _wait_events(a: Derived, b: Derived) -> Compared:
    one, two = _events(a), _events(b)
    either = {**one, **two}
    # idle events are last
    names = sorted(either, key=lambda n: (
        either[n].idle, -max(e[n].time_us for e in (one, two) if n in e)
    ))  # fmt: skip
    rows = []
    for name in names:
        pairs = [
            (
                figure(a, one[name]) if name in one else None,
                figure(b, two[name]) if name in two else None,
            )
            for figure in (_share, _waits_per_s, _time_s, _average_ms)
        ]
        rows.append(((name, (one.get(name) or two[name]).wait_class), tuple(pairs)))
    groups = (Group("% of DB time", 2, "Diff"), Group("# Waits/sec (Elapsed Time)", 2),
              Group("Total Wait Time (sec)", 2), Group("Avg Wait Time (ms)", 2))  # fmt: skip
    return Compared("Wait Events", (("Event", 45), ("Wait Class", 15)), groups, tuple(rows))


def _share(d: Derived, event: Event) -> float:
    return event.time_us / 1e4 / d.db_time_s


def _waits_per_s(d: Derived, event: Event) -> float:
    return d.per_second(event.waits)


def _time_s(d: Derived, event: Event) -> float:  # noqa: ARG001 - one of several figures
    return event.time_us / 1e6


def _average_ms(d: Derived, event: Event) -> float:  # noqa: ARG001 - one of several figures
    return event.average_us / 1e3


def _rates(a: Derived, b: Derived, name: str) -> tuple[Pair, ...]:
    one, two = a.statistics.get(name, 0), b.statistics.get(name, 0)
    return (
        (one, two),
        (ratio(one, a.db_time_s), ratio(two, b.db_time_s)),
        (a.per_second(one), b.per_second(two)),
        (a.per_transaction(one), b.per_transaction(two)),
    )


def _tablespaces(a: Derived, b: Derived) -> Compared:
    one = {file.tablespace: file for file in tablespaces(a.workload.files)}
    two = {file.tablespace: file for file in tablespaces(b.workload.files)}
    figures: tuple[Callable[[Derived, DataFile], float], ...] = (
        lambda d, file: d.per_second(file.reads),
        lambda d, file: d.per_second(file.writes),
        lambda _, file: file.reads,
        lambda _, file: ratio(file.read_us, file.reads) / 1e3,
        lambda _, file: ratio(file.blocks_read, file.reads),
        lambda _, file: file.writes,
        lambda _, file: file.buffer_waits,
        lambda _, file: ratio(file.buffer_wait_us, file.buffer_waits) / 1e3,
    )
    rows = [
        (
            (name,),
            tuple(
                (
                    figure(a, one[name]) if name in one else None,
                    figure(b, two[name]) if name in two else None,
                )
                for figure in figures
            ),
        )
        for name in sorted({*one, *two})
    ]
    groups = (
        Group("Avg Reads / Sec"), Group("Avg Writes / Sec"), Group("Reads", 0, ""),
        Group("Avg Read Time (ms)", 1, ""), Group("Avg Blocks / Read", 1, ""),
        Group("Writes", 0, ""), Group("Buffer Waits", 0, ""),
        Group("Avg Buf Wait Time (ms)", 1, ""),
    )  # fmt: skip
    return Compared("Tablespace IO Stats", (("Tablespace", 30),), groups, tuple(rows), above=True)


def _buffer_waits(a: Derived, b: Derived) -> Compared:
    one, two = a.workload.buffer_waits, b.workload.buffer_waits
    rows = []
    for name in sorted({*one, *two}):
        (n, n_us), (m, m_us) = one.get(name, (0, 0)), two.get(name, (0, 0))
        average = (ratio(n_us, n) / 1e3, ratio(m_us, m) / 1e3)
        rows.append(((name,), ((n_us / 1e6, m_us / 1e6), (n, m), average)))
    groups = (Group("Total Wait Time (s)", 2, ""), Group("# Waits", 0, ""),
              Group("Avg Wait Time (ms)", 2))  # fmt: skip
    return Compared("Buffer Wait Statistics", (("Class", 20),), groups, tuple(rows))


def load_profile(a: Derived, b: Derived) -> list[tuple[str, Pair, Pair]]:
    """Figures per second and per transaction."""
    lines = (
        ("DB time:", a.db_time_s, b.db_time_s), ("CPU time:", a.db_cpu_s, b.db_cpu_s),
        *(
            (f"{label}:", a[name], b[name])
            for label, name in (
                ("Redo size", "redo size"), ("Logical reads", "session logical reads"),
                ("Block changes", "db block changes"), ("Physical reads", "physical reads"),
                ("Physical writes", "physical writes"), ("User calls", "user calls"),
                ("Executes", "execute count"),
            )
        ),
        ("Transactions:", a.transactions, b.transactions),
    )  # fmt: skip
    return [
        (label, (a.per_second(x), b.per_second(y)), (a.per_transaction(x), b.per_transaction(y)))
        for label, x, y in lines
    ]


def recovery(a: Derived, b: Derived) -> list[tuple[str, Recovery]]:
    """Instance Recovery Stats at begin and end of both periods."""
    return [
        (f"{row.label}{number}", row)
        for number, d in enumerate((a, b), start=1)
        for row in d.workload.recovery
    ]


_RECOVERY = (
    ("Target MTTR(s)", "target_mttr_s"), ("Estimated MTTR(s)", "estimated_mttr_s"),
    ("Recovery Estimated IOs", "estimated_ios"), ("Actual Redo Blocks", "actual_redo_blocks"),
    ("Target Redo Blocks", "target_redo_blocks"),
    ("Log File Size Redo Blocks", "log_size_redo_blocks"),
    ("Log Ckpt Timeout Redo Blocks", "timeout_redo_blocks"),
)  # fmt: skip


def parameters(a: Workload, b: Workload) -> list[tuple[str, str, str]]:
    """Parameters; the second period's are blank where they are the first's."""
    return [
        (name, a.parameters.get(name, ""),
         "" if a.parameters.get(name) == b.parameters.get(name) else b.parameters.get(name, ""))
        for name in sorted({*a.parameters, *b.parameters})
    ]  # fmt: skip


def _identity(a: Derived, b: Derived) -> tuple[Columns, Rows]:
    columns = (("Snapshot Set", -12), ("DB Id", 11), ("Instance", -12), ("Inst Num", 8),
               ("Release", -11), ("Cluster", -7), ("Host", -12),
               ("Std Block Size", 15))  # fmt: skip
    rows = [
        (name, str(db.db_id), db.instance, str(db.instance_number), RELEASE.number, "NO", db.host,
         str(db.block_bytes))
        for name, db in (
            ("First (1st)", a.workload.database), ("Second (2nd)", b.workload.database),
        )
    ]  # fmt: skip
    return columns, rows


def _intervals(a: Derived, b: Derived) -> tuple[Columns, Rows]:
    columns = (("Snapshot Set", -12), ("Begin Snap Id", 14), ("Begin Snap Time", -25),
               ("End Snap Id", 12), ("End Snap Time", -25), ("Avg Active Users", 26),
               ("Elapsed Time (min)", 26), ("DB time (min)", 26))  # fmt: skip
    rows = [
        (name, str(d.workload.begin.snap_id), f"{d.workload.begin.taken:%d-%b-%y %H:%M:%S (%a)}",
         str(d.workload.end.snap_id), f"{d.workload.end.taken:%d-%b-%y %H:%M:%S (%a)}",
         grouped(d.db_time_s / d.elapsed_s, 1), grouped(d.elapsed_s / 60, 1),
         grouped(d.db_time_s / 60, 1))
        for name, d in (("1st", a), ("2nd", b))
    ]  # fmt: skip
    return columns, rows


def write_text(first: Workload, second: Workload) -> str:
    """The report as text; names of database and instance stand in every title."""
    a, b = Derived(first, RELEASE), Derived(second, RELEASE)
    titles = "  ".join(
        f"{name} DB/Inst: {d.workload.database.name}/{d.workload.database.instance} Snaps: "
        f"{d.workload.begin.snap_id}-{d.workload.end.snap_id} (Elapsed time: {d.elapsed_s:g} sec  "
        f"DB time: {d.db_time_s:g} sec){comma}"
        for name, d, comma in (("First", a, ","), ("Second", b, ""))
    )
    lines = ["", "", BANNER, ""]
    for columns, rows in (_identity(a, b), _intervals(a, b)):
        lines += [*_plain_table(columns, rows), ""]
    lines += ["Workload Comparison", *_load_lines(a, b), ""]
    for table in tables(a, b):
        lines += [f"{table.title}   {titles}", "", *_text_table(table), _END, ""]
    columns = (("", -2), *((heading, 28) for heading, _ in _RECOVERY))
    found = [
        (label, *(grouped(getattr(row, field)) for _, field in _RECOVERY))
        for label, row in recovery(a, b)
    ]
    lines += [f"Instance Recovery Stats   {titles}", "", *_plain_table(columns, found), _END, ""]
    heads = (("Parameter Name", -30), ("1st Period Begin Snap Value", -33),
             ("1st Period End Snap Value", -33), ("2nd Period Begin Snap Value", -33),
             ("2nd Period End Snap Value", -33))  # fmt: skip
    values = [(name, "", one, "", two) for name, one, two in parameters(first, second)]
    lines += [f"init.ora Parameters   {titles}", "", *_plain_table(heads, values), _END, ""]
    return "\n".join([*lines, "End of Report", ""])


_END = " " * 26 + "-" * 60


def _plain_table(columns: Columns, rows: Rows) -> Iterator[str]:
    """Columns of a width; a negative one is left-aligned."""

    def line(cells: tuple[str, ...]) -> str:
        aligned = (
            cell[: abs(width)].ljust(-width) if width < 0 else cell.rjust(width)
            for cell, (_, width) in zip(cells, columns, strict=True)
        )
        return " ".join(aligned).rstrip()

    yield line(tuple(heading for heading, _ in columns))
    yield " ".join("-" * abs(width) for _, width in columns)
    yield from (line(row) for row in rows)


def _load_lines(a: Derived, b: Derived) -> Iterator[str]:
    places = (30, 52, 74, 86, 108, 130, 142)
    heads = ("1st Per Sec", "2nd Per Sec", "%Diff", "1st Per Txn", "2nd Per Txn", "%Diff")
    rules = [end - begin - 2 for begin, end in pairwise(places)]

    def line(label: str, cells: tuple[str, ...]) -> str:
        text = label.rjust(places[0])
        for cell, end in zip(cells, places[1:], strict=True):
            text = text.ljust(end - len(cell)) + cell
        return text

    yield "~" * len("Workload Comparison") + line("", heads)[len("Workload Comparison") :]
    yield line("", tuple("-" * width for width in rules))
    group = Group("")
    for label, seconds, each in load_profile(a, b):
        yield line(label, (*group.cells(seconds), *group.cells(each)))


def _text_table(table: Compared) -> Iterator[str]:
    keys = "".join(f"{heading:<{width}} " for heading, width in table.keys).rstrip()
    margin = 0 if table.above else sum(width + 1 for _, width in table.keys) + len(_GAP) - 1
    if table.above:
        yield keys
        yield " ".join("-" * width for _, width in table.keys)
    wide = [sum(group.widths) + len(group.widths) - 1 for group in table.groups]
    names = _GAP.join(g.name.center(w) for g, w in zip(table.groups, wide, strict=True))
    yield " " * margin + names.rstrip()
    yield " " * margin + _GAP.join("-" * width for width in wide)
    heads = _GAP.join(" ".join(h.rjust(w) for h, w in _columns(g)) for g in table.groups)
    yield ("" if table.above else keys.ljust(margin)) + heads
    rules = _GAP.join(" ".join("-" * w for w in g.widths) for g in table.groups)
    under = "" if table.above else " ".join("-" * width for _, width in table.keys).ljust(margin)
    yield under + rules
    for names_, pairs in table.rows:
        key = " ".join(n[:w].ljust(w) for n, (_, w) in zip(names_, table.keys, strict=True))
        figures = _GAP.join(
            " ".join(c.rjust(w) for c, w in zip(g.cells(pair), g.widths, strict=True))
            for g, pair in zip(table.groups, pairs, strict=True)
        )
        if table.above:
            yield key.rstrip()
            yield figures.rstrip()
        else:
            yield (key.ljust(margin) + figures).rstrip()


def _columns(group: Group) -> Iterator[tuple[str, int]]:
    return zip(group.headings, group.widths, strict=True)


def write_html(first: Workload, second: Workload) -> str:
    """The report as a page."""
    a, b = Derived(first, RELEASE), Derived(second, RELEASE)
    title = "AWR Compare Period Report for " + " ".join(
        f"({n}) DB: {d.workload.database.name}, Inst: {d.workload.database.instance}, Snaps: "
        f"{d.workload.begin.snap_id}-{d.workload.end.snap_id}"
        for n, d in ((1, a), (2, b))
    )
    lines = [f'<html lang="en"><head><title>{title}</title></head><body class="awr">',
             f'<h1 class="awr">\n{BANNER}\n</h1>']  # fmt: skip
    names = (first.database.name, second.database.name)
    for columns, rows in (_identity(a, b), _intervals(a, b)):
        heads = [heading for heading, _ in columns]
        if heads[1] == "DB Id":  # the page prints the database's name too
            heads.insert(1, "DB Name")
            pairs = zip(names, rows, strict=True)
            rows = [(row[0], name, *row[1:]) for name, row in pairs]  # noqa: PLW2901 - the page's
        lines += _html_rows([heads], rows)
    group = Group("", 1)
    lines.append('<h3 class="awr">Load Profile</h3>')
    heads = ["", "1st per sec", "2nd per sec", "%Diff", "1st per txn", "2nd per txn", "%Diff"]
    lines += _html_rows(
        [heads], [(label, *group.cells(s), *group.cells(t)) for label, s, t in load_profile(a, b)]
    )
    for table in tables(a, b):
        lines.append(f'<h2 class="awr">{table.title}</h2>')
        lines += _html_table(table)
    lines.append('<h3 class="awr">Instance Recovery Stats</h3>')
    found = [
        (label, *(grouped(getattr(row, field)) for _, field in _RECOVERY))
        for label, row in recovery(a, b)
    ]
    lines += _html_rows([["", *(heading for heading, _ in _RECOVERY)]], found)
    lines.append('<h2 class="awr">init.ora Parameters</h2>')
    top = '<tr><td>&#160;</td><th class="awrbg" colspan=" 2">1st Period</th>'
    top += '<th class="awrbg" colspan=" 2">2nd Period</th></tr>'
    heads = ["Parameter Name", *("Begin Snap Value", "End Snap Value") * 2]
    values = [(name, "", one, "", two) for name, one, two in parameters(first, second)]
    lines += _html_rows([heads], values, top)
    return "\n".join([*lines, "<p>End of Report</p>", "</body></html>", ""])


def _html_table(table: Compared) -> Iterator[str]:
    blanks = "<td>&#160;</td>" * len(table.keys)
    groups = "".join(
        f'<th class="awrbg" colspan=" {len(g.headings)}">{escape(g.name)}</th>'
        for g in table.groups
    )
    heads = [heading for heading, _ in table.keys]
    heads += [heading for group in table.groups for heading in group.headings]
    rows = [
        (*names, *(c for g, p in zip(table.groups, pairs, strict=True) for c in g.cells(p)))
        for names, pairs in table.rows
    ]
    return _html_rows([heads], rows, f"<tr>{blanks}{groups}</tr>")


def _html_rows(heads: list[list[str]], rows: Rows, top: str = "") -> Iterator[str]:
    yield f'<table border="1" width="600">{top}'
    for row in heads:
        cells = "".join(f'<th class="awrbg" scope="col">{escape(c) or "&#160;"}</th>' for c in row)
        yield f"<tr>{cells}</tr>"
    for row_ in rows:
        cells = "".join(f'<td class="awrc">{escape(cell) or "&#160;"}</td>' for cell in row_)
        yield f"<tr>{cells}</tr>"
    yield "</table><p />"
