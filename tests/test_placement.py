"""Where files belong: questions before redo logs move, and hot segments after the write path."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import called
import corpus
import pytest
import samples
from figures import analysis, facts, parameters, section, waits
from test_commands import worded
from test_rules import facts_of
from test_storage_verdicts import FIGURE_1

from awrlens import api
from awrlens.advice import hot_data, placement, storage
from awrlens.advice.case import Case, Request
from awrlens.errors import UnreadableError
from awrlens.policy import Policy
from awrlens.rules import run as run_rules

if TYPE_CHECKING:
    from awrlens.advice.placement import Placement
    from awrlens.model import Analysis, Recommendation

SEGMENTS = ("Owner", "Tablespace Name", "Object Name", "Subobject Name", "Obj. Type")


def segments(kind: str, *rows: str) -> str:
    return section(f"Segments by {kind}", (*SEGMENTS, kind, "%Total"), list(rows))


READS = segments(
    "Physical Reads",
    "SALES | DATA | ORDERS | P2024 | TABLE | 812,113 | 41.20",
    "SALES | DATA | ORDERS_PK | | INDEX | 391,004 | 19.84",
    "SALES | DATA | STOCK | | TABLE | 98,100 | 4.98",
)
BUSY = segments("Buffer Busy Waits", "SALES | DATA | ORDERS_PK | | INDEX | 5,113 | 72.10")


def read_waits(seconds: str) -> str:
    return waits(f"db file sequential read | 1,203,117 | 0 | {seconds} | | 0.2 | .3")


def item(found: Analysis, name: str) -> Recommendation:
    return next(each for each in found.recommendations if each.id == name)


def test_hot_segments_are_named_with_their_shares() -> None:
    facts = analysis(READS, BUSY).facts

    assert facts["io.read_segments"].value == ("SALES.ORDERS.P2024", "SALES.ORDERS_PK")
    assert facts["io.read_segments"].note == "SALES.ORDERS.P2024: 41.20 %; SALES.ORDERS_PK: 19.84 %"
    assert facts["io.busy_segments"].value == ("SALES.ORDERS_PK",)
    assert facts["io.write_segments"].value is None  # the section is not in the report


@pytest.mark.parametrize(("waited", "named"), [("5,900", False), ("6,000", True)])
def test_hot_segments_are_next_if_sessions_wait_for_reads_of_data_files(
    waited: str, *, named: bool
) -> None:
    # a fifth of the DB time of 29,659 s is 5,932 s
    found = analysis(READS, BUSY, read_waits(waited))

    assert named == any(each.id == "hot-segments" for each in found.recommendations)


def test_hot_segments_come_after_sql_memory_redo_temp_and_undo() -> None:
    hot = item(analysis(READS, BUSY, read_waits("9,000")), "hot-segments")

    assert hot.status == "tune-first"
    assert "SALES.ORDERS.P2024: 41.20 %" in hot.action
    # neither redo, temp nor undo has a step of its own
    assert hot.prerequisites == ("find the SQL that reads most (above)",)


def test_hot_segments_wait_for_the_steps_of_segments_that_have_some() -> None:
    case = Case.of(analysis(READS, BUSY, read_waits("9,000")).facts, (), Policy())
    hot = hot_data.consider(case, ("redo", "temp"))

    assert hot is not None
    assert hot.prerequisites == ("the steps for redo and temp",)
    assert "Then, after redo and temp, move their tablespaces" in hot.action


def test_reads_as_fast_as_the_device_need_no_other_storage() -> None:
    # 180,000,000 reads of 0.05 ms; awrlens expects 0.1 ms and more of low-latency storage
    quick = waits("db file sequential read | 180,000,000 | 0 | 9,000 | 0 | 0.2 | 30.3")
    found = analysis(READS, BUSY, quick)

    assert not [each for each in found.recommendations if each.id == "hot-segments"]


def test_segments_of_the_dictionary_are_not_hot_segments_to_move() -> None:
    dictionary = segments(
        "Buffer Busy Waits",
        "SYS | SYSTEM | JOB$ | | TABLE | 14 | 41.18",
        "SYSTEM | SYSTEM | LOGMNR_LOG$ | | TABLE | 9 | 26.47",
        "SALES | DATA | ORDERS_PK | | INDEX | 5 | 14.71",
    )

    assert analysis(dictionary).facts["io.busy_segments"].value == ("SALES.ORDERS_PK",)


def test_segments_without_waits_for_reads_are_not_advised() -> None:
    found = analysis(READS)

    assert not [each for each in found.recommendations if each.id == "hot-segments"]


def test_the_three_questions_are_asked_where_the_report_does_not_answer_them() -> None:
    # Statspack 9.2 prints no run queue; nothing prints members of redo logs or priorities
    asked = " ".join(item(samples.analysis("busy-commit.statspack-9.2.lst"), "redo-storage")
                     .prerequisites)  # fmt: skip

    assert "a run queue without waits for CPU" in asked
    assert "redo logs that share no device" in asked
    assert "awrlens sql redo-placement" in asked
    assert "its priority" in asked


def test_the_run_queue_is_not_asked_for_where_the_report_prints_it() -> None:
    known = storage.questions(Case.of(facts_of({"host.load_per_cpu_end": 0.4}), (), Policy()))
    unknown = storage.questions(Case.of(facts_of({}), (), Policy()))

    assert (len(known), len(unknown)) == (2, 3)
    assert not [each for each in known if "run queue" in each]


def test_figure_2_is_priced_by_the_event_and_by_lgwrs_own_counter() -> None:
    # 21,470,106 waits * (1.066 - 0.305 ms) = 16,340 s of 359,771 s
    redo = item(samples.analysis("busy-commit.statspack-9.2.lst"), "redo-storage")

    assert "LGWR's own counter shows 1.07 ms per write" in redo.action
    assert "save only 16,340 s, 4.5 % of CPU and wait time" in redo.action


def test_a_counter_that_agrees_with_the_event_needs_no_second_price() -> None:
    text = samples.path("busy-commit.statspack-9.2.lst").read_text(encoding="utf-8")
    line = next(each for each in text.splitlines() if each.startswith("redo write time"))
    changed = text.replace(line, line.replace("1,241,800", "4,241,800"))
    assert changed != text, line

    redo = item(api.analyze(api.load(changed.encode()), Policy()), "redo-storage")

    assert "own counter" not in redo.action


@pytest.mark.parametrize(
    ("printed", "expected"),
    [
        (("log_archive_dest_1 | LOCATION=I:\\ARCHIVE",), ("I:\\ARCHIVE",)),
        (("log_archive_dest_1 | location='/arch/one' mandatory",), ("/arch/one",)),
        (("log_archive_dest_1 | LOCATION=/archive01/oradata/orac",), ("/archive01/oradata/orac",)),
        (("log_archive_dest | /u02/ARCH", "log_archive_duplex_dest | /u03/ARCH"),
         ("/u02/ARCH", "/u03/ARCH")),
        (("log_archive_dest_1 | LOCATION=USE_DB_RECOVERY_FILE_DEST",
          "db_recovery_file_dest | +FRA"), ("+FRA",)),
        (("log_archive_dest_1 | LOCATION=USE_DB_RECOVERY_FILE_DEST",),
         ("USE_DB_RECOVERY_FILE_DEST",)),
        (("log_archive_dest_2 | SERVICE=stby LGWR SYNC", "log_archive_dest_state_1 | ENABLE"),
         None),
    ],
)  # fmt: skip
def test_local_archive_destinations_are_read_from_the_parameters(
    printed: tuple[str, ...], expected: tuple[str, ...] | None
) -> None:
    found = facts(parameters(*printed))["redo.archive_destinations"]

    assert found.value == expected


@pytest.mark.parametrize(
    ("printed", "expected"),
    [
        ("LOCATION=/archive01/oradata/ora", "/archive01/oradata/ora"),
        ("LOCATION=/archive01/oradata/orac", "/archive01/oradata/orac…"),
    ],
)
def test_a_destination_that_a_compare_period_report_may_have_cut_is_not_shown_as_whole(
    printed: str, expected: str
) -> None:
    text = samples.path("redo-compared.awr-diff-11.2.html").read_text(encoding="utf-8")
    text = text.replace(">log_buffer<", ">log_archive_dest_1<").replace(
        ">10858496<", f">{printed}<"
    )
    before, _ = api.load(text.encode()).periods

    assert api.facts_of(before)["redo.archive_destinations"].value == (expected,)


def test_files_are_not_moved_to_the_disks_of_archived_redo_logs() -> None:
    """Reports have no members of redo logs: a query shows them before files are moved."""
    known = {"redo.archive_destinations": ("I:\\ARCHIVE",)}
    members = "SELECT group#, member FROM v$logfile ORDER BY group#;"
    for name in ("isolate-temp", "isolate-undo"):
        for item in worded(name, "9.2.0.8.0", **known):
            assert "not those of the redo logs and archived redo logs (I:\\ARCHIVE)" in item.action
            assert item.commands[0] == members


SPOOL = """\
STAT_NAME                AMOUNT
-------------------- ----------
LOAD                       {load}
NUM_CPUS                     12

    GROUP#    THREAD# MEMBER                                   OTHER_FILES
