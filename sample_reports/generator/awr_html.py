"""AWR reports as HTML: 11.2, 12.2 to 23ai, and of a pluggable database."""

from __future__ import annotations

from dataclasses import replace
from html import escape
from typing import TYPE_CHECKING

from . import awr_cluster
from .awr import (
    cache_sizes,
    cpu_shares,
    efficiency_pairs,
    groups,
    io_lines,
    last_section,
    load_profile,
    memory_statistics,
    share,
    shared_pool,
    top_events,
    top_time,
    wait_classes,
)
from .derived import Derived, Release
from .figures import MIB, duration, grouped, plain
from .html_pages import (
    BLANK,
    STYLE_11,
    STYLE_19,
    TOP,
    HtmlStyle,
    head,
    link_list,
    plain_table,
    print_group,
    print_section,
    row_class,
    section_table,
)
from .records import Records

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from .layout import Group
    from .model import Cluster, Workload

RECORDS = Records("releases")

RELEASE_11 = Release("11.2.0.3.0", lambda w: w.elapsed_s)
RELEASE_12 = Release("12.2.0.1.0", lambda w: w.elapsed_s, like=19)
RELEASE_19 = Release("19.0.0.0.0", lambda w: w.elapsed_s)
RELEASE_23 = Release("23.7.0.25.1", lambda w: w.elapsed_s, like=19)

#: What a report of a pluggable database leaves out: LGWR, DBWR and memory are the container's.
PDB_KEEPS = frozenset(RECORDS.names("AWR sections of a pluggable database"))
_PDB_NAME = "ORDERS"
_PDB_DB_ID = 3_204_118_611

FONT = "Arial,Helvetica,Geneva,sans-serif"
CELL = f"font:8pt {FONT};vertical-align:top"
CSS = (
    f"body.awr {{font:bold 10pt {FONT};color:black; background:White;}}",
    f"h1.awr {{font:bold 20pt {FONT};color:#336699;background-color:White;}}",
    f"h2.awr {{font:bold 18pt {FONT};color:#336699;background-color:White;}}",
    f"h3.awr {{font:bold 16pt {FONT};color:#336699;background-color:White;}}",
    f"li.awr {{font: 8pt {FONT}; color:black; background:White;}}",
    f"th.awrnobg {{font:bold 8pt {FONT}; color:black; background:White;}}",
    f"th.awrbg {{font:bold 8pt {FONT}; color:White; background:#0066CC;}}",
    f"td.awrnc, td.awrnclb, td.awrncrb {{{CELL};color:black;background:White;}}",
    f"td.awrc, td.awrclb, td.awrcrb {{{CELL};color:black;background:#FFFFCC;}}",
    f"a.awr {{font:bold 8pt {FONT};color:#663300;}}",
    "table.tdiff {  border_collapse: collapse; }",
    ".hidden   {position:absolute;left:-10000px;top:auto;width:1px;height:1px;overflow:hidden;}",
)


def write_11(w: Workload) -> str:
    """Write the 11.2 report."""
    return _write(Derived(w, RELEASE_11), STYLE_11)


def write_12(w: Workload) -> str:
    """Write the 12.2 report."""
    return _write(Derived(w, RELEASE_12), STYLE_19)


def write_19(w: Workload) -> str:
    """Write the 19c report."""
    return _write(Derived(w, RELEASE_19), STYLE_19)


def write_23(w: Workload) -> str:
    """Write the 23ai report, which is documented to print what 19c does."""
    return _write(Derived(w, RELEASE_23), STYLE_19)


