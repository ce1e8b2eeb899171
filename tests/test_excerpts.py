"""A few sections that were pasted somewhere are read as far as they go."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest
import samples

from awrlens import api
from awrlens.errors import NotAReportError
from awrlens.facts.waits import busy_rows
from awrlens.report.report import Report
from awrlens.report.text_reader import TextReader

if TYPE_CHECKING:
    from collections.abc import Mapping

    from awrlens.model import Fact

ROWS = [
    ["log file sync", "366,104", "3,288", "9.0", "13.8", "Commit"],
    ["DB CPU", "", "2,010", "", "8.4", ""],
    ["log file parallel write", "340,220", "2,722", "8.0", "11.4", "System I/O"],
]
HEADINGS = ["Event", "Waits", "Time(s)", "Avg wait (ms)", "% DB time", "Wait Class"]


def facts(text: str) -> Mapping[str, Fact]:
    return api.facts_of(api.load(text.encode(), "excerpt"))


def bars(fill: str = " | ", edge: str = "|") -> list[str]:
    lines = [f"{edge} {fill.join(cells)} {edge}".strip() for cells in [HEADINGS, *ROWS]]
    return [lines[0], "|---|---:|---:|---:|---:|---|", *lines[1:]]


def boxes() -> list[str]:
    rule = "+-----+-----+"
    lines = [f"│ {' │ '.join(cells)} │" for cells in [HEADINGS, *ROWS]]
    return [rule, lines[0], rule, *lines[1:], rule]


def gaps() -> list[str]:
    heads = "   ".join(HEADINGS[:-1])
    return [heads, *("     ".join(filter(None, cells[:-1])) for cells in ROWS)]


FORMS = {
    "markdown": bars(),
    "markdown without edges": [line.strip("| ") for line in bars()],
    "bars without a rule": [bars()[0], *bars()[2:]],
    "box": boxes(),
    "tabs": ["\t".join(cells) for cells in [HEADINGS, *ROWS]],
    "gaps": gaps(),
}


def quoted(lines: list[str]) -> list[str]:
    return ["On Monday you wrote:", "", *(f"> {line}" for line in lines), "", "Any idea?"]


def fenced(lines: list[str]) -> list[str]:
    return ["# Slow commits", "", "```text", *lines, "```", ""]


def indented(lines: list[str]) -> list[str]:
    return [f"    {line}" for line in lines]


def in_a_wiki(lines: list[str]) -> list[str]:
    return ["See:", "{noformat:title=AWR}", *lines, "{noformat}", "h3. Done"]


def in_a_chat(lines: list[str]) -> list[str]:
    return [f"```{lines[0]}", *lines[1:-1], f"{lines[-1]}```"]


def numbered(lines: list[str]) -> list[str]:
    return [f"{number:6}\t{line}" for number, line in enumerate(lines, 7)]


@pytest.mark.parametrize("around", [list, quoted, fenced, indented, in_a_wiki, in_a_chat, numbered])
@pytest.mark.parametrize("form", FORMS)
def test_a_pasted_list_of_top_events_says_what_it_can(form: str, around: object) -> None:
    lines = around(FORMS[form])  # type: ignore[operator]
    found = facts("\n".join(lines))

    assert found["redo.sync_ms"].value == pytest.approx(3288 * 1000 / 366_104)
    assert found["redo.parallel_write_ms"].value == pytest.approx(2722 * 1000 / 340_220)
    (time, _) = found["redo.sync_ms"].evidence
    assert time.line is not None
    assert time.text in lines[time.line - 1]


def test_a_list_of_top_events_alone_tells_what_redo_costs_at_least() -> None:
    text = """
