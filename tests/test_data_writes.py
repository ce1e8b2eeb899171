"""Advice on data file writes: asynchronous I/O, and storage that is slow for every kind of write.

Direct I/O takes the file system cache away. Where that cache serves the reads, it is a test to
make, and never the first action.
"""

from __future__ import annotations

from typing import Any

import pytest
import samples
from test_rules import facts_of

from awrlens.advice import commit_waits, data_writes, plan, redo_logs, storage, temp
from awrlens.advice.case import Case
from awrlens.model import Fact, Finding, Impact, Recommendation
from awrlens.policy import Policy

#: An hour with data files of a file system, and 15 of 100 single-block reads above 1 ms.
CACHED: dict[str, Any] = {
    "checkpoint.disk_asynch_io": "TRUE", "checkpoint.filesystemio_options": "DEFAULT",
    "checkpoint.asm": "no", "io.data_read_slower_1ms_pct": 15.0,
    "load.elapsed_s": 3600.0, "load.response_s": 10_000.0, "load.data_read_wait_s": 6_200.0,
    "database.release": "11.2.0.3.0",
}  # fmt: skip


def finding(rule: str) -> Finding:
    found = samples.analysis("redo-disk.awr-11.2.txt").findings[0]
    benefit = Impact(50.0, 0.5, "invented")
    return found._replace(id=rule, severity="warning", contributing=(), impact=benefit)


def case(*rules: str, **facts: Any) -> Case:
    values = {**CACHED, **{name.replace("__", "."): value for name, value in facts.items()}}
    return Case.of(facts_of(values), tuple(map(finding, rules)), Policy())


def answer(**facts: Any) -> Recommendation:
    items = plan.advise(case("CKPT010", **facts)).recommendations
    return next(item for item in items if item.id in ("asynchronous-io", "test-direct-io"))


def test_where_the_file_system_cache_serves_reads_direct_io_is_a_high_risk_to_test() -> None:
    item = answer()

    assert ("test-direct-io", "tune-first", "high") == (item.id, item.status, item.risk)
    assert "85 % of single-block reads take less than 1 ms" in item.action
    assert "reads of data files are 62 % of DB time" in item.action
    assert any("buffer cache enlarged by the memory" in each for each in item.prerequisites)


@pytest.mark.parametrize(
    "facts",
    [
        {"io__data_read_slower_1ms_pct": 50.1},  # a disk: most reads take longer
        {"io__data_read_slower_1ms_pct": None},
        {"checkpoint__asm": "yes"},  # no file system
        {"checkpoint__filesystemio_options": "DIRECTIO"},  # its cache is not in use now
    ],
)
def test_without_a_sign_of_that_cache_asynchronous_io_is_enabled(facts: dict[str, Any]) -> None:
    item = answer(checkpoint__disk_asynch_io="FALSE", **facts)

    assert ("asynchronous-io", "apply") == (item.id, item.status)


@pytest.mark.parametrize(
    ("rule", "facts", "named"),
    [
        ("REDO001", {"checkpoint__disk_asynch_io": "FALSE", "redo__local_write_ms": 20.8}, True),
        ("CKPT001", {"checkpoint__disk_asynch_io": "FALSE", "checkpoint__data_write_ms": 180.0},
         True),
        ("CKPT001", {"checkpoint__disk_asynch_io": "FALSE", "checkpoint__data_write_ms": 2.0},
         False),
        ("REDO014", {"checkpoint__filesystemio_options": "NONE", "redo__local_write_ms": 9.0},
         False),  # its cache serves reads
        ("REDO014", {"checkpoint__filesystemio_options": "NONE", "redo__local_write_ms": 9.0,
                     "io__data_read_slower_1ms_pct": None}, True),
    ],
)  # fmt: skip
def test_synchronous_writes_that_are_slow_are_the_first_suspect(
    rule: str,
    facts: dict[str, Any],
    named: bool,
) -> None:
    if facts.get("checkpoint__disk_asynch_io"):
        facts = {**facts, "io__data_read_slower_1ms_pct": None}
    items = [each.id for each in plan.advise(case(rule, **facts)).recommendations]

    assert named == ("asynchronous-io" in items)