def write_pdb(w: Workload) -> str:
    """Write the 19c report of a pluggable database."""
    d = Derived(w, RELEASE_19)
    lines = ["", *start(d, " PDB report (root snapshots)"), *identity(d, pdb=True)]
    lines.append('<h3 class="awr"><a class="awr" name="99999"></a>Report Summary</h3>')
    lines += [*profile(d), *top_table(d, STYLE_19), *class_table(d)]
    lines.append('<h2 class="awr">\nMain Report\n</h2>')
    for group in groups(d):
        kept = tuple(each for each in group.sections if each.title in PDB_KEEPS)
        if kept:
            lines += ["<p />", *print_group(replace(group, sections=kept), STYLE_19)]
            if group.title == "SQL Statistics":
                lines += sql_texts(d, STYLE_19)
    return "\n".join([*lines, "<p />", "End of Report", "</body></html>", ""])


def _write(d: Derived, style: HtmlStyle) -> str:
    end = analysis() if d.release.major >= 19 else print_section(last_section(), "", style)
    more = awr_cluster.groups(d, d.workload.cluster) if d.workload.cluster else []
    return page(d, style, summary(d, style), end, more)


def page(
    d: Derived,
    style: HtmlStyle,
    front: Iterable[str],
    end: Iterable[str] = (),
    more: Sequence[Group] = (),
) -> str:
    """Make a report of its summary, its groups of sections and what follows them."""
    lines = ["", *start(d), *front, *main_list(d, more)]
    for group in (*groups(d), *more):
        lines.append("<p />")
        if group.title == "SQL Statistics":
            link = '<li class="awr"><a class="awr" href="#99997">Complete List of SQL Text</a></li>'
            lines += [*print_group(group, style, [link]), *sql_texts(d, style)]
        else:
            lines += print_group(group, style)
    return "\n".join([*lines, "<p />", *end, "<p />", "End of Report", "</body></html>", ""])


def start(d: Derived, report: str = " report for") -> Iterator[str]:
    """Print the document's head and the report's title."""
    w = d.workload
    title = (
        f"AWR Report for DB: {w.database.name}, Inst: {w.database.instance}, "
        f"Snaps: {w.begin.snap_id}-{w.end.snap_id}"
    )
    yield f'<html lang="en"><head><title>{title}</title>'
    yield '<style type="text/css">'
    yield from CSS
    yield '</style></head><body class="awr">'
    yield f'<h1 class="awr">\nWORKLOAD REPOSITORY{report}\n\n</h1>\n<p />'


def attributes(d: Derived, summary_text: str, *, wide: bool = True) -> str:
    """Attributes of a summary table."""
    text = f'summary="{escape(summary_text)}"'
    if d.release.major >= 19:
        width = 'width="600" ' if wide else ""
        return f'border="0" {width}class="tdiff" {text}'
    return f'border="1" width="500" {text}'


def text_row(cells: Sequence[tuple[str, str]]) -> str:
    """Return A row of the header tables; the second of each pair is its alignment."""
    out = ""
    for at, (text, align) in enumerate(cells):
        scope = 'scope="row" ' if at == 0 else ""
        aligned = f'align="{align}" ' if align else ""
        out += f"<td {scope}{aligned}class='awrnc'>{text}</td>"
    return f"<tr>{out}</tr>"


def header_table(d: Derived, about: str, names: str, cells: Sequence[tuple[str, str]],
                 *, wide: bool = True) -> str:  # fmt: skip
    """Return A header table of one row."""
    return "\n".join(
        (
            f"<table {attributes(d, f'This table displays {about} information', wide=wide)}>",
            f"<tr>{head(names.split('|'))}</tr>",
            text_row(cells),
            "</table>",
            "<p />",
        )
    )