| Event | Waits | Time(s) | Avg wait (ms) | % DB time | Wait Class |
|---|---|---|---|---|---|
| log file sync | 1,204,331 | 7,421 | 6 | 41.2 | Commit |
| DB CPU | | 5,310 | | 29.5 | |
| log file switch (checkpoint incomplete) | 1,130 | 1,021 | 904 | 5.7 | Configuration |
"""
    analysis = api.analyze(api.load(text.encode()))
    (redo,) = (each for each in analysis.recommendations if each.id == "redo-storage")

    assert [each.id for each in analysis.findings] == ["REDO012", "CKPT001"]
    # other log file switches may not have come to the top
    assert analysis.facts["redo.log_switch_wait_s"].value == 1021
    assert analysis.facts["redo.log_switch_wait_s"].status == "estimated"
    assert analysis.facts["redo.sync_wait_s"].status == "measured"
    # 8,442 s of the 18,012 s that 41.2 % make 7,421 s of, and 7,421 s over 1,204,331 waits
    assert "46.9 % of DB time for redo, 6.16 ms per commit" in redo.action
    assert redo.status == "need-data"
    # what the list lacks may have cost something all the same
    assert analysis.facts["redo.buffer_wait_s"].value is None


def test_rows_that_a_browser_copied_without_their_blank_heading_keep_their_columns() -> None:
    text = "Load Profile\n\nPer Second\tPer Transaction\tPer Exec\tPer Call\n"
    text += "DB Time(s):\t1.2\t0.0\t0.00\t5.99\nUser calls:\t0.2\t0.0\t \t \n"
    found = facts(text + "Executes (SQL):\t5,757.5\t9.0\t \t \n")

    assert found["load.executes_per_s"].value == 5757.5


@pytest.mark.parametrize(
    "text",
    [
        "Host CPU\n\tBegin\tEnd\tUser  System\tIdle\tWIO\n\t5.98\t7.09\t23.83\t0.89\t74.75\n",
        "Host CPU\nBegin\tEnd\tUser\tSystem\tIdle\tWIO\n5.98\t7.09\t1\t23.83\t0.89\t74.75\t2\t3\n",
    ],
    ids=["headings run together", "more figures than headings"],
)
def test_figures_that_no_heading_is_sure_for_are_not_read(text: str) -> None:
    events = "\n".join(FORMS["markdown"])
    found = facts(f"{text}\n{events}")

    assert found["redo.sync_ms"].value is not None
    assert found["host.iowait_pct"].value is None
    assert found["host.idle_pct"].value is None


def test_what_an_excerpt_lacks_is_not_zero() -> None:
    found = facts("\n".join(FORMS["markdown"]))

    for name in ("redo.log_switch_wait_s", "temp.direct_wait_s", "temp.io_share_pct"):
        assert found[name].value is None
        assert found[name].status == "unavailable"
    assert found["redo.writes_per_s"].value is None


def test_a_few_rows_of_a_longer_list_say_nothing_of_the_others() -> None:
    text = "Foreground Wait Events\n\nEvent\tWaits\tTotal Wait Time (s)\tAvg wait (ms)\n"
    found = facts(text + "log file sync\t366,104\t3,288\t9\nfree buffer waits\t12\t31\t2,583\n")

    assert found["redo.sync_wait_s"].value == 3288
    assert found["redo.log_switch_wait_s"].value is None


def test_the_missing_head_is_said() -> None:
    report = api.load("\n".join(FORMS["markdown"]).encode())
    (warning,) = report.warnings

    assert "excerpt" in warning.message
    assert report.identity.db_name is None
    assert report.kind == "awr-text"


def test_statistics_without_a_title_are_known_by_their_headings() -> None:
    text = "Statistic\tTotal\tper Second\tper Trans\nredo write time\t757,698\t90.4\t0.1\n"
    found = facts(text + "redo writes\t405,691\t48.4\t0.1\n")

    assert found["redo.write_ms"].value == pytest.approx(18.68, abs=0.005)


def test_sections_as_printed_are_read_without_the_pages_around_them() -> None:
    whole = samples.path("redo-disk.awr-11.2.txt").read_text(encoding="utf-8")
    at = whole.index("Background Wait Events")
    cut = whole[at : whole.index("\f", at)]
    found = facts(f"See below\n\n{cut}")

    expected = samples.analysis("redo-disk.awr-11.2.txt").facts["redo.parallel_write_ms"]
    assert found["redo.parallel_write_ms"].value == expected.value


def test_a_table_of_a_page_is_known_without_the_page() -> None:
    cells = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for row in ROWS)
    heads = "".join(f"<th>{heading}</th>" for heading in HEADINGS)
    found = facts(f"<p>look:</p><table><tr>{heads}</tr>{cells}</table>")["redo.sync_ms"]

    assert found.value == pytest.approx(3288 * 1000 / 366_104)
    item = found.evidence[0]
    shown = item.excerpt
    assert shown.line[shown.begin : shown.end] == item.text
    assert "log file sync" in shown.line


@pytest.mark.parametrize(
    "text",
    [
        "Dear all,\nthe report is attached.\n",
        "| Name | Size | Owner |\n|---|---|---|\n| a | 1 | me |\n",
        "Event\tPlace\tDate\nConcert\tHall\t12\n",
        "Host\nDatabase\nParameters\n\nmemory: 12\n",
        "log file sync is high, what should I do?\n",
        "<table><tr><th>Name</th><th>Value</th></tr><tr><td>x</td><td>1</td></tr></table>",
    ],
)
def test_a_text_about_something_else_is_still_refused(text: str) -> None:
    with pytest.raises(NotAReportError, match="not a Statspack or AWR report"):
        api.load(text.encode())


@pytest.mark.parametrize(
    "name", ["redo-disk.awr-11.2.txt", "redo-disk.awr-19c.txt", "redo-disk.statspack-11.2.txt"]
)
def test_titles_without_the_names_that_were_taken_out_are_titles(name: str) -> None:
    """Before a report is shown to others, database and instance are deleted from its titles."""
    text = samples.path(name).read_text(encoding="utf-8")
    told, named = facts(re.sub(r"DB/Inst: ?\S+", "", text)), facts(text)

    assert {each: fact.value for each, fact in told.items()} == {
        each: fact.value for each, fact in named.items()
    }


@pytest.mark.parametrize("name", ["redo-disk.awr-11.2.txt", "redo-disk.awr-19c.txt"])
def test_a_header_without_its_blank_lines_is_read(name: str) -> None:
    """Chats and web pages drop blank lines; then each table follows the row of the one above."""
    text = samples.path(name).read_text(encoding="utf-8")
    at = text.index("\nLoad Profile")
    squeezed = re.sub(r"\n\s*\n", "\n", text[:at]) + "\n" + text[at:]
    found, whole = (api.load(each.encode(), "header") for each in (squeezed, text))

    assert isinstance(found, Report)
    assert isinstance(whole, Report)
    assert found.identity.to_dict() == whole.identity.to_dict()


def test_a_title_is_found_above_the_remarks_that_a_browser_copies_with_it() -> None:
    text = (
        "Background Wait Events\nordered by wait time desc, waits desc (idle events last)\n"
        "Event\tWaits\t%Time -outs\tTotal Wait Time (s)\tAvg wait (ms)\tWaits /txn\n"
        "log file parallel write\t16,000\t0.00\t15\t1\t1.06\n"
        "log file switch completion\t12\t0.00\t3\t250\t0.01\nlog file sync\t40\t0.00\t2\t50\t0.01\n"
    )
    found = facts(text)

    assert found["redo.parallel_write_wait_s"].value == 15
    # what processes in the background waited, no session did
    assert found["redo.sync_wait_s"].value is None
    assert found["redo.log_switch_wait_s"].value is None


def test_a_line_over_several_headings_of_a_copied_table_is_no_heading() -> None:
    text = (
        "Wait Event Histogram\nOrdered by Event (idle events last)\n \t \t% of Waits\n"
        "Event\tTotal Waits\t<1ms\t<2ms\t<4ms\t<8ms\t<16ms\t<32ms\t<=1s\t>1s\n"
        "log file parallel write\t1000\t10.0\t80.0\t5.0\t3.0\t2.0\t \t \t \n"
    )
    assert facts(text)["redo.write_p50_ms"].value == 2


ACTIVITY = [
    ["Statistic", "Total", "per Second", "per Trans"],
    ["db block changes", "112,041,872", "13,368.5", "20.9"],
    ["physical reads", "894,250", "106.7", "0.2"],
    ["physical writes", "1,370,311", "163.5", "0.3"],
    ["redo size", "21,697,424,708", "2,588,920.9", "4,047.5"],
    ["redo write time", "757,698", "90.4", "0.1"],
    ["redo writes", "405,691", "48.4", "0.1"],
    ["sorts (disk)", "0", "0.0", "0.0"],
    ["sorts (memory)", "4,118", "0.5", "0.0"],
    ["user calls", "1,676", "0.2", "0.0"],
    ["user commits", "5,359,847", "639.5", "1.0"],
    ["user rollbacks", "838", "0.1", "0.0"],
]


@pytest.mark.parametrize(
    "title", [["Instance Activity Stats", ""], ["## Instance Activity Stats"], []]
)
@pytest.mark.parametrize("sign", ["\t", " | "])
def test_statistics_are_no_load_profile_though_some_have_its_labels(
    title: list[str], sign: str
) -> None:
    lines = [*title, *(sign.join(cells) for cells in ACTIVITY)]
    found = facts("\n".join(lines))
    assert found["redo.write_ms"].number == pytest.approx(18.68, abs=0.01)
    assert found["load.physical_reads_per_s"].status == "unavailable"


@pytest.mark.parametrize(
    "title", [["Instance Activity Stats", ""], ["## Instance Activity Stats"], []]
)
@pytest.mark.parametrize("sign", ["\t", " | ", "    "])
def test_statistics_without_their_headings_are_not_guessed(title: list[str], sign: str) -> None:
    """`redo size` is a total there, and per second in the Load Profile, whose label it is."""
    lines = [*title, *(sign.join(cells) for cells in ACTIVITY[1:])]
    try:
        found = facts("\n".join(lines))
    except NotAReportError:
        return
    assert found["redo.bytes_per_s"].status == "unavailable"
    assert found["load.physical_reads_per_s"].status == "unavailable"


@pytest.mark.parametrize("sign", ["\t", " | "])
def test_rows_below_a_blank_line_go_on_with_the_table(sign: str) -> None:
    lines = [sign.join(cells) for cells in ACTIVITY]
    found = facts("\n".join(["Instance Activity Stats", *lines[:6], "", *lines[6:]]))
    assert found["redo.write_ms"].number == pytest.approx(18.68, abs=0.01)


def test_a_list_of_background_waits_is_known_by_its_title_however_far_above() -> None:
    """Remarks, names and fences of a document may stand between the two."""
    remarks = [f"-> remark {number}" for number in range(5)]
    heads = ["Event", "Waits", "%Time -outs", "Total Wait Time (s)", "Avg wait (ms)", "Waits /txn"]
    rows = [
        ["log file parallel write", "405,691", "0", "7,247", "18", "0.1"],
        ["log file switch (checkpoint)", "215", "0", "3", "15", "0.0"],
    ]
    table = ["\t".join(cells) for cells in [heads, *rows]]
    lines = ["Background Wait Events", "DB/Inst: A/a  Snaps: 1-2", *remarks, "", "```", "", *table]
    found = facts("\n".join(lines))
    assert found["redo.parallel_write_ms"].number == pytest.approx(17.86, abs=0.01)
    for name in ("redo.log_switch_wait_s", "checkpoint.incomplete_wait_s"):
        assert found[name].status == "unavailable"


FOREGROUND = """\
Event Waits Time(s) Avg wait (ms) % DB time Wait Class
log file sync 366,104 3,288 9 13.8 Commit
DB CPU 2,010 8.4
enq: TX - row lock contention 12 60 5000 .3 Application
"""
BACKGROUND = """\
Event Waits %Time -outs Total Wait Time (s) Avg wait (ms) Waits /txn % bg time
db file parallel write 91,730 0 957 10 2.44 22.37
log file parallel write 340,220 0 2,722 8 1.10 63.09
"""
ON_LINES = """\
Top 5 Timed Events Avg %Total
~~~~~~~~~~~~~~~~~~ wait Call
Event Waits Time (s) (ms) Time Wait Class
------------------------------ ------------ ----------- ------ ------ ----------
log file sync 366,104 3,288 9 13.8 Commit
CPU time 2,010 8.4
log file parallel write 340,220 2,722 8 11.4 System I/O

