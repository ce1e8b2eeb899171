"""Log switches by cause, how long logs last, how large they are, and which size is advised."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import pytest
import samples
from corpus import CORPUS, analysis_of
from figures import report, section, statistics
from test_rules import facts_of

from awrlens import api, rules
from awrlens.advice import plan, redo_logs
from awrlens.advice.case import Case
from awrlens.model import Fact, Recommendation
from awrlens.policy import Policy

#: A log switch every 17 seconds, and sessions that wait for checkpoints.
SMALL_LOGS: dict[str, Any] = {
    "redo.log_switch_wait_s": 900.0, "checkpoint.incomplete_wait_s": 850.0,
    "redo.archive_wait_s": 0.0, "redo.switch_strand_wait_s": 0.0,
    "redo.switch_completion_wait_s": 50.0, "redo.log_switches_per_hour": 210.0,
    "redo.minutes_per_switch": 0.2857, "redo.mb_per_switch": 51.2,
    "redo.bytes_written_per_s": 3 * 2**20, "load.response_s": 9_000.0, "load.elapsed_s": 3_600.0,
}  # fmt: skip


def with_limit(
    blocks: int, *, release: str, written_mb: int = 50, switches: int = 1
) -> Mapping[str, Fact]:
    """The facts of a report that prints a limit, the redo written and the switches."""
    recovery = section(
        "Instance Recovery Stats",
        ("", "Targt MTTR (s)", "Estd MTTR (s)", "Log File Size Redo Blks"),
        [f"B | 0 | 20 | {blocks}", f"E | 0 | 20 | {blocks}"],
    )
    thread = section(
        "Instance Activity Stats - Thread Activity", ("Statistic", "Total", "per Hour"),
        [f"log switches (derived) | {switches} | {switches * 3600 / 12_358:.2f}"],
    )  # fmt: skip
    count = written_mb * 2048  # blocks of 512 B, of which 16 are their header
    written = statistics(
        f"redo blocks written | {count:,}", f"redo size | {count * 496:,}", "redo wastage | 0"
    )
    return api.facts_of(report(recovery, thread, written, release=release))


def advice(
    values: dict[str, Any], policy: Policy | None = None, threads: int = 1
) -> Recommendation:
    found = possible_advice(values, policy, threads)
    assert found is not None
    return found


def possible_advice(
    values: dict[str, Any], policy: Policy | None = None, threads: int = 1
) -> Recommendation | None:
    facts = facts_of(values)
    policy = policy or Policy()
    findings, _ = rules.run(facts, policy)
    items = plan.advise(Case.of(facts, findings, policy, threads=threads)).recommendations
    return next((item for item in items if item.id == "enlarge-redo-logs"), None)


def test_a_log_is_to_last_twenty_minutes_at_the_redo_rate() -> None:
    found = advice(SMALL_LOGS)

    assert found.title == "Add redo log groups of 3.75 GB"
    assert "At 3 MB/s of redo, a log switch then occurs every 21 min (now every" in found.action
    assert ", after 51 MB)" in found.action
    assert any("SIZE 3840M" in command for command in found.commands)


def test_the_reason_is_that_of_the_finding_that_leads() -> None:
    """Incomplete checkpoints lead, although other waits for log switches are more."""
    waits = {"redo.log_switch_wait_s": 900.0, "redo.log_switch_wait_ms": 50.0,
             "checkpoint.incomplete_wait_s": 400.0, "checkpoint.incomplete_wait_ms": 50.0,
             "checkpoint.incomplete_waits": 8_000.0}  # fmt: skip
    few = {"checkpoint.incomplete_wait_s": 4.0, "checkpoint.incomplete_waits": 80.0}

    assert "so that the checkpoint and archiving finish" in advice(SMALL_LOGS | waits).action
    assert "so that log switches, and the waits" in advice(SMALL_LOGS | waits | few).action


def test_the_peak_is_called_an_assumption_and_can_be_set() -> None:
    assert "a peak of 3 times this rate (an assumption" in advice(SMALL_LOGS).action
    assert "it occurs every 7 min; 11 GB would last 21 min" in advice(SMALL_LOGS).action
    doubled = advice(SMALL_LOGS, Policy({"logs.peak_factor": 2.0}))
    assert "it occurs every 11 min; 8 GB would last 23 min" in doubled.action
    assert "peak" not in advice(SMALL_LOGS, Policy({"logs.peak_factor": 1.0})).action


def test_a_load_test_of_minutes_does_not_suggest_hundreds_of_gigabytes() -> None:
    """At 110 MB/s, 20 minutes are 129 GB; that is not taken from one interval."""
    found = advice(SMALL_LOGS | {"redo.bytes_written_per_s": 110 * 2**20})

    assert found.title == "Add redo log groups of 32 GB"
    assert "129 GB would last 20 min. 32 GB is the largest size to take" in found.action
    assert "peak" not in found.action
    allowed = advice(
        SMALL_LOGS | {"redo.bytes_written_per_s": 110 * 2**20},
        Policy({"logs.largest_mb": 262_144.0}),
    )
    assert allowed.title == "Add redo log groups of 129 GB"


def test_a_size_from_an_interval_shorter_than_a_redo_log_lasts_says_so() -> None:
    short = advice(SMALL_LOGS | {"load.elapsed_s": 306.0})

    assert "The interval has only 5.1 min: first check with V$LOG_HISTORY" in short.action
    assert "The interval" not in advice(SMALL_LOGS | {"load.elapsed_s": 1_200.0}).action


def test_a_redo_log_has_several_times_the_size_of_the_log_buffer() -> None:
    """Redo strands of a log buffer of 2 GB do not fit logs of 3.75 GB; those of 100 MB do."""
    larger = advice(SMALL_LOGS | {"redo.log_buffer_mb": 2_048.0})
    smaller = advice(SMALL_LOGS | {"redo.log_buffer_mb": 100.0})

    assert larger.title == "Add redo log groups of 8 GB"
    assert "8 GB is at least 4 times the log buffer (2 GB)" in larger.action
    assert smaller.title == "Add redo log groups of 3.75 GB"
    assert "log buffer" not in smaller.action


def test_logs_that_switch_early_are_small_for_their_log_buffer() -> None:
    early = SMALL_LOGS | {"redo.other_logs_mb": 400.0}

    large = advice(early | {"redo.log_buffer_mb": 483.0}).action
    small = advice(early | {"redo.log_buffer_mb": 10.0}).action
    assert "The redo strands of the log buffer (483 MB) probably do: redo logs must be" in large
    assert "before they are full" in small
    assert "log buffer" not in small


def test_oracles_optimal_size_is_taken_where_the_rate_asks_for_less() -> None:
    larger = advice(SMALL_LOGS | {"checkpoint.optimal_log_mb": 4_000.0})
    smaller = advice(SMALL_LOGS | {"checkpoint.optimal_log_mb": 1_000.0})

    assert "Oracle's optimal redo log size is 4,000 MB (now" in larger.action
    assert (larger.title, smaller.title) == (
        "Add redo log groups of 4 GB", "Add redo log groups of 3.75 GB"
    )  # fmt: skip
    assert any("SIZE 4G;" in command for command in larger.commands)
    assert "Oracle's optimal size is at least 1,000 MB" in smaller.action


def test_logs_that_are_large_enough_get_more_groups_not_smaller_ones() -> None:
    found = advice(SMALL_LOGS | {"redo.log_mb": 8_192.0})

    assert found.title == "Add redo log groups of 8 GB"
    assert "8 GB, the present size" in found.action
    assert "3.75 GB is enough for a log switch every 20 min" in found.action
    assert any("SIZE 8G;" in command for command in found.commands)
    assert "redo to read" not in found.risks[0]


def test_logs_that_last_twenty_minutes_get_more_groups_of_the_present_size() -> None:
    found = advice(SELDOM)

    assert found.title == "Add redo log groups of the present size"
    assert "Redo logs switch only every 22 min, after 234 MB" in found.action
    assert any("SIZE <present size>;" in command for command in found.commands)


#: A log switch every 22 minutes: the redo logs are large enough.
SELDOM: dict[str, Any] = SMALL_LOGS | {
    "redo.minutes_per_switch": 22.0, "redo.mb_per_switch": 234.0,
    "redo.log_switches_per_hour": 60 / 22, "redo.bytes_written_per_s": 234 * 2**20 / 1320,
}  # fmt: skip


def test_more_groups_save_only_the_waits_for_a_group_that_is_not_free() -> None:
    """Of 900 s, 50 s are for the switch itself, which more groups do not shorten."""
    assert advice(SELDOM).benefit.seconds == 850


def test_larger_redo_logs_do_not_save_the_waits_of_the_switches_that_remain() -> None:
    """3 MB/s fill 3,840 MB 2.8125 times per hour; now there are 210 switches per hour."""
    saved = advice(SMALL_LOGS).benefit
    assert saved.seconds == pytest.approx(900 - 900 * 2.8125 / 210)
    assert "in proportion to the log switches: 1.3 % of them remain" in saved.basis
    # redo logs that a job or ARCHIVE_LAG_TARGET switches every minute
    forced = advice(SMALL_LOGS | {"redo.archive_lag_target_s": 60.0}).benefit
    assert forced.seconds == pytest.approx(900 - 900 * 60 / 210)
    # more switches than now are no cost of larger redo logs
    assert advice(SMALL_LOGS | {"redo.archive_lag_target_s": 10.0}).benefit.seconds == 0


def test_more_groups_are_not_advised_for_next_to_nothing() -> None:
    """Less than 5 s per day; switches that take long themselves do not need more groups."""
    waits = {"redo.log_switch_waits": 100.0, "redo.log_switch_wait_ms": 5_000.0,
             "redo.switch_completion_wait_s": 500.0,
             "checkpoint.incomplete_wait_ms": 20.0}  # fmt: skip
    assert possible_advice(SELDOM | waits | {"checkpoint.incomplete_wait_s": 0.2}) is None
    assert possible_advice(SELDOM | waits | {"checkpoint.incomplete_wait_s": 0.22}) is not None
    # larger ones make them rarer
    rare = {"redo.log_switch_wait_s": 40.0, "checkpoint.incomplete_wait_s": 0.2}
    assert possible_advice(SMALL_LOGS | waits | rare) is not None


#: 39 s of the 40 s are 0.04 % and 0.4 % of these DB times.
TRACE: dict[str, Any] = {
    "redo.log_switch_wait_s": 40.0, "redo.log_switch_waits": 800.0,
    "redo.log_switch_wait_ms": 50.0, "redo.switch_completion_wait_s": 39.8,
    "checkpoint.incomplete_wait_s": 0.2,
}  # fmt: skip


@pytest.mark.parametrize(("response_s", "saves"), [(90_000.0, False), (9_000.0, True)])
def test_redo_logs_that_switch_often_should_be_larger_even_if_that_saves_little(
    response_s: float, *, saves: bool
) -> None:
    found = advice(SMALL_LOGS | TRACE | {"load.response_s": response_s})

    assert found.status == "apply"
    assert found.benefit.seconds == pytest.approx(40 - 40 * 2.8125 / 210)
    assert found.title.endswith("(saves only 39 s)") is not saves


@pytest.mark.parametrize(("response_s", "status"), [(90_000.0, "no-benefit"), (9_000.0, "apply")])
def test_larger_logs_that_save_a_trace_of_db_time_are_not_worth_doing_where_switches_are_rare(
    response_s: float, status: str
) -> None:
    rare = {"redo.log_switches_per_hour": 6.0, "redo.minutes_per_switch": 10.0}

    assert status == advice(SMALL_LOGS | TRACE | rare | {"load.response_s": response_s}).status


def test_a_parameter_that_causes_the_checkpoints_of_larger_logs_is_named() -> None:
    """The redo logs switch after 51 MB."""
    reached, later = (
        advice(SMALL_LOGS | {"checkpoint.log_checkpoint_interval": blocks}).asked
        for blocks in (100_000.0, 200_000.0)
    )
    assert reached == (
        "Redo logs beyond 49 MB save switches only (LOG_CHECKPOINT_INTERVAL=100000).",
    )
    assert later == ("Redo logs beyond 98 MB save switches only (LOG_CHECKPOINT_INTERVAL=200000).",)
    assert advice(SMALL_LOGS).asked == ()


def test_the_reason_for_larger_logs_is_the_cause_of_the_waits() -> None:
    flushes = {"checkpoint.incomplete_wait_s": 0.0, "redo.switch_strand_wait_s": 850.0}

    assert (
        "log switches, and the waits at each of them, are rarer"
        in advice(SMALL_LOGS | flushes).action
    )
    assert "the checkpoint and archiving finish" in advice(SMALL_LOGS).action


def test_more_groups_of_the_present_size_do_not_have_the_risks_of_larger_ones() -> None:
    assert advice(SELDOM).risks == ("None: groups of the present size only need disk space.",)
    since_10g = advice(SELDOM | {"database.release": "10.2.0.4.0"}).risks
    assert len(since_10g) == 1
    assert "may read 90 % of all redo logs except one, unless FAST_START_MTTR" in since_10g[0]


def test_the_small_groups_are_dropped_once_they_are_not_needed() -> None:
    """As long as they are in use, the redo logs switch as often as before."""
    found = advice(SMALL_LOGS)

    assert "drop each old group when V$LOG shows it as INACTIVE and archived" in found.action
    assert [each.split(" GROUP")[0] for each in found.commands[2:]] == [
        "ALTER DATABASE ADD LOGFILE",  # THREAD is for clusters
        "ALTER SYSTEM SWITCH LOGFILE;",
        "ALTER SYSTEM CHECKPOINT;",
        "SELECT group#, thread#, status, archived FROM v$log;",
        "ALTER DATABASE DROP LOGFILE",
    ]
    assert found.rollback[0].startswith("ALTER DATABASE ADD LOGFILE")
    of_cluster = advice(SMALL_LOGS, threads=2).commands
    assert "ALTER SYSTEM ARCHIVE LOG CURRENT;" in of_cluster
    assert of_cluster[2].startswith("ALTER DATABASE ADD LOGFILE THREAD <thread> GROUP <new> ")
    assert not any("DROP" in each for each in advice(SELDOM).commands)


def test_switches_that_something_forces_are_not_promised_to_become_rarer() -> None:
    early = advice(SMALL_LOGS | {"redo.other_logs_mb": 8_192.0}).action
    lag = {"redo.lag_share_pct": 95.0, "redo.archive_lag_target_s": 900.0}

    assert "unless there are many, they switch before they are full" in early
    assert "If a job, a backup or ARCHIVE_LAG_TARGET forces the switches" in early
    assert "before they are full" not in advice(SMALL_LOGS | {"redo.other_logs_mb": 150.0}).action
    assert "8,192 MB together" in early
    assert "must be at least 4 times as large as it" in early
    forced = advice(SMALL_LOGS | lag).action
    assert "But ARCHIVE_LAG_TARGET=900 forces the switches" in forced


def test_a_target_for_archiving_that_is_much_longer_does_not_force_the_switches() -> None:
    hourly = {"redo.lag_share_pct": 2.0, "redo.archive_lag_target_s": 3600.0}

    early = advice(SMALL_LOGS | {"redo.other_logs_mb": 8_192.0} | hourly).action

    assert "If a job or a backup forces the switches" in early
    assert "ARCHIVE_LAG_TARGET forces" not in early


def test_larger_logs_name_the_recovery_time_that_they_lengthen() -> None:
    bound = SMALL_LOGS | {
        "checkpoint.binding_limit": "log_size", "checkpoint.estimated_mttr_high_s": 85.0,
        "checkpoint.estimated_mttr_low_s": 80.0, "checkpoint.target_mttr_s": 0.0,
        "checkpoint.incomplete_wait_s": 0.0, "redo.log_switch_wait_s": 5.0,
        "checkpoint.buffer_wait_s": 0.0,
    }  # fmt: skip
    facts = facts_of(bound)
    case = Case.of(facts, rules.run(facts, Policy())[0], Policy())

    items = {item.id: item for item in plan.advise(case).recommendations}

    assert "Their size limits it to about 85 s now." in items["enlarge-redo-logs"].risks[0]
    action = items["leave-mttr-target"].action
    assert "recovery takes longer: only if it must not, set the agreed recovery time" in action


def test_larger_logs_cost_time_of_recovery_and_that_is_said() -> None:
    unbound = advice(SMALL_LOGS).risks[0]
    assert "up to 3.38 GB of redo to read, unless FAST_START_MTTR_TARGET is set" in unbound
    others = SMALL_LOGS | {"redo.other_logs_mb": 200.0}
    all_but_one = "all redo logs except one, 3.75 GB each"
    assert f"it may read {all_but_one} (now 200 MB in total)" in advice(others).risks[0]
    since_11g = advice(others | {"database.release": "11.2.0.4.0"}).risks[0]
    assert f"it may read 81 % of {all_but_one} (now 200 MB in total)" in since_11g
    dropped = advice(SMALL_LOGS | {"database.release": "10.2.0.4.0"}).risks[0]
    assert f"it may read 90 % of {all_but_one}," in dropped
    of_9i = advice(SMALL_LOGS | {"database.release": "9.2.0.4.0"}).risks[0]
    assert "up to 3.38 GB of redo to read" in of_9i
    bound = advice(SMALL_LOGS | {"checkpoint.fast_start_mttr_target_s": 300})
    assert "unless FAST_START_MTTR_TARGET (300 s) limits it" in bound.risks[0]
    assert "ARCHIVE_LAG_TARGET" in bound.risks[1]


def test_a_checkpoint_parameter_in_the_report_is_the_limit_of_recovery_with_larger_logs() -> None:
    """100,000 redo blocks of 512 bytes are 49 MB, whatever the size of the redo logs."""
    old = SMALL_LOGS | {"database.release": "8.1.7.4.1"}
    interval = {"checkpoint.log_checkpoint_interval": 100_000.0}
    found = advice(old | interval | {"checkpoint.log_checkpoint_timeout_s": 1_800.0}).risks[0]

    assert "to 49 MB of redo to read, if DBWR keeps up: LOG_CHECKPOINT_INTERVAL=100000" in found
    assert "end snapshot" not in found
    # 248,270 blocks are 121 MB
    behind = advice(old | interval | {"checkpoint.actual_redo_blocks": 248_270.0}).risks[0]
    assert "LOG_CHECKPOINT_INTERVAL=100000 limits it (at the end snapshot, it is 121 MB)" in behind
    assert "unless LOG_CHECKPOINT_INTERVAL or LOG_CHECKPOINT_TIMEOUT" in advice(old).risks[0]
    # 10,000,000 blocks are 4.8 GB: more than the redo logs allow
    more = advice(old | {"checkpoint.log_checkpoint_interval": 10_000_000.0}).risks[0]
    assert "unless a lower LOG_CHECKPOINT_INTERVAL or LOG_CHECKPOINT_TIMEOUT limits it" in more


def test_the_default_timeout_is_the_limit_of_recovery_that_the_report_prints() -> None:
    """2,097,152 redo blocks of 512 bytes are 1 GB: less than 81 % of two redo logs of 3.75 GB."""
    printed = {"database.release": "11.2.0.4.0", "checkpoint.timeout_redo_blocks": 2_097_152.0}
    found = advice(SMALL_LOGS | printed)
    said = "lengthen crash recovery to 1,024 MB of redo to read at the rate of the end snapshot"

    assert said in found.risks[0]
    assert "the default of LOG_CHECKPOINT_TIMEOUT limits it" in found.risks[0]
    assert "beyond" not in " ".join(found.asked)  # every database has it
    # 16 GB: more than the redo logs hold
    more = advice(SMALL_LOGS | printed | {"checkpoint.timeout_redo_blocks": 33_554_432.0}).risks[0]
    assert "it may read 81 % of all redo logs except one" in more


def test_where_the_archiver_is_late_it_comes_before_the_size() -> None:
    late = {"checkpoint.incomplete_wait_s": 0.0, "redo.archive_wait_s": 850.0}

    found = advice(SMALL_LOGS | late).action
    assert "First speed up archiving: sessions waited 850 s for the archiver" in found
    assert "archiving: sessions" not in advice(SMALL_LOGS).action


def test_figure_4s_switch_waits_are_told_by_cause() -> None:
    facts = samples.analysis("redo-disk.awr-11.2.txt").facts

    assert facts["checkpoint.incomplete_wait_s"].number == 385
    assert facts["redo.switch_completion_wait_s"].number == 122
    assert facts["redo.switch_strand_wait_s"].number == 0
    causes = ("checkpoint.incomplete_wait_s", "redo.archive_wait_s",
              "redo.switch_strand_wait_s", "redo.switch_completion_wait_s")  # fmt: skip
    assert sum(facts[name].number or 0 for name in causes) == facts["redo.log_switch_wait_s"].number


def test_one_release_tells_the_size_of_a_log_and_the_other_that_of_all_but_one() -> None:
    old = samples.analysis("redo-disk.statspack-9.2.lst").facts
    new = samples.analysis("redo-disk.awr-11.2.txt").facts

    assert old["redo.log_mb"].status == "derived"
    assert "/ 0.9 / 1024 / 1024" in old["redo.log_mb"].formula
    assert old["redo.other_logs_mb"].number is None
    assert "up to 9.2" in old["redo.other_logs_mb"].note
    assert new["redo.log_mb"].number is None
    assert "redo.other_logs_mb" in new["redo.log_mb"].note
    assert new["redo.other_logs_mb"].status == "estimated"


@pytest.mark.parametrize(
    ("members", "files", "said"),
    [
        (None, "(<files>)", "as many members in every new group as the present groups have"),
        (1.0, "('<file 1>')", "one member in every new group, as LGWR writes now"),
        (2.0, "('<file 1>', '<file 2>')", "2 members in every new group, as LGWR writes now"),
    ],
)
def test_new_groups_have_as_many_members_as_those_there_are(
    members: float | None, files: str, said: str
) -> None:
    found = advice(SMALL_LOGS | ({"redo.members": members} if members else {}))

    assert any(f"GROUP <new> {files} SIZE 3840M;" in each for each in found.commands)
    assert any(each.startswith(said) for each in found.prerequisites)
    alone = "the redo logs seem not multiplexed: add a second unless the disks are mirrored"
    assert (members == 1) == any(alone in each for each in found.prerequisites)


def test_standby_redo_logs_grow_with_the_logs_where_there_is_a_standby() -> None:
    def asked(values: dict[str, Any]) -> tuple[bool, bool]:
        found = advice(SMALL_LOGS | values)
        told = any(each.startswith("standby redo logs of") for each in found.prerequisites)
        return told, any("ADD STANDBY LOGFILE" in each for each in found.commands)

    assert asked({"integrity.standby": "log_archive_dest_2"}) == (True, True)
    assert asked({"integrity.standby": "none"}) == (False, False)
    assert asked({}) == (False, False)


def members(lgwr: str, written_mb: int) -> Fact:
    """The fact by what LGWR wrote, and what was written to one member."""
    headings = ("Function Name", "Reads: Data", "Reqs per sec", "Data per sec", "Writes: Data",
                "Reqs per sec", "Data per sec", "Waits: Count", "Avg Tm(ms)")  # fmt: skip
    rows = ["DBWR | 0M | 0.0 | 0M | 900M | 9.0 | 1M | 0 | 0.0",
            f"LGWR | 0M | 0.0 | 0M | {lgwr} | 9.0 | 1M | 0 | 0.0"]  # fmt: skip
    written = statistics(f"redo blocks written | {written_mb * 2048:,}")
    found = report(section("IOStat by Function summary", headings, rows), written)
    return api.facts_of(found)["redo.members"]


@pytest.mark.parametrize(
    ("lgwr", "written_mb", "number"),
    [("100M", 100, 1), ("208M", 100, 2), ("2.9G", 1000, 3), ("390M", 100, 4)],
)
def test_what_lgwr_writes_over_what_one_member_gets_are_the_members(
    lgwr: str, written_mb: int, number: int
) -> None:
    found = members(lgwr, written_mb)

    assert (found.value, found.status) == (number, "estimated")  # by a block of 512 B
    assert re.search(r"B by LGWR / \([\d,]+ blocks × 512\) = \d\.\d\d; redo block", found.note)


@pytest.mark.parametrize(
    ("lgwr", "written_mb", "why"),
    [
        ("150M", 100, "1.50 times the redo of one member: not a whole number"),
        ("220M", 100, "2.20 times"),
        ("500M", 100, "5.00 times"),
        ("60M", 100, "0.60 times"),
        ("2M", 1, "LGWR wrote 2,097,152 B: too little to compute the number of members"),
    ],
)
def test_what_is_no_whole_number_of_members_tells_none(
    lgwr: str, written_mb: int, why: str
) -> None:
    found = members(lgwr, written_mb)

    assert found.value is None
    assert why in found.note
    assert found.sections


@pytest.mark.corpus
@pytest.mark.skipif(
    not CORPUS.is_dir(), reason="the corpus of real reports is not at ../shared/corpus"
)
@pytest.mark.parametrize(
    ("file", "number"),
    [
        ("awr-html_11.2.0.3.0_01.html", 2),
        ("statspack-text_11.2.0.3.0_01.txt", 2),
        ("statspack-text_11.2.0.4.0_01.txt", 3),
        ("awr-html_12.2.0.1.0-rac_02.html", 1),
        ("awr-html_19.0.0.0.0-rac_01.html", 2),
        # LGWR wrote 5 MB
        ("awr-html_12.2.0.1.0_01.html", None),
    ],
)
def test_members_of_real_reports(file: str, number: int | None) -> None:
    assert analysis_of(CORPUS / file).facts["redo.members"].value == number


@pytest.mark.parametrize(
    ("release", "name", "megabytes"),
    [
        ("9.2.0.4.0", "redo.log_mb", 100),
        ("10.2.0.5.0", "redo.other_logs_mb", 100),
        ("11.2.0.4.0", "redo.other_logs_mb", 90 / 0.81),
        ("19.3.0.0.0", "redo.other_logs_mb", 90 / 0.81),
    ],
)
def test_each_release_computes_the_limit_in_its_own_way(
    release: str, name: str, megabytes: float
) -> None:
    found = with_limit(184_320, release=release)
    other = {"redo.log_mb": "redo.other_logs_mb"}.get(name, "redo.log_mb")

    assert found[name].number == pytest.approx(megabytes)
    assert found[other].number is None
    assert name in found[other].note


def test_a_size_that_is_less_than_what_was_written_to_a_log_is_dropped() -> None:
    """90 MB by the limit in 9.2 are logs of 100 MB: six of them hold 600 MB, not 700."""
    fits = with_limit(184_320, release="9.2.0.4.0", written_mb=599, switches=5)
    contradicts = with_limit(184_320, release="9.2.0.4.0", written_mb=700, switches=5)
    later = with_limit(184_320, release="10.2.0.4.0", written_mb=700, switches=5)

    assert fits["redo.log_mb"].number == pytest.approx(100)
    assert contradicts["redo.log_mb"].number is None
    assert "implies 100 MB, but redo logs held at least 117 MB" in contradicts["redo.log_mb"].note
    assert later["redo.other_logs_mb"].number is None


def test_one_switch_may_leave_redo_in_two_logs() -> None:
    found = with_limit(184_320, release="10.2.0.4.0", written_mb=180, switches=1)

    assert found["redo.mb_per_switch"].number == pytest.approx(180)
    assert found["redo.other_logs_mb"].number == pytest.approx(100)


@pytest.mark.corpus
@pytest.mark.skipif(
    not CORPUS.is_dir(), reason="the corpus of real reports is not at ../shared/corpus"
)
@pytest.mark.parametrize(
    ("file", "name", "megabytes"),
    [
        # up to 9.2 the limit is 90 % of one log, whose size is a round number; one with redo blocks
        # of 1,024 bytes
        ("statspack-text_9.2.0.4.0_01.LST", "redo.log_mb", 100),
        ("statspack-text_9.2.0.1.0_01.lst", "redo.log_mb", 100),
        # up to 10.2 90 % of all but one: 56.7 MB were written between two switches of the second,
        # so it has logs of 64 MB or more, not the 192 MB of a single log
        ("statspack-text_10.1.0.3.0_01.lst", "redo.other_logs_mb", 10),
        ("awr-html_10.2.0.4.0-rac_06.html", "redo.other_logs_mb", 192),
        ("awr-html_10.2.0.4.0_02.LST", "redo.other_logs_mb", 1024),
        ("awr-html_10.2.0.5.0_01.html", "redo.other_logs_mb", 1500),
        # from 11g on 81 % of all but one: two of 50 MB, one of 200 MB, two of 200 MB, three of 1 GB
        ("awr-html_11.2.0.3.0_01.html", "redo.other_logs_mb", 100),
        ("awr-html_19.0.0.0.0-rac_01.html", "redo.other_logs_mb", 200),
        ("awr-html_19.0.0.0.0_02.html", "redo.other_logs_mb", 400),
        ("awr-html_12.2.0.1.0_01.html", "redo.other_logs_mb", 3072),
        # Statspack prints no optimal size and has the limits of its release all the same
        ("statspack-text_11.2.0.3.0_01.txt", "redo.other_logs_mb", 100),
        ("statspack-text_12.1.0.2.0_01.txt", "redo.other_logs_mb", 2500),
    ],
)
def test_the_logs_of_real_reports_have_round_sizes(file: str, name: str, megabytes: int) -> None:
    found = analysis_of(CORPUS / file).facts[name].number

    assert found == pytest.approx(megabytes, rel=1e-4)


@pytest.mark.parametrize(
    ("mb", "size"),
    [(1, 256), (256, 256), (257, 512), (3_900, 4_096), (4_096, 4_096), (4_097, 5_120),
     (4_400, 5_120), (5_121, 6_144)],
)  # fmt: skip
def test_a_size_is_one_that_one_would_type(mb: float, size: float) -> None:
    """Steps of 256 MB up to 4 GB, of 1 GB above."""
    assert redo_logs.rounded(mb) == size


@pytest.mark.parametrize(("area", "said"), [(2**31, True), (2**33, False), (None, False)])
def test_a_fast_recovery_area_that_is_too_small_for_the_groups_is_said(
    area: int | None, said: bool
) -> None:
    analysis = samples.analysis("redo-disk.awr-11.2.txt")
    facts = {**analysis.facts}
    facts["redo.recovery_area_b"] = facts["redo.recovery_area_b"]._replace(value=area)
    case = Case.of(facts, analysis.findings, Policy())
    item = redo_logs.enlarge_redo_logs(case)
    assert item is not None

    assert said == any("DB_RECOVERY_FILE_DEST_SIZE is 2 GB" in each for each in item.prerequisites)