def identity(d: Derived, *, pdb: bool = False) -> Iterator[str]:
    """Database, instance, host and snapshots."""
    w = d.workload
    db = w.database
    startup = f"{db.startup:%d-%b-%y %H:%M}"
    number = str(db.instance_number)
    if d.release.major >= 19:
        yield header_table(
            d,
            "database instance",
            "DB Name|DB Id|Unique Name|Role|Edition|Release|RAC|CDB",
            [
                (db.name, ""), (str(db.db_id), "right"), (db.name, ""), ("PRIMARY", ""),
                ("EE", ""), (d.release.number, ""), ("NO", ""), ("YES" if pdb else "NO", ""),
            ],
        )  # fmt: skip
        yield header_table(
            d,
            "database instance",
            "Instance|Inst Num|Startup Time",
            [(db.instance, ""), (number, "right"), (startup, "")],
            wide=False,
        )
        if pdb:
            yield header_table(
                d,
                "pdb instance",
                "Container DB Id|Container Name|Open Time",
                [(str(_PDB_DB_ID), "right"), (_PDB_NAME, "center"), (startup, "center")],
                wide=False,
            )
    else:
        yield header_table(
            d,
            "database instance",
            "DB Name|DB Id|Instance|Inst num|Startup Time|Release|RAC",
            [
                (db.name, ""), (str(db.db_id), "right"), (db.instance, ""), (number, "right"),
                (startup, ""), (d.release.number, ""), ("YES" if w.cluster else "NO", ""),
            ],
        )  # fmt: skip
    yield header_table(
        d,
        "host",
        "Host Name|Platform|CPUs|Cores|Sockets|Memory (GB)",
        [
            (db.host, ""), (db.platform, ""), (f"{db.cpus:4}", "right"), (f"{db.cores:4}", "right"),
            (f"{db.sockets:4}", "right"), (f"{db.memory_bytes / MIB / 1024:8.2f}", "right"),
        ],
    )  # fmt: skip
    yield from snapshots(d)


def snapshots(d: Derived) -> Iterator[str]:
    """The interval, and the time spent in it."""
    w = d.workload
    yield f"<table {attributes(d, 'This table displays snapshot information')}>"
    yield f"<tr>{head(['', 'Snap Id', 'Snap Time', 'Sessions', 'Cursors/Session'])}</tr>"
    snaps = (("Begin Snap:", w.begin), ("End Snap:", w.end))
    for index, (label, snap) in enumerate(snaps):
        css = row_class(index + 1)
        yield (
            f"<tr><td scope=\"row\" class='{css}'>{label}</td>"
            f"<td align=\"right\" class='{css}'>{snap.snap_id}</td>"
            f"<td align=\"center\" class='{css}'>{snap.taken:%d-%b-%y %H:%M:%S}</td>"
            f"<td align=\"right\" class='{css}'>{snap.sessions}</td>"
            f"<td align=\"right\" class='{css}'>{snap.cursors_per_session:9.1f}</td></tr>"
        )
    durations = (("Elapsed:", d.elapsed_s), ("DB Time:", d.db_time_s))
    for index, (label, seconds) in enumerate(durations):
        css = row_class(index + 1)
        blank = f"<td class='{css}'>{BLANK}</td>"
        yield (
            f"<tr><td scope=\"row\" class='{css}'>{label}</td>{blank}"
            f"<td align=\"center\" class='{css}'>{seconds / 60:19,.2f} (mins)</td>"
            f"{blank}{blank}</tr>"
        )
    yield "</table>\n<p />"


def summary(d: Derived, style: HtmlStyle) -> Iterator[str]:
    """Everything before the main list."""
    yield from identity(d)
    yield '<h3 class="awr"><a class="awr" name="99999"></a>Report Summary</h3>'
    if d.release.major < 19:
        yield from caches(d)
        yield from profile(d)
        yield from shared(d)
        yield from top_table(d, style)
        yield from cpu_tables(d)
        yield from memory(d)
        if d.workload.cluster:
            yield from cluster(d, d.workload.cluster, style)
    else:
        yield from profile(d)
        yield from top_table(d, style)
        yield from class_table(d)
        yield from cpu_tables(d)
        yield from io_profile(d)
        yield from memory(d)
        yield from caches(d)
        yield from shared(d)


def titled(title: str, table: str) -> str:
    """Return A summary table under its title."""
    return f"<p />\n{title}\n<p />\n{table}"