Wait Events DB/Inst: PEARL/pearl1 Snaps: 412-413
-> s - second
Avg
%Time Total Wait wait Waits
Event Waits -outs Time (s) (ms) /txn
---------------------------- -------------- ------ ----------- ------- ---------
log file sync 366,104 .0 3,288 9 0.3
log file switch completion 17 3.5 1 81 0.0
"""


def printed(report: Report, table: str, key: str, column: str) -> str:
    row = report.tables[table].row(key)
    assert row is not None
    cell = row.cell(column)
    assert cell is not None
    return cell.text


def test_a_table_copied_from_a_page_with_single_blanks_is_read() -> None:
    found = facts(f"Top 5 Timed Foreground Events\n{FOREGROUND}{BACKGROUND}")
    assert found["redo.sync_ms"].value == pytest.approx(3288e3 / 366104)
    assert found["redo.parallel_write_ms"].value == pytest.approx(2722e3 / 340220)


def test_headings_on_several_lines_with_single_blanks_are_read() -> None:
    report = api.load(ON_LINES.encode(), "excerpt")
    names = [column.name or "" for column in report.tables["wait_events"].columns]
    key = "log file switch completion"
    assert {name: printed(report, "wait_events", key, name) for name in names} == {
        "event": "log file switch completion", "waits": "17", "timeout_pct": "3.5",
        "total_wait_s": "1", "avg_wait_ms": "81", "waits_per_txn": "0.0",
    }  # fmt: skip
    top = report.tables["top_events"]
    assert [row.key for row in top.rows] == ["log file sync", "CPU time", "log file parallel write"]
    assert [
        printed(report, "top_events", "CPU time", name)
        for name in ("waits", "total_wait_s", "avg_wait_ms")
    ] == ["", "2,010", ""]
    assert printed(report, "top_events", "log file parallel write", "wait_class") == "System I/O"


def test_a_row_of_fewer_cells_than_headings_is_not_read_between_bars() -> None:
    """Copied without its blank cells, the time of `DB CPU` is where its waits would be."""
    rows = [f"| {' | '.join(filter(None, cells))} |" for cells in [HEADINGS, *ROWS]]
    text = "\n".join(["Top 10 Foreground Events by Total Wait Time", rows[0], *rows[1:]])
    top = api.load(text.encode(), "excerpt").tables["top_events"]
    assert [row.key for row in top.rows] == ["log file sync", "log file parallel write"]


COLLAPSED_HEADER = """\
STATSPACK report for