def test_redo_logs_are_sized_for_the_period_with_more_redo() -> None:
    rates = {"redo__bytes_written_per_s": 2.0**19, "redo__mb_per_switch": 50.0}
    second = case("REDO004", **rates)
    first = case("REDO004", **{**rates, "redo__bytes_written_per_s": 2.0**20}).facts
    alone, both = (redo_logs.size_of(each) for each in (second, second._replace(before=first)))

    assert alone is not None
    assert both is not None
    assert (768.0, 1280.0) == (alone.mb, both.mb)
    assert both.why.startswith("The first period needs more: At 1 MB/s of redo")


def test_at_half_of_the_reads_the_cache_counts() -> None:
    assert 50.0 == data_writes.cached_read_pct(case(io__data_read_slower_1ms_pct=50.0))
    assert None is data_writes.cached_read_pct(case(io__data_read_slower_1ms_pct=50.1))


def test_a_check_of_the_storage_changes_nothing_and_names_every_kind_of_write() -> None:
    items = plan.advise(case("REDO014")).recommendations
    item = next(each for each in items if each.id == "repair-write-path")

    assert "low" == item.risk
    assert "control file parallel write" in item.commands[0]
    assert "log file parallel write" in item.commands[0]
    assert "direct path write temp" in item.commands[0]


def test_the_query_has_the_present_time_and_no_average_since_startup() -> None:
    now, before_10g = (
        data_writes.repair_write_path(case("REDO014", database__release=release)).commands[0]
        for release in ("10.2.0.4.0", "9.2.0.4.0")
    )

    assert "v$eventmetric" in now
    assert "v$system_event" in before_10g
    assert "twice: the averages are the differences" in before_10g


def test_new_storage_comes_after_the_check_of_all_writes() -> None:
    verdict = storage.StorageVerdict("apply", "Redo is slow.", Impact(9.0, None, ""), ())
    alone, slow = (storage.redo_storage(each, verdict) for each in (case(), case("REDO014")))

    options = (
        "FILESYSTEMIO_OPTIONS is not set: first test whether asynchronous, direct I/O (SETALL)"
    )
    assert f"Redo is slow. {options} writes faster." == alone.action
    assert "Check the storage first" in slow.action
    assert "A separate device helps whatever the cause." in slow.action


def relieved(*rules: str, **facts: Any) -> Recommendation:
    found = data_writes.relieve_dbwr(case(*rules, **facts))
    assert found is not None
    return found


def test_a_submit_of_many_writes_is_not_a_slow_write() -> None:
    """24,133 submits of 34 ms carried 8.6 million blocks: 0.1 ms each."""
    item = relieved(
        "CKPT008", checkpoint__async_submit_ms=34.02, checkpoint__submitted_write_ms=0.0957,
        checkpoint__data_write_ms=0.32,
    )  # fmt: skip

    assert "DBWR's writes are not slow." in item.action
    assert item.risks == ("A larger cache takes memory; more DBWR processes take CPU.",)


def test_dbwr_that_is_blocked_in_submits_needs_storage() -> None:
    """821 s in an interval of 304 s: the storage does not accept the writes of 2.7 processes."""
    item = relieved(
        "CKPT008", checkpoint__async_submit_ms=34.02, checkpoint__submitted_write_ms=0.0957,
        checkpoint__data_write_ms=0.32, checkpoint__async_submit_wait_s=821.0,
        checkpoint__data_write_wait_s=10.3, load__elapsed_s=304.0,
    )  # fmt: skip

    assert "34 ms per `db file async I/O submit`, 2.7 processes on average" in item.action
    assert "faster storage for data files" in item.action