def caches(d: Derived) -> Iterator[str]:
    """Cache sizes."""
    buffer, pool = cache_sizes(d)
    rows = [
        (name, f"{size:>11}", f"{size:>11}", other, f"{value:>11}")
        for name, size, other, value in (buffer, pool)
    ]
    about = (
        "This table displays cache sizes and other statistics for\n"
        "                    different types of cache"
    )
    yield titled(
        "Cache Sizes",
        plain_table(["", "Begin", "End", "", ""], rows, attributes(d, about), "awrnc"),
    )


def profile(d: Derived) -> Iterator[str]:
    """Load profile and efficiency."""
    rows = [
        (
            line.label,
            f"{line.per_second:>18}",
            f"{line.per_transaction:>18}" if line.per_transaction else "",
            f"{line.per_execution:>10}" if line.per_execution else "",
            f"{line.per_call:>10}" if line.per_call else "",
        )
        for line in load_profile(d)
    ]
    names = ["", "Per Second", "Per Transaction", "Per Exec", "Per Call"]
    about = attributes(d, "This table displays load profile")
    yield f"<p />Load Profile<p />\n{plain_table(names, rows, about, 'awrc')}"
    yield from efficiencies(d)


def efficiencies(d: Derived) -> Iterator[str]:
    """Efficiency percentages."""
    pairs = [(left, f"{a:>17}", right, f"{b:>17}") for left, a, right, b in efficiency_pairs(d)]
    if d.release.major >= 19:
        pairs.append(("Flash Cache Hit %:", f"{'0.00':>17}", "", ""))
    yield titled(
        "Instance Efficiency Percentages (Target 100%)",
        plain_table(
            [], pairs, attributes(d, "This table displays instance efficiency percentages"), "awrc"
        ),
    )


def shared(d: Derived) -> Iterator[str]:
    """Shared pool statistics."""
    rows = [(label, f"{begin:>17}", f"{end:>17}") for label, begin, end in shared_pool(d)]
    about = attributes(d, "This table displays shared pool statistics")
    names = ["", "Begin", "End"]
    yield titled("Shared Pool Statistics", plain_table(names, rows, about, "awrnc"))


def top_table(d: Derived, style: HtmlStyle) -> Iterator[str]:
    """Top foreground events."""
    is_19 = d.release.major >= 19
    title = "Top 5 Timed Foreground Events"
    names = "Event|Waits|Time(s)|Avg wait (ms)|% DB time|Wait Class"
    about = title
    if is_19:
        title = "Top 10 Foreground Events by Total Wait Time"
        names = "Event|Waits|Total Wait Time (sec)|Avg Wait|% DB time|Wait Class"
        about = "This table displays top 10 wait events by total wait time"
    yield f"<p />\n<p />{title}<p />\n<ul>\n</ul>"
    table = attributes(d, about) if is_19 else f'{style.table} summary="{about}"'
    yield f"<table {table}><tr>{head(names.split('|'))}</tr>"
    for index, event in enumerate(top_events(d, 10 if is_19 else 5)):
        average = BLANK
        if event.average_us is not None:
            average = duration(event.average_us) if is_19 else plain(event.average_us / 1_000)
        cells = (
            BLANK if event.waits is None else grouped(event.waits),
            top_time(event.time_s) if is_19 else grouped(event.time_s),
            average,
            share(event.db_time_pct) if is_19 else plain(event.db_time_pct, 2),
        )
        yield value_row(index, event.name, cells, event.wait_class)
    yield "</table><p />"


def value_row(index: int, name: str, cells: Sequence[str], last: str | None = None) -> str:
    """Return A name, right-aligned values and a closing text."""
    css = row_class(index)
    out = f"<td scope=\"row\" class='{css}'>{name}</td>"
    out += "".join(f"<td align=\"right\" class='{css}'>{cell}</td>" for cell in cells)
    if last is not None:
        out += f"<td class='{css}'>{last or BLANK}</td>"
    return f"<tr>{out}</tr>"