DB Name DB Id Instance Inst Num Release Cluster Host
------------ ----------- ------------ -------- ----------- ------- ------------
PEARL 1234567 pearl1 1 9.2.0.4.0 NO pearlhost

Snap Id Snap Time Sessions Curs/Sess Comment
------- ------------------ -------- --------- -------------------
Begin Snap: 412 13-Dec-05 05:00:05 110 37.4
End Snap: 413 13-Dec-05 07:00:04 651 203.7
Elapsed: 119.98 (mins)
"""


@pytest.mark.parametrize("dash", ["-", "—"])
def test_a_snapshot_keeps_its_time_of_day_where_single_blanks_separate_values(dash: str) -> None:
    text = COLLAPSED_HEADER.replace("---", dash * 3)
    report = api.load(text.encode(), "report")
    assert printed(report, "snapshots", "Begin Snap", "snap_time") == "13-Dec-05 05:00:05"
    assert printed(report, "snapshots", "Begin Snap", "sessions") == "110"
    assert not [note for note in report.warnings if "not later" in note.message]


READS = """\
Top 5 Timed Events
~~~~~~~~~~~~~~~~~~ % Total
Event Waits Time (s) Ela Time
-------------------------------------------- ------------ ----------- --------
CPU time 12,190 51.87
db file sequential read 3,042,432 3,493 14.90
direct path write 8,862 910 4.78
-------------------------------------------------------------
"""


def test_the_rows_of_an_excerpt_have_the_unit_of_their_column() -> None:
    text = """\
