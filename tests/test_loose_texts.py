"""Texts of documents, mails and books: a header without its title, lost rows, rows left out."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from awrlens import api
from awrlens.report.report import Report

if TYPE_CHECKING:
    from awrlens.model import Analysis

SNAPSHOTS = """\
              Snap Id      Snap Time      Sessions Curs/Sess
            --------- ------------------- -------- ---------
Begin Snap:       731 14-Mar-11 02:00:10        48       2.1
  End Snap:       735 14-Mar-11 06:00:40        52       2.2
   Elapsed:              240.50 (mins)
   DB Time:            3,607.50 (mins)
"""
TOP = """\
Top 5 Timed Foreground Events
~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
                                                           Avg
                                                          wait   % DB
Event                                 Waits     Time(s)   (ms)   time Wait Class
------------------------------ ------------ ----------- ------ ------ ----------
local write wait                     51,200      39,680    775   18.3 User I/O
free buffer waits                 1,402,300      18,230     13    8.4 Configurat
db file scattered read              907,400      11,796     13    5.4 User I/O
"""
COMMITS = """\
Top 5 Timed Foreground Events
~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
                                                           Avg
                                                          wait   % DB
Event                                 Waits     Time(s)   (ms)   time Wait Class
------------------------------ ------------ ----------- ------ ------ ----------
log file sync                     2,000,000       8,000      4   10.0 Commit

Foreground Wait Events
-> %Timeouts: value of 0 indicates value was < .5%.  Value of null is truly 0

                                                             Avg
                                        %Time Total Wait    wait    Waits   % {share}
Event                             Waits -outs   Time (s)    (ms)     /txn   time
-------------------------- ------------ ----- ---------- ------- -------- ------
{event:26}      500,000     0        450       1      0.2   17.1
"""


def analysis(text: str) -> Analysis:
    return api.analyze(api.load(text.encode(), "text"))


@pytest.mark.parametrize("before", ["", "We saw this in the night:\n\n"])
def test_snapshots_without_the_title_above_them_are_the_interval(before: str) -> None:
    report = api.load(f"{before}{SNAPSHOTS}\n{TOP}".encode(), "text")
    who = report.identity
    assert (who.elapsed_s, who.db_time_s) == (14430.0, 216450.0)
    assert (who.begin_snap, who.end_snap) == (731, 735)
    assert who.begin_time == "2011-03-14T02:00:10"
    assert "its database and instance are not named" in report.warnings[0].message


def test_times_without_snapshots_are_the_interval_and_statspack_names_them() -> None:
    lines = "Elapsed:       4.50 (mins) Av Act Sess:       0.7\nDB time:       3.15 (mins)\n"
    report = api.load(f"{lines}\n{TOP}".encode(), "text")
    assert (report.identity.elapsed_s, report.identity.db_time_s) == (270.0, 189.0)
    assert report.kind == "statspack-text"


def test_the_excerpts_of_two_intervals_are_two_reports() -> None:
    other = SNAPSHOTS.replace("731", "831").replace("735", "835")
    other = other.replace("240.50", " 60.10").replace("06:00:40", "03:00:16")
    text = f"{SNAPSHOTS}\n{TOP}\n{other}\n{TOP}"
    found = api.load_all(text.encode(), "text")
    first, second = (each for each in found if isinstance(each, Report))
    assert (first.identity.elapsed_s, second.identity.elapsed_s) == (14_430, 3_606)
    assert (first.identity.begin_snap, second.identity.begin_snap) == (731, 831)
    assert len(first.tables["top_events"]) == len(second.tables["top_events"])
    once = api.load(f"{SNAPSHOTS}\n{TOP}\nAgain:\n\n{SNAPSHOTS}".encode(), "text")
    assert len(once.warnings) == 1


def test_waits_for_own_writes_are_weighed_without_the_list_of_all_events() -> None:
    (found,) = analysis(f"{SNAPSHOTS}\n{TOP}").findings
    (part,) = (each for each in found.contributing if each.id == "CKPT009")
    assert part.severity == "critical"
    assert "39,680 s" in part.title
    assert "direct-path reads" not in part.why
    assert "775 ms per wait" in part.why


def test_unknown_writes_of_dbwr_are_not_called_fast() -> None:
    made = {each.id: each for each in analysis(f"{SNAPSHOTS}\n{TOP}").recommendations}
    assert "not slow" not in made["relieve-dbwr"].action
    assert "does not show how long DBWR's writes take" in made["relieve-dbwr"].action


def test_undo_is_not_judged_by_waits_for_dbwr_alone() -> None:
    made = analysis(f"{SNAPSHOTS}\n{TOP}").recommendations
    undo = [each for each in made if "undo on low-latency" in each.title.lower()]
    assert [each.status for each in undo] == ["need-data"]


def test_a_commit_of_the_top_list_counts_if_the_other_list_lacks_its_row() -> None:
    text = COMMITS.format(share="DB", event="db file sequential read")
    assert api.facts_of(api.load(text.encode(), "text"))["redo.sync_wait_s"].number == 8000


def test_a_table_with_a_share_of_background_time_is_of_background_waits() -> None:
    text = COMMITS.format(share="bg", event="log file parallel write")
    facts = api.facts_of(api.load(text.encode(), "text"))
    assert facts["redo.local_write_ms"].number == pytest.approx(0.9)
    assert facts["redo.sync_wait_s"].number == 8000


def test_shares_with_a_percent_sign_are_shares() -> None:
    text = """\