def test_writes_other_than_those_of_checkpoints_are_not_reduced_by_a_recovery_target() -> None:
    checkpoints, other = (
        relieved(rule, checkpoint__data_write_ms=34.0).action for rule in ("CKPT005", "CKPT008")
    )

    assert "a higher recovery target" in checkpoints
    assert "reduce the writes (a larger buffer cache)." in other


@pytest.mark.parametrize(
    ("facts", "who"),
    [
        ({"redo__local_write_ms": 20.8}, "LGWR writes"),
        ({"checkpoint__data_write_ms": 20.8, "redo__local_write_ms": 2.0}, "DBWR writes"),
        ({"checkpoint__data_write_ms": 20.8, "redo__local_write_ms": 9.0}, "DBWR and LGWR write"),
    ],
)
def test_the_action_names_the_processes_whose_writes_are_slow(
    facts: dict[str, Any], who: str
) -> None:
    own = {"checkpoint__disk_asynch_io": "FALSE", "io__data_read_slower_1ms_pct": None}
    item = data_writes.asynchronous_io(case("REDO001", **own, **facts))

    assert item is not None
    assert item.action.startswith(f"{who} synchronously and slowly.")


@pytest.mark.parametrize(
    ("before", "advised"),
    [
        ({"redo__local_write_ms": 3.0}, False),  # the same settings were harmless
        ({"redo__local_write_ms": 19.0}, True),
        ({"redo__local_write_ms": None}, True),
        ({"redo__local_write_ms": 3.0, "checkpoint__disk_asynch_io": "TRUE"}, True),
    ],
)
def test_settings_with_which_the_first_period_wrote_fast_are_kept(
    before: dict[str, Any], *, advised: bool
) -> None:
    own = {"checkpoint__disk_asynch_io": "FALSE", "io__data_read_slower_1ms_pct": None}
    now = case("REDO001", **own, redo__local_write_ms=20.8)
    first = case(**(own | before)).facts

    assert (data_writes.asynchronous_io(now._replace(before=first)) is not None) is advised


@pytest.mark.parametrize(
    ("slower_1ms_pct", "first"), [(15.0, "First test"), (None, "First enable")]
)
def test_asynchronous_io_is_a_test_wherever_a_file_system_cache_serves_the_reads(
    slower_1ms_pct: float | None, first: str
) -> None:
    facts: dict[str, Any] = {
        "checkpoint__filesystemio_options": "NONE", "redo__local_write_ms": 9.0,
        "io__data_read_slower_1ms_pct": slower_1ms_pct, "io__read_mb_per_s": 5.0,
        "io__write_mb_per_s": 1.0,
    }  # fmt: skip
    of = case("REDO014", **facts)

    assert f"{first} asynchronous I/O." in data_writes.repair_write_path(of).action
    enabled = [each.id for each in plan.advise(of).recommendations if each.id == "asynchronous-io"]
    assert (first == "First enable") == bool(enabled)


def test_a_restart_does_not_come_before_the_cpu_that_the_host_lacks() -> None:
    facts: dict[str, Any] = {
        "checkpoint__disk_asynch_io": "FALSE", "redo__local_write_ms": 20.8,
        "io__data_read_slower_1ms_pct": None,
    }  # fmt: skip
    idle, starved = (
        {item.id: item for item in plan.advise(of).recommendations}
        for of in (case("REDO001", **facts, host__idle_pct=pct) for pct in (60.0, 2.0))
    )

    assert idle["asynchronous-io"].status == "apply"
    assert starved["free-processors"].status == "apply"
    assert starved["asynchronous-io"].status == "tune-first"
    assert starved["asynchronous-io"].first == ("action 1",)


def test_where_both_parameters_are_to_be_set_the_title_has_both() -> None:
    facts: dict[str, Any] = {
        "checkpoint__disk_asynch_io": "FALSE", "io__data_read_slower_1ms_pct": None,
        "redo__local_write_ms": 20.8,
    }  # fmt: skip
    both, one = (
        data_writes.asynchronous_io(case("REDO001", **facts, checkpoint__asm=asm))
        for asm in ("no", "yes")
    )

    assert both is not None
    assert one is not None
    assert both.title.endswith(": DISK_ASYNCH_IO=TRUE and FILESYSTEMIO_OPTIONS=SETALL")
    assert len(both.commands) == 2
    assert one.title == "Enable asynchronous I/O, now DISK_ASYNCH_IO=FALSE"