---------- ---------- ---------------------------------------- -----------
         1          1 /u01/oradata/orcl/redo01.log                       0
         2          1 /u01/oradata/orcl/redo02.log                  {beside}

  PID CLS RTPRIO  NI COMMAND
12345  {process} ora_lgwr_orcl
"""


def placed(load: str = "8.40", beside: str = " 0", process: str = "TS      -   0") -> Placement:
    return placement.read(SPOOL.format(load=load, beside=beside, process=process), "spool.lst")


@pytest.mark.parametrize(
    ("process", "raised"),
    [("TS      -   0", False), ("RR      1   -", True), ("FF     50   -", True),
     ("TS      - -20", True), ("TS      -   5", False)],
)  # fmt: skip
def test_a_real_time_class_or_a_negative_nice_value_is_a_raised_priority(
    process: str, raised: bool
) -> None:
    assert placed(process=process).raised is raised


def test_a_file_that_the_script_did_not_write_is_refused() -> None:
    with pytest.raises(UnreadableError, match="lists no redo log"):
        placement.read("LOAD 3\n", "spool.lst")


def slow_redo(given: Placement | None) -> Recommendation:
    """The verdict on redo of figure 1, whose log writes are most of a commit."""
    policy, values = Policy(), facts_of(FIGURE_1)
    found, _ = run_rules(values, policy)
    case = Case.of(values, tuple(found), policy, Request(placement=given))
    return storage.redo_storage(case, storage.redo_verdict(case))


def test_answered_questions_are_not_asked_and_the_answer_names_its_line() -> None:
    asked = slow_redo(None)
    assert asked.status == "apply"
    assert any("share no device" in each for each in asked.prerequisites)

    item = slow_redo(placed())
    assert item.status == "apply"
    assert not any("share no device" in each or "priority" in each for each in item.prerequisites)
    assert (
        "Redo logs, by spool.lst: run queue 0.7 per CPU (line 3); no other file is in their disk "
        "groups or directories (lines 8-9); LGWR's priority is not raised (line 12)." in item.action
    )


def test_redo_logs_beside_other_files_and_a_long_run_queue_come_before_storage() -> None:
    beside = slow_redo(placed(beside="14"))
    assert beside.status == "tune-first"
    assert beside.action.startswith("1 of 2 members of the redo logs share")

    queued = slow_redo(placed(load="36.0"))
    assert queued.status == "tune-first"
    assert queued.action.startswith("CPU comes first: 3.0 processes per CPU ran or waited for one")


@pytest.mark.parametrize("lost", ["LOAD", "NUM_CPUS"])
def test_a_run_queue_that_is_not_in_the_spool_is_not_0(lost: str) -> None:
    text = SPOOL.format(load="36.0", beside=" 0", process="TS      -   0")
    lines = [line for line in text.splitlines() if not line.startswith(lost)]
    found = placement.read("\n".join(lines), "spool.lst")

    assert found.load_per_cpu is None
    assert found.queued(2.0) == ""
    assert "run queue" not in found.answers(2.0)


def test_a_decimal_comma_of_a_session_is_read() -> None:
    assert placed(load="8,40").load_per_cpu == pytest.approx(0.7)


OPEN = "Not known yet: run queue, separate devices, LGWR's priority: `awrlens sql redo-placement`"


def first_screen(*args: str) -> str:
    _, out, _ = called.call("analyze", *args)
    return " ".join(out.split())


@pytest.mark.parametrize(
    ("report", "shown"),
    [
        ("busy-commit.statspack-9.2.lst", OPEN),
        ("../tests/document_figures/figure-01.txt", OPEN),
        # its host CPU shows that no process waits for CPU
        ("redo-disk.awr-11.2.txt", OPEN.replace("run queue, ", "")),
    ],
)
@pytest.mark.parametrize("format_", ["text", "markdown", "html"])
def test_the_first_screen_says_what_is_not_known_before_redo_logs_move(
    report: str, shown: str, format_: str
) -> None:
    said = first_screen(str(samples.path(report)), "--format", format_)
    for code in ("<code>", "</code>", "`"):
        said = said.replace(code, "")

    assert shown.replace("`", "") in said.replace("&#39;", "'")


@pytest.mark.corpus
@pytest.mark.skipif(not corpus.CORPUS.exists(), reason="the corpus is not here")
def test_the_questions_are_there_where_redo_is_slow_though_new_storage_would_gain_little() -> None:
    said = first_screen(str(corpus.CORPUS / "statspack-text_8.1.7.4.1_11.LST"))

    assert "No benefit: faster storage for redo" in said
    assert "Not known yet: run queue, separate devices, LGWR's priority" in said


def test_nothing_is_asked_where_redo_logs_stay() -> None:
    assert "Not known yet" not in first_screen(str(samples.path("undo-disk.awr-11.2.txt")))


def test_all_answers_of_a_spool_are_on_the_first_screen(tmp_path: Path) -> None:
    """A run queue of 12.5 on 4 CPUs comes first; devices and priority are shown with it."""
    text = SPOOL.format(load="12.5", beside=" 5", process="TS      -   0")
    text = text.replace(" 12\n", "  4\n", 1)
    (tmp_path / "p.lst").write_text(text)
    spool = str(tmp_path / "p.lst")
    for more in ((), ("--verbose",)):
        said = first_screen(
            str(samples.path("busy-commit.statspack-9.2.lst")), "--placement", spool, *more
        )

        assert (
            "Redo logs, by p.lst: run queue 3.1 per CPU, which is long (line 3); 1 of 2 members "
            "of the redo logs share their disk group or directory with other files (line 9); "
            "LGWR's priority is not raised (line 12)." in said
        )
        assert "Not known yet" not in said

    (tmp_path / "p.lst").write_text(text.partition("  PID")[0])
    said = first_screen(
        str(samples.path("busy-commit.statspack-9.2.lst")), "--placement", str(tmp_path / "p.lst")
    )
    assert "Not known yet: LGWR's priority: `awrlens sql redo-placement`" in said


def test_the_name_of_a_spool_is_replaced_with_others(tmp_path: Path) -> None:
    spool = tmp_path / "PROD77.lst"
    spool.write_text(SPOOL.format(load="8.40", beside="14", process="TS      -   0"))
    report = str(samples.path("redo-disk.awr-11.2.txt"))
    _, out, _ = called.call("analyze", report, "--placement", str(spool), "--redact", "-f", "json")

    assert "PROD77" not in out