Top 10 Foreground Events by Total Wait Time
                                           Total Wait       Avg   % DB
Event                                Waits Time (sec)      Wait   time Wait Class
------------------------------ ----------- ---------- --------- ------ --------
row cache mutex                    100,000        5.2   52.30us     .4 Concurrency
"""
    overview = api.analyze(api.load(text.encode(), "excerpt")).overview
    assert overview is not None
    assert overview.read is not None
    assert overview.read[0] == (
        "row cache mutex: waits 100,000, total wait 5.2 s, avg wait 0.0523 ms, DB time 0.4 %"
    )


def test_an_excerpt_without_waits_of_the_write_path_says_where_the_time_went() -> None:
    report = api.load(READS.encode(), "excerpt")
    said = api.analyze(report).headline
    assert said == (
        "This report has too little data to judge the write path. 52 % of CPU and wait time is CPU."
    )
    assert report.kind == "statspack-text"  # only Statspack prints `Ela Time`


TOP_READS = """\
Top 5 Timed Foreground Events                              Avg
~~~~~~~~~~~~~~~~~~~~~~~~~~~~~                             wait   % DB
Event                                 Waits     Time(s)   (ms)   time Wait Class
------------------------------ ------------ ----------- ------ ------ ----------
db file sequential read           1,000,000      20,000     20   40.0   User I/O
"""


def test_a_list_of_top_events_of_sessions_tells_how_long_their_reads_take() -> None:
    assert facts(TOP_READS)["io.data_read_ms"].number == pytest.approx(20)
    assert facts(READS)["io.data_read_ms"].value is None  # of background processes, too


def test_headings_that_can_be_cut_in_too_many_ways_are_left_out() -> None:
    """Every `s` is the end of eight headings of Tablespace IO Stats."""
    ruler = " ".join(["--"] * 10)
    lines = [
        "Tablespace IO Stats",
        "Tablespace s s s s s s s s zz",
        ruler,
        "SYSTEM 1 2 3 4 5 6 7 8",
    ]
    (problem,) = api.load_all(("\n".join(lines) + "\n").encode(), "hostile")

    assert isinstance(problem, NotAReportError)


def test_equal_ends_of_headings_are_of_columns_in_their_order() -> None:
    """Which `(ms)` is the read is in the lines above, without places: the first, always."""
    lines = ["Tablespace IO Stats", "Av Rd Av Buf Wt", "Tablespace (ms) (ms)", "--- --- ---"]
    text = "\n".join([*lines, "USERS 1.5 2.5", "SYSTEM 3.5 4.5", ""])
    read = api.load(text.encode(), "mail").tables["tablespace_io"].rows[0].values()

    assert read == {"tablespace": "USERS", "read_ms": 1.5, "buffer_wait_ms": 2.5}


def test_tables_copied_with_single_blanks_have_the_figures_of_the_report() -> None:
    """Every section of a sample alone, all blanks of it single: what is read is what is there."""
    path = samples.path("redo-disk.awr-11.2.txt")
    whole, lines = api.load(path), path.read_text(encoding="utf-8").split("\n")
    starts = [section.at for section in TextReader("\n".join(lines)).sections]
    read = set()
    for at, end in pairwise([*starts, len(lines)]):
        text = "\n".join(" ".join(line.split()) for line in lines[at:end])
        for found in api.load_all(text.encode(), "mail"):
            for name, table in getattr(found, "tables", {}).items():
                for row in table.rows if table.key else ():
                    there = whole.tables[name].row(row.key)
                    assert there is not None, row.key
                    expected = there.values()
                    for column, value in row.values().items():
                        if value is not None and column != "label":  # labels have two blanks
                            assert value == expected[column], (name, row.key, column)
                    read.add(name)
    assert len(read) >= 28


COUNTERS = """Instance Activity Stats
-> Ordered by statistic name