#: All writes of an hour are slow, and a commit waits at any time.
SLOW: dict[str, Any] = {
    "redo__local_write_ms": 75.0, "redo__parallel_write_ms": 75.0, "redo__write_ms": 75.0,
    "redo__commit_ms": 340.0, "redo__commit_waits": 10_000.0, "redo__sync_wait_s": 3_400.0,
    "redo__buffer_wait_s": 0.0, "redo__log_switch_wait_s": 0.0, "redo__writes_per_s": 12.0,
    "redo__bytes_per_write": 7_400.0, "redo__lgwr_busy_pct": 90.0,
    "redo__commit_storage_s": 3_300.0,
}  # fmt: skip


@pytest.mark.parametrize(
    ("release", "asm", "options", "said"),
    [
        ("10.2.0.5.0", "no", "DEFAULT", "in a file system, and FILESYSTEMIO_OPTIONS is not set"),
        ("10.2.0.5.0", "no", "SETALL", ""),
        ("10.2.0.5.0", "yes", "DEFAULT", ""),
        ("8.1.7.4.1", "no", "DEFAULT", ""),  # has no such parameter
    ],
)
def test_where_all_writes_are_slow_a_file_system_without_direct_io_is_named(
    release: str, asm: str, options: str, said: str
) -> None:
    of = case(
        "REDO014", **SLOW, io__read_mb_per_s=4.0, io__write_mb_per_s=1.0,
        database__release=release, checkpoint__asm=asm, checkpoint__filesystemio_options=options,
    )  # fmt: skip
    action = data_writes.repair_write_path(of).action

    assert said in action
    assert ("FILESYSTEMIO" in action) is bool(said)


@pytest.mark.parametrize(
    ("first", "title", "verdict"),
    [
        (0.0, "Move the backup to a quiet time, or limit its rate",
         ", and none in the first period: first move it or limit its rate."),
        (4.0, "Check the storage's write path, first without the backup",
         ": first analyze a report without it."),
        (None, "Check the storage's write path, first without the backup",
         ": first analyze a report without it."),
    ],
)  # fmt: skip
def test_a_backup_of_the_second_period_alone_is_the_cause_and_no_report_without_it_is_asked_for(
    first: float | None, title: str, verdict: str
) -> None:
    values = {"io.backup_sessions": first} if first is not None else {}
    of = case("REDO014", **SLOW, io__backup_sessions=5.0, io__read_mb_per_s=302.0,
              io__write_mb_per_s=1.4)._replace(before=facts_of(values))  # fmt: skip

    assert title == data_writes.repair_write_path(of).title
    ran = "A backup ran (5 RMAN processes waiting for I/O on average)"
    assert storage.redo_verdict(of).reason.startswith(f"{ran}{verdict}")


@pytest.mark.parametrize(("before", "known"), [(0.0, False), (4.0, True)])
def test_waits_at_log_switches_that_only_a_backup_made_long_save_no_known_time(
    before: float, *, known: bool
) -> None:
    """8,174 ms per log switch with the backup, 468 without it (compare 11.2.0.3.0-rac_02)."""
    switches = {"redo__log_switch_wait_s": 5_313.0, "redo__log_switches_per_hour": 16.5,
                "redo__log_mb": 100.0, "redo__bytes_per_s": 100_000.0}  # fmt: skip
    of = case("REDO014", "REDO004", **(SLOW | switches), io__backup_sessions=5.0,
              io__read_mb_per_s=302.0, io__write_mb_per_s=1.4)  # fmt: skip
    of = of._replace(before=facts_of({"io.backup_sessions": before}))

    item = redo_logs.enlarge_redo_logs(of)

    assert item is not None
    assert (item.benefit.seconds is not None) is known