Top 5 Timed Events
Event                       Waits    Time(s)   %DB Time
db file sequential read     40,100   3,050.0   61.0%
log file sync                8,000     960.0   19.2%
"""
    facts = api.facts_of(api.load(text.encode(), "text"))
    assert facts["load.response_s"].number == pytest.approx(5000)
    assert facts["redo.commit_ms"].number == pytest.approx(120)


HEADER = """\
WORKLOAD REPOSITORY report for

DB Name         DB Id    Instance     Inst Num Startup Time    Release     RAC
------------ ----------- ------------ -------- --------------- ----------- ---
{row}
Host Name        Platform                         CPUs Cores Sockets Memory(GB)
---------------- -------------------------------- ---- ----- ------- ----------
plumhost         Linux x86 64-bit                   16     8             128.00
{snapshots}"""
ROW = "PLUM           101202303 plum1               1 02-Mar-11 10:00 11.2.0.3.0  NO"


def test_dots_for_rows_left_out_are_no_row() -> None:
    beginning = HEADER.partition("{row}")[0]
    assert api.load(f"{beginning}...\n{TOP}".encode(), "text").identity.db_name is None


def test_a_document_with_a_table_of_tags_is_a_document_of_text() -> None:
    header = HEADER.format(row=ROW, snapshots=SNAPSHOTS)
    tags = "<table>\n<tr>\n<td>Elapsed</td>\n<td>the time between</td>\n</tr>\n</table>\n"
    text = f"### Summary\n```\n{header}```\nElapsed is the time between.\n\n{tags}\n```\n{TOP}```\n"
    report = api.load(text.encode(), "text")
    assert report.kind == "awr-text"
    assert (report.identity.db_name, report.identity.elapsed_s) == ("PLUM", 14430.0)
    excerpt = api.load(f"{tags}\n```\n{TOP}```\n".encode(), "text")
    assert excerpt.kind == "awr-text"
    assert excerpt.tables["top_events"].row("free buffer waits") is not None


@pytest.mark.parametrize(("writes", "share"), [("9,000", 50.0), ("2,000", None)])
def test_more_undo_than_all_writes_is_no_share(writes: str, share: float | None) -> None:
    text = f"""\
## Instance Activity Stats

| Statistic               | Total   | per Second | per Trans |
|-------------------------|---------|------------|-----------|
| DBWR undo block writes  | 4,500   | 1.2        | 0.1       |
| execute count           | 125,600 | 34.8       | 2.8       |
| physical writes         | {writes} | 2.4       | 0.2       |
"""
    fact = api.facts_of(api.load(text.encode(), "text"))["undo.block_write_pct"]
    assert fact.number == share
    assert ("225 %, more than" in fact.note) == (share is None)


def test_idle_events_in_a_list_of_top_events_are_no_part_of_db_time() -> None:
    text = """\
Top 5 Timed Events                                                    Avg %Total
~~~~~~~~~~~~~~~~~~                                                   wait   Call
Event                                            Waits    Time (s)   (ms)   Time
----------------------------------------- ------------ ----------- ------ ------
LGWR worker group idle                           4,100       7,000   1707   35.0
lreg timer                                       1,200       3,600   3000   18.0
heartbeat redo informer                          3,600       3,400    944   17.0
CPU time                                                     2,400          12.0
log file sync                                   60,000       1,200     20    6.0
          -------------------------------------------------------------
"""
    facts = api.facts_of(api.load(text.encode(), "text"))
    assert facts["load.response_s"].number == pytest.approx(6000)
    assert facts["load.largest_consumer_pct"].number == pytest.approx(40)
    proof = [each.value for each in facts["load.response_s"].evidence]
    assert {7000, 3600, 3400} <= set(proof)
    lost = api.facts_of(api.load(text.replace("3,400    944", "#####    944").encode(), "text"))
    assert lost["load.response_s"].value is None