Statistic                                     Total     per Second     per Trans
-------------------------------- ------------------ -------------- -------------
logons cumulative                                 7            0.0           0.0
physical writes                             590,040          163.9           2.4
redo blocks written                       3,600,400        1,000.1          14.6
redo size                             3,686,036,000    1,023,898.9      14,924.0
"""
EVENTS = """Foreground Wait Events
-> Only events with Total Wait Time (s) >= .001 are shown

                                                             Avg
                                        %Time Total Wait    wait    Waits   % DB
Event                             Waits -outs   Time (s)    (ms)     /txn   time
-------------------------- ------------ ----- ---------- ------- -------- ------
log file sync                   172,000     0     62,780     365      0.7    7.1
enq: TX - index contention      193,000     0     97,300     504      0.8   11.0
"""


def test_the_counters_of_an_excerpt_tell_the_length_of_its_interval() -> None:
    elapsed = facts(COUNTERS + EVENTS)["load.elapsed_s"]

    assert elapsed.number == pytest.approx(3600, rel=1e-4)
    assert elapsed.status == "estimated"
    assert [item.text.strip() for item in elapsed.evidence] == ["3,686,036,000", "1,023,898.9"]
    assert "over its rate" in elapsed.note


def test_many_sessions_that_wait_at_commit_are_critical_in_an_excerpt_too() -> None:
    analysis = api.analyze(api.load((COUNTERS + EVENTS).encode()))
    (found,) = (each for each in analysis.findings if each.id == "REDO012")

    assert found.weight.waiting_sessions == pytest.approx(62_780 / 3600, rel=1e-3)
    assert found.severity == "critical"


PROCESSORS = """Operating System Statistics
Statistic                                  Value        End Value
------------------------- ---------------------- ----------------
BUSY_TIME                              1,440,000
IDLE_TIME                              4,320,000
NUM_CPUS                                      16