def class_table(d: Derived) -> Iterator[str]:
    """Wait classes of all processes (12.2 and later)."""
    yield "<p />Wait Classes by Total Wait Time<p />\n<ul>\n</ul>"
    about = "This table displays wait class statistics ordered by total wait time"
    names = "Wait Class|Waits|Total Wait Time (sec)|Avg Wait Time|% DB time|Avg Active Sessions"
    yield f"<table {attributes(d, about)}><tr>{head(names.split('|'))}</tr>"
    for index, (name, *cells) in enumerate(wait_classes(d)):
        yield value_row(index, name, [cell or BLANK for cell in cells])
    yield "</table><p />"


def number_table(d: Derived, names: str, cells: Sequence[str], about: str) -> str:
    """Return A table of one row of numbers."""
    row = "".join(f"<td align=\"right\" class='awrnc'>{cell}</td>" for cell in cells)
    table = f"<table {attributes(d, f'This table displays {about}')}>"
    return f"{table}\n<tr>{head(names.split('|'))}</tr>\n<tr>{row}</tr>\n</table>"


def cpu_tables(d: Derived) -> Iterator[str]:
    """Host CPU and instance CPU."""
    w = d.workload
    db, cpu = w.database, cpu_shares(d)
    counts = (f"{db.cpus:4}", f"{db.cores:4}", f"{db.sockets:4}")
    loads = (f"{w.begin.load_average:7.2f}", f"{w.end.load_average:7.2f}")
    shares = tuple(f"{part:6.1f}" for part in (cpu.user, cpu.system, cpu.iowait, cpu.idle))
    names = "Load Average Begin|Load Average End|%User|%System|%WIO|%Idle"
    title = "Host CPU"
    if d.release.major >= 19:
        names = "CPUs|Cores|Sockets|" + names
        cells = (*counts, *loads, *shares)
    else:
        title += f" (CPUs: {counts[0]} Cores: {counts[1]} Sockets: {counts[2]})"
        cells = (*loads, *shares)
    yield f"\n{title}\n<p />"
    yield number_table(d, names, cells, "system load statistics")
    yield "<p />" if d.release.major >= 19 else ""
    yield "Instance CPU\n<p />"
    parts = (cpu.instance_of_total, cpu.instance_of_busy, 0.0)
    yield number_table(
        d,
        "%Total CPU|%Busy CPU|%DB time waiting for CPU (Resource Manager)",
        [f"{part:10.1f}" for part in parts],
        "CPU usage and wait statistics",
    )


def io_profile(d: Derived) -> Iterator[str]:
    """IO profile (12.2 and later)."""
    rows = [(label, *(f"{cell:>18}" for cell in cells)) for label, *cells in io_lines(d)]
    names = ["", "Read+Write Per Second", "Read per Second", "Write Per Second"]
    about = attributes(d, "This table displays IO profile")
    yield f"<p />IO Profile<p />\n{plain_table(names, rows, about, 'awrc')}\n<p />"


def memory(d: Derived) -> Iterator[str]:
    """Memory statistics."""
    rows = [(label, f"{a:>12}", f"{b:>12}") for label, a, b in memory_statistics(d)]
    about = attributes(d, "This table displays memory statistics")
    yield f"Memory Statistics\n<p />\n{plain_table([' ', 'Begin', 'End'], rows, about, 'awrnc')}"