def test_temporary_io_that_fell_while_all_writes_became_slow_is_not_to_be_tuned() -> None:
    of = case("REDO014", "TEMP008", temp__direct_mb=7_900.0)

    less, more = (
        of._replace(before=facts_of({"temp.direct_mb": mb})) for mb in (54_000.0, 1_000.0)
    )
    assert temp.tune_spilling_statements(less) is None
    assert temp.tune_spilling_statements(more) is not None
    assert temp.tune_spilling_statements(of) is not None
    unknown = case("REDO014", "TEMP008")._replace(before=facts_of({"temp.direct_mb": 54_000.0}))
    assert temp.tune_spilling_statements(unknown) is not None


STALLED = {"io__read_mb_per_s": 4.0, "load__latch_sleep_ms": 200.0}
BUSY = {"io__read_mb_per_s": 4.0, "load__cpus_used": 6.3}
READERS = "sessions read redo logs 40,788,053 times (20 ms each, 814,867 s), 18 times as often"


@pytest.mark.parametrize(
    ("facts", "status", "own"),
    [
        ({"io__read_mb_per_s": 74.0}, "tune-first",
         "First check the instance's own reads of 74 MB/s."),
        ({"io__read_mb_per_s": 4.0}, "apply", ""),
        # a wait for a latch needs no disk: where it is slow, too, the host comes first
        (STALLED, "tune-first", "First check the host's run queue and paging."),
        (STALLED | {"host__idle_pct": 90.0}, "apply", ""),
        # and so it does where the instance uses many CPUs (Statspack 8.1.7 report 11)
        (BUSY, "tune-first", "First check the host's run queue and paging."),
        (BUSY | {"load__cpus_used": 3.9}, "apply", ""),
        # so few bytes suffer from a slow device, and do not load it
        ({"io__read_mb_per_s": 4.0, "redo__log_reads": READERS}, "apply", ""),
        ({"io__read_mb_per_s": 60.0, "redo__log_reads": READERS}, "tune-first",
         "First check the instance's own reads of redo logs (20 ms each, 814,867 s)."),
    ],
)  # fmt: skip
def test_a_suspect_of_the_instance_is_checked_before_storage_is_bought(
    facts: dict[str, Any], status: str, own: str
) -> None:
    of = case("REDO014", **SLOW, io__write_mb_per_s=1.0, **facts)
    found = storage.redo_verdict(of)

    assert found.status == status
    assert found.reason.startswith(own)
    assert ("v$session_event" in " ".join(data_writes.repair_write_path(of).commands)) is (
        "redo__log_reads" in facts
    )


@pytest.mark.parametrize(
    ("name", "shares", "said"),
    [
        ("APP.ORDERS", "60.4 %; APP.ITEMS: 30.1 %", " on APP.ORDERS (60 % of the waits)"),
        ("APP.ORDERS", "60,4 %", " on APP.ORDERS (60 % of the waits)"),
        ("APP.A: B %", "60.4 %", " on APP.A: B % (60 % of the waits)"),
        ("APP.ORDERS", "###", " on APP.ORDERS"),
    ],
)
def test_the_segment_of_row_locks_is_named_whatever_its_name_and_number_format(
    name: str, shares: str, said: str
) -> None:
    of = case("REDO001", load__row_lock_wait_s=900.0, load__response_s=3_600.0)
    locks = of.facts["load.row_lock_wait_s"]
    note = f"{name}: {shares}"
    segments = Fact("load.locked_segments", (name,), "names", "measured", note=note)
    held = {rule: each._replace(facts=(locks,)) for rule, each in of.by_rule.items()}
    of = of._replace(by_rule=held, facts={**of.facts, "load.locked_segments": segments})
    found = commit_waits.find_lock_holders(of)

    assert found is not None
    assert found.title == f"Find the holders of the row locks{said}, and what they wait for"