"""


def test_the_time_of_all_processors_tells_the_length_of_an_interval() -> None:
    """16 CPUs were busy for 14,400 s and idle for 43,200 s: the interval has 3,600 s."""
    elapsed = facts(PROCESSORS + EVENTS)["load.elapsed_s"]

    assert elapsed.number == pytest.approx(3600)
    assert elapsed.status == "estimated"
    assert [item.text.strip() for item in elapsed.evidence] == ["1,440,000", "4,320,000", "16"]
    assert "OS statistics" in elapsed.note


def test_processors_whose_number_changed_tell_no_length() -> None:
    changed = PROCESSORS.replace("     16\n", "     16               32\n")

    assert changed != PROCESSORS
    assert facts(changed + EVENTS)["load.elapsed_s"].value is None


def test_counters_of_several_intervals_tell_no_length() -> None:
    mixed = COUNTERS.replace("1,000.1", "2,000.1")

    assert facts(mixed + EVENTS)["load.elapsed_s"].value is None


def test_a_rate_of_few_digits_tells_no_length() -> None:
    rough = "\n".join(COUNTERS.splitlines()[:-2]).replace("163.9", "  0.9")

    assert facts(f"{rough}\n{EVENTS}")["load.elapsed_s"].value is None


CLASSES = """Wait Classes by Total Wait Time
~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
                                                        Avg             Avg
                                        Total Wait     Wait   % DB   Active