def cluster(d: Derived, c: Cluster, style: HtmlStyle) -> Iterator[str]:
    """RAC Statistics."""
    yield '<a class="awr" name="99998"></a><h3 class="awr">RAC Statistics</h3>\n<p />'
    count = f"{c.instances:5}"
    about = attributes(d, "This table displays information about RAC instances")
    rows: list[tuple[str, ...]] = [("Number of Instances:", count, count)]
    yield plain_table(["", "Begin", "End"], rows, about, "awrnc") + "<p />"
    rows = [
        (label, f"{second:>21}", transaction and f"{transaction:>21}")
        for label, second, transaction in awr_cluster.profile(d, c)
    ]
    about = attributes(d, "This table displays information about global cache load profile")
    load = plain_table(["", "Per Second", "Per Transaction"], rows, about, "awrnc")
    yield f"Global Cache Load Profile\n<p />\n{load}<p />"
    for title, about, pairs, width in (
        (
            "Global Cache Efficiency Percentages (Target local+remote 100%)",
            "global cache efficiency percentages",
            awr_cluster.efficiency(d),
            7,
        ),
        (
            "Global Cache and Enqueue Services - Workload Characteristics",
            "workload characteristics for global cache and enqueue services",
            awr_cluster.workload(d, c),
            12,
        ),
        (
            "Global Cache and Enqueue Services - Messaging Statistics",
            "messaging statistics for Global Cache and Enqueue Services",
            awr_cluster.messages(c),
            12,
        ),
    ):
        cells = [(label, f"{value:>{width}}") for label, value in pairs]
        table = plain_table([], cells, attributes(d, f"This table displays {about}"), "awrnc")
        yield f"{title}\n<p />\n{table}<p />"
    section = awr_cluster.interfaces(c)
    yield f"<hr />\n<p />{section.title}<p />\n<ul>"
    yield from (f'<li class="awr"> {note}</li>' for note in section.notes)
    yield "</ul>"
    yield from section_table(section, style)


def main_list(d: Derived, more: Sequence[Group] = ()) -> Iterator[str]:
    """Print the main list of links, and the list of what a cluster has more."""
    yield '<a class="awr" name="top"></a>\n<h2 class="awr">\nMain Report\n</h2>'
    links = [("Report Summary", 99999)]
    links += [(group.title, group.anchor) for group in groups(d)]
    if d.release.major >= 19:
        links.append(("ADDM Reports", 99995))
    yield from link_list(links)
    if more:
        yield '<h2 class="awr">\nMore RAC Statistics\n</h2>'
        links = [("RAC Report Summary", 99998), *((group.title, group.anchor) for group in more)]
        yield from link_list([*links, ("Dynamic Remastering Statistics", 8790)])
    yield f"<br />{TOP}"


def sql_texts(d: Derived, style: HtmlStyle) -> Iterator[str]:
    """Complete List of SQL Text."""
    yield '<a class="awr" name="99997"></a>\n<p />'
    yield '<h3 class="awr">Complete List of SQL Text</h3><p />'
    about = (
        "This table displays the text of the SQL statements which have been\n"
        "      referred to in the report"
    )
    yield f'<table {style.table} summary="{about}">'
    yield f"<tr>{head(['SQL Id', 'SQL Text'])}</tr>"
    ordered = sorted(d.workload.statements, key=lambda sql: sql.sql_id)
    for index, sql in enumerate(ordered):
        css = row_class(index)
        text = escape(sql.text, quote=False)
        if d.release.major >= 19:
            text = f'<pre_sqltext class="awr">{text}</pre_sqltext>'
        anchor = f'<a class="awr" name="{sql.sql_id}"></a>'
        yield (
            f"<tr><td scope=\"row\" class='{css}'>{anchor}{sql.sql_id}</td>"
            f"<td class='{css}'>{text}</td></tr>"
        )
    yield "</table>\n<p />"
    yield f'<a class="awr" href="#22">Back to SQL Statistics</a>\n<br />{TOP}'


def analysis() -> Iterator[str]:
    """Print the place of the ADDM reports: none was run over the interval."""
    yield '<a class="awr" name="99995"></a>'
    yield '<h2 class="awr">\nADDM Reports\n</h2>'
    yield "<p />\n                  No data exists for this section of the report.\n<p />"
    yield f"<br />{TOP}"