Wait Class                  Waits       Time (sec)     (ms)   time Sessions
---------------- ---------------- ---------------- -------- ------ --------
Concurrency               125,000          210,000  1680.00   70.1     57.0
DB CPU                                       3,180             1.1      0.9
Commit                     80,000              312     3.90     .1      0.1
"""


def test_commits_are_judged_by_their_wait_class_where_only_the_first_page_is_there() -> None:
    found = facts(CLASSES)

    assert found["redo.sync_wait_s"].number == 312
    assert found["redo.sync_wait_s"].status == "estimated"
    assert found["redo.commit_ms"].number == pytest.approx(3.9)
    assert found["redo.commit_ms"].note == "by the wait class Commit"
    assert found["redo.sync_wait_s"].evidence[0].row == "Commit"


def test_the_wait_classes_of_a_first_page_show_how_much_db_time_is_neither_cpu_nor_waits() -> None:
    found = facts(CLASSES)["load.captured_pct"]

    assert found.number == pytest.approx(71.3)
    assert "with waits of background processes" in found.note
    assert facts(CLASSES.replace("  1.1 ", " 51.1 "))["load.captured_pct"].value is None
    assert facts(CLASSES + EVENTS)["load.captured_pct"].value is None


def test_a_list_of_events_is_preferred_to_the_wait_class() -> None:
    assert facts(CLASSES + EVENTS)["redo.sync_wait_s"].number == 62_780


def test_shares_of_db_time_in_a_top_list_are_not_called_shares_of_cpu_and_waits() -> None:
    rows = "\n".join(FORMS["markdown"])
    analysis = api.analyze(api.load(rows.encode()))
    bases = [each.impact.basis for each in analysis.findings if each.impact.seconds]

    assert bases
    assert all("it follows from the shares of the top events" in basis for basis in bases)


def test_a_title_of_a_page_names_the_database_without_the_comma_behind_it() -> None:
    cells = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for row in ROWS)
    heads = "".join(f"<th>{heading}</th>" for heading in HEADINGS)
    title = "<title>AWR Report for DB: SALESDB, Inst: sales1, Snaps: 12-13</title>"
    report = api.load(
        f"<html><head>{title}</head><body>WORKLOAD REPOSITORY report for"
        f"<table><tr>{heads}</tr>{cells}</table></body></html>".encode()
    )

    assert (report.identity.db_name, report.identity.instance) == ("SALESDB", "sales1")
    assert (report.identity.begin_snap, report.identity.end_snap) == (12, 13)


HEADER = """WORKLOAD REPOSITORY report for

DB Name         DB Id    Instance     Inst Num Startup Time    Release     RAC
------------ ----------- ------------ -------- --------------- ----------- ---
{}

              Snap Id      Snap Time      Sessions Curs/Sess
            --------- ------------------- -------- ---------
Begin Snap:      5853 23-Jan-13 15:00:56     3,520       1.8
  End Snap:      5854 23-Jan-13 15:30:41     3,765       1.9
   Elapsed:               29.75 (mins)
   DB Time:            7,633.76 (mins)

"""


@pytest.mark.parametrize(
    "line",
    [
        "SALES         2629627371 sales1              1 22-Jan-13 16:49 11.2.0.3.0  YES",
        "SALES         2629627371 sales.example.com            1 22-Jan-13 16:49 11.2.0.3.0  YES",
    ],
    ids=["as printed", "a longer name moved the rest of the line"],
)
def test_the_line_of_the_database_is_read_with_a_name_longer_than_its_column(line: str) -> None:
    found = api.load((HEADER.format(line) + EVENTS).encode()).identity

    assert found.db_name == "SALES"
    assert found.db_id == "2629627371"
    assert found.instance in ("sales1", "sales.example.com")
    assert (found.release, found.rac) == ("11.2.0.3.0", True)


def test_whatever_follows_an_event_that_is_always_idle_is_idle() -> None:
    """Compare-period reports give idle events a share, and their times are not in an order."""
    names = ("db file sequential read", "log file sync", "SQL*Net message from client",
             "invented wait of a slave", "jobq slave wait")  # fmt: skip
    rows = "".join(f"{name}\t100\t0.00\t{9 - n}\t1\t1.0\n" for n, name in enumerate(names, start=1))
    found = api.load(
        (
            "Wait Events\nordered by wait time desc, waits desc (idle events last)\n"
            f"Event\tWaits\t%Time -outs\tTotal Wait Time (s)\tAvg wait (ms)\tWaits /txn\n{rows}"
        ).encode(),
        "a.txt",
    )
    busy = busy_rows(api.figures_of(found), "wait_events")

    assert list(names[:2]) == [row.key.strip() for row in busy]
